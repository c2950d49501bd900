"""Writing results in batches: whatever arrives while one batch is written goes into the next."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import msgspec
import structlog

from socialgate.core.outage_delays import iterate_outage_delays
from socialgate.delivery.store import DATABASE_ERRORS, ClaimCheck, DeliveryResult, LaneStore, LaneUpdate

# Results are collected for a moment, or until there are enough: hardly anybody waits for them, a large batch costs the
# database little more than a small one, and on SQLite every batch delays the requests that emit events. But whatever is
# not written is repeated after a crash.
BATCH_WINDOW_SECONDS = 0.02
# How soon a lane that somebody else had locked is tried again. Most are locked for a few milliseconds.
LOCKED_RETRY_SECONDS = 0.05
# How long a stopping process still tries to reach an unavailable database, or a locked lane.
SHUTDOWN_TIMEOUT_SECONDS = 10.0

log = structlog.get_logger(__name__)


class ResultSource(Protocol):
    """A lane that has something to write."""

    def take_results(self) -> tuple[list[DeliveryResult], LaneUpdate]:
        """Return what was collected since the last time."""

    def on_written(self, results: int, *, claim_valid: bool) -> None:
        """Called after it was written, or after the claim was lost and nothing was."""

    def on_locked(self) -> None:
        """Called if it could not be written yet, because somebody else has the lane locked."""


class _SourceBatch(msgspec.Struct, frozen=True):
    """What was collected from a source at one time."""

    source: ResultSource
    results: list[DeliveryResult]
    update: LaneUpdate


class ResultWriter:
    def __init__(self, store: LaneStore, get_batch_size: Callable[[], int]) -> None:
        """`get_batch_size` says how many results are enough to write them at once."""
        self._store = store
        self._get_batch_size = get_batch_size
        self._added_count = 0
        # A dict for its order: lanes are written in the order in which they had updates.
        self._sources: dict[ResultSource, None] = {}
        # What could not be written because the lane was locked, and when to try again. Whatever such a lane has to
        # write since then waits for it: its results stay in order, and no statement has two news of one hook.
        self._locked: dict[ResultSource, _SourceBatch] = {}
        self._retry_locked_at = 0.0
        self._has_sources = asyncio.Event()
        self._flush_requested = asyncio.Event()
        self._closing = False
        self._give_up_at: float | None = None

    def add(self, source: ResultSource, *, awaited: bool = False) -> None:
        """Write what it has. If it is awaited, nothing else can be done for that lane before it is written."""
        self._sources[source] = None
        self._has_sources.set()
        self._added_count += 1
        if awaited or self._added_count >= self._get_batch_size():
            self.flush_soon()

    def flush_soon(self) -> None:
        """Write the collected results immediately: somebody waits for them."""
        self._flush_requested.set()

    def set_shutdown_deadline(self) -> None:
        """The process is stopping: do not wait forever for an unavailable database or a locked lane."""
        self._give_up_at = _get_loop_time() + SHUTDOWN_TIMEOUT_SECONDS

    def close(self) -> None:
        """End `run` once everything is written."""
        self._closing = True
        self._has_sources.set()
        self._flush_requested.set()

    async def run(self) -> None:
        while self._sources or self._locked or not self._closing:
            await self._wait()
            while self._has_work():
                await self._wait_for_batch()
                await self._flush_batches()

    async def _wait(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._retry_locked_at if self._locked else None):
                await self._has_sources.wait()
        self._has_sources.clear()

    def _has_work(self) -> bool:
        if not self._locked:
            return bool(self._sources)
        return _get_loop_time() >= self._retry_locked_at or not self._sources.keys() <= self._locked.keys()

    async def _wait_for_batch(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(0 if self._closing else BATCH_WINDOW_SECONDS):
                await self._flush_requested.wait()
        self._flush_requested.clear()

    async def _flush_batches(self) -> None:
        batches = self._take_batches()
        recorded = await self._write(batches)
        for batch in batches:
            hook_id = batch.update.hook_id
            if hook_id in recorded.locked_hook_ids and not self._is_past_deadline():
                self._keep_locked(batch)
            else:
                batch.source.on_written(len(batch.results), claim_valid=hook_id in recorded.valid_hook_ids)

    def _take_batches(self) -> list[_SourceBatch]:
        """Take what was busy if it is time to try it again, and collect from all that are not busy."""
        self._added_count = 0
        again: list[_SourceBatch] = []
        sources, self._sources = self._sources, {source: None for source in self._sources if source in self._locked}
        collected = [_SourceBatch(source, *source.take_results()) for source in sources if source not in self._locked]
        if _get_loop_time() >= self._retry_locked_at:
            again, self._locked = list(self._locked.values()), {}
        return again + collected

    def _keep_locked(self, batch: _SourceBatch) -> None:
        # Those that become busy later join the first ones: lanes that are busy all the time must not delay these.
        if not self._locked:
            self._retry_locked_at = _get_loop_time() + LOCKED_RETRY_SECONDS
        self._locked[batch.source] = batch
        batch.source.on_locked()

    async def _write(self, batches: list[_SourceBatch]) -> ClaimCheck:
        """Keep trying while the database is unavailable: otherwise deliveries would be repeated."""
        results = [result for batch in batches for result in batch.results]
        for wait in iterate_outage_delays():
            try:
                return await self._store.record_results(results, [batch.update for batch in batches])
            except DATABASE_ERRORS as error:
                log.warning("results_wait", count=len(results), reason=str(error))
            except Exception:
                # Without this, no result would ever be written again.
                log.exception("results_wait", count=len(results))
            if self._is_past_deadline():
                break
            await asyncio.sleep(wait)
        return ClaimCheck(set())

    def _is_past_deadline(self) -> bool:
        return self._give_up_at is not None and _get_loop_time() > self._give_up_at


def _get_loop_time() -> float:
    return asyncio.get_running_loop().time()
