"""Errors of Stripe: one object with a type, and a code and the parameter where there are any."""

from starlette.responses import HTMLResponse, Response

from socialgate_sandbox.kit import (
    Call,
    CallRefusedError,
    ErrorTable,
    build_call_error_declarer,
    build_error_declarer,
    build_json_response,
)

INVALID_REQUEST_TYPE = "invalid_request_error"
_HELP_TEXT = "or we can help at https://support.stripe.com/."


def build_request_id(call: Call) -> str:
    return f"req_{call.id}"


def build_error_response(
    call: Call,
    status: int,
    error_type: str,
    message: str,
    code: str | None = None,
    param: str | None = None,
    decline_code: str | None = None,
) -> Response:
    input_value = {
        "code": code,
        "decline_code": decline_code,
        "doc_url": f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}" if code else None,
        "message": message,
        "param": param,
        "request_log_url": f"https://dashboard.stripe.com/test/logs/{build_request_id(call)}?t={int(call.context.clock.get_unix_time())}",
        "type": error_type,
    }
    headers = {"WWW-Authenticate": 'Basic realm="Stripe"'} if status == 401 else {}  # noqa: PLR2004 - Unauthorized
    return build_json_response(
        {"error": {name: value for name, value in input_value.items() if value is not None}}, status, headers
    )


declare_error = build_call_error_declarer(build_error_response)


def build_invalid_error(
    message: str, param: str | None = None, code: str | None = None, status: int = 400
) -> CallRefusedError:
    return CallRefusedError(declare_error(status, INVALID_REQUEST_TYPE, message, code, param))


def build_missing_error(object_noun: str, key: str, param: str, status: int = 400) -> CallRefusedError:
    """Refuse the id of something that does not exist: 404 if it is in the path, otherwise 400."""
    return build_invalid_error(f"No such {object_noun}: '{key}'", param, "resource_missing", status)


def build_unknown_path_response(call: Call) -> Response:
    path = call.path.removeprefix("/api.stripe.com")
    message = f"Unrecognized request URL ({call.method}: {path}). Please see https://stripe.com/docs {_HELP_TEXT}"
    return build_error_response(call, 404, INVALID_REQUEST_TYPE, message)


def build_unreadable_response(call: Call, detail: str) -> Response:
    return build_error_response(call, 400, INVALID_REQUEST_TYPE, detail)


_RATE_LIMIT_MESSAGE = (
    "Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits."
)
_LOCK_MESSAGE = (
    "This object cannot be accessed right now because another API request or Stripe process is currently accessing it. "
    "If you see this error intermittently, retry the request."
)
_KEY_IN_USE_MESSAGE = (
    "There is currently another in-progress request using this Stripe API Idempotency Key (that probably means you "
    "submitted twice, and the other request is still going through). Please try again later."
)
NO_API_KEY_MESSAGE = (
    "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth "
    "(e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, "
) + _HELP_TEXT
ERRORS = ErrorTable(
    rate_limited=declare_error(429, INVALID_REQUEST_TYPE, _RATE_LIMIT_MESSAGE, "rate_limit"),
    lock_timeout=declare_error(429, INVALID_REQUEST_TYPE, _LOCK_MESSAGE, "lock_timeout"),
    key_in_use=declare_error(409, "idempotency_error", _KEY_IN_USE_MESSAGE, "idempotency_key_in_use"),
    key_expired=declare_error(401, INVALID_REQUEST_TYPE, "Expired API Key provided: sk_test_***", "api_key_expired"),
    permission_missing=declare_error(
        403, INVALID_REQUEST_TYPE, "The provided key does not have the required permissions for this endpoint."
    ),
    card_declined=declare_error(402, "card_error", "Your card was declined.", "card_declined", None, "generic_decline"),
    not_found=declare_error(404, INVALID_REQUEST_TYPE, "No such object: 'unknown'", "resource_missing", "id"),
    invalid=declare_error(
        400, INVALID_REQUEST_TYPE, "Received unknown parameter: unknown", "parameter_unknown", "unknown"
    ),
    internal_error=declare_error(500, "api_error", f"An unknown error occurred. You can retry, {_HELP_TEXT}"),
    unavailable=declare_error(503, "api_error", "Stripe is temporarily unavailable. Please try again."),
    # A gateway that cannot reach its backend.
    unreachable=build_error_declarer(HTMLResponse)("<html><head><title>502 Bad Gateway</title></head></html>", 502),
)
