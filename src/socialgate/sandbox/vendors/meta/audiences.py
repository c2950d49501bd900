"""Who sees a Page or an Instagram account, and what they have done with its posts so far."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from socialgate.sandbox.kit import Call, World
from socialgate.sandbox.society.comments import Comment
from socialgate.sandbox.society.growth import Audience, Piece
from socialgate.sandbox.vendors.graph.nodes import Resolver
from socialgate.sandbox.vendors.meta.content import InstagramMedia, Post
from socialgate.sandbox.vendors.meta.state import Instagram, Page


def page_audience(world: World, key: str) -> Audience | None:
    page = world.store.get(Page, key)
    posts = [post for post in world.store.find(Post, parent=key) if post.is_published(world)]
    return None if page is None else _audience(world, page, [(post.id, post.visible or post.made) for post in posts])


def instagram_audience(world: World, key: str) -> Audience | None:
    account = world.store.get(Instagram, key)
    media = [one for one in world.store.find(InstagramMedia, parent=key) if not one.is_slide]
    return None if account is None else _audience(world, account, [(one.id, one.made) for one in media])


def _audience(world: World, account: Page | Instagram, posts: Iterable[tuple[str, datetime]]) -> Audience:
    pieces = [
        Piece(key, at, tuple(one.made for one in world.store.find(Comment, parent=key) if not one.deleted))
        for key, at in posts
    ]
    return Audience(account.id, account.followers_count, world.began, world.clock.now(), pieces)


def audience_of(world: World, account: Page | Instagram) -> Audience:
    found = (page_audience if isinstance(account, Page) else instagram_audience)(world, account.id)
    assert found is not None, "it is the account's own"
    return found


def growing(name: str) -> Resolver:
    """Return a field that grows with the followers. Not everybody who follows a Page also likes it."""

    def resolve(call: Call, account: Page | Instagram, _field: Any) -> int:
        grown = audience_of(call.world, account).followers() - account.followers_count
        return int(getattr(account, name)) + grown

    return resolve


def count_of(call: Call, post: Post | InstagramMedia, metric: str) -> int:
    """Count what people did with a post, for its own fields."""
    audience = (page_audience if isinstance(post, Post) else instagram_audience)(call.world, post.parent)
    return 0 if audience is None else audience.total_of(post.id, metric)
