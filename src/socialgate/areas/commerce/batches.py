"""Processing a batch chunk by chunk: each is sent and waited for, and its results are stored row by row.

    taken    the rows of the next chunk are marked in the same transaction as the step, so they survive a crash
    sent     the platform has them; a crash before this is stored sends the same chunk again, which is harmless:
             every change describes the state that its product should have
    done     the platform has processed them; rejected rows are stored with their reasons

At most one chunk of a batch is in memory, and at most one is being processed by the platform.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import msgspec
import structlog

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.commerce import store
from socialgate.areas.commerce.batch_schemas import BatchResult
from socialgate.areas.commerce.changes import LACKS, NOT_TAKEN, has_landed
from socialgate.areas.commerce.reasons import RowFailure, failure, failures_of, names_in
from socialgate.areas.commerce.tables import BatchRow, ProductRow, RowStatus
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.commerce import MOST_FOUND, PRODUCTS, Checked, Method, Product, Products, RowFault
from socialgate.contracts.failures import Duplicate, NeedsReconnection, NotSupported, PlatformNotFound, Rejected
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.jobs import Cancelled, JobType, Run
from socialgate.core.jobs.table import JobRow
from socialgate.core.parts import Parts
from socialgate.core.restores import HoldKind

BATCH = "products.batch"
UNIT = "products"
# TikTok accepts one request at a time for a catalog, and rejects a second.
_AT_ONCE = 1
# With the backoff between them, a batch survives an outage of three hours.
_MOST_TRIES = 24
_FIRST_WAIT, _LONGEST_WAIT, _SLOWER = 0.3, 5.0, 1.5
# If a platform has not processed a chunk by then, it will no longer report a result.
_PATIENCE = timedelta(hours=2)
# Failed rows beyond this number are only listed by the route for rows.
MOST_SHOWN = 1000
_UNNAMED = "The platform rejected some products of this batch without naming them, and does not have this one."
_SILENT = "The platform accepted it, but did not report a result. Check the catalog."
_REFUSALS = (Rejected, Duplicate, NotSupported, PlatformNotFound)

log = structlog.get_logger(__name__)


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a batch. `number` is that of the chunk, 0 before the first; `method` is None between chunks.

    `handle` is the platform's id of the chunk, `since` when it accepted it. `done` counts the rows with a known result.
    """

    number: int = 0
    method: Method | None = None
    handle: str | None = None
    since: datetime | None = None
    done: int = 0


class BatchWork:
    def __init__(self, db: Database, session: AccountSession) -> None:
        self._db = db
        self._session = session

    async def run(self, run: Run) -> None:
        batch = await self._db.read(store.find_batch, run.owner_id, run.input["batchId"])
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        if batch is None:
            raise Cancelled
        if account is None:
            raise NeedsReconnection("The ad account was disconnected in the meantime.", platform=run.input["platform"])
        part = self._session.part(account, PRODUCTS, LACKS)
        await _Progress(self._db, self._session, run, batch, account, part).to_the_end()


