"""What Google answers instead of what was asked, in our words.

A 403 is as often a quota as a missing right, so the reason decides and never the status alone. An access token that
Google refuses is no end: the grant can be renewed, and only a refused renewal is final. It is said as
TemporarilyUnavailable with the category `auth_expired`.
"""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

import msgspec

from socialgate.contracts.failures import (
    Category,
    Duplicate,
    NeedsReconnection,
    NotSupported,
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
_HOUR = 3_600
_MINUTE = 60
_RETRY_SECONDS = 30
_LONGEST_MESSAGE = 300
_TOKENS = re.compile(r"\bya29\.[\w.-]+|\b1//[\w-]+|\b4/[\w-]{10,}")
_PACIFIC = ZoneInfo("America/Los_Angeles")
_BAD_REQUEST, _UNAUTHORIZED, _NOT_FOUND, _TIMEOUT, _CONFLICT, _GONE_STATUS, _TOO_MANY, _SERVER_ERROR = (
    400,
    401,
    404,
    408,
    409,
    410,
    429,
    500,
)


class Product(StrEnum):
    """Each has a quota of its own: what one has used up must not hold back the others, nor the token endpoint."""

    TOKENS = "app"
    YOUTUBE = "youtube"
    UPLOADS = "youtube-uploads"
    CALENDAR = "calendar"
    BUSINESS = "business"


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What Google said about a failure. `reasons` come from the most exact place to the least."""

    status: int
    reasons: tuple[str, ...] = ()
    message: str | None = None
    retry_after: int | None = None


class Meaning(msgspec.Struct, frozen=True):
    word: type[PlatformFailure]
    detail: str
    category: Category | None = None
    wait: int | None = None


_EXPIRED = Meaning(
    TemporarilyUnavailable,
    "Google no longer accepts the access token. It is renewed without your doing; if Google refuses that too, the "
    "account has to be connected again.",
    "auth_expired",
    _MINUTE,
)
_GONE = Meaning(
    NeedsReconnection, "Google says that the permission has expired or was taken away. Connect the account again."
)
_SCOPE = Meaning(
    PermissionMissing,
    "The person who connected the Google account did not grant what this needs. Connect it again and leave every box "
    "ticked.",
)
_ROLE = Meaning(PermissionMissing, "The Google user has no right to this on Google. Give them a role there.")
_BLOCKED = Meaning(
    Rejected, "Google does not let this account do that. Sign in there and look for a notice.", "account_issue"
)
_QUOTA = Meaning(
    PlatformRateLimited,
    "This deployment has used up its calls to Google for the day. They start anew at midnight Pacific time.",
    "quota_exhausted",
)
_RATE = Meaning(PlatformRateLimited, "Google has had too many calls for now. Try again then.", None, _MINUTE)
_BUSY = Meaning(
    TemporarilyUnavailable, "Google has a problem at the moment. Nothing was changed; try again.", None, _RETRY_SECONDS
)
_UNSURE = Meaning(OutcomeUnknown, "Google failed while it worked on this. Look there before you send it again.")
_APP = Meaning(
    Rejected,
    "Google does not accept this deployment's app. The operator must check SOCIALGATE_GOOGLE_APP_ID, "
    "SOCIALGATE_GOOGLE_APP_SECRET, the redirect URI and the enabled APIs at console.cloud.google.com.",
    "system_error",
)
_ADMIN = Meaning(
    Rejected, "The administrator of this Google Workspace does not allow the app. Ask them to.", "account_issue"
)
_INVALID = Meaning(Rejected, "Google refuses a value that was sent; its message names it.", "user_content")
_MISSING = Meaning(PlatformNotFound, "Google does not know this object, or the account cannot see it.")
_TWICE = Meaning(Duplicate, "Google has this already.")
_CHANGED = Meaning(Rejected, "It was changed on Google meanwhile. Read it again and apply the change to that.")
_REFUSED = Meaning(Rejected, "Google refuses this; its message says why.")

MEANINGS: dict[str, Meaning] = {
    **dict.fromkeys(("authError", "UNAUTHENTICATED", "invalid_token", "invalidCredentials"), _EXPIRED),
    "youtubeSignupRequired": Meaning(
        NotSupported, "This Google user has no YouTube channel. Make one, then connect again."
    ),
    **dict.fromkeys(("quotaExceeded", "dailyLimitExceeded"), _QUOTA),
    **dict.fromkeys(("rateLimitExceeded", "userRateLimitExceeded", "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED"), _RATE),
    "uploadLimitExceeded": Meaning(
        PlatformRateLimited,
        "The channel has uploaded as much as YouTube allows in 24 hours. Try again tomorrow.",
        "quota_exhausted",
        _DAY,
    ),
    **dict.fromkeys(("insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"), _SCOPE),
    "PERMISSION_DENIED": _ROLE,
    **dict.fromkeys(
        (
            "forbidden",
            "accountDelegationForbidden",
            "authenticatedUserAccountClosed",
            "authenticatedUserAccountSuspended",
            "authenticatedUserNotChannel",
            "ineligibleAccount",
            "forbiddenForNonOrganizer",
            "forbiddenPrivacySetting",
            "forbiddenLicenseSetting",
        ),
        _BLOCKED,
    ),
    **dict.fromkeys(("accessNotConfigured", "SERVICE_DISABLED"), _APP),
    **dict.fromkeys(("commentsDisabled", "operationNotSupported"), Meaning(NotSupported, "Comments are closed there.")),
    **dict.fromkeys(
        (
            "incompatibleParameters",
            "invalidFilters",
            "invalidPageToken",
            "missingRequiredParameter",
            "unexpectedParameter",
            "processingFailure",
            "invalidTitle",
            "invalidDescription",
            "invalidTags",
            "invalidCategoryId",
            "invalidPublishAt",
            "invalidRecordingDetails",
            "invalidVideoMetadata",
            "invalidFilename",
            "mediaBodyRequired",
            "defaultLanguageNotSet",
            "imageFormatUnsupported",
            "imageTooTall",
            "imageTooWide",
            "banWithoutReject",
            "commentTextRequired",
            "commentTextTooLong",
            "parentIdMissing",
            "parentCommentIsPrivate",
            "invalidCommentMetadata",
            "invalidCustomEmoji",
            "channelOrVideoIdMissing",
            "timeRangeEmpty",
            "INVALID_ARGUMENT",
            "FAILED_PRECONDITION",
            "OUT_OF_RANGE",
        ),
        _INVALID,
    ),
    **dict.fromkeys(
        (
            "notFound",
            "NOT_FOUND",
            "videoNotFound",
            "channelNotFound",
            "commentNotFound",
            "parentCommentNotFound",
            "commentThreadNotFound",
            "deleted",
        ),
        _MISSING,
    ),
    **dict.fromkeys(("duplicate", "ALREADY_EXISTS"), _TWICE),
    **dict.fromkeys(("conditionNotMet", "ABORTED"), _CHANGED),
    **dict.fromkeys(("backendError", "internalError", "INTERNAL", "UNAVAILABLE", "DEADLINE_EXCEEDED"), _BUSY),
}

OAUTH_MEANINGS: dict[str, Meaning] = {
    **dict.fromkeys(("invalid_grant", "invalid_token"), _GONE),
    **dict.fromkeys(
        ("invalid_client", "unauthorized_client", "redirect_uri_mismatch", "invalid_request", "unsupported_grant_type"),
        _APP,
    ),
    **dict.fromkeys(("invalid_scope", "access_denied"), Meaning(Rejected, "Google says that access was declined.")),
    "admin_policy_enforced": _ADMIN,
    **dict.fromkeys(("internal_failure", "server_error", "temporarily_unavailable"), _BUSY),
    **dict.fromkeys(("rate_limit_exceeded", "RESOURCE_EXHAUSTED", "rateLimitExceeded"), _RATE),
}


def api_failure(
    said: Said, product: Product, now: datetime, secrets: Iterable[str | None] = (), *, mutates: bool = False
) -> PlatformFailure:
    """Translate what a call with an access token was answered. One that changes something may have done so before
    Google failed.
    """
    meaning = _first(MEANINGS, said.reasons) or _by_status(said.status, unauthorized=_EXPIRED)
    if mutates and meaning is _BUSY:
        meaning = _UNSURE
    wait = said.retry_after or meaning.wait
    if meaning is _QUOTA:
        # Only YouTube's starts anew at a known hour.
        wait = _until_midnight(now) if product in {Product.YOUTUBE, Product.UPLOADS} else _HOUR
    return _failure(meaning, said, wait, secrets)


def oauth_failure(said: Said, secrets: Iterable[str | None] = ()) -> PlatformFailure:
    """Translate what the token endpoints answered. A 401 without a word is about the app, not about the person."""
    meaning = _first(OAUTH_MEANINGS, said.reasons) or _by_status(said.status, unauthorized=_APP)
    return _failure(meaning, said, said.retry_after or meaning.wait, secrets)


def _first(meanings: dict[str, Meaning], reasons: Iterable[str]) -> Meaning | None:
    return next((meanings[reason] for reason in reasons if reason in meanings), None)


def _by_status(status: int, *, unauthorized: Meaning) -> Meaning:
    known = {
        _UNAUTHORIZED: unauthorized,
        _NOT_FOUND: _MISSING,
        _TIMEOUT: _BUSY,
        _CONFLICT: _TWICE,
        _GONE_STATUS: _MISSING,
        _TOO_MANY: _RATE,
    }
    # A success that cannot be read is an outage too.
    return known.get(status) or (_REFUSED if _BAD_REQUEST <= status < _SERVER_ERROR else _BUSY)


def _failure(meaning: Meaning, said: Said, wait: int | None, secrets: Iterable[str | None]) -> PlatformFailure:
    code, *rest = [*said.reasons, None]
    error = PlatformError(
        status=said.status,
        code=code,
        subcode=rest[0] if rest else None,
        message=_without_secrets(said.message, secrets),
    )
    retry_after = wait if meaning.word.retryable else None
    return meaning.word(
        meaning.detail, platform=Platform.GOOGLE, error=error, category=meaning.category, retry_after=retry_after
    )


def _until_midnight(now: datetime) -> int:
    here = now.astimezone(_PACIFIC)
    midnight = datetime.combine(here.date() + timedelta(days=1), datetime.min.time(), _PACIFIC)
    return int(midnight.timestamp() - now.timestamp()) + 1


def _without_secrets(message: str | None, secrets: Iterable[str | None]) -> str | None:
    """Take out what we sent and whatever looks like a token: Google may quote either."""
    if not message:
        return None
    for secret in filter(None, secrets):
        message = message.replace(secret, "[removed]")
    return _TOKENS.sub("[removed]", message)[:_LONGEST_MESSAGE]
