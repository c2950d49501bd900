"""Cross-Account Protection: the stream of security events, configured with the app's service account."""

import msgspec

from socialgate_sandbox.kit import Call, CallRefusedError, Route, VendorContext
from socialgate_sandbox.vendors.google.errors import (
    build_invalid_token_error,
    build_missing_token_error,
    build_rpc_error,
)
from socialgate_sandbox.vendors.google.jwt import SERVICE_ACCOUNT_KEY_NAME, get_or_create_key
from socialgate_sandbox.vendors.google.state import SecurityStream
from socialgate_sandbox.vendors.google.webhooks import (
    RISC_ISSUER,
    SECURITY_EVENT_TYPES,
    VERIFICATION,
    get_security_stream,
    send_security_event,
)

_TOKEN_AUDIENCE = "https://risc.googleapis.com/google.identity.risc.v1beta.RiscManagementService"
_PUSH_DELIVERY_METHOD = "https://schemas.openid.net/secevent/risc/delivery-method/push"
_BASE_PATH = "/risc.googleapis.com/v1beta"


class Delivery(msgspec.Struct):
    url: str
    delivery_method: str


class StreamBody(msgspec.Struct):
    delivery: Delivery
    events_requested: list[str]


class StatusBody(msgspec.Struct):
    status: str


class VerifyBody(msgspec.Struct):
    state: str


def get_configuration(call: Call) -> object:
    here = call.context.url
    return {
        "issuer": RISC_ISSUER,
        "jwks_uri": f"{here}/www.googleapis.com/oauth2/v3/certs",
        "delivery_methods_supported": [_PUSH_DELIVERY_METHOD],
        "configuration_endpoint": f"{here}{_BASE_PATH}/stream",
        "status_endpoint": f"{here}{_BASE_PATH}/stream/status",
        "verification_endpoint": f"{here}{_BASE_PATH}/stream:verify",
    }


def get_stream(call: Call) -> object:
    _require_service_account(call)
    security_stream = get_security_stream(call.context)
    return {
        "iss": RISC_ISSUER,
        "aud": [call.context.app.id],
        "delivery": {"delivery_method": _PUSH_DELIVERY_METHOD, "url": security_stream.url},
        "events_requested": security_stream.events,
        "status": security_stream.status,
    }


def update_stream(call: Call) -> object:
    _require_service_account(call)
    body = call.parse_json_body(StreamBody)
    if body.delivery.delivery_method != _PUSH_DELIVERY_METHOD:
        return build_rpc_error(400, "Unsupported delivery method.")
    unknown = set(body.events_requested) - set(SECURITY_EVENT_TYPES)
    if unknown:
        return build_rpc_error(400, f"Unknown event type: {min(unknown)}")
    status = get_security_stream(call.context).status
    call.context.store.put(
        SecurityStream(id="stream", url=body.delivery.url, events=body.events_requested, status=status)
    )
    return {}


def get_status(call: Call) -> object:
    _require_service_account(call)
    return {"status": get_security_stream(call.context).status}


def update_status(call: Call) -> object:
    _require_service_account(call)
    status = call.parse_json_body(StatusBody).status
    if status not in {"enabled", "disabled"}:
        return build_rpc_error(400, f"Invalid status: {status}")
    security_stream = get_security_stream(call.context)
    security_stream.status = status
    call.context.store.put(security_stream)
    return {}


def verify_stream(call: Call) -> object:
    _require_service_account(call)
    state = call.parse_json_body(VerifyBody).state
    send_security_event(call.context, VERIFICATION, {"state": state})
    return {}


def build_service_account_email(context: VendorContext) -> str:
    return f"risc@{context.app.id}.iam.gserviceaccount.com"


def _require_service_account(call: Call) -> None:
    """Accept callers that hold the key of the service account, which signs for itself."""
    if call.bearer_token is None:
        raise CallRefusedError(build_missing_token_error(call))
    claims = get_or_create_key(call.context, SERVICE_ACCOUNT_KEY_NAME).verify_token(call.bearer_token) or {}
    email, now = build_service_account_email(call.context), call.context.clock.get_unix_time()
    mine = claims.get("iss") == claims.get("sub") == email and claims.get("aud") == _TOKEN_AUDIENCE
    if not mine or not isinstance(claims.get("exp"), int) or claims["exp"] <= now:
        raise CallRefusedError(build_invalid_token_error(call))


ROUTES = [
    Route("GET", "/accounts.google.com/.well-known/risc-configuration", get_configuration),
    Route("GET", f"{_BASE_PATH}/stream", get_stream),
    Route("POST", f"{_BASE_PATH}/stream:update", update_stream),
    Route("GET", f"{_BASE_PATH}/stream/status", get_status),
    Route("POST", f"{_BASE_PATH}/stream/status:update", update_status),
    Route("POST", f"{_BASE_PATH}/stream:verify", verify_stream),
]
