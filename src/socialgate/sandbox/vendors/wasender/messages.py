"""What others write to a number, and what they do with what they got."""

from base64 import b64encode
from secrets import token_bytes
from typing import Any, Literal

from socialgate.sandbox.kit import Action, ActionRequest, ControlError, Person, World, digits
from socialgate.sandbox.vendors.wasender.contacts import Blocked
from socialgate.sandbox.vendors.wasender.media import keep
from socialgate.sandbox.vendors.wasender.people import GROUP, PHONES, jid_of, lid_of, person_named
from socialgate.sandbox.vendors.wasender.publish import (
    media_json,
    message_by,
    message_json,
    move,
    status_of,
    whatsapp_id,
)
from socialgate.sandbox.vendors.wasender.state import Json, Media, Message, Session
from socialgate.sandbox.vendors.wasender.webhooks import tell

_READ, _PLAYED = 4, 5
_SAMPLES = {
    "image": ("image/png", b"\x89PNG\r\n\x1a\n"),
    "video": ("video/mp4", b"\0\0\0\x18ftypmp42"),
    "audio": ("audio/ogg; codecs=opus", b"OggS"),
    "document": ("application/pdf", b"%PDF-1.4\n"),
    "sticker": ("image/webp", b"RIFF"),
}


class Written(ActionRequest, frozen=True, kw_only=True):
    """Somebody writes to the number, in private or in the group. `fromMe`: its owner writes to them from the phone."""

    account: str
    person: str = "dario"
    text: str = ""
    kind: Literal["text", "image", "video", "audio", "document", "sticker", "location", "contact"] = "text"
    group: bool = False
    lid: bool = False
    from_me: bool = False


class Seen(ActionRequest, frozen=True, kw_only=True):
    """The other side reads a message, or plays it."""

    account: str
    message_id: int
    played: bool = False


class Reacted(ActionRequest, frozen=True, kw_only=True):
    """No emoji takes the reaction away. The message is named as WhatsApp does."""

    account: str
    message: str
    emoji: str = ""
    person: str = "dario"


class Taken(ActionRequest, frozen=True, kw_only=True):
    account: str
    message: str


class Look(ActionRequest, frozen=True, kw_only=True):
    account: str
    limit: int = 50


def session_named(world: World, key: str) -> Session:
    """Find a session by its id, or the newest of a number."""
    session = world.store.get(Session, key)
    if session is not None:
        return session
    of_number = [found for found in world.store.find(Session) if found.phone_number == key]
    if not of_number:
        raise ControlError(f"There is no session {key}. GET /_control/accounts lists them.")
    return of_number[-1]


def linked(world: World, key: str) -> Session:
    session = session_named(world, key)
    if session.status != "connected":
        raise ControlError("The session is not linked to a phone.", 409)
    return session


def message(world: World, order: Written) -> Json:
    session, person = linked(world, order.account), person_named(order.person)
    if world.store.get(Blocked, f"{session.id}:{person.key}") is not None and not order.from_me:
        raise ControlError(f"{person.name} is blocked.", 409)
    if order.kind == "text" and not order.text:
        raise ControlError("A message has a text.", 422)
    content, media = _content(world, session, order)
    written = Message(
        id=whatsapp_id(),
        parent=session.id,
        number=0,
        chat=GROUP if order.group else jid_of(person),
        from_me=order.from_me,
        content=content,
        text=order.text,
        made=world.clock.now(),
        key={},
        status=_READ if order.from_me else 3,
        media="" if media is None else media.id,
        push_name="" if order.from_me else person.name,
    )
    written.key = _key(written.id, person, order)
    world.store.put(written)
    _tell(world, session, written, group=order.group)
    return {"message": written.id}


def _key(number: str, person: Person, order: Written) -> Json:
    """Name a message. With LIDs the chat is no phone number, and the number stands beside it."""
    mode = "lid" if order.lid else "pn"
    address = lid_of(person) if order.lid else jid_of(person)
    key: Json = {"id": number, "fromMe": order.from_me, "remoteJid": GROUP if order.group else address}
    if order.from_me:
        return key
    key["addressingMode"] = mode
    phone, lid = jid_of(person), lid_of(person)
    if order.group:
        return key | {
            "participant": address,
            "participantPn": phone,
            "cleanedParticipantPn": PHONES[person.key],
            "participantLid": lid,
        }
    return key | {"senderPn": phone, "cleanedSenderPn": PHONES[person.key], "senderLid": lid}


