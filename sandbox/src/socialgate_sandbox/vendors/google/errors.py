"""Google's errors. One cause has up to three shapes, depending on the family of the API."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NoReturn

from starlette.responses import HTMLResponse, Response

from socialgate_sandbox.kit import (
    Call,
    CallRefusedError,
    ErrorBuilder,
    ErrorTable,
    build_call_error_declarer,
    build_error_declarer,
    build_json_response,
    build_require,
)

_RPC_HOST_PREFIXES = ("mybusiness", "businessprofile", "youtubeanalytics", "risc")
_CREDENTIAL_HINT = (
    "Expected OAuth 2 access token, login cookie or other valid authentication credential. "
    "See https://developers.google.com/identity/sign-in/web/devconsole-project."
)
_INVALID_CREDENTIAL_MESSAGE = f"Request had invalid authentication credentials. {_CREDENTIAL_HINT}"
_MISSING_CREDENTIAL_MESSAGE = f"Request is missing required authentication credential. {_CREDENTIAL_HINT}"
_QUOTA_MESSAGE = (
    "The request cannot be completed because you have exceeded your "
    '<a href="/youtube/v3/getting-started#quota">quota</a>.'
)
# The status names that newer APIs write next to the number.
_STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ALREADY_EXISTS",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


def is_oauth_call(call: Call) -> bool:
    host, _, rest = call.path.lstrip("/").partition("/")
    return (
        host in {"oauth2.googleapis.com", "accounts.google.com"} or "tokeninfo" in rest or rest.startswith("oauth2/v4")
    )


def uses_rpc_errors(call: Call) -> bool:
    """Whether the API uses only `status` and `details`: Business Profile, Analytics, RISC, and user info."""
    return call.path.lstrip("/").startswith(_RPC_HOST_PREFIXES) or "userinfo" in call.path


def build_oauth_error(status: int, error: str, description: str) -> Response:
    return build_json_response({"error": error, "error_description": description}, status)


def build_api_error(
    status: int,
    reason: str,
    message: str,
    domain: str = "global",
    *,
    place: tuple[str, str] | None = None,
    summary: str | None = None,
    worded: bool = False,
    details: Sequence[Mapping[str, Any]] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Build the error of YouTube and Calendar. `place` is the kind and the name of what was wrong.

    Errors that come from a newer part of the service are also `worded`.
    """
    item = {"message": message, "domain": domain, "reason": reason}
    if place:
        item |= {"location": place[1], "locationType": place[0]}
    error: dict[str, Any] = {"code": status, "message": summary or message, "errors": [item]}
    error |= {"status": _STATUS_NAMES[status]} if worded else {}
    error |= {"details": list(details)} if details else {}
    return build_json_response({"error": error}, status, headers)


