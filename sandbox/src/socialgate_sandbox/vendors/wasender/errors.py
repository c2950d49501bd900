"""WaSender's errors: a sentence, sometimes with `success`, and the invalid fields if it validated them."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, ErrorTable, Refused, fixed, reply


def answered(data: Any, status: int = 200) -> Response:
    return reply({"success": True, "data": data}, status)


def failed(status: int, message: str, **more: Any) -> Response:
    return reply({"success": False, "message": message, **more}, status)


def bare(status: int, message: str, retry_after: int = 0) -> Response:
    """Build an error of the framework itself, which has no `success`."""
    wait = {"retry_after": retry_after} if retry_after else {}
    return reply({"message": message, **wait}, status, {"Retry-After": str(retry_after)} if wait else {})


def invalid_fields(errors: Mapping[str, Sequence[str]]) -> Refused:
    return Refused(failed(422, "Validation failed", errors=errors))


def unknown_path(call: Call) -> Response:
    return bare(404, f"The route {call.path.strip('/')} could not be found.")


def unreadable(_call: Call, detail: str) -> Response:
    return failed(422, "Validation failed", errors={"body": [detail]})


row, bare_row = fixed(failed), fixed(bare)
ERRORS = ErrorTable(
    rate_limited=bare_row(429, "Too many requests. Please slow down.", 5),
    trial_limited=bare_row(429, "You are on a free trial. You can only send 1 message every 1 minute.", 60),
    protected=bare_row(429, "You have account protection enabled. You can only send 1 message every 5 seconds.", 5),
    quota_exceeded=bare_row(429, "You have reached your daily limit of 50 messages.", 3600),
    token_missing=row(401, "API key is required"),
    token_revoked=row(401, "Invalid API key"),
    unauthenticated=bare_row(401, "Unauthenticated."),
    permission_missing=bare_row(403, "This action is unauthorized."),
    subscription_inactive=row(403, "An active subscription is required."),
    session_limit=row(403, "You have reached the session limit of your plan."),
    not_found=row(404, "WhatsApp session not found."),
    not_connected=row(400, "Your WhatsApp session is not connected. Please connect your session."),
    qr_not_ready=row(400, "QR code is not available. Please connect the session first."),
    invalid=row(
        422,
        "Validation failed",
        errors={
            "to": ["The to field is required."],
            "text": ["The text field is required when no media is present."],
        },
    ),
    internal_error=bare_row(500, "Server Error"),
    temporarily_unavailable=bare_row(503, "Service Unavailable"),
)
refusal = ERRORS.refusal
