"""Listing and deleting what is live on a Page or an Instagram account."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.graph.dialect import GraphCaller, GraphPage, build_cursor_params, extract_cursor, parse_time
from socialgate.connectors.graph.posts import (
    NO_ANSWER_ERRORS,
    GraphPost,
    build_history_entry,
    drop_hidden_counts,
    map_media_type,
)
from socialgate.connectors.json_paths import get_list, get_path, get_text_or_number
from socialgate.connectors.meta.api import (
    MetaApi,
    convert_failure,
    delete_object,
    is_hidden_or_missing,
    list_stories,
    require_object_id,
)
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PermissionMissingError, PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.publishing import HistoryEntry, HistoryPage

_MAX_PAGE_SIZE = 100
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
    def attachment_parts(self) -> Sequence[Any]:
        """Return what is attached: a photo of an album is one of the attachments below it."""
        return [
            part
            for attachment in get_list(self.attachments, "data")
            for part in get_list(attachment, "subattachments", "data") or [attachment]
        ]


async def _is_live_story(api: GraphCaller, post: str, not_found: PlatformNotFoundError) -> bool:
    try:
        shown = await list_stories(api)
    except NO_ANSWER_ERRORS:
        detail = "Facebook does not say whether this exists, and did not delete it. Check the Page."
        raise convert_failure(PlatformRejectedError, detail, not_found) from None
    live = [story for story in shown if story.status.upper() != "ARCHIVED"]
    return any(post in {str(story.post_id), str(story.media_id)} for story in live)


def _parse_page_post(post: PagePost) -> HistoryEntry:
    media = [_parse_page_media(part) for part in post.attachment_parts if get_path(part, "media") is not None]
    if not media and post.full_picture:
        media = [{"type": "image", "url": post.full_picture}]
    counts = {
        "likes": get_path(post.reactions, "summary", "total_count"),
        "comments": get_path(post.comments, "summary", "total_count"),
        "shares": get_path(post.shares, "count"),
    }
    kinds = [get_text_or_number(item, "media_type") for item in get_list(post.attachments, "data")]
    return HistoryEntry(
        id=str(post.id),
        type=map_media_type(kinds[0] if kinds else None, "text"),
        text=post.message or post.story or "",
        url=post.permalink_url,
        created_at=parse_time(post.created_time),
        media=tuple(media),
        counts=drop_hidden_counts(counts),
    )


def _parse_page_media(part: Any) -> Mapping[str, Any]:
    url = get_text_or_number(part, "media", "source") or get_text_or_number(part, "media", "image", "src") or None
    return {
        "type": map_media_type(get_text_or_number(part, "media_type") or get_text_or_number(part, "type")),
        "url": url,
    }


class _MetaPosts:
    """`edge` is where the posts of an account are, and `parse_item` shows one of them."""

    edge: str
    fields: str
    shape: type[GraphPage[Any]]
    parse_item: Callable[[Any], HistoryEntry]

    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    async def list_live_posts(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        api, many = self._graph.for_account(credentials), min(limit, _MAX_PAGE_SIZE)
        rows = await api.get(
            f"{api.budget}/{self.edge}", self.shape, fields=self.fields, limit=many, **build_cursor_params(cursor)
        )
        return HistoryPage(items=[self.parse_item(post) for post in rows.data], cursor=extract_cursor(rows))


class PagePosts(_MetaPosts):
    edge = "published_posts"
    fields = _PAGE_FIELDS
    shape = GraphPage[PagePost]
    parse_item = staticmethod(_parse_page_post)

    async def delete_post(self, credentials: AccountCredentials, platform_post_id: str) -> None:
        """Delete a post. A story cannot be read by its id: only the list of stories says whether it is live."""
        api, post = self._graph.for_account(credentials), require_object_id(platform_post_id)
        try:
            await delete_object(api, post)
        except PlatformNotFoundError as gone:
            if not await _is_live_story(api, post, gone):
                raise
            detail = (
                "Facebook does not let apps delete stories. Delete it on Facebook, or wait: it ends after 24 hours."
            )
            raise convert_failure(PlatformRejectedError, detail, gone) from None


class InstagramPosts(_MetaPosts):
    edge = "media"
    fields = _INSTAGRAM_FIELDS
    shape = GraphPage[GraphPost]
    parse_item = staticmethod(build_history_entry)

    async def delete_post(self, credentials: AccountCredentials, platform_post_id: str) -> None:
        try:
            await delete_object(self._graph.for_account(credentials), platform_post_id)
        except (PermissionMissingError, PlatformRejectedError) as failure:
            if isinstance(failure, PermissionMissingError) and is_hidden_or_missing(failure):
                # The account itself is hidden.
                raise
            detail = (
                "Instagram does not let this app delete the post. Delete it in the Instagram app, or reconnect the "
                "account and keep the permission `instagram_manage_contents` selected."
            )
            raise convert_failure(PermissionMissingError, detail, failure) from None
