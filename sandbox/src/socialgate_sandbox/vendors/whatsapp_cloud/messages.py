"""Sending: every message is accepted first, and its status is reported later."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import msgspec

from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.dialects.graph.messages import with_file
from socialgate_sandbox.kit import Call, Refused
from socialgate_sandbox.kit.media import download
from socialgate_sandbox.society.chats import Button, Json
from socialgate_sandbox.society.fates import State, Step, next_fate
from socialgate_sandbox.vendors.whatsapp_cloud.attachments import StoredMedia
from socialgate_sandbox.vendors.whatsapp_cloud.bodies import (
    Attachment,
    Card,
    FilledTemplate,
    Interactive,
    Location,
    Reaction,
    Text,
    read,
)
from socialgate_sandbox.vendors.whatsapp_cloud.chats import (
    CHATS,
    LONGEST_CAPTION,
    LONGEST_TEXT,
    UPLOAD_FAILED,
    WINDOW_CLOSED,
    Contact,
    Message,
    contact_of,
    place_text,
    user_named,
)
from socialgate_sandbox.vendors.whatsapp_cloud.errors import ERRORS, messaging, refusal
from socialgate_sandbox.vendors.whatsapp_cloud.state import Number, Waba
from socialgate_sandbox.vendors.whatsapp_cloud.templates import fill
from socialgate_sandbox.vendors.whatsapp_cloud.viewer import SEND, require

# Seconds after which a message reaches its states.
_PLAN: Mapping[State, float] = {"sent": 0.5, "delivered": 1.0, "read": 2.0}
_FAILS: Mapping[State, float] = {"failed": 0.5}
_LARGEST_MEDIA = 100 << 20
_MEDIA = ("image", "video", "audio", "document", "sticker")
_MOST_BUTTONS, _MOST_ROWS = 3, 10
MAX_BUTTON_TITLE, MAX_ROW_TITLE, MAX_ROW_DESCRIPTION = 20, 24, 72
B = TypeVar("B")
Reader: TypeAlias = Callable[[Call, Number, str], Json]


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
    if kind not in _READERS:
        raise _invalid(f"Param type must be one of {{{', '.join(_READERS)}}} - got '{kind}'.")
    fields, fault = {"kind": kind, **_READERS[kind](call, number, kind)}, 0
    link = given[kind].get("link") if kind in _MEDIA else ""
    if link:
        file = await download(call.world, link, kind, _LARGEST_MEDIA)
        fits = file is not None and file.size <= _LARGEST_MEDIA
        fields, fault = with_file(kind, file if fits else None, fields["text"]), 0 if fits else UPLOAD_FAILED
    with call.world.store.transaction():
        return _accept(call, number, contact, fields, fault)


def _mark_read(call: Call, number: Number) -> Any:
    message = call.world.store.get(Message, str(call.params.get("message_id", "")))
    if message is None or message.parent != number.id or not message.person:
        return messaging(131009, "Parameter value is not valid", "Message id is not a message of this number.")
    with call.world.store.transaction():
        message.steps.append(Step("read"))
        call.world.store.put(message)
    return {"success": True}


def _require_able(call: Call, number: Number) -> None:
    waba = call.world.store.get(Waba, number.parent)
    if (waba is not None and waba.ban) or number.status == "BANNED":
        raise refusal("account_locked")
    if not number.registered:
        raise refusal("not_registered")


def _recipient(call: Call, number: Number) -> Contact:
    """Find the recipient: a number in any spelling, or the id of a person who hides it."""
    user, to = call.params.get("recipient"), str(call.params.get("to") or "")
    if user:
        found = user_named(call.world, number, str(user))
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
    return contact_of(plain)


def _text(body: Text) -> Json:
    if not body.body.strip():
        raise Refused(failure("(#100) The parameter text['body'] is required.", 100))
    if len(body.body) > LONGEST_TEXT:
        raise _invalid(f"Param text['body'] must be at most {LONGEST_TEXT} characters long.")
    return {"text": body.body}


def _contacts(cards: list[Card]) -> Json:
    return {"text": ", ".join(str((one.name or {}).get("formatted_name", "")) for one in cards)}


def _interactive(body: Interactive) -> Json:
    rows = [row for section in body.action.sections for row in section.rows]
    if body.type == "button" and not 1 <= len(body.action.buttons) <= _MOST_BUTTONS:
        raise _invalid("Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3", 131009)
    if body.type == "list" and not 1 <= len(rows) <= _MOST_ROWS:
        raise _invalid("Total row count exceed max allowed count: 10", 131009)
    replies = [("button_reply", one.reply or {}) for one in body.action.buttons]
    _require_lengths("Button title", [str(reply.get("title", "")) for _, reply in replies], MAX_BUTTON_TITLE)
    if body.type == "list":
        _require_lengths("List button", [body.action.button], MAX_BUTTON_TITLE)
        _require_lengths("Row title", [str(row.get("title", "")) for row in rows], MAX_ROW_TITLE)
        _require_lengths("Row description", [str(row.get("description", "")) for row in rows], MAX_ROW_DESCRIPTION, 0)
    choices = [*replies, *(("list_reply", row) for row in rows)]
    buttons = [
        Button(kind, *(str(one.get(name, "")) for name in ("title", "id", "description"))) for kind, one in choices
    ]
    return {"text": str((body.body or {}).get("text", "")), "buttons": buttons}


def _require_lengths(what: str, texts: Sequence[str], most: int, least: int = 1) -> None:
    if any(not least <= len(text) <= most for text in texts):
        raise _invalid(f"{what} length invalid. Min length: {least}, Max length: {most}", 131009)


def _media(call: Call, number: Number, kind: str) -> Json:
    body = read(call.params.get(kind), Attachment, kind)
    if bool(body.id) == bool(body.link):
        raise _invalid(f"Exactly one of {kind}['id'] and {kind}['link'] is required.")
    if len(body.caption) > LONGEST_CAPTION:
        raise _invalid(f"Param {kind}['caption'] must be at most {LONGEST_CAPTION} characters long.")
    stored = call.world.store.get(StoredMedia, body.id) if body.id else None
    if body.id and (stored is None or stored.parent != number.id):
        raise _invalid(f"Param {kind}['id'] is not a valid whatsapp business account media attachment ID", 100)
    return with_file(kind, stored.media if stored is not None else None, body.caption)


def _read_as(form: type[B], shown: Callable[[B], Json]) -> Reader:
    """Read the body of a kind of message in its form, and return what people see of it."""
    return lambda call, _number, kind: shown(read(call.params.get(kind), form, kind))


_READERS: Mapping[str, Reader] = {
    "text": _read_as(Text, _text),
    "location": _read_as(Location, lambda place: {"text": place_text(msgspec.structs.asdict(place))}),
    "reaction": _read_as(Reaction, lambda _reaction: {}),
    "contacts": _read_as(list[Card], _contacts),
    "interactive": _read_as(Interactive, _interactive),
    "template": lambda call, number, kind: fill(call, number, read(call.params.get(kind), FilledTemplate, kind)),
    **dict.fromkeys(_MEDIA, _media),
}
TYPES = tuple(_READERS)


def _accept(call: Call, number: Number, contact: Contact, fields: Json, fault: int) -> Any:
    """Accept a message, which may still fail later: a closed window and the `fault` of a link only show then."""
    world, given, kind = call.world, call.params, fields["kind"]
    chat, fate = CHATS.of(world, number.id, contact.id), next_fate(world, number.id)
    closed = kind != "template" and not chat.is_open(world)
    code = fate.failure or fault or (WINDOW_CLOSED if closed else 0)
    if code and fate.at_once:
        return ERRORS["window_closed"](call) if code == WINDOW_CLOSED else messaging(code, fate.title, "Failed.")
    context = given.get("context")
    message = CHATS.send(
        world,
        chat,
        {} if fate.silent else _FAILS if code else _PLAN,
        **fields,
        content={kind: given[kind]} | ({"context": context} if context else {}),
        reply_to=str(context.get("message_id", "")) if isinstance(context, dict) else "",
        opaque=str(given.get("biz_opaque_callback_data", "")),
        failure=(code, fate.title),
    )
    if kind == "reaction":
        about = CHATS.message(world, chat, given[kind]["message_id"])
        if about is not None:
            CHATS.react(world, about, "", given[kind].get("emoji", ""))
    row = {"id": message.id} | ({"message_status": "accepted"} if kind == "template" else {})
    addressee = {"input": str(given.get("to") or given.get("recipient")), "wa_id": contact.id}
    return {"messaging_product": "whatsapp", "contacts": [addressee], "messages": [row]}
