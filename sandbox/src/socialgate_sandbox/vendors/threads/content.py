"""What a profile has posted, the replies, and what is being published."""

from datetime import datetime
from typing import Any

import msgspec

from socialgate_sandbox.dialects.graph import containers
from socialgate_sandbox.kit import StoredObject, VendorContext, generate_alphanumeric
from socialgate_sandbox.kit.media import Media
from socialgate_sandbox.society.comments import Comment, find_comment


class PostOptions(msgspec.Struct, frozen=True):
    """What a container passes on to its post unchanged, under the API's names."""

    alt_text: str = ""
    link_attachment: str = ""
    topic_tag: str = ""
    reply_control: str = "everyone"
    poll_attachment: dict[str, str] = {}
    quote_post_id: str = ""
    reply_to_id: str = ""
    is_ghost_post: bool = False
    text_attachment: dict[str, Any] = {}
    gif_attachment: dict[str, str] = {}
    location_id: str = ""
    # Parts of the text that are hidden until they are tapped, as they were given.
    text_entities: list[dict[str, Any]] = []
    is_spoiler_media: bool = False
    allowlisted_country_codes: list[str] = []


class Container(containers.Container, kw_only=True):
    """A container. Its `failure` is an error code of Threads."""

    options: PostOptions


class Post(StoredObject):
    """A post, slide or repost of a profile (the parent)."""

    media_type: str
    shortcode: str
    created_at: datetime = msgspec.field(name="made")
    options: PostOptions
    text: str = ""
    media: Media | None = None
    children: list[str] = []
    is_slide: bool = False
    repost_of: str = ""


class Reply(Comment, kw_only=True):
    """A reply of a profile or a person. The parent is the post that starts the conversation."""

    shortcode: str = msgspec.field(default_factory=lambda: f"D{generate_alphanumeric(10)}")
    media_type: str = "TEXT_POST"
    options: PostOptions = PostOptions()
    media: Media | None = None
    children: list[str] = []


def find_media(context: VendorContext, key: str) -> Post | Reply | None:
    return context.store.get(Post, key) or find_comment(context, Reply, key)


def get_owner_id(media: Post | Reply) -> str:
    return media.author.id if isinstance(media, Reply) else media.parent


def get_parent_id(media: Post | Reply) -> str:
    return media.above or media.parent if isinstance(media, Reply) else ""
