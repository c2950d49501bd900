"""Google's three products: what they are, accept and allow."""

from socialgate.connectors.google import metrics
from socialgate.connectors.json_schema import (
    DATE_TIME_RULES,
    URL_RULES,
    boolean_schema,
    enum_schema,
    integer_schema,
    nested_object_schema,
    object_schema,
    string_schema,
)
from socialgate.contracts.account_connection import (
    ACCOUNT_HEALTH_CAPABILITY,
    ACCOUNT_PROFILE_CAPABILITY,
    GRANT_REVOCATION_CAPABILITY,
    TOKEN_REFRESH_CAPABILITY,
)
from socialgate.contracts.calendar import CALENDAR_CAPABILITY
from socialgate.contracts.comments import COMMENTS_CAPABILITY
from socialgate.contracts.insights import INSIGHTS_CAPABILITY
from socialgate.contracts.platforms import (
    AccountChoice,
    Kind,
    KindManifest,
    MediaRule,
    Platform,
    PlatformLimits,
    PlatformManifest,
    Quota,
)
from socialgate.contracts.publishing import DELETE_POST_CAPABILITY, POST_HISTORY_CAPABILITY, PUBLISH_POST_CAPABILITY
from socialgate.contracts.webhooks import INBOUND_WEBHOOKS_CAPABILITY

_DAY_SECONDS = 86_400
_PACIFIC_TIMEZONE = "America/Los_Angeles"
_MIB = 1024 * 1024
_SCOPE_PREFIX = "https://www.googleapis.com/auth/"

IDENTITY_SCOPES = ("openid", f"{_SCOPE_PREFIX}userinfo.email", f"{_SCOPE_PREFIX}userinfo.profile")

_YOUTUBE_READ_SCOPE = f"{_SCOPE_PREFIX}youtube.readonly"
_YOUTUBE_UPLOAD_SCOPE = f"{_SCOPE_PREFIX}youtube.upload"
# The only scope that allows reading, writing and deleting comments; the upload scope does not allow deleting either.
_YOUTUBE_MANAGE_SCOPE = f"{_SCOPE_PREFIX}youtube.force-ssl"
_YOUTUBE_ANALYTICS_SCOPE = f"{_SCOPE_PREFIX}yt-analytics.readonly"
_CALENDAR_EVENTS_SCOPE = f"{_SCOPE_PREFIX}calendar.events"
_CALENDAR_LIST_SCOPE = f"{_SCOPE_PREFIX}calendar.calendarlist.readonly"
_BUSINESS_SCOPE = f"{_SCOPE_PREFIX}business.manage"

_BASE_CAPABILITIES = (
    ACCOUNT_PROFILE_CAPABILITY,
    ACCOUNT_HEALTH_CAPABILITY,
    TOKEN_REFRESH_CAPABILITY,
    GRANT_REVOCATION_CAPABILITY,
    INBOUND_WEBHOOKS_CAPABILITY,
)

# YouTube says `video/*`; these are the formats that it says it can process.
_VIDEO_MIME_TYPES = (
    "video/mp4",
    "video/quicktime",
    "video/webm",
    "video/x-matroska",
    "video/x-msvideo",
    "video/x-ms-wmv",
    "video/x-flv",
    "video/mpeg",
    "video/3gpp",
)
_POST_CAPABILITIES = (
    PUBLISH_POST_CAPABILITY,
    DELETE_POST_CAPABILITY,
    POST_HISTORY_CAPABILITY,
    COMMENTS_CAPABILITY,
    INSIGHTS_CAPABILITY,
)


_DATE_SCHEMA = nested_object_schema(
    "",
    *("year", "month", "day"),
    year=integer_schema("The year.", 1, 9999),
    month=integer_schema("The month; January is 1.", 1, 12),
    day=integer_schema("The day of the month.", 1, 31),
)
_TIME_SCHEMA = nested_object_schema(
    hours=integer_schema("The hour, from 0; 24 is the end of the day.", 0, 24),
    minutes=integer_schema("The minute.", 0, 59),
    seconds=integer_schema("The second.", 0, 59),
    nanos=integer_schema("The part of a second, in nanoseconds.", 0, 999_999_999),
)

