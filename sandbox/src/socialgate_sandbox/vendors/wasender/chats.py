"""Chats of linked numbers: messages in WhatsApp's form, what people write, and what WaSender notifies of."""

from base64 import b64encode
from collections.abc import Sequence
from secrets import token_bytes
from typing import Any

from socialgate_sandbox.kit import Action, ControlError, ShownMedia, World, hexadecimal
from socialgate_sandbox.kit.media import shown
from socialgate_sandbox.society import conversations as society
from socialgate_sandbox.society.chats import Chat, Chats, Event
from socialgate_sandbox.society.fates import Step
from socialgate_sandbox.vendors.wasender.media import keep
from socialgate_sandbox.vendors.wasender.people import GROUP, PHONES, jid_of, lid_of, person_at
from socialgate_sandbox.vendors.wasender.state import Json, Media, Message, Session
from socialgate_sandbox.vendors.wasender.webhooks import tell

LONGEST_TEXT = 65_536
# The members of a request that name a file, and WhatsApp's names for the files that people send.
URLS = {f"{kind}Url": kind for kind in ("image", "video", "document", "audio", "sticker")}
_FILES = {"image": "imageUrl", "video": "videoUrl", "audio": "audioUrl", "voice": "audioUrl", "file": "documentUrl"}
_FILES |= {"sticker": "stickerUrl"}
_PLACES: dict[str, Json] = {
    "location": {"location": {"latitude": 52.520008, "longitude": 13.404954, "name": "Berlin"}},
    "contact": {"contact": {"name": "Grandma", "phone": "+15550100199"}},
}
_STATUSES = {"failed": 0, "sent": 2, "delivered": 3, "read": 4, "played": 5}


class Written(society.Written, frozen=True, kw_only=True):
    """Somebody writes to the number, in private or in the group. `fromMe`: its owner writes to them from the phone."""

    group: bool = False
    lid: bool = False
    from_me: bool = False


class Seen(society.Seen, frozen=True, kw_only=True):
    """The other side reads a message, or plays it."""

    played: bool = False


def _session(world: World, key: str) -> Session | None:
    """Find a session by its id, or the newest of a number."""
    of_number = [found for found in world.store.find(Session) if found.phone_number == key]
    return world.store.get(Session, key) or next(reversed(of_number), None)


def fields_of(given: Json, media: Media | None, quoted: Message | None) -> Json:
    """Return the fields of a message as a request describes it."""
    content, text = _content(given, media), given.get("text") or ""
    if quoted is not None:
        about = {"stanzaId": quoted.id, "participant": jid_in(quoted), "quotedMessage": quoted.content}
        content = {name: value | {"contextInfo": about} for name, value in content.items()}
    place, contact = given.get("location"), given.get("contact")
    described = f"{place.get('name', '')} ({place['latitude']}, {place['longitude']})".strip() if place else ""
    return {
        "content": content,
        "body": text,
        "text": text or described or (contact["name"] if contact else ""),
        "file": "" if media is None else media.id,
        "media": [] if media is None else [_shown(media)],
        "reply_to": "" if quoted is None else quoted.id,
    }


def _shown(media: Media) -> ShownMedia:
    return shown(media.file, name=media.name)


def _content(given: Json, media: Media | None) -> Json:
    name = next((name for name in URLS if given.get(name)), None)
    text = given.get("text") or ""
    if name is not None:
        caption = {"caption": text} if text and name not in {"audioUrl", "stickerUrl"} else {}
        return {f"{URLS[name]}Message": _file_json(media, given.get("fileName")) | caption}
    if given.get("contact"):
        contact = given["contact"]
        vcard = f"BEGIN:VCARD\nVERSION:3.0\nFN:{contact['name']}\nTEL;type=CELL:{contact['phone']}\nEND:VCARD"
        return {"contactMessage": {"displayName": contact["name"], "vcard": vcard}}
    if given.get("location"):
        place = given["location"]
        names = {name: place[name] for name in ("name", "address") if place.get(name)}
        spot = {"degreesLatitude": float(place["latitude"]), "degreesLongitude": float(place["longitude"])}
        return {"locationMessage": spot | names}
    if given.get("poll"):
        poll = given["poll"]
        options = [{"optionName": str(option)} for option in poll["options"]]
        most = 0 if poll.get("multiSelect") else 1
        return {"pollCreationMessage": {"name": poll["question"], "options": options, "selectableOptionsCount": most}}
    mentioned = {"contextInfo": {"mentionedJid": given["mentions"]}} if given.get("mentions") else {}
    return {"extendedTextMessage": {"text": text} | mentioned}


def _file_json(media: Media | None, name: Any) -> Json:
    """Show a file as WhatsApp does: a URL whose content is useless without its key."""
    if media is None:
        return {"mimetype": "application/octet-stream"}
    body: Json = {
        "url": f"https://mmg.whatsapp.net/v/t62.7118-24/{media.id}.enc",
        "mimetype": media.mime,
        "fileSha256": b64encode(bytes.fromhex(media.file.sha256)).decode(),
        "fileLength": str(media.file.size),
        "mediaKey": media.media_key,
    }
    given = name or media.name
    return body | ({"fileName": given} if given else {})


def _person(_world: World, order: society.About) -> str:
    """Return whom the chat is with: the person, or the group."""
    person = society.person_of(order.person)
    return GROUP if isinstance(order, Written) and order.group else jid_of(person)


