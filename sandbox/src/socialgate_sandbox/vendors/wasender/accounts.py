"""Sessions: creating them, linking them to a phone, and what they report about themselves."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Account, Call, Route, World, hexadecimal, reply
from socialgate_sandbox.kit.addresses import is_near, parts_of
from socialgate_sandbox.vendors.wasender import pairing
from socialgate_sandbox.vendors.wasender.access import customer_of, named_session, session_of, subscribed
from socialgate_sandbox.vendors.wasender.errors import ERRORS, answered, invalid_fields, refusal
from socialgate_sandbox.vendors.wasender.state import EVENTS, Customer, Json, Session
from socialgate_sandbox.vendors.wasender.webhooks import move

_PHONE = re.compile(r"\+?[1-9]\d{6,14}")
_FLAGS = ("account_protection", "log_messages", "read_incoming_messages", "auto_reject_calls", "webhook_enabled")
_REQUIRED = ("name", "phone_number", "account_protection", "log_messages")
_FIRST_ID = 101


def session_json(session: Session, *, secrets: bool = True) -> Json:
    body: Json = {
        "id": int(session.id),
        "user_id": _user_id(session.parent),
        "name": session.name,
        "phone_number": session.phone_number,
        "status": session.status,
        "account_protection": session.account_protection,
        "log_messages": session.log_messages,
        "read_incoming_messages": session.read_incoming_messages,
        "auto_reject_calls": session.auto_reject_calls,
        "webhook_url": session.webhook_url,
        "webhook_enabled": session.webhook_enabled,
        "webhook_events": session.webhook_events,
    }
    if secrets:
        body |= {"api_key": session.api_key, "webhook_secret": session.webhook_secret}
    return body | {
        # Empty for the owner of the session, too: what links it to the phone stays with WaSender.
        "session_data": {},
        "last_active_at": _time(session.last_active or session.created),
        "created_at": _time(session.created),
        "updated_at": _time(session.updated),
    }


def list_sessions(call: Call) -> Response:
    customer = customer_of(call)
    found = call.world.store.find(Session, parent=customer.id)
    for session in found:
        pairing.settle(call.world, session)
    # The list does not contain the secrets.
    return answered([session_json(session, secrets=False) for session in found])


def create_session(call: Call) -> Response:
    customer = subscribed(call)
    fields = _checked(call, required=True)
    if call.world.store.count(Session, parent=customer.id) >= customer.most_sessions:
        raise refusal("session_limit")
    now = call.world.clock.now()
    session = Session(
        id=str(call.world.store.count_up("session", _FIRST_ID)),
        parent=customer.id,
        api_key=hexadecimal(64),
        webhook_secret=hexadecimal(32),
        created=now,
        updated=now,
        **fields,
    )
    call.world.store.put(session)
    return answered(session_json(session), 201)


def get_session(call: Call) -> Response:
    session = named_session(call)
    pairing.settle(call.world, session)
    return answered(session_json(session))


def update_session(call: Call) -> Response:
    session = named_session(call)
    for name, value in _checked(call, required=False).items():
        setattr(session, name, value)
    session.updated = call.world.clock.now()
    call.world.store.put(session)
    return answered(session_json(session))


def delete_session(call: Call) -> Response:
    call.world.store.delete(Session, named_session(call).id)
    return answered(None)


def connect(call: Call) -> Response:
    session = named_session(call)
    subscribed(call)
    if session.status == "connected":
        return answered({"status": "CONNECTED", "message": "Session is already connected"})
    return answered({"status": "NEED_SCAN", "qrCode": pairing.begin(call.world, session)})


def qr_code(call: Call) -> Response:
    session = named_session(call)
    subscribed(call)
    code = pairing.code_of(call.world, session)
    if code is None:
        # Returned, not raised: the webhooks about an attempt that ended must not be rolled back.
        return ERRORS["qr_not_ready"](call)
    return answered({"qrCode": code})


def disconnect(call: Call) -> Response:
    session = named_session(call)
    move(call.world, session, "disconnected")
    return answered({"status": "disconnected", "message": "WhatsApp session disconnected successfully"})


def restart(call: Call) -> Response:
    session = named_session(call)
    if session.status != "connected":
        raise refusal("not_connected")
    move(call.world, session, "connecting")
    move(call.world, session, "connected")
    return reply({"success": True, "message": "WhatsApp session restarted successfully"})


def regenerate_key(call: Call) -> Response:
    session = named_session(call)
    session.api_key, session.updated = hexadecimal(64), call.world.clock.now()
    call.world.store.put(session)
    return reply({"success": True, "api_key": session.api_key})


def status(call: Call) -> Response:
    session = session_of(call)
    pairing.settle(call.world, session)
    return reply({"status": session.status})


def user(call: Call) -> Response:
    session = session_of(call)
    if session.status != "connected":
        raise refusal("not_connected")
    return answered({"id": session.jid, "name": session.name})


def _checked(call: Call, *, required: bool) -> Json:
    """Read the fields of a session, or report what is wrong with each."""
    # Clients send null for fields that they do not set; only an address is removed by that.
    given = {
        name: value
        for name, value in call.params.items()
        if name in _RULES and (value is not None or name == "webhook_url")
    }
    errors: dict[str, list[str]] = {}
    if required:
        errors = {name: [f"The {_words(name)} field is required."] for name in _REQUIRED if given.get(name) is None}
    for name, value in given.items():
        fault = None if name in errors else _RULES[name](call.world, name, value)
        if fault:
            errors[name] = [fault]
    if errors:
        raise invalid_fields(errors)
    return {name: value in (True, "1") if name in _FLAGS else value for name, value in given.items()}


def _text(_world: World, name: str, value: Any) -> str | None:
    return None if isinstance(value, str) and value.strip() else f"The {_words(name)} field must be a string."


def _flag(_world: World, name: str, value: Any) -> str | None:
    known = isinstance(value, bool | int | str) and value in {0, 1, "0", "1"}
    return None if known else f"The {_words(name)} field must be true or false."


def _phone(_world: World, name: str, value: Any) -> str | None:
    fits = isinstance(value, str) and _PHONE.fullmatch(value)
    return None if fits else f"The {_words(name)} field format is invalid."


def _url(world: World, name: str, value: Any) -> str | None:
    """Require https, except for this machine and the product."""
    parts = parts_of(value) if isinstance(value, str) else None
    fits = parts is not None and (parts.scheme == "https" or is_near(world, parts.hostname))
    return None if value is None or fits else f"The {_words(name)} field must be a valid URL."


def _events(_world: World, name: str, value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, list):
        return f"The {_words(name)} field must be an array."
    known = all(isinstance(event, str) and event in EVENTS for event in value)
    return None if known else f"The selected {_words(name)} is invalid."


_RULES = {
    "name": _text,
    "phone_number": _phone,
    "webhook_url": _url,
    "webhook_events": _events,
    **dict.fromkeys(_FLAGS, _flag),
}


def _user_id(customer: str) -> int:
    """Return WaSender's own number of a customer."""
    return 1000 + sum(customer.encode())


