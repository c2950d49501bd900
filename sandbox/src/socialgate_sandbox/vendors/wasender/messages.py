"""Sending: one call for every kind of message, queued, with webhooks about its progress."""

import re
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, CallRefusedError, Route, build_json_response
from socialgate_sandbox.kit.media import download_media
from socialgate_sandbox.society.chats import Chat, get_chat
from socialgate_sandbox.society.message_fates import DeliveryState, DeliveryStep
from socialgate_sandbox.vendors.wasender import limits
from socialgate_sandbox.vendors.wasender.access import authenticate_session
from socialgate_sandbox.vendors.wasender.chats import (
    CHAT_SERVICE,
    KINDS_BY_URL_FIELD,
    MAX_TEXT_LENGTH,
    build_message_fields,
    build_message_key,
    find_message_by_number,
    get_chat_jid,
    get_status_number,
)
from socialgate_sandbox.vendors.wasender.errors import (
    build_error_response,
    build_invalid_fields_error,
    build_refusal,
    build_success_response,
)
from socialgate_sandbox.vendors.wasender.media import MAX_DOCUMENT_BYTES, add_media, find_own_media
from socialgate_sandbox.vendors.wasender.people import GROUP_JID, find_person
from socialgate_sandbox.vendors.wasender.state import Json, Media, Message, Session

_RECIPIENT_PATTERN = re.compile(r"\+?[1-9]\d{5,14}|\d+@(?:s\.whatsapp\.net|lid)|[\d-]+@(?:g\.us|newsletter)")
_FIRST_MESSAGE_NUMBER = 100_000
_DELIVERY_DELAY_SECONDS = 2.0
_FAILED_STATES: Mapping[DeliveryState, float] = {"failed": 0.0}
_MAX_EDIT_AGE_SECONDS = 900.0
_PRESENCES = {"composing", "recording", "available", "unavailable"}


async def send_message(call: Call) -> Response:
    session, world = require_connected_session(call), call.context
    params = _validate_message(call)
    limits.enforce_send_limits(world, session)
    media, fault = await _fetch_media(call, session)
    chat = CHAT_SERVICE.get_or_build_chat(world, session.id, _to_jid(params["to"]))
    with world.store.transaction():
        quoted = _find_quoted_message(call, session, params)
        number = world.store.get_next_number("message", _FIRST_MESSAGE_NUMBER)
        fields = build_message_fields(params, media, quoted)
        message = CHAT_SERVICE.send(
            world, chat, _FAILED_STATES if fault else _plan_states(chat), number=number, **fields
        )
    return build_success_response({"msgId": message.number, "jid": params["to"], "status": "in_progress"})


def _plan_states(chat: Chat) -> Mapping[DeliveryState, float]:
    """Say what becomes of a message: it is delivered if the recipient exists."""
    is_there = chat.person == GROUP_JID or find_person(chat.person) is not None
    return {"sent": 0.0, "delivered": _DELIVERY_DELAY_SECONDS} if is_there else {"sent": 0.0}


def require_connected_session(call: Call) -> Session:
    """Find the session of the token, which must be linked to a phone."""
    session = authenticate_session(call)
    if session.status != "connected":
        raise build_refusal("not_connected")
    return session


def _validate_message(call: Call) -> Json:
    params, errors = call.params, {}
    if not params.get("to"):
        errors["to"] = ["The to field is required."]
    elif not isinstance(params["to"], str) or not _RECIPIENT_PATTERN.fullmatch(params["to"].replace(" ", "")):
        errors["to"] = ["The to field format is invalid."]
    text = params.get("text")
    if text is not None and (not isinstance(text, str) or len(text) > MAX_TEXT_LENGTH):
        errors["text"] = [f"The text field must be a string of at most {MAX_TEXT_LENGTH} characters."]
    if not text and not any(params.get(name) for name in (*KINDS_BY_URL_FIELD, "contact", "location", "poll")):
        errors["text"] = ["The text field is required when no media is present."]
    errors |= _find_content_errors(params)
    if errors:
        raise build_invalid_fields_error(errors)
    return params


def _find_content_errors(request_body: Json) -> dict[str, list[str]]:
    errors = {}
    for name in KINDS_BY_URL_FIELD:
        url = request_body.get(name)
        if url and (not isinstance(url, str) or not url.startswith(("http://", "https://"))):
            errors[name] = [f"The {name} field must be a valid URL."]
    for name, members in (("contact", ("name", "phone")), ("location", ("latitude", "longitude"))):
        value = request_body.get(name)
        if value is not None and (not isinstance(value, dict) or any(value.get(member) is None for member in members)):
            errors[name] = [f"The {name} field needs {' and '.join(members)}."]
    poll = request_body.get("poll")
    if poll is not None and not (
        isinstance(poll, dict) and poll.get("question") and _is_text_list(poll.get("options"))
    ):
        errors["poll"] = ["The poll field needs a question and options."]
    if request_body.get("mentions") is not None and not _is_text_list(request_body["mentions"]):
        errors["mentions"] = ["The mentions field must be an array."]
    return errors


