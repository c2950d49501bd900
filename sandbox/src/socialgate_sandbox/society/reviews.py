"""Reviews of accounts by their customers, shared by all platforms. What differs per platform is in its `ReviewDesk`.

A person has one review of an account and can change it; the account has one reply to it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from socialgate_sandbox.kit import (
    FOLLOWERS,
    Action,
    ActionRequest,
    ControlError,
    Person,
    ShownComment,
    ShownPost,
    ShownReview,
    Thing,
    World,
    given,
)

MOST_STARS = 5
_PEOPLE = {person.key: person for person in FOLLOWERS}


class Review(Thing, kw_only=True):
    """A review of the account that is its parent. `author` is the key of a person."""

    author: str
    name: str
    stars: int
    text: str
    made: datetime
    changed: datetime
    anonymous: bool = False
    reply: str = ""
    replied: datetime | None = None


R = TypeVar("R", bound=Review)
A = TypeVar("A", bound=Thing)


class ReviewOrder(ActionRequest, frozen=True, kw_only=True):
    """A customer's review of an account; a second one by the same person replaces the first."""

    account: str
    stars: Annotated[int, msgspec.Meta(ge=1, le=MOST_STARS)]
    text: str = ""
    person: str = FOLLOWERS[0].key
    anonymous: bool = False


def average(found: Iterable[Review]) -> float:
    stars = [one.stars for one in found]
    return round(sum(stars) / len(stars), 1)


def by_stars(found: list[R], *, best_first: bool | None) -> list[R]:
    """Sort reviews by their stars; None leaves them as they are."""
    return found if best_first is None else sorted(found, key=lambda one: one.stars, reverse=best_first)


@dataclass(frozen=True, kw_only=True)
class ReviewDesk(Generic[R, A]):
    """How a platform handles reviews.

    `new` returns the id of a review of an account and its other fields, or None if nobody can review the account.
    `name_of` is how the platform names a review, `owner` what it calls the account that replies. `tell` notifies the
    product, and returns whether the account wanted that.
    """

    kind: type[R]
    account: type[A]
    new: Callable[[A], dict[str, str] | None]
    name_of: Callable[[R], str]
    owner: Callable[[A], str]
    tell: Callable[[World, R], bool]

    def of(self, world: World, *accounts: str) -> list[R]:
        """List the reviews of some accounts, newest first."""
        found = [one for account in accounts for one in world.store.find(self.kind, parent=account)]
        return sorted(found, key=lambda one: one.changed, reverse=True)

    def write(
        self, world: World, account: str, person: Person, stars: int, text: str, *, anonymous: bool = False
    ) -> R | None:
        """Let a person review an account, or change their review. The account's reply stays."""
        mine = next((one for one in self.of(world, account) if one.author == person.key), None)
        reviewed, now = world.store.get(self.account, account), world.clock.now()
        fields = None if reviewed is None else self.new(reviewed)
        if fields is None:
            return None
        made: dict[str, Any] = {"parent": account, "author": person.key, "name": person.name, "made": now, **fields}
        review = mine or self.kind(**made, stars=stars, text=text, changed=now)
        review.stars, review.text, review.changed, review.anonymous = stars, text, now, anonymous
        return world.store.put(review)

    def reply(self, world: World, review: R, text: str) -> R:
        """Create or replace the account's reply; an empty text deletes it."""
        review.reply, review.replied = text, world.clock.now() if text else None
        return world.store.put(review)

    def shown(self, world: World, account: str) -> list[ShownReview]:
        return [
            ShownReview(
                id=one.id,
                author=one.name,
                stars=one.stars,
                at=one.changed,
                text=one.text,
                anonymous=one.anonymous,
                reply=one.reply,
            )
            for one in self.of(world, account)
        ]

    def feed(self, world: World, account: str) -> Iterator[ShownPost]:
        """Return the reviews among the posts of an account, each with the reply as its comment."""
        owner = world.store.get(self.account, account)
        name = "" if owner is None else self.owner(owner)
        for one in self.of(world, account):
            reply = one.replied and ShownComment(id=f"{one.id}/reply", author=name, text=one.reply, at=one.replied)
            yield ShownPost(
                id=self.name_of(one),
                kind="review",
                at=one.changed,
                title=f"{'★' * one.stars}{'☆' * (MOST_STARS - one.stars)} {one.name}",
                text=one.text,
                facts=given(anonymous=one.anonymous or None),
                comments=[reply] if reply else [],
            )

    @property
    def action(self) -> Action[ReviewOrder]:
        """The control verb `review`."""
        return Action("Write or change a review as a customer", ReviewOrder, self._obey, listed=False)

    def _obey(self, world: World, order: ReviewOrder) -> dict[str, Any]:
        if order.person not in _PEOPLE:
            raise ControlError(f"There is no person {order.person!r}. Choose one of: {', '.join(_PEOPLE)}.", 422)
        person = _PEOPLE[order.person]
        review = self.write(world, order.account, person, order.stars, order.text, anonymous=order.anonymous)
        if review is None:
            raise ControlError(
                f"{order.account!r} is not an account that people can review. GET /_control/accounts lists accounts."
            )
        return {"review": self.name_of(review), "notified": self.tell(world, review)}
