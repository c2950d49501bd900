"""What TikTok is, accepts and allows."""

from socialgate.connectors.json_schema import boolean_schema, enum_schema, integer_schema, object_schema, string_schema
from socialgate.connectors.tiktok import metrics
from socialgate.contracts.account_connection import (
    ACCOUNT_HEALTH_CAPABILITY,
    ACCOUNT_PROFILE_CAPABILITY,
    GRANT_REVOCATION_CAPABILITY,
    TOKEN_REFRESH_CAPABILITY,
)
from socialgate.contracts.insights import INSIGHTS_CAPABILITY
from socialgate.contracts.platforms import (
    Kind,
    KindManifest,
    MediaRule,
    Platform,
    PlatformLimits,
    PlatformManifest,
    Quota,
)
from socialgate.contracts.publishing import POST_HISTORY_CAPABILITY, PUBLISH_POST_CAPABILITY
from socialgate.contracts.webhooks import INBOUND_WEBHOOKS_CAPABILITY

_DAY_SECONDS = 86_400
_MIB = 1024 * 1024

# Without the first nobody can be identified, without the second nobody has a username; the third is for drafts, and
# without it people can still post.
ALWAYS_REQUESTED_SCOPES = ("user.info.basic", "user.info.profile", "video.upload")

_POST_OPTIONS_SCHEMA = object_schema(
    {
        "privacyLevel": enum_schema(
            "Who can see it: one of the levels that the account offers. TikTok does not allow a default.",
            *("PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY"),
        ),
        "mode": enum_schema(
            "A draft goes to the inbox of the TikTok app and is finished there.", "direct", "draft", default="direct"
        ),
        "source": enum_schema(
            "Videos only. With `url` TikTok fetches the video itself, from a domain that is verified in the app.",
            *("upload", "url"),
            default="upload",
        ),
        "title": string_schema("The title of photos.", maxLength=90),
        "description": string_schema(
            "The text of photos, in UTF-16 units; the text of the post by default.", maxLength=4000
        ),
        "disableComment": boolean_schema("Disable comments.", default=True),
        "disableDuet": boolean_schema("Disable duets. Videos only.", default=True),
        "disableStitch": boolean_schema("Disable stitches. Videos only.", default=True),
        "coverTimestampMs": integer_schema("The frame of the video that is its cover. Videos only."),
        "photoCoverIndex": integer_schema("Which of the photos is the cover, counted from 0.", most=34, default=0),
        "autoAddMusic": boolean_schema("Have TikTok add music. Photos only."),
        "brandedContent": boolean_schema("Marks a paid partnership; never private."),
        "ownBrand": boolean_schema("Promotes the creator's own business."),
        "aiGenerated": boolean_schema("Have TikTok label it as AI-generated. Videos only."),
    },
    **{
        "if": {"properties": {"mode": {"const": "draft"}}, "required": ["mode"]},
        "else": {"required": ["privacyLevel"]},
        "not": {
            "properties": {"brandedContent": {"const": True}, "privacyLevel": {"const": "SELF_ONLY"}},
            "required": ["brandedContent", "privacyLevel"],
        },
    },
)

_TIKTOK_KIND_MANIFEST = KindManifest(
    kind=Kind.TIKTOK,
    metrics=metrics.METRICS,
    name="TikTok account",
    capabilities=(
        ACCOUNT_PROFILE_CAPABILITY,
        ACCOUNT_HEALTH_CAPABILITY,
        TOKEN_REFRESH_CAPABILITY,
        GRANT_REVOCATION_CAPABILITY,
        INBOUND_WEBHOOKS_CAPABILITY,
        PUBLISH_POST_CAPABILITY,
        POST_HISTORY_CAPABILITY,
        INSIGHTS_CAPABILITY,
    ),
    permissions={
        "post": ("video.publish",),
        "history": ("video.list",),
        "readInsights": ("user.info.stats", "video.list"),
    },
    limits=PlatformLimits(
        text_max=2200,
        text_unit="utf16",
        quotas=(
            Quota("posts", 15, _DAY_SECONDS),
            Quota("pendingDrafts", 5, _DAY_SECONDS),
            Quota("publishCalls", 6, 60),
        ),
    ),
    media={
        "video": MediaRule(
            mime_types=("video/mp4", "video/webm", "video/quicktime"),
            max_bytes=4 * 1024 * _MIB,
            min_width=360,
            min_height=360,
            max_width=4096,
            max_height=4096,
            # The longest that any creator may post; `creator_info` says what this one may.
            max_seconds=600,
            video_codecs=("h264", "hevc", "vp8", "vp9"),
            min_fps=23,
            max_fps=60,
        ),
        # "1080p" in either orientation.
        "image": MediaRule(
            mime_types=("image/jpeg", "image/webp"), max_count=35, max_bytes=20 * _MIB, max_width=1920, max_height=1920
        ),
    },
    options=_POST_OPTIONS_SCHEMA,
)

MANIFEST = PlatformManifest(
    platform=Platform.TIKTOK,
    name="TikTok",
    kinds=(_TIKTOK_KIND_MANIFEST,),
    settings=("app_id", "app_secret"),
    how_to_set_up=(
        "Register an app at developers.tiktok.com with Login Kit and the Content Posting API, enter this service's "
        "callback as its redirect URI and /webhooks/tiktok as its webhook, then set SOCIALGATE_TIKTOK_APP_ID to the "
        "client key and SOCIALGATE_TIKTOK_APP_SECRET to the client secret."
    ),
)
