"""What Pages, Instagram accounts and ad accounts accept, and which of Meta's permissions each use needs."""

from typing import Any

from socialgate.connectors.advertising import build_supported_values
from socialgate.connectors.json_schema import (
    array_schema,
    boolean_schema,
    enum_schema,
    integer_schema,
    nested_object_schema,
    nonempty_string_schema,
    numeric_id_schema,
    string_schema,
    url_schema,
)
from socialgate.connectors.message_options import INSTAGRAM_OPTIONS_SCHEMA, MESSENGER_OPTIONS_SCHEMA
from socialgate.connectors.meta import metrics
from socialgate.connectors.meta.ads.audiences import AUDIENCE_KINDS, VENDOR_NAMES_BY_IDENTIFIER
from socialgate.connectors.meta.ads.conversions import RULE_FIELDS, RULE_OPERATORS
from socialgate.connectors.meta.ads.insights import TIME_INCREMENTS, VENDOR_NAMES_BY_BREAKDOWN
from socialgate.connectors.meta.ads.mappings import (
    VENDOR_NAMES_BY_BID_STRATEGY,
    VENDOR_NAMES_BY_CALL_TO_ACTION,
    VENDOR_NAMES_BY_CONFIGURED_STATUS,
    VENDOR_NAMES_BY_EVENT,
    VENDOR_NAMES_BY_GOAL,
    VENDOR_NAMES_BY_OPTIMIZATION,
    VENDOR_NAMES_BY_SPECIAL_CATEGORY,
)
from socialgate.connectors.meta.ads.media_library import IMAGE_RULE, VIDEO_RULE
from socialgate.contracts import platforms
from socialgate.contracts.account_connection import (
    ACCOUNT_HEALTH_CAPABILITY,
    ACCOUNT_PROFILE_CAPABILITY,
    GRANT_REVOCATION_CAPABILITY,
)
from socialgate.contracts.ad_audiences import AUDIENCES_CAPABILITY, CUSTOM_CONVERSIONS_CAPABILITY, PIXELS_CAPABILITY
from socialgate.contracts.ad_insights import AD_INSIGHTS_CAPABILITY
from socialgate.contracts.ads import AD_TARGETING_CAPABILITY, ADVERTISING_CAPABILITY
from socialgate.contracts.comments import COMMENTS_CAPABILITY
from socialgate.contracts.commerce import COMMERCE_CAPABILITY, PRODUCTS_CAPABILITY
from socialgate.contracts.insights import INSIGHTS_CAPABILITY
from socialgate.contracts.leads import LEAD_FORMS_CAPABILITY, LEADS_CAPABILITY
from socialgate.contracts.messages import MESSAGES_CAPABILITY
from socialgate.contracts.platforms import (
    AccountChoice,
    Kind,
    KindManifest,
    MediaRule,
    Platform,
    PlatformLimits,
    PublisherKind,
    Quota,
)
from socialgate.contracts.publishing import DELETE_POST_CAPABILITY, POST_HISTORY_CAPABILITY, PUBLISH_POST_CAPABILITY
from socialgate.contracts.webhooks import INBOUND_WEBHOOKS_CAPABILITY

_MIB = 1024 * 1024
_DAY_SECONDS = 24 * 60 * 60
_JPEG_MIME_TYPES = ("image/jpeg",)
_PHOTO_MIME_TYPES = ("image/jpeg", "image/png")
_VIDEO_MIME_TYPES = ("video/mp4", "video/quicktime")
# 9:16, with tolerance for an odd pixel of an encoder.
_VERTICAL_VIDEO_SIZE_LIMITS: dict[str, Any] = {
    "min_width": 540,
    "min_height": 960,
    "min_ratio": 0.55,
    "max_ratio": 0.575,
}
_VIDEO_SIZE_LIMITS: dict[str, Any] = {"max_width": 1920, "min_ratio": 0.01, "max_ratio": 10}
# "HEVC or H264, progressive scan, 4:2:0", "AAC, 48 kHz maximum, 1 or 2 channels", "moov atom at the front".
_INSTAGRAM_ENCODING: dict[str, Any] = {
    "video_codecs": ("h264", "hevc"),
    "audio_codecs": ("aac",),
    "pixel_formats": ("yuv420p", "yuvj420p", "yuv420p10le", "nv12"),
    "min_fps": 23,
    "max_fps": 60,
    "max_bit_rate": 25_000_000,
    "max_channels": 2,
    "max_sample_rate": 48_000,
    "progressive": True,
    "index_first": True,
}
_COMMON_CAPABILITIES = (
    ACCOUNT_PROFILE_CAPABILITY,
    ACCOUNT_HEALTH_CAPABILITY,
    GRANT_REVOCATION_CAPABILITY,
    INBOUND_WEBHOOKS_CAPABILITY,
)
_POST_CAPABILITIES = (
    PUBLISH_POST_CAPABILITY,
    DELETE_POST_CAPABILITY,
    POST_HISTORY_CAPABILITY,
    COMMENTS_CAPABILITY,
    MESSAGES_CAPABILITY,
    INSIGHTS_CAPABILITY,
)
_ADVERTISING_CAPABILITIES = (
    ADVERTISING_CAPABILITY,
    AD_TARGETING_CAPABILITY,
    AD_INSIGHTS_CAPABILITY,
    AUDIENCES_CAPABILITY,
    PIXELS_CAPABILITY,
    CUSTOM_CONVERSIONS_CAPABILITY,
)
_POST_FORMAT_SCHEMA = enum_schema(
    "What to create. By default it depends on the media; set `reel` or `story` for these.",
    *("post", "reel", "story"),
    default="post",
)

