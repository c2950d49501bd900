"""Who sees an Instagram account."""

from socialgate_sandbox.society.audiences import Audiences, posts_of
from socialgate_sandbox.vendors.meta.content import InstagramComment, InstagramMedia
from socialgate_sandbox.vendors.meta.state import Instagram

_MEDIA = posts_of(InstagramMedia, InstagramComment, lambda one: one.made, lambda _world, one: not one.is_slide)
ON_INSTAGRAM = Audiences(Instagram, lambda account: account.followers_count, _MEDIA)
