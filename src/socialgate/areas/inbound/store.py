"""Platforms' requests as received, and which of their facts were already processed."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.contracts.inbound import InboundRequest
from socialgate.core.db import Id, Tx, Utc, metadata
from socialgate.core.jobs.queue import Claimed, RowQueue
from socialgate.core.rows import reader

_WAITING = sa.text("due_at IS NOT NULL")
# Longer than any platform retries, and than a request is kept for replay.
_REMEMBERED = timedelta(days=15)

# Not owned by anybody: several owners may have connected the same account, and those concerned are found later.
inbound = sa.Table(
    "inbound",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("platform", sa.String(20), nullable=False),
    sa.Column("routing_id", sa.String(64)),
    # The request as received: an InboundRequest in JSON.
    sa.Column("request", sa.LargeBinary, nullable=False),
    sa.Column("received_at", Utc, nullable=False),
    # When a worker should take it; null once it is done or given up.
    sa.Column("due_at", Utc),
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    sa.Column("error", sa.String(500)),
    sa.Column("claim_id", Id),
    sa.Column("claim_until", Utc),
    # How many of its facts are processed. One with many facts is processed in several transactions.
    sa.Column("position", sa.Integer, nullable=False, server_default="0"),
    sa.Index(
        "ix_inbound_sender",
        "platform",
        "routing_id",
        "due_at",
        "id",
        postgresql_where=_WAITING,
        sqlite_where=_WAITING,
    ),
    sa.Index("ix_inbound_due_at", "due_at", "id", postgresql_where=_WAITING, sqlite_where=_WAITING),
    postgresql_partition_by="RANGE (id)",
)

# What was processed. Platforms send the same fact twice, in different requests and days later.
inbound_facts = sa.Table(
    "inbound_facts",
    metadata,
    sa.Column("platform", sa.String(20), primary_key=True),
    sa.Column("key", sa.String(300), primary_key=True),
    sa.Column("seen_at", Utc, nullable=False),
    sa.Index("ix_inbound_facts_seen_at", "seen_at"),
)


class InboundRow(msgspec.Struct, frozen=True):
    id: str
    platform: str
    routing_id: str | None
    request: bytes
    received_at: datetime
    due_at: datetime | None
    tries: int
    error: str | None
    claim_id: str | None
    claim_until: datetime | None
    position: int

    @property
    def came(self) -> InboundRequest:
        """The request as received."""
        return msgspec.json.decode(self.request, type=InboundRequest)


read_inbound = reader(InboundRow, inbound)
# Pending requests. Each claim counts as an attempt, so that a request that kills its worker is also given up.
QUEUE = RowQueue(inbound, read_inbound, key=("id",), counts_tries="tries")


def _turns() -> sa.Select[Any]:
    """The requests that are due, in turns: the first of each sender, then the second of each, and so on.

    A sender is a webhook URL, which only one customer's accounts use, or a platform that signs for all of them.
    """
    due = QUEUE.is_due(sa.bindparam("now", type_=Utc))
    sender, arrival = [inbound.c.platform, inbound.c.routing_id], [inbound.c.due_at, inbound.c.id]
    turn = sa.func.row_number().over(partition_by=sender, order_by=arrival).label("turn")
    ranked = sa.select(inbound.c.id, turn).where(due).subquery()
    found = sa.select(inbound.c.id, sa.func.length(inbound.c.request).label("size"))
    found = found.join(ranked, ranked.c.id == inbound.c.id).where(due).order_by(ranked.c.turn, inbound.c.due_at)
    return found.limit(sa.bindparam("most", type_=sa.Integer)).with_for_update(skip_locked=True, of=inbound)


_TURNS = _turns()
_BY_ID = sa.select(inbound).where(inbound.c.id.in_(sa.bindparam("ids", expanding=True))).order_by(inbound.c.id)


async def claim(tx: Tx, most: int, most_bytes: int) -> list[Claimed[InboundRow]]:
    """Claim due requests, the same number of each sender as far as there are so many, in the order of their arrival.

    Several large requests would fill the memory: one is always claimed, more only up to a number of bytes.
    """
    ids: list[str] = []
    for row in await tx.all(_TURNS, {"now": tx.now, "most": most}):
        most_bytes -= row.size
        if ids and most_bytes < 0:
            break
        ids.append(row.id)
    return await QUEUE.take(tx, await tx.all(_BY_ID, {"ids": ids})) if ids else []


_WAITING_OF_SENDER = (
    sa.select(sa.func.length(inbound.c.request).label("size"))
    .where(
        inbound.c.platform == sa.bindparam("platform"),
        inbound.c.routing_id == sa.bindparam("routing_id"),
        inbound.c.due_at.is_not(None),
    )
    .limit(sa.bindparam("most", type_=sa.Integer))
    .subquery()
)
_WAITING_TOTAL = sa.select(
    sa.func.count().label("requests"), sa.func.coalesce(sa.func.sum(_WAITING_OF_SENDER.c.size), 0).label("size")
)


async def waiting(tx: Tx, platform: str, routing_id: str, most: int) -> tuple[int, int]:
    """Count the requests of a webhook URL that wait, and their bytes. Counting ends at `most`."""
    row = await tx.one(_WAITING_TOTAL, {"platform": platform, "routing_id": routing_id, "most": most})
    return row.requests, int(row.size)


class Arrived(msgspec.Struct, frozen=True, kw_only=True):
    """A verified request, about to be stored."""

    id: str
    platform: str
    routing_id: str | None
    request: bytes
    received_at: datetime


async def insert(tx: Tx, arrived: Sequence[Arrived]) -> None:
    rows = [{**msgspec.structs.asdict(one), "due_at": one.received_at} for one in arrived]
    await tx.execute(sa.insert(inbound), rows)


async def remember(tx: Tx, facts: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Record facts by platform and key, and return those that are new."""
    if not facts:
        return set()
    # In the same order everywhere: two workers with the same facts must not wait for each other.
    values = [{"platform": platform, "key": key, "seen_at": tx.now} for platform, key in sorted(set(facts))]
    kept = await tx.all(tx.insert_new(inbound_facts).returning(inbound_facts.c.platform, inbound_facts.c.key), values)
    return {(row.platform, row.key) for row in kept}


async def run_again(tx: Tx, since: datetime, platform: str | None) -> int:
    """Make all requests since a time due again. Facts that were processed stay so."""
    statement = sa.update(inbound).where(inbound.c.received_at >= since, inbound.c.due_at.is_(None))
    if platform is not None:
        statement = statement.where(inbound.c.platform == platform)
    return await tx.changed(statement.values(due_at=tx.now, tries=0, position=0, error=None, **QUEUE.released))


async def purge_facts(tx: Tx, now: datetime) -> int:
    return await tx.changed(sa.delete(inbound_facts).where(inbound_facts.c.seen_at < now - _REMEMBERED))