_VIDEO_OPTIONS_SCHEMA = object_schema(
    {
        "title": string_schema(
            "The title of the video. The text of the post becomes its description.",
            minLength=1,
            maxLength=100,
            pattern="^[^<>]*$",
        ),
        "tags": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "description": "Search keywords, at most 500 characters in total.",
        },
        "categoryId": string_schema(
            "The number of a YouTube category; 22 is People & Blogs.", pattern="^[0-9]+$", default="22"
        ),
        "privacyStatus": enum_schema("Who can see it.", "public", "unlisted", "private", default="public"),
        "publishAt": string_schema("When YouTube makes a private video public.", **DATE_TIME_RULES),
        "madeForKids": boolean_schema("Whether it is made for kids."),
        "containsSyntheticMedia": boolean_schema("Whether it contains realistic altered or synthetic content."),
        "embeddable": boolean_schema("Whether other sites may embed it.", default=True),
        "license": enum_schema("The license.", "youtube", "creativeCommon", default="youtube"),
        "publicStatsViewable": boolean_schema("Whether everyone can see its statistics.", default=True),
        "notifySubscribers": boolean_schema("Whether subscribers are notified.", default=True),
        "defaultLanguage": string_schema("The language of the title and description, such as `en`."),
        "defaultAudioLanguage": string_schema("The spoken language, such as `en`."),
        "recordingDate": string_schema("When it was recorded.", **DATE_TIME_RULES),
    },
    required=["title"],
    dependentSchemas={
        "publishAt": {"properties": {"privacyStatus": {"const": "private"}}, "required": ["privacyStatus"]},
    },
)

_LOCAL_POST_OPTIONS_SCHEMA = object_schema(
    {
        "form": enum_schema(
            "The kind of post. Events and offers need `event`.",
            *("standard", "event", "offer"),
            default="standard",
        ),
        "languageCode": string_schema("The language of the text, such as `en`."),
        "callToAction": object_schema(
            {
                "actionType": enum_schema(
                    ("The label of the button."), "BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL"
                ),
                "url": string_schema("The link of the button.", **URL_RULES),
            },
            description="The button below the post. An offer has its own, and a call has no url.",
            required=["actionType"],
            **{
                "if": {"properties": {"actionType": {"not": {"const": "CALL"}}}},
                "then": {"required": ["url"]},
            },
        ),
        "event": object_schema(
            {
                "title": string_schema("The name of the event or offer.", minLength=1),
                "schedule": object_schema(
                    {
                        "startDate": _DATE_SCHEMA | {"description": "The first day."},
                        "startTime": _TIME_SCHEMA | {"description": "When it starts on that day."},
                        "endDate": _DATE_SCHEMA | {"description": "The last day."},
                        "endTime": _TIME_SCHEMA | {"description": "When it ends on that day."},
                    },
                    description="The period. Without times it is whole days.",
                    required=["startDate", "endDate"],
                ),
            },
            description="The event and its period, in the location's local time; for an offer, how long it is valid.",
            required=["title", "schedule"],
        ),
        "offer": object_schema(
            {
                "couponCode": string_schema("The coupon code to use in the shop."),
                "redeemOnlineUrl": string_schema("The URL where it can be redeemed online.", **URL_RULES),
                "termsConditions": string_schema("The terms and conditions."),
            },
            description="Offers only: how to redeem it.",
        ),
    },
    **{
        "if": {"properties": {"form": {"enum": ["event", "offer"]}}, "required": ["form"]},
        "then": {"required": ["event"]},
    },
)

