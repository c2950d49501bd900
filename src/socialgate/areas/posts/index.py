"""Which object on a platform a post became."""

from socialgate.areas.posts import store
from socialgate.areas.posts.tables import TargetStatus
from socialgate.core.db import Tx

_PENDING = frozenset({TargetStatus.PENDING, TargetStatus.PUBLISHING, TargetStatus.UNCONFIRMED})


class PublishedIndex:
    async def object_of(self, tx: Tx, owner_id: str, post_id: str, account_id: str) -> str | None:
        of_post = (await store.targets_of(tx, owner_id, [post_id]))[post_id]
        found = [one.platform_post_id for one in of_post if one.account_id == account_id]
        return found[0] if found else None

    async def is_pending(self, tx: Tx, owner_id: str, post_id: str, account_id: str) -> bool:
        of_post = (await store.targets_of(tx, owner_id, [post_id]))[post_id]
        return any(one.account_id == account_id and one.status in _PENDING for one in of_post)

    async def text_of(self, tx: Tx, owner_id: str, post_id: str, account_id: str) -> str | None:
        post = await store.find(tx, owner_id, post_id)
        if post is None:
            return None
        of_post = (await store.targets_of(tx, owner_id, [post_id]))[post_id]
        own = [one.content for one in of_post if one.account_id == account_id and one.content is not None]
        return own[0] if own else post.content
