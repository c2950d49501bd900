"""Who sees an Instagram account."""

from collections.abc import Iterator

from socialgate.sandbox.kit import World
from socialgate.sandbox.society.audiences import Audiences, piece_of
from socialgate.sandbox.society.growth import Piece
from socialgate.sandbox.vendors.meta.content import InstagramComment, InstagramMedia
from socialgate.sandbox.vendors.meta.state import Instagram


def _media(world: World, account: Instagram) -> Iterator[Piece]:
    media = world.store.find(InstagramMedia, parent=account.id)
    return (piece_of(world, one, one.made, InstagramComment) for one in media if not one.is_slide)


ON_INSTAGRAM = Audiences(Instagram, lambda account: account.followers_count, _media)
