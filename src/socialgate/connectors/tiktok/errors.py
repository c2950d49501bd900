"""What TikTok's errors mean."""

import re

from msgspec.structs import replace

from socialgate.connectors.dialects.tiktok import NON_ERROR_STATUSES
from socialgate.connectors.errors import ErrorRule, ErrorTable, VendorError, build_common_rules, build_rules
from socialgate.contracts import failures
from socialgate.contracts.failures import (
    PlatformFailure,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.contracts.platforms import Platform

_DAY_SECONDS = 86_400
# Its windows slide over one minute, and it sends no Retry-After.
_COMMON_RULES = build_common_rules("TikTok", Platform.TIKTOK, "developers.tiktok.com")
_APP, _TEMPORARY_PROBLEM_RULE, _RATE = (
    _COMMON_RULES.app_rejected,
    _COMMON_RULES.vendor_unavailable,
    _COMMON_RULES.rate_limited["account"],
)
_UPLOAD_NOT_FOUND_RULE = ErrorRule(
    failures.PlatformNotFoundError, "TikTok does not know this upload, or it belongs to another account."
)
_INVALID_VIDEO_DATA_RULE = ErrorRule(
    PlatformRejectedError,
    "TikTok did not accept the video data. Check the file, and upload it again.",
    field="/media/0",
)
_CHUNK_RETRY_DETAIL = "TikTok failed while receiving a part of the video. The same part is sent again."
_RETRY_CHUNK_RULE = ErrorRule(PlatformUnavailableError, _CHUNK_RETRY_DETAIL, wait=10)
_SPAM_DETAIL = "TikTok considers this spam. Change the text or the media, and post less of the same."
_ACCOUNT_BANNED_DETAIL = "TikTok has banned this account from posting. Appeal in the TikTok app."
_DAILY_LIMIT_DETAIL = "The account has reached TikTok's daily limit of posts, across all apps. Try again tomorrow."
_TOO_MANY_DRAFTS_DETAIL = (
    "Five drafts are waiting in the TikTok app. Finish or delete some there, or try again tomorrow."
)
_APP_DAILY_LIMIT_DETAIL = (
    "The app has reached the daily limit of TikTok accounts that can post through it. Try again tomorrow."
)
_APP_UNAUDITED_DETAIL = (
    "TikTok has not audited the app yet, so it can only post to private accounts. Make the account private, or have "
    "the app audited."
)
_DOMAIN_UNVERIFIED_DETAIL = (
    "TikTok only fetches media from verified domains. The operator must verify this service's domain in the app's URL "
    "properties."
)
_PRIVACY_LEVEL_DETAIL = "The account does not offer this privacy level. Choose another one."


def _build_daily_limit_rule(detail: str) -> ErrorRule:
    """A daily limit on posts only affects posts, so it pauses nothing else."""
    return ErrorRule(PlatformRateLimitError, detail, "quota_exhausted", wait=_DAY_SECONDS)


def _build_media_rule(detail: str) -> ErrorRule:
    return ErrorRule(PlatformRejectedError, detail, "user_content", "/media")


def _build_fetch_failed_rule(label: str) -> ErrorRule:
    detail = f"TikTok could not fetch {label} from its URL within an hour."
    return ErrorRule(PlatformRejectedError, detail, "platform_rejected", "/media")


API_ERRORS = ErrorTable(
    platform=Platform.TIKTOK,
    vendor="TikTok",
    rules=build_rules(
        ("access_token_invalid", _COMMON_RULES.token_expired),
        ("scope_not_authorized scope_permission_missed", _COMMON_RULES.scope_missing),
        ("invalid_param invalid_params", _COMMON_RULES.invalid_value),
        (
            "invalid_file_upload",
            _build_media_rule("TikTok does not accept this file: check its format, size and duration."),
        ),
        ("invalid_publish_id token_not_authorized_for_specified_publish_id", _UPLOAD_NOT_FOUND_RULE),
        ("publish_not_cancellable", ErrorRule(PlatformRejectedError, "It is too late to cancel this post on TikTok.")),
        ("spam_risk_too_many_posts", _build_daily_limit_rule(_DAILY_LIMIT_DETAIL)),
        ("spam_risk_too_many_pending_share", _build_daily_limit_rule(_TOO_MANY_DRAFTS_DETAIL)),
        ("reached_active_user_cap", _build_daily_limit_rule(_APP_DAILY_LIMIT_DETAIL)),
        (
            "spam_risk_user_banned_from_posting",
            ErrorRule(PlatformRejectedError, _ACCOUNT_BANNED_DETAIL, "account_issue"),
        ),
        ("spam_risk_text spam_risk", ErrorRule(PlatformRejectedError, _SPAM_DETAIL, "user_content")),
        (
            "unaudited_client_can_only_post_to_private_accounts",
            ErrorRule(PlatformRejectedError, _APP_UNAUDITED_DETAIL, "account_issue"),
        ),
        ("url_ownership_unverified", ErrorRule(PlatformRejectedError, _DOMAIN_UNVERIFIED_DETAIL, "system_error")),
        (
            "privacy_level_option_mismatch",
            ErrorRule(PlatformRejectedError, _PRIVACY_LEVEL_DETAIL, "user_content", "/options/privacyLevel"),
        ),
        ("rate_limit_exceeded", _RATE),
        ("internal_error", _TEMPORARY_PROBLEM_RULE),
        # Why a post failed after it was accepted.
        ("file_format_check_failed", _build_media_rule("TikTok does not accept this format. Use MP4 with H.264.")),
        ("duration_check_failed", _build_media_rule("The video is longer or shorter than the account may post.")),
        ("frame_rate_check_failed", _build_media_rule("The video must have 23 to 60 frames per second.")),
        ("picture_size_check_failed", _build_media_rule("Each side of the image must have 360 to 4096 pixels.")),
        ("internal", _TEMPORARY_PROBLEM_RULE),
        ("video_pull_failed", _build_fetch_failed_rule("the video")),
        ("photo_pull_failed", _build_fetch_failed_rule("a photo")),
        ("publish_cancelled", ErrorRule(PlatformRejectedError, "The post was cancelled before TikTok published it.")),
        ("auth_removed", _COMMON_RULES.grant_revoked),
    ),
    status_rules={**dict.fromkeys(NON_ERROR_STATUSES, _TEMPORARY_PROBLEM_RULE), 401: _COMMON_RULES.token_expired},
    rate_limited=_RATE,
    vendor_unavailable=_TEMPORARY_PROBLEM_RULE,
    secret_pattern=re.compile(r"\b(?:act|rft|clt)\.[\w.!*-]+"),
)

# A 401 without a message is about the app here, not about the person.
OAUTH_ERRORS = replace(
    API_ERRORS,
    rules=build_rules(
        ("invalid_grant", _COMMON_RULES.grant_revoked),
        (
            "access_denied",
            ErrorRule(PlatformRejectedError, "TikTok says that access was denied. Reconnect the account."),
        ),
        ("invalid_client unauthorized_client invalid_request invalid_scope", _APP),
        ("unsupported_grant_type unsupported_response_type", _APP),
        ("server_error temporarily_unavailable internal_error", _TEMPORARY_PROBLEM_RULE),
        ("rate_limit_exceeded", _RATE),
    ),
    status_rules={**dict.fromkeys(NON_ERROR_STATUSES, _TEMPORARY_PROBLEM_RULE), 401: _APP},
)

UPLOAD_ERRORS = replace(
    API_ERRORS,
    rules={},
    status_rules={**dict.fromkeys(NON_ERROR_STATUSES, _RETRY_CHUNK_RULE), 408: _INVALID_VIDEO_DATA_RULE},
    rate_limited=_RETRY_CHUNK_RULE,
    vendor_unavailable=_RETRY_CHUNK_RULE,
    default_rule=_INVALID_VIDEO_DATA_RULE,
)


def build_publish_failure(reason: str) -> PlatformFailure:
    """Translate why a post failed that TikTok had accepted: it is certain that nobody sees it."""
    unknown = ErrorRule(PlatformRejectedError, f"TikTok could not publish it. The only reason it gives is: {reason}.")
    table = replace(API_ERRORS, status_rules={}, default_rule=unknown)
    return table.translate(VendorError(status=200, codes=(reason,)), repeatable=True).failure
