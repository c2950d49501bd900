"""What Google's three products are, take and allow."""

from socialgate.connectors.google import options
from socialgate.contracts.comments import COMMENTS
from socialgate.contracts.connecting import ABOUT, HEALTH, REFRESH, REVOKE
from socialgate.contracts.inbound import INBOUND
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
_POSTING = (POST, DELETE_POST, HISTORY, COMMENTS)

_YOUTUBE = KindManifest(
    kind=Kind.YOUTUBE,
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
    options=options.YOUTUBE,
)

_GOOGLE_BUSINESS = KindManifest(
    kind=Kind.GOOGLE_BUSINESS,
    name="Google Business Profile location",
    capabilities=(*_ALL, *_POSTING),
    permissions=dict.fromkeys(("post", "comment", "deletePost", "history", "readInsights"), (_BUSINESS,)),
    limits=Limits(text_max=1500),
    media={
        "image": MediaRule(mime_types=("image/jpeg", "image/png"), max_bytes=5 * _MIB, min_width=250, min_height=250),
    },
    options=options.BUSINESS,
)

_GOOGLE_CALENDAR = KindManifest(
    kind=Kind.GOOGLE_CALENDAR,
    name="Google Calendar",
    capabilities=_ALL,
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
