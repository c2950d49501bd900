"""Posts of Instagram and Threads, which the Graph API describes alike, and how many more an account may create."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.graph.dialect import Caller, Rows, when
from socialgate.connectors.json_paths import member
from socialgate.contracts.connecting import LimitUse
from socialgate.contracts.failures import PermissionMissing, PlatformNotFound, Rejected
from socialgate.contracts.publishing import HistoryEntry

# How Meta says that it does not show something, for whatever reason, and that it does not answer such a question.
HIDDEN = (PermissionMissing, PlatformNotFound)
SILENT = (*HIDDEN, Rejected)
# What is counted, and the prefix of its fields.
_USES = {"posts": "", "replies": "reply_", "deletes": "delete_"}
_TYPES = {
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


class Post(msgspec.Struct, kw_only=True):
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
    children: "Rows[Post] | None" = None

    @property
    def at(self) -> datetime | None:
        return when(self.timestamp)


class Profile(msgspec.Struct, kw_only=True):
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
    def title(self) -> str:
        return self.name or self.username or str(self.id)

    def looks(self, site: str) -> dict[str, Any]:
        return {
            "name": self.title,
            "username": self.username,
            "avatar_url": self.picture or self.threads_picture,
            "profile_url": site.format(self.username) if self.username else None,
        }


async def limits(api: Caller, path: str, fields: str) -> Sequence[LimitUse]:
    """Read how many of its daily posts an account has used, and may use; nothing if it does not say."""
    try:
        rows = (await api.get(path, Rows[Any], fields=fields)).data
    except SILENT:
        rows = []
    uses = [
        LimitUse(name=name, used=member(row, f"{of}quota_usage"), limit=member(row, f"{of}config", "quota_total"))
        for row in rows[:1]
        for name, of in _USES.items()
    ]
    return [use for use in uses if use.used is not None or use.limit is not None]


def type_of(media_type: str | None, otherwise: str = "image") -> str:
    return _TYPES.get(media_type or "", otherwise)


def history_item(post: Post, otherwise: str = "image") -> HistoryEntry:
    """Show a post. One of an unknown type is called `otherwise`."""
    shown = [(child.media_type, child.media_url) for child in post.children.data] if post.children is not None else []
    if not any(url for _, url in shown):
        shown = [(post.media_type, post.media_url), ("IMAGE", post.gif_url)]
    return HistoryEntry(
        id=str(post.id),
        type="reel" if post.media_product_type == "REELS" else type_of(post.media_type, otherwise),
        text=post.text or post.caption or "",
        url=post.permalink,
        created_at=post.at,
        media=tuple({"type": type_of(kind), "url": url} for kind, url in shown if url),
        counts=known({"likes": post.like_count, "comments": post.comments_count}),
    )


def known(counts: Mapping[str, Any]) -> Mapping[str, int]:
    """Meta omits what an account hides: that is not zero."""
    return {name: count for name, count in counts.items() if isinstance(count, int)}
