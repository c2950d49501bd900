"""What Google's three products are, take and allow."""

from socialgate.connectors.google import metrics
from socialgate.connectors.schema import MOMENT, URL, Schema, choice, flag, options, text
from socialgate.contracts.calendar import CALENDAR
from socialgate.contracts.comments import COMMENTS
from socialgate.contracts.connecting import ABOUT, HEALTH, REFRESH, REVOKE
from socialgate.contracts.inbound import INBOUND
from socialgate.contracts.insights import INSIGHTS
from socialgate.contracts.platforms import Kind, KindManifest, Limits, Manifest, MediaRule, Platform, Quota
from socialgate.contracts.publishing import DELETE_POST, HISTORY, POST

_DAY = 86_400
_PACIFIC = "America/Los_Angeles"
_MIB = 1024 * 1024
_AUTH = "https://www.googleapis.com/auth/"

IDENTITY = ("openid", f"{_AUTH}userinfo.email", f"{_AUTH}userinfo.profile")

_YOUTUBE_READ = f"{_AUTH}youtube.readonly"
_YOUTUBE_UPLOAD = f"{_AUTH}youtube.upload"
# The only scope that lets comments be read, written and deleted; uploading alone may not delete either.
_YOUTUBE_MANAGE = f"{_AUTH}youtube.force-ssl"
_YOUTUBE_NUMBERS = f"{_AUTH}yt-analytics.readonly"
_EVENTS = f"{_AUTH}calendar.events"
_CALENDARS = f"{_AUTH}calendar.calendarlist.readonly"
_BUSINESS = f"{_AUTH}business.manage"

_ALL = (ABOUT, HEALTH, REFRESH, REVOKE, INBOUND)

# YouTube says `video/*`; these are what it names as formats that it can process.
_VIDEOS = (
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
_POSTING = (POST, DELETE_POST, HISTORY, COMMENTS, INSIGHTS)


def _numbers(**ranges: tuple[int, int]) -> Schema:
    return {name: {"type": "integer", "minimum": least, "maximum": most} for name, (least, most) in ranges.items()}


_DATE = options(_numbers(year=(1, 9999), month=(1, 12), day=(1, 31)), required=["year", "month", "day"])
_TIME = options(_numbers(hours=(0, 24), minutes=(0, 59), seconds=(0, 59), nanos=(0, 999_999_999)))

_VIDEO_OPTIONS = options(
    {
        "title": text(
            "The title of the video. The text of the post is its description.",
            minLength=1,
            maxLength=100,
            pattern="^[^<>]*$",
        ),
        "tags": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "description": "Words to find it by, at most 500 characters in all.",
        },
        "categoryId": text("The number of a YouTube category; 22 is People & Blogs.", pattern="^[0-9]+$", default="22"),
        "privacyStatus": choice("Who can see it.", "public", "unlisted", "private", default="public"),
        "publishAt": text("YouTube makes a private video public then.", **MOMENT),
        "madeForKids": flag("Whether it is made for children."),
        "containsSyntheticMedia": flag("Whether it shows what looks real and was made by a machine."),
        "embeddable": flag("Whether other sites may show it.", default=True),
        "license": choice("What others may do with it.", "youtube", "creativeCommon", default="youtube"),
        "publicStatsViewable": flag("Whether all see its numbers.", default=True),
        "notifySubscribers": flag("Whether subscribers are notified.", default=True),
        "defaultLanguage": text("The language of title and description, such as `en`."),
        "defaultAudioLanguage": text("The language that is spoken, such as `en`."),
        "recordingDate": text("When it was filmed.", **MOMENT),
    },
    required=["title"],
    dependentSchemas={
        "publishAt": {"properties": {"privacyStatus": {"const": "private"}}, "required": ["privacyStatus"]},
    },
)