def _content(world: World, session: Session, order: Written) -> tuple[Json, Media | None]:
    if order.kind == "text":
        return {"conversation": order.text}, None
    if order.kind == "location":
        place = {"degreesLatitude": 52.520008, "degreesLongitude": 13.404954, "name": "Berlin"}
        return {"locationMessage": place}, None
    if order.kind == "contact":
        vcard = "BEGIN:VCARD\nVERSION:3.0\nFN:Grandma\nTEL;type=CELL:+15550100199\nEND:VCARD"
        return {"contactMessage": {"displayName": "Grandma", "vcard": vcard}}, None
    mime, head = _SAMPLES[order.kind]
    path = world.files.new()
    path.write_bytes(head + f" A sample {order.kind} {digits(9)}".encode())
    name = "letter.pdf" if order.kind == "document" else ""
    secret = b64encode(token_bytes(32)).decode()
    media = keep(world, path, mime, name=name, owner=session.id, media_key=secret)
    caption = {"caption": order.text} if order.text and order.kind not in {"audio", "sticker"} else {}
    return {f"{order.kind}Message": media_json(media) | caption}, media


def _tell(world: World, session: Session, written: Message, *, group: bool) -> None:
    one = message_json(written)
    if written.from_me:
        tell(world, session, "message.sent", {"key": written.key, "message": written.content, "status": "sent"})
    else:
        tell(world, session, "messages.received", {"messages": one})
        tell(world, session, f"messages-{'group' if group else 'personal'}.received", {"messages": one})
    tell(world, session, "messages.upsert", {"messages": one})


def read(world: World, order: Seen) -> None:
    session = linked(world, order.account)
    found = message_by(world, session, order.message_id)
    if found is None:
        raise ControlError(f"The session sent no message {order.message_id}.")
    move(world, session, found, _PLAYED if order.played else _READ)


def _named(world: World, session: Session, key: str) -> Message:
    found = world.store.get(Message, key)
    if found is None or found.parent != session.id:
        raise ControlError(f"There is no message {key}.")
    return found


def react(world: World, order: Reacted) -> None:
    session = linked(world, order.account)
    found, person = _named(world, session, order.message), person_named(order.person)
    found.reactions.pop(person.key, None)
    if order.emoji:
        found.reactions[person.key] = order.emoji
    world.store.put(found)
    key = {"id": found.id, "fromMe": found.from_me, "remoteJid": found.chat}
    own = {"id": whatsapp_id(), "fromMe": False, "remoteJid": found.chat}
    # The reaction names the message to which it belongs.
    tell(world, session, "messages.reaction", [{"key": own, "reaction": {"text": order.emoji, "key": key}}])


def withdraw(world: World, order: Taken) -> None:
    session = linked(world, order.account)
    found = _named(world, session, order.message)
    world.store.delete(Message, found.id)
    tell(world, session, "messages.delete", {"keys": [found.key]})


def feed(world: World, order: Look) -> Json:
    """Show the messages of a number, the newest first, with the checksums of their files."""
    session = session_named(world, order.account)
    found = world.store.find(Message, parent=session.id, newest_first=True, limit=order.limit)
    return {"data": [_shown(world, one) for one in found]}


def _shown(world: World, one: Message) -> Json:
    media = world.store.get(Media, one.media) if one.media else None
    file = None if media is None else {"mime": media.mime, "size": media.size, "sha256": media.sha256}
    return {
        "messageId": one.number,
        "message": one.id,
        "chat": one.chat,
        "fromMe": one.from_me,
        "text": one.text,
        "content": one.content,
        "status": status_of(world, one),
        "edited": one.edited,
        "reactions": one.reactions,
        "file": file,
    }


ACTIONS: dict[str, Action[Any]] = {
    "message": Action("Write to the number", Written, message),
    "read": Action("Read a message of the number", Seen, read),
    "react": Action("React to a message", Reacted, react),
    "withdraw": Action("Delete a message for everybody", Taken, withdraw),
    "feed": Action("Show the messages", Look, feed),
}
