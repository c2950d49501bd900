"""What Pages, Instagram accounts and ad accounts take, and which of Meta's permissions each use needs."""

from socialgate.connectors.meta import metrics
from socialgate.contracts.comments import COMMENTS
from socialgate.contracts.connecting import ABOUT, HEALTH, REVOKE
from socialgate.contracts.inbound import INBOUND
from socialgate.contracts.insights import INSIGHTS
from socialgate.contracts.messages import MESSAGES
from socialgate.contracts.platforms import (
    ConnectMethod,
    Kind,
    KindManifest,
    Limits,
    Manifest,
    MediaRule,
    Platform,
    Quota,
)
from socialgate.contracts.publishing import DELETE_POST, HISTORY, POST

_MIB = 1024 * 1024
_DAY = 24 * 60 * 60
_JPEG = ("image/jpeg",)
_PHOTO = ("image/jpeg", "image/png")
_VIDEO = ("video/mp4", "video/quicktime")
_CAN = (ABOUT, HEALTH, REVOKE, INBOUND)
_POSTS = (POST, DELETE_POST, HISTORY, COMMENTS, MESSAGES, INSIGHTS)
_FORM = {
    "enum": ["post", "reel", "story"],
    "default": "post",
    "description": "What it becomes. A post is told by its media; say `reel` or `story` for these.",
}

_PAGE = KindManifest(
    kind=Kind.FACEBOOK_PAGE,
    metrics=metrics.PAGE,
    name="Facebook Page",
    capabilities=(*_CAN, *_POSTS),
    permissions={
        "post": ("pages_show_list", "pages_read_engagement", "pages_manage_posts"),
        "message": ("pages_messaging", "pages_manage_metadata"),
        "comment": ("pages_manage_engagement", "pages_read_user_content"),
        "readInsights": ("read_insights", "pages_read_engagement"),
        "readLeads": ("leads_retrieval", "pages_manage_ads", "pages_manage_metadata"),
        "history": ("pages_read_engagement", "pages_read_user_content"),
        "deletePost": ("pages_manage_posts",),
    },
    limits=Limits(text_max=63_206, quotas=(Quota("reels", 30, _DAY),)),
    # `reel` and others that are no types of media say what such a form asks beyond its type.
    media={
        # Meta names no number of photos for one post; ten is what every gateway of the field allows.
        "image": MediaRule(mime_types=_PHOTO, max_bytes=4 * _MIB, max_count=10),
        "video": MediaRule(mime_types=_VIDEO, max_bytes=10 * 1024 * _MIB, max_seconds=4 * 60 * 60),
        # 9:16, with room for the odd pixel of an encoder.
        "reel": MediaRule(
            mime_types=_VIDEO,
            min_width=540,
            min_height=960,
            min_ratio=0.55,
            max_ratio=0.575,
            min_seconds=3,
            max_seconds=90,
        ),
        "storyVideo": MediaRule(mime_types=_VIDEO, max_seconds=60),
    },
    options={
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "form": _FORM,
            "link": {"type": "string", "format": "uri", "description": "Shown as a card; for a post without media."},
            "title": {"type": "string", "description": "Of a video or a reel."},
            "placeId": {"type": "string", "pattern": "^[0-9]+$", "description": "Of a reel: the Page of a place."},
        },
    },
)

