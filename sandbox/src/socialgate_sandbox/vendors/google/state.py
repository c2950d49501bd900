"""The state of the simulated Google."""

from datetime import datetime
from typing import Any

import msgspec

from socialgate_sandbox.kit import StoredObject
from socialgate_sandbox.kit.chunked_uploads import Transfer
from socialgate_sandbox.kit.media import Media
from socialgate_sandbox.kit.tokens import Token
from socialgate_sandbox.society import reviews as society
from socialgate_sandbox.society.comments import Comment

AUTH = "https://www.googleapis.com/auth/"
EMAIL, PROFILE = f"{AUTH}userinfo.email", f"{AUTH}userinfo.profile"


class GoogleUser(StoredObject):
    """Somebody who can sign in. A brand account is one too, with its own address; `id` is the `sub` of tokens."""

    name: str
    given_name: str
    family_name: str
    email: str
    about: str
    brand: bool = False
    disabled: bool = False


class Grant(StoredObject):
    """Everything that a user has granted the app, by the user's id. A revocation deletes all of it."""

    scopes: list[str]


class RefreshToken(Token):
    pass


class AccessToken(Token):
    offline: bool = False


class SigningKey(StoredObject):
    pem: str


class YouTubeChannel(StoredObject):
    title: str
    description: str
    handle: str
    country: str
    created_at: datetime = msgspec.field(name="made")
    views: int
    subscribers: int
    long_uploads: str = "allowed"
    suspended: bool = False


class Calendar(StoredObject):
    summary: str
    description: str
    time_zone: str


class CalendarEntry(StoredObject):
    """A calendar on the list of a user, who is its parent."""

    calendar: str
    role: str
    primary: bool
    colour: str
    changed: float
    removed: bool = False


class CalendarEvent(StoredObject):
    """An event of the calendar that is its parent, as it was written. `key` is what Google calls its id.

    An occurrence that differs from its series is an event too: it names its `series` and its original start.
    """

    key: str
    body: dict[str, Any]
    creator: str
    created_at: float = msgspec.field(name="made")
    changed: float
    cancelled: bool = False
    series: str = ""
    original: str = ""
    sequence: int = 0


class Invitation(StoredObject):
    """A message that Google sent to a guest about an event, which is its parent."""

    to: str
    method: str = msgspec.field(name="what")


class BusinessAccount(StoredObject):
    title: str
    type: str
    verification: str
    number: str


class BusinessMember(StoredObject):
    """The role of a user, who is its parent, in a business account."""

    account: str
    role: str


class Location(StoredObject):
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


class NotificationSetting(StoredObject):
    """Where the notifications of a business account, whose id it has, are sent."""

    topic: str
    types: list[str]


class WatchChannel(StoredObject):
    """A subscription to changes of `resource`, opened by the user who is its parent."""

    resource: str
    resource_id: str
    resource_uri: str
    address: str
    token: str | None
    expires: datetime
    sent: int = 0


class FeedSubscription(StoredObject):
    """A WebSub subscription to the uploads of a channel, which is its parent."""

    callback: str
    topic: str
    secret: str
    expires: datetime


class SecurityStream(StoredObject):
    """Where security events are sent, and which of them."""

    url: str
    events: list[str]
    status: str = "enabled"


class Video(StoredObject):
    """A video of the channel that is its parent. `ending` is `failed:<reason>` or `rejected:<reason>` if it has one."""

    title: str
    created_at: datetime = msgspec.field(name="made")
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
        return self.publish_at or self.created_at


class VideoComment(Comment, kw_only=True):
    """A comment on the video that is its parent, by a channel. It is hidden unless its `status` is `published`."""

    status: str = "published"


class Rating(StoredObject):
    """A channel's rating of a video; the channel is its parent."""

    video: str
    rating: str


class Ban(StoredObject):
    """A ban: a channel, its parent, rejects everything by an author. Its id combines both."""


class UploadSession(Transfer, kw_only=True):
    """An upload in chunks, for the channel that is its parent."""

    parts: list[str]
    resource: dict[str, Any]
    content_type: str
    created_at: datetime = msgspec.field(name="made")
    notify: bool = True
    video: str = ""


class LocalPost(StoredObject):
    """A post of the location that is its parent."""

    account: str
    body: dict[str, Any] = msgspec.field(name="given")
    created_at: datetime = msgspec.field(name="made")
    changed: datetime
    files: list[Media] = []
    ready: datetime | None = None
    failure: str = ""


class Review(society.Review, kw_only=True):
    """A review of the location that is its parent. `account` is the business that has the location."""

    account: str
