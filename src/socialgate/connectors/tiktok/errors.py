"""What TikTok answers instead of what was asked, in our words.

An access token that TikTok refuses is no end: the grant can be renewed, and only a refused renewal is final. It is
said as TemporarilyUnavailable with the category `auth_expired`.
"""

import re
from collections.abc import Iterable

import msgspec

from socialgate.contracts.failures import (
    Category,
    NeedsReconnection,
    OutcomeUnknown,
    PermissionMissing,
    PlatformError,
    PlatformFailure,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Platform

_DAY = 86_400
# The windows slide over one minute, and TikTok sends no Retry-After.
_WINDOW_SECONDS = 60
_RETRY_SECONDS = 30
_LONGEST_MESSAGE = 300
_TOKENS = re.compile(r"\b(?:act|rft|clt)\.[\w.!*-]+")
_OK, _BAD_REQUEST, _UNAUTHORIZED, _NOT_FOUND, _TIMEOUT, _TOO_MANY, _SERVER_ERROR = 200, 400, 401, 404, 408, 429, 500


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What TikTok said about a failure, in either of its two shapes."""

    status: int
    code: str | None = None
    message: str | None = None
    log_id: str | None = None


class Meaning(msgspec.Struct, frozen=True):
    word: type[PlatformFailure]
    detail: str
    category: Category | None = None
    wait: int | None = None
    field: str | None = None


_EXPIRED = Meaning(
    TemporarilyUnavailable,
    "TikTok no longer accepts the access token. It is renewed without your doing; if TikTok refuses that too, the "
    "account has to be connected again.",
    "auth_expired",
    _WINDOW_SECONDS,
)
_GONE = Meaning(NeedsReconnection, "TikTok says that the permission was taken away. Connect the account again.")
_SCOPE = Meaning(
    PermissionMissing,
    "The person who connected the TikTok account did not grant what this needs. Connect it again and leave every "
    "permission switched on.",
)
_PARAMETER = Meaning(Rejected, "TikTok refuses a value that was sent; its message names it.", "user_content")
_APP = Meaning(
    Rejected,
    "TikTok does not accept this deployment's app. The operator must check SOCIALGATE_TIKTOK_APP_ID, "
    "SOCIALGATE_TIKTOK_APP_SECRET and the app's redirect URI and products at developers.tiktok.com.",
    "system_error",
)
_BUSY = Meaning(
    TemporarilyUnavailable, "TikTok has a problem at the moment. Nothing was changed; try again.", None, _RETRY_SECONDS
)
_UNSURE = Meaning(
    OutcomeUnknown, "TikTok failed while it worked on this. Look in the TikTok app before you send it again."
)
_RATE = Meaning(
    PlatformRateLimited, "TikTok has had too many calls within a minute. Try again then.", None, _WINDOW_SECONDS
)
_POSTS = Meaning(
    PlatformRateLimited,
    "The account has reached TikTok's number of posts for a day, over all apps. Try again tomorrow.",
    "quota_exhausted",
    _DAY,
)
_SPAM = Meaning(
    Rejected,
    "TikTok takes this for spam. Change the text or the media, and post less of the same.",
    "user_content",
)
_NO_UPLOAD = Meaning(PlatformNotFound, "TikTok does not know this upload, or it belongs to another account.")

MEANINGS: dict[str, Meaning] = {
    "access_token_invalid": _EXPIRED,
    "scope_not_authorized": _SCOPE,
    "scope_permission_missed": _SCOPE,
    "invalid_param": _PARAMETER,
    "invalid_params": _PARAMETER,
    "invalid_file_upload": Meaning(
        Rejected, "TikTok does not take this file: check its format, size and length.", "user_content", None, "/media"
    ),
    "invalid_publish_id": _NO_UPLOAD,
    "token_not_authorized_for_specified_publish_id": _NO_UPLOAD,
    "publish_not_cancellable": Meaning(Rejected, "TikTok is already past the point where a post can be cancelled."),
    "spam_risk_too_many_posts": _POSTS,
    "spam_risk_too_many_pending_share": Meaning(
        PlatformRateLimited,
        "Five drafts wait in the TikTok app. Finish or delete some there, or try again tomorrow.",
        "quota_exhausted",
        _DAY,
    ),
    "reached_active_user_cap": Meaning(
        PlatformRateLimited,
        "The app has reached the number of TikTok accounts that may post through it in a day. Try again tomorrow.",
        "quota_exhausted",
        _DAY,
    ),
    "spam_risk_user_banned_from_posting": Meaning(
        Rejected, "TikTok has banned this account from posting. Appeal in the TikTok app.", "account_issue"
    ),
    "spam_risk_text": _SPAM,
    "spam_risk": _SPAM,
    "unaudited_client_can_only_post_to_private_accounts": Meaning(
        Rejected,
        "TikTok has not audited the app yet, so it may post to private accounts only. Make the account private, or "
        "have the app audited.",
        "account_issue",
    ),
    "url_ownership_unverified": Meaning(
        Rejected,
        "TikTok fetches media from verified domains only. The operator must verify this service's domain in the "
        "app's URL properties.",
        "system_error",
    ),
    "privacy_level_option_mismatch": Meaning(
        Rejected,
        "The account does not offer this privacy level. Choose another.",
        "user_content",
        None,
        "/options/privacyLevel",
    ),
    "rate_limit_exceeded": _RATE,
    "internal_error": _BUSY,
    # Why a post failed after it was taken.
    "file_format_check_failed": Meaning(
        Rejected, "TikTok does not take this format. Use MP4 with H.264.", "user_content", None, "/media"
    ),
    "duration_check_failed": Meaning(
        Rejected, "The video is longer or shorter than the account may post.", "user_content", None, "/media"
    ),
    "frame_rate_check_failed": Meaning(
        Rejected, "The video must have 23 to 60 frames a second.", "user_content", None, "/media"
    ),
    "picture_size_check_failed": Meaning(
        Rejected, "Each side of the picture must have 360 to 4096 pixels.", "user_content", None, "/media"
    ),
    "internal": _BUSY,
    "video_pull_failed": Meaning(
        Rejected,
        "TikTok could not fetch the video from its address within an hour.",
        "platform_rejected",
        None,
        "/media",
    ),
    "photo_pull_failed": Meaning(
        Rejected, "TikTok could not fetch a photo from its address within an hour.", "platform_rejected", None, "/media"
    ),
    "publish_cancelled": Meaning(Rejected, "The post was cancelled before TikTok had published it."),
    "auth_removed": _GONE,
}

OAUTH_MEANINGS: dict[str, Meaning] = {
    "invalid_grant": _GONE,
    "access_denied": Meaning(Rejected, "TikTok says that access was declined. Connect the account again."),
    "invalid_client": _APP,
    "unauthorized_client": _APP,
    "invalid_request": _APP,
    "invalid_scope": _APP,
    "unsupported_grant_type": _APP,
    "unsupported_response_type": _APP,
    "server_error": _BUSY,
    "temporarily_unavailable": _BUSY,
    "rate_limit_exceeded": _RATE,
    "internal_error": _BUSY,
}


def api_failure(said: Said, secrets: Iterable[str | None] = (), *, mutates: bool = False) -> PlatformFailure:
    """Translate what a call with an access token was answered. One that changes something may have done so before
    TikTok failed.
    """
    meaning = MEANINGS.get(said.code or "") or _by_status(said.status, unauthorized=_EXPIRED)
    return _failure(_UNSURE if mutates and meaning is _BUSY else meaning, said, secrets)


def publish_failure(reason: str) -> PlatformFailure:
    """Translate why a post failed that TikTok had taken: it is certain that nobody sees it."""
    meaning = MEANINGS.get(reason) or Meaning(Rejected, f"TikTok could not publish it, and says only: {reason}.")
    return _failure(meaning, Said(status=_OK, code=reason), ())


def oauth_failure(said: Said, secrets: Iterable[str | None] = ()) -> PlatformFailure:
    """Translate what the token endpoints answered. A 401 without a word is about the app, not about the person."""
    meaning = OAUTH_MEANINGS.get(said.code or "") or _by_status(said.status, unauthorized=_APP)
    return _failure(meaning, said, secrets)


def _by_status(status: int, *, unauthorized: Meaning) -> Meaning:
    if status == _UNAUTHORIZED:
        return unauthorized
    if status == _TOO_MANY:
        return _RATE
    if status == _NOT_FOUND:
        return Meaning(PlatformNotFound, "TikTok does not know this.")
    # A success that cannot be read is an outage too.
    if status >= _SERVER_ERROR or status == _TIMEOUT or status < _BAD_REQUEST:
        return _BUSY
    return Meaning(Rejected, "TikTok refuses this; its message says why.")


def _failure(meaning: Meaning, said: Said, secrets: Iterable[str | None]) -> PlatformFailure:
    error = PlatformError(
        status=said.status, code=said.code, message=_without_secrets(said.message, secrets), trace=said.log_id
    )
    return meaning.word(
        meaning.detail,
        platform=Platform.TIKTOK,
        error=error,
        category=meaning.category,
        field=meaning.field,
        retry_after=meaning.wait,
    )


def _without_secrets(message: str | None, secrets: Iterable[str | None]) -> str | None:
    """Take out what we sent and whatever looks like a token: TikTok may quote either."""
    if not message:
        return None
    for secret in filter(None, secrets):
        message = message.replace(secret, "[removed]")
    return _TOKENS.sub("[removed]", message)[:_LONGEST_MESSAGE]
