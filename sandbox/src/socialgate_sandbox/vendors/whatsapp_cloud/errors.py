"""Errors of the Cloud API as callers see them: the Graph's envelope, with details for messaging errors."""

from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import failure, no_object, row
from socialgate_sandbox.dialects.graph.tokens import token_errors
from socialgate_sandbox.kit import Call, ErrorTable, Refused, fixed

UNAUTHORIZED = 401


def messaging(code: int, title: str, details: str, *, status: int = 400) -> Response:
    """Build a messaging error, which says more in `error_data`."""
    data = {"messaging_product": "whatsapp", "details": details}
    return failure(f"(#{code}) {title}", code, data=data, status=status)


def bad_parameter(details: str) -> Response:
    return messaging(100, "Invalid parameter", details)


def missing_token(_call: Call) -> Response:
    return failure("An access token is required to request this resource.", 104, status=UNAUTHORIZED)


def missing_scope(scope: str) -> Refused:
    return Refused(failure(f"(#200) Requires {scope} permission to manage the object", 200, status=403))


_CROWDED = "Message failed to send because there were too many messages"
_LATE = "Message failed to send because more than 24 hours have passed since the customer last replied to this number."
_message = fixed(messaging)
ERRORS = ErrorTable(
    throughput_limited=_message(130429, "Rate limit hit", f"{_CROWDED}.", status=429),
    pair_rate_limited=_message(
        131056,
        "(Business Account, Consumer Account) pair rate limit hit",
        f"{_CROWDED} sent from this phone number to the same one.",
    ),
    spam_rate_limited=_message(131048, "Spam rate limit hit", "Too many messages were blocked or flagged as spam."),
    invalid=_message(131009, "Parameter value is not valid", "One or more parameter values are invalid."),
    parameter_missing=_message(131008, "Required parameter is missing", "A required parameter is missing."),
    window_closed=_message(131047, "Re-engagement message", _LATE),
    recipient_not_allowed=_message(131030, "Recipient phone number not in allowed list", "Add the recipient first."),
    undeliverable=_message(131026, "Message undeliverable", "Message Undeliverable."),
    account_locked=_message(
        131031, "Business Account locked", "The account has been restricted or disabled.", status=403
    ),
    not_registered=_message(133010, "Account not registered", "The phone number is not registered."),
    pin_mismatch=_message(133005, "Two step verification PIN Mismatch", "The PIN is incorrect."),
    register_limited=_message(133016, "Account register deregister rate limit exceeded", "Too many attempts."),
    template_missing=_message(
        132001, "Template name does not exist in the translation", "The template does not exist.", status=404
    ),
    media_download_failed=_message(131052, "Media download error", "Unable to download the media sent by the user."),
    media_upload_failed=_message(131053, "Media upload error", "Unable to upload the media used in the message."),
    something_wrong=_message(
        131000, "Something went wrong", "Message failed to send due to an unknown error.", status=500
    ),
    service_unavailable=_message(131016, "Service unavailable", "A service is temporarily unavailable.", status=503),
    rate_limited=row("(#4) Application request limit reached", 4, subcode=2446079, status=429, transient=True),
    waba_rate_limited=row("(#80007) WhatsApp Business Account has reached its rate limit", 80007, status=429),
    **token_errors(status=UNAUTHORIZED),
    authentication_failed=row("AuthException", 0, status=UNAUTHORIZED),
    permission_missing=row("(#200) Permissions error", 200, status=403),
    permission_denied=row("(#10) Application does not have permission for this action", 10, status=403),
    capability_missing=row("(#3) Application does not have the capability to make this API call.", 3, status=500),
    not_found=no_object(),
    number_deleted=row("(#33) Parameter value is not valid", 33),
    blocked=row("(#368) Temporarily blocked for policies violations", 368, status=403),
    temporarily_unavailable=row(
        "An unexpected error occurred. Please retry your request", 2, status=503, transient=True
    ),
    unknown=row("An unknown error occurred", 1, status=500),
)
refusal = ERRORS.refusal
