"""Sending: every message is accepted first, and what became of it is told later."""

from collections.abc import Callable, Mapping
from typing import Any

from socialgate.sandbox.kit import Call, Refused
from socialgate.sandbox.vendors.graph.media import download
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
from socialgate.sandbox.vendors.whatsapp_cloud.errors import messaging, named
from socialgate.sandbox.vendors.whatsapp_cloud.state import Number, Waba
from socialgate.sandbox.vendors.whatsapp_cloud.templates import check_template
from socialgate.sandbox.vendors.whatsapp_cloud.viewer import SEND, require

# Seconds after which a message is sent, delivered and read.
STEPS = {"sent": 0.5, "delivered": 1.0, "read": 2.0}
_MEDIA = ("image", "video", "audio", "document", "sticker")
_LONGEST_TEXT, _LONGEST_CAPTION = 4096, 1024
_WINDOW_CLOSED = 131047
_UPLOAD_FAILED = 131053
_Body = Mapping[str, Any]


def _invalid(details: str, code: int = 100) -> Refused:
    titles = {100: "Invalid parameter", 131008: "Required parameter is missing", 131009: "Parameter value is not valid"}
    return Refused(messaging(code, titles[code], details))


def _member(given: _Body, name: str, kind: type[Any]) -> Any:
    value = given.get(name)
    if not isinstance(value, kind) or not value:
        raise _invalid(f"The parameter {name} is required.", 131008 if value is None else 131009)
    return value


async def send(call: Call, number: Number) -> Any:
    """Serve the one address of messages: sending, marking as read, typing."""
    require(call, SEND)
    given = call.params
    if given.get("messaging_product") != "whatsapp":
        return messaging(100, "Invalid parameter", "The parameter messaging_product is required.")
    if given.get("status") == "read":
        return _mark_read(call, number)
    _require_able(call, number)
    kind = str(given.get("type") or "text")
    contact = _recipient(call, number)
    _check(call, kind, number)
    failed = await _unfetched(call, kind)
    with call.world.store.transaction():
        return _accept(call, number, contact, kind, failed)


def _mark_read(call: Call, number: Number) -> Any:
    message = call.world.store.get(Message, str(call.params.get("message_id", "")))
    if message is None or message.number != number.id or message.outbound:
        return messaging(131009, "Parameter value is not valid", "Message id is not a message of this number.")
    with call.world.store.transaction():
        message.statuses.append("read")
        call.world.store.put(message)
    return {"success": True}


def _require_able(call: Call, number: Number) -> None:
    waba = call.world.store.get(Waba, number.parent)
    if waba is not None and waba.ban:
        raise Refused(named("account_locked"))
    if not number.registered:
        raise Refused(named("not_registered"))


def _recipient(call: Call, number: Number) -> Contact:
    """Find whom it goes to: a number in any spelling, or the id of a person who hides it."""
    user, to = call.params.get("recipient"), str(call.params.get("to") or "")
    if user:
        found = next((one for one in call.world.store.find(Contact) if one.user == user), None)
        if found is None:
            raise _invalid("Recipient is not a known user.", 131009)
        return found
    plain = "".join(letter for letter in to if letter.isdigit())
    if not to:
        raise _invalid("The parameter to is required.", 100)
    if not plain or len(plain) < len("1234567"):
        raise _invalid("Recipient phone number is not valid.", 131009)
    if plain == number.digits:
        raise Refused(messaging(131021, "Recipient cannot be sender", "Sender and recipient are the same."))
    return contact_of(call.world, plain)


def _check(call: Call, kind: str, number: Number) -> None:
    checks: dict[str, Callable[[_Body], None]] = {
        "text": _check_text,
        "reaction": lambda body: _require_text(body, "message_id"),
        "location": _check_location,
        "interactive": _check_interactive,
        "template": lambda body: check_template(call, number, body),
        "contacts": lambda _body: None,
        **dict.fromkeys(_MEDIA, lambda body: _check_media(call, number, kind, body)),
    }
    check = checks.get(kind)
    if check is None:
        raise _invalid(f"Param type must be one of {{{', '.join(sorted(checks)).upper()}}} - got '{kind}'.")
    body = _member(call.params, kind, list if kind == "contacts" else dict)
    check(body)


def _require_text(body: _Body, name: str) -> None:
    _member(body, name, str)


def _check_text(body: _Body) -> None:
    if len(_member(body, "body", str)) > _LONGEST_TEXT:
        raise _invalid(f"Param text['body'] must be at most {_LONGEST_TEXT} characters long.")


def _check_location(body: _Body) -> None:
    for name in ("latitude", "longitude"):
        try:
            float(body[name])
        except (KeyError, TypeError, ValueError) as error:
            raise _invalid(f"The parameter location['{name}'] is required.", 131008) from error


def _check_interactive(body: _Body) -> None:
    kind, action = _member(body, "type", str), _member(body, "action", dict)
    most_buttons, most_rows = 3, 10
    buttons = action.get("buttons", [])
    if kind == "button" and not 1 <= len(buttons) <= most_buttons:
        raise _invalid("Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3", 131009)
    rows = [row for section in action.get("sections", []) for row in section.get("rows", [])]
    if kind == "list" and not 1 <= len(rows) <= most_rows:
        raise _invalid("Total row count exceed max allowed count: 10", 131009)


def _check_media(call: Call, number: Number, kind: str, body: _Body) -> None:
    """Media is either a stored id or a link."""
    key, link = body.get("id"), body.get("link")
    if bool(key) == bool(link):
        raise _invalid(f"Exactly one of {kind}['id'] and {kind}['link'] is required.")
    if len(str(body.get("caption", ""))) > _LONGEST_CAPTION:
        raise _invalid(f"Param {kind}['caption'] must be at most {_LONGEST_CAPTION} characters long.")
    stored = call.world.store.get(StoredMedia, str(key)) if key else None
    if key and (stored is None or stored.parent != number.id):
        raise _invalid(f"Param {kind}['id'] is not a valid whatsapp business account media attachment ID", 100)


async def _unfetched(call: Call, kind: str) -> bool:
    """Tell whether the media that a link points at cannot be had."""
    body = call.params.get(kind)
    link = body.get("link") if kind in _MEDIA and isinstance(body, dict) else None
    return bool(link) and await download(call.world, str(link), kind) is None


def _accept(call: Call, number: Number, contact: Contact, kind: str, failed: bool) -> Any:
    world, given = call.world, call.params
    chat = chat_of(world, number.id, contact.id)
    closed = kind != "template" and not is_open(world, chat)
    behaviour = _behaviour(call, number)
    failure = behaviour.failure or (_UPLOAD_FAILED if failed else _WINDOW_CLOSED if closed else 0)
    if failure and behaviour.at_once:
        return named("window_closed") if failure == _WINDOW_CLOSED else messaging(failure, behaviour.title, "Failed.")
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
    )
    world.store.put(chat)
    world.store.put(message)
    _tell(call, number, message, failure, behaviour)
    row = {"id": message.id} | ({"message_status": "accepted"} if kind == "template" else {})
    told = {"input": str(given.get("to") or given.get("recipient")), "wa_id": contact.id}
    return {"messaging_product": "whatsapp", "contacts": [told], "messages": [row]}


def _behaviour(call: Call, number: Number) -> Behaviour:
    """Take what was ordered for this message; without an order all goes well."""
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
