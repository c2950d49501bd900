"""Errors of the Cloud API as callers see them: the Graph's envelope, with details for messaging errors."""

from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import build_error_response, declare_error, declare_unknown_object
from socialgate_sandbox.dialects.graph.tokens import build_token_errors
from socialgate_sandbox.kit import Call, CallRefusedError, ErrorTable, build_error_declarer

UNAUTHORIZED_STATUS = 401


def build_messaging_error(code: int, title: str, details: str, *, status: int = 400) -> Response:
    """Build a messaging error, which says more in `error_data`."""
    data = {"messaging_product": "whatsapp", "details": details}
    return build_error_response(f"(#{code}) {title}", code, data=data, status=status)


def build_parameter_response(details: str) -> Response:
    return build_messaging_error(100, "Invalid parameter", details)


def build_missing_token_response(_call: Call) -> Response:
    return build_error_response(
        "An access token is required to request this resource.", 104, status=UNAUTHORIZED_STATUS
    )


def build_missing_scope_error(scope: str) -> CallRefusedError:
    return CallRefusedError(
        build_error_response(f"(#200) Requires {scope} permission to manage the object", 200, status=403)
    )


_TOO_MANY_MESSAGES = "Message failed to send because there were too many messages"
_WINDOW_CLOSED_MESSAGE = (
    "Message failed to send because more than 24 hours have passed since the customer last replied to this number."
)
_declare_messaging_error = build_error_declarer(build_messaging_error)
ERRORS = ErrorTable(
    throughput_limited=_declare_messaging_error(130429, "Rate limit hit", f"{_TOO_MANY_MESSAGES}.", status=429),
    pair_rate_limited=_declare_messaging_error(
        131056,
        "(Business Account, Consumer Account) pair rate limit hit",
        f"{_TOO_MANY_MESSAGES} sent from this phone number to the same one.",
    ),
    spam_rate_limited=_declare_messaging_error(
        131048, "Spam rate limit hit", "Too many messages were blocked or flagged as spam."
    ),
    invalid=_declare_messaging_error(
        131009, "Parameter value is not valid", "One or more parameter values are invalid."
    ),
    parameter_missing=_declare_messaging_error(
        131008, "Required parameter is missing", "A required parameter is missing."
    ),
    window_closed=_declare_messaging_error(131047, "Re-engagement message", _WINDOW_CLOSED_MESSAGE),
    recipient_not_allowed=_declare_messaging_error(
        131030, "Recipient phone number not in allowed list", "Add the recipient first."
    ),
    undeliverable=_declare_messaging_error(131026, "Message undeliverable", "Message Undeliverable."),
    account_locked=_declare_messaging_error(
        131031, "Business Account locked", "The account has been restricted or disabled.", status=403
    ),
    not_registered=_declare_messaging_error(133010, "Account not registered", "The phone number is not registered."),
    pin_mismatch=_declare_messaging_error(133005, "Two step verification PIN Mismatch", "The PIN is incorrect."),
    register_limited=_declare_messaging_error(
        133016, "Account register deregister rate limit exceeded", "Too many attempts."
    ),
    template_missing=_declare_messaging_error(
        132001, "Template name does not exist in the translation", "The template does not exist.", status=404
    ),
    media_download_failed=_declare_messaging_error(
        131052, "Media download error", "Unable to download the media sent by the user."
    ),
    media_upload_failed=_declare_messaging_error(
        131053, "Media upload error", "Unable to upload the media used in the message."
    ),
    something_wrong=_declare_messaging_error(
        131000, "Something went wrong", "Message failed to send due to an unknown error.", status=500
    ),
    service_unavailable=_declare_messaging_error(
        131016, "Service unavailable", "A service is temporarily unavailable.", status=503
    ),
    rate_limited=declare_error(
        "(#4) Application request limit reached", 4, subcode=2446079, status=429, transient=True
    ),
    waba_rate_limited=declare_error("(#80007) WhatsApp Business Account has reached its rate limit", 80007, status=429),
    **build_token_errors(status=UNAUTHORIZED_STATUS),
    authentication_failed=declare_error("AuthException", 0, status=UNAUTHORIZED_STATUS),
    permission_missing=declare_error("(#200) Permissions error", 200, status=403),
    permission_denied=declare_error("(#10) Application does not have permission for this action", 10, status=403),
    capability_missing=declare_error(
        "(#3) Application does not have the capability to make this API call.", 3, status=500
    ),
    not_found=declare_unknown_object(),
    number_deleted=declare_error("(#33) Parameter value is not valid", 33),
    blocked=declare_error("(#368) Temporarily blocked for policies violations", 368, status=403),
    temporarily_unavailable=declare_error(
        "An unexpected error occurred. Please retry your request", 2, status=503, transient=True
    ),
    unknown=declare_error("An unknown error occurred", 1, status=500),
)
build_refusal = ERRORS.build_refusal
