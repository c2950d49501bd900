"""Listing and deleting what is live on a Threads profile."""

from socialgate.connectors.graph.posts import history_item
from socialgate.connectors.threads.wire import Threads, checked, find, listed
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PermissionMissing, Rejected
from socialgate.contracts.publishing import HistoryPage

_FIELDS = (
    "id,media_type,media_url,gif_url,permalink,text,timestamp,thumbnail_url,children{id,media_type,media_url},"
    "is_quote_post,link_attachment_url,topic_tag"
)


class ThreadsHistory:
    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    async def history(self, held: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        posts = await listed(self._threads.of(held), "me/threads", _FIELDS, limit, cursor)
        return HistoryPage(items=[history_item(post, "text") for post in posts.data], cursor=posts.cursor(cursor))

    async def remove(self, held: AccountCredentials, platform_post_id: str) -> None:
        post, api = checked(platform_post_id), self._threads.of(held)
        try:
            await api.do("DELETE", post, spends="deletes")
        except (Rejected, PermissionMissing):
            await find(api, post, "id")
            raise
