"""What a profile has posted, the replies, and what is being published."""

from datetime import datetime, timedelta
from typing import Any

import msgspec

from socialgate.sandbox.dialects.graph.media import Media
from socialgate.sandbox.kit import Thing, World, text
from socialgate.sandbox.society.comments import Comment, find_comment

TEXT_SECONDS, IMAGE_SECONDS, VIDEO_SECONDS = 0.0, 1.0, 5.0


class Options(msgspec.Struct, frozen=True):
    """What a container passes on to its post unchanged."""

    alt_text: str = ""
    link: str = ""
    topic_tag: str = ""
    reply_control: str = "everyone"
    poll: dict[str, str] = {}
    quote: str = ""
    reply_to: str = ""
    ghost: bool = False
    text_attachment: dict[str, Any] = {}
    gif: dict[str, str] = {}
    location: str = ""
    # Parts of the text that are hidden until they are tapped, as they were given.
    entities: list[dict[str, Any]] = []
    spoiler_media: bool = False
    countries: list[str] = []


class Container(Thing):
    """A container: a post of a profile (the parent) before it is published. `failure` is an error code of Threads."""

    media_type: str
    made: datetime
    ready: datetime
    options: Options
    text: str = ""
    media: Media | None = None
    children: list[str] = []
    is_item: bool = False
    failure: str = ""
    published: str = ""


class Post(Thing):
    """A post, slide or repost of a profile (the parent)."""

    media_type: str
    shortcode: str
    made: datetime
    options: Options
    text: str = ""
    media: Media | None = None
    children: list[str] = []
    is_slide: bool = False
    repost_of: str = ""


class Reply(Comment, kw_only=True):
    """A reply of a profile or a person. The parent is the post that starts the conversation."""

    shortcode: str = msgspec.field(default_factory=lambda: f"D{text(10)}")
    media_type: str = "TEXT_POST"
    options: Options = Options()
    media: Media | None = None
    children: list[str] = []


def find_media(world: World, key: str) -> Post | Reply | None:
    return world.store.get(Post, key) or find_comment(world, Reply, key)


def owner_of(media: Post | Reply) -> str:
    return media.author.id if isinstance(media, Reply) else media.parent


def replied_to(media: Post | Reply) -> str:
    return media.above or media.parent if isinstance(media, Reply) else ""


class Fate(Thing):
    """What happens to the next containers of a profile (the id).

    `lost` is how many publish calls will not find their container, as happens on the real platform.
    """

    seconds: float | None = None
    failure: str = ""
    times: int = 0
    lost: int = 0


def processing(world: World, profile: str, usual: float) -> tuple[datetime, str]:
    """Return when a container created now will be ready, and the code with which it will have failed by then."""
    fate, now = world.store.get(Fate, profile), world.clock.now()
    if fate is None or fate.times == 0:
        return now + timedelta(seconds=usual), ""
    fate.times -= 1
    world.store.put(fate)
    return now + timedelta(seconds=usual if fate.seconds is None else fate.seconds), fate.failure


def is_lost(world: World, profile: str) -> bool:
    fate = world.store.get(Fate, profile)
    if fate is None or fate.lost == 0:
        return False
    fate.lost -= 1
    world.store.put(fate)
    return True
