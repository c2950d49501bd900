"""The Send API: messages of Pages and of their Instagram accounts to people who wrote first."""

from datetime import timedelta
from typing import Any

from socialgate.sandbox.dialects.graph.errors import bad_parameter, failure
from socialgate.sandbox.dialects.graph.given import one_of
from socialgate.sandbox.kit import Call, Refused, World
from socialgate.sandbox.society.conversations import is_open
from socialgate.sandbox.vendors.meta.accounts import linked_instagram
from socialgate.sandbox.vendors.meta.chats import (
    DELIVERED_AFTER,
    Attached,
    Button,
    Message,
    Thread,
    body_of,
    contact_of,
    new_message,
    person_in,
    put,
    tell,
    tell_delivered,
    thread_of,
)
from socialgate.sandbox.vendors.meta.errors import missing_scope, refusal, task_missing
from socialgate.sandbox.vendors.meta.message_bodies import Body, Given, Payload, check_text, fetch_attached
from socialgate.sandbox.vendors.meta.private_replies import note, thread_with_author
from socialgate.sandbox.vendors.meta.state import Page
from socialgate.sandbox.vendors.meta.viewer import may, role, viewer

MESSENGER_SCOPE, INSTAGRAM_SCOPE = "pages_messaging", "instagram_manage_messages"
_TYPES = ("RESPONSE", "UPDATE", "MESSAGE_TAG", "UTILITY")
_ACTIONS = ("typing_on", "typing_off", "mark_seen", "react", "unreact")
_RETIRED = {"CONFIRMED_EVENT_UPDATE", "POST_PURCHASE_UPDATE", "ACCOUNT_UPDATE"}
_AGENT = timedelta(days=7)


async def send(call: Call, page: Page) -> Any:
    """Serve the one endpoint of both products; the recipient's id tells which one it is."""
    require_page_token(call, page.id)
    given = call.read(Given)
    comment = given.recipient.comment_id
    thread, on_instagram = (
        thread_with_author(call, page, comment) if comment else _thread(call, page, given.recipient.id)
    )
    require_scope(call, on_instagram=on_instagram)
    if given.sender_action:
        with call.world.store.transaction():
            return _act(call, thread, given)
    if given.message is None:
        return bad_parameter("param message must be non-empty.")
    check_text(given.message, on_instagram=on_instagram)
    if not comment:
        _require_window(call, thread, given, on_instagram=on_instagram)
    attached = await fetch_attached(call, given.message.attachment, on_instagram=on_instagram)
    with call.world.store.transaction():
        if comment:
            note(call, comment)
        return _send(call, thread.id, given, given.message, attached)


def require_page_token(call: Call, page: str) -> None:
    token = viewer(call)
    if token.page != page:
        raise Refused(failure("(#210) A page access token is required to request this resource.", 210, status=403))
    held = role(call.world, token.parent, page)
    if held is None or "MESSAGING" not in held.tasks:
        raise task_missing()


def require_scope(call: Call, *, on_instagram: bool) -> None:
    scope = INSTAGRAM_SCOPE if on_instagram else MESSENGER_SCOPE
    if not may(call, scope):
        raise missing_scope(f"Requires {scope} permission to manage the object")


def _thread(call: Call, page: Page, recipient: str) -> tuple[Thread, bool]:
    linked = linked_instagram(call.world, page.id)
    for account in [page.id, *([linked.id] if linked is not None else [])]:
        person = person_in(account, recipient)
        thread = thread_of(call.world, account, person.key) if person is not None else None
        if thread is not None:
            return thread, account != page.id
    raise refusal("recipient_unknown")


def _require_window(call: Call, thread: Thread, given: Given, *, on_instagram: bool) -> None:
    kind = one_of("messaging_type", given.messaging_type.upper(), _TYPES)
    if given.tag in _RETIRED:
        raise Refused(bad_parameter(f"Message tag {given.tag} is no longer supported", subcode=1893061))
    if (kind == "MESSAGE_TAG" or given.tag) and given.tag != "HUMAN_AGENT":
        raise Refused(bad_parameter("Param tag must be one of {HUMAN_AGENT}"))
    last = thread.last_inbound
    by_hand = given.tag == "HUMAN_AGENT" and last is not None and call.world.clock.now() - last < _AGENT
    if not (by_hand or is_open(call.world, last)):
        raise refusal("instagram_window_closed" if on_instagram else "window_closed")


def _send(call: Call, key: str, given: Given, body: Body, attached: Attached | None) -> Any:
    world = call.world
    # Read again: somebody may have written while the file was fetched.
    thread = world.store.get(Thread, key)
    assert thread is not None
    message = new_message(world, thread, "")
    template = body.attachment.payload if body.attachment is not None else Payload()
    heart = body.attachment is not None and body.attachment.type == "like_heart"
    message.text, message.attached = body.text or template.text or ("❤️" if heart else ""), attached
    message.buttons = [Button(one.type, one.title, one.payload) for one in template.buttons]
    message.buttons += [Button("quick_reply", one.title, one.payload) for one in body.quick_replies]
    message.reply_to = _quoted(world, thread, given.reply_to.mid) if given.reply_to is not None else ""
    thread.unread = 0
    put(world, thread, message)
    echo = body_of(world, message) | {"is_echo": True, "app_id": world.app.id}
    echo |= {"metadata": body.metadata} if body.metadata else {}
    tell(world, thread, "message_echoes", {"message": echo}, mine=True)
    tell_delivered(world, thread, message, after=DELIVERED_AFTER)
    return {"recipient_id": contact_of(thread).id, "message_id": message.id}


def _quoted(world: World, thread: Thread, mid: str) -> str:
    found = world.store.get(Message, mid)
    if found is None or found.parent != thread.id or found.deleted:
        raise Refused(bad_parameter("Param reply_to[mid] must be a message of this conversation"))
    return mid


def _act(call: Call, thread: Thread, given: Given) -> Any:
    world = call.world
    word = one_of("sender_action", given.sender_action.lower(), _ACTIONS)
    if given.message is not None:
        raise Refused(bad_parameter("A sender_action must be sent without a message"))
    if word == "mark_seen":
        thread.unread = 0
        world.store.put(thread)
    if word in {"react", "unreact"}:
        message = world.store.get(Message, given.payload.message_id if given.payload is not None else "")
        if message is None or message.parent != thread.id:
            raise Refused(bad_parameter("Param payload[message_id] must be a message of this conversation"))
        message.reactions.pop("", None)
        if word == "react" and given.payload is not None:
            message.reactions[""] = "❤️" if given.payload.reaction == "love" else given.payload.reaction
        world.store.put(message)
    return {"recipient_id": contact_of(thread).id}
