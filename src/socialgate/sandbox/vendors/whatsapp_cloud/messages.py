"""Sending: every message is accepted first, and its status is reported later."""

from typing import Any

from socialgate.sandbox.dialects.graph.errors import failure
from socialgate.sandbox.kit import Call, Refused
from socialgate.sandbox.kit.media import Media, download
from socialgate.sandbox.vendors.whatsapp_cloud.bodies import (
    Attachment,
    FilledTemplate,
    Interactive,
    Location,
    Reaction,
    Text,
    read,
)
from socialgate.sandbox.vendors.whatsapp_cloud.chat import (
    Behaviour,
    Contact,
    Message,
    StoredMedia,
    chat_of,
    contact_of,
    is_open,
    new_wamid,
    tell_status,
)
from socialgate.sandbox.vendors.whatsapp_cloud.errors import ERRORS, messaging, refusal
from socialgate.sandbox.vendors.whatsapp_cloud.state import Number, Waba
from socialgate.sandbox.vendors.whatsapp_cloud.templates import check_template
from socialgate.sandbox.vendors.whatsapp_cloud.viewer import SEND, require

# Seconds after which a message is sent, delivered and read.
STEPS = {"sent": 0.5, "delivered": 1.0, "read": 2.0}
_LARGEST_MEDIA = 100 << 20
_MEDIA = ("image", "video", "audio", "document", "sticker")
_LONGEST_TEXT, _LONGEST_CAPTION = 4096, 1024
_WINDOW_CLOSED, _UPLOAD_FAILED = 131047, 131053
_MOST_BUTTONS, _MOST_ROWS = 3, 10
_KINDS = ("text", "location", "reaction", "contacts", "interactive", "template", *_MEDIA)


def _invalid(details: str, code: int = 100) -> Refused:
    titles = {100: "Invalid parameter", 131008: "Required parameter is missing", 131009: "Parameter value is not valid"}
    return Refused(messaging(code, titles[code], details))


async def send(call: Call, number: Number) -> Any:
    """Serve the one endpoint of messages: sending, marking as read, typing."""
    require(call, SEND)
    given = call.params
    if given.get("messaging_product") != "whatsapp":
        return messaging(100, "Invalid parameter", "The parameter messaging_product is required.")
    if given.get("status") == "read":
        return _mark_read(call, number)
    _require_able(call, number)
    kind, contact = str(given.get("type") or "text"), _recipient(call, number)
    _check(call, kind, number)
    linked, media = await _linked(call, kind)
    failed = linked and (media is None or media.size > _LARGEST_MEDIA)
    with call.world.store.transaction():
        return _accept(call, number, contact, kind, None if failed else media, failed=failed)


def _mark_read(call: Call, number: Number) -> Any:
    message = call.world.store.get(Message, str(call.params.get("message_id", "")))
    if message is None or message.number != number.id or message.outbound:
        return messaging(131009, "Parameter value is not valid", "Message id is not a message of this number.")
    with call.world.store.transaction():
        message.statuses.append("read")
        message.times.append(call.world.clock.time())
        call.world.store.put(message)
    return {"success": True}


def _require_able(call: Call, number: Number) -> None:
    waba = call.world.store.get(Waba, number.parent)
    if waba is not None and waba.ban:
        raise refusal("account_locked")
    if not number.registered:
        raise refusal("not_registered")


def _recipient(call: Call, number: Number) -> Contact:
    """Find the recipient: a number in any spelling, or the id of a person who hides it."""
    user, to = call.params.get("recipient"), str(call.params.get("to") or "")
    if user:
        found = next((one for one in call.world.store.find(Contact) if one.user == user), None)
        if found is None:
            raise _invalid("Recipient is not a known user.", 131009)
        return found
    if not to:
        raise _invalid("The parameter to is required.")
    plain = "".join(filter(str.isdigit, to))
    if not plain or len(plain) < len("1234567"):
        raise _invalid("Recipient phone number is not valid.", 131009)
    if plain == number.digits:
        raise Refused(messaging(131021, "Recipient cannot be sender", "Sender and recipient are the same."))
    return contact_of(call.world, plain)


