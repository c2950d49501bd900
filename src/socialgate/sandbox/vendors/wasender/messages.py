"""What others write to a number, and what they do with the messages they receive."""

from base64 import b64encode
from secrets import token_bytes
from typing import Any

from socialgate.sandbox.kit import Action, ControlError, Person, World
from socialgate.sandbox.society import conversations as society
from socialgate.sandbox.vendors.wasender.contacts import Blocked
from socialgate.sandbox.vendors.wasender.media import keep
from socialgate.sandbox.vendors.wasender.people import GROUP, PHONES, jid_of, lid_of
from socialgate.sandbox.vendors.wasender.publish import (
    DELIVERED,
    PLAYED,
    READ,
    media_json,
    message_by,
    message_json,
    move,
    whatsapp_id,
    with_quote,
)
from socialgate.sandbox.vendors.wasender.shown import Look, feed, session_named
from socialgate.sandbox.vendors.wasender.state import Json, Media, Message, Session
from socialgate.sandbox.vendors.wasender.webhooks import tell

_LONGEST = 65_536
# WhatsApp's names for the files that people send.
_FILES = {"image": "image", "video": "video", "audio": "audio", "voice": "audio", "file": "document"}
_FILES |= {"sticker": "sticker"}


class Written(society.Written, frozen=True, kw_only=True):
    """Somebody writes to the number, in private or in the group. `fromMe`: its owner writes to them from the phone."""

    group: bool = False
    lid: bool = False
    from_me: bool = False


class Seen(society.Seen, frozen=True, kw_only=True):
    """The other side reads a message, or plays it."""

    played: bool = False


def linked(world: World, key: str) -> Session:
    session = session_named(world, key)
    if session.status != "connected":
        raise ControlError("The session is not linked to a phone.", 409)
    return session


def message(world: World, order: Written) -> Json:
    session, person = linked(world, order.account), society.person_of(order.person)
    if world.store.get(Blocked, f"{session.id}:{person.key}") is not None and not order.from_me:
        raise ControlError(f"{person.name} is blocked.", 409)
    society.require_content(order, _LONGEST, (*_FILES, "location", "contact"))
    content, media = _content(world, session, order)
    if order.reply_to:
        content = with_quote(content, named(world, session, order.reply_to))
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
        status=READ if order.from_me else 3,
        media="" if media is None else media.id,
        push_name="" if order.from_me else person.name,
    )
    written.key = _key(written.id, person, order)
    world.store.put(written)
    _tell(world, session, written, group=order.group)
    return {"messageId": written.id}


def _key(number: str, person: Person, order: Written) -> Json:
    """Identify a message. With LIDs the chat is not a phone number, and the number is next to it."""
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
    if order.attachment == "location":
        place = {"degreesLatitude": 52.520008, "degreesLongitude": 13.404954, "name": "Berlin"}
        return {"locationMessage": place}, None
    if order.attachment == "contact":
        vcard = "BEGIN:VCARD\nVERSION:3.0\nFN:Grandma\nTEL;type=CELL:+15550100199\nEND:VCARD"
        return {"contactMessage": {"displayName": "Grandma", "vcard": vcard}}, None
    if not order.attachment:
        # A reply needs the longer form, which has a place for what it quotes.
        return ({"extendedTextMessage": {"text": order.text}} if order.reply_to else {"conversation": order.text}), None
    made, kind = society.sample(world, order.attachment), _FILES[order.attachment]
    secret, name = b64encode(token_bytes(32)).decode(), made.name if kind == "document" else ""
    media = keep(world, made.upload.path, made.content_type, name=name, owner=session.id, media_key=secret)
    caption = {"caption": order.text} if order.text and kind not in {"audio", "sticker"} else {}
    voice = {"ptt": True} if order.attachment == "voice" else {}
    return {f"{kind}Message": media_json(media) | caption | voice}, media


def _tell(world: World, session: Session, written: Message, *, group: bool) -> None:
    one = message_json(written)
    if written.from_me:
        tell(world, session, "message.sent", {"key": written.key, "message": written.content, "status": "sent"})
    else:
        tell(world, session, "messages.received", {"messages": one})
        tell(world, session, f"messages-{'group' if group else 'personal'}.received", {"messages": one})
    tell(world, session, "messages.upsert", {"messages": one})


def named(world: World, session: Session, key: society.MessageId) -> Message:
    """Find a message by WhatsApp's id or by WaSender's own number."""
    found = world.store.get(Message, str(key)) or message_by(world, session, key)
    if found is None or found.parent != session.id:
        raise ControlError(f"There is no message {key!r}.")
    return found


def _newest(world: World, session: Session, order: society.Seen) -> Message:
    """Find the message: without an id, the newest that the number sent to the person."""
    chat = jid_of(society.person_of(order.person))
    mine = [one for one in world.store.find(Message, parent=session.id) if one.from_me and one.chat == chat]
    found = mine[-1] if mine and not order.message_id else named(world, session, order.message_id)
    if not found.from_me:
        raise ControlError("This message was written by the person. Choose a message of the account.", 409)
    return found


def deliver(world: World, order: society.Seen) -> None:
    session = linked(world, order.account)
    move(world, session, _newest(world, session, order), DELIVERED)


def read(world: World, order: Seen) -> None:
    session = linked(world, order.account)
    move(world, session, _newest(world, session, order), PLAYED if order.played else READ)


def react(world: World, order: society.Reacted) -> None:
    session = linked(world, order.account)
    found, person = named(world, session, order.message_id), society.person_of(order.person)
    found.reactions.pop(person.key, None)
    if order.emoji:
        found.reactions[person.key] = order.emoji
    world.store.put(found)
    key = {"id": found.id, "fromMe": found.from_me, "remoteJid": found.chat}
    own = {"id": whatsapp_id(), "fromMe": False, "remoteJid": found.chat}
    # The reaction contains the key of its message.
    tell(world, session, "messages.reaction", [{"key": own, "reaction": {"text": order.emoji, "key": key}}])


def delete(world: World, order: society.Named) -> None:
    session = linked(world, order.account)
    found = named(world, session, order.message_id)
    if found.from_me:
        raise ControlError("People can only change their own messages.", 409)
    world.store.delete(Message, found.id)
    tell(world, session, "messages.delete", {"keys": [found.key]})


ACTIONS: dict[str, Action[Any]] = {
    **society.verb("message", Written, message),
    **society.verb("deliver", society.Seen, deliver),
    **society.verb("read", Seen, read),
    **society.verb("react", society.Reacted, react),
    **society.verb("delete", society.Named, delete),
    "feed": Action("Read the messages", Look, feed, listed=False),
}
