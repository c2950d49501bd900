"""Storing webhooks, many requests in one commit: each is answered only after its own row is on disk."""

from collections.abc import Sequence

from socialgate.areas.inbound import store
from socialgate.areas.inbound.store import Arrived
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.group import GroupCommit

INBOUND = "inbound"
_MOST_AT_ONCE = 200
# Under load, each commit waits this long for more requests. No platform notices.
_REST_SECONDS = 0.005


class Intake:
    def __init__(self, db: Database) -> None:
        self._group: GroupCommit[Arrived, None] = GroupCommit(db, _insert, most=_MOST_AT_ONCE, rest=_REST_SECONDS)

    async def store(self, arrived: Arrived) -> None:
        """Return once it is stored durably."""
        await self._group.write(arrived)


async def _insert(tx: Tx, batch: Sequence[Arrived]) -> Sequence[None]:
    await store.insert(tx, batch)
    tx.wake(INBOUND)
    return [None] * len(batch)
