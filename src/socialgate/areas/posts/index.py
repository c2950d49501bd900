"""Which object on a platform a post became."""

from socialgate.areas.posts import store
from socialgate.areas.posts.tables import TargetStatus
from socialgate.core.db import Tx

_PENDING_STATUSES = frozenset(
    {TargetStatus.PENDING, TargetStatus.PREPARING, TargetStatus.PUBLISHING, TargetStatus.UNCONFIRMED}
)


class PublishedPostIndex:
    async def get_platform_post_id(self, tx: Tx, owner_id: str, post_id: str, account_id: str) -> str | None:
        of_post = (await store.list_targets(tx, owner_id, [post_id]))[post_id]
        result = [row.platform_post_id for row in of_post if row.account_id == account_id]
        return result[0] if result else None

    async def is_pending(self, tx: Tx, owner_id: str, post_id: str, account_id: str) -> bool:
        of_post = (await store.list_targets(tx, owner_id, [post_id]))[post_id]
        return any(row.account_id == account_id and row.status in _PENDING_STATUSES for row in of_post)

    async def get_text(self, tx: Tx, owner_id: str, post_id: str, account_id: str) -> str | None:
        post = await store.find_post(tx, owner_id, post_id)
        if post is None:
            return None
        of_post = (await store.list_targets(tx, owner_id, [post_id]))[post_id]
        own = [row.content for row in of_post if row.account_id == account_id and row.content is not None]
        return own[0] if own else post.content
