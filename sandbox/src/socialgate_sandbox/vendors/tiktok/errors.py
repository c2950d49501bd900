"""TikTok's errors: an envelope with a code for the API, a flat body for OAuth."""

from functools import partial
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import (
    Call,
    ErrorTable,
    build_call_error_declarer,
    build_json_response,
    build_require,
    generate_hex,
)

_OAUTH_PATH = "/open.tiktokapis.com/v2/oauth/"


def generate_log_id() -> str:
    return f"2026{generate_hex(28).upper()}"


def build_data_response(data: Any) -> Response:
    return build_json_response({"data": data, "error": {"code": "ok", "message": "", "log_id": generate_log_id()}})


def build_api_error(status: int, code: str, message: str) -> Response:
    return build_json_response(
        {"data": {}, "error": {"code": code, "message": message, "log_id": generate_log_id()}}, status
    )


def build_oauth_error(status: int, error: str, description: str) -> Response:
    return build_json_response({"error": error, "error_description": description, "log_id": generate_log_id()}, status)


@build_call_error_declarer
def declare_error(
    call: Call, status: int, code: str, message: str, oauth_arguments: tuple[int, str, str] | None = None
) -> Response:
    """Declare an error, with OAuth's names for it if they differ."""
    if oauth_arguments and call.path.startswith(_OAUTH_PATH):
        return build_oauth_error(*oauth_arguments)
    return build_api_error(status, code, message)


# Input of Content Posting.
require_valid_param = build_require(partial(build_api_error, 400, "invalid_param"))


def build_not_found_response(_call: Call) -> Response:
    return Response("Unsupported path(Janus)", 404, media_type="text/plain")


def build_invalid_response(call: Call, detail: str) -> Response:
    # Content Posting and Display spell the code for bad input differently.
    code = "invalid_param" if "/post/publish/" in call.path else "invalid_params"
    return declare_error(400, code, detail, (400, "invalid_request", detail))(call)


_RATE_LIMIT_ARGUMENTS = (429, "rate_limit_exceeded", "The API rate limit was exceeded. Please try again later.")
_INVALID_TOKEN_ARGUMENTS = (401, "access_token_invalid", "The access token is invalid or not found in the request.")
_INVALID_GRANT_ARGUMENTS = (400, "invalid_grant", "Refresh token is invalid or expired.")
_NO_SCOPE_MESSAGE = "The user did not authorize the scope required for completing this request."
_POST_CAP_MESSAGE = "The user has reached the daily post cap from the API for the current day."
_PENDING_SHARES_MESSAGE = "There are too many pending shares within the last 24 hours."
_UNAUDITED_CODE = "unaudited_client_can_only_post_to_private_accounts"
_INTERNAL_ERROR_MESSAGE = "Something is wrong."
ERRORS = ErrorTable(
    rate_limited=declare_error(*_RATE_LIMIT_ARGUMENTS, _RATE_LIMIT_ARGUMENTS),
    token_expired=declare_error(*_INVALID_TOKEN_ARGUMENTS, _INVALID_GRANT_ARGUMENTS),
    token_revoked=declare_error(*_INVALID_TOKEN_ARGUMENTS, _INVALID_GRANT_ARGUMENTS),
    permission_missing=declare_error(
        401, "scope_not_authorized", _NO_SCOPE_MESSAGE, (400, "invalid_scope", "The requested scope is invalid.")
    ),
    scope_permission_missed=declare_error(
        400, "scope_permission_missed", "The access token lacks the scope of a requested field."
    ),
    not_found=declare_error(400, "invalid_publish_id", "The publish_id does not exist."),
    invalid=lambda call: build_invalid_response(call, "One or more fields in the request are invalid."),
    client_invalid=declare_error(
        *_INVALID_TOKEN_ARGUMENTS, (401, "invalid_client", "Client key or secret is incorrect.")
    ),
    too_many_posts=declare_error(403, "spam_risk_too_many_posts", _POST_CAP_MESSAGE),
    too_many_drafts=declare_error(403, "spam_risk_too_many_pending_share", _PENDING_SHARES_MESSAGE),
    user_banned=declare_error(403, "spam_risk_user_banned_from_posting", "The user is banned from making new posts."),
    user_cap=declare_error(403, "reached_active_user_cap", "The daily quota for active publishing users is reached."),
    unaudited=declare_error(403, _UNAUDITED_CODE, "Unaudited clients can only post to a private account."),
    url_unverified=declare_error(403, "url_ownership_unverified", "Please verify the ownership of the URL."),
    privacy_mismatch=declare_error(
        403, "privacy_level_option_mismatch", "The privacy level is not among the options of the creator."
    ),
    temporarily_unavailable=declare_error(
        503, "internal_error", _INTERNAL_ERROR_MESSAGE, (503, "temporarily_unavailable", "Please try again later.")
    ),
    internal_error=declare_error(
        500, "internal_error", _INTERNAL_ERROR_MESSAGE, (500, "server_error", _INTERNAL_ERROR_MESSAGE)
    ),
)
build_refusal = ERRORS.build_refusal
