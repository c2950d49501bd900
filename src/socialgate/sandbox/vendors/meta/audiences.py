"""Who sees a Page or an Instagram account."""

from collections.abc import Iterator

from socialgate.sandbox.kit import World
from socialgate.sandbox.society.audiences import Audiences, piece_of
from socialgate.sandbox.society.growth import Piece
from socialgate.sandbox.vendors.meta.content import InstagramComment, InstagramMedia, PageComment, Post
from socialgate.sandbox.vendors.meta.state import Instagram, Page


def _posts(world: World, page: Page) -> Iterator[Piece]:
    posts = world.store.find(Post, parent=page.id)
    return (piece_of(world, post, post.visible or post.made, PageComment) for post in posts if post.is_published(world))


def _media(world: World, account: Instagram) -> Iterator[Piece]:
    media = world.store.find(InstagramMedia, parent=account.id)
    return (piece_of(world, one, one.made, InstagramComment) for one in media if not one.is_slide)


ON_FACEBOOK = Audiences(Page, lambda page: page.followers_count, _posts)
ON_INSTAGRAM = Audiences(Instagram, lambda account: account.followers_count, _media)