def _is_text_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(value, str) and value for value in value)


async def _fetch_media(call: Call, session: Session) -> tuple[Media | None, bool]:
    """Fetch what is to be sent. It is already queued, so a bad URL only shows later."""
    name = next((name for name in KINDS_BY_URL_FIELD if call.params.get(name)), None)
    if name is None:
        return None, False
    url = call.params[name]
    own = find_own_media(call.context, url)
    if own is not None:
        return own, False
    file = await download_media(call.context, url, "", MAX_DOCUMENT_BYTES)
    if file is None or file.size > MAX_DOCUMENT_BYTES:
        return None, True
    if not file.has_content:
        return None, False
    mime = file.declared or "application/octet-stream"
    with call.context.store.transaction():
        return add_media(call.context, file, mime, owner=session.id), False


def _to_jid(recipient: str) -> str:
    return recipient if "@" in recipient else f"{recipient.replace(' ', '').lstrip('+')}@s.whatsapp.net"


def _find_quoted_message(call: Call, session: Session, request_body: Json) -> Message | None:
    number = request_body.get("replyTo")
    if number is None:
        return None
    message = find_message_by_number(call.context, session.id, number)
    if message is None:
        raise build_invalid_fields_error({"replyTo": ["The selected replyTo is invalid."]})
    return message


def _require_own_message(call: Call) -> tuple[Chat, Message]:
    message = find_message_by_number(call.context, authenticate_session(call).id, call.path_params["message"])
    if message is None:
        raise CallRefusedError(build_error_response(404, "Message not found"))
    return get_chat(call.context, message), message


def get_message_info(call: Call) -> Response:
    _, message = _require_own_message(call)
    shown = {
        "remoteJid": get_chat_jid(message),
        "id": message.id,
        "msgId": message.number,
        "key": build_message_key(message),
    }
    shown |= {"message": message.content, "messageTimestamp": str(int(message.created_at.timestamp()))}
    return build_success_response(shown | {"status": get_status_number(call.context, message)})


def edit_message(call: Call) -> Response:
    require_connected_session(call)
    chat, message = _require_own_message(call)
    text = call.params.get("text")
    if not isinstance(text, str) or not text:
        raise build_invalid_fields_error({"text": ["The text field is required."]})
    if (
        "extendedTextMessage" not in message.content
        or call.context.clock.get_seconds_since(message.created_at) > _MAX_EDIT_AGE_SECONDS
    ):
        raise CallRefusedError(build_error_response(400, "This message can not be edited."))
    message.body = message.content["extendedTextMessage"]["text"] = text
    CHAT_SERVICE.edit(call.context, chat, message, text)
    return build_success_response({"msgId": message.number, "jid": get_chat_jid(message), "status": "in_progress"})


def delete_message(call: Call) -> Response:
    require_connected_session(call)
    CHAT_SERVICE.delete(call.context, *_require_own_message(call))
    return build_json_response({"success": True, "message": "Message deleted successfully"})


def mark_message_read(call: Call) -> Response:
    session = require_connected_session(call)
    key = call.params.get("key")
    if not isinstance(key, dict) or not key.get("id") or not key.get("remoteJid"):
        raise build_invalid_fields_error({"key": ["The key field is required."]})
    message = call.context.store.get(Message, str(key["id"]))
    if message is None or message.parent != session.id or not message.person or message.deleted:
        raise CallRefusedError(build_error_response(404, "Message not found"))
    message.steps.append(DeliveryStep("read"))
    call.context.store.put(message)
    return build_success_response({"status": "read"})


def send_presence(call: Call) -> Response:
    require_connected_session(call)
    jid, kind = call.params.get("jid"), call.params.get("type")
    if not jid:
        raise build_invalid_fields_error({"jid": ["The jid field is required."]})
    if kind not in _PRESENCES:
        raise build_invalid_fields_error({"type": ["The selected type is invalid."]})
    return build_success_response({"jid": jid, "type": kind})


ROUTES = [
    Route("POST", "/api/send-message", send_message),
    Route("GET", "/api/messages/{message}/info", get_message_info),
    Route("POST", "/api/messages/read", mark_message_read),
    Route("PUT", "/api/messages/{message}", edit_message),
    Route("DELETE", "/api/messages/{message}", delete_message),
    Route("POST", "/api/send-presence-update", send_presence),
]
