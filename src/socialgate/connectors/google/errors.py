"""What Google's errors mean, in our words.

A 403 is as often a quota as a missing permission, so the reason decides and never the status alone.
"""

import re
from collections.abc import Mapping
from enum import StrEnum

from msgspec.structs import replace

from socialgate.connectors.errors import ErrorRule, ErrorTable, PauseScope, build_common_rules, build_rules
from socialgate.contracts import failures
from socialgate.contracts.failures import PermissionMissingError, PlatformRateLimitError, PlatformRejectedError
from socialgate.contracts.platforms import Platform

_DAY, _HOUR = 86_400, 3_600


class GoogleProduct(StrEnum):
    """Each product has its own quota: one that is used up must not block the others, nor the token endpoint."""

    TOKENS = "app"
    YOUTUBE = "youtube"
    UPLOADS = "youtube-uploads"
    CALENDAR = "calendar"
    BUSINESS = "business"
    ANALYTICS = "youtube-analytics"
    PERFORMANCE = "business-performance"


_COMMON_RULES = build_common_rules("Google", Platform.GOOGLE, "console.cloud.google.com")
_EXPIRED, _APP, _BUSY, _RATE_LIMITED_RULE = (
    _COMMON_RULES.token_expired,
    _COMMON_RULES.app_rejected,
    _COMMON_RULES.vendor_unavailable,
    _COMMON_RULES.rate_limited["app"],
)
_QUOTA_DETAIL = "This deployment has used up its calls to Google for the day."
_QUOTA_RULE = ErrorRule(PlatformRateLimitError, _QUOTA_DETAIL, "quota_exhausted", wait=_HOUR, pause_scope="app")
_DAILY_QUOTA_RULE = replace(
    _QUOTA_RULE,
    detail=f"{_QUOTA_DETAIL} The quota resets at midnight Pacific time.",
    reset_timezone="America/Los_Angeles",
)
_CHANNEL_FULL_DETAIL = "The channel has uploaded as much as YouTube allows in 24 hours. Try again tomorrow."
_BLOCKED_RULE = ErrorRule(
    PlatformRejectedError,
    "Google does not let this account do that. Sign in there and check for a notice.",
    "account_issue",
)
_NOT_FOUND_RULE = ErrorRule(
    failures.PlatformNotFoundError, "Google does not know this object, or the account cannot see it."
)
_DUPLICATE_RULE = ErrorRule(failures.PlatformDuplicateError, "Google already has this.")
OUTDATED_RULE = ErrorRule(
    failures.VersionConflictError, "It was changed on Google since you read it. Read it again, then repeat your change."
)
_SYNC_TOKEN_EXPIRED_RULE = ErrorRule(
    failures.SyncTokenExpiredError,
    "Google no longer knows what has changed since then. List again without `syncToken`, and replace what you have.",
)
_NOT_HTTPS_DETAIL = (
    "Google sends notifications only to an https URL whose certificate it trusts. The operator must set "
    "SOCIALGATE_BASE_URL to one."
)
_NO_CHANNEL_DETAIL = "This Google user has no YouTube channel. Create one, then connect again."

# About a value that was sent, and about accounts without permission.
_INVALID_VALUE_CODES = (
    "incompatibleParameters invalidFilters invalidPageToken missingRequiredParameter unexpectedParameter "
    "processingFailure invalidTitle invalidDescription invalidTags invalidCategoryId invalidPublishAt "
    "invalidRecordingDetails invalidVideoMetadata invalidFilename mediaBodyRequired defaultLanguageNotSet "
    "imageFormatUnsupported imageTooTall imageTooWide banWithoutReject commentTextRequired commentTextTooLong "
    "parentIdMissing parentCommentIsPrivate invalidCommentMetadata invalidCustomEmoji channelOrVideoIdMissing "
    "timeRangeEmpty INVALID_ARGUMENT FAILED_PRECONDITION OUT_OF_RANGE"
)
_ACCOUNT_ISSUE_CODES = (
    "forbidden accountDelegationForbidden authenticatedUserAccountClosed authenticatedUserAccountSuspended "
    "authenticatedUserNotChannel ineligibleAccount forbiddenForNonOrganizer forbiddenPrivacySetting "
    "forbiddenLicenseSetting"
)
_ERROR_RULES = build_rules(
    ("authError UNAUTHENTICATED invalid_token invalidCredentials", _EXPIRED),
    ("youtubeSignupRequired", ErrorRule(failures.NotSupportedError, _NO_CHANNEL_DETAIL)),
    # A channel's own limit: it affects nobody else, and only uploads.
    ("uploadLimitExceeded", ErrorRule(PlatformRateLimitError, _CHANNEL_FULL_DETAIL, "quota_exhausted", wait=_DAY)),
    ("insufficientPermissions ACCESS_TOKEN_SCOPE_INSUFFICIENT", _COMMON_RULES.scope_missing),
    (
        "PERMISSION_DENIED",
        ErrorRule(PermissionMissingError, "The Google user has no permission for this. Give them a role at Google."),
    ),
    (_ACCOUNT_ISSUE_CODES, _BLOCKED_RULE),
    ("accessNotConfigured SERVICE_DISABLED", _APP),
    (
        "commentsDisabled",
        ErrorRule(PlatformRejectedError, "Comments are turned off for this video. Turn them on in YouTube Studio."),
    ),
    (
        "operationNotSupported",
        ErrorRule(PlatformRejectedError, "Nobody can reply to this comment. Write a comment below the video instead."),
    ),
    (_INVALID_VALUE_CODES, _COMMON_RULES.invalid_value),
    ("notFound NOT_FOUND deleted videoNotFound channelNotFound", _NOT_FOUND_RULE),
    ("commentNotFound parentCommentNotFound commentThreadNotFound", _NOT_FOUND_RULE),
    ("duplicate ALREADY_EXISTS", _DUPLICATE_RULE),
    ("conditionNotMet ABORTED", OUTDATED_RULE),
    ("fullSyncRequired updatedMinTooLongAgo", _SYNC_TOKEN_EXPIRED_RULE),
    (
        "push.webhookUrlNotHttps push.webhookUrlUnauthorized",
        ErrorRule(PlatformRejectedError, _NOT_HTTPS_DETAIL, "system_error"),
    ),
    ("backendError internalError INTERNAL UNAVAILABLE DEADLINE_EXCEEDED", _BUSY),
)