class _Progress:
    """One run of a batch, starting from its last step."""

    def __init__(
        self, db: Database, session: AccountSession, run: Run, batch: BatchRow, account: AccountRow, part: Products
    ) -> None:
        self._db = db
        self._session = session
        self._run = run
        self._batch = batch
        self._account = account
        self._part = part
        self._of = (batch.owner_id, batch.id)

    async def to_the_end(self) -> None:
        chunk = await self._begun()
        while True:
            if chunk.method is None:
                method = await self._db.read(store.first_pending, *self._of)
                if method is None:
                    break
                chunk = msgspec.structs.replace(chunk, number=chunk.number + 1, method=method)
                taken = partial(self._take, chunk)
                rows = await self._step(taken, chunk)
            else:
                rows = await self._db.read(store.rows_of_chunk, *self._of, chunk.number)
            chunk = await self._work_off(chunk, rows)
        await self._run.finish(outcome, self._batch)

    async def _begun(self) -> Chunk:
        """Return the progress of the batch: its last step, or its start, where invalid rows already count as done."""
        if self._run.state is not None:
            return msgspec.convert(self._run.state, Chunk)
        known = await self._db.read(store.counts, *self._of)
        chunk = Chunk(done=known.get(RowStatus.FAILED, 0))
        await self._step(_nothing, chunk)
        return chunk

    async def _work_off(self, chunk: Chunk, rows: Sequence[ProductRow]) -> Chunk:
        """Send a chunk unless the platform already has it, wait for it, and return the new progress of the batch."""
        method = Method(chunk.method or Method.UPSERT)
        if chunk.handle is None and rows:
            changes = [msgspec.convert(row.product, Product) for row in rows]
            try:
                sent = await self._call(lambda held: self._part.submit(held, self._catalog, method, changes))
            except _REFUSALS as refusal:
                return await self._end(chunk, len(rows), RowStatus.FAILED, failure(refusal.code, refusal.detail))
            refused = _reasons(rows, sent.refused)
            left = [row for row in rows if row.number not in refused]
            after = msgspec.structs.replace(
                chunk, handle=sent.handle, since=self._db.clock.now(), done=chunk.done + len(rows) - len(left)
            )
            await self._step(partial(self._fail, refused), after)
            chunk, rows = after, left
        if chunk.handle is None:
            return await self._end(chunk, len(rows), RowStatus.FAILED, failure("platform_rejected", NOT_TAKEN))
        checked = await self._final(chunk)
        if checked is None:
            return await self._end(chunk, len(rows), RowStatus.UNCONFIRMED, failure("outcome_unknown", _SILENT))
        if checked.failed is not None:
            return await self._end(chunk, len(rows), RowStatus.FAILED, failure("platform_rejected", checked.failed))
        wrong = await self._refused(method, rows, checked)
        return await self._end(chunk, len(rows), RowStatus.SUCCEEDED, None, wrong)

    async def _final(self, chunk: Chunk) -> Checked | None:
        """Wait until the platform has processed a chunk; None if it takes too long, or no longer knows the chunk."""
        handle, wait = chunk.handle or "", _FIRST_WAIT
        while True:
            try:
                checked: Checked = await self._call(lambda held: self._part.check(held, self._catalog, handle))
            except _REFUSALS as refusal:
                log.warning("batch_result_lost", platform=self._account.platform, detail=refusal.detail)
                return None
            if checked.done:
                return checked
            if chunk.since is not None and self._db.clock.now() - chunk.since > _PATIENCE:
                return None
            # A step, so that the task can be cancelled and the process stopped while it waits.
            await self._step(_nothing, chunk)
            await asyncio.sleep(wait)
            wait = min(wait * _SLOWER, _LONGEST_WAIT)

    async def _refused(self, method: Method, rows: Sequence[ProductRow], checked: Checked) -> Mapping[int, RowFailure]:
        """Return the rows that were rejected. If the platform does not name them, look at its products.

        A product that does not exist counts as deleted: this batch may have deleted it before a crash.
        """
        refused = dict(_reasons(rows, checked.refused))
        if method is Method.DELETE:
            doubtful = [row for row in rows if row.number in refused or checked.unnamed]
            there = await self._found(doubtful)
            gone = {row.number for row in doubtful if row.retailer_id not in there}
            unnamed = {row.number: failure("platform_rejected", _UNNAMED) for row in doubtful}
            return {number: error for number, error in {**unnamed, **refused}.items() if number not in gone}
        if checked.unnamed:
            doubtful = [row for row in rows if row.number not in refused]
            there = await self._found(doubtful)
            for row in doubtful:
                item = there.get(row.retailer_id)
                if item is None or not has_landed(item, msgspec.convert(row.product, Product)):
                    refused[row.number] = failure("platform_rejected", _UNNAMED)
        return refused

    async def _found(self, rows: Sequence[ProductRow]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for start in range(0, len(rows), MOST_FOUND):
            names = [row.retailer_id for row in rows[start : start + MOST_FOUND]]
            items = await self._call(lambda held, names=names: self._part.find(held, self._catalog, names))
            found |= {item.product.retailer_id: item for item in items}
        return found

    async def _end(
        self,
        chunk: Chunk,
        rows: int,
        status: RowStatus,
        error: RowFailure | None = None,
        refused: Mapping[int, RowFailure] | None = None,
    ) -> Chunk:
        after = Chunk(number=chunk.number, done=chunk.done + rows)

        async def end(tx: Tx) -> None:
            await store.fail_rows(tx, *self._of, refused or {})
            await store.end_chunk(tx, *self._of, chunk.number, status, error)

        await self._step(end, after)
        return after

    async def _take(self, chunk: Chunk, tx: Tx) -> list[ProductRow]:
        assert chunk.method is not None, "a chunk to take has a method"
        return await store.take_chunk(tx, *self._of, chunk.number, chunk.method, self._part.limits)

    async def _fail(self, refused: Mapping[int, RowFailure], tx: Tx) -> None:
        await store.fail_rows(tx, *self._of, refused)

    async def _step(self, work: Any, chunk: Chunk) -> Any:
        return await self._run.step_with(work, chunk, done=chunk.done, total=self._batch.row_count, unit=UNIT)

    async def _call(self, call: Any) -> Any:
        return await self._session.call_as(self._account, call)

    @property
    def _catalog(self) -> str:
        return self._batch.catalog_id


async def outcome(tx: Tx, batch: BatchRow) -> Mapping[str, Any]:
    """Summarize a batch: the number of rows by result, and the first rows that did not succeed."""
    known = await store.counts(tx, batch.owner_id, batch.id)
    wrong = {RowStatus.FAILED, RowStatus.UNCONFIRMED}
    rows = await store.page(tx, batch.owner_id, batch.id, wrong, 0, MOST_SHOWN)
    sentences = await store.sentences(tx, batch.owner_id, batch.id, names_in(rows))
    errors = [
        {"row": row.number, "retailerId": row.retailer_id, "status": row.status, **msgspec.structs.asdict(one)}
        for row in rows[:MOST_SHOWN]
        for one in failures_of(row, sentences)
    ]
    return {
        "catalogId": batch.catalog_id,
        "rows": batch.row_count,
        "succeeded": known.get(RowStatus.SUCCEEDED, 0),
        "failed": known.get(RowStatus.FAILED, 0),
        "unconfirmed": known.get(RowStatus.UNCONFIRMED, 0),
        "errors": errors[:MOST_SHOWN],
        "truncated": len(rows) > MOST_SHOWN or len(errors) > MOST_SHOWN,
    }


def _reasons(rows: Sequence[ProductRow], refused: Sequence[RowFault]) -> dict[int, RowFailure]:
    """Find our rows by the ids that the platform reports."""
    numbers = {row.retailer_id: row.number for row in rows}
    found: dict[int, RowFailure] = {}
    for one in refused:
        if one.retailer_id in numbers:
            found.setdefault(numbers[one.retailer_id], failure("platform_rejected", one.detail))
    return found


async def _nothing(tx: Tx) -> None:
    del tx


async def _given_up(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
    shown = failure(str(error["code"]), str(error["detail"]))
    await store.abandon(tx, job.owner_id, job.input["batchId"], shown)


def batching(parts: Parts) -> JobType:
    """`BatchWork` is built when the first job runs: the service that queues jobs also reads their results."""

    async def run(run: Run) -> None:
        await parts.get(BatchWork).run(run)

    return JobType(
        name=BATCH,
        run=run,
        per_owner=_AT_ONCE,
        most_tries=_MOST_TRIES,
        given_up=_given_up,
        result=BatchResult,
        hold_kind=HoldKind.TASKS,
    )
