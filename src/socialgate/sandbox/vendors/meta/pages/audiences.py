"""Who sees a Page."""

from collections.abc import Iterator

from socialgate.sandbox.kit import World
from socialgate.sandbox.society.audiences import Audiences, piece_of
from socialgate.sandbox.society.growth import Piece
from socialgate.sandbox.vendors.meta.content import PageComment, Post
from socialgate.sandbox.vendors.meta.state import Page


def _posts(world: World, page: Page) -> Iterator[Piece]:
    posts = world.store.find(Post, parent=page.id)
    return (piece_of(world, post, post.visible or post.made, PageComment) for post in posts if post.is_published(world))


ON_FACEBOOK = Audiences(Page, lambda page: page.followers_count, _posts)
