"""What is on a Page or an Instagram account, and what is being published there."""

from datetime import datetime
from typing import Any

import msgspec

from socialgate_sandbox.dialects.graph import containers
from socialgate_sandbox.kit import StoredObject, VendorContext
from socialgate_sandbox.kit.chunked_uploads import Transfer
from socialgate_sandbox.kit.media import Media
from socialgate_sandbox.society.comments import Comment

IMAGE_SECONDS, VIDEO_SECONDS = 1.0, 5.0


class Post(StoredObject):
    """A post of a Page (the parent). It is public from `visible` on; a draft has no such time.

    One `for_ads` is only ever shown as an ad.
    """

    created_at: datetime = msgspec.field(name="made")
    visible: datetime | None
    status_type: str
    message: str = ""
    link: str = ""
    photos: list[str] = []
    video: str = ""
    scheduled: bool = False
    edited: datetime | None = None
    for_ads: bool = False

    def is_published(self, context: VendorContext) -> bool:
        return self.visible is not None and self.visible <= context.clock.now()


class Photo(StoredObject):
    """A photo of a Page (the parent); `post` is the one that shows it."""

    media: Media
    created_at: datetime = msgspec.field(name="made")
    caption: str = ""
    alt_text: str = ""
    post: str = ""


class Video(Transfer, kw_only=True):
    """A video of a Page (the parent), from the first byte on. `kind` is video, reel or story.

    It has no time at which it is `ready` as long as its bytes are incomplete.
    """

    kind: str
    begun: datetime
    media: Media | None = None
    title: str = ""
    description: str = ""
    place: str = ""
    cover: Media | None = None
    ready: datetime | None = None
    failure: str = ""
    finished: bool = False
    post: str = ""


class Story(StoredObject):
    """A story of a Page (the parent). It is archived after a day."""

    created_at: datetime = msgspec.field(name="made")
    media_type: str
    media_id: str


class Upload(Transfer, kw_only=True):
    """A file that the app uploads for later use; `handle` is returned when it is complete."""

    name: str
    kind: str
    handle: str = ""


class PublishOptions(msgspec.Struct, frozen=True):
    """What an Instagram container passes on to its post unchanged. `trial` is how a trial reel becomes a real one."""

    alt_text: str = ""
    location_id: str = ""
    collaborators: list[str] = []
    user_tags: list[dict[str, Any]] = []
    is_ai_generated: bool = False
    share_to_feed: bool = True
    thumb_offset: int | None = None
    audio_name: str = ""
    trial: str = ""
    cover: Media | None = None


class Container(containers.Container, kw_only=True):
    """Media being published to an Instagram account. Its `failure` is a subcode of Instagram."""

    extras: PublishOptions = PublishOptions()


class InstagramMedia(StoredObject):
    """A post, reel, story or slide of an Instagram account (the parent)."""

    media_type: str
    product_type: str
    shortcode: str
    created_at: datetime = msgspec.field(name="made")
    media: Media | None = None
    caption: str = ""
    extras: PublishOptions = PublishOptions()
    children: list[str] = []
    is_slide: bool = False
    comments_on: bool = True


class PageComment(Comment, kw_only=True):
    """A comment on a post, photo or video of a Page (the parent). `attachment` is the id of a photo."""

    attachment: str = ""


class InstagramComment(Comment, kw_only=True):
    """A comment on Instagram media (the parent)."""


def find_page_content(context: VendorContext, key: str) -> Post | Photo | Video | None:
    """Find something that a Page has published."""
    return context.store.get(Post, key) or context.store.get(Photo, key) or context.store.get(Video, key)