_INSTAGRAM = KindManifest(
    kind=Kind.INSTAGRAM,
    metrics=metrics.INSTAGRAM,
    name="Instagram",
    capabilities=(*_CAN, *_POSTS),
    permissions={
        "post": ("pages_show_list", "pages_read_engagement", "instagram_basic", "instagram_content_publish"),
        "message": ("instagram_manage_messages", "pages_manage_metadata"),
        "comment": ("instagram_basic", "instagram_manage_comments"),
        "readInsights": ("instagram_basic", "instagram_manage_insights"),
        "history": ("instagram_basic", "pages_read_engagement"),
        "deletePost": ("instagram_manage_contents",),
    },
    # How many posts a day are allowed, Meta's pages tell in three ways: only the account itself knows (`check`).
    limits=Limits(text_max=2_200, hashtags_max=30, mentions_max=20, quotas=(Quota("containers", 400, _DAY),)),
    media={
        # Widths outside of 320 to 1440 are rescaled, not refused.
        "image": MediaRule(mime_types=_JPEG, max_bytes=8 * _MIB, max_count=10),
        "feedImage": MediaRule(mime_types=_JPEG, min_ratio=0.8, max_ratio=1.91),
        "video": MediaRule(
            mime_types=_VIDEO,
            max_count=10,
            max_bytes=300 * _MIB,
            max_width=1920,
            min_ratio=0.01,
            max_ratio=10,
            min_seconds=3,
            max_seconds=15 * 60,
        ),
        "reelCover": MediaRule(mime_types=_JPEG, max_bytes=8 * _MIB),
        "storyVideo": MediaRule(mime_types=_VIDEO, max_bytes=100 * _MIB, max_seconds=60),
    },
    options={
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "form": _FORM,
            "shareToFeed": {"type": "boolean", "description": "Whether a reel shows in the feed, too."},
            "thumbOffset": {
                "type": "integer",
                "minimum": 0,
                "description": "Where in a reel its cover is, in milliseconds. A thumbnail of the media wins over it.",
            },
            "audioName": {"type": "string", "minLength": 1, "description": "What the sound of a reel is called."},
            "trialReel": {"enum": ["MANUAL", "SS_PERFORMANCE"], "description": "How a trial reel becomes a real one."},
            "locationId": {"type": "string", "pattern": "^[0-9]+$", "description": "The Facebook Page of a place."},
            "collaborators": {
                "type": "array",
                "items": {"type": "string", "minLength": 1},
                "description": "User names of those who are asked to appear as authors, too.",
            },
            "userTags": {
                "type": "array",
                "description": "Who is to be seen. On a picture with the place, from 0 to 1 from its upper left.",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["username"],
                    "properties": {
                        "username": {"type": "string", "minLength": 1, "description": "Without the @."},
                        "x": {"type": "number", "minimum": 0, "maximum": 1, "description": "From the left."},
                        "y": {"type": "number", "minimum": 0, "maximum": 1, "description": "From the top."},
                        "mediaIndex": {
                            "type": "integer",
                            "minimum": 0,
                            "description": "Which item of a carousel; 0, the first, where it is left out.",
                        },
                    },
                },
            },
            "isAiGenerated": {"type": "boolean", "description": "Labels it as made by AI."},
        },
    },
)

_ADS = KindManifest(
    kind=Kind.META_ADS,
    name="Meta ad account",
    capabilities=_CAN,
    permissions={
        "ads": ("ads_read", "ads_management", "pages_show_list", "pages_read_engagement"),
        "readInsights": ("ads_read",),
        "commerce": ("catalog_management", "business_management"),
    },
)

MANIFEST = Manifest(
    platform=Platform.META,
    name="Meta",
    method=ConnectMethod.REDIRECT,
    kinds=(_PAGE, _INSTAGRAM, _ADS),
    chosen=True,
    settings=("app_id", "app_secret", "verify_token"),
    how_to_set_up=(
        "Make an app on developers.facebook.com and set SOCIALGATE_META_APP_ID and SOCIALGATE_META_APP_SECRET to its "
        "id and secret (App settings > Basic), and SOCIALGATE_META_VERIFY_TOKEN to a long random word of your own. "
        "In the app, enter <address of this service>/connect/meta/callback as a valid OAuth redirect URI, "
        "<address>/webhooks/meta with your word as the callback of the webhooks, the same address as the deauthorize "
        "callback, and <address>/webhooks/meta?deletion=1 as the data deletion callback."
    ),
)
