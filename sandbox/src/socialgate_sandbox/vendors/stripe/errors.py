"""Errors of Stripe: one object with a type, and a code and the parameter where there are any."""

from starlette.responses import HTMLResponse, Response

from socialgate_sandbox.kit import Call, ErrorTable, Refused, fixed, per_call, reply

INVALID = "invalid_request_error"
_HELP = "or we can help at https://support.stripe.com/."


def request_id(call: Call) -> str:
    return f"req_{call.id}"


def failed(
    call: Call,
    status: int,
    kind: str,
    message: str,
    code: str | None = None,
    param: str | None = None,
    decline_code: str | None = None,
) -> Response:
    given = {
        "code": code,
        "decline_code": decline_code,
        "doc_url": f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}" if code else None,
        "message": message,
        "param": param,
        "request_log_url": f"https://dashboard.stripe.com/test/logs/{request_id(call)}?t={int(call.world.clock.time())}",
        "type": kind,
    }
    headers = {"WWW-Authenticate": 'Basic realm="Stripe"'} if status == 401 else {}  # noqa: PLR2004 - Unauthorized
    return reply({"error": {name: value for name, value in given.items() if value is not None}}, status, headers)


row = per_call(failed)


def invalid(message: str, param: str | None = None, code: str | None = None, status: int = 400) -> Refused:
    return Refused(row(status, INVALID, message, code, param))


def missing(what: str, key: str, param: str, status: int = 400) -> Refused:
    """Refuse the id of something that does not exist: 404 if it is in the path, otherwise 400."""
    return invalid(f"No such {what}: '{key}'", param, "resource_missing", status)


def unknown_path(call: Call) -> Response:
    path = call.path.removeprefix("/api.stripe.com")
    said = f"Unrecognized request URL ({call.method}: {path}). Please see https://stripe.com/docs {_HELP}"
    return failed(call, 404, INVALID, said)


def unreadable(call: Call, detail: str) -> Response:
    return failed(call, 400, INVALID, detail)


_LIMIT = "Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits."
_LOCK = (
    "This object cannot be accessed right now because another API request or Stripe process is currently accessing it. "
    "If you see this error intermittently, retry the request."
)
_SAME_KEY = (
    "There is currently another in-progress request using this Stripe API Idempotency Key (that probably means you "
    "submitted twice, and the other request is still going through). Please try again later."
)
NO_KEY = (
    "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth "
    "(e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, "
) + _HELP
ERRORS = ErrorTable(
    rate_limited=row(429, INVALID, _LIMIT, "rate_limit"),
    lock_timeout=row(429, INVALID, _LOCK, "lock_timeout"),
    key_in_use=row(409, "idempotency_error", _SAME_KEY, "idempotency_key_in_use"),
    key_expired=row(401, INVALID, "Expired API Key provided: sk_test_***", "api_key_expired"),
    permission_missing=row(403, INVALID, "The provided key does not have the required permissions for this endpoint."),
    card_declined=row(402, "card_error", "Your card was declined.", "card_declined", None, "generic_decline"),
    not_found=row(404, INVALID, "No such object: 'unknown'", "resource_missing", "id"),
    invalid=row(400, INVALID, "Received unknown parameter: unknown", "parameter_unknown", "unknown"),
    internal_error=row(500, "api_error", f"An unknown error occurred. You can retry, {_HELP}"),
    unavailable=row(503, "api_error", "Stripe is temporarily unavailable. Please try again."),
    # A gateway that cannot reach its backend.
    unreachable=fixed(HTMLResponse)("<html><head><title>502 Bad Gateway</title></head></html>", 502),
)
