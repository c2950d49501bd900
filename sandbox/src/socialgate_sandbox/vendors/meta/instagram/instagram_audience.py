"""Who sees an Instagram account."""

from socialgate_sandbox.society.audiences import AudienceReader, build_post_lister
from socialgate_sandbox.vendors.meta.content import InstagramComment, InstagramMedia
from socialgate_sandbox.vendors.meta.stored_objects import Instagram

_list_media = build_post_lister(
    InstagramMedia,
    InstagramComment,
    lambda instagram_media: instagram_media.created_at,
    lambda _world, instagram_media: not instagram_media.is_slide,
)
INSTAGRAM_AUDIENCE_READER = AudienceReader(Instagram, lambda account: account.followers_count, _list_media)
