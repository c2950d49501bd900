"""TikTok's errors: an envelope with a code for the API, a flat body for OAuth."""

from functools import partial
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, ErrorTable, hexadecimal, per_call, reply, requiring

_OAUTH = "/open.tiktokapis.com/v2/oauth/"


def log_id() -> str:
    return f"2026{hexadecimal(28).upper()}"


def answered(data: Any) -> Response:
    return reply({"data": data, "error": {"code": "ok", "message": "", "log_id": log_id()}})


def api_error(status: int, code: str, message: str) -> Response:
    return reply({"data": {}, "error": {"code": code, "message": message, "log_id": log_id()}}, status)


def oauth_error(status: int, error: str, description: str) -> Response:
    return reply({"error": error, "error_description": description, "log_id": log_id()}, status)


@per_call
def row(call: Call, status: int, code: str, message: str, oauth: tuple[int, str, str] | None = None) -> Response:
    """Declare an error, with OAuth's names for it if they differ."""
    if oauth and call.path.startswith(_OAUTH):
        return oauth_error(*oauth)
    return api_error(status, code, message)


# Input of Content Posting.
require_param = requiring(partial(api_error, 400, "invalid_param"))


def unknown_path(_call: Call) -> Response:
    return Response("Unsupported path(Janus)", 404, media_type="text/plain")


def unreadable(call: Call, detail: str) -> Response:
    # Content Posting and Display spell the code for bad input differently.
    code = "invalid_param" if "/post/publish/" in call.path else "invalid_params"
    return row(400, code, detail, (400, "invalid_request", detail))(call)


_LIMIT = (429, "rate_limit_exceeded", "The API rate limit was exceeded. Please try again later.")
_DEAD = (401, "access_token_invalid", "The access token is invalid or not found in the request.")
_GRANT = (400, "invalid_grant", "Refresh token is invalid or expired.")
_NO_SCOPE = "The user did not authorize the scope required for completing this request."
_CAPPED = "The user has reached the daily post cap from the API for the current day."
_PENDING = "There are too many pending shares within the last 24 hours."
_UNAUDITED = "unaudited_client_can_only_post_to_private_accounts"
_WRONG = "Something is wrong."
ERRORS = ErrorTable(
    rate_limited=row(*_LIMIT, _LIMIT),
    token_expired=row(*_DEAD, _GRANT),
    token_revoked=row(*_DEAD, _GRANT),
    permission_missing=row(
        401, "scope_not_authorized", _NO_SCOPE, (400, "invalid_scope", "The requested scope is invalid.")
    ),
    scope_permission_missed=row(
        400, "scope_permission_missed", "The access token lacks the scope of a requested field."
    ),
    not_found=row(400, "invalid_publish_id", "The publish_id does not exist."),
    invalid=lambda call: unreadable(call, "One or more fields in the request are invalid."),
    client_invalid=row(*_DEAD, (401, "invalid_client", "Client key or secret is incorrect.")),
    too_many_posts=row(403, "spam_risk_too_many_posts", _CAPPED),
    too_many_drafts=row(403, "spam_risk_too_many_pending_share", _PENDING),
    user_banned=row(403, "spam_risk_user_banned_from_posting", "The user is banned from making new posts."),
    user_cap=row(403, "reached_active_user_cap", "The daily quota for active publishing users is reached."),
    unaudited=row(403, _UNAUDITED, "Unaudited clients can only post to a private account."),
    url_unverified=row(403, "url_ownership_unverified", "Please verify the ownership of the URL."),
    privacy_mismatch=row(
        403, "privacy_level_option_mismatch", "The privacy level is not among the options of the creator."
    ),
    temporarily_unavailable=row(
        503, "internal_error", _WRONG, (503, "temporarily_unavailable", "Please try again later.")
    ),
    internal_error=row(500, "internal_error", _WRONG, (500, "server_error", _WRONG)),
)
refusal = ERRORS.refusal
