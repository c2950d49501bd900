"""WaSender's errors: a sentence, sometimes with `success`, and the invalid fields if it validated them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from socialgate.sandbox.kit import Call, ErrorMaker, Refused, reply


def answered(data: Any, status: int = 200) -> Response:
    return reply({"success": True, "data": data}, status)


def failed(status: int, message: str, **more: Any) -> Response:
    return reply({"success": False, "message": message, **more}, status)


@dataclass(frozen=True)
class Failure:
    status: int
    message: str
    retry_after: int = 0
    # Responses of the framework itself have no `success`.
    bare: bool = False

    def __call__(self, _call: Call | None = None) -> Response:
        body: dict[str, Any] = {} if self.bare else {"success": False}
        body["message"] = self.message
        if self.retry_after:
            return reply(body | {"retry_after": self.retry_after}, self.status, {"Retry-After": str(self.retry_after)})
        return reply(body, self.status)


def refusal(name: str) -> Refused:
    return Refused(FAILURES[name]())


def invalid_fields(errors: Mapping[str, Sequence[str]]) -> Refused:
    return Refused(failed(422, "Validation failed", errors=errors))


def too_fast(message: str, seconds: int) -> Refused:
    return Refused(Failure(429, message, max(seconds, 1), bare=True)())


def unknown_path(call: Call) -> Response:
    return reply({"message": f"The route {call.path.strip('/')} could not be found."}, 404)


def unreadable(_call: Call, detail: str) -> Response:
    return failed(422, "Validation failed", errors={"body": [detail]})


def _invalid(_call: Call) -> Response:
    return failed(
        422,
        "Validation failed",
        errors={
            "to": ["The to field is required."],
            "text": ["The text field is required when no media is present."],
        },
    )


FAILURES = {
    "rate_limited": Failure(429, "Too many requests. Please slow down.", 5, bare=True),
    "trial_limited": Failure(
        429, "You are on a free trial. You can only send 1 message every 1 minute.", 60, bare=True
    ),
    "protected": Failure(
        429, "You have account protection enabled. You can only send 1 message every 5 seconds.", 5, bare=True
    ),
    "quota_exceeded": Failure(429, "You have reached your daily limit of 50 messages.", 3600, bare=True),
    "token_missing": Failure(401, "API key is required"),
    "token_revoked": Failure(401, "Invalid API key"),
    "unauthenticated": Failure(401, "Unauthenticated.", bare=True),
    "permission_missing": Failure(403, "This action is unauthorized.", bare=True),
    "subscription_inactive": Failure(403, "An active subscription is required."),
    "session_limit": Failure(403, "You have reached the session limit of your plan."),
    "not_found": Failure(404, "WhatsApp session not found."),
    "not_connected": Failure(400, "Your WhatsApp session is not connected. Please connect your session."),
    "qr_not_ready": Failure(400, "QR code is not available. Please connect the session first."),
    "internal_error": Failure(500, "Server Error", bare=True),
    "temporarily_unavailable": Failure(503, "Service Unavailable", bare=True),
}
ERRORS: dict[str, ErrorMaker] = {**FAILURES, "invalid": _invalid}