_LOCAL_POST_OPTIONS = options(
    {
        "form": choice(
            "What kind of post it is. Events and offers need `event`.",
            *("standard", "event", "offer"),
            default="standard",
        ),
        "languageCode": text("The language of the text, such as `en`."),
        "callToAction": options(
            {
                "actionType": choice("What the button says.", "BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL"),
                "url": text("Where it leads.", **URL),
            },
            description="The button under the post. An offer has its own, and a call takes no url.",
            required=["actionType"],
            **{
                "if": {"properties": {"actionType": {"not": {"const": "CALL"}}}},
                "then": {"required": ["url"]},
            },
        ),
        "event": options(
            {
                "title": text("The name of the event or the offer.", minLength=1),
                "schedule": options(
                    {
                        "startDate": _DATE | {"description": "The first day."},
                        "startTime": _TIME | {"description": "When it begins that day."},
                        "endDate": _DATE | {"description": "The last day."},
                        "endTime": _TIME | {"description": "When it ends that day."},
                    },
                    description="From when to when. Without times it is whole days.",
                    required=["startDate", "endDate"],
                ),
            },
            description="What happens and when, in the time of the place; for an offer, how long it holds.",
            required=["title", "schedule"],
        ),
        "offer": options(
            {
                "couponCode": text("The code to name in the shop."),
                "redeemOnlineUrl": text("Where it can be had online.", **URL),
                "termsConditions": text("What it depends on."),
            },
            description="Offers only: how one gets it.",
        ),
    },
    **{
        "if": {"properties": {"form": {"enum": ["event", "offer"]}}, "required": ["form"]},
        "then": {"required": ["event"]},
    },
)

_YOUTUBE = KindManifest(
    kind=Kind.YOUTUBE,
    metrics=metrics.YOUTUBE,
    name="YouTube channel",
    capabilities=(*_ALL, *_POSTING),
    permissions={
        "post": (_YOUTUBE_UPLOAD,),
        "comment": (_YOUTUBE_MANAGE,),
        "deletePost": (_YOUTUBE_MANAGE,),
        "history": (_YOUTUBE_READ,),
        "readInsights": (_YOUTUBE_READ, _YOUTUBE_NUMBERS),
    },
    # The text is the description. Both quotas are the whole app's, and start again at midnight Pacific time.
    limits=Limits(
        text_max=5000,
        text_unit="bytes",
        quotas=(
            Quota("uploads", 100, _DAY, per="app", resets=_PACIFIC),
            Quota("units", 10_000, _DAY, per="app", resets=_PACIFIC),
        ),
    ),
    media={
        "video": MediaRule(mime_types=_VIDEOS, max_bytes=256 * 1024 * _MIB),
        "thumbnail": MediaRule(mime_types=("image/jpeg", "image/png"), max_bytes=50 * _MIB),
    },
    options=_VIDEO_OPTIONS,
)

_GOOGLE_BUSINESS = KindManifest(
    kind=Kind.GOOGLE_BUSINESS,
    metrics=metrics.BUSINESS,
    name="Google Business Profile location",
    capabilities=(*_ALL, *_POSTING),
    permissions=dict.fromkeys(("post", "comment", "deletePost", "history", "readInsights"), (_BUSINESS,)),
    limits=Limits(text_max=1500),
    media={
        "image": MediaRule(mime_types=("image/jpeg", "image/png"), max_bytes=5 * _MIB, min_width=250, min_height=250),
    },
    options=_LOCAL_POST_OPTIONS,
)

_GOOGLE_CALENDAR = KindManifest(
    kind=Kind.GOOGLE_CALENDAR,
    name="Google Calendar",
    capabilities=(*_ALL, CALENDAR),
    permissions={"calendar": (_EVENTS, _CALENDARS)},
)

MANIFEST = Manifest(
    platform=Platform.GOOGLE,
    name="Google",
    kinds=(_YOUTUBE, _GOOGLE_BUSINESS, _GOOGLE_CALENDAR),
    settings=("app_id", "app_secret", "verify_token"),
    how_to_set_up=(
        "In a project at console.cloud.google.com make an OAuth client of type web application with this service's "
        "callback as redirect URI, and enable the YouTube Data, YouTube Analytics, Calendar and Business Profile APIs "
        "that are wanted. Then set SOCIALGATE_GOOGLE_APP_ID to the client id and SOCIALGATE_GOOGLE_APP_SECRET to the "
        "client secret. SOCIALGATE_GOOGLE_VERIFY_TOKEN is a secret of your choice, and is given to Pub/Sub as the "
        "audience of its push subscription; without one Pub/Sub is not believed."
    ),
)
