"""What is live on a Page or an Instagram account, and taking it down."""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from socialgate.connectors.dialects.graph import Caller, Rows, cursor_of, from_cursor, when
from socialgate.connectors.meta.shapes import Attachment, InstagramPost, PagePost
from socialgate.connectors.meta.wire import Graph, reach
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PermissionMissing, PlatformError, PlatformNotFound, Rejected
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import HistoryItem, HistoryPage

T = TypeVar("T")

_MOST_ROWS = 100
_GONE = "33"
# A person may have written the id: it must not become another path.
_ID = re.compile(r"[0-9_]+")
_PAGE_FIELDS = (
    "id,message,story,created_time,permalink_url,full_picture,attachments{media_type,type,media,subattachments},"
    "shares,comments.summary(true).limit(0),reactions.summary(total_count).limit(0)"
)
_INSTAGRAM_FIELDS = (
    "id,caption,media_type,media_product_type,media_url,permalink,timestamp,like_count,comments_count,"
    "children{id,media_type,media_url}"
)
_TYPES = {
    "IMAGE": "image",
    "VIDEO": "video",
    "CAROUSEL_ALBUM": "carousel",
    "photo": "image",
    "album": "carousel",
    "link": "link",
    "video": "video",
}


class PagePosts:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def history(self, held: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        posts = await _page_of(self._graph.of(held), "published_posts", Rows[PagePost], _PAGE_FIELDS, limit, cursor)
        return HistoryPage(items=[_page_item(post) for post in posts.data], cursor=cursor_of(posts))

    async def remove(self, held: AccountCredentials, platform_post_id: str) -> None:
        await _delete(self._graph.of(held), platform_post_id)


class InstagramPosts:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def history(self, held: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        media = await _page_of(self._graph.of(held), "media", Rows[InstagramPost], _INSTAGRAM_FIELDS, limit, cursor)
        return HistoryPage(items=[_instagram_item(post) for post in media.data], cursor=cursor_of(media))

    async def remove(self, held: AccountCredentials, platform_post_id: str) -> None:
        try:
            await _delete(self._graph.of(held), platform_post_id)
        except (PermissionMissing, Rejected) as failure:
            raise PermissionMissing(
                "Instagram does not let this app delete the post. Delete it in the Instagram app, or connect the "
                "account again and leave the permission `instagram_manage_contents` ticked.",
                platform=Platform.META,
                error=failure.platform_error,
            ) from None


async def _page_of(
    api: Caller, edge: str, shape: type[Rows[T]], fields: str, limit: int, cursor: str | None
) -> Rows[T]:
    path, rows = f"{api.budget}/{edge}", min(limit, _MOST_ROWS)
    return await api.get(path, shape, fields=fields, limit=rows, **from_cursor(cursor))


async def _delete(api: Caller, post: str) -> None:
    if not _ID.fullmatch(post):
        raise _gone(None)
    try:
        await api.do("DELETE", post)
    except (PermissionMissing, Rejected) as failure:
        told = failure.platform_error
        if told is None or told.subcode != _GONE:
            raise
        # Meta says the same of what is gone and of what it hides: an account that it hides, it hides whole.
        await reach(api)
        raise _gone(told) from None


def _gone(told: PlatformError | None) -> PlatformNotFound:
    return PlatformNotFound("Meta does not know this post any more.", platform=Platform.META, error=told)


def _page_item(post: PagePost) -> HistoryItem:
    kind = _page_type(post)
    media = [_page_media(part) for part in post.parts if part.media is not None]
    if not media and post.full_picture:
        media = [{"type": "image", "url": post.full_picture}]
    counts = {
        "likes": post.reactions.total if post.reactions is not None else None,
        "comments": post.comments.total if post.comments is not None else None,
        "shares": post.shares.count if post.shares is not None else None,
    }
    return HistoryItem(
        id=str(post.id),
        type=kind,
        text=post.message or post.story or "",
        url=post.permalink_url,
        created_at=when(post.created_time),
        media=tuple(media),
        counts=_known(counts),
    )


def _page_type(post: PagePost) -> str:
    attachments = post.attachments.data if post.attachments is not None else []
    kind = (attachments[0].media_type or "") if attachments else ""
    return _TYPES.get(kind, "text")


def _page_media(part: Attachment) -> Mapping[str, Any]:
    media = part.media
    image = media.image.src if media is not None and media.image is not None else None
    source = media.source if media is not None else None
    return {"type": _TYPES.get(part.media_type or part.type or "", "image"), "url": source or image}


def _instagram_item(post: InstagramPost) -> HistoryItem:
    children = post.children.data if post.children is not None else []
    reel = post.media_product_type == "REELS"
    shown = [(child.media_type, child.media_url) for child in children] or [(post.media_type, post.media_url)]
    return HistoryItem(
        id=str(post.id),
        type="reel" if reel else _TYPES.get(post.media_type or "", "image"),
        text=post.caption or "",
        url=post.permalink,
        created_at=when(post.timestamp),
        media=tuple({"type": _TYPES.get(kind or "", "image"), "url": url} for kind, url in shown if url),
        counts=_known({"likes": post.like_count, "comments": post.comments_count}),
    )


def _known(counts: Mapping[str, int | None]) -> Mapping[str, int]:
    """Meta leaves out what an account hides: that is not zero."""
    return {name: count for name, count in counts.items() if count is not None}
