"""Who sees the accounts of one kind: declared once per kind, read by everything that shows or reports a number."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from socialgate_sandbox.kit import StoredObject, VendorContext
from socialgate_sandbox.society.audience_growth import Audience, PostActivity
from socialgate_sandbox.society.comments import Comment, list_comments

A = TypeVar("A", bound=StoredObject)
P = TypeVar("P", bound=StoredObject)


@dataclass(frozen=True)
class AudienceReader(Generic[A]):
    """`size` is how many people followed an account when the world began, None if nobody can see the account.

    `list_posts` are its posts that people see.
    """

    kind: type[A]
    size: Callable[[A], int | None]
    list_posts: Callable[[VendorContext, A], Iterable[PostActivity]] = lambda _world, _account: ()

    def __call__(self, context: VendorContext, key: str) -> Audience | None:
        account = context.store.get(self.kind, key)
        return None if account is None or self.size(account) is None else self.build_audience(context, account)

    def build_audience(self, context: VendorContext, account: A) -> Audience:
        size, pieces = self.size(account) or 0, tuple(self.list_posts(context, account))
        return Audience(account.id, size, context.started_at, context.clock.now(), pieces)

    def count_gained_followers(self, context: VendorContext, account: A) -> int:
        """Count how many followers the account has won since the world began."""
        audience = self.build_audience(context, account)
        return audience.count_followers() - audience.size

    def count_post_metric(self, context: VendorContext, post: StoredObject, metric: str) -> int:
        """Count what people have done with a post of the account that is its parent."""
        audience = self(context, post.parent)
        return 0 if audience is None else audience.count_post_total(post.id, metric)


def build_post_lister(
    post_type: type[P],
    comments: type[Comment],
    get_time: Callable[[P], datetime],
    is_visible: Callable[[VendorContext, P], bool] = lambda _world, _post: True,
) -> Callable[[VendorContext, StoredObject], Iterator[PostActivity]]:
    """Return a function that lists the posts of an account that people see, with the comments on them."""

    def pieces(context: VendorContext, account: StoredObject) -> Iterator[PostActivity]:
        for post in context.store.find(post_type, parent=account.id):
            if is_visible(context, post):
                yield PostActivity(
                    post.id,
                    get_time(post),
                    tuple(comment.created_at for comment in list_comments(context, comments, post.id)),
                )

    return pieces
