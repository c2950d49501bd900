"""Sessions: creating them, linking them to a phone, and what they report about themselves."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Account, Call, Route, VendorContext, build_json_response, generate_hex
from socialgate_sandbox.kit.urls import is_product_or_local_host, parse_web_url
from socialgate_sandbox.vendors.wasender import pairing
from socialgate_sandbox.vendors.wasender.access import (
    authenticate_customer,
    authenticate_session,
    require_session,
    require_subscription,
)
from socialgate_sandbox.vendors.wasender.errors import (
    ERRORS,
    build_invalid_fields_error,
    build_refusal,
    build_success_response,
)
from socialgate_sandbox.vendors.wasender.state import WEBHOOK_EVENTS, Customer, Json, Session
from socialgate_sandbox.vendors.wasender.webhooks import set_session_status

_PHONE_PATTERN = re.compile(r"\+?[1-9]\d{6,14}")
_FLAG_FIELDS = ("account_protection", "log_messages", "read_incoming_messages", "auto_reject_calls", "webhook_enabled")
_REQUIRED_FIELDS = ("name", "phone_number", "account_protection", "log_messages")
_FIRST_SESSION_ID = 101


def build_session_json(session: Session, *, with_secrets: bool = True) -> Json:
    body: Json = {
        "id": int(session.id),
        "user_id": _compute_user_id(session.parent),
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
    if with_secrets:
        body |= {"api_key": session.api_key, "webhook_secret": session.webhook_secret}
    return body | {
        # Empty for the owner of the session, too: what links it to the phone stays with WaSender.
        "session_data": {},
        "last_active_at": _format_time(session.last_active or session.created),
        "created_at": _format_time(session.created),
        "updated_at": _format_time(session.updated),
    }


def list_sessions(call: Call) -> Response:
    customer = authenticate_customer(call)
    sessions = call.context.store.find(Session, parent=customer.id)
    for session in sessions:
        pairing.end_expired_attempt(call.context, session)
    # The list does not contain the secrets.
    return build_success_response([build_session_json(session, with_secrets=False) for session in sessions])


def create_session(call: Call) -> Response:
    customer = require_subscription(call)
    fields = _parse_session_fields(call, require_all=True)
    if call.context.store.count(Session, parent=customer.id) >= customer.most_sessions:
        raise build_refusal("session_limit")
    now = call.context.clock.now()
    session = Session(
        id=str(call.context.store.get_next_number("session", _FIRST_SESSION_ID)),
        parent=customer.id,
        api_key=generate_hex(64),
        webhook_secret=generate_hex(32),
        created=now,
        updated=now,
        **fields,
    )
    call.context.store.put(session)
    return build_success_response(build_session_json(session), 201)


def get_session(call: Call) -> Response:
    session = require_session(call)
    pairing.end_expired_attempt(call.context, session)
    return build_success_response(build_session_json(session))


def update_session(call: Call) -> Response:
    session = require_session(call)
    for name, value in _parse_session_fields(call, require_all=False).items():
        setattr(session, name, value)
    session.updated = call.context.clock.now()
    call.context.store.put(session)
    return build_success_response(build_session_json(session))


def delete_session(call: Call) -> Response:
    call.context.store.delete(Session, require_session(call).id)
    return build_success_response(None)


def connect_session(call: Call) -> Response:
    session = require_session(call)
    require_subscription(call)
    if session.status == "connected":
        return build_success_response({"status": "CONNECTED", "message": "Session is already connected"})
    return build_success_response({"status": "NEED_SCAN", "qrCode": pairing.begin_pairing(call.context, session)})


def get_qr_code(call: Call) -> Response:
    session = require_session(call)
    require_subscription(call)
    code = pairing.get_current_code(call.context, session)
    if code is None:
        # Returned, not raised: the webhooks about an attempt that ended must not be rolled back.
        return ERRORS["qr_not_ready"](call)
    return build_success_response({"qrCode": code})


def disconnect_session(call: Call) -> Response:
    session = require_session(call)
    set_session_status(call.context, session, "disconnected")
    return build_success_response({"status": "disconnected", "message": "WhatsApp session disconnected successfully"})


def restart_session(call: Call) -> Response:
    session = require_session(call)
    if session.status != "connected":
        raise build_refusal("not_connected")
    set_session_status(call.context, session, "connecting")
    set_session_status(call.context, session, "connected")
    return build_json_response({"success": True, "message": "WhatsApp session restarted successfully"})


def regenerate_key(call: Call) -> Response:
    session = require_session(call)
    session.api_key, session.updated = generate_hex(64), call.context.clock.now()
    call.context.store.put(session)
    return build_json_response({"success": True, "api_key": session.api_key})


def get_status(call: Call) -> Response:
    session = authenticate_session(call)
    pairing.end_expired_attempt(call.context, session)
    return build_json_response({"status": session.status})


def get_user(call: Call) -> Response:
    session = authenticate_session(call)
    if session.status != "connected":
        raise build_refusal("not_connected")
    return build_success_response({"id": session.jid, "name": session.name})


def _parse_session_fields(call: Call, *, require_all: bool) -> Json:
    """Read the fields of a session, or report what is wrong with each."""
    # Clients send null for fields that they do not set; only an address is removed by that.
    params = {
        name: value
        for name, value in call.params.items()
        if name in _VALIDATORS and (value is not None or name == "webhook_url")
    }
    errors: dict[str, list[str]] = {}
    if require_all:
        errors = {
            name: [f"The {_format_field_name(name)} field is required."]
            for name in _REQUIRED_FIELDS
            if params.get(name) is None
        }
    for name, value in params.items():
        fault = None if name in errors else _VALIDATORS[name](call.context, name, value)
        if fault:
            errors[name] = [fault]
    if errors:
        raise build_invalid_fields_error(errors)
    return {name: value in (True, "1") if name in _FLAG_FIELDS else value for name, value in params.items()}


def _validate_text(_world: VendorContext, name: str, value: Any) -> str | None:
    return (
        None if isinstance(value, str) and value.strip() else f"The {_format_field_name(name)} field must be a string."
    )


def _validate_flag(_world: VendorContext, name: str, value: Any) -> str | None:
    known = isinstance(value, bool | int | str) and value in {0, 1, "0", "1"}
    return None if known else f"The {_format_field_name(name)} field must be true or false."


def _validate_phone(_world: VendorContext, name: str, value: Any) -> str | None:
    fits = isinstance(value, str) and _PHONE_PATTERN.fullmatch(value)
    return None if fits else f"The {_format_field_name(name)} field format is invalid."


def _validate_url(context: VendorContext, name: str, value: Any) -> str | None:
    """Require https, except for this machine and the product."""
    parts = parse_web_url(value) if isinstance(value, str) else None
    fits = parts is not None and (parts.scheme == "https" or is_product_or_local_host(context, parts.hostname))
    return None if value is None or fits else f"The {_format_field_name(name)} field must be a valid URL."


def _validate_events(_world: VendorContext, name: str, value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, list):
        return f"The {_format_field_name(name)} field must be an array."
    known = all(isinstance(event, str) and event in WEBHOOK_EVENTS for event in value)
    return None if known else f"The selected {_format_field_name(name)} is invalid."


_VALIDATORS = {
    "name": _validate_text,
    "phone_number": _validate_phone,
    "webhook_url": _validate_url,
    "webhook_events": _validate_events,
    **dict.fromkeys(_FLAG_FIELDS, _validate_flag),
}


def _compute_user_id(customer: str) -> int:
    """Return WaSender's own number of a customer."""
    return 1000 + sum(customer.encode())


