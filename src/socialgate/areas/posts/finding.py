"""Whether a post is live that may have been published by a process of which this database knows nothing."""

from collections.abc import Mapping

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.posts import store
from socialgate.areas.posts.tables import TargetRow
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.publishing import (
    POST_HISTORY_CAPABILITY,
    HistoryEntry,
    Inconclusive,
    PostContent,
    PostHistoryReader,
    PublishedPost,
)
from socialgate.core.db import Database

_MAX_PAGES = 4
_PAGE_SIZE = 50
_NO_LIST_DETAIL = "The platform does not list what is live on the account."
_NO_TEXT_DETAIL = "It has no text by which it could be recognized on the platform."
_NOT_LISTED_DETAIL = "The newest posts on the account do not include one with this text."


async def find_live_post(
    db: Database, session: AccountSession, account: AccountRow, row: TargetRow, content: PostContent
) -> PublishedPost | Inconclusive:
    """Search what is live on the account for the text of a post. That it is missing proves nothing."""
    history = session.get_connector(row.platform).find_adapter(row.kind, POST_HISTORY_CAPABILITY)
    if history is None:
        return Inconclusive(_NO_LIST_DETAIL)
    if not content.text.strip():
        return Inconclusive(_NO_TEXT_DETAIL)
    listed = await session.call_for_account(
        account, lambda credentials: _list_newest_matching_posts(history, credentials, row, content.text)
    )
    known = await db.read(store.find_known_object_ids, row.owner_id, row.account_id, sorted(listed))
    for item_id in sorted(listed.keys() - known):
        item = listed[item_id]
        return PublishedPost(platform_post_id=item.id, url=item.url, published_at=item.created_at)
    return Inconclusive(_NOT_LISTED_DETAIL)


async def _list_newest_matching_posts(
    history: PostHistoryReader, credentials: AccountCredentials, row: TargetRow, text: str
) -> Mapping[str, HistoryEntry]:
    """List the posts with this text that are newer than the target, by their ids."""
    history_entries: dict[str, HistoryEntry] = {}
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        page = await history.list_live_posts(credentials, _PAGE_SIZE, cursor)
        for item in page.items:
            is_newer = item.created_at is None or item.created_at >= row.created_at.replace(microsecond=0)
            if is_newer and item.text.split() == text.split():
                history_entries[item.id] = item
        cursor = page.cursor
        if cursor is None:
            break
    return history_entries
