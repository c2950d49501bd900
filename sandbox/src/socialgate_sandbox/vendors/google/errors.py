"""Google's errors. One cause has up to three shapes, depending on the family of the API."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NoReturn

from starlette.responses import HTMLResponse, Response

from socialgate_sandbox.kit import Call, ErrorMaker, ErrorTable, Refused, fixed, per_call, reply, requiring

_BUSINESS = ("mybusiness", "businessprofile", "youtubeanalytics", "risc")
_CREDENTIAL = (
    "Expected OAuth 2 access token, login cookie or other valid authentication credential. "
    "See https://developers.google.com/identity/sign-in/web/devconsole-project."
)
_INVALID_CREDENTIAL = f"Request had invalid authentication credentials. {_CREDENTIAL}"
_MISSING_CREDENTIAL = f"Request is missing required authentication credential. {_CREDENTIAL}"
_QUOTA = (
    "The request cannot be completed because you have exceeded your "
    '<a href="/youtube/v3/getting-started#quota">quota</a>.'
)
# The status names that newer APIs write next to the number.
_WORDS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ALREADY_EXISTS",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


def is_oauth(call: Call) -> bool:
    host, _, rest = call.path.lstrip("/").partition("/")
    return (
        host in {"oauth2.googleapis.com", "accounts.google.com"} or "tokeninfo" in rest or rest.startswith("oauth2/v4")
    )


def is_newer(call: Call) -> bool:
    """Whether the API uses only `status` and `details`: Business Profile, Analytics, RISC, and user info."""
    return call.path.lstrip("/").startswith(_BUSINESS) or "userinfo" in call.path


def oauth_error(status: int, error: str, description: str) -> Response:
    return reply({"error": error, "error_description": description}, status)


def api_error(
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
    one = {"message": message, "domain": domain, "reason": reason}
    if place:
        one |= {"location": place[1], "locationType": place[0]}
    error: dict[str, Any] = {"code": status, "message": summary or message, "errors": [one]}
    error |= {"status": _WORDS[status]} if worded else {}
    error |= {"details": list(details)} if details else {}
    return reply({"error": error}, status, headers)


def rpc_error(
    status: int, message: str, *details: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Response:
    """Build the error of the newer APIs."""
    error: dict[str, Any] = {"code": status, "message": message, "status": _WORDS[status]}
    error |= {"details": list(details)} if details else {}
    return reply({"error": error}, status, headers)


def query_error(message: str, reason: str = "badRequest") -> Response:
    """Reject a report of YouTube Analytics, which has both the older and the newer members."""
    return api_error(400, reason, message, worded=True)


require = requiring(query_error)


def field_violation(field: str, description: str) -> Response:
    violation = {"field": field, "description": description}
    detail = {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [violation]}
    return rpc_error(400, "Request contains an invalid argument.", detail)


require_field = requiring(field_violation)


def refuse(answer: Response) -> NoReturn:
    raise Refused(answer)


def unknown_path(call: Call) -> Response:
    """Respond as Google's front end does, in HTML, whatever the API."""
    text = f"The requested URL <code>/{call.path.lstrip('/').partition('/')[2]}</code> was not found on this server."
    return html_error(404, "Error 404 (Not Found)!!1", text)


def front_end(call: Call) -> AbstractContextManager[Response | None]:
    """Reject what never reaches an API: Google's front end wants to know how long a request is, even an empty one."""
    has_length = "content-length" in call.headers or "transfer-encoding" in call.headers
    if call.method not in {"POST", "PUT"} or has_length:
        return nullcontext()
    text = f"{call.method} requests require a <code>Content-length</code> header.  <ins>That&rsquo;s all we know.</ins>"
    return nullcontext(html_error(411, "Error 411 (Length Required)!!1", text))


def html_error(status: int, title: str, text: str) -> Response:
    return HTMLResponse(f"<!DOCTYPE html>\n<html lang=en>\n  <title>{title}</title>\n  <p>{text}</p>\n", status)


@per_call
def row(call: Call, api: ErrorMaker, rpc: ErrorMaker | None = None, oauth: ErrorMaker | None = None) -> Response:
    """Declare an error in the shapes of all families. A family that does not have it itself uses that of `api`."""
    if oauth and is_oauth(call):
        return oauth(call)
    return rpc(call) if rpc and is_newer(call) else api(call)


_oauth, _api = fixed(oauth_error), fixed(api_error)


@per_call
def _rpc(
    call: Call, status: int, message: str, info: str = "", *, headers: Mapping[str, str] | None = None
) -> Response:
    return rpc_error(status, message, *([_info(call, info)] if info else []), headers=headers)


def _info(call: Call, reason: str) -> dict[str, Any]:
    kind, service = "type.googleapis.com/google.rpc.ErrorInfo", call.path.split("/")[1]
    return {"@type": kind, "reason": reason, "domain": "googleapis.com", "metadata": {"service": service}}


