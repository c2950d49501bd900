"""Errors of the Cloud API as callers see them: the Graph's envelope, with details for messaging errors."""

from collections.abc import Mapping

from starlette.responses import Response

from socialgate.sandbox.dialects.graph.errors import failure, unknown_object, unknown_path
from socialgate.sandbox.dialects.graph.tokens import dead_token, expired_token, unreadable_token
from socialgate.sandbox.kit import Call, ErrorMaker, Refused

UNAUTHORIZED = 401


def messaging(code: int, title: str, details: str, *, status: int = 400, transient: bool | None = None) -> Response:
    """Build a messaging error, which says more in `error_data`."""
    data = {"messaging_product": "whatsapp", "details": details}
    return failure(f"(#{code}) {title}", code, data=data, status=status, transient=transient)


def bad_parameter(details: str) -> Response:
    return messaging(100, "Invalid parameter", details)


def missing_token(_call: Call) -> Response:
    return failure("An access token is required to request this resource.", 104, status=UNAUTHORIZED)


def missing_scope(scope: str) -> Refused:
    message = f"(#200) Requires {scope} permission to manage the object"
    return Refused(failure(message, 200, status=403))


# Code, title, details, status.
_MESSAGING: Mapping[str, tuple[int, str, str, int]] = {
    "throughput_limited": (
        130429,
        "Rate limit hit",
        "Message failed to send because there were too many messages.",
        429,
    ),
    "pair_rate_limited": (
        131056,
        "(Business Account, Consumer Account) pair rate limit hit",
        "Message failed to send because there were too many messages sent from this phone number to the same one.",
        400,
    ),
    "spam_rate_limited": (131048, "Spam rate limit hit", "Too many messages were blocked or flagged as spam.", 400),
    "invalid": (131009, "Parameter value is not valid", "One or more parameter values are invalid.", 400),
    "parameter_missing": (131008, "Required parameter is missing", "A required parameter is missing.", 400),
    "window_closed": (
        131047,
        "Re-engagement message",
        "Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
        400,
    ),
    "recipient_not_allowed": (131030, "Recipient phone number not in allowed list", "Add the recipient first.", 400),
    "undeliverable": (131026, "Message undeliverable", "Message Undeliverable.", 400),
    "account_locked": (131031, "Business Account locked", "The account has been restricted or disabled.", 403),
    "not_registered": (133010, "Account not registered", "The phone number is not registered.", 400),
    "pin_mismatch": (133005, "Two step verification PIN Mismatch", "The PIN is incorrect.", 400),
    "register_limited": (133016, "Account register deregister rate limit exceeded", "Too many attempts.", 400),
    "template_missing": (
        132001,
        "Template name does not exist in the translation",
        "The template does not exist.",
        404,
    ),
    "media_download_failed": (131052, "Media download error", "Unable to download the media sent by the user.", 400),
    "media_upload_failed": (131053, "Media upload error", "Unable to upload the media used in the message.", 400),
    "something_wrong": (131000, "Something went wrong", "Message failed to send due to an unknown error.", 500),
    "service_unavailable": (131016, "Service unavailable", "A service is temporarily unavailable.", 503),
}


def named(name: str) -> Response:
    code, title, details, status = _MESSAGING[name]
    return messaging(code, title, details, status=status)


def _named(name: str) -> ErrorMaker:
    return lambda _call: named(name)


def _simple(message: str, code: int, **more: object) -> ErrorMaker:
    return lambda _call: failure(message, code, **more)  # type: ignore[arg-type]  # the named members of `failure`


ERRORS: Mapping[str, ErrorMaker] = {
    **{name: _named(name) for name in _MESSAGING},
    "rate_limited": _simple("(#4) Application request limit reached", 4, subcode=2446079, status=429, transient=True),
    "waba_rate_limited": _simple("(#80007) WhatsApp Business Account has reached its rate limit", 80007, status=429),
    "token_revoked": lambda call: dead_token(call, "app_removed", UNAUTHORIZED),
    "token_expired": lambda call: expired_token(call, call.world.clock.now(), UNAUTHORIZED),
    "token_invalid": lambda call: unreadable_token(call, UNAUTHORIZED),
    "authentication_failed": _simple("AuthException", 0, status=UNAUTHORIZED),
    "permission_missing": _simple("(#200) Permissions error", 200, status=403),
    "permission_denied": _simple("(#10) Application does not have permission for this action", 10, status=403),
    "capability_missing": _simple(
        "(#3) Application does not have the capability to make this API call.", 3, status=500
    ),
    "not_found": lambda call: unknown_object(call.method, "0").response,
    "number_deleted": _simple("(#33) Parameter value is not valid", 33),
    "blocked": _simple("(#368) Temporarily blocked for policies violations", 368, status=403),
    "temporarily_unavailable": _simple(
        "An unexpected error occurred. Please retry your request", 2, status=503, transient=True
    ),
    "unknown": _simple("An unknown error occurred", 1, status=500),
}


def not_found(call: Call) -> Response:
    return unknown_path(call.path.split("/", 2)[-1])


def invalid(_call: Call, why: str) -> Response:
    return bad_parameter(why)
