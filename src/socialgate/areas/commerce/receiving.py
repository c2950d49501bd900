"""Receiving a batch: its rows are stored as they arrive, and the task is queued after the last one.

What one owner can store this way is limited: in rows that wait, in rows that are kept, and to one batch at a time.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.commerce import store
from socialgate.areas.commerce.batch_parsing import MAX_BATCH_ROWS, ParsedRow
from socialgate.areas.commerce.batch_schemas import ProductBatch
from socialgate.areas.commerce.batches import PRODUCT_BATCH_JOB
from socialgate.areas.commerce.catalog_operations import NO_CATALOGS_PHRASE
from socialgate.areas.commerce.reasons import MAX_DETAIL_LENGTH, RowFailure, build_row_failure
from socialgate.areas.commerce.service import MAX_KEPT_ROWS, CommerceService
from socialgate.areas.commerce.tables import ProductBatchItemStatus
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.commerce import PRODUCTS_CAPABILITY
from socialgate.core.breaks import EventLoopYielder
from socialgate.core.concurrency import SlotCounter
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Fault, InvalidRequest, NotFound, RateLimited
from socialgate.core.ids import new_id
from socialgate.core.jobs.service import JobService
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.upload_limiter import TooManyUploads

MAX_WAITING_ROWS = 300_000
# A file whose first rows are all invalid is a mistake, or meant to do harm.
MAX_INVALID_ROWS_AT_START = 1_000
_INSERT_BATCH_SIZE = 500
_MAX_ERRORS = 10
_BUSY_RETRY_SECONDS = 2
_FULL_RETRY_SECONDS = 60


class TooManyRowsError(RateLimited):
    """The owner has the maximum number of product rows that wait to be sent to platforms.

    Wait until some batches have finished, or cancel some with `DELETE /tasks/{taskId}`.
    """

    code = "too_many_rows"
    title = "Too many rows are waiting"


class BatchCatalog(msgspec.Struct, frozen=True, kw_only=True):
    """The catalog that a batch is for."""

    ad_account_id: str | None
    catalog_id: str


class ProductBatchReceiver:
    def __init__(self, db: Database, merchant: CommerceService, session: AccountSession, jobs: JobService) -> None:
        self._db = db
        self._merchant = merchant
        self._session = session
        self._jobs = jobs
        self._places = SlotCounter()

    @contextmanager
    def acquire_slot(self, owner_id: str) -> Iterator[None]:
        """Let an owner send one batch at a time: reading and checking its rows takes more than anything else does."""
        if self._places.count_taken(owner_id):
            raise TooManyUploads(
                "Another batch of products is being received. Send the next one when it has been answered.",
                retry_after=_BUSY_RETRY_SECONDS,
            )
        place = self._places.take_slot(owner_id)
        try:
            yield
        finally:
            place.close()

    async def receive_batch(
        self, work: UnitOfWork, place: BatchCatalog, rows: Callable[[Any], AsyncIterator[ParsedRow]]
    ) -> ProductBatch:
        account = await self._merchant.find_account(work, place.ad_account_id, place.catalog_id)
        part = self._session.get_adapter(account, PRODUCTS_CAPABILITY, NO_CATALOGS_PHRASE)
        await self._enforce_row_limits(account.owner_id)
        batch_id = new_id("batch")
        values = {"id": batch_id, "account_id": account.id, "catalog_id": place.catalog_id, "row_count": 0}
        await self._db.write(store.insert_batch, account.owner_id, values)
        try:
            count, rejected = await self._store(account.owner_id, batch_id, rows(part))
            return await work.write(self._enqueue_batch, account, batch_id, place.catalog_id, count, rejected)
        except BaseException:
            if await self._db.write(store.mark_unqueued_batch_dropped, account.owner_id, batch_id):
                await self._delete_batch(account.owner_id, batch_id)
            raise

    async def _enforce_row_limits(self, owner_id: str) -> None:
        """Reject a batch if too many rows wait, and delete the oldest results if too many are kept."""
        batches = await self._db.read(store.list_stored_batches, owner_id)
        waiting = sum(batch.rows for batch in batches if batch.waits)
        if waiting >= MAX_WAITING_ROWS:
            raise TooManyRowsError(
                f"{waiting:,} rows of earlier batches wait to be sent. Wait until some batches finish, or cancel some "
                "with DELETE /tasks/{taskId}.",
                retry_after=_FULL_RETRY_SECONDS,
            )
        finished = [batch for batch in batches if not batch.waits]
        surplus = sum(item.rows for item in finished) - MAX_KEPT_ROWS
        for item in finished:
            if surplus <= 0:
                break
            surplus -= item.rows
            await self._db.write(store.mark_batch_dropped, owner_id, item.id)
            await self._delete_batch(owner_id, item.id)

    async def _delete_batch(self, owner_id: str, batch_id: str) -> None:
        while await self._db.write(store.delete_some_batch_rows, owner_id, batch_id):
            continue

    async def _store(self, owner_id: str, batch_id: str, rows: AsyncIterator[ParsedRow]) -> tuple[int, int]:
        """Store rows some hundreds at a time. A batch has no order, so it can change each product only once."""
        seen: dict[str, int] = {}
        some: list[tuple[dict[str, Any], list[RowFailure]]] = []
        first: list[Fault] = []
        number, rejected, breaks = 0, 0, EventLoopYielder()
        async for row in rows:
            number += 1
            if number > MAX_BATCH_ROWS:
                raise InvalidRequest.for_field(
                    "/items", "too_many", f"A batch can have at most {MAX_BATCH_ROWS} rows. Send several."
                )
            faults = [*row.faults, *_validate_not_repeated(row, number, seen)]
            rejected += bool(faults)
            if number <= _MAX_ERRORS:
                first += [
                    Fault("", fault.code, f"Row {number}: {fault.detail[:MAX_DETAIL_LENGTH]}") for fault in faults[:1]
                ]
            if number == rejected == MAX_INVALID_ROWS_AT_START:
                raise InvalidRequest(
                    f"The first {number:,} rows are all invalid, so nothing was accepted.", errors=first
                )
            some.append((_build_row_values(owner_id, batch_id, number, row, faults), _build_failures(faults)))
            if len(some) >= _INSERT_BATCH_SIZE:
                await self._db.write(store.insert_batch_rows, owner_id, batch_id, some)
                some = []
            await breaks.yield_if_due()
        if not number:
            raise InvalidRequest.for_field(
                "", "required", "The CSV has a header, but no rows. Send a line for each product."
            )
        await self._db.write(store.insert_batch_rows, owner_id, batch_id, some)
        return number, rejected

    async def _enqueue_batch(
        self, tx: Tx, account: AccountRow, batch_id: str, catalog_id: str, count: int, rejected: int
    ) -> ProductBatch:
        job_input = {"batchId": batch_id, "accountId": account.id, "platform": account.platform}
        job = await self._jobs.enqueue(
            tx, PRODUCT_BATCH_JOB, account.owner_id, job_input, profile_id=account.profile_id
        )
        if not await store.queue_batch(tx, account.owner_id, batch_id, job.id, count):
            raise NotFound("The batch was dropped in the meantime. Send it again.")
        return ProductBatch(
            id=job.id,
            type=job.type,
            status=job.status,
            ad_account_id=account.id,
            catalog_id=catalog_id,
            rows=count,
            rejected=rejected,
            created_at=job.created_at,
        )


def _validate_not_repeated(row: ParsedRow, number: int, seen: dict[str, int]) -> Iterator[Fault]:
    first = seen.setdefault(row.retailer_id, number) if row.retailer_id else number
    if first != number:
        detail = f"Row {first} has the same retailerId. Change each product once in a batch."
        yield Fault("/retailerId", "duplicate", detail)


def _build_failures(faults: Sequence[Fault]) -> list[RowFailure]:
    return [build_row_failure(fault.code, fault.detail, fault.pointer) for fault in faults[:_MAX_ERRORS]]


def _build_row_values(
    owner_id: str, batch_id: str, number: int, row: ParsedRow, faults: Sequence[Fault]
) -> dict[str, Any]:
    product = None if faults or row.product is None else msgspec.to_builtins(row.product)
    return {
        "owner_id": owner_id,
        "batch_id": batch_id,
        "number": number,
        "method": row.method,
        "retailer_id": row.retailer_id,
        "status": ProductBatchItemStatus.FAILED if faults else ProductBatchItemStatus.PENDING,
        "chunk": None,
        "product": product,
        "bytes": 0 if product is None else len(msgspec.json.encode(product)),
    }
