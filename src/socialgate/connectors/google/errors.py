"""What Google answers instead of what was asked, in our words.

A 403 is as often a quota as a missing right, so the reason decides and never the status alone. An access token that
Google refuses is no end: the grant can be renewed, and only a refused renewal is final. It is said as
TemporarilyUnavailable with the category `auth_expired`.
"""

import re
from collections.abc import Mapping
from enum import StrEnum

from msgspec.structs import replace

from socialgate.connectors.errors import RETRY_SECONDS, ErrorTable, Pauses, Rule
from socialgate.contracts.failures import (
    Duplicate,
    NeedsReconnection,
    NotSupported,
    PermissionMissing,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Platform

_DAY = 86_400
_HOUR = 3_600
_MINUTE = 60


class Product(StrEnum):
    """Each has a quota of its own: what one has used up must not hold back the others, nor the token endpoint."""

    TOKENS = "app"
    YOUTUBE = "youtube"
    UPLOADS = "youtube-uploads"
    CALENDAR = "calendar"
    BUSINESS = "business"
    ANALYTICS = "youtube-analytics"
    PERFORMANCE = "business-performance"


_EXPIRED = Rule(
    TemporarilyUnavailable,
    "Google no longer accepts the access token. It is renewed without your doing; if Google refuses that too, the "
    "account has to be connected again.",
    "auth_expired",
    wait=_MINUTE,
)
_QUOTA = Rule(
    PlatformRateLimited,
    "This deployment has used up its calls to Google for the day.",
    "quota_exhausted",
    wait=_HOUR,
    pauses="app",
)
_DAILY_QUOTA = replace(
    _QUOTA, detail=f"{_QUOTA.detail} They start again at midnight Pacific time.", resets="America/Los_Angeles"
)
# A channel's own limit: it holds back nobody else, and nothing but uploads.
_CHANNEL_QUOTA = Rule(
    PlatformRateLimited,
    "The channel has uploaded as much as YouTube allows in 24 hours. Try again tomorrow.",
    "quota_exhausted",
    wait=_DAY,
)
_RATE = Rule(PlatformRateLimited, "Google has had too many calls for now. Try again then.", wait=_MINUTE, pauses="app")
_SCOPE = Rule(
    PermissionMissing,
    "The person who connected the Google account did not grant what this needs. Connect it again and leave every box "
    "ticked.",
)
_ROLE = Rule(PermissionMissing, "The Google user has no right to this on Google. Give them a role there.")
_BLOCKED = Rule(
    Rejected, "Google does not let this account do that. Sign in there and look for a notice.", "account_issue"
)
_BUSY = Rule(TemporarilyUnavailable, "Google has a problem at the moment. Try again.", wait=RETRY_SECONDS)
_APP = Rule(
    Rejected,
    "Google does not accept this deployment's app. The operator must check SOCIALGATE_GOOGLE_APP_ID, "
    "SOCIALGATE_GOOGLE_APP_SECRET, the redirect URI and the enabled APIs at console.cloud.google.com.",
    "system_error",
)
_INVALID = Rule(Rejected, "Google refuses a value that was sent; its message names it.", "user_content")
_MISSING = Rule(PlatformNotFound, "Google does not know this object, or the account cannot see it.")
_TWICE = Rule(Duplicate, "Google has this already.")


def _each(codes: str, rule: Rule) -> dict[str, Rule]:
    return dict.fromkeys(codes.split(), rule)


_RULES: Mapping[str, Rule] = {
    **_each("authError UNAUTHENTICATED invalid_token invalidCredentials", _EXPIRED),
    "youtubeSignupRequired": Rule(
        NotSupported, "This Google user has no YouTube channel. Create one, then connect again."
    ),
    "uploadLimitExceeded": _CHANNEL_QUOTA,
    **_each("insufficientPermissions ACCESS_TOKEN_SCOPE_INSUFFICIENT", _SCOPE),
    "PERMISSION_DENIED": _ROLE,
    **_each(
        "forbidden accountDelegationForbidden authenticatedUserAccountClosed authenticatedUserAccountSuspended "
        "authenticatedUserNotChannel ineligibleAccount forbiddenForNonOrganizer forbiddenPrivacySetting "
        "forbiddenLicenseSetting",
        _BLOCKED,
    ),
    **_each("accessNotConfigured SERVICE_DISABLED", _APP),
    "commentsDisabled": Rule(Rejected, "Comments are turned off for this video. Turn them on in YouTube Studio."),
    "operationNotSupported": Rule(Rejected, "Nobody can reply to this comment. Write one under the video."),
    **_each(
        "incompatibleParameters invalidFilters invalidPageToken missingRequiredParameter unexpectedParameter "
        "processingFailure invalidTitle invalidDescription invalidTags invalidCategoryId invalidPublishAt "
        "invalidRecordingDetails invalidVideoMetadata invalidFilename mediaBodyRequired defaultLanguageNotSet "
        "imageFormatUnsupported imageTooTall imageTooWide banWithoutReject commentTextRequired commentTextTooLong "
        "parentIdMissing parentCommentIsPrivate invalidCommentMetadata invalidCustomEmoji channelOrVideoIdMissing "
        "timeRangeEmpty INVALID_ARGUMENT FAILED_PRECONDITION OUT_OF_RANGE",
        _INVALID,
    ),
    **_each(
        "notFound NOT_FOUND videoNotFound channelNotFound commentNotFound parentCommentNotFound "
        "commentThreadNotFound deleted",
        _MISSING,
    ),
    **_each("duplicate ALREADY_EXISTS", _TWICE),
    **_each(
        "conditionNotMet ABORTED",
        Rule(Rejected, "It was changed on Google meanwhile. Read it again and apply the change to that."),
    ),
    **_each("backendError internalError INTERNAL UNAVAILABLE DEADLINE_EXCEEDED", _BUSY),
}


def _table(quota: Rule = _QUOTA, shared_by: Pauses = "app") -> ErrorTable:
    """Make the table of a product, by when its quota starts again and whose it is."""
    quota, rate = replace(quota, pauses=shared_by), replace(_RATE, pauses=shared_by)
    return ErrorTable(
        platform=Platform.GOOGLE,
        vendor="Google",
        rules={
            **_RULES,
            **_each("quotaExceeded dailyLimitExceeded", quota),
            **_each("rateLimitExceeded userRateLimitExceeded RESOURCE_EXHAUSTED RATE_LIMIT_EXCEEDED", rate),
        },
        statuses={401: _EXPIRED, 404: _MISSING, 409: _TWICE, 410: _MISSING},
        limited=rate,
        refused=Rule(Rejected, "Google refuses this; its message says why."),
        tokens=re.compile(r"\bya29\.[\w.-]+|\b1//[\w-]+|\b4/[\w-]{10,}"),
        longest_pause=_HOUR,
    )


TABLES: Mapping[Product, ErrorTable] = {
    Product.TOKENS: _table(),
    Product.YOUTUBE: _table(_DAILY_QUOTA),
    Product.UPLOADS: _table(_DAILY_QUOTA),
    Product.CALENDAR: _table(shared_by="account"),
    Product.BUSINESS: _table(),
    Product.ANALYTICS: _table(_DAILY_QUOTA),
    Product.PERFORMANCE: _table(),
}
_ANY = TABLES[Product.TOKENS]

# One version of this endpoint gives no reason. There is nothing but the token that it could refuse.
TOKEN_INFO = replace(
    _ANY, rules={**_ANY.rules, "INVALID_ARGUMENT": _EXPIRED}, statuses={**_ANY.statuses, 400: _EXPIRED}
)
# Not on anybody's quota.
SIGNING_KEYS = replace(_ANY, rules={}, limited=replace(_RATE, pauses=None))
# A 401 without a word is about the app, not about the person.
OAUTH = replace(
    _ANY,
    rules={
        **_each(
            "invalid_grant invalid_token",
            Rule(
                NeedsReconnection,
                "Google says that the permission has expired or was taken away. Connect the account again.",
            ),
        ),
        **_each(
            "invalid_client unauthorized_client redirect_uri_mismatch invalid_request unsupported_grant_type", _APP
        ),
        **_each("invalid_scope access_denied", Rule(Rejected, "Google says that access was declined.")),
        "admin_policy_enforced": Rule(
            Rejected, "The administrator of this Google Workspace does not allow the app. Ask them to.", "account_issue"
        ),
        **_each("internal_failure server_error temporarily_unavailable", _BUSY),
        **_each("rate_limit_exceeded RESOURCE_EXHAUSTED rateLimitExceeded", _RATE),
    },
    statuses={**_ANY.statuses, 401: _APP},
    harmless=frozenset({"internal_failure", "server_error", "temporarily_unavailable"}),
)