def _words(name: str) -> str:
    return name.replace("_", " ")


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


_ONE = "/api/whatsapp-sessions/{session}"
ROUTES = [
    Route("GET", "/api/whatsapp-sessions", list_sessions),
    Route("POST", "/api/whatsapp-sessions", create_session),
    Route("GET", _ONE, get_session),
    Route("PUT", _ONE, update_session),
    Route("DELETE", _ONE, delete_session),
    Route("POST", f"{_ONE}/connect", connect),
    Route("GET", f"{_ONE}/qrcode", qr_code),
    Route("POST", f"{_ONE}/disconnect", disconnect),
    Route("POST", f"{_ONE}/restart", restart),
    Route("POST", f"{_ONE}/regenerate-key", regenerate_key),
    Route("GET", "/api/status", status),
    Route("GET", "/api/user", user),
]


def list_accounts(world: World) -> Sequence[Account]:
    customers = [
        Account(
            kind="subscription", id=customer.id, name=customer.name, state="active" if customer.active else "inactive"
        )
        for customer in world.store.find(Customer)
    ]
    sessions = [
        Account(
            kind="session",
            id=session.id,
            name=f"{session.name} {session.phone_number}",
            state=session.status,
            connected=[session.webhook_url] if session.webhook_url and session.webhook_enabled else [],
        )
        for session in world.store.find(Session)
    ]
    return [*customers, *sessions]
