"""Sending: every message is accepted first, and its status is reported later."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import msgspec

from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.dialects.graph.messages import build_file_fields
from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.kit.media import download_media
from socialgate_sandbox.society.chats import Button, Json
from socialgate_sandbox.society.message_fates import DeliveryState, DeliveryStep, take_message_fate
from socialgate_sandbox.vendors.whatsapp_cloud.chats import (
    CHAT_SERVICE,
    MAX_CAPTION_LENGTH,
    MAX_TEXT_LENGTH,
    UPLOAD_FAILED_CODE,
    WINDOW_CLOSED_CODE,
    Contact,
    Message,
    build_contact,
    find_user,
    format_location,
)
from socialgate_sandbox.vendors.whatsapp_cloud.errors import ERRORS, build_messaging_error, build_refusal
from socialgate_sandbox.vendors.whatsapp_cloud.media_nodes import StoredMedia
from socialgate_sandbox.vendors.whatsapp_cloud.message_bodies import (
    Attachment,
    ContactCard,
    Interactive,
    Location,
    Reaction,
    TemplateBody,
    TextBody,
    convert_body,
)
from socialgate_sandbox.vendors.whatsapp_cloud.stored_objects import Number, Waba
from socialgate_sandbox.vendors.whatsapp_cloud.templates import build_template_fields
from socialgate_sandbox.vendors.whatsapp_cloud.token_access import MESSAGING_SCOPE, require_scope

# Seconds after which a message reaches its states.
_STATE_DELAYS: Mapping[DeliveryState, float] = {"sent": 0.5, "delivered": 1.0, "read": 2.0}
_FAILURE_DELAYS: Mapping[DeliveryState, float] = {"failed": 0.5}
_MAX_MEDIA_BYTES = 100 << 20
_MEDIA_TYPES = ("image", "video", "audio", "document", "sticker")
_MAX_BUTTONS, _MAX_ROWS = 3, 10
MAX_BUTTON_TITLE, MAX_ROW_TITLE, MAX_ROW_DESCRIPTION = 20, 24, 72
BodyT = TypeVar("BodyT")
BodyReader: TypeAlias = Callable[[Call, Number, str], Json]


def _build_invalid_error(details: str, code: int = 100) -> CallRefusedError:
    titles = {100: "Invalid parameter", 131008: "Required parameter is missing", 131009: "Parameter value is not valid"}
    return CallRefusedError(build_messaging_error(code, titles[code], details))


async def send_message(call: Call, number: Number) -> Any:
    """Serve the one endpoint of messages: sending, marking as read, typing."""
    require_scope(call, MESSAGING_SCOPE)
    params = call.params
    if params.get("messaging_product") != "whatsapp":
        return build_messaging_error(100, "Invalid parameter", "The parameter messaging_product is required.")
    if params.get("status") == "read":
        return _mark_read(call, number)
    _require_can_send(call, number)
    kind, contact = str(params.get("type") or "text"), _find_recipient(call, number)
    if kind not in _BODY_READERS:
        raise _build_invalid_error(f"Param type must be one of {{{', '.join(_BODY_READERS)}}} - got '{kind}'.")
    fields, fault = {"kind": kind, **_BODY_READERS[kind](call, number, kind)}, 0
    link = params[kind].get("link") if kind in _MEDIA_TYPES else ""
    if link:
        file = await download_media(call.context, link, kind, _MAX_MEDIA_BYTES)
        fits = file is not None and file.size <= _MAX_MEDIA_BYTES
        fields, fault = (
            build_file_fields(kind, file if fits else None, fields["text"]),
            0 if fits else UPLOAD_FAILED_CODE,
        )
    with call.context.store.transaction():
        return _accept_message(call, number, contact, fields, fault)


def _mark_read(call: Call, number: Number) -> Any:
    message = call.context.store.get(Message, str(call.params.get("message_id", "")))
    if message is None or message.parent != number.id or not message.person:
        return build_messaging_error(
            131009, "Parameter value is not valid", "Message id is not a message of this number."
        )
    with call.context.store.transaction():
        message.steps.append(DeliveryStep("read"))
        call.context.store.put(message)
    return {"success": True}


def _require_can_send(call: Call, number: Number) -> None:
    waba = call.context.store.get(Waba, number.parent)
    if (waba is not None and waba.ban) or number.status == "BANNED":
        raise build_refusal("account_locked")
    if not number.registered:
        raise build_refusal("not_registered")


def _find_recipient(call: Call, number: Number) -> Contact:
    """Find the recipient: a number in any spelling, or the id of a person who hides it."""
    user, to = call.params.get("recipient"), str(call.params.get("to") or "")
    if user:
        result = find_user(call.context, number, str(user))
        if result is None:
            raise _build_invalid_error("Recipient is not a known user.", 131009)
        return result
    if not to:
        raise _build_invalid_error("The parameter to is required.")
    plain = "".join(filter(str.isdigit, to))
    if not plain or len(plain) < len("1234567"):
        raise _build_invalid_error("Recipient phone number is not valid.", 131009)
    if plain == number.digits:
        raise CallRefusedError(
            build_messaging_error(131021, "Recipient cannot be sender", "Sender and recipient are the same.")
        )
    return build_contact(plain)


def _build_text_fields(body: TextBody) -> Json:
    if not body.body.strip():
        raise CallRefusedError(build_error_response("(#100) The parameter text['body'] is required.", 100))
    if len(body.body) > MAX_TEXT_LENGTH:
        raise _build_invalid_error(f"Param text['body'] must be at most {MAX_TEXT_LENGTH} characters long.")
    return {"text": body.body}


def _build_contacts_fields(cards: list[ContactCard]) -> Json:
    return {"text": ", ".join(str((card.name or {}).get("formatted_name", "")) for card in cards)}


def _build_interactive_fields(body: Interactive) -> Json:
    rows = [row for section in body.action.sections for row in section.rows]
    if body.type == "button" and not 1 <= len(body.action.buttons) <= _MAX_BUTTONS:
        raise _build_invalid_error("Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3", 131009)
    if body.type == "list" and not 1 <= len(rows) <= _MAX_ROWS:
        raise _build_invalid_error("Total row count exceed max allowed count: 10", 131009)
    replies = [("button_reply", button.reply or {}) for button in body.action.buttons]
    _require_lengths("Button title", [str(reply.get("title", "")) for _, reply in replies], MAX_BUTTON_TITLE)
    if body.type == "list":
        _require_lengths("List button", [body.action.button], MAX_BUTTON_TITLE)
        _require_lengths("Row title", [str(row.get("title", "")) for row in rows], MAX_ROW_TITLE)
        _require_lengths("Row description", [str(row.get("description", "")) for row in rows], MAX_ROW_DESCRIPTION, 0)
    choices = [*replies, *(("list_reply", row) for row in rows)]
    buttons = [
        Button(kind, *(str(item.get(name, "")) for name in ("title", "id", "description"))) for kind, item in choices
    ]
    return {"text": str((body.body or {}).get("text", "")), "buttons": buttons}


def _require_lengths(noun: str, texts: Sequence[str], max_length: int, min_length: int = 1) -> None:
    if any(not min_length <= len(text) <= max_length for text in texts):
        raise _build_invalid_error(f"{noun} length invalid. Min length: {min_length}, Max length: {max_length}", 131009)


def _build_media_fields(call: Call, number: Number, message_type: str) -> Json:
    body = convert_body(call.params.get(message_type), Attachment, message_type)
    if bool(body.id) == bool(body.link):
        raise _build_invalid_error(f"Exactly one of {message_type}['id'] and {message_type}['link'] is required.")
    if len(body.caption) > MAX_CAPTION_LENGTH:
        raise _build_invalid_error(
            f"Param {message_type}['caption'] must be at most {MAX_CAPTION_LENGTH} characters long."
        )
    stored = call.context.store.get(StoredMedia, body.id) if body.id else None
    if body.id and (stored is None or stored.parent != number.id):
        raise _build_invalid_error(
            f"Param {message_type}['id'] is not a valid whatsapp business account media attachment ID", 100
        )
    return build_file_fields(message_type, stored.media if stored is not None else None, body.caption)


def _build_body_reader(body_type: type[BodyT], build_fields: Callable[[BodyT], Json]) -> BodyReader:
    """Read the body of a kind of message in its form, and return what people see of it."""
    return lambda call, _number, kind: build_fields(convert_body(call.params.get(kind), body_type, kind))


_BODY_READERS: Mapping[str, BodyReader] = {
    "text": _build_body_reader(TextBody, _build_text_fields),
    "location": _build_body_reader(Location, lambda place: {"text": format_location(msgspec.structs.asdict(place))}),
    "reaction": _build_body_reader(Reaction, lambda _reaction: {}),
    "contacts": _build_body_reader(list[ContactCard], _build_contacts_fields),
    "interactive": _build_body_reader(Interactive, _build_interactive_fields),
    "template": lambda call, number, kind: build_template_fields(
        call, number, convert_body(call.params.get(kind), TemplateBody, kind)
    ),
    **dict.fromkeys(_MEDIA_TYPES, _build_media_fields),
}
MESSAGE_TYPES = tuple(_BODY_READERS)


def _accept_message(call: Call, number: Number, contact: Contact, fields: Json, error_code: int) -> Any:
    """Accept a message, which may still fail later: a closed window and the `fault` of a link only show then."""
    world, params, kind = call.context, call.params, fields["kind"]
    chat, fate = CHAT_SERVICE.get_or_build_chat(world, number.id, contact.id), take_message_fate(world, number.id)
    closed = kind != "template" and not chat.is_within_window(world)
    code = fate.failure or error_code or (WINDOW_CLOSED_CODE if closed else 0)
    if code and fate.at_once:
        return (
            ERRORS["window_closed"](call)
            if code == WINDOW_CLOSED_CODE
            else build_messaging_error(code, fate.title, "Failed.")
        )
    context = params.get("context")
    message = CHAT_SERVICE.send(
        world,
        chat,
        {} if fate.silent else _FAILURE_DELAYS if code else _STATE_DELAYS,
        **fields,
        content={kind: params[kind]} | ({"context": context} if context else {}),
        reply_to=str(context.get("message_id", "")) if isinstance(context, dict) else "",
        opaque=str(params.get("biz_opaque_callback_data", "")),
        failure=(code, fate.title),
    )
    if kind == "reaction":
        about = CHAT_SERVICE.message(world, chat, params[kind]["message_id"])
        if about is not None:
            CHAT_SERVICE.react(world, about, "", params[kind].get("emoji", ""))
    row = {"id": message.id} | ({"message_status": "accepted"} if kind == "template" else {})
    addressee = {"input": str(params.get("to") or params.get("recipient")), "wa_id": contact.id}
    return {"messaging_product": "whatsapp", "contacts": [addressee], "messages": [row]}
