"""Google's errors. One cause has up to three shapes, depending on the family of the API."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from starlette.responses import HTMLResponse, Response

from socialgate.sandbox.kit import Call, ErrorMaker, Refused, reply

_BUSINESS = ("mybusiness", "businessprofile", "youtubeanalytics", "risc")
_CREDENTIAL = (
    "Expected OAuth 2 access token, login cookie or other valid authentication credential. "
    "See https://developers.google.com/identity/sign-in/web/devconsole-project."
)
INVALID_CREDENTIAL = f"Request had invalid authentication credentials. {_CREDENTIAL}"
MISSING_CREDENTIAL = f"Request is missing required authentication credential. {_CREDENTIAL}"
_CHALLENGE = 'Bearer realm="https://accounts.google.com/", error="invalid_token"'
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
    detail: Mapping[str, Any] | None = None,
    summary: str | None = None,
) -> Response:
    """Build the error of YouTube and Calendar. `place` is the kind and the name of what was wrong."""
    one = {"message": message, "domain": domain, "reason": reason}
    if place:
        one |= {"location": place[1], "locationType": place[0]}
    error: dict[str, Any] = {"code": status, "message": summary or message, "errors": [one]}
    if detail:
        error |= {"status": _WORDS[status], "details": [detail]}
    return reply({"error": error}, status)


def rpc_error(status: int, message: str, *details: Mapping[str, Any]) -> Response:
    """Build the error of the newer APIs."""
    error: dict[str, Any] = {"code": status, "message": message, "status": _WORDS[status]}
    if details:
        error["details"] = list(details)
    return reply({"error": error}, status)


def query_error(message: str, reason: str = "badRequest") -> Response:
    """Reject a report of YouTube Analytics, which has both the older and the newer members."""
    one = {"message": message, "domain": "global", "reason": reason}
    error = {"code": 400, "message": message, "errors": [one], "status": _WORDS[400]}
    return reply({"error": error}, 400)


def require(fits: object, said: str, reason: str = "badRequest") -> None:
    """Reject a report with invalid parameters."""
    if not fits:
        raise Refused(query_error(said, reason))


def error_info(reason: str, **metadata: str) -> dict[str, Any]:
    kind = "type.googleapis.com/google.rpc.ErrorInfo"
    return {"@type": kind, "reason": reason, "domain": "googleapis.com", "metadata": metadata}


def field_violation(field: str, description: str) -> Response:
    violation = {"field": field, "description": description}
    detail = {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [violation]}
    return rpc_error(400, "Request contains an invalid argument.", detail)


class Api(NamedTuple):
    status: int
    reason: str
    message: str
    domain: str = "global"
    place: tuple[str, str] | None = None


class Rpc(NamedTuple):
    status: int
    message: str
    info: str = ""


class OAuth(NamedTuple):
    status: int
    error: str
    description: str


@dataclass(frozen=True)
class Failure:
    """A named failure. An API that does not have it itself responds in the shape of `api`."""

    api: Api
    rpc: Rpc | None = None
    oauth: OAuth | None = None
    headers: Mapping[str, str] | None = None

    def __call__(self, call: Call) -> Response:
        answer = self._answer(call)
        answer.headers.update(self.headers or {})
        return answer

    def _answer(self, call: Call) -> Response:
        if self.oauth and is_oauth(call):
            return oauth_error(*self.oauth)
        if self.rpc and is_newer(call):
            service = call.path.split("/")[1]
            details = [error_info(self.rpc.info, service=service)] if self.rpc.info else []
            return rpc_error(self.rpc.status, self.rpc.message, *details)
        status, reason, message, domain, place = self.api
        return api_error(status, reason, message, domain, place=place)


def token_dead(call: Call) -> Response:
    """Respond to an invalid token: to the app, expired and revoked look the same."""
    if is_oauth(call):
        return oauth_error(400, "invalid_grant", "Token has been expired or revoked.")
    return _unauthenticated(call, "authError", "Invalid Credentials", INVALID_CREDENTIAL)


def token_missing(call: Call) -> Response:
    return _unauthenticated(call, "required", "Login Required.", MISSING_CREDENTIAL)


def _unauthenticated(call: Call, reason: str, message: str, summary: str) -> Response:
    if is_newer(call):
        answer = rpc_error(401, summary)
    else:
        one = {"message": message, "domain": "global", "reason": reason}
        one |= {"location": "Authorization", "locationType": "header"}
        error = {"code": 401, "message": summary, "errors": [one], "status": "UNAUTHENTICATED"}
        answer = reply({"error": error}, 401)
    answer.headers["WWW-Authenticate"] = _CHALLENGE
    return answer


def permission_missing(call: Call) -> Response:
    service = call.path.split("/")[1]
    message, info = "Request had insufficient authentication scopes.", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    if is_oauth(call):
        return oauth_error(400, "access_denied", "Access denied")
    if is_newer(call):
        return rpc_error(403, message, error_info(info, service=service))
    detail = error_info(info, service=service)
    return api_error(403, "insufficientPermissions", "Insufficient Permission", detail=detail, summary=message)


def refuse(answer: Response) -> NoReturn:
    raise Refused(answer)


def unknown_path(call: Call) -> Response:
    """Respond as Google's front end does, in HTML, whatever the API."""
    text = f"The requested URL <code>/{call.path.lstrip('/').partition('/')[2]}</code> was not found on this server."
    return html_error(404, "Error 404 (Not Found)!!1", text)


