"""Platforms' requests as received, and which of their facts were already processed."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa

from socialgate.areas.accounts.tables import accounts, registrations
from socialgate.contracts.webhooks import WebhookRequest
from socialgate.core.db import Id, Tx, UtcDateTime, metadata
from socialgate.core.jobs.queue import ClaimedRow, RowQueue
from socialgate.core.rows import build_row_reader

_IS_DUE = sa.text("due_at IS NOT NULL")
# Longer than any platform retries, and than a request is kept for replay.
_FACT_RETENTION = timedelta(days=15)

# Not owned by anybody: several owners may have connected the same account, and those concerned are found later.
inbound = sa.Table(
    "inbound",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("platform", sa.String(20), nullable=False),
    sa.Column("routing_id", sa.String(64)),
    # The request as received: an InboundRequest in JSON.
    sa.Column("request", sa.LargeBinary, nullable=False),
    sa.Column("received_at", UtcDateTime, nullable=False),
    # When a worker should take it; null once it is done or given up.
    sa.Column("due_at", UtcDateTime),
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    sa.Column("error", sa.String(500)),
    sa.Column("claim_id", Id),
    sa.Column("claim_until", UtcDateTime),
    # How many of its facts are processed. One with many facts is processed in several transactions.
    sa.Column("position", sa.Integer, nullable=False, server_default="0"),
    sa.Index(
        "ix_inbound_sender",
        "platform",
        "routing_id",
        "due_at",
        "id",
        postgresql_where=_IS_DUE,
        sqlite_where=_IS_DUE,
    ),
    sa.Index("ix_inbound_due_at", "due_at", "id", postgresql_where=_IS_DUE, sqlite_where=_IS_DUE),
    postgresql_partition_by="RANGE (id)",
)

# What was processed. Platforms send the same fact twice, in different requests and days later.
inbound_facts = sa.Table(
    "inbound_facts",
    metadata,
    sa.Column("platform", sa.String(20), primary_key=True),
    sa.Column("key", sa.String(300), primary_key=True),
    sa.Column("seen_at", UtcDateTime, nullable=False),
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
    def decoded_request(self) -> WebhookRequest:
        """The request as received."""
        return msgspec.json.decode(self.request, type=WebhookRequest)


read_inbound = build_row_reader(InboundRow, inbound)
# Pending requests. Each claim counts as an attempt, so that a request that kills its worker is also given up.
INBOUND_QUEUE = RowQueue(inbound, read_inbound, key=("id",), tries_column="tries")


class WebhookSender(NamedTuple):
    """Who sent a request: a webhook URL, and the customer whose accounts use it.

    A URL whose accounts are gone counts as a customer of its own. None: a platform that sends for everybody.
    """

    customer: str | None
    platform: str
    routing_id: str | None


class DueRequest(NamedTuple):
    """A claimed request and its sender."""

    sender: WebhookSender
    claimed: ClaimedRow[InboundRow]


def _select_customers() -> sa.Select[Any]:
    """Who uses the webhook URLs of requests that are due."""
    due = INBOUND_QUEUE.is_due(sa.bindparam("now", type_=UtcDateTime))
    urls = sa.select(inbound.c.platform, inbound.c.routing_id).where(due, inbound.c.routing_id.is_not(None)).distinct()
    url = urls.subquery()
    same_url = sa.and_(registrations.c.platform == url.c.platform, registrations.c.routing_id == url.c.routing_id)
    same_key = sa.and_(
        accounts.c.platform == registrations.c.platform, accounts.c.inbound_key == registrations.c.inbound_key
    )
    select = sa.select(url.c.platform, url.c.routing_id, sa.func.min(accounts.c.owner_id).label("owner_id"))
    select = select.join_from(url, registrations, same_url).join(accounts, same_key)
    return select.group_by(url.c.platform, url.c.routing_id)


def _select_in_turns() -> sa.Select[Any]:
    """The requests that are due, in turns: the first of each customer, then the second of each, and so on.

    The webhook URLs of a customer take turns among themselves. A request that was begun comes first at its URL, which
    keeps messages in order, but after those of others that have been due for longer.
    """
    due, owners = INBOUND_QUEUE.is_due(sa.bindparam("now", type_=UtcDateTime)), _select_customers().subquery()
    arrival = [inbound.c.position == 0, inbound.c.due_at, inbound.c.id]
    at_url = sa.func.row_number().over(partition_by=[inbound.c.platform, inbound.c.routing_id], order_by=arrival)
    same_url = sa.and_(owners.c.platform == inbound.c.platform, owners.c.routing_id == inbound.c.routing_id)
    customer = sa.func.coalesce(owners.c.owner_id, inbound.c.routing_id).label("customer")
    queued = sa.select(inbound.c.id, inbound.c.platform, inbound.c.due_at, customer, at_url.label("at_url"))
    subquery = queued.outerjoin(owners, same_url).where(due).subquery()
    # Platforms that send for everybody take turns with the customers.
    share = [subquery.c.customer, sa.case((subquery.c.customer.is_(None), subquery.c.platform))]
    turn = (
        sa.func.row_number()
        .over(partition_by=share, order_by=[subquery.c.at_url, subquery.c.due_at, subquery.c.id])
        .label("turn")
    )
    ranked = sa.select(subquery.c.id, subquery.c.customer, turn).subquery()
    size = sa.func.length(inbound.c.request).label("size")
    select = sa.select(inbound.c.id, inbound.c.platform, inbound.c.routing_id, ranked.c.customer, size)
    has_turn = sa.or_(ranked.c.customer.is_(None), ranked.c.turn <= sa.bindparam("most_of_customer", type_=sa.Integer))
    select = select.join(ranked, ranked.c.id == inbound.c.id).where(due, has_turn)
    select = select.order_by(ranked.c.turn, inbound.c.due_at, inbound.c.id)
    return select.limit(sa.bindparam("most", type_=sa.Integer)).with_for_update(skip_locked=True, of=inbound)


_SELECT_IN_TURNS = _select_in_turns()
_SELECT_BY_IDS = sa.select(inbound).where(inbound.c.id.in_(sa.bindparam("ids", expanding=True))).order_by(inbound.c.id)


async def claim_due_requests(
    tx: Tx, most: int, most_bytes: int, most_of_customer: int | None = None
) -> list[DueRequest]:
    """Claim due requests, the same number of each customer as far as there are so many, in the order of their arrival.

    Many large requests would fill the memory: they are claimed up to a number of bytes, and one beyond it. Those that
    do not fit are left out, with what their sender sent after them, but nobody else is.
    """
    senders: dict[str, WebhookSender] = {}
    left_out: set[WebhookSender] = set()
    has_large = False
    values = {"now": tx.now, "most": most, "most_of_customer": most_of_customer or most}
    for row in await tx.all(_SELECT_IN_TURNS, values):
        sender = WebhookSender(row.customer, row.platform, row.routing_id)
        if sender in left_out:
            continue
        if row.size <= most_bytes:
            most_bytes -= row.size
        elif not has_large:
            has_large = True
        else:
            left_out.add(sender)
            continue
        senders[row.id] = sender
    if not senders:
        return []
    claims = await INBOUND_QUEUE.claim_rows(tx, await tx.all(_SELECT_BY_IDS, {"ids": list(senders)}))
    return [DueRequest(senders[claimed.row.id], claimed) for claimed in claims]


_SELECT_WAITING_OF_SENDER = (
    sa.select(sa.func.length(inbound.c.request).label("size"))
    .where(
        inbound.c.platform == sa.bindparam("platform"),
        inbound.c.routing_id == sa.bindparam("routing_id"),
        inbound.c.due_at.is_not(None),
    )
    .limit(sa.bindparam("most", type_=sa.Integer))
    .subquery()
)
_SELECT_WAITING_TOTAL = sa.select(
    sa.func.count().label("requests"), sa.func.coalesce(sa.func.sum(_SELECT_WAITING_OF_SENDER.c.size), 0).label("size")
)


async def count_waiting_requests(tx: Tx, platform: str, routing_id: str, most: int) -> tuple[int, int]:
    """Count the requests of a webhook URL that wait, and their bytes. Counting ends at `most`."""
    row = await tx.one(_SELECT_WAITING_TOTAL, {"platform": platform, "routing_id": routing_id, "most": most})
    return row.requests, int(row.size)


class NewInboundRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A verified request, about to be stored."""

    id: str
    platform: str
    routing_id: str | None
    request: bytes
    received_at: datetime


