"""What TikTok's errors mean."""

import re

from msgspec.structs import replace

from socialgate.connectors.dialects.tiktok import SUCCESSES
from socialgate.connectors.errors import ErrorTable, Rule, Said, rows, usual
from socialgate.contracts import failures
from socialgate.contracts.failures import PlatformFailure, PlatformRateLimited, Rejected, TemporarilyUnavailable
from socialgate.contracts.platforms import Platform

_DAY = 86_400
# Its windows slide over one minute, and it sends no Retry-After.
_USUAL = usual("TikTok", Platform.TIKTOK, "developers.tiktok.com")
_APP, _BUSY, _RATE = _USUAL.app, _USUAL.busy, _USUAL.limited["account"]
_NO_UPLOAD = Rule(failures.PlatformNotFound, "TikTok does not know this upload, or it belongs to another account.")
_BYTES = Rule(Rejected, "TikTok did not accept the video data. Check the file, and upload it again.", field="/media/0")
_RESENT = "TikTok failed while receiving a part of the video. The same part is sent again."
_PART = Rule(TemporarilyUnavailable, _RESENT, wait=10)
_SPAM = "TikTok considers this spam. Change the text or the media, and post less of the same."
_BANNED = "TikTok has banned this account from posting. Appeal in the TikTok app."
_FULL = "The account has reached TikTok's daily limit of posts, across all apps. Try again tomorrow."
_DRAFTS = "Five drafts are waiting in the TikTok app. Finish or delete some there, or try again tomorrow."
_CAP = "The app has reached the daily limit of TikTok accounts that can post through it. Try again tomorrow."
_UNAUDITED = (
    "TikTok has not audited the app yet, so it can only post to private accounts. Make the account private, or have "
    "the app audited."
)
_UNVERIFIED = (
    "TikTok only fetches media from verified domains. The operator must verify this service's domain in the app's URL "
    "properties."
)
_PRIVACY = "The account does not offer this privacy level. Choose another one."


def _tomorrow(detail: str) -> Rule:
    """A daily limit on posts only affects posts, so it pauses nothing else."""
    return Rule(PlatformRateLimited, detail, "quota_exhausted", wait=_DAY)


def _media(detail: str) -> Rule:
    return Rule(Rejected, detail, "user_content", "/media")


def _not_fetched(what: str) -> Rule:
    detail = f"TikTok could not fetch {what} from its URL within an hour."
    return Rule(Rejected, detail, "platform_rejected", "/media")


API = ErrorTable(
    platform=Platform.TIKTOK,
    vendor="TikTok",
    rules=rows(
        ("access_token_invalid", _USUAL.expired),
        ("scope_not_authorized scope_permission_missed", _USUAL.scope),
        ("invalid_param invalid_params", _USUAL.value),
        ("invalid_file_upload", _media("TikTok does not accept this file: check its format, size and duration.")),
        ("invalid_publish_id token_not_authorized_for_specified_publish_id", _NO_UPLOAD),
        ("publish_not_cancellable", Rule(Rejected, "It is too late to cancel this post on TikTok.")),
        ("spam_risk_too_many_posts", _tomorrow(_FULL)),
        ("spam_risk_too_many_pending_share", _tomorrow(_DRAFTS)),
        ("reached_active_user_cap", _tomorrow(_CAP)),
        ("spam_risk_user_banned_from_posting", Rule(Rejected, _BANNED, "account_issue")),
        ("spam_risk_text spam_risk", Rule(Rejected, _SPAM, "user_content")),
        ("unaudited_client_can_only_post_to_private_accounts", Rule(Rejected, _UNAUDITED, "account_issue")),
        ("url_ownership_unverified", Rule(Rejected, _UNVERIFIED, "system_error")),
        ("privacy_level_option_mismatch", Rule(Rejected, _PRIVACY, "user_content", "/options/privacyLevel")),
        ("rate_limit_exceeded", _RATE),
        ("internal_error", _BUSY),
        # Why a post failed after it was accepted.
        ("file_format_check_failed", _media("TikTok does not accept this format. Use MP4 with H.264.")),
        ("duration_check_failed", _media("The video is longer or shorter than the account may post.")),
        ("frame_rate_check_failed", _media("The video must have 23 to 60 frames per second.")),
        ("picture_size_check_failed", _media("Each side of the image must have 360 to 4096 pixels.")),
        ("internal", _BUSY),
        ("video_pull_failed", _not_fetched("the video")),
        ("photo_pull_failed", _not_fetched("a photo")),
        ("publish_cancelled", Rule(Rejected, "The post was cancelled before TikTok published it.")),
        ("auth_removed", _USUAL.gone),
    ),
    statuses={**dict.fromkeys(SUCCESSES, _BUSY), 401: _USUAL.expired},
    limited=_RATE,
    busy=_BUSY,
    tokens=re.compile(r"\b(?:act|rft|clt)\.[\w.!*-]+"),
)

# A 401 without a message is about the app here, not about the person.
OAUTH = replace(
    API,
    rules=rows(
        ("invalid_grant", _USUAL.gone),
        ("access_denied", Rule(Rejected, "TikTok says that access was denied. Reconnect the account.")),
        ("invalid_client unauthorized_client invalid_request invalid_scope", _APP),
        ("unsupported_grant_type unsupported_response_type", _APP),
        ("server_error temporarily_unavailable internal_error", _BUSY),
        ("rate_limit_exceeded", _RATE),
    ),
    statuses={**dict.fromkeys(SUCCESSES, _BUSY), 401: _APP},
)

UPLOADS = replace(
    API,
    rules={},
    statuses={**dict.fromkeys(SUCCESSES, _PART), 408: _BYTES},
    limited=_PART,
    busy=_PART,
    refused=_BYTES,
)


def publish_failure(reason: str) -> PlatformFailure:
    """Translate why a post failed that TikTok had accepted: it is certain that nobody sees it."""
    unknown = Rule(Rejected, f"TikTok could not publish it. The only reason it gives is: {reason}.")
    table = replace(API, statuses={}, refused=unknown)
    return table.verdict(Said(status=200, codes=(reason,)), repeatable=True).failure