def html_error(status: int, title: str, text: str) -> Response:
    return HTMLResponse(f"<!DOCTYPE html>\n<html lang=en>\n  <title>{title}</title>\n  <p>{text}</p>\n", status)


def unreadable(call: Call, detail: str) -> Response:
    if is_oauth(call):
        return oauth_error(400, "invalid_request", detail)
    if is_newer(call):
        return rpc_error(400, f"Invalid JSON payload received. {detail}")
    return api_error(400, "parseError", f"Parse Error: {detail}")


_BACKEND = "The service is currently unavailable."
_HEADER = ("header", "Authorization")
ERRORS: dict[str, ErrorMaker] = {
    "rate_limited": Failure(
        Api(403, "rateLimitExceeded", "Rate Limit Exceeded", "usageLimits"),
        Rpc(429, "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'.", "RATE_LIMIT_EXCEEDED"),
        OAuth(429, "rate_limit_exceeded", "Rate Limit Exceeded"),
    ),
    "user_rate_limited": Failure(
        Api(403, "userRateLimitExceeded", "User Rate Limit Exceeded", "usageLimits"),
        Rpc(429, "Resource has been exhausted (e.g. check quota)."),
    ),
    "quota_exhausted": Failure(
        Api(403, "quotaExceeded", _QUOTA, "youtube.quota"),
        Rpc(429, "Quota exceeded for quota metric 'Requests' and limit 'Requests per day'.", "RATE_LIMIT_EXCEEDED"),
    ),
    "token_expired": token_dead,
    "token_revoked": token_dead,
    "permission_missing": permission_missing,
    "forbidden": Failure(
        Api(403, "forbidden", "Forbidden"),
        Rpc(403, "The caller does not have permission"),
        OAuth(403, "access_denied", "Forbidden"),
    ),
    "account_suspended": Failure(
        Api(
            403, "authenticatedUserAccountSuspended", "The authenticated user's account is suspended.", "youtube.common"
        )
    ),
    "account_closed": Failure(
        Api(403, "authenticatedUserAccountClosed", "The authenticated user's account is closed.", "youtube.common")
    ),
    "no_channel": Failure(Api(401, "youtubeSignupRequired", "Unauthorized", "youtube.header", _HEADER)),
    "api_disabled": Failure(
        Api(
            403,
            "accessNotConfigured",
            "The API has not been used in this project before or it is disabled.",
            "usageLimits",
        ),
        Rpc(403, "The API has not been used in this project before or it is disabled.", "SERVICE_DISABLED"),
    ),
    "client_invalid": Failure(
        Api(403, "accessNotConfigured", "Access Not Configured", "usageLimits"),
        oauth=OAuth(401, "invalid_client", "The OAuth client was not found."),
    ),
    "admin_policy": Failure(
        Api(403, "forbidden", "Forbidden"),
        oauth=OAuth(400, "admin_policy_enforced", "The admin of your domain does not allow this app."),
    ),
    "upload_limit": Failure(
        Api(400, "uploadLimitExceeded", "The user has exceeded the number of videos they may upload.", "youtube.video")
    ),
    "processing_failure": Failure(Api(400, "processingFailure", "The request could not be processed.", "youtube.core")),
    "not_found": Failure(Api(404, "notFound", "Not Found"), Rpc(404, "Requested entity was not found.")),
    "invalid": Failure(
        Api(400, "invalid", "Invalid Value"),
        Rpc(400, "Request contains an invalid argument."),
        OAuth(400, "invalid_request", "Bad Request"),
    ),
    "sync_expired": Failure(
        Api(
            410,
            "fullSyncRequired",
            "Sync token is no longer valid, a full sync is required.",
            "calendar",
            ("parameter", "syncToken"),
        )
    ),
    "temporarily_unavailable": Failure(
        Api(503, "backendError", _BACKEND), Rpc(503, _BACKEND), OAuth(503, "temporarily_unavailable", _BACKEND)
    ),
    "internal_error": Failure(
        Api(500, "backendError", "Backend Error"),
        Rpc(500, "Internal error encountered."),
        OAuth(500, "internal_failure", "Backend Error"),
    ),
}
