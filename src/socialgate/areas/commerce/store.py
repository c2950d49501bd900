"""Product batches and their rows. Every finder takes the owner first."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from socialgate.areas.accounts.tables import accounts, read_account
from socialgate.areas.commerce.tables import (
    BatchRow,
    ProductRow,
    RowStatus,
    product_batches,
    product_rows,
    read_batch,
    read_row,
)
from socialgate.contracts.accounts import AccountRow, AccountStatus
from socialgate.contracts.commerce import ChunkLimits, Method
from socialgate.contracts.platforms import Kind
from socialgate.core.db import Tx
from socialgate.core.jobs.table import jobs

# How long rows are kept if the request ended before all of them arrived.
_UNFINISHED = timedelta(days=1)
# SQLite accepts no more values than this in one statement, PostgreSQL only a few more.
_AT_ONCE = 500

Rows = product_rows.c


async def able_accounts(
    tx: Tx, owner_id: str, profiles: Collection[str] | None, kinds: Collection[Kind], most: int
) -> list[AccountRow]:
    """List the connected accounts of some kinds, in these profiles or in all."""
    statement = sa.select(accounts).where(
        accounts.c.owner_id == owner_id,
        accounts.c.kind.in_(sorted(kinds)),
        accounts.c.status == AccountStatus.CONNECTED,
    )
    if profiles is not None:
        statement = statement.where(accounts.c.profile_id.in_(sorted(profiles)))
    return await tx.rows(statement.order_by(accounts.c.id).limit(most), read_account)


async def insert_batch(tx: Tx, owner_id: str, values: Mapping[str, Any]) -> None:
    await tx.execute(sa.insert(product_batches).values(owner_id=owner_id, created_at=tx.now, **values))


async def insert_rows(tx: Tx, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        await tx.execute(sa.insert(product_rows), [dict(row) for row in rows])


async def queue_batch(tx: Tx, owner_id: str, batch_id: str, task_id: str, count: int) -> bool:
    """Set the task of a batch whose rows have all arrived. False if it was dropped in the meantime."""
    statement = sa.update(product_batches).where(_batch(owner_id, batch_id))
    return await tx.changed(statement.values(task_id=task_id, row_count=count)) == 1


async def drop_unqueued(tx: Tx, owner_id: str, batch_id: str) -> None:
    """Delete a batch without a task. One that is being queued right now stays: both write to its row."""
    unqueued = sa.delete(product_batches).where(_batch(owner_id, batch_id), product_batches.c.task_id.is_(None))
    if await tx.changed(unqueued):
        await _drop_rows(tx, owner_id, batch_id)


async def _drop_rows(tx: Tx, owner_id: str, batch_id: str) -> None:
    await tx.execute(sa.delete(product_rows).where(_of(owner_id, batch_id)))


async def find_batch(tx: Tx, owner_id: str, batch_id: str) -> BatchRow | None:
    return await tx.row(sa.select(product_batches).where(_batch(owner_id, batch_id)), read_batch)


async def batch_of_task(tx: Tx, owner_id: str, task_id: str) -> BatchRow | None:
    statement = sa.select(product_batches).where(
        product_batches.c.owner_id == owner_id, product_batches.c.task_id == task_id
    )
    return await tx.row(statement, read_batch)


async def first_pending(tx: Tx, owner_id: str, batch_id: str) -> Method | None:
    """Return the method of the first row that was not sent yet; None if all were."""
    statement = sa.select(Rows.method).where(_of(owner_id, batch_id), Rows.status == RowStatus.PENDING)
    row = await tx.first(statement.order_by(Rows.number).limit(1))
    return None if row is None else Method(row.method)


async def take_chunk(
    tx: Tx, owner_id: str, batch_id: str, chunk: int, method: Method, limits: ChunkLimits
) -> list[ProductRow]:
    """Mark the next rows of one method as sent, as many as fit into one chunk, and return them."""
    waiting = sa.and_(_of(owner_id, batch_id), Rows.status == RowStatus.PENDING, Rows.method == method)
    sized = sa.select(Rows.number, Rows.bytes).where(waiting).order_by(Rows.number).limit(limits.rows[method])
    last, room = 0, limits.most_bytes
    for row in await tx.all(sized):
        room -= row.bytes
        if room < 0 and last:
            break
        last = row.number
    taken = sa.update(product_rows).where(waiting, Rows.number <= last)
    await tx.execute(taken.values(status=RowStatus.SENT, chunk=chunk))
    return await rows_of_chunk(tx, owner_id, batch_id, chunk)


async def rows_of_chunk(tx: Tx, owner_id: str, batch_id: str, chunk: int) -> list[ProductRow]:
    """Return the rows of a chunk that have no result yet."""
    statement = sa.select(product_rows).where(
        _of(owner_id, batch_id), Rows.status == RowStatus.SENT, Rows.chunk == chunk
    )
    return await tx.rows(statement.order_by(Rows.number), read_row)


async def fail_rows(tx: Tx, owner_id: str, batch_id: str, reasons: Mapping[int, Mapping[str, Any]]) -> None:
    """Store why rows failed, by row number."""
    if not reasons:
        return
    statement = sa.update(product_rows).where(_of(owner_id, batch_id), Rows.number == sa.bindparam("of_number"))
    values = {"status": RowStatus.FAILED, "errors": sa.bindparam("of_errors", type_=Rows.errors.type), "product": None}
    given = [{"of_number": number, "of_errors": [dict(error)]} for number, error in reasons.items()]
    await tx.execute(statement.values(**values), given)


async def end_chunk(tx: Tx, owner_id: str, batch_id: str, chunk: int, status: RowStatus, error: Any = None) -> None:
    """Set the same result for all rows of a chunk that have none yet."""
    where = (_of(owner_id, batch_id), Rows.status == RowStatus.SENT, Rows.chunk == chunk)
    errors = None if error is None else [dict(error)]
    await tx.execute(sa.update(product_rows).where(*where).values(status=status, product=None, errors=errors))


async def abandon(tx: Tx, owner_id: str, batch_id: str, error: Mapping[str, Any]) -> None:
    """Record that a batch was given up: sent rows may have arrived, the rest was not sent."""
    for before, after in ((RowStatus.SENT, RowStatus.UNCONFIRMED), (RowStatus.PENDING, RowStatus.FAILED)):
        statement = sa.update(product_rows).where(_of(owner_id, batch_id), Rows.status == before)
        await tx.execute(statement.values(status=after, product=None, errors=[dict(error)]))


async def counts(tx: Tx, owner_id: str, batch_id: str) -> dict[RowStatus, int]:
    statement = sa.select(Rows.status, sa.func.count().label("number")).where(_of(owner_id, batch_id))
    found = await tx.all(statement.group_by(Rows.status))
    return {RowStatus(row.status): row.number for row in found}


async def page(
    tx: Tx, owner_id: str, batch_id: str, statuses: Collection[RowStatus], after: int, limit: int
) -> list[ProductRow]:
    """List rows in order, with one more than requested if there is another page."""
    statement = sa.select(product_rows).where(_of(owner_id, batch_id), Rows.number > after)
    if statuses:
        statement = statement.where(Rows.status.in_(sorted(statuses)))
    return await tx.rows(statement.order_by(Rows.number).limit(limit + 1), read_row)


async def purge_batches(tx: Tx, now: datetime) -> int:
    """Delete batches whose task was deleted, and those that never became a task."""
    gone = sa.select(product_batches).where(
        product_batches.c.created_at < now - _UNFINISHED,
        ~sa.exists().where(jobs.c.owner_id == product_batches.c.owner_id, jobs.c.id == product_batches.c.task_id),
    )
    found = await tx.rows(gone.limit(_AT_ONCE), read_batch)
    for batch in found:
        await _drop_rows(tx, batch.owner_id, batch.id)
        await tx.execute(sa.delete(product_batches).where(_batch(batch.owner_id, batch.id)))
    return len(found)


def _batch(owner_id: str, batch_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(product_batches.c.owner_id == owner_id, product_batches.c.id == batch_id)


def _of(owner_id: str, batch_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(Rows.owner_id == owner_id, Rows.batch_id == batch_id)
