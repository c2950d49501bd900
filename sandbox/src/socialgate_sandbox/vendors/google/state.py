"""The state of the simulated Google."""

from datetime import datetime
from typing import Any

from socialgate_sandbox.kit import Thing
from socialgate_sandbox.kit.media import Media
from socialgate_sandbox.kit.tokens import Token
from socialgate_sandbox.kit.uploads import Transfer
from socialgate_sandbox.society import reviews as society
from socialgate_sandbox.society.comments import Comment

AUTH = "https://www.googleapis.com/auth/"
EMAIL, PROFILE = f"{AUTH}userinfo.email", f"{AUTH}userinfo.profile"


class GoogleUser(Thing):
    """Somebody who can sign in. A brand account is one too, with its own address; `id` is the `sub` of tokens."""

    name: str
    given_name: str
    family_name: str
    email: str
    about: str
    brand: bool = False
    disabled: bool = False


class Grant(Thing):
    """Everything that a user has granted the app, by the user's id. A revocation deletes all of it."""

    scopes: list[str]


class RefreshToken(Token):
    pass


class AccessToken(Token):
    offline: bool = False


class SigningKey(Thing):
    pem: str


class YouTubeChannel(Thing):
    title: str
    description: str
    handle: str
    country: str
    made: datetime
    views: int
    subscribers: int
    long_uploads: str = "allowed"
    suspended: bool = False


class Calendar(Thing):
    summary: str
    description: str
    time_zone: str


class CalendarEntry(Thing):
    """A calendar on the list of a user, who is its parent."""

    calendar: str
    role: str
    primary: bool
    colour: str
    changed: float
    removed: bool = False


class CalendarEvent(Thing):
    """An event of the calendar that is its parent, as it was written. `key` is what Google calls its id.

    An occurrence that differs from its series is an event too: it names its `series` and its original start.
    """

    key: str
    body: dict[str, Any]
    creator: str
    made: float
    changed: float
    cancelled: bool = False
    series: str = ""
    original: str = ""
    sequence: int = 0


class Invitation(Thing):
    """A message that Google sent to a guest about an event, which is its parent."""

    to: str
    what: str


class BusinessAccount(Thing):
    title: str
    type: str
    verification: str
    number: str


class BusinessMember(Thing):
    """The role of a user, who is its parent, in a business account."""

    account: str
    role: str


class Location(Thing):
    """A location of a business account, which is its parent. Only a verified one can post and reply."""

    title: str
    store_code: str
    address: list[str]
    locality: str
    postal_code: str
    region: str
    phone: str
    website: str
    category: str
    place_id: str
    verified: bool


class NotificationSetting(Thing):
    """Where the notifications of a business account, whose id it has, are sent."""

    topic: str
    types: list[str]


class WatchChannel(Thing):
    """A subscription to changes of `resource`, opened by the user who is its parent."""

    resource: str
    resource_id: str
    resource_uri: str
    address: str
    token: str | None
    expires: datetime
    sent: int = 0


class FeedSubscription(Thing):
    """A WebSub subscription to the uploads of a channel, which is its parent."""

    callback: str
    topic: str
    secret: str
    expires: datetime


class SecurityStream(Thing):
    """Where security events are sent, and which of them."""

    url: str
    events: list[str]
    status: str = "enabled"


class Video(Thing):
    """A video of the channel that is its parent. `ending` is `failed:<reason>` or `rejected:<reason>` if it has one."""

    title: str
    made: datetime
    file: Media
    description: str = ""
    tags: list[str] = []
    category: str = "22"
    language: str = ""
    audio_language: str = ""
    localizations: dict[str, dict[str, str]] = {}
    privacy: str = "public"
    publish_at: datetime | None = None
    for_kids: bool = False
    synthetic: bool = False
    embeddable: bool = True
    license: str = "youtube"
    stats_viewable: bool = True
    recorded: str = ""
    notified: bool = True
    ready: datetime | None = None
    ending: str = ""
    thumbnail: Media | None = None

    @property
    def published(self) -> datetime:
        return self.publish_at or self.made


class VideoComment(Comment, kw_only=True):
    """A comment on the video that is its parent, by a channel. It is hidden unless its `status` is `published`."""

    status: str = "published"


class Rating(Thing):
    """A channel's rating of a video; the channel is its parent."""

    video: str
    rating: str


class Ban(Thing):
    """A ban: a channel, its parent, rejects everything by an author. Its id combines both."""


class UploadSession(Transfer, kw_only=True):
    """An upload in chunks, for the channel that is its parent."""

    parts: list[str]
    resource: dict[str, Any]
    content_type: str
    made: datetime
    notify: bool = True
    video: str = ""


class LocalPost(Thing):
    """A post of the location that is its parent."""

    account: str
    given: dict[str, Any]
    made: datetime
    changed: datetime
    files: list[Media] = []
    ready: datetime | None = None
    failure: str = ""


class Review(society.Review, kw_only=True):
    """A review of the location that is its parent. `account` is the business that has the location."""

    account: str
