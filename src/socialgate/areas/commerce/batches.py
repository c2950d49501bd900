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
from socialgate.areas.commerce.catalog_operations import (
    NO_CATALOGS_PHRASE,
    REJECTED_WITHOUT_REASON_MESSAGE,
    is_product_applied,
)
from socialgate.areas.commerce.reasons import RowFailure, build_row_failure, decode_row_failures, list_sentence_names
from socialgate.areas.commerce.tables import ProductBatchItemRow, ProductBatchItemStatus, ProductBatchRow
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.commerce import (
    MAX_RETAILER_IDS_PER_FIND,
    PRODUCTS_CAPABILITY,
    ChunkResult,
    Product,
    ProductAdapter,
    ProductChangeMethod,
    RejectedChange,
)
from socialgate.contracts.failures import (
    NeedsReconnectionError,
    NotSupportedError,
    PlatformDuplicateError,
    PlatformNotFoundError,
    PlatformRejectedError,
)
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.job_store import JobRow
from socialgate.core.jobs.service import JobCancelled, JobRun, JobType
from socialgate.core.restores import HoldKind
from socialgate.core.service_container import ServiceContainer

PRODUCT_BATCH_JOB = "products.batch"
PROGRESS_UNIT = "products"
# TikTok accepts one request at a time for a catalog, and rejects a second.
_MAX_JOBS_PER_OWNER = 1
# With the backoff between them, a batch survives an outage of three hours.
_MAX_ATTEMPTS = 24
_MIN_POLL_SECONDS, _MAX_POLL_SECONDS, _POLL_BACKOFF_FACTOR = 0.3, 5.0, 1.5
# If a platform has not processed a chunk by then, it will no longer report a result.
_RESULT_TIMEOUT = timedelta(hours=2)
# Failed rows beyond this number are only listed by the route for rows.
MAX_LISTED_ERRORS = 1000
_UNNAMED_REJECTION_MESSAGE = (
    "The platform rejected some products of this batch without naming them, and does not have this one."
)
_NO_RESULT_MESSAGE = "The platform accepted it, but did not report a result. Check the catalog."
_REJECTION_ERRORS = (PlatformRejectedError, PlatformDuplicateError, NotSupportedError, PlatformNotFoundError)

log = structlog.get_logger(__name__)


