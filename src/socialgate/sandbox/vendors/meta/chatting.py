"""What people do in their conversations with Pages and Instagram accounts."""

from typing import Any

import msgspec

from socialgate.sandbox.kit import Action, ControlError, World, text
from socialgate.sandbox.kit.media import keep
from socialgate.sandbox.society import conversations as society
from socialgate.sandbox.vendors.meta.chats import (
    LONGEST,
    LONGEST_ON_INSTAGRAM,
    Attached,
    Message,
    Thread,
    account_named,
    body_of,
    new_message,
    put,
    tell,
    tell_delivered,
    thread_of,
)
from socialgate.sandbox.vendors.meta.state import Page

_FILES = ("image", "video", "audio", "file")
_REACTIONS = {
    "❤️": "love",
    "❤": "love",
    "😆": "smile",
    "😮": "wow",
    "😢": "sad",
    "😠": "angry",
    "👍": "like",
    "👎": "dislike",
}


def write(world: World, order: society.Written) -> Any:
    account, person = account_named(world, order.account), society.person_of(order.person)
    society.require_content(order, LONGEST if isinstance(account, Page) else LONGEST_ON_INSTAGRAM, _FILES)
    now = world.clock.now()
    thread = thread_of(world, account.id, person.key)
    thread = thread or Thread(id=f"t_{text(24)}", parent=account.id, person=person.key, updated=now)
    quoted = _named(world, thread, order.reply_to).id if order.reply_to else ""
    # A text and a file are two messages, as in the apps.
    parts: list[tuple[str, Attached | None]] = [("", _sample(world, order.attachment))] if order.attachment else []
    parts += [(order.text, None)] if order.text.strip() else []
    for words, attached in parts:
        message = new_message(world, thread, person.key)
        message.text, message.attached, message.reply_to = words, attached, quoted
        _receive(world, thread, message)
    return {"messageId": message.id}


def _receive(world: World, thread: Thread, message: Message, more: dict[str, Any] | None = None) -> None:
    thread.last_inbound, thread.unread = message.made, thread.unread + 1
    put(world, thread, message)
    tell(world, thread, "messages", {"message": body_of(world, message) | (more or {})})


def _sample(world: World, kind: str) -> Attached:
    made = society.sample(world, kind)
    media = keep(world, made.upload)
    return Attached(kind, msgspec.structs.replace(media, content_type=made.content_type))


def _thread(world: World, account: str, person: str) -> Thread:
    found = thread_of(world, account_named(world, account).id, society.person_of(person).key)
    if found is None:
        raise ControlError("They have not written to each other yet.", 409)
    return found


def _named(world: World, thread: Thread, key: society.MessageId) -> Message:
    found = world.store.get(Message, str(key))
    if found is None or found.parent != thread.id or found.deleted:
        raise ControlError(f"There is no message {key!r} in this conversation.")
    return found


def _own(world: World, order: society.Named) -> tuple[Thread, Message]:
    thread = _thread(world, order.account, order.person)
    message = _named(world, thread, order.message_id)
    if not message.person:
        raise ControlError("People can only change their own messages.", 409)
    return thread, message


def _newest(world: World, order: society.Seen) -> tuple[Thread, Message]:
    thread = _thread(world, order.account, order.person)
    mine = [one for one in world.store.find(Message, parent=thread.id) if not one.person]
    if order.message_id or not mine:
        return thread, _named(world, thread, order.message_id)
    return thread, mine[-1]


def deliver(world: World, order: society.Seen) -> None:
    thread, message = _newest(world, order)
    if world.store.get(Page, thread.parent) is None:
        raise ControlError("Instagram does not report when a message is delivered.", 409)
    tell_delivered(world, thread, message, after=0)


def read(world: World, order: society.Seen) -> None:
    thread, message = _newest(world, order)
    thread.read = max(thread.read or message.made, message.made)
    world.store.put(thread)
    # Messenger reports the time up to which everything was read, Instagram the message.
    watermark = {"watermark": int(message.made.timestamp() * 1000)}
    on_page = world.store.get(Page, thread.parent) is not None
    tell(world, thread, "message_reads", {"read": watermark if on_page else {"mid": message.id}})


def react(world: World, order: society.Reacted) -> None:
    thread = _thread(world, order.account, order.person)
    message = _named(world, thread, order.message_id)
    message.reactions.pop(thread.person, None)
    reaction: dict[str, str] = {"mid": message.id, "action": "react" if order.emoji else "unreact"}
    if order.emoji:
        message.reactions[thread.person] = order.emoji
        reaction |= {"reaction": _REACTIONS.get(order.emoji, "other"), "emoji": order.emoji}
    world.store.put(message)
    tell(world, thread, "message_reactions", {"reaction": reaction})


def edit(world: World, order: society.Edited) -> None:
    thread, message = _own(world, order)
    if not message.text or not order.text.strip():
        raise ControlError("Only the text of a message can be edited.", 422)
    message.text, message.edits = order.text, message.edits + 1
    world.store.put(message)
    event = {"mid": message.id, "text": message.text, "num_edit": message.edits}
    tell(world, thread, "message_edits", {"message_edit": event})


def delete(world: World, order: society.Named) -> None:
    """Unsend a message. Only Instagram reports it."""
    thread, message = _own(world, order)
    message.deleted = True
    world.store.put(message)
    if world.store.get(Page, thread.parent) is None:
        tell(world, thread, "messages", {"message": {"mid": message.id, "is_deleted": True}})


def press(world: World, order: society.Pressed) -> Any:
    """Press a button of a template, or choose a quick reply, which is a message of the person."""
    thread = _thread(world, order.account, order.person)
    message = _named(world, thread, order.message_id)
    button = next((one for one in message.buttons if one.title == order.button and one.kind != "web_url"), None)
    if button is None:
        raise ControlError(f"The message has no button {order.button!r} that calls the app.")
    if button.kind == "quick_reply":
        answer = new_message(world, thread, thread.person)
        answer.text = button.title
        _receive(world, thread, answer, {"quick_reply": {"payload": button.payload}})
        return {"messageId": answer.id}
    thread.last_inbound = world.clock.now()
    world.store.put(thread)
    event = {"mid": message.id, "title": button.title, "payload": button.payload}
    tell(world, thread, "messaging_postbacks", {"postback": event})
    return None


ACTIONS: dict[str, Action[Any]] = {
    **society.verb("message", society.Written, write),
    **society.verb("deliver", society.Seen, deliver),
    **society.verb("read", society.Seen, read),
    **society.verb("react", society.Reacted, react),
    **society.verb("edit", society.Edited, edit),
    **society.verb("delete", society.Named, delete),
    **society.verb("press", society.Pressed, press),
}
