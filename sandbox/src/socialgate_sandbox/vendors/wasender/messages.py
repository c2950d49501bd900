"""Sending: one call for every kind of message, queued, with webhooks about its progress."""

import re
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, Refused, Route, reply
from socialgate_sandbox.kit.media import download
from socialgate_sandbox.society.chats import Chat, chat_of
from socialgate_sandbox.society.fates import State, Step
from socialgate_sandbox.vendors.wasender import limits
from socialgate_sandbox.vendors.wasender.access import session_of
from socialgate_sandbox.vendors.wasender.chats import (
    CHATS,
    LONGEST_TEXT,
    URLS,
    fields_of,
    jid_in,
    key_of,
    message_by,
    status_of,
)
from socialgate_sandbox.vendors.wasender.errors import answered, failed, invalid_fields, refusal
from socialgate_sandbox.vendors.wasender.media import LARGEST_DOCUMENT, add_media, own_media
from socialgate_sandbox.vendors.wasender.people import GROUP, person_at
from socialgate_sandbox.vendors.wasender.state import Json, Media, Message, Session

_TO = re.compile(r"\+?[1-9]\d{5,14}|\d+@(?:s\.whatsapp\.net|lid)|[\d-]+@(?:g\.us|newsletter)")
_FIRST_NUMBER = 100_000
_DELIVERED_AFTER = 2.0
_FAILS: Mapping[State, float] = {"failed": 0.0}
_EDITABLE = 900.0
_PRESENCES = {"composing", "recording", "available", "unavailable"}


async def send_message(call: Call) -> Response:
    session, world = connected(call), call.world
    given = _checked(call)
    limits.check(world, session)
    media, fault = await _media(call, session)
    chat = CHATS.of(world, session.id, _address(given["to"]))
    with world.store.transaction():
        quoted = _quoted(call, session, given)
        number = world.store.count_up("message", _FIRST_NUMBER)
        fields = fields_of(given, media, quoted)
        message = CHATS.send(world, chat, _FAILS if fault else _plan(chat), number=number, **fields)
    return answered({"msgId": message.number, "jid": given["to"], "status": "in_progress"})


def _plan(chat: Chat) -> Mapping[State, float]:
    """Say what becomes of a message: it is delivered if the recipient exists."""
    is_there = chat.person == GROUP or person_at(chat.person) is not None
    return {"sent": 0.0, "delivered": _DELIVERED_AFTER} if is_there else {"sent": 0.0}


def connected(call: Call) -> Session:
    """Find the session of the token, which must be linked to a phone."""
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
    if text is not None and (not isinstance(text, str) or len(text) > LONGEST_TEXT):
        errors["text"] = [f"The text field must be a string of at most {LONGEST_TEXT} characters."]
    if not text and not any(given.get(name) for name in (*URLS, "contact", "location", "poll")):
        errors["text"] = ["The text field is required when no media is present."]
    errors |= _faults(given)
    if errors:
        raise invalid_fields(errors)
    return given


def _faults(given: Json) -> dict[str, list[str]]:
    errors = {}
    for name in URLS:
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
    name = next((name for name in URLS if call.params.get(name)), None)
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


def _address(to: str) -> str:
    return to if "@" in to else f"{to.replace(' ', '').lstrip('+')}@s.whatsapp.net"


def _quoted(call: Call, session: Session, given: Json) -> Message | None:
    number = given.get("replyTo")
    if number is None:
        return None
    found = message_by(call.world, session.id, number)
    if found is None:
        raise invalid_fields({"replyTo": ["The selected replyTo is invalid."]})
    return found


def _own_message(call: Call) -> tuple[Chat, Message]:
    message = message_by(call.world, session_of(call).id, call.args["message"])
    if message is None:
        raise Refused(failed(404, "Message not found"))
    return chat_of(call.world, message), message


def message_info(call: Call) -> Response:
    _, message = _own_message(call)
    shown = {"remoteJid": jid_in(message), "id": message.id, "msgId": message.number, "key": key_of(message)}
    shown |= {"message": message.content, "messageTimestamp": str(int(message.made.timestamp()))}
    return answered(shown | {"status": status_of(call.world, message)})


def edit_message(call: Call) -> Response:
    connected(call)
    chat, message = _own_message(call)
    text = call.params.get("text")
    if not isinstance(text, str) or not text:
        raise invalid_fields({"text": ["The text field is required."]})
    if "extendedTextMessage" not in message.content or call.world.clock.since(message.made) > _EDITABLE:
        raise Refused(failed(400, "This message can not be edited."))
    message.body = message.content["extendedTextMessage"]["text"] = text
    CHATS.edit(call.world, chat, message, text)
    return answered({"msgId": message.number, "jid": jid_in(message), "status": "in_progress"})


def delete_message(call: Call) -> Response:
    connected(call)
    CHATS.delete(call.world, *_own_message(call))
    return reply({"success": True, "message": "Message deleted successfully"})


def mark_read(call: Call) -> Response:
    session = connected(call)
    key = call.params.get("key")
    if not isinstance(key, dict) or not key.get("id") or not key.get("remoteJid"):
        raise invalid_fields({"key": ["The key field is required."]})
    message = call.world.store.get(Message, str(key["id"]))
    if message is None or message.parent != session.id or not message.person or message.deleted:
        raise Refused(failed(404, "Message not found"))
    message.steps.append(Step("read"))
    call.world.store.put(message)
    return answered({"status": "read"})


def presence(call: Call) -> Response:
    connected(call)
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
