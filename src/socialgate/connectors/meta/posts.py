"""Listing and deleting what is live on a Page or an Instagram account."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.graph.dialect import Caller, Rows, cursor_of, from_cursor, when
from socialgate.connectors.graph.posts import SILENT, Post, history_item, known, type_of
from socialgate.connectors.json_paths import list_at, member, text_at
from socialgate.connectors.meta.wire import Graph, checked, delete, is_not_shown, said, stories
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PermissionMissing, PlatformNotFound, Rejected
from socialgate.contracts.publishing import HistoryEntry, HistoryPage

_MOST_ROWS = 100
_PAGE_FIELDS = (
    "id,message,story,created_time,permalink_url,full_picture,attachments{media_type,type,media,subattachments},"
    "shares,comments.summary(true).limit(0),reactions.summary(total_count).limit(0)"
)
_INSTAGRAM_FIELDS = (
    "id,caption,media_type,media_product_type,media_url,permalink,timestamp,like_count,comments_count,"
    "children{id,media_type,media_url}"
)


class PagePost(msgspec.Struct, kw_only=True):
    id: str | int
    message: str | None = None
    story: str | None = None
    created_time: str | None = None
    permalink_url: str | None = None
    full_picture: str | None = None
    attachments: Any = None
    shares: Any = None
    comments: Any = None
    reactions: Any = None

    @property
    def parts(self) -> Sequence[Any]:
        """Return what is attached: a photo of an album is one of the attachments below it."""
        return [
            part
            for attachment in list_at(self.attachments, "data")
            for part in list_at(attachment, "subattachments", "data") or [attachment]
        ]


async def _is_live_story(api: Caller, post: str, gone: PlatformNotFound) -> bool:
    try:
        shown = await stories(api)
    except SILENT:
        detail = "Facebook does not say whether this exists, and did not delete it. Check the Page."
        raise said(Rejected, detail, gone) from None
    live = [story for story in shown if story.status.upper() != "ARCHIVED"]
    return any(post in {str(story.post_id), str(story.media_id)} for story in live)


def _page_item(post: PagePost) -> HistoryEntry:
    media = [_page_media(part) for part in post.parts if member(part, "media") is not None]
    if not media and post.full_picture:
        media = [{"type": "image", "url": post.full_picture}]
    counts = {
        "likes": member(post.reactions, "summary", "total_count"),
        "comments": member(post.comments, "summary", "total_count"),
        "shares": member(post.shares, "count"),
    }
    kinds = [text_at(one, "media_type") for one in list_at(post.attachments, "data")]
    return HistoryEntry(
        id=str(post.id),
        type=type_of(kinds[0] if kinds else None, "text"),
        text=post.message or post.story or "",
        url=post.permalink_url,
        created_at=when(post.created_time),
        media=tuple(media),
        counts=known(counts),
    )


def _page_media(part: Any) -> Mapping[str, Any]:
    url = text_at(part, "media", "source") or text_at(part, "media", "image", "src") or None
    return {"type": type_of(text_at(part, "media_type") or text_at(part, "type")), "url": url}


class _Posts:
    """`edge` is where the posts of an account are, and `item` shows one of them."""

    edge: str
    fields: str
    shape: type[Rows[Any]]
    item: Callable[[Any], HistoryEntry]

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def history(self, held: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        api, many = self._graph.of(held), min(limit, _MOST_ROWS)
        rows = await api.get(
            f"{api.budget}/{self.edge}", self.shape, fields=self.fields, limit=many, **from_cursor(cursor)
        )
        return HistoryPage(items=[self.item(post) for post in rows.data], cursor=cursor_of(rows))


class PagePosts(_Posts):
    edge = "published_posts"
    fields = _PAGE_FIELDS
    shape = Rows[PagePost]
    item = staticmethod(_page_item)

    async def remove(self, held: AccountCredentials, platform_post_id: str) -> None:
        """Delete a post. A story cannot be read by its id: only the list of stories says whether it is live."""
        api, post = self._graph.of(held), checked(platform_post_id)
        try:
            await delete(api, post)
        except PlatformNotFound as gone:
            if not await _is_live_story(api, post, gone):
                raise
            detail = (
                "Facebook does not let apps delete stories. Delete it on Facebook, or wait: it ends after 24 hours."
            )
            raise said(Rejected, detail, gone) from None


class InstagramPosts(_Posts):
    edge = "media"
    fields = _INSTAGRAM_FIELDS
    shape = Rows[Post]
    item = staticmethod(history_item)

    async def remove(self, held: AccountCredentials, platform_post_id: str) -> None:
        try:
            await delete(self._graph.of(held), platform_post_id)
        except (PermissionMissing, Rejected) as failure:
            if isinstance(failure, PermissionMissing) and is_not_shown(failure):
                # The account itself is hidden.
                raise
            detail = (
                "Instagram does not let this app delete the post. Delete it in the Instagram app, or reconnect the "
                "account and keep the permission `instagram_manage_contents` selected."
            )
            raise said(PermissionMissing, detail, failure) from None
