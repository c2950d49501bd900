"""Cross-Account Protection: the stream of security events, configured with the app's service account."""

import msgspec

from socialgate_sandbox.kit import Call, Refused, Route, World
from socialgate_sandbox.vendors.google.errors import rpc_error, token_dead, token_missing
from socialgate_sandbox.vendors.google.jwt import SERVICE_ACCOUNT, key
from socialgate_sandbox.vendors.google.state import SecurityStream
from socialgate_sandbox.vendors.google.webhooks import (
    EVENTS,
    RISC_ISSUER,
    VERIFICATION,
    send_security_event,
    stream,
)

_AUDIENCE = "https://risc.googleapis.com/google.identity.risc.v1beta.RiscManagementService"
_PUSH = "https://schemas.openid.net/secevent/risc/delivery-method/push"
_BASE = "/risc.googleapis.com/v1beta"


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


def configuration(call: Call) -> object:
    here = call.world.url
    return {
        "issuer": RISC_ISSUER,
        "jwks_uri": f"{here}/www.googleapis.com/oauth2/v3/certs",
        "delivery_methods_supported": [_PUSH],
        "configuration_endpoint": f"{here}{_BASE}/stream",
        "status_endpoint": f"{here}{_BASE}/stream/status",
        "verification_endpoint": f"{here}{_BASE}/stream:verify",
    }


def get_stream(call: Call) -> object:
    _check(call)
    found = stream(call.world)
    return {
        "iss": RISC_ISSUER,
        "aud": [call.world.app.id],
        "delivery": {"delivery_method": _PUSH, "url": found.url},
        "events_requested": found.events,
        "status": found.status,
    }


def update_stream(call: Call) -> object:
    _check(call)
    given = call.read_json(StreamBody)
    if given.delivery.delivery_method != _PUSH:
        return rpc_error(400, "Unsupported delivery method.")
    unknown = set(given.events_requested) - set(EVENTS)
    if unknown:
        return rpc_error(400, f"Unknown event type: {min(unknown)}")
    status = stream(call.world).status
    call.world.store.put(
        SecurityStream(id="stream", url=given.delivery.url, events=given.events_requested, status=status)
    )
    return {}


def get_status(call: Call) -> object:
    _check(call)
    return {"status": stream(call.world).status}


def update_status(call: Call) -> object:
    _check(call)
    status = call.read_json(StatusBody).status
    if status not in {"enabled", "disabled"}:
        return rpc_error(400, f"Invalid status: {status}")
    found = stream(call.world)
    found.status = status
    call.world.store.put(found)
    return {}


def verify_stream(call: Call) -> object:
    _check(call)
    state = call.read_json(VerifyBody).state
    send_security_event(call.world, VERIFICATION, {"state": state})
    return {}


def service_account_email(world: World) -> str:
    return f"risc@{world.app.id}.iam.gserviceaccount.com"


def _check(call: Call) -> None:
    """Accept callers that hold the key of the service account, which signs for itself."""
    if call.bearer is None:
        raise Refused(token_missing(call))
    claims = key(call.world, SERVICE_ACCOUNT).claims(call.bearer) or {}
    email, now = service_account_email(call.world), call.world.clock.time()
    mine = claims.get("iss") == claims.get("sub") == email and claims.get("aud") == _AUDIENCE
    if not mine or not isinstance(claims.get("exp"), int) or claims["exp"] <= now:
        raise Refused(token_dead(call))


ROUTES = [
    Route("GET", "/accounts.google.com/.well-known/risc-configuration", configuration),
    Route("GET", f"{_BASE}/stream", get_stream),
    Route("POST", f"{_BASE}/stream:update", update_stream),
    Route("GET", f"{_BASE}/stream/status", get_status),
    Route("POST", f"{_BASE}/stream/status:update", update_status),
    Route("POST", f"{_BASE}/stream:verify", verify_stream),
]
