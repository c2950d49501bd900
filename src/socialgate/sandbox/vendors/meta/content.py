"""What is on a Page or an Instagram account, and what is being published there."""

from datetime import datetime, timedelta
from typing import Any

import msgspec

from socialgate.sandbox.dialects.graph.media import Media
from socialgate.sandbox.kit import Thing, World
from socialgate.sandbox.society.comments import Comment

IMAGE_SECONDS, VIDEO_SECONDS = 1.0, 5.0


class Post(Thing):
    """A post of a Page (the parent). It is public from `visible` on; a draft has no such time."""

    made: datetime
    visible: datetime | None
    status_type: str
    message: str = ""
    link: str = ""
    photos: list[str] = []
    video: str = ""
    scheduled: bool = False
    edited: datetime | None = None

    def is_published(self, world: World) -> bool:
        return self.visible is not None and self.visible <= world.clock.now()


class Photo(Thing):
    """A photo of a Page (the parent); `post` is the one that shows it."""

    media: Media
    made: datetime
    caption: str = ""
    alt_text: str = ""
    post: str = ""


class Video(Thing):
    """A video of a Page (the parent), from the first byte on. `kind` is video, reel or story."""

    kind: str
    begun: datetime
    media: Media | None = None
    # The chunks received so far, and the expected number of bytes.
    file: str = ""
    size: int = 0
    title: str = ""
    description: str = ""
    place: str = ""
    cover: Media | None = None
    uploaded: datetime | None = None
    ready: datetime | None = None
    failure: int = 0
    finished: bool = False
    post: str = ""


class Story(Thing):
    """A story of a Page (the parent). It is archived after a day."""

    made: datetime
    media_type: str
    media_id: str


class Upload(Thing):
    """A file that the app uploads for later use; `handle` is returned when it is complete."""

    name: str
    size: int
    kind: str
    file: str = ""
    handle: str = ""


class Extras(msgspec.Struct, frozen=True):
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


class Container(Thing):
    """Media being published to an Instagram account (the parent)."""

    media_type: str
    made: datetime
    ready: datetime
    media: Media | None = None
    caption: str = ""
    extras: Extras = Extras()
    children: list[str] = []
    is_item: bool = False
    # The subcode that processing ends with.
    failure: int = 0
    published: str = ""


class InstagramMedia(Thing):
    """A post, reel, story or slide of an Instagram account (the parent)."""

    media_type: str
    product_type: str
    shortcode: str
    made: datetime
    media: Media | None = None
    caption: str = ""
    extras: Extras = Extras()
    children: list[str] = []
    is_slide: bool = False
    comments_on: bool = True


class PageComment(Comment, kw_only=True):
    """A comment on a post, photo or video of a Page (the parent). `attachment` is the id of a photo."""

    attachment: str = ""


class InstagramComment(Comment, kw_only=True):
    """A comment on Instagram media (the parent)."""


class Fate(Thing):
    """What happens to the next media of an account (the id): how long processing takes, and how it fails."""

    seconds: float | None = None
    failure: int = 0
    times: int = 1


def on_page(world: World, key: str) -> Post | Photo | Video | None:
    """Find something that a Page has published."""
    return world.store.get(Post, key) or world.store.get(Photo, key) or world.store.get(Video, key)


def processing(world: World, account: str, usual: float) -> tuple[datetime, int]:
    """Return when media received now will be ready, and the subcode with which it will have failed by then."""
    fate = world.store.get(Fate, account)
    now = world.clock.now()
    if fate is None:
        return now + timedelta(seconds=usual), 0
    fate.times -= 1
    if fate.times > 0:
        world.store.put(fate)
    else:
        world.store.delete(Fate, account)
    return now + timedelta(seconds=usual if fate.seconds is None else fate.seconds), fate.failure