_PAGE_KIND_MANIFEST = KindManifest(
    kind=Kind.FACEBOOK_PAGE,
    message_options=MESSENGER_OPTIONS_SCHEMA,
    metrics=metrics.PAGE_METRICS,
    name="Facebook Page",
    capabilities=(*_COMMON_CAPABILITIES, *_POST_CAPABILITIES, LEADS_CAPABILITY, LEAD_FORMS_CAPABILITY),
    permissions={
        "post": ("pages_show_list", "pages_read_engagement", "pages_manage_posts"),
        "message": ("pages_messaging", "pages_manage_metadata"),
        "comment": ("pages_manage_engagement", "pages_read_user_content"),
        "readInsights": ("read_insights", "pages_read_engagement"),
        "readLeads": ("leads_retrieval", "pages_manage_ads", "pages_manage_metadata"),
        "createLeadForm": ("pages_manage_ads",),
        "history": ("pages_read_engagement", "pages_read_user_content"),
        "deletePost": ("pages_manage_posts",),
    },
    limits=PlatformLimits(text_max=63_206, quotas=(Quota("reels", 30, _DAY_SECONDS),)),
    # `reel` and others that are not media types say what such a form requires beyond its type.
    media={
        # Meta documents no number of photos for one post; ten is what every similar service allows. As for their size,
        # its pages say 4 MB or 10 MB, depending on their language, and the error of the API says 4 MB.
        "image": MediaRule(mime_types=_PHOTO_MIME_TYPES, max_bytes=4 * _MIB, max_count=10),
        "video": MediaRule(mime_types=_VIDEO_MIME_TYPES, max_bytes=10 * 1024 * _MIB, max_seconds=4 * 60 * 60),
        "reel": MediaRule(
            mime_types=_VIDEO_MIME_TYPES,
            min_seconds=3,
            max_seconds=90,
            min_fps=24,
            max_fps=60,
            applies_to="video",
            form="reel",
            **_VERTICAL_VIDEO_SIZE_LIMITS,
        ),
        "storyVideo": MediaRule(mime_types=_VIDEO_MIME_TYPES, max_seconds=60, applies_to="video", form="story"),
    },
    options=nested_object_schema(
        form=_POST_FORMAT_SCHEMA,
        link=url_schema("Shown as a card; for a post without media."),
        title=string_schema("The title of a video or a reel."),
        placeId=numeric_id_schema("For a reel: the id of a place's Page."),
    ),
)

