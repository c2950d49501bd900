"""TikTok's errors: an envelope with a code for the API, a flat body for OAuth."""

from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from socialgate.sandbox.kit import Call, ErrorMaker, Refused, hexadecimal, reply

_OAUTH = "/open.tiktokapis.com/v2/oauth/"


def log_id() -> str:
    return f"2026{hexadecimal(28).upper()}"


def answered(data: Any) -> Response:
    return reply({"data": data, "error": {"code": "ok", "message": "", "log_id": log_id()}})


def api_error(status: int, code: str, message: str) -> Response:
    return reply({"data": {}, "error": {"code": code, "message": message, "log_id": log_id()}}, status)


def oauth_error(status: int, error: str, description: str) -> Response:
    return reply({"error": error, "error_description": description, "log_id": log_id()}, status)


@dataclass(frozen=True)
class Failure:
    """A named failure, with OAuth's names for it if they differ."""

    status: int
    code: str
    message: str
    oauth: tuple[int, str, str] | None = None

    def __call__(self, call: Call) -> Response:
        if self.oauth and call.path.startswith(_OAUTH):
            return oauth_error(*self.oauth)
        return api_error(self.status, self.code, self.message)


def refusal(call: Call, name: str) -> Refused:
    return Refused(ERRORS[name](call))


def unknown_path(_call: Call) -> Response:
    return Response("Unsupported path(Janus)", 404, media_type="text/plain")


def unreadable(call: Call, detail: str) -> Response:
    if call.path.startswith(_OAUTH):
        return oauth_error(400, "invalid_request", detail)
    return api_error(400, parameter_word(call), detail)


def parameter_word(call: Call) -> str:
    """Return the code for bad input, which Content Posting and Display spell differently."""
    return "invalid_param" if "/post/publish/" in call.path else "invalid_params"


def invalid(call: Call) -> Response:
    return unreadable(call, "One or more fields in the request are invalid.")


_DEAD = "The access token is invalid or not found in the request."
_GRANT = (400, "invalid_grant", "Refresh token is invalid or expired.")
_SPAM = "The user has reached the daily post cap from the API for the current day."
ERRORS: dict[str, ErrorMaker] = {
    "rate_limited": Failure(
        429,
        "rate_limit_exceeded",
        "The API rate limit was exceeded. Please try again later.",
        (429, "rate_limit_exceeded", "The API rate limit was exceeded. Please try again later."),
    ),
    "token_expired": Failure(401, "access_token_invalid", _DEAD, _GRANT),
    "token_revoked": Failure(401, "access_token_invalid", _DEAD, _GRANT),
    "permission_missing": Failure(
        401,
        "scope_not_authorized",
        "The user did not authorize the scope required for completing this request.",
        (400, "invalid_scope", "The requested scope is invalid."),
    ),
    "scope_permission_missed": Failure(
        400, "scope_permission_missed", "The access token lacks the scope of a requested field."
    ),
    "not_found": Failure(400, "invalid_publish_id", "The publish_id does not exist."),
    "invalid": invalid,
    "client_invalid": Failure(
        401, "access_token_invalid", _DEAD, (401, "invalid_client", "Client key or secret is incorrect.")
    ),
    "too_many_posts": Failure(403, "spam_risk_too_many_posts", _SPAM),
    "too_many_drafts": Failure(
        403, "spam_risk_too_many_pending_share", "There are too many pending shares within the last 24 hours."
    ),
    "user_banned": Failure(403, "spam_risk_user_banned_from_posting", "The user is banned from making new posts."),
    "user_cap": Failure(403, "reached_active_user_cap", "The daily quota for active publishing users is reached."),
    "unaudited": Failure(
        403,
        "unaudited_client_can_only_post_to_private_accounts",
        "Unaudited clients can only post to a private account.",
    ),
    "url_unverified": Failure(403, "url_ownership_unverified", "Please verify the ownership of the URL."),
    "privacy_mismatch": Failure(
        403, "privacy_level_option_mismatch", "The privacy level is not among the options of the creator."
    ),
    "temporarily_unavailable": Failure(
        503, "internal_error", "Something is wrong.", (503, "temporarily_unavailable", "Please try again later.")
    ),
    "internal_error": Failure(
        500, "internal_error", "Something is wrong.", (500, "server_error", "Something is wrong.")
    ),
}