def _compose(world: World, chat: Chat, order: Written, quoted: Message | None) -> Sequence[Json]:
    media, given = None, {"text": order.text, **_PLACES.get(order.attachment, {})}
    if order.attachment in _FILES:
        made, name = society.sample(world, order.attachment), _FILES[order.attachment]
        known = made.name if name == "documentUrl" else ""
        secret = b64encode(token_bytes(32)).decode()
        media = keep(world, made.upload.path, made.content_type, name=known, owner=chat.parent, media_key=secret)
        given[name] = media.id
    fields = fields_of(given, media, quoted)
    if not order.attachment and quoted is None:
        # Only a reply needs the longer form, which has a place for what it quotes.
        fields["content"] = {"conversation": order.text}
    if order.attachment == "voice":
        fields["content"]["audioMessage"]["ptt"] = True
    steps = [Step("read")] if order.from_me else []
    author = "" if order.from_me else jid_of(society.person_of(order.person))
    return [fields | {"person": author, "lid": order.lid, "steps": steps}]


def jid_in(message: Message) -> str:
    return message.chat.partition(":")[2]


def key_of(message: Message) -> Json:
    """Identify a message. With LIDs the chat is not a phone number, and the number is next to it."""
    chat = jid_in(message)
    person = person_at(message.person or chat)
    address = lid_of(person) if message.lid and person is not None else message.person or chat
    key: Json = {"id": message.id, "fromMe": not message.person, "remoteJid": chat if chat == GROUP else address}
    if not message.person or person is None:
        return key
    key["addressingMode"] = "lid" if message.lid else "pn"
    who, given = ("participant", {"participant": address}) if chat == GROUP else ("sender", {})
    capital = who.capitalize()
    numbers = {f"{who}Pn": jid_of(person), f"cleaned{capital}Pn": PHONES[person.key], f"{who}Lid": lid_of(person)}
    return key | given | numbers


def _message_json(message: Message) -> Json:
    person = person_at(message.person) if message.person else None
    return {
        "key": key_of(message),
        "messageBody": message.body,
        "message": message.content,
        "messageTimestamp": int(message.made.timestamp()),
    } | ({"pushName": person.name} if person is not None else {})


def status_of(world: World, message: Message) -> int:
    """Return the delivery state as WhatsApp numbers it. What others wrote was delivered."""
    return _STATUSES[message.state(world) or "delivered"]


def _tell(world: World, event: Event[Message]) -> bool:
    session = CHATS.account(world, event.chat.parent)
    if session.status != "connected":
        raise ControlError("The session is not linked to a phone.", 409)
    sent = [tell(world, session, name, data, after=event.after) for name, data in _events(event)]
    return any(sent)


def _events(event: Event[Message]) -> list[tuple[str, Any]]:
    chat, message = event.chat, event.message
    key, new = key_of(message), ("messages.upsert", {"messages": _message_json(message)})
    if event.what == "written" and message.person:
        place = "group" if chat.person == GROUP else "personal"
        return [("messages.received", new[1]), (f"messages-{place}.received", new[1]), new]
    match event.what:
        case "written" | "echoed":
            return [("message.sent", {"key": key, "message": message.content, "status": "sent"}), new]
        case "edited":
            return [new]
        case "deleted":
            return [("messages.delete", {"keys": [key]})]
        case "reacted":
            about = {"id": message.id, "fromMe": not message.person, "remoteJid": jid_in(message)}
            own = {"id": _whatsapp_id(), "fromMe": False, "remoteJid": jid_in(message)}
            # The reaction contains the key of its message.
            emoji = message.reactions.get(chat.person, "")
            return [("messages.reaction", [{"key": own, "reaction": {"text": emoji, "key": about}}])]
    return [("messages.update", {"update": {"status": _STATUSES[event.what]}, "key": key})]


def _whatsapp_id() -> str:
    return f"3EB0{hexadecimal(18).upper()}"


def message_by(world: World, session: str, number: Any) -> Message | None:
    """Find a message by WaSender's own number."""
    found = world.store.find(Message, parent=session)
    return next((one for one in found if one.number and str(one.number) == str(number) and not one.deleted), None)


def _named(world: World, chat: Chat, key: society.MessageId) -> Message | None:
    """Find a message of the session by WhatsApp's id or by WaSender's own number."""
    found = world.store.get(Message, str(key)) or message_by(world, chat.parent, key)
    return found if found is not None and found.parent == chat.parent else None


CHATS: Chats[Message, Session] = Chats(
    kind=Message,
    verbs=("message", "deliver", "react", "delete"),
    called="session",
    accounts=_session,
    name=lambda session: session.name,
    person=_person,
    new_id=_whatsapp_id,
    compose=_compose,
    tell=_tell,
    named=_named,
    written=Written,
    attachments=(*_FILES, *_PLACES),
    longest=lambda _world, _chat, _order: LONGEST_TEXT,
)


def _line(world: World, one: Message) -> Json:
    files = [{"mime": file.content_type, "size": file.size, "sha256": file.sha256} for file in one.media]
    return {
        "messageId": one.number,
        "message": one.id,
        "chat": jid_in(one),
        "fromMe": not one.person,
        "text": one.body,
        "content": one.content,
        "status": status_of(world, one),
        "edited": one.edits > 0,
        "reactions": one.reactions,
        "file": next(iter(files), None),
    }


def _read(world: World, order: Seen) -> None:
    CHATS.arrive(world, order, "played" if order.played else "read")


ACTIONS: dict[str, Action[Any]] = {
    **CHATS.actions(),
    **society.verb("read", Seen, _read),
    "feed": CHATS.look(_line),
}
