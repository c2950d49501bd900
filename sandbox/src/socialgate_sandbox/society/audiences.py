"""Who sees the accounts of one kind: declared once per kind, read by everything that shows or reports a number."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from socialgate_sandbox.kit import Thing, World
from socialgate_sandbox.society.comments import Comment, comments_on
from socialgate_sandbox.society.growth import Audience, Piece

A = TypeVar("A", bound=Thing)
P = TypeVar("P", bound=Thing)


@dataclass(frozen=True)
class Audiences(Generic[A]):
    """`size` is how many people followed an account when the world began, None if nobody can see the account.

    `pieces` are its posts that people see.
    """

    kind: type[A]
    size: Callable[[A], int | None]
    pieces: Callable[[World, A], Iterable[Piece]] = lambda _world, _account: ()

    def __call__(self, world: World, key: str) -> Audience | None:
        account = world.store.get(self.kind, key)
        return None if account is None or self.size(account) is None else self.of(world, account)

    def of(self, world: World, account: A) -> Audience:
        size, pieces = self.size(account) or 0, tuple(self.pieces(world, account))
        return Audience(account.id, size, world.began, world.clock.now(), pieces)

    def grown(self, world: World, account: A) -> int:
        """Count how many followers the account has won since the world began."""
        audience = self.of(world, account)
        return audience.followers() - audience.size

    def total(self, world: World, post: Thing, metric: str) -> int:
        """Count what people have done with a post of the account that is its parent."""
        audience = self(world, post.parent)
        return 0 if audience is None else audience.total_of(post.id, metric)


def posts_of(
    kind: type[P],
    comments: type[Comment],
    at: Callable[[P], datetime],
    seen: Callable[[World, P], bool] = lambda _world, _post: True,
) -> Callable[[World, Thing], Iterator[Piece]]:
    """Return a function that lists the posts of an account that people see, with the comments on them."""

    def pieces(world: World, account: Thing) -> Iterator[Piece]:
        for post in world.store.find(kind, parent=account.id):
            if seen(world, post):
                yield Piece(post.id, at(post), tuple(one.made for one in comments_on(world, comments, post.id)))

    return pieces
