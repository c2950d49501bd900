"""Product batches and their rows. Every finder takes the owner first."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from socialgate.areas.accounts.tables import accounts, read_account
from socialgate.areas.commerce.reasons import (
    MAX_ERROR_SENTENCES_PER_BATCH,
    RowFailure,
    encode_row_failures,
    hash_sentence,
)
from socialgate.areas.commerce.tables import (
    ProductBatchItemRow,
    ProductBatchItemStatus,
    ProductBatchRow,
    product_batches,
    product_rows,
    product_sentences,
    read_product_batch,
    read_product_batch_item,
)
from socialgate.contracts.accounts import AccountRow, AccountStatus
from socialgate.contracts.commerce import ChunkLimits, ProductChangeMethod
from socialgate.contracts.platforms import Kind
from socialgate.core.db import Tx
from socialgate.core.jobs.job_store import jobs

# The task of a batch that is being deleted. None has this id, so whatever is left over is purged.
_DROPPED_MARKER = "dropped"
# How long rows are kept if the request ended before all of them arrived.
_UNQUEUED_RETENTION = timedelta(days=1)
# SQLite accepts no more values than this in one statement, PostgreSQL only a few more.
_PURGE_BATCH_SIZE = 500
# As many rows as are deleted at once, because SQLite has one writer at a time; and about as many as one purge deletes.
_MAX_ROWS_PER_DELETION = 5_000
_MAX_ROWS_PER_PURGE = 100_000

_row_columns = product_rows.c
sentence_columns = product_sentences.c


class StoredBatch(NamedTuple):
    """How many rows a batch has, and whether they still wait: to arrive, or to be sent."""

    id: str
    rows: int
    waits: bool


async def list_accounts_of_kinds(
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
    return await tx.all_as(statement.order_by(accounts.c.id).limit(most), read_account)


async def insert_batch(tx: Tx, owner_id: str, values: Mapping[str, Any]) -> None:
    await tx.execute(sa.insert(product_batches).values(owner_id=owner_id, created_at=tx.now, **values))


async def insert_batch_rows(
    tx: Tx, owner_id: str, batch_id: str, rows: Sequence[tuple[Mapping[str, Any], Sequence[RowFailure]]]
) -> None:
    """Store rows that arrived, each with its errors. They are counted at once, not when all have arrived."""
    if not rows:
        return
    stored = await _save_sentences(tx, owner_id, batch_id, [failure for _, failures in rows for failure in failures])
    values = [{**row, "reasons": encode_row_failures(failures, stored) or None} for row, failures in rows]
    await tx.execute(sa.insert(product_rows), values)
    count = product_batches.c.row_count + len(rows)
    await tx.execute(sa.update(product_batches).where(_matches_batch(owner_id, batch_id)).values(row_count=count))


async def _save_sentences(tx: Tx, owner_id: str, batch_id: str, failures: Iterable[RowFailure]) -> dict[str, str]:
    """Store sentences that are new to a batch, as long as there is room. Returns the names of those that are stored."""
    values = {hash_sentence(detail): detail for detail in {failure.detail for failure in failures}}
    if not values:
        return {}
    here = sentence_columns.owner_id == owner_id, sentence_columns.batch_id == batch_id
    known = {row.name for row in await tx.all(sa.select(sentence_columns.name).where(*here))}
    new = [name for name in values if name not in known][: max(0, MAX_ERROR_SENTENCES_PER_BATCH - len(known))]
    rows = [{"owner_id": owner_id, "batch_id": batch_id, "name": name, "sentence": values[name]} for name in new]
    if rows:
        await tx.execute(tx.build_insert_if_absent(product_sentences), rows)
    return {detail: name for name, detail in values.items() if name in known or name in new}


async def find_error_sentences(tx: Tx, owner_id: str, batch_id: str, names: Collection[str]) -> dict[str, str]:
    """Return sentences of a batch, by name."""
    if not names:
        return {}
    here = sentence_columns.owner_id == owner_id, sentence_columns.batch_id == batch_id
    result = await tx.all(sa.select(sentence_columns.name, sentence_columns.sentence).where(*here))
    return {row.name: row.sentence for row in result if row.name in names}


async def list_stored_batches(tx: Tx, owner_id: str) -> list[StoredBatch]:
    """List all batches of an owner, the oldest first."""
    batches = product_batches.c
    of_task = sa.and_(jobs.c.owner_id == batches.owner_id, jobs.c.id == batches.task_id)
    statement = sa.select(
        batches.id, batches.row_count, batches.task_id, jobs.c.id.label("job_id"), jobs.c.finished_at
    ).select_from(product_batches.outerjoin(jobs, of_task))
    result = await tx.all(statement.where(batches.owner_id == owner_id).order_by(batches.created_at, batches.id))
    return [
        StoredBatch(row.id, row.row_count, row.task_id is None or (row.job_id is not None and row.finished_at is None))
        for row in result
    ]


async def queue_batch(tx: Tx, owner_id: str, batch_id: str, task_id: str, count: int) -> bool:
    """Set the task of a batch whose rows have all arrived. False if it was dropped in the meantime."""
    statement = sa.update(product_batches).where(
        _matches_batch(owner_id, batch_id), product_batches.c.task_id.is_(None)
    )
    return await tx.execute_and_count(statement.values(task_id=task_id, row_count=count)) == 1


async def mark_unqueued_batch_dropped(tx: Tx, owner_id: str, batch_id: str) -> bool:
    """Mark a batch without a task for deletion. One that is being queued right now stays: both write to its row."""
    statement = sa.update(product_batches).where(
        _matches_batch(owner_id, batch_id), product_batches.c.task_id.is_(None)
    )
    return await tx.execute_and_count(statement.values(task_id=_DROPPED_MARKER)) == 1


async def mark_batch_dropped(tx: Tx, owner_id: str, batch_id: str) -> None:
    """Mark a batch for deletion, so that nobody reads it while its rows disappear."""
    await tx.execute(
        sa.update(product_batches).where(_matches_batch(owner_id, batch_id)).values(task_id=_DROPPED_MARKER)
    )


async def delete_some_batch_rows(tx: Tx, owner_id: str, batch_id: str) -> bool:
    """Delete some rows of a batch, and the batch with the last of them. Returns False once all is gone."""
    numbers = sa.select(_row_columns.number).where(_is_in_batch(owner_id, batch_id)).order_by(_row_columns.number)
    last = await tx.scalar(numbers.offset(_MAX_ROWS_PER_DELETION - 1).limit(1))
    if last is not None:
        await tx.execute(sa.delete(product_rows).where(_is_in_batch(owner_id, batch_id), _row_columns.number <= last))
        return True
    await tx.execute(sa.delete(product_rows).where(_is_in_batch(owner_id, batch_id)))
    await tx.execute(
        sa.delete(product_sentences).where(sentence_columns.owner_id == owner_id, sentence_columns.batch_id == batch_id)
    )
    await tx.execute(sa.delete(product_batches).where(_matches_batch(owner_id, batch_id)))
    return False


async def find_batch(tx: Tx, owner_id: str, batch_id: str) -> ProductBatchRow | None:
    return await tx.first_as(sa.select(product_batches).where(_matches_batch(owner_id, batch_id)), read_product_batch)


async def find_batch_by_task(tx: Tx, owner_id: str, task_id: str) -> ProductBatchRow | None:
    statement = sa.select(product_batches).where(
        product_batches.c.owner_id == owner_id, product_batches.c.task_id == task_id
    )
    return await tx.first_as(statement, read_product_batch)


async def find_first_pending_method(tx: Tx, owner_id: str, batch_id: str) -> ProductChangeMethod | None:
    """Return the method of the first row that was not sent yet; None if all were."""
    statement = sa.select(_row_columns.method).where(
        _is_in_batch(owner_id, batch_id), _row_columns.status == ProductBatchItemStatus.PENDING
    )
    row = await tx.first(statement.order_by(_row_columns.number).limit(1))
    return None if row is None else ProductChangeMethod(row.method)


async def mark_next_chunk_sent(
    tx: Tx, owner_id: str, batch_id: str, chunk: int, method: ProductChangeMethod, limits: ChunkLimits
) -> list[ProductBatchItemRow]:
    """Mark the next rows of one method as sent, as many as fit into one chunk, and return them."""
    waiting = sa.and_(
        _is_in_batch(owner_id, batch_id),
        _row_columns.status == ProductBatchItemStatus.PENDING,
        _row_columns.method == method,
    )
    sized = (
        sa.select(_row_columns.number, _row_columns.bytes)
        .where(waiting)
        .order_by(_row_columns.number)
        .limit(limits.max_changes_by_method[method])
    )
    last, room = 0, limits.max_bytes
    for row in await tx.all(sized):
        room -= row.bytes
        if room < 0 and last:
            break
        last = row.number
    taken = sa.update(product_rows).where(waiting, _row_columns.number <= last)
    await tx.execute(taken.values(status=ProductBatchItemStatus.SENT, chunk=chunk))
    return await list_chunk_rows(tx, owner_id, batch_id, chunk)


async def list_chunk_rows(tx: Tx, owner_id: str, batch_id: str, chunk: int) -> list[ProductBatchItemRow]:
    """Return the rows of a chunk that have no result yet."""
    statement = sa.select(product_rows).where(
        _is_in_batch(owner_id, batch_id),
        _row_columns.status == ProductBatchItemStatus.SENT,
        _row_columns.chunk == chunk,
    )
    return await tx.all_as(statement.order_by(_row_columns.number), read_product_batch_item)


async def fail_rows(tx: Tx, owner_id: str, batch_id: str, failures: Mapping[int, RowFailure]) -> None:
    """Store why rows failed, by row number."""
    if not failures:
        return
    stored = await _save_sentences(tx, owner_id, batch_id, failures.values())
    statement = sa.update(product_rows).where(
        _is_in_batch(owner_id, batch_id), _row_columns.number == sa.bindparam("of_number")
    )
    values = {
        "status": ProductBatchItemStatus.FAILED,
        "reasons": sa.bindparam("of_reasons", type_=_row_columns.reasons.type),
        "product": None,
    }
    params = [
        {"of_number": number, "of_reasons": encode_row_failures([failure], stored)}
        for number, failure in failures.items()
    ]
    await tx.execute(statement.values(**values), params)


async def set_chunk_result(
    tx: Tx, owner_id: str, batch_id: str, chunk: int, status: ProductBatchItemStatus, failure: RowFailure | None = None
) -> None:
    """Set the same result for all rows of a chunk that have none yet."""
    where = (
        _is_in_batch(owner_id, batch_id),
        _row_columns.status == ProductBatchItemStatus.SENT,
        _row_columns.chunk == chunk,
    )
    failures = [] if failure is None else [failure]
    reasons = encode_row_failures(failures, await _save_sentences(tx, owner_id, batch_id, failures)) or None
    await tx.execute(sa.update(product_rows).where(*where).values(status=status, product=None, reasons=reasons))


async def fail_batch(tx: Tx, owner_id: str, batch_id: str, failure: RowFailure) -> None:
    """Record that a batch was given up: sent rows may have arrived, the rest was not sent."""
    reasons = encode_row_failures([failure], await _save_sentences(tx, owner_id, batch_id, [failure]))
    for before, after in (
        (ProductBatchItemStatus.SENT, ProductBatchItemStatus.UNCONFIRMED),
        (ProductBatchItemStatus.PENDING, ProductBatchItemStatus.FAILED),
    ):
        statement = sa.update(product_rows).where(_is_in_batch(owner_id, batch_id), _row_columns.status == before)
        await tx.execute(statement.values(status=after, product=None, reasons=reasons))


async def count_batch_rows_by_status(tx: Tx, owner_id: str, batch_id: str) -> dict[ProductBatchItemStatus, int]:
    statement = sa.select(_row_columns.status, sa.func.count().label("number")).where(_is_in_batch(owner_id, batch_id))
    result = await tx.all(statement.group_by(_row_columns.status))
    return {ProductBatchItemStatus(row.status): row.number for row in result}


async def list_batch_rows(
    tx: Tx, owner_id: str, batch_id: str, statuses: Collection[ProductBatchItemStatus], after: int, limit: int
) -> list[ProductBatchItemRow]:
    """List rows in order, with one more than requested if there is another page."""
    statement = sa.select(product_rows).where(_is_in_batch(owner_id, batch_id), _row_columns.number > after)
    if statuses:
        statement = statement.where(_row_columns.status.in_(sorted(statuses)))
    return await tx.all_as(statement.order_by(_row_columns.number).limit(limit + 1), read_product_batch_item)


async def purge_batches(tx: Tx, now: datetime) -> int:
    """Delete batches whose task was deleted, and those that never became a task. The rest waits for the next purge."""
    gone = sa.select(product_batches).where(
        product_batches.c.created_at < now - _UNQUEUED_RETENTION,
        ~sa.exists().where(jobs.c.owner_id == product_batches.c.owner_id, jobs.c.id == product_batches.c.task_id),
    )
    removed, room = 0, _MAX_ROWS_PER_PURGE
    for batch in await tx.all_as(gone.limit(_PURGE_BATCH_SIZE), read_product_batch):
        if room > 0:
            while await delete_some_batch_rows(tx, batch.owner_id, batch.id):
                continue
            removed, room = removed + 1, room - batch.row_count
    return removed


def _matches_batch(owner_id: str, batch_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(product_batches.c.owner_id == owner_id, product_batches.c.id == batch_id)


def _is_in_batch(owner_id: str, batch_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(_row_columns.owner_id == owner_id, _row_columns.batch_id == batch_id)