def _unauthenticated(reason: str, message: str, summary: str, oauth: ErrorMaker | None = None) -> ErrorMaker:
    headers = {"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/", error="invalid_token"'}
    api = _api(401, reason, message, place=_HEADER, summary=summary, worded=True, headers=headers)
    return row(api, _rpc(401, summary, headers=headers), oauth)


@per_call
def _unscoped(call: Call, message: str, info: str) -> Response:
    details = [_info(call, info)]
    return api_error(
        403, "insufficientPermissions", "Insufficient Permission", summary=message, worded=True, details=details
    )


def unreadable(call: Call, detail: str) -> Response:
    return row(
        _api(400, "parseError", f"Parse Error: {detail}"),
        _rpc(400, f"Invalid JSON payload received. {detail}"),
        _oauth(400, "invalid_request", detail),
    )(call)


_HEADER = ("header", "Authorization")
_BACKEND = "The service is currently unavailable."
_DISABLED = "The API has not been used in this project before or it is disabled."
_UNSCOPED = ("Request had insufficient authentication scopes.", "ACCESS_TOKEN_SCOPE_INSUFFICIENT")
_EXCEEDED = "Quota exceeded for quota metric 'Requests' and limit 'Requests per {}'."
token_missing = _unauthenticated("required", "Login Required.", _MISSING_CREDENTIAL)
# To the app, expired and revoked tokens look the same.
token_dead = _unauthenticated(
    "authError",
    "Invalid Credentials",
    _INVALID_CREDENTIAL,
    _oauth(400, "invalid_grant", "Token has been expired or revoked."),
)
ERRORS = ErrorTable(
    rate_limited=row(
        _api(403, "rateLimitExceeded", "Rate Limit Exceeded", "usageLimits"),
        _rpc(429, _EXCEEDED.format("minute"), "RATE_LIMIT_EXCEEDED"),
        _oauth(429, "rate_limit_exceeded", "Rate Limit Exceeded"),
    ),
    user_rate_limited=row(
        _api(403, "userRateLimitExceeded", "User Rate Limit Exceeded", "usageLimits"),
        _rpc(429, "Resource has been exhausted (e.g. check quota)."),
    ),
    quota_exhausted=row(
        _api(403, "quotaExceeded", _QUOTA, "youtube.quota"),
        _rpc(429, _EXCEEDED.format("day"), "RATE_LIMIT_EXCEEDED"),
    ),
    token_expired=token_dead,
    token_revoked=token_dead,
    permission_missing=row(_unscoped(*_UNSCOPED), _rpc(403, *_UNSCOPED), _oauth(400, "access_denied", "Access denied")),
    forbidden=row(
        _api(403, "forbidden", "Forbidden"),
        _rpc(403, "The caller does not have permission"),
        _oauth(403, "access_denied", "Forbidden"),
    ),
    account_suspended=_api(
        403, "authenticatedUserAccountSuspended", "The authenticated user's account is suspended.", "youtube.common"
    ),
    account_closed=_api(
        403, "authenticatedUserAccountClosed", "The authenticated user's account is closed.", "youtube.common"
    ),
    no_channel=_api(401, "youtubeSignupRequired", "Unauthorized", "youtube.header", place=_HEADER),
    api_disabled=row(
        _api(403, "accessNotConfigured", _DISABLED, "usageLimits"), _rpc(403, _DISABLED, "SERVICE_DISABLED")
    ),
    client_invalid=row(
        _api(403, "accessNotConfigured", "Access Not Configured", "usageLimits"),
        oauth=_oauth(401, "invalid_client", "The OAuth client was not found."),
    ),
    admin_policy=row(
        _api(403, "forbidden", "Forbidden"),
        oauth=_oauth(400, "admin_policy_enforced", "The admin of your domain does not allow this app."),
    ),
    upload_limit=_api(
        400, "uploadLimitExceeded", "The user has exceeded the number of videos they may upload.", "youtube.video"
    ),
    processing_failure=_api(400, "processingFailure", "The request could not be processed.", "youtube.core"),
    not_found=row(_api(404, "notFound", "Not Found"), _rpc(404, "Requested entity was not found.")),
    invalid=row(
        _api(400, "invalid", "Invalid Value"),
        _rpc(400, "Request contains an invalid argument."),
        _oauth(400, "invalid_request", "Bad Request"),
    ),
    sync_expired=_api(
        410,
        "fullSyncRequired",
        "Sync token is no longer valid, a full sync is required.",
        "calendar",
        place=("parameter", "syncToken"),
    ),
    temporarily_unavailable=row(
        _api(503, "backendError", _BACKEND), _rpc(503, _BACKEND), _oauth(503, "temporarily_unavailable", _BACKEND)
    ),
    internal_error=row(
        _api(500, "backendError", "Backend Error"),
        _rpc(500, "Internal error encountered."),
        _oauth(500, "internal_failure", "Backend Error"),
    ),
)
refusal = ERRORS.refusal
