"""Sending: one call for every kind of message, queued, with webhooks about its progress."""

import re
from base64 import b64encode
from typing import Any

from starlette.responses import Response

from socialgate.sandbox.kit import Call, Refused, Route, World, hexadecimal, reply
from socialgate.sandbox.kit.media import download
from socialgate.sandbox.vendors.wasender import limits
from socialgate.sandbox.vendors.wasender.access import session_of
from socialgate.sandbox.vendors.wasender.errors import answered, failed, invalid_fields, refusal
from socialgate.sandbox.vendors.wasender.media import LARGEST_DOCUMENT, add_media, own_media
from socialgate.sandbox.vendors.wasender.people import GROUP, person_at
from socialgate.sandbox.vendors.wasender.state import Json, Media, Message, Session
from socialgate.sandbox.vendors.wasender.webhooks import tell

_TO = re.compile(r"\+?[1-9]\d{5,14}|\d+@(?:s\.whatsapp\.net|lid)|[\d-]+@(?:g\.us|newsletter)")
_URLS = {
    "imageUrl": "image",
    "videoUrl": "video",
    "documentUrl": "document",
    "audioUrl": "audio",
    "stickerUrl": "sticker",
}
_FIRST_NUMBER = 100_000
_LONGEST_TEXT = 65_536
_DELIVERED_AFTER = 2.0
_EDITABLE = 900.0
FAILED, SENT, DELIVERED, READ, PLAYED = 0, 2, 3, 4, 5
_PRESENCES = {"composing", "recording", "available", "unavailable"}


async def send_message(call: Call) -> Response:
    session = _connected(call)
    given = _checked(call)
    limits.check(call.world, session)
    media, fault = await _media(call, session)
    with call.world.store.transaction():
        message = _write(call, session, given, media)
        if fault:
            move(call.world, session, message, FAILED)
        else:
            _announce(call.world, session, message)
    return answered({"msgId": message.number, "jid": given["to"], "status": "in_progress"})


def _connected(call: Call) -> Session:
    session = session_of(call)
    if session.status != "connected":
        raise refusal("not_connected")
    return session


def _checked(call: Call) -> Json:
    given, errors = call.params, {}
    if not given.get("to"):
        errors["to"] = ["The to field is required."]
    elif not isinstance(given["to"], str) or not _TO.fullmatch(given["to"].replace(" ", "")):
        errors["to"] = ["The to field format is invalid."]
    text = given.get("text")
    if text is not None and (not isinstance(text, str) or len(text) > _LONGEST_TEXT):
        errors["text"] = [f"The text field must be a string of at most {_LONGEST_TEXT} characters."]
    if not text and not any(given.get(name) for name in (*_URLS, "contact", "location", "poll")):
        errors["text"] = ["The text field is required when no media is present."]
    errors |= _faults(given)
    if errors:
        raise invalid_fields(errors)
    return given


def _faults(given: Json) -> dict[str, list[str]]:
    errors = {}
    for name in _URLS:
        url = given.get(name)
        if url and (not isinstance(url, str) or not url.startswith(("http://", "https://"))):
            errors[name] = [f"The {name} field must be a valid URL."]
    for name, members in (("contact", ("name", "phone")), ("location", ("latitude", "longitude"))):
        value = given.get(name)
        if value is not None and (not isinstance(value, dict) or any(value.get(one) is None for one in members)):
            errors[name] = [f"The {name} field needs {' and '.join(members)}."]
    poll = given.get("poll")
    if poll is not None and not (isinstance(poll, dict) and poll.get("question") and _is_list(poll.get("options"))):
        errors["poll"] = ["The poll field needs a question and options."]
    if given.get("mentions") is not None and not _is_list(given["mentions"]):
        errors["mentions"] = ["The mentions field must be an array."]
    return errors


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one for one in value)


async def _media(call: Call, session: Session) -> tuple[Media | None, bool]:
    """Fetch what is to be sent. It is already queued, so a bad URL only shows later."""
    name = next((name for name in _URLS if call.params.get(name)), None)
    if name is None:
        return None, False
    url = call.params[name]
    own = own_media(call.world, url)
    if own is not None:
        return own, False
    file = await download(call.world, url, "", LARGEST_DOCUMENT)
    if file is None or file.size > LARGEST_DOCUMENT:
        return None, True
    if not file.is_seen:
        return None, False
    mime = file.declared or "application/octet-stream"
    with call.world.store.transaction():
        return add_media(call.world, file, mime, owner=session.id), False


def _write(call: Call, session: Session, given: Json, media: Media | None) -> Message:
    chat = jid_of(given["to"])
    content = _content(given, media)
    quoted = _quoted(call, session, given)
    if quoted:
        content = with_quote(content, quoted)
    message = Message(
        id=whatsapp_id(),
        parent=session.id,
        number=call.world.store.count_up("message", _FIRST_NUMBER),
        chat=chat,
        from_me=True,
        content=content,
        text=given.get("text") or "",
        made=call.world.clock.now(),
        key={},
        media="" if media is None else media.id,
    )
    message.key = {"id": message.id, "fromMe": True, "remoteJid": chat}
    return call.world.store.put(message)


def jid_of(to: str) -> str:
    return to if "@" in to else f"{to.replace(' ', '').lstrip('+')}@s.whatsapp.net"


