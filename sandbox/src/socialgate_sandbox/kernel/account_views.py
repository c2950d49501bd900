"""What an account of a simulated platform shows to people: its posts, conversations, metrics and lead forms.

`GET /_control/feed?platform=&account=&limit=` returns the posts as JSON, and to a browser as a page. `GET
/_control/chat?platform=&account=&person=&limit=` does the same for the conversation with one person, `GET
/_control/numbers?platform=&account=&since=&until=` for what the platform counts, and `GET
/_control/leads?platform=&account=` for the lead forms and their leads. `reviews`, `calendar` and `catalog` work the
same way. A vendor defines in `feeds`, `chats`, `numbers`, `forms`, `reviews`, `calendars` and `catalogs` how to read
them for each kind of account.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal, TypeAlias

import msgspec

from socialgate_sandbox.kernel.people import Person
from socialgate_sandbox.kernel.vendor_context import VendorContext


class MediaView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An image, video or other file of a post. Without `file`, the sandbox did not keep its bytes.

    `cover` is the image shown for a video before it is played.
    """

    content_type: str
    size: int
    sha256: str
    file: str = ""
    name: str = ""
    alt: str = ""
    cover: "MediaView | None" = None


class CommentView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A comment on a post. `person` is the key of the person who wrote it, "" if an account did.

    A hidden comment is visible to its author and to the account. A deleted one is listed only while it has replies.
    """

    id: str
    author: str
    text: str
    at: datetime
    person: str = ""
    hidden: bool = False
    deleted: bool = False
    editable: bool = False
    likes: int = 0
    replies: "Sequence[CommentView]" = ()


class PostView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A post as people see it. `state` is `published` if others can see it, otherwise what it is waiting for.

    `facts` are its other properties, under the platform's own names. If `open_to_comments`, people can comment. `url`
    is its address on the real platform, "" if it has none.
    """

    id: str
    kind: str
    at: datetime
    state: str = "published"
    title: str = ""
    text: str = ""
    media: Sequence[MediaView] = ()
    facts: Mapping[str, Any] = {}
    comments: Sequence[CommentView] = ()
    open_to_comments: bool = False
    url: str = ""


class MessageView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A message of a conversation. `by_account` distinguishes messages of the account from those of people.

    `state` is the delivery state of a message of the account, as far as the platform knows. `buttons` can be pressed.
    """

    id: str
    at: datetime
    author: str
    by_account: bool
    # The key of the person who wrote it.
    person: str = ""
    text: str = ""
    media: Sequence[MediaView] = ()
    state: Literal["", "sent", "delivered", "read", "failed"] = ""
    reply_to: str = ""
    reactions: Sequence[str] = ()
    buttons: Sequence[str] = ()
    edited: bool = False
    deleted: bool = False


class DayMetricsView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the platform counted on one day, under its own names. `followers` is the number at the end of the day."""

    date: date
    followers: int | None
    metrics: Mapping[str, float]


class PostMetricsView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the platform has counted for one post so far, under its own names."""

    id: str
    at: datetime
    metrics: Mapping[str, float]


class AccountMetricsView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Everything that is counted, whether or not the platform reports it right now. Days are those of `zone`.

    `levels` are the account's other current values, besides its followers.
    """

    zone: str
    days: Sequence[DayMetricsView]
    totals: Mapping[str, float]
    posts: Sequence[PostMetricsView] = ()
    levels: Mapping[str, int] = {}


class QuestionView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A question of a form. If it has options, the answer is the key of one of them."""

    key: str
    label: str
    options: Mapping[str, str] = {}


class LeadView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The answers of one person, by the keys of the questions."""

    id: str
    at: datetime
    country: str
    test: bool
    answers: Mapping[str, str]


class FormView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A lead form with its leads, newest first. People can fill it in only while it is open."""

    id: str
    name: str
    country: str
    open: bool
    questions: Sequence[QuestionView]
    leads: Sequence[LeadView]


class ReviewView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A customer's review of an account, and the account's reply ("" if there is none)."""

    id: str
    author: str
    stars: int
    at: datetime
    text: str = ""
    anonymous: bool = False
    reply: str = ""


class GuestView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A guest of an event. `received` lists the messages that the platform sent to this guest."""

    email: str
    response: str
    received: Sequence[str] = ()


class EventView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An event of a calendar. Its times are in the platform's format."""

    id: str
    title: str
    start: str
    end: str
    repeats: str = ""
    cancelled: bool = False
    guests: Sequence[GuestView] = ()


class ProductView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    sku: str
    title: str
    price: str = ""
    availability: str = ""


class CatalogView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    name: str
    products: Sequence[ProductView]


class AdObjectView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A campaign, an ad set or an ad, with what is in it. `state` is in the platform's words.

    `spend` is in units of the currency. Only ads have a `review`: `in_review`, `approved` or `rejected`.
    """

    id: str
    name: str
    level: str
    state: str
    impressions: int
    clicks: int
    spend: float
    currency: str
    review: str = ""
    reason: str = ""
    inner: Sequence["AdObjectView"] = ()


FeedReader: TypeAlias = Callable[[VendorContext, str], Iterable[PostView]]
"""Yields the posts of the account with this id, newest first; lazily, because few of them are read."""
ChatReader: TypeAlias = Callable[[VendorContext, str, Person], Iterable[MessageView]]
"""Returns the messages between the account with this id and a person, newest first."""

MetricsReader: TypeAlias = Callable[[VendorContext, str, date, date], AccountMetricsView]
"""Returns the metrics of the account with this id for a range of days."""

FormReader: TypeAlias = Callable[[VendorContext, str], Sequence[FormView]]
"""Returns the lead forms of the account with this id."""

ReviewReader: TypeAlias = Callable[[VendorContext, str], Sequence[ReviewView]]
"""Returns the reviews of the account with this id, newest first."""

CalendarReader: TypeAlias = Callable[[VendorContext, str], Sequence[EventView]]
"""Returns the events of the calendar with this id."""

AdReader: TypeAlias = Callable[[VendorContext, str], Sequence[AdObjectView]]
"""Returns the campaigns of the ad account with this id."""

CatalogReader: TypeAlias = Callable[[VendorContext, str], Sequence[CatalogView]]
"""Returns the catalogs that belong to the account with this id."""


def drop_empty(**facts: Any) -> dict[str, Any]:
    """Leave out empty values."""
    return {name: value for name, value in facts.items() if value not in (None, "", [], {}, ())}