def _check(call: Call, kind: str, number: Number) -> None:
    given = call.params.get(kind)
    match kind:
        case "text":
            body = read(given, Text, kind).body
            if not body.strip():
                raise Refused(failure("(#100) The parameter text['body'] is required.", 100))
            if len(body) > _LONGEST_TEXT:
                raise _invalid(f"Param text['body'] must be at most {_LONGEST_TEXT} characters long.")
        case "location" | "reaction":
            read(given, Location if kind == "location" else Reaction, kind)
        case "contacts":
            read(given, list[dict[str, Any]], kind)
        case "interactive":
            _check_interactive(read(given, Interactive, kind))
        case "template":
            check_template(call, number, read(given, FilledTemplate, kind))
        case _ if kind in _MEDIA:
            _check_media(call, number, kind, read(given, Attachment, kind))
        case _:
            raise _invalid(f"Param type must be one of {{{', '.join(_KINDS)}}} - got '{kind}'.")


def _check_interactive(body: Interactive) -> None:
    rows = [row for section in body.action.sections for row in section.rows]
    if body.type == "button" and not 1 <= len(body.action.buttons) <= _MOST_BUTTONS:
        raise _invalid("Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3", 131009)
    if body.type == "list" and not 1 <= len(rows) <= _MOST_ROWS:
        raise _invalid("Total row count exceed max allowed count: 10", 131009)


def _check_media(call: Call, number: Number, kind: str, body: Attachment) -> None:
    if bool(body.id) == bool(body.link):
        raise _invalid(f"Exactly one of {kind}['id'] and {kind}['link'] is required.")
    if len(body.caption) > _LONGEST_CAPTION:
        raise _invalid(f"Param {kind}['caption'] must be at most {_LONGEST_CAPTION} characters long.")
    stored = call.world.store.get(StoredMedia, body.id) if body.id else None
    if body.id and (stored is None or stored.parent != number.id):
        raise _invalid(f"Param {kind}['id'] is not a valid whatsapp business account media attachment ID", 100)


async def _linked(call: Call, kind: str) -> tuple[bool, Media | None]:
    """Return whether there is a link, and its content."""
    body = call.params.get(kind)
    link = body.get("link") if kind in _MEDIA and isinstance(body, dict) else None
    return bool(link), await download(call.world, str(link), kind, _LARGEST_MEDIA) if link else None


def _accept(call: Call, number: Number, contact: Contact, kind: str, media: Media | None, *, failed: bool) -> Any:
    world, given = call.world, call.params
    chat = chat_of(world, number.id, contact.id)
    closed = kind != "template" and not is_open(world, chat)
    behaviour = _behaviour(call, number)
    failure = behaviour.failure or (_UPLOAD_FAILED if failed else _WINDOW_CLOSED if closed else 0)
    if failure and behaviour.at_once:
        if failure == _WINDOW_CLOSED:
            return ERRORS["window_closed"](call)
        return messaging(failure, behaviour.title, "Failed.")
    message = Message(
        id=new_wamid(),
        parent=chat.id,
        number=number.id,
        contact=contact.id,
        outbound=True,
        kind=kind,
        content={kind: given[kind]} | ({"context": given["context"]} if "context" in given else {}),
        made=world.clock.now(),
        opaque=str(given.get("biz_opaque_callback_data", "")),
        media=media,
    )
    world.store.put(chat)
    world.store.put(message)
    _tell(call, number, message, failure, behaviour)
    row = {"id": message.id} | ({"message_status": "accepted"} if kind == "template" else {})
    told = {"input": str(given.get("to") or given.get("recipient")), "wa_id": contact.id}
    return {"messaging_product": "whatsapp", "contacts": [told], "messages": [row]}


def _behaviour(call: Call, number: Number) -> Behaviour:
    """Return what was set to happen to this message; by default all goes well."""
    found = call.world.store.get(Behaviour, number.id)
    if found is None or found.times == 0:
        return Behaviour(id=number.id, at_once=found.at_once if found is not None else False)
    found.times -= 1
    call.world.store.put(found)
    return found


def _tell(call: Call, number: Number, message: Message, failure: int, behaviour: Behaviour) -> None:
    if behaviour.silent:
        return
    if not failure:
        for status, seconds in STEPS.items():
            tell_status(call.world, number, message, status, after=seconds)
        return
    titles = {_WINDOW_CLOSED: "Re-engagement message", _UPLOAD_FAILED: "Media upload error"}
    title = behaviour.title or titles.get(failure, "Message undeliverable")
    href = "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/"
    error = {"code": failure, "title": title, "message": title, "error_data": {"details": f"{title}."}, "href": href}
    tell_status(call.world, number, message, "failed", after=STEPS["sent"], errors=[error])
