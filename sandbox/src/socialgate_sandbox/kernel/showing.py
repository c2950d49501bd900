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
from socialgate_sandbox.kernel.world import World


class ShownMedia(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An image, video or other file of a post. Without `file`, the sandbox did not keep its bytes.

    `cover` is the image shown for a video before it is played.
    """

    content_type: str
    size: int
    sha256: str
    file: str = ""
    name: str = ""
    alt: str = ""
    cover: "ShownMedia | None" = None


class ShownComment(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
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
    replies: "Sequence[ShownComment]" = ()


class ShownPost(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
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
    media: Sequence[ShownMedia] = ()
    facts: Mapping[str, Any] = {}
    comments: Sequence[ShownComment] = ()
    open_to_comments: bool = False
    url: str = ""


class ShownMessage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
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
    media: Sequence[ShownMedia] = ()
    state: Literal["", "sent", "delivered", "read", "failed"] = ""
    reply_to: str = ""
    reactions: Sequence[str] = ()
    buttons: Sequence[str] = ()
    edited: bool = False
    deleted: bool = False


class ShownDay(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the platform counted on one day, under its own names. `followers` is the number at the end of the day."""

    date: date
    followers: int | None
    metrics: Mapping[str, float]


class ShownCounts(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the platform has counted for one post so far, under its own names."""

    id: str
    at: datetime
    metrics: Mapping[str, float]


class ShownNumbers(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Everything that is counted, whether or not the platform reports it right now. Days are those of `zone`.

    `levels` are the account's other current values, besides its followers.
    """

    zone: str
    days: Sequence[ShownDay]
    totals: Mapping[str, float]
    posts: Sequence[ShownCounts] = ()
    levels: Mapping[str, int] = {}


class ShownQuestion(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A question of a form. If it has options, the answer is the key of one of them."""

    key: str
    label: str
    options: Mapping[str, str] = {}


class ShownLead(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The answers of one person, by the keys of the questions."""

    id: str
    at: datetime
    country: str
    test: bool
    answers: Mapping[str, str]


class ShownForm(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A lead form with its leads, newest first. People can fill it in only while it is open."""

    id: str
    name: str
    country: str
    open: bool
    questions: Sequence[ShownQuestion]
    leads: Sequence[ShownLead]


class ShownReview(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A customer's review of an account, and the account's reply ("" if there is none)."""

    id: str
    author: str
    stars: int
    at: datetime
    text: str = ""
    anonymous: bool = False
    reply: str = ""


class ShownGuest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A guest of an event. `received` lists the messages that the platform sent to this guest."""

    email: str
    response: str
    received: Sequence[str] = ()


class ShownEvent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An event of a calendar. Its times are in the platform's format."""

    id: str
    title: str
    start: str
    end: str
    repeats: str = ""
    cancelled: bool = False
    guests: Sequence[ShownGuest] = ()


class ShownProduct(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    sku: str
    title: str
    price: str = ""
    availability: str = ""


class ShownCatalog(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    name: str
    products: Sequence[ShownProduct]


class ShownAdvert(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
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
    inner: Sequence["ShownAdvert"] = ()


Feed: TypeAlias = Callable[[World, str], Iterable[ShownPost]]
"""Yields the posts of the account with this id, newest first; lazily, because few of them are read."""
Chat: TypeAlias = Callable[[World, str, Person], Iterable[ShownMessage]]
"""Returns the messages between the account with this id and a person, newest first."""

Numbers: TypeAlias = Callable[[World, str, date, date], ShownNumbers]
"""Returns the metrics of the account with this id for a range of days."""

Forms: TypeAlias = Callable[[World, str], Sequence[ShownForm]]
"""Returns the lead forms of the account with this id."""

Reviews: TypeAlias = Callable[[World, str], Sequence[ShownReview]]
"""Returns the reviews of the account with this id, newest first."""

Agenda: TypeAlias = Callable[[World, str], Sequence[ShownEvent]]
"""Returns the events of the calendar with this id."""

Adverts: TypeAlias = Callable[[World, str], Sequence[ShownAdvert]]
"""Returns the campaigns of the ad account with this id."""

Catalogs: TypeAlias = Callable[[World, str], Sequence[ShownCatalog]]
"""Returns the catalogs that belong to the account with this id."""


def given(**facts: Any) -> dict[str, Any]:
    """Leave out empty values."""
    return {name: value for name, value in facts.items() if value not in (None, "", [], {}, ())}
