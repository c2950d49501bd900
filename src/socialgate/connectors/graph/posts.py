"""Posts of Instagram and Threads, which the Graph API describes alike, and how many more an account may create."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.graph.dialect import GraphCaller, GraphPage, parse_time
from socialgate.connectors.json_paths import get_path
from socialgate.contracts.account_connection import LimitUse
from socialgate.contracts.failures import PermissionMissingError, PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.publishing import HistoryEntry

# How Meta says that it does not show something, for whatever reason, and that it does not answer such a question.
NOT_VISIBLE_ERRORS = (PermissionMissingError, PlatformNotFoundError)
NO_ANSWER_ERRORS = (*NOT_VISIBLE_ERRORS, PlatformRejectedError)
# What is counted, and the prefix of its fields.
_QUOTA_FIELD_PREFIXES = {"posts": "", "replies": "reply_", "deletes": "delete_"}
_POST_TYPES = {
    "TEXT_POST": "text",
    "IMAGE": "image",
    "VIDEO": "video",
    "CAROUSEL_ALBUM": "carousel",
    "AUDIO": "audio",
    "REPOST_FACADE": "repost",
    # Pages have their own names.
    "photo": "image",
    "album": "carousel",
    "link": "link",
    "video": "video",
}


class GraphPost(msgspec.Struct, kw_only=True):
    """`text` on Threads is `caption` on Instagram."""

    id: str | int = ""
    text: str | None = None
    caption: str | None = None
    media_type: str | None = None
    media_product_type: str | None = None
    media_url: str | None = None
    gif_url: str | None = None
    permalink: str | None = None
    timestamp: str | None = None
    like_count: int | None = None
    comments_count: int | None = None
    children: "GraphPage[GraphPost] | None" = None

    @property
    def created_at(self) -> datetime | None:
        return parse_time(self.timestamp)


class GraphProfile(msgspec.Struct, kw_only=True):
    """An account of Instagram or Threads. Threads has its own names for what both have."""

    id: str | int
    username: str | None = None
    name: str | None = None
    picture: str | None = msgspec.field(default=None, name="profile_picture_url")
    threads_picture: str | None = msgspec.field(default=None, name="threads_profile_picture_url")
    biography: str | None = None
    threads_biography: str | None = None
    is_verified: bool | None = None
    website: str | None = None
    followers_count: int | None = None
    follows_count: int | None = None
    media_count: int | None = None

    @property
    def display_name(self) -> str:
        return self.name or self.username or str(self.id)

    def to_profile_fields(self, site: str) -> dict[str, Any]:
        return {
            "name": self.display_name,
            "username": self.username,
            "avatar_url": self.picture or self.threads_picture,
            "profile_url": site.format(self.username) if self.username else None,
        }


async def read_publishing_limits(api: GraphCaller, path: str, fields: str) -> Sequence[LimitUse]:
    """Read how many of its daily posts an account has used, and may use; nothing if it does not say."""
    try:
        rows = (await api.get(path, GraphPage[Any], fields=fields)).data
    except NO_ANSWER_ERRORS:
        rows = []
    uses = [
        LimitUse(name=name, used=get_path(row, f"{us}quota_usage"), limit=get_path(row, f"{us}config", "quota_total"))
        for row in rows[:1]
        for name, us in _QUOTA_FIELD_PREFIXES.items()
    ]
    return [use for use in uses if use.used is not None or use.limit is not None]


def map_media_type(media_type: str | None, default_type: str = "image") -> str:
    return _POST_TYPES.get(media_type or "", default_type)


def build_history_entry(post: GraphPost, default_type: str = "image") -> HistoryEntry:
    """Show a post. One of an unknown type is called `default_type`."""
    shown = [(child.media_type, child.media_url) for child in post.children.data] if post.children is not None else []
    if not any(url for _, url in shown):
        shown = [(post.media_type, post.media_url), ("IMAGE", post.gif_url)]
    return HistoryEntry(
        id=str(post.id),
        type="reel" if post.media_product_type == "REELS" else map_media_type(post.media_type, default_type),
        text=post.text or post.caption or "",
        url=post.permalink,
        created_at=post.created_at,
        media=tuple({"type": map_media_type(kind), "url": url} for kind, url in shown if url),
        counts=drop_hidden_counts({"likes": post.like_count, "comments": post.comments_count}),
    )


def drop_hidden_counts(counts: Mapping[str, Any]) -> Mapping[str, int]:
    """Meta omits what an account hides: that is not zero."""
    return {name: count for name, count in counts.items() if isinstance(count, int)}
