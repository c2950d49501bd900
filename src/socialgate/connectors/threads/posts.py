"""Listing and deleting what is live on a Threads profile."""

from socialgate.connectors.graph.posts import build_history_entry
from socialgate.connectors.threads.api import ThreadsApi, fetch_post, list_posts, require_post_id
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PermissionMissingError, PlatformRejectedError
from socialgate.contracts.publishing import HistoryPage

_POST_FIELDS = (
    "id,media_type,media_url,gif_url,permalink,text,timestamp,thumbnail_url,children{id,media_type,media_url},"
    "is_quote_post,link_attachment_url,topic_tag"
)


class ThreadsPosts:
    def __init__(self, threads: ThreadsApi) -> None:
        self._threads = threads

    async def list_live_posts(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        posts = await list_posts(self._threads.for_account(credentials), "me/threads", _POST_FIELDS, limit, cursor)
        return HistoryPage(
            items=[build_history_entry(post, "text") for post in posts.data], cursor=posts.get_next_cursor(cursor)
        )

    async def delete_post(self, credentials: AccountCredentials, platform_post_id: str) -> None:
        post, api = require_post_id(platform_post_id), self._threads.for_account(credentials)
        try:
            await api.call_for_success("DELETE", post, spends="deletes")
        except (PlatformRejectedError, PermissionMissingError):
            await fetch_post(api, post, "id")
            raise
