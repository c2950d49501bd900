"""WaSender's errors: a sentence, sometimes with `success`, and the invalid fields if it validated them."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, CallRefusedError, ErrorTable, build_error_declarer, build_json_response


def build_success_response(data: Any, status: int = 200) -> Response:
    return build_json_response({"success": True, "data": data}, status)


def build_error_response(status: int, message: str, **extra_fields: Any) -> Response:
    return build_json_response({"success": False, "message": message, **extra_fields}, status)


def build_framework_error(status: int, message: str, retry_after: int = 0) -> Response:
    """Build an error of the framework itself, which has no `success`."""
    wait = {"retry_after": retry_after} if retry_after else {}
    return build_json_response({"message": message, **wait}, status, {"Retry-After": str(retry_after)} if wait else {})


def build_invalid_fields_error(errors: Mapping[str, Sequence[str]]) -> CallRefusedError:
    return CallRefusedError(build_error_response(422, "Validation failed", errors=errors))


def build_unknown_path_response(call: Call) -> Response:
    return build_framework_error(404, f"The route {call.path.strip('/')} could not be found.")


def build_unreadable_response(_call: Call, detail: str) -> Response:
    return build_error_response(422, "Validation failed", errors={"body": [detail]})


declare_error, declare_framework_error = (
    build_error_declarer(build_error_response),
    build_error_declarer(build_framework_error),
)
ERRORS = ErrorTable(
    rate_limited=declare_framework_error(429, "Too many requests. Please slow down.", 5),
    trial_limited=declare_framework_error(
        429, "You are on a free trial. You can only send 1 message every 1 minute.", 60
    ),
    protected=declare_framework_error(
        429, "You have account protection enabled. You can only send 1 message every 5 seconds.", 5
    ),
    quota_exceeded=declare_framework_error(429, "You have reached your daily limit of 50 messages.", 3600),
    token_missing=declare_error(401, "API key is required"),
    token_revoked=declare_error(401, "Invalid API key"),
    unauthenticated=declare_framework_error(401, "Unauthenticated."),
    permission_missing=declare_framework_error(403, "This action is unauthorized."),
    subscription_inactive=declare_error(403, "An active subscription is required."),
    session_limit=declare_error(403, "You have reached the session limit of your plan."),
    not_found=declare_error(404, "WhatsApp session not found."),
    not_connected=declare_error(400, "Your WhatsApp session is not connected. Please connect your session."),
    qr_not_ready=declare_error(400, "QR code is not available. Please connect the session first."),
    invalid=declare_error(
        422,
        "Validation failed",
        errors={
            "to": ["The to field is required."],
            "text": ["The text field is required when no media is present."],
        },
    ),
    internal_error=declare_framework_error(500, "Server Error"),
    temporarily_unavailable=declare_framework_error(503, "Service Unavailable"),
)
build_refusal = ERRORS.build_refusal
