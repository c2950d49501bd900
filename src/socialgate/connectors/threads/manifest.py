"""What a Threads profile accepts, and which permissions each use needs."""

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
from socialgate.connectors.threads import metrics
from socialgate.contracts import platforms
from socialgate.contracts.account_connection import (
    ACCOUNT_HEALTH_CAPABILITY,
    ACCOUNT_PROFILE_CAPABILITY,
    TOKEN_REFRESH_CAPABILITY,
)
from socialgate.contracts.comments import COMMENTS_CAPABILITY
from socialgate.contracts.insights import INSIGHTS_CAPABILITY
from socialgate.contracts.platforms import Kind, KindManifest, MediaRule, Platform, PlatformLimits, Quota
from socialgate.contracts.publishing import DELETE_POST_CAPABILITY, POST_HISTORY_CAPABILITY, PUBLISH_POST_CAPABILITY
from socialgate.contracts.webhooks import INBOUND_WEBHOOKS_CAPABILITY

_MIB = 1024 * 1024
_DAY_SECONDS = 24 * 60 * 60
_LOCATION_TAGGING_SCOPE = "threads_location_tagging"

_THREADS_KIND_MANIFEST = KindManifest(
    kind=Kind.THREADS,
    metrics=metrics.METRICS,
    name="Threads",
    capabilities=(
        ACCOUNT_PROFILE_CAPABILITY,
        ACCOUNT_HEALTH_CAPABILITY,
        TOKEN_REFRESH_CAPABILITY,
        INBOUND_WEBHOOKS_CAPABILITY,
        PUBLISH_POST_CAPABILITY,
        DELETE_POST_CAPABILITY,
        POST_HISTORY_CAPABILITY,
        COMMENTS_CAPABILITY,
        INSIGHTS_CAPABILITY,
    ),
    permissions={
        "post": ("threads_basic", "threads_content_publish"),
        "comment": (
            *("threads_basic", "threads_content_publish", "threads_read_replies", "threads_manage_replies"),
            "threads_delete",
        ),
        "readInsights": ("threads_basic", "threads_manage_insights"),
        "history": ("threads_basic",),
        "deletePost": ("threads_basic", "threads_delete"),
        "tagLocation": ("threads_basic", _LOCATION_TAGGING_SCOPE),
    },
    option_permissions={"locationId": (_LOCATION_TAGGING_SCOPE,)},
    limits=PlatformLimits(
        # An emoji counts as many characters as it has bytes in UTF-8.
        text_max=500,
        quotas=(
            Quota("posts", 250, _DAY_SECONDS),
            Quota("replies", 1000, _DAY_SECONDS),
            Quota("deletes", 100, _DAY_SECONDS),
        ),
    ),
    media={
        # Widths outside 320 to 1440 are rescaled, not rejected.
        "image": MediaRule(
            mime_types=("image/jpeg", "image/png"), max_count=20, max_bytes=8 * _MIB, min_ratio=0.1, max_ratio=10
        ),
        "video": MediaRule(
            mime_types=("video/mp4", "video/quicktime"),
            max_count=20,
            max_bytes=1024 * _MIB,
            max_width=1920,
            min_ratio=0.01,
            max_ratio=10,
            max_seconds=300,
            # "H264 or HEVC, 4:2:0, progressive", "AAC, 48 kHz maximum, 1 or 2 channels", "moov atom at the front".
            video_codecs=("h264", "hevc"),
            audio_codecs=("aac",),
            pixel_formats=("yuv420p", "yuvj420p", "yuv420p10le", "nv12"),
            min_fps=23,
            max_fps=60,
            max_bit_rate=25_000_000,
            max_channels=2,
            max_sample_rate=48_000,
            progressive=True,
            index_first=True,
        ),
    },
    options=nested_object_schema(
        replyControl=enum_schema(
            "Who may reply.",
            *("everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"),
        ),
        thread=array_schema(
            "Texts that follow the post, each as a reply to the previous one.",
            {"type": "string", "minLength": 1},
            minItems=1,
            maxItems=50,
        ),
        topicTag=string_schema(
            "The topic of the post, without #, up to 50 characters, without . and &.", pattern="^[^.&]{1,50}$"
        ),
        locationId=nonempty_string_schema(
            f"The id of a place on Threads. Needs the permission {_LOCATION_TAGGING_SCOPE}."
        ),
        replyToId=numeric_id_schema("The post or reply to reply to."),
        quotePostId=numeric_id_schema("The post to quote."),
        linkAttachment=url_schema("The URL of a link card. Only for text posts; not with a poll."),
        poll=array_schema(
            "The choices, only for text posts; up to 25 characters each.",
            {"type": "string", "minLength": 1, "maxLength": 25},
            minItems=2,
            maxItems=4,
        ),
        textAttachment=nested_object_schema(
            "A longer text below the post. Only for text posts; not with a poll.",
            "plaintext",
            plaintext=nonempty_string_schema("The attached text.", maxLength=10_000),
            linkAttachmentUrl=url_schema("A URL that is shown below the attached text."),
        ),
        gif=nested_object_schema(
            "An animated GIF from a provider, only for text posts.",
            *("gifId", "provider"),
            gifId=nonempty_string_schema("The provider's id of the GIF."),
            provider=nonempty_string_schema("The provider of the GIF, such as TENOR."),
        ),
        isGhostPost=boolean_schema("The post disappears after 24 hours. Only for text posts.", default=None),
        isSpoilerMedia=boolean_schema("Hides the media until it is tapped.", default=None),
        spoilers=array_schema(
            "Parts of the text that are hidden until they are tapped.",
            nested_object_schema(
                "",
                *("offset", "length"),
                offset=integer_schema("Index of the first character."),
                length=integer_schema("How many characters are hidden.", min_value=1),
            ),
        ),
        countries=array_schema(
            "The countries in which it can be seen, as ISO 3166 codes. Only for profiles with this feature.",
            {"type": "string", "pattern": "^[A-Z]{2}$"},
        ),
    ),
)

MANIFEST = platforms.PlatformManifest(
    platform=Platform.THREADS,
    name="Threads",
    method=platforms.ConnectMethod.REDIRECT,
    kinds=(_THREADS_KIND_MANIFEST,),
    settings=("app_id", "app_secret", "verify_token"),
    how_to_set_up=(
        "Create an app with the Threads use case on developers.facebook.com and set SOCIALGATE_THREADS_APP_ID and "
        "SOCIALGATE_THREADS_APP_SECRET to its Threads app id and Threads app secret, which differ from those of the "
        "app itself. Set SOCIALGATE_THREADS_VERIFY_TOKEN to a long random token of your choice. In the settings of "
        "the use case, enter <URL of this service>/connect/threads/callback as redirect callback, "
        "<URL>/webhooks/threads as uninstall callback, and <URL>/webhooks/threads?deletion=1 as delete callback; then "
        "<URL>/webhooks/threads with your token as the callback of the webhooks."
    ),
)
