"""Posts of Instagram and Threads, which the Graph API describes alike, and how many more an account may make."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.dialects.graph import Caller, Rows, when
from socialgate.contracts.connecting import LimitUse
from socialgate.contracts.failures import PermissionMissing, PlatformNotFound, Rejected
from socialgate.contracts.publishing import HistoryItem

# How a vendor says that it does not show something, or does not answer such a question.
SILENT = (PermissionMissing, PlatformNotFound, Rejected)
_TYPES = {
    "TEXT_POST": "text",
    "IMAGE": "image",
    "VIDEO": "video",
    "CAROUSEL_ALBUM": "carousel",
    "AUDIO": "audio",
    "REPOST_FACADE": "repost",
    # Pages have words of their own.
    "photo": "image",
    "album": "carousel",
    "link": "link",
    "video": "video",
}


class Post(msgspec.Struct, kw_only=True):
    """`text` is for Threads what `caption` is for Instagram."""

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
    children: "Rows[Post] | None" = None

    @property
    def at(self) -> datetime | None:
        return when(self.timestamp)


class _Config(msgspec.Struct):
    quota_total: int | None = None


class _Limit(msgspec.Struct, kw_only=True):
    quota_usage: int | None = None
    config: _Config = msgspec.field(default_factory=_Config)
    reply_quota_usage: int | None = None
    reply_config: _Config = msgspec.field(default_factory=_Config)
    delete_quota_usage: int | None = None
    delete_config: _Config = msgspec.field(default_factory=_Config)


async def limits(api: Caller, path: str, fields: str) -> Sequence[LimitUse]:
    """Read what an account has used of its posts today, and may use; nothing where it does not tell."""
    try:
        rows = (await api.get(path, Rows[_Limit], fields=fields)).data
    except SILENT:
        rows = []
    uses = [
        use
        for row in rows[:1]
        for use in (
            LimitUse(name="posts", used=row.quota_usage, limit=row.config.quota_total),
            LimitUse(name="replies", used=row.reply_quota_usage, limit=row.reply_config.quota_total),
            LimitUse(name="deletes", used=row.delete_quota_usage, limit=row.delete_config.quota_total),
        )
    ]
    return [use for use in uses if use.used is not None or use.limit is not None]


def type_of(media_type: str | None, otherwise: str = "image") -> str:
    return _TYPES.get(media_type or "", otherwise)


def history_item(post: Post, otherwise: str) -> HistoryItem:
    """Show a post. One of a type that nobody knows is called `otherwise`."""
    shown = [(child.media_type, child.media_url) for child in post.children.data] if post.children is not None else []
    if not any(url for _, url in shown):
        shown = [(post.media_type, post.media_url), ("IMAGE", post.gif_url)]
    return HistoryItem(
        id=str(post.id),
        type="reel" if post.media_product_type == "REELS" else type_of(post.media_type, otherwise),
        text=post.text or post.caption or "",
        url=post.permalink,
        created_at=post.at,
        media=tuple({"type": type_of(kind), "url": url} for kind, url in shown if url),
        counts=known({"likes": post.like_count, "comments": post.comments_count}),
    )


def known(counts: Mapping[str, Any]) -> Mapping[str, int]:
    """Meta leaves out what an account hides: that is not zero."""
    return {name: count for name, count in counts.items() if isinstance(count, int)}


def same_text(one: str | None, other: str | None) -> bool:
    """Compare as people read: Meta trims texts, and spells line ends its own way."""
    return (one or "").split() == (other or "").split()