_YOUTUBE_KIND_MANIFEST = KindManifest(
    kind=Kind.YOUTUBE,
    metrics=metrics.YOUTUBE_METRICS,
    name="YouTube channel",
    capabilities=(*_BASE_CAPABILITIES, *_POST_CAPABILITIES),
    permissions={
        "post": (_YOUTUBE_UPLOAD_SCOPE,),
        "comment": (_YOUTUBE_MANAGE_SCOPE,),
        "deletePost": (_YOUTUBE_MANAGE_SCOPE,),
        "history": (_YOUTUBE_READ_SCOPE,),
        "readInsights": (_YOUTUBE_READ_SCOPE, _YOUTUBE_ANALYTICS_SCOPE),
    },
    # The text is the description. Both quotas belong to the whole app, and reset at midnight Pacific time.
    limits=PlatformLimits(
        text_max=5000,
        text_unit="bytes",
        quotas=(
            Quota("uploads", 100, _DAY_SECONDS, per="app", resets=_PACIFIC_TIMEZONE),
            Quota("units", 10_000, _DAY_SECONDS, per="app", resets=_PACIFIC_TIMEZONE),
        ),
    ),
    media={
        "video": MediaRule(mime_types=_VIDEO_MIME_TYPES, max_bytes=256 * 1024 * _MIB),
        "thumbnail": MediaRule(mime_types=("image/jpeg", "image/png"), max_bytes=50 * _MIB, applies_to="cover"),
    },
    options=_VIDEO_OPTIONS_SCHEMA,
    # A quarter of the units: a call takes one.
    comment_polls=2_500,
)

_BUSINESS_KIND_MANIFEST = KindManifest(
    kind=Kind.GOOGLE_BUSINESS,
    metrics=metrics.BUSINESS_METRICS,
    name="Google Business Profile location",
    capabilities=(*_BASE_CAPABILITIES, *_POST_CAPABILITIES),
    permissions=dict.fromkeys(("post", "comment", "deletePost", "history", "readInsights"), (_BUSINESS_SCOPE,)),
    limits=PlatformLimits(text_max=1500),
    media={
        "image": MediaRule(
            mime_types=("image/jpeg", "image/png"),
            max_bytes=5 * _MIB,
            # "A minimum of 250px on the short edge, with a file size of at least 10240 bytes."
            min_bytes=10_240,
            min_width=250,
            min_height=250,
        ),
    },
    options=_LOCAL_POST_OPTIONS_SCHEMA,
    # A quarter of what 300 calls a minute allow. New reviews are also pushed, where somebody has set that up.
    comment_polls=100_000,
    comments_are_reviews=True,
)

_CALENDAR_KIND_MANIFEST = KindManifest(
    kind=Kind.GOOGLE_CALENDAR,
    name="Google Calendar",
    capabilities=(*_BASE_CAPABILITIES, CALENDAR_CAPABILITY),
    permissions={"calendar": (_CALENDAR_EVENTS_SCOPE, _CALENDAR_LIST_SCOPE)},
)

MANIFEST = PlatformManifest(
    platform=Platform.GOOGLE,
    name="Google",
    kinds=(_YOUTUBE_KIND_MANIFEST, _BUSINESS_KIND_MANIFEST, _CALENDAR_KIND_MANIFEST),
    choice=AccountChoice.ON_OUR_PAGE,
    settings=("app_id", "app_secret", "verify_token"),
    how_to_set_up=(
        "In a project at console.cloud.google.com, create an OAuth client of the type web application with this "
        "service's callback as redirect URI, and enable the YouTube Data, YouTube Analytics, Calendar and Business "
        "Profile APIs that you need. Then set SOCIALGATE_GOOGLE_APP_ID to the client id and "
        "SOCIALGATE_GOOGLE_APP_SECRET to the client secret. SOCIALGATE_GOOGLE_VERIFY_TOKEN is a secret of your choice "
        "that you set as the audience of the Pub/Sub push subscription; without it Pub/Sub is not trusted."
    ),
)
