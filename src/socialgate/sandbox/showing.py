"""What an account of a simulated platform shows to people: its posts, its conversations, its numbers, its lead forms.

`GET /_control/feed?platform=&account=&limit=` gives the posts as JSON, and to a browser as a page; in the same way
`GET /_control/chat?platform=&account=&person=&limit=` gives the conversation with one person, and
`GET /_control/numbers?platform=&account=&since=&until=` what the platform counts, and
`GET /_control/leads?platform=&account=` the lead forms with what was filled in. `reviews`, `calendar` and `catalog`
work the same way. A vendor says in `feeds`, `chats`, `numbers`, `forms`, `reviews`, `calendars` and `catalogs` how
those of each kind of its accounts are read.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal, TypeAlias

import msgspec

from socialgate.sandbox.people import Person
from socialgate.sandbox.world import World


class ShownMedia(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A picture, a film or another file of a post. Without `file`, the sandbox did not keep its bytes.

    `cover` is the picture that stands for a film before it is played.
    """

    content_type: str
    size: int
    sha256: str
    file: str = ""
    name: str = ""
    alt: str = ""
    cover: "ShownMedia | None" = None


class ShownComment(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What somebody wrote under a post. `person` is the key of the one of the people who did, "" if it was an account.

    A hidden one is seen by its author and by the account. A deleted one stands here only while it has replies.
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
    """A post as people see it. `state` is `published` where others can, else a word for what it waits for.

    `facts` is what else was said about it, by the platform's own names. Where `open_to_comments`, people can comment.
    `url` is its address on the real platform, "" where it has none.
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
    """A message of a conversation. `by_account` tells the messages of the account from those of people.

    `state` is how far a message of the account has come, as far as the platform knows. `buttons` can be pressed.
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
    """What the platform counted on one day, by its own names. `followers` is how many there were at its end."""

    date: date
    followers: int | None
    metrics: Mapping[str, int]


class ShownCounts(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the platform has counted of one post so far, by its own names."""

    id: str
    at: datetime
    metrics: Mapping[str, int]


class ShownNumbers(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What there is to count, whether or not the platform says it at this time. Days are those of `zone`.

    `levels` are what there is of the account now, beside its followers.
    """

    zone: str
    days: Sequence[ShownDay]
    totals: Mapping[str, int]
    posts: Sequence[ShownCounts] = ()
    levels: Mapping[str, int] = {}


class ShownQuestion(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A question of a form. One with options takes the key of one of them as its answer."""

    key: str
    label: str
    options: Mapping[str, str] = {}


class ShownLead(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What somebody filled in, by the keys of the questions."""

    id: str
    at: datetime
    country: str
    test: bool
    answers: Mapping[str, str]


class ShownForm(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A lead form with what was filled in, the newest first. People can only fill in an open one."""

    id: str
    name: str
    country: str
    open: bool
    questions: Sequence[ShownQuestion]
    leads: Sequence[ShownLead]


class ShownReview(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a customer thinks of an account, and what the account replied ("" if nothing)."""

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
    """An event of a calendar. Its times are written as the platform writes them."""

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


Feed: TypeAlias = Callable[[World, str], Iterable[ShownPost]]
"""Gives the posts of the account with this id, the newest first; one by one, since few are looked at."""
Chat: TypeAlias = Callable[[World, str, Person], Iterable[ShownMessage]]
"""Gives the messages between the account with this id and a person, the newest first."""

Numbers: TypeAlias = Callable[[World, str, date, date], ShownNumbers]
"""Gives the numbers of the account with this id, from the one day to the other."""

Forms: TypeAlias = Callable[[World, str], Sequence[ShownForm]]
"""Gives the lead forms of the account with this id."""

Reviews: TypeAlias = Callable[[World, str], Sequence[ShownReview]]
"""Gives the reviews of the account with this id, the newest first."""

Agenda: TypeAlias = Callable[[World, str], Sequence[ShownEvent]]
"""Gives the events of the calendar with this id."""

Catalogs: TypeAlias = Callable[[World, str], Sequence[ShownCatalog]]
"""Gives the catalogs that belong to the account with this id."""


def given(**facts: Any) -> dict[str, Any]:
    """Leave out what was not said."""
    return {name: value for name, value in facts.items() if value not in (None, "", [], {}, ())}
