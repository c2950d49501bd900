"""Why a token is invalid, reported in the same way by all of Meta's products; only the status differs."""

import hmac
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate.sandbox.dialects.graph.errors import failure
from socialgate.sandbox.kit import Call, ErrorMaker, Refused, per_call

_INVALIDATED = "Error validating access token: "
# Why a token became invalid: the subcode of error 190 and its message.
DEAD: Mapping[str, tuple[int, str]] = {
    "app_removed": (458, "The user has not authorized application {app}."),
    "checkpoint": (
        459,
        "You cannot access the app till you log in to www.facebook.com and follow the instructions given.",
    ),
    "password_changed": (
        460,
        (
            "The session has been invalidated because the user changed their password or Facebook has changed the "
            "session for security reasons."
        ),
    ),
    "unconfirmed_user": (464, "Sessions for the user are not allowed because the user is not a confirmed user."),
    "account_deleted": (465, "The user ID supplied is invalid."),
    "logged_out": (467, "The session is invalid because the user logged out."),
    "role_lost": (
        492,
        (
            "The user must be an administrator, editor, or moderator of the page in order to impersonate it. If the "
            "page business requires Two Factor Authentication, the user also needs to enable Two Factor "
            "Authentication."
        ),
    ),
}


def dead_token(call: Call, why: str, status: int = 400) -> Response:
    subcode, message = DEAD[why]
    return failure(_INVALIDATED + message.format(app=call.world.app.id), 190, subcode=subcode, status=status)


def expired_token(call: Call, expired: datetime, status: int = 400) -> Response:
    form = "%A, %d-%b-%y %H:%M:%S UTC"
    now = call.world.clock.now()
    message = f"Session has expired on {expired:{form}}. The current time is {now:{form}}."
    return failure(_INVALIDATED + message, 190, subcode=463, status=status)


def unreadable_token(_call: Call, status: int = 400) -> Response:
    return failure("Invalid OAuth access token - Cannot parse access token", 190, status=status)


def token_errors(*ended: str, status: int = 400) -> dict[str, ErrorMaker]:
    """Return the rows about tokens that all products have, and those for why a session `ended`."""
    dead = per_call(dead_token)
    return {
        "token_revoked": dead("app_removed", status),
        "token_expired": lambda call: expired_token(call, call.world.clock.now(), status),
        "token_invalid": per_call(unreadable_token)(status),
        **{why: dead(why, status) for why in ended},
    }


def require_proof(call: Call, token: str) -> None:
    """Check the signature of a token with the app's secret, if one was sent."""
    proof = call.params.get("appsecret_proof")
    if proof is not None and proof != hmac.new(call.world.app.secret.encode(), token.encode(), "sha256").hexdigest():
        message = "Invalid appsecret_proof provided in the API argument"
        raise Refused(failure(message, 100, kind="GraphMethodException"))


def fault_of(check: Callable[[Call, str], object], call: Call, given: str) -> dict[str, Any] | None:
    """Return what is wrong with a token, as its inspection reports it; None if nothing is."""
    try:
        check(call, given)
    except Refused as refused:
        error = msgspec.json.decode(refused.response(call).body)["error"]
        members = {"code": error["code"], "message": error["message"], "subcode": error.get("error_subcode")}
        return {name: value for name, value in members.items() if value is not None}
    return None