async def insert_inbound_requests(tx: Tx, arrived: Sequence[NewInboundRequest]) -> None:
    rows = [{**msgspec.structs.asdict(new_inbound), "due_at": new_inbound.received_at} for new_inbound in arrived]
    await tx.execute(sa.insert(inbound), rows)


async def insert_new_facts(tx: Tx, facts: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Record facts by platform and key, and return those that are new."""
    if not facts:
        return set()
    # In the same order everywhere: two workers with the same facts must not wait for each other.
    values = [{"platform": platform, "key": key, "seen_at": tx.now} for platform, key in sorted(set(facts))]
    kept = await tx.all(
        tx.build_insert_if_absent(inbound_facts).returning(inbound_facts.c.platform, inbound_facts.c.key), values
    )
    return {(row.platform, row.key) for row in kept}


async def requeue_since(tx: Tx, since: datetime, platform: str | None) -> int:
    """Make all requests since a time due again. Facts that were processed stay so."""
    statement = sa.update(inbound).where(inbound.c.received_at >= since, inbound.c.due_at.is_(None))
    if platform is not None:
        statement = statement.where(inbound.c.platform == platform)
    return await tx.execute_and_count(
        statement.values(due_at=tx.now, tries=0, position=0, error=None, **INBOUND_QUEUE.unclaimed_values)
    )


async def purge_facts(tx: Tx, now: datetime) -> int:
    return await tx.execute_and_count(sa.delete(inbound_facts).where(inbound_facts.c.seen_at < now - _FACT_RETENTION))