_INSTAGRAM_KIND_MANIFEST = KindManifest(
    kind=Kind.INSTAGRAM,
    message_options=INSTAGRAM_OPTIONS_SCHEMA,
    metrics=metrics.INSTAGRAM_METRICS,
    name="Instagram",
    capabilities=(*_COMMON_CAPABILITIES, *_POST_CAPABILITIES),
    permissions={
        "post": ("pages_show_list", "pages_read_engagement", "instagram_basic", "instagram_content_publish"),
        "message": ("instagram_manage_messages", "pages_manage_metadata"),
        "comment": ("instagram_basic", "instagram_manage_comments"),
        "readInsights": ("instagram_basic", "instagram_manage_insights"),
        "history": ("instagram_basic", "pages_read_engagement"),
        "deletePost": ("instagram_manage_contents",),
    },
    # Meta's pages give three different daily limits: only the account itself knows (`check`).
    limits=PlatformLimits(
        text_max=2_200, hashtags_max=30, mentions_max=20, quotas=(Quota("containers", 400, _DAY_SECONDS),)
    ),
    media={
        # Widths outside 320 to 1440 are rescaled, not rejected.
        "image": MediaRule(mime_types=_JPEG_MIME_TYPES, max_bytes=8 * _MIB, max_count=10),
        "feedImage": MediaRule(
            mime_types=_JPEG_MIME_TYPES, min_ratio=0.8, max_ratio=1.91, applies_to="image", form="post"
        ),
        "video": MediaRule(
            mime_types=_VIDEO_MIME_TYPES,
            max_count=10,
            max_bytes=300 * _MIB,
            min_seconds=3,
            max_seconds=15 * 60,
            **_VIDEO_SIZE_LIMITS,
            **_INSTAGRAM_ENCODING,
        ),
        "reelCover": MediaRule(mime_types=_JPEG_MIME_TYPES, max_bytes=8 * _MIB, applies_to="cover"),
        "storyVideo": MediaRule(
            mime_types=_VIDEO_MIME_TYPES, max_bytes=100 * _MIB, max_seconds=60, applies_to="video", form="story"
        ),
    },
    options=nested_object_schema(
        form=_POST_FORMAT_SCHEMA,
        shareToFeed=boolean_schema("Whether a reel is also shown in the feed.", default=None),
        thumbOffset=integer_schema(
            "The position of the cover in a reel, in milliseconds. A thumbnail of the media takes precedence."
        ),
        audioName=nonempty_string_schema("The name of a reel's audio."),
        trialReel=enum_schema("How a trial reel becomes a regular one.", "MANUAL", "SS_PERFORMANCE"),
        locationId=numeric_id_schema("The id of a place's Facebook Page."),
        collaborators=array_schema(
            "User names of up to three people to invite as collaborators.",
            {"type": "string", "minLength": 1},
            maxItems=3,
        ),
        userTags=array_schema(
            "People to tag. On an image with a position, from 0 to 1 from its upper left corner.",
            nested_object_schema(
                "",
                "username",
                username=nonempty_string_schema("The user name of the person, without the @."),
                x=integer_schema("The horizontal position, from 0 (left) to 1.", most=1, type="number"),
                y=integer_schema("The vertical position, from 0 (top) to 1.", most=1, type="number"),
                mediaIndex=integer_schema("Which item of a carousel; the first one (0) by default."),
            ),
        ),
        isAiGenerated=boolean_schema("Labels it as made by AI.", default=None),
    ),
)

_AD_ACCOUNT_KIND_MANIFEST = KindManifest(
    kind=Kind.META_ADS,
    name="Meta ad account",
    publishers={
        Kind.FACEBOOK_PAGE: PublisherKind(name="a Facebook Page"),
        Kind.INSTAGRAM: PublisherKind(name="an Instagram account"),
    },
    capabilities=(*_COMMON_CAPABILITIES, COMMERCE_CAPABILITY, PRODUCTS_CAPABILITY, *_ADVERTISING_CAPABILITIES),
    permissions={
        "ads": ("ads_read", "ads_management", "pages_show_list", "pages_read_engagement"),
        "adInsights": ("ads_read",),
        "adTargeting": ("ads_read",),
        "audiences": ("ads_management",),
        "pixels": ("ads_management",),
        "customConversions": ("ads_management",),
        "commerce": ("catalog_management", "business_management"),
        "products": ("catalog_management",),
        "shops": ("commerce_account_read_settings",),
    },
    media={"image": IMAGE_RULE, "video": VIDEO_RULE},
    advertising=build_supported_values(
        goals=VENDOR_NAMES_BY_GOAL,
        optimizations=VENDOR_NAMES_BY_OPTIMIZATION,
        bid_strategies=VENDOR_NAMES_BY_BID_STRATEGY,
        budgets=("daily", "lifetime"),
        statuses=VENDOR_NAMES_BY_CONFIGURED_STATUS,
        special_categories=VENDOR_NAMES_BY_SPECIAL_CATEGORY,
        calls_to_action=VENDOR_NAMES_BY_CALL_TO_ACTION,
        events=VENDOR_NAMES_BY_EVENT,
        breakdowns=VENDOR_NAMES_BY_BREAKDOWN,
        granularities=TIME_INCREMENTS,
        audiences=AUDIENCE_KINDS,
        identifiers=VENDOR_NAMES_BY_IDENTIFIER,
        conversion_fields=RULE_FIELDS,
        conversion_operators=RULE_OPERATORS,
    ),
)

MANIFEST = platforms.PlatformManifest(
    platform=Platform.META,
    name="Meta",
    method=platforms.ConnectMethod.REDIRECT,
    kinds=(_PAGE_KIND_MANIFEST, _INSTAGRAM_KIND_MANIFEST, _AD_ACCOUNT_KIND_MANIFEST),
    choice=AccountChoice.ALWAYS,
    settings=("app_id", "app_secret", "verify_token"),
    how_to_set_up=(
        "Create an app on developers.facebook.com and set SOCIALGATE_META_APP_ID and SOCIALGATE_META_APP_SECRET to "
        "its id and secret (App settings > Basic), and SOCIALGATE_META_VERIFY_TOKEN to a long random token of your "
        "choice. In the app, enter <URL of this service>/connect/meta/callback as a valid OAuth redirect URI, "
        "<URL>/webhooks/meta with your token as the callback of the webhooks, the same URL as the deauthorize "
        "callback, and <URL>/webhooks/meta?deletion=1 as the data deletion callback."
    ),
)