def whatsapp_id() -> str:
    return f"3EB0{hexadecimal(18).upper()}"


def _content(given: Json, media: Media | None) -> Json:
    name = next((name for name in _URLS if given.get(name)), None)
    text = given.get("text") or ""
    if name is not None:
        caption = {"caption": text} if text and name not in {"audioUrl", "stickerUrl"} else {}
        return {f"{_URLS[name]}Message": media_json(media, given.get("fileName")) | caption}
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


def media_json(media: Media | None, name: Any = None) -> Json:
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


def _quoted(call: Call, session: Session, given: Json) -> Message | None:
    number = given.get("replyTo")
    if number is None:
        return None
    found = message_by(call.world, session, number)
    if found is None:
        raise invalid_fields({"replyTo": ["The selected replyTo is invalid."]})
    return found


def with_quote(content: Json, quoted: Message) -> Json:
    about = {"stanzaId": quoted.id, "participant": quoted.chat, "quotedMessage": quoted.content}
    return {name: value | {"contextInfo": about} for name, value in content.items()}


def message_by(world: World, session: Session, number: Any) -> Message | None:
    """Find a message by WaSender's own number."""
    found = world.store.find(Message, parent=session.id)
    return next((message for message in found if message.number and str(message.number) == str(number)), None)


def _announce(world: World, session: Session, message: Message) -> None:
    """Notify that it was sent, and later that it was delivered, if the recipient exists."""
    tell(world, session, "message.sent", {"key": message.key, "message": message.content, "status": "sent"})
    tell(world, session, "messages.upsert", {"messages": message_json(message)})
    move(world, session, message, SENT)
    if message.chat == GROUP or person_at(message.chat):
        data = {"update": {"status": DELIVERED}, "key": message.key}
        tell(world, session, "messages.update", data, after=_DELIVERED_AFTER)


def move(world: World, session: Session, message: Message, status: int) -> None:
    message.status = status
    world.store.put(message)
    tell(world, session, "messages.update", {"update": {"status": status}, "key": message.key})


def message_json(message: Message) -> Json:
    named = {"pushName": message.push_name} if message.push_name else {}
    return {
        "key": message.key,
        "messageBody": message.text,
        "message": message.content,
        "messageTimestamp": int(message.made.timestamp()),
    } | named


def status_of(world: World, message: Message) -> int:
    """Return the delivery state. Delivery only takes time."""
    there = message.chat == GROUP or person_at(message.chat) is not None
    arrived = there and world.clock.since(message.made) >= _DELIVERED_AFTER
    return DELIVERED if message.status == SENT and arrived else message.status


def _own_message(call: Call) -> tuple[Session, Message]:
    session = session_of(call)
    message = message_by(call.world, session, call.args["message"])
    if message is None:
        raise Refused(failed(404, "Message not found"))
    return session, message


def message_info(call: Call) -> Response:
    _, message = _own_message(call)
    return answered(
        {
            "remoteJid": message.chat,
            "id": message.id,
            "msgId": message.number,
            "key": message.key,
            "message": message.content,
            "messageTimestamp": str(int(message.made.timestamp())),
            "status": status_of(call.world, message),
        }
    )


def edit_message(call: Call) -> Response:
    _connected(call)
    session, message = _own_message(call)
    text = call.params.get("text")
    if not isinstance(text, str) or not text:
        raise invalid_fields({"text": ["The text field is required."]})
    if "extendedTextMessage" not in message.content or call.world.clock.since(message.made) > _EDITABLE:
        raise Refused(failed(400, "This message can not be edited."))
    message.text, message.edited = text, True
    message.content["extendedTextMessage"]["text"] = text
    call.world.store.put(message)
    tell(call.world, session, "messages.upsert", {"messages": message_json(message)})
    return answered({"msgId": message.number, "jid": message.chat, "status": "in_progress"})


def delete_message(call: Call) -> Response:
    _connected(call)
    session, message = _own_message(call)
    call.world.store.delete(Message, message.id)
    tell(call.world, session, "messages.delete", {"keys": [message.key]})
    return reply({"success": True, "message": "Message deleted successfully"})


def mark_read(call: Call) -> Response:
    session = _connected(call)
    key = call.params.get("key")
    if not isinstance(key, dict) or not key.get("id") or not key.get("remoteJid"):
        raise invalid_fields({"key": ["The key field is required."]})
    message = call.world.store.get(Message, str(key["id"]))
    if message is None or message.parent != session.id or message.from_me:
        raise Refused(failed(404, "Message not found"))
    message.status = 4
    call.world.store.put(message)
    return answered({"status": "read"})


def presence(call: Call) -> Response:
    _connected(call)
    jid, kind = call.params.get("jid"), call.params.get("type")
    if not jid:
        raise invalid_fields({"jid": ["The jid field is required."]})
    if kind not in _PRESENCES:
        raise invalid_fields({"type": ["The selected type is invalid."]})
    return answered({"jid": jid, "type": kind})


ROUTES = [
    Route("POST", "/api/send-message", send_message),
    Route("GET", "/api/messages/{message}/info", message_info),
    Route("POST", "/api/messages/read", mark_read),
    Route("PUT", "/api/messages/{message}", edit_message),
    Route("DELETE", "/api/messages/{message}", delete_message),
    Route("POST", "/api/send-presence-update", presence),
]
