"""What is live on a Threads profile, and taking it down."""

from socialgate.connectors.threads.posting_wire import HISTORY, Posting, ThreadsPost, checked
from socialgate.connectors.threads.wire import login_of
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PermissionMissing, Rejected
from socialgate.contracts.publishing import HistoryItem, HistoryPage

_TYPES = {
    "TEXT_POST": "text",
    "IMAGE": "image",
    "VIDEO": "video",
    "CAROUSEL_ALBUM": "carousel",
    "AUDIO": "audio",
    "REPOST_FACADE": "repost",
}


class ThreadsHistory:
    def __init__(self, posting: Posting) -> None:
        self._posting = posting

    async def history(self, held: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        posts = await self._posting.list("me/threads", login_of(held), HISTORY, limit, cursor)
        return HistoryPage(items=[_item(post) for post in posts.data], cursor=posts.cursor(cursor))

    async def remove(self, held: AccountCredentials, platform_post_id: str) -> None:
        post = checked(platform_post_id)
        try:
            await self._posting.delete(post, login_of(held))
        except (Rejected, PermissionMissing):
            await self._posting.find(post, login_of(held))
            raise


def _item(post: ThreadsPost) -> HistoryItem:
    children = post.children.data if post.children is not None else []
    shown = [(child.media_type, child.media_url) for child in children]
    if not any(url for _, url in shown):
        shown = [(post.media_type, post.media_url), ("IMAGE", post.gif_url)]
    return HistoryItem(
        id=str(post.id),
        type=_TYPES.get(post.media_type or "", "text"),
        text=post.text or "",
        url=post.permalink,
        created_at=post.at,
        media=tuple({"type": _TYPES.get(kind or "", "image"), "url": url} for kind, url in shown if url),
    )