def build_rpc_error(
    status: int, message: str, *details: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Response:
    """Build the error of the newer APIs."""
    error: dict[str, Any] = {"code": status, "message": message, "status": _STATUS_NAMES[status]}
    error |= {"details": list(details)} if details else {}
    return build_json_response({"error": error}, status, headers)


def build_report_error(message: str, reason: str = "badRequest") -> Response:
    """Reject a report of YouTube Analytics, which has both the older and the newer members."""
    return build_api_error(400, reason, message, worded=True)


require_valid_report = build_require(build_report_error)


def build_field_violation(field: str, description: str) -> Response:
    violation = {"field": field, "description": description}
    detail = {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [violation]}
    return build_rpc_error(400, "Request contains an invalid argument.", detail)


require_field = build_require(build_field_violation)


def raise_refused(response: Response) -> NoReturn:
    raise CallRefusedError(response)


def build_not_found_response(call: Call) -> Response:
    """Respond as Google's front end does, in HTML, whatever the API."""
    text = f"The requested URL <code>/{call.path.lstrip('/').partition('/')[2]}</code> was not found on this server."
    return build_html_error(404, "Error 404 (Not Found)!!1", text)


def refuse_missing_length(call: Call) -> AbstractContextManager[Response | None]:
    """Reject what never reaches an API: Google's front end wants to know how long a request is, even an empty one."""
    has_length = "content-length" in call.headers or "transfer-encoding" in call.headers
    if call.method not in {"POST", "PUT"} or has_length:
        return nullcontext()
    text = f"{call.method} requests require a <code>Content-length</code> header.  <ins>That&rsquo;s all we know.</ins>"
    return nullcontext(build_html_error(411, "Error 411 (Length Required)!!1", text))


def build_html_error(status: int, title: str, text: str) -> Response:
    return HTMLResponse(f"<!DOCTYPE html>\n<html lang=en>\n  <title>{title}</title>\n  <p>{text}</p>\n", status)


@build_call_error_declarer
def declare_error(
    call: Call, api: ErrorBuilder, rpc: ErrorBuilder | None = None, oauth: ErrorBuilder | None = None
) -> Response:
    """Declare an error in the shapes of all families. A family that does not have it itself uses that of `api`."""
    if oauth and is_oauth_call(call):
        return oauth(call)
    return rpc(call) if rpc and uses_rpc_errors(call) else api(call)


_declare_oauth_error, _declare_api_error = (
    build_error_declarer(build_oauth_error),
    build_error_declarer(build_api_error),
)


@build_call_error_declarer
def _declare_rpc_error(
    call: Call, status: int, message: str, info_reason: str = "", *, headers: Mapping[str, str] | None = None
) -> Response:
    return build_rpc_error(
        status, message, *([_build_error_info(call, info_reason)] if info_reason else []), headers=headers
    )


def _build_error_info(call: Call, reason: str) -> dict[str, Any]:
    kind, service = "type.googleapis.com/google.rpc.ErrorInfo", call.path.split("/")[1]
    return {"@type": kind, "reason": reason, "domain": "googleapis.com", "metadata": {"service": service}}


def _declare_token_error(reason: str, message: str, summary: str, oauth: ErrorBuilder | None = None) -> ErrorBuilder:
    headers = {"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/", error="invalid_token"'}
    api = _declare_api_error(
        401, reason, message, place=_AUTHORIZATION_LOCATION, summary=summary, worded=True, headers=headers
    )
    return declare_error(api, _declare_rpc_error(401, summary, headers=headers), oauth)


@build_call_error_declarer
def _declare_scope_error(call: Call, message: str, info_reason: str) -> Response:
    details = [_build_error_info(call, info_reason)]
    return build_api_error(
        403, "insufficientPermissions", "Insufficient Permission", summary=message, worded=True, details=details
    )


def build_invalid_response(call: Call, detail: str) -> Response:
    return declare_error(
        _declare_api_error(400, "parseError", f"Parse Error: {detail}"),
        _declare_rpc_error(400, f"Invalid JSON payload received. {detail}"),
        _declare_oauth_error(400, "invalid_request", detail),
    )(call)


_AUTHORIZATION_LOCATION = ("header", "Authorization")
_UNAVAILABLE_MESSAGE = "The service is currently unavailable."
_API_DISABLED_MESSAGE = "The API has not been used in this project before or it is disabled."
_SCOPE_ERROR_ARGUMENTS = ("Request had insufficient authentication scopes.", "ACCESS_TOKEN_SCOPE_INSUFFICIENT")
_QUOTA_EXCEEDED_TEMPLATE = "Quota exceeded for quota metric 'Requests' and limit 'Requests per {}'."
build_missing_token_error = _declare_token_error("required", "Login Required.", _MISSING_CREDENTIAL_MESSAGE)
# To the app, expired and revoked tokens look the same.
build_invalid_token_error = _declare_token_error(
    "authError",
    "Invalid Credentials",
    _INVALID_CREDENTIAL_MESSAGE,
    _declare_oauth_error(400, "invalid_grant", "Token has been expired or revoked."),
)
ERRORS = ErrorTable(
    rate_limited=declare_error(
        _declare_api_error(403, "rateLimitExceeded", "Rate Limit Exceeded", "usageLimits"),
        _declare_rpc_error(429, _QUOTA_EXCEEDED_TEMPLATE.format("minute"), "RATE_LIMIT_EXCEEDED"),
        _declare_oauth_error(429, "rate_limit_exceeded", "Rate Limit Exceeded"),
    ),
    user_rate_limited=declare_error(
        _declare_api_error(403, "userRateLimitExceeded", "User Rate Limit Exceeded", "usageLimits"),
        _declare_rpc_error(429, "Resource has been exhausted (e.g. check quota)."),
    ),
    quota_exhausted=declare_error(
        _declare_api_error(403, "quotaExceeded", _QUOTA_MESSAGE, "youtube.quota"),
        _declare_rpc_error(429, _QUOTA_EXCEEDED_TEMPLATE.format("day"), "RATE_LIMIT_EXCEEDED"),
    ),
    token_expired=build_invalid_token_error,
    token_revoked=build_invalid_token_error,
    permission_missing=declare_error(
        _declare_scope_error(*_SCOPE_ERROR_ARGUMENTS),
        _declare_rpc_error(403, *_SCOPE_ERROR_ARGUMENTS),
        _declare_oauth_error(400, "access_denied", "Access denied"),
    ),
    forbidden=declare_error(
        _declare_api_error(403, "forbidden", "Forbidden"),
        _declare_rpc_error(403, "The caller does not have permission"),
        _declare_oauth_error(403, "access_denied", "Forbidden"),
    ),
    account_suspended=_declare_api_error(
        403, "authenticatedUserAccountSuspended", "The authenticated user's account is suspended.", "youtube.common"
    ),
    account_closed=_declare_api_error(
        403, "authenticatedUserAccountClosed", "The authenticated user's account is closed.", "youtube.common"
    ),
    no_channel=_declare_api_error(
        401, "youtubeSignupRequired", "Unauthorized", "youtube.header", place=_AUTHORIZATION_LOCATION
    ),
    api_disabled=declare_error(
        _declare_api_error(403, "accessNotConfigured", _API_DISABLED_MESSAGE, "usageLimits"),
        _declare_rpc_error(403, _API_DISABLED_MESSAGE, "SERVICE_DISABLED"),
    ),
    client_invalid=declare_error(
        _declare_api_error(403, "accessNotConfigured", "Access Not Configured", "usageLimits"),
        oauth=_declare_oauth_error(401, "invalid_client", "The OAuth client was not found."),
    ),
    admin_policy=declare_error(
        _declare_api_error(403, "forbidden", "Forbidden"),
        oauth=_declare_oauth_error(400, "admin_policy_enforced", "The admin of your domain does not allow this app."),
    ),
    upload_limit=_declare_api_error(
        400, "uploadLimitExceeded", "The user has exceeded the number of videos they may upload.", "youtube.video"
    ),
    processing_failure=_declare_api_error(
        400, "processingFailure", "The request could not be processed.", "youtube.core"
    ),
    not_found=declare_error(
        _declare_api_error(404, "notFound", "Not Found"), _declare_rpc_error(404, "Requested entity was not found.")
    ),
    invalid=declare_error(
        _declare_api_error(400, "invalid", "Invalid Value"),
        _declare_rpc_error(400, "Request contains an invalid argument."),
        _declare_oauth_error(400, "invalid_request", "Bad Request"),
    ),
    sync_expired=_declare_api_error(
        410,
        "fullSyncRequired",
        "Sync token is no longer valid, a full sync is required.",
        "calendar",
        place=("parameter", "syncToken"),
    ),
    temporarily_unavailable=declare_error(
        _declare_api_error(503, "backendError", _UNAVAILABLE_MESSAGE),
        _declare_rpc_error(503, _UNAVAILABLE_MESSAGE),
        _declare_oauth_error(503, "temporarily_unavailable", _UNAVAILABLE_MESSAGE),
    ),
    internal_error=declare_error(
        _declare_api_error(500, "backendError", "Backend Error"),
        _declare_rpc_error(500, "Internal error encountered."),
        _declare_oauth_error(500, "internal_failure", "Backend Error"),
    ),
)
build_refusal = ERRORS.build_refusal