def _format_field_name(name: str) -> str:
    return name.replace("_", " ")


def _format_time(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


_SESSION_PATH = "/api/whatsapp-sessions/{session}"
ROUTES = [
    Route("GET", "/api/whatsapp-sessions", list_sessions),
    Route("POST", "/api/whatsapp-sessions", create_session),
    Route("GET", _SESSION_PATH, get_session),
    Route("PUT", _SESSION_PATH, update_session),
    Route("DELETE", _SESSION_PATH, delete_session),
    Route("POST", f"{_SESSION_PATH}/connect", connect_session),
    Route("GET", f"{_SESSION_PATH}/qrcode", get_qr_code),
    Route("POST", f"{_SESSION_PATH}/disconnect", disconnect_session),
    Route("POST", f"{_SESSION_PATH}/restart", restart_session),
    Route("POST", f"{_SESSION_PATH}/regenerate-key", regenerate_key),
    Route("GET", "/api/status", get_status),
    Route("GET", "/api/user", get_user),
]


def list_accounts(context: VendorContext) -> Sequence[Account]:
    customers = [
        Account(
            kind="subscription", id=customer.id, name=customer.name, state="active" if customer.active else "inactive"
        )
        for customer in context.store.find(Customer)
    ]
    sessions = [
        Account(
            kind="session",
            id=session.id,
            name=f"{session.name} {session.phone_number}",
            state=session.status,
            connected=[session.webhook_url] if session.webhook_url and session.webhook_enabled else [],
        )
        for session in context.store.find(Session)
    ]
    return [*customers, *sessions]


def get_phone_number(context: VendorContext, account: Account) -> str:
    """Return the number of a session: it stays when the phone is linked again, with a new session."""
    session = context.store.get(Session, account.id)
    return account.id if session is None else session.phone_number
