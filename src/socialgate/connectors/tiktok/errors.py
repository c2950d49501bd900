"""What TikTok's failures mean.

An access token that TikTok refuses is no end: the grant can be renewed, and only a refused renewal is final. It is
said as TemporarilyUnavailable with the category `auth_expired`.
"""

import re

import msgspec

from socialgate.connectors.dialects.tiktok import SUCCESSES
from socialgate.connectors.errors import RETRY_SECONDS, ErrorTable, Rule, Said
from socialgate.contracts.failures import (
    NeedsReconnection,
    PermissionMissing,
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
_PART_SECONDS = 10

_EXPIRED = Rule(
    TemporarilyUnavailable,
    "TikTok no longer accepts the access token. It is renewed automatically; if TikTok refuses that too, the account "
    "has to be connected again.",
    "auth_expired",
    wait=_WINDOW_SECONDS,
)
_GONE = Rule(NeedsReconnection, "TikTok says that the permission was taken away. Connect the account again.")
_SCOPE = Rule(
    PermissionMissing,
    "The person who connected the TikTok account did not grant what this needs. Connect it again and leave every "
    "permission switched on.",
)
_PARAMETER = Rule(Rejected, "TikTok refuses a value that was sent; its message names it.", "user_content")
_APP = Rule(
    Rejected,
    "TikTok does not accept this deployment's app. The operator must check SOCIALGATE_TIKTOK_APP_ID, "
    "SOCIALGATE_TIKTOK_APP_SECRET and the app's redirect URI and products at developers.tiktok.com.",
    "system_error",
)
_BUSY = Rule(
    TemporarilyUnavailable,
    "TikTok has a problem at the moment. Nothing was changed; try again.",
    wait=RETRY_SECONDS,
)
_RATE = Rule(
    PlatformRateLimited,
    "TikTok has had too many calls within a minute. Try again then.",
    wait=_WINDOW_SECONDS,
    pauses="account",
)
_SPAM = Rule(
    Rejected, "TikTok takes this for spam. Change the text or the media, and post less of the same.", "user_content"
)
_NO_UPLOAD = Rule(PlatformNotFound, "TikTok does not know this upload, or it belongs to another account.")
_BYTES = Rule(
    Rejected, "TikTok does not accept the video's bytes. Check the file, and upload it again.", field="/media/0"
)
_PART = Rule(
    TemporarilyUnavailable,
    "TikTok failed while it took a part of the video. The same part is sent again.",
    wait=_PART_SECONDS,
)


def _tomorrow(detail: str) -> Rule:
    """A daily cap on posts holds back posts alone, so it pauses nothing."""
    return Rule(PlatformRateLimited, detail, "quota_exhausted", wait=_DAY)


def _media(detail: str) -> Rule:
    return Rule(Rejected, detail, "user_content", "/media")


def _not_fetched(what: str) -> Rule:
    detail = f"TikTok could not fetch {what} from its address within an hour."
    return Rule(Rejected, detail, "platform_rejected", "/media")


API = ErrorTable(
    platform=Platform.TIKTOK,
    vendor="TikTok",
    rules={
        "access_token_invalid": _EXPIRED,
        "scope_not_authorized": _SCOPE,
        "scope_permission_missed": _SCOPE,
        "invalid_param": _PARAMETER,
        "invalid_params": _PARAMETER,
        "invalid_file_upload": _media("TikTok does not take this file: check its format, size and length."),
        "invalid_publish_id": _NO_UPLOAD,
        "token_not_authorized_for_specified_publish_id": _NO_UPLOAD,
        "publish_not_cancellable": Rule(Rejected, "TikTok is already past the point where a post can be cancelled."),
        "spam_risk_too_many_posts": _tomorrow(
            "The account has reached TikTok's number of posts for a day, over all apps. Try again tomorrow."
        ),
        "spam_risk_too_many_pending_share": _tomorrow(
            "Five drafts wait in the TikTok app. Finish or delete some there, or try again tomorrow."
        ),
        "reached_active_user_cap": _tomorrow(
            "The app has reached the number of TikTok accounts that may post through it in a day. Try again tomorrow."
        ),
        "spam_risk_user_banned_from_posting": Rule(
            Rejected, "TikTok has banned this account from posting. Appeal in the TikTok app.", "account_issue"
        ),
        "spam_risk_text": _SPAM,
        "spam_risk": _SPAM,
        "unaudited_client_can_only_post_to_private_accounts": Rule(
            Rejected,
            "TikTok has not audited the app yet, so it may post to private accounts only. Make the account private, "
            "or have the app audited.",
            "account_issue",
        ),
        "url_ownership_unverified": Rule(
            Rejected,
            "TikTok fetches media from verified domains only. The operator must verify this service's domain in the "
            "app's URL properties.",
            "system_error",
        ),
        "privacy_level_option_mismatch": Rule(
            Rejected,
            "The account does not offer this privacy level. Choose another.",
            "user_content",
            "/options/privacyLevel",
        ),
        "rate_limit_exceeded": _RATE,
        "internal_error": _BUSY,
        # Why a post failed after it was taken.
        "file_format_check_failed": _media("TikTok does not take this format. Use MP4 with H.264."),
        "duration_check_failed": _media("The video is longer or shorter than the account may post."),
        "frame_rate_check_failed": _media("The video must have 23 to 60 frames a second."),
        "picture_size_check_failed": _media("Each side of the picture must have 360 to 4096 pixels."),
        "internal": _BUSY,
        "video_pull_failed": _not_fetched("the video"),
        "photo_pull_failed": _not_fetched("a photo"),
        "publish_cancelled": Rule(Rejected, "The post was cancelled before TikTok had published it."),
        "auth_removed": _GONE,
    },
    statuses={**dict.fromkeys(SUCCESSES, _BUSY), 401: _EXPIRED},
    limited=_RATE,
    busy=_BUSY,
    tokens=re.compile(r"\b(?:act|rft|clt)\.[\w.!*-]+"),
)

# A 401 without a word is about the app here, not about the person.
OAUTH = msgspec.structs.replace(
    API,
    rules={
        "invalid_grant": _GONE,
        "access_denied": Rule(Rejected, "TikTok says that access was declined. Connect the account again."),
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
    },
    statuses={**dict.fromkeys(SUCCESSES, _BUSY), 401: _APP},
)

UPLOADS = msgspec.structs.replace(
    API,
    rules={},
    statuses={**dict.fromkeys(SUCCESSES, _PART), 408: _BYTES},
    limited=_PART,
    busy=_PART,
    refused=_BYTES,
)


def publish_failure(reason: str) -> PlatformFailure:
    """Translate why a post failed that TikTok had taken: it is certain that nobody sees it."""
    unknown = Rule(Rejected, f"TikTok could not publish it, and says only: {reason}.")
    table = msgspec.structs.replace(API, statuses={}, refused=unknown)
    return table.verdict(Said(status=200, codes=(reason,)), repeatable=True).failure
