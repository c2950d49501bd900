"""What Google's errors mean, in our words.

A 403 is as often a quota as a missing permission, so the reason decides and never the status alone.
"""

import re
from collections.abc import Mapping
from enum import StrEnum

from msgspec.structs import replace

from socialgate.connectors.errors import ErrorTable, Pauses, Rule, rows, usual
from socialgate.contracts import failures
from socialgate.contracts.failures import PermissionMissing, PlatformRateLimited, Rejected
from socialgate.contracts.platforms import Platform

_DAY, _HOUR = 86_400, 3_600


class Product(StrEnum):
    """Each product has its own quota: one that is used up must not block the others, nor the token endpoint."""

    TOKENS = "app"
    YOUTUBE = "youtube"
    UPLOADS = "youtube-uploads"
    CALENDAR = "calendar"
    BUSINESS = "business"
    ANALYTICS = "youtube-analytics"
    PERFORMANCE = "business-performance"


_USUAL = usual("Google", Platform.GOOGLE, "console.cloud.google.com")
_EXPIRED, _APP, _BUSY, _RATE = _USUAL.expired, _USUAL.app, _USUAL.busy, _USUAL.limited["app"]
_USED_UP = "This deployment has used up its calls to Google for the day."
_QUOTA = Rule(PlatformRateLimited, _USED_UP, "quota_exhausted", wait=_HOUR, pauses="app")
_DAILY_QUOTA = replace(
    _QUOTA, detail=f"{_USED_UP} The quota resets at midnight Pacific time.", resets="America/Los_Angeles"
)
_CHANNEL_FULL = "The channel has uploaded as much as YouTube allows in 24 hours. Try again tomorrow."
_BLOCKED = Rule(
    Rejected, "Google does not let this account do that. Sign in there and check for a notice.", "account_issue"
)
_MISSING = Rule(failures.PlatformNotFound, "Google does not know this object, or the account cannot see it.")
_TWICE = Rule(failures.Duplicate, "Google already has this.")
OUTDATED = Rule(
    failures.Outdated, "It was changed on Google since you read it. Read it again, then repeat your change."
)
_NO_LONGER_KNOWN = Rule(
    failures.SyncExpired,
    "Google no longer knows what has changed since then. List again without `syncToken`, and replace what you have.",
)
_NOT_HTTPS = (
    "Google sends notifications only to an https URL whose certificate it trusts. The operator must set "
    "SOCIALGATE_BASE_URL to one."
)
_NO_CHANNEL = "This Google user has no YouTube channel. Create one, then connect again."

# About a value that was sent, and about accounts without permission.
_VALUES = (
    "incompatibleParameters invalidFilters invalidPageToken missingRequiredParameter unexpectedParameter "
    "processingFailure invalidTitle invalidDescription invalidTags invalidCategoryId invalidPublishAt "
    "invalidRecordingDetails invalidVideoMetadata invalidFilename mediaBodyRequired defaultLanguageNotSet "
    "imageFormatUnsupported imageTooTall imageTooWide banWithoutReject commentTextRequired commentTextTooLong "
    "parentIdMissing parentCommentIsPrivate invalidCommentMetadata invalidCustomEmoji channelOrVideoIdMissing "
    "timeRangeEmpty INVALID_ARGUMENT FAILED_PRECONDITION OUT_OF_RANGE"
)
_CLOSED = (
    "forbidden accountDelegationForbidden authenticatedUserAccountClosed authenticatedUserAccountSuspended "
    "authenticatedUserNotChannel ineligibleAccount forbiddenForNonOrganizer forbiddenPrivacySetting "
    "forbiddenLicenseSetting"
)
_RULES = rows(
    ("authError UNAUTHENTICATED invalid_token invalidCredentials", _EXPIRED),
    ("youtubeSignupRequired", Rule(failures.NotSupported, _NO_CHANNEL)),
    # A channel's own limit: it affects nobody else, and only uploads.
    ("uploadLimitExceeded", Rule(PlatformRateLimited, _CHANNEL_FULL, "quota_exhausted", wait=_DAY)),
    ("insufficientPermissions ACCESS_TOKEN_SCOPE_INSUFFICIENT", _USUAL.scope),
    (
        "PERMISSION_DENIED",
        Rule(PermissionMissing, "The Google user has no permission for this. Give them a role at Google."),
    ),
    (_CLOSED, _BLOCKED),
    ("accessNotConfigured SERVICE_DISABLED", _APP),
    ("commentsDisabled", Rule(Rejected, "Comments are turned off for this video. Turn them on in YouTube Studio.")),
    (
        "operationNotSupported",
        Rule(Rejected, "Nobody can reply to this comment. Write a comment below the video instead."),
    ),
    (_VALUES, _USUAL.value),
    ("notFound NOT_FOUND deleted videoNotFound channelNotFound", _MISSING),
    ("commentNotFound parentCommentNotFound commentThreadNotFound", _MISSING),
    ("duplicate ALREADY_EXISTS", _TWICE),
    ("conditionNotMet ABORTED", OUTDATED),
    ("fullSyncRequired updatedMinTooLongAgo", _NO_LONGER_KNOWN),
    ("push.webhookUrlNotHttps push.webhookUrlUnauthorized", Rule(Rejected, _NOT_HTTPS, "system_error")),
    ("backendError internalError INTERNAL UNAVAILABLE DEADLINE_EXCEEDED", _BUSY),
)


def _table(quota: Rule = _QUOTA, shared_by: Pauses = "app") -> ErrorTable:
    """Create the error table of a product, by when its quota resets and whose it is."""
    quota, rate = replace(quota, pauses=shared_by), replace(_RATE, pauses=shared_by)
    limits = rows(
        ("quotaExceeded dailyLimitExceeded", quota),
        ("rateLimitExceeded userRateLimitExceeded RESOURCE_EXHAUSTED RATE_LIMIT_EXCEEDED", rate),
    )
    return ErrorTable(
        platform=Platform.GOOGLE,
        vendor="Google",
        rules={**_RULES, **limits},
        statuses={401: _EXPIRED, 404: _MISSING, 409: _TWICE, 410: _MISSING, 412: OUTDATED},
        limited=rate,
        refused=Rule(Rejected, "Google rejected this", quotes=True),
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

# One version of this endpoint gives no reason. The token is all that it could reject.
TOKEN_INFO = replace(
    _ANY, rules={**_ANY.rules, "INVALID_ARGUMENT": _EXPIRED}, statuses={**_ANY.statuses, 400: _EXPIRED}
)
# Not counted against anybody's quota.
SIGNING_KEYS = replace(_ANY, rules={}, limited=replace(_RATE, pauses=None))
_NOT_ALLOWED = "The administrator of this Google Workspace does not allow the app. Ask them to."
# A 401 without a message is about the app, not about the person.
OAUTH = replace(
    _ANY,
    rules=rows(
        ("invalid_grant invalid_token", _USUAL.gone),
        ("invalid_client unauthorized_client redirect_uri_mismatch invalid_request unsupported_grant_type", _APP),
        ("invalid_scope access_denied", Rule(Rejected, "Google says that access was denied.")),
        ("admin_policy_enforced", Rule(Rejected, _NOT_ALLOWED, "account_issue")),
        ("internal_failure server_error temporarily_unavailable", _BUSY),
        ("rate_limit_exceeded RESOURCE_EXHAUSTED rateLimitExceeded", _RATE),
    ),
    statuses={**_ANY.statuses, 401: _APP},
    harmless=frozenset({"internal_failure", "server_error", "temporarily_unavailable"}),
)