class BatchState(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a batch. `number` is that of the chunk, 0 before the first; `method` is None between chunks.

    `handle` is the platform's id of the chunk, `since` when it accepted it. `done` counts the rows with a known result.
    """

    number: int = 0
    method: ProductChangeMethod | None = None
    handle: str | None = None
    since: datetime | None = None
    done: int = 0


class ProductBatchJobHandler:
    def __init__(self, db: Database, session: AccountSession) -> None:
        self._db = db
        self._session = session

    async def run(self, run: JobRun) -> None:
        batch = await self._db.read(store.find_batch, run.owner_id, run.input["batchId"])
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        if batch is None:
            raise JobCancelled
        if account is None:
            raise NeedsReconnectionError(
                "The ad account was disconnected in the meantime.", platform=run.input["platform"]
            )
        part = self._session.get_adapter(account, PRODUCTS_CAPABILITY, NO_CATALOGS_PHRASE)
        await _BatchRun(self._db, self._session, run, batch, account, part).run()


class _BatchRun:
    """One run of a batch, starting from its last step."""

    def __init__(
        self,
        db: Database,
        session: AccountSession,
        run: JobRun,
        batch: ProductBatchRow,
        account: AccountRow,
        part: ProductAdapter,
    ) -> None:
        self._db = db
        self._session = session
        self._run = run
        self._batch = batch
        self._account = account
        self._part = part
        self._batch_key = (batch.owner_id, batch.id)

    async def run(self) -> None:
        chunk = await self._load_state()
        while True:
            if chunk.method is None:
                method = await self._db.read(store.find_first_pending_method, *self._batch_key)
                if method is None:
                    break
                chunk = msgspec.structs.replace(chunk, number=chunk.number + 1, method=method)
                taken = partial(self._mark_next_chunk_sent, chunk)
                rows = await self._run_step(taken, chunk)
            else:
                rows = await self._db.read(store.list_chunk_rows, *self._batch_key, chunk.number)
            chunk = await self._process_chunk(chunk, rows)
        await self._run.finish(summarize_batch, self._batch)

    async def _load_state(self) -> BatchState:
        """Return the progress of the batch: its last step, or its start, where invalid rows already count as done."""
        if self._run.state is not None:
            return msgspec.convert(self._run.state, BatchState)
        known = await self._db.read(store.count_batch_rows_by_status, *self._batch_key)
        chunk = BatchState(done=known.get(ProductBatchItemStatus.FAILED, 0))
        await self._run_step(_do_nothing, chunk)
        return chunk

    async def _process_chunk(self, chunk: BatchState, rows: Sequence[ProductBatchItemRow]) -> BatchState:
        """Send a chunk unless the platform already has it, wait for it, and return the new progress of the batch."""
        method = ProductChangeMethod(chunk.method or ProductChangeMethod.UPSERT)
        if chunk.handle is None and rows:
            changes = [msgspec.convert(row.product, Product) for row in rows]
            try:
                sent = await self._call(
                    lambda stored: self._part.submit_batch(stored, self._catalog_id, method, changes)
                )
            except _REJECTION_ERRORS as refusal:
                return await self._end_chunk(
                    chunk, len(rows), ProductBatchItemStatus.FAILED, build_row_failure(refusal.code, refusal.detail)
                )
            refused = _list_failures_by_row(rows, sent.rejected_changes)
            left = [row for row in rows if row.number not in refused]
            after = msgspec.structs.replace(
                chunk, handle=sent.handle, since=self._db.clock.now(), done=chunk.done + len(rows) - len(left)
            )
            await self._run_step(partial(self._fail_rows, refused), after)
            chunk, rows = after, left
        if chunk.handle is None:
            return await self._end_chunk(
                chunk,
                len(rows),
                ProductBatchItemStatus.FAILED,
                build_row_failure("platform_rejected", REJECTED_WITHOUT_REASON_MESSAGE),
            )
        checked = await self._wait_for_result(chunk)
        if checked is None:
            return await self._end_chunk(
                chunk,
                len(rows),
                ProductBatchItemStatus.UNCONFIRMED,
                build_row_failure("outcome_unknown", _NO_RESULT_MESSAGE),
            )
        if checked.failure_reason is not None:
            return await self._end_chunk(
                chunk,
                len(rows),
                ProductBatchItemStatus.FAILED,
                build_row_failure("platform_rejected", checked.failure_reason),
            )
        wrong = await self._find_rejected_rows(method, rows, checked)
        return await self._end_chunk(chunk, len(rows), ProductBatchItemStatus.SUCCEEDED, None, wrong)

    async def _wait_for_result(self, chunk: BatchState) -> ChunkResult | None:
        """Wait until the platform has processed a chunk; None if it takes too long, or no longer knows the chunk."""
        handle, wait = chunk.handle or "", _MIN_POLL_SECONDS
        while True:
            try:
                checked: ChunkResult = await self._call(
                    lambda stored: self._part.get_chunk_result(stored, self._catalog_id, handle)
                )
            except _REJECTION_ERRORS as refusal:
                log.warning("batch_result_lost", platform=self._account.platform, detail=refusal.detail)
                return None
            if checked.done:
                return checked
            if chunk.since is not None and self._db.clock.now() - chunk.since > _RESULT_TIMEOUT:
                return None
            # A step, so that the task can be cancelled and the process stopped while it waits.
            await self._run_step(_do_nothing, chunk)
            await asyncio.sleep(wait)
            wait = min(wait * _POLL_BACKOFF_FACTOR, _MAX_POLL_SECONDS)

    async def _find_rejected_rows(
        self, method: ProductChangeMethod, rows: Sequence[ProductBatchItemRow], checked: ChunkResult
    ) -> Mapping[int, RowFailure]:
        """Return the rows that were rejected. If the platform does not name them, look at its products.

        A product that does not exist counts as deleted: this batch may have deleted it before a crash.
        """
        refused = dict(_list_failures_by_row(rows, checked.rejected_changes))
        if method is ProductChangeMethod.DELETE:
            doubtful = [row for row in rows if row.number in refused or checked.has_unnamed_rejections]
            there = await self._find_products(doubtful)
            gone = {row.number for row in doubtful if row.retailer_id not in there}
            unnamed = {
                row.number: build_row_failure("platform_rejected", _UNNAMED_REJECTION_MESSAGE) for row in doubtful
            }
            return {number: error for number, error in {**unnamed, **refused}.items() if number not in gone}
        if checked.has_unnamed_rejections:
            doubtful = [row for row in rows if row.number not in refused]
            there = await self._find_products(doubtful)
            for row in doubtful:
                item = there.get(row.retailer_id)
                if item is None or not is_product_applied(item, msgspec.convert(row.product, Product)):
                    refused[row.number] = build_row_failure("platform_rejected", _UNNAMED_REJECTION_MESSAGE)
        return refused

    async def _find_products(self, rows: Sequence[ProductBatchItemRow]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for start in range(0, len(rows), MAX_RETAILER_IDS_PER_FIND):
            names = [row.retailer_id for row in rows[start : start + MAX_RETAILER_IDS_PER_FIND]]
            items = await self._call(lambda stored, names=names: self._part.find(stored, self._catalog_id, names))
            result |= {item.product.retailer_id: item for item in items}
        return result

    async def _end_chunk(
        self,
        chunk: BatchState,
        rows: int,
        status: ProductBatchItemStatus,
        error: RowFailure | None = None,
        refused: Mapping[int, RowFailure] | None = None,
    ) -> BatchState:
        after = BatchState(number=chunk.number, done=chunk.done + rows)

        async def end(tx: Tx) -> None:
            await store.fail_rows(tx, *self._batch_key, refused or {})
            await store.set_chunk_result(tx, *self._batch_key, chunk.number, status, error)

        await self._run_step(end, after)
        return after

    async def _mark_next_chunk_sent(self, chunk: BatchState, tx: Tx) -> list[ProductBatchItemRow]:
        assert chunk.method is not None, "a chunk to take has a method"
        return await store.mark_next_chunk_sent(tx, *self._batch_key, chunk.number, chunk.method, self._part.limits)

    async def _fail_rows(self, refused: Mapping[int, RowFailure], tx: Tx) -> None:
        await store.fail_rows(tx, *self._batch_key, refused)

    async def _run_step(self, unit: Any, chunk: BatchState) -> Any:
        return await self._run.write_step(unit, chunk, done=chunk.done, total=self._batch.row_count, unit=PROGRESS_UNIT)

    async def _call(self, call: Any) -> Any:
        return await self._session.call_for_account(self._account, call)

    @property
    def _catalog_id(self) -> str:
        return self._batch.catalog_id


async def summarize_batch(tx: Tx, batch: ProductBatchRow) -> Mapping[str, Any]:
    """Summarize a batch: the number of rows by result, and the first rows that did not succeed."""
    known = await store.count_batch_rows_by_status(tx, batch.owner_id, batch.id)
    wrong = {ProductBatchItemStatus.FAILED, ProductBatchItemStatus.UNCONFIRMED}
    rows = await store.list_batch_rows(tx, batch.owner_id, batch.id, wrong, 0, MAX_LISTED_ERRORS)
    sentences = await store.find_error_sentences(tx, batch.owner_id, batch.id, list_sentence_names(rows))
    errors = [
        {"row": row.number, "retailerId": row.retailer_id, "status": row.status, **msgspec.structs.asdict(row_failure)}
        for row in rows[:MAX_LISTED_ERRORS]
        for row_failure in decode_row_failures(row, sentences)
    ]
    return {
        "catalogId": batch.catalog_id,
        "rows": batch.row_count,
        "succeeded": known.get(ProductBatchItemStatus.SUCCEEDED, 0),
        "failed": known.get(ProductBatchItemStatus.FAILED, 0),
        "unconfirmed": known.get(ProductBatchItemStatus.UNCONFIRMED, 0),
        "errors": errors[:MAX_LISTED_ERRORS],
        "truncated": len(rows) > MAX_LISTED_ERRORS or len(errors) > MAX_LISTED_ERRORS,
    }


def _list_failures_by_row(
    rows: Sequence[ProductBatchItemRow], refused: Sequence[RejectedChange]
) -> dict[int, RowFailure]:
    """Find our rows by the ids that the platform reports."""
    numbers = {row.retailer_id: row.number for row in rows}
    row_failures: dict[int, RowFailure] = {}
    for rejected_change in refused:
        if rejected_change.retailer_id in numbers:
            row_failures.setdefault(
                numbers[rejected_change.retailer_id], build_row_failure("platform_rejected", rejected_change.detail)
            )
    return row_failures


async def _do_nothing(tx: Tx) -> None:
    del tx


async def _handle_permanent_failure(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
    shown = build_row_failure(str(error["code"]), str(error["detail"]))
    await store.fail_batch(tx, job.owner_id, job.input["batchId"], shown)


def build_product_batch_job_type(parts: ServiceContainer) -> JobType:
    """`ProductBatchJobHandler` is built when the first job runs: the service that queues jobs reads results too."""

    async def run(run: JobRun) -> None:
        await parts.get(ProductBatchJobHandler).run(run)

    return JobType(
        name=PRODUCT_BATCH_JOB,
        run=run,
        max_per_owner=_MAX_JOBS_PER_OWNER,
        max_tries=_MAX_ATTEMPTS,
        on_permanent_failure=_handle_permanent_failure,
        result=BatchResult,
        hold_kind=HoldKind.TASKS,
    )
