"""Storing webhooks, many requests in one commit: each is answered only after its own row is on disk."""

from collections.abc import Sequence

from socialgate.areas.inbound import store
from socialgate.areas.inbound.store import NewInboundRequest
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.group_commit import GroupCommit

INBOUND_WAKE_KEY = "inbound"
_MAX_BATCH_SIZE = 200
# Under load, each commit waits this long for more requests. No platform notices.
_BATCH_DELAY_SECONDS = 0.005


# What may wait of one webhook URL. Platforms send again what is refused, and send less at a time meanwhile.
MAX_WAITING_REQUESTS = 1_000
MAX_WAITING_BYTES = 32 * 1024 * 1024


class WebhookWriter:
    def __init__(self, db: Database) -> None:
        self._group: GroupCommit[NewInboundRequest, bool] = GroupCommit(
            db, _insert_batch, max_batch_size=_MAX_BATCH_SIZE, min_interval_seconds=_BATCH_DELAY_SECONDS
        )

    async def store(self, arrived: NewInboundRequest) -> bool:
        """Return once it is stored durably. False if too much of its sender waits already."""
        return await self._group.write(arrived)


async def _insert_batch(tx: Tx, batch: Sequence[NewInboundRequest]) -> Sequence[bool]:
    room: dict[tuple[str, str], tuple[int, int]] = {}
    has_room = [await _has_room(tx, arrived, room) for arrived in batch]
    accepted = [arrived for arrived, is_accepted in zip(batch, has_room, strict=True) if is_accepted]
    if accepted:
        await store.insert_inbound_requests(tx, accepted)
        tx.wake_on_commit(INBOUND_WAKE_KEY)
    return has_room


async def _has_room(tx: Tx, arrived: NewInboundRequest, room: dict[tuple[str, str], tuple[int, int]]) -> bool:
    """Count a request for its webhook URL. `room` is what is left of the requests and bytes of each.

    URLs without a routing id are not counted: a platform sends there for everybody.
    """
    if arrived.routing_id is None:
        return True
    sender = arrived.platform, arrived.routing_id
    if sender not in room:
        requests, size = await store.count_waiting_requests(tx, *sender, MAX_WAITING_REQUESTS)
        room[sender] = MAX_WAITING_REQUESTS - requests, MAX_WAITING_BYTES - size
    requests, size = room[sender]
    if requests <= 0 or size <= 0:
        return False
    room[sender] = requests - 1, size - len(arrived.request)
    return True