def _build_table(quota: ErrorRule = _QUOTA_RULE, shared_by: PauseScope = "app") -> ErrorTable:
    """Create the error table of a product, by when its quota resets and whose it is."""
    quota, rate = replace(quota, pause_scope=shared_by), replace(_RATE_LIMITED_RULE, pause_scope=shared_by)
    limits = build_rules(
        ("quotaExceeded dailyLimitExceeded", quota),
        ("rateLimitExceeded userRateLimitExceeded RESOURCE_EXHAUSTED RATE_LIMIT_EXCEEDED", rate),
    )
    return ErrorTable(
        platform=Platform.GOOGLE,
        vendor="Google",
        rules={**_ERROR_RULES, **limits},
        status_rules={
            401: _EXPIRED,
            404: _NOT_FOUND_RULE,
            409: _DUPLICATE_RULE,
            410: _NOT_FOUND_RULE,
            412: OUTDATED_RULE,
        },
        rate_limited=rate,
        default_rule=ErrorRule(PlatformRejectedError, "Google rejected this", appends_vendor_message=True),
        secret_pattern=re.compile(r"\bya29\.[\w.-]+|\b1//[\w-]+|\b4/[\w-]{10,}"),
        max_pause_seconds=_HOUR,
    )


ERROR_TABLES: Mapping[GoogleProduct, ErrorTable] = {
    GoogleProduct.TOKENS: _build_table(),
    GoogleProduct.YOUTUBE: _build_table(_DAILY_QUOTA_RULE),
    GoogleProduct.UPLOADS: _build_table(_DAILY_QUOTA_RULE),
    GoogleProduct.CALENDAR: _build_table(shared_by="account"),
    GoogleProduct.BUSINESS: _build_table(),
    GoogleProduct.ANALYTICS: _build_table(_DAILY_QUOTA_RULE),
    GoogleProduct.PERFORMANCE: _build_table(),
}
_DEFAULT_TABLE = ERROR_TABLES[GoogleProduct.TOKENS]

# One version of this endpoint gives no reason. The token is all that it could reject.
TOKEN_INFO_ERROR_TABLE = replace(
    _DEFAULT_TABLE,
    rules={**_DEFAULT_TABLE.rules, "INVALID_ARGUMENT": _EXPIRED},
    status_rules={**_DEFAULT_TABLE.status_rules, 400: _EXPIRED},
)
# Not counted against anybody's quota.
SIGNING_KEYS_ERROR_TABLE = replace(_DEFAULT_TABLE, rules={}, rate_limited=replace(_RATE_LIMITED_RULE, pause_scope=None))
_APP_NOT_ALLOWED_DETAIL = "The administrator of this Google Workspace does not allow the app. Ask them to."
# A 401 without a message is about the app, not about the person.
OAUTH_ERROR_TABLE = replace(
    _DEFAULT_TABLE,
    rules=build_rules(
        ("invalid_grant invalid_token", _COMMON_RULES.grant_revoked),
        ("invalid_client unauthorized_client redirect_uri_mismatch invalid_request unsupported_grant_type", _APP),
        ("invalid_scope access_denied", ErrorRule(PlatformRejectedError, "Google says that access was denied.")),
        ("admin_policy_enforced", ErrorRule(PlatformRejectedError, _APP_NOT_ALLOWED_DETAIL, "account_issue")),
        ("internal_failure server_error temporarily_unavailable", _BUSY),
        ("rate_limit_exceeded RESOURCE_EXHAUSTED rateLimitExceeded", _RATE_LIMITED_RULE),
    ),
    status_rules={**_DEFAULT_TABLE.status_rules, 401: _APP},
    no_effect_codes=frozenset({"internal_failure", "server_error", "temporarily_unavailable"}),
)
