"""Reviews of accounts by their customers, shared by all platforms. What differs per platform is in its `ReviewService`.

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
    CommentView,
    ControlError,
    Person,
    PostView,
    ReviewView,
    StoredObject,
    VendorContext,
    drop_empty,
)

MAX_STARS = 5
_PEOPLE = {person.key: person for person in FOLLOWERS}


class Review(StoredObject, kw_only=True):
    """A review of the account that is its parent. `author` is the key of a person."""

    author: str
    name: str
    stars: int
    text: str
    created_at: datetime = msgspec.field(name="made")
    changed: datetime
    anonymous: bool = False
    reply: str = ""
    replied: datetime | None = None


R = TypeVar("R", bound=Review)
A = TypeVar("A", bound=StoredObject)


class ReviewRequest(ActionRequest, frozen=True, kw_only=True):
    """A customer's review of an account; a second one by the same person replaces the first."""

    account: str
    stars: Annotated[int, msgspec.Meta(ge=1, le=MAX_STARS)]
    text: str = ""
    person: str = FOLLOWERS[0].key
    anonymous: bool = False


def compute_average(reviews: Iterable[Review]) -> float:
    stars = [review.stars for review in reviews]
    return round(sum(stars) / len(stars), 1)


def sort_by_stars(reviews: list[R], *, best_first: bool | None) -> list[R]:
    """Sort reviews by their stars; None leaves them as they are."""
    return reviews if best_first is None else sorted(reviews, key=lambda item: item.stars, reverse=best_first)


@dataclass(frozen=True, kw_only=True)
class ReviewService(Generic[R, A]):
    """How a platform handles reviews.

    `build_review_fields` returns the id of a review of an account and its other fields, or None if nobody can review
    the account. `build_review_name` is how the platform names a review, `get_owner_name` what it calls the account that
    replies. `notify_product` notifies the product, and returns whether the account wanted that.
    """

    kind: type[R]
    account_type: type[A]
    build_review_fields: Callable[[A], dict[str, str] | None]
    build_review_name: Callable[[R], str]
    get_owner_name: Callable[[A], str]
    notify_product: Callable[[VendorContext, R], bool]

    def list_reviews(self, context: VendorContext, *accounts: str) -> list[R]:
        """List the reviews of some accounts, newest first."""
        items = [item for account in accounts for item in context.store.find(self.kind, parent=account)]
        return sorted(items, key=lambda item: item.changed, reverse=True)

    def write(
        self, context: VendorContext, account: str, person: Person, stars: int, text: str, *, anonymous: bool = False
    ) -> R | None:
        """Let a person review an account, or change their review. The account's reply stays."""
        mine = next((item for item in self.list_reviews(context, account) if item.author == person.key), None)
        reviewed, now = context.store.get(self.account_type, account), context.clock.now()
        fields = None if reviewed is None else self.build_review_fields(reviewed)
        if fields is None:
            return None
        created: dict[str, Any] = {"parent": account, "author": person.key, "name": person.name, **fields}
        review = mine or self.kind(**created, created_at=now, stars=stars, text=text, changed=now)
        review.stars, review.text, review.changed, review.anonymous = stars, text, now, anonymous
        return context.store.put(review)

    def reply(self, context: VendorContext, review: R, text: str) -> R:
        """Create or replace the account's reply; an empty text deletes it."""
        review.reply, review.replied = text, context.clock.now() if text else None
        return context.store.put(review)

    def build_review_views(self, context: VendorContext, account: str) -> list[ReviewView]:
        return [
            ReviewView(
                id=item.id,
                author=item.name,
                stars=item.stars,
                at=item.changed,
                text=item.text,
                anonymous=item.anonymous,
                reply=item.reply,
            )
            for item in self.list_reviews(context, account)
        ]

    def iterate_post_views(self, context: VendorContext, account: str) -> Iterator[PostView]:
        """Return the reviews among the posts of an account, each with the reply as its comment."""
        owner = context.store.get(self.account_type, account)
        name = "" if owner is None else self.get_owner_name(owner)
        for item in self.list_reviews(context, account):
            reply = item.replied and CommentView(id=f"{item.id}/reply", author=name, text=item.reply, at=item.replied)
            yield PostView(
                id=self.build_review_name(item),
                kind="review",
                at=item.changed,
                title=f"{'★' * item.stars}{'☆' * (MAX_STARS - item.stars)} {item.name}",
                text=item.text,
                facts=drop_empty(anonymous=item.anonymous or None),
                comments=[reply] if reply else [],
            )

    @property
    def review_action(self) -> Action[ReviewRequest]:
        """The control verb `review`."""
        return Action("Write or change a review as a customer", ReviewRequest, self._handle_request, has_own_form=False)

    def _handle_request(self, context: VendorContext, request: ReviewRequest) -> dict[str, Any]:
        if request.person not in _PEOPLE:
            raise ControlError(f"There is no person {request.person!r}. Choose one of: {', '.join(_PEOPLE)}.", 422)
        person = _PEOPLE[request.person]
        review = self.write(context, request.account, person, request.stars, request.text, anonymous=request.anonymous)
        if review is None:
            raise ControlError(
                f"{request.account!r} is not an account that people can review. GET /_control/accounts lists accounts."
            )
        return {"review": self.build_review_name(review), "notified": self.notify_product(context, review)}
