"""Writing results in batches: whatever arrives while one batch is written goes into the next."""

import asyncio
from contextlib import suppress
from typing import Protocol

import msgspec
import structlog

from socialgate.core.backoff import backoff
from socialgate.delivery.store import DATABASE_AWAY, Claims, LaneNews, LaneStore, Result

# Results are collected for a moment: hardly anybody waits for them, a large batch costs the database little more than a
# small one, and on SQLite every batch delays the requests that emit events.
GATHER_SECONDS = 0.02
# How soon a lane that somebody else had locked is tried again. Most are locked for a few milliseconds.
BUSY_SECONDS = 0.05
# How long a stopping process still tries to reach an unavailable database, or a locked lane.
LAST_TRIES_SECONDS = 10.0

log = structlog.get_logger(__name__)


class Source(Protocol):
    """A lane that has something to write."""

    def collect(self) -> tuple[list[Result], LaneNews]:
        """Return what was collected since the last time."""

    def written(self, results: int, *, held: bool) -> None:
        """Called after it was written, or after the claim was lost and nothing was."""


class _Batch(msgspec.Struct, frozen=True):
    """What was collected from a source at one time."""

    source: Source
    results: list[Result]
    news: LaneNews


class Recorder:
    def __init__(self, store: LaneStore) -> None:
        self._store = store
        # A dict for its order: lanes are written in the order in which they had updates.
        self._sources: dict[Source, None] = {}
        # What could not be written because the lane was locked, and when to try again. Whatever such a lane has to
        # write since then waits for it: its results stay in order, and no statement has two news of one hook.
        self._busy: dict[Source, _Batch] = {}
        self._again_at = 0.0
        self._news = asyncio.Event()
        self._awaited = asyncio.Event()
        self._closing = False
        self._tries_until: float | None = None

    def add(self, source: Source, *, awaited: bool = False) -> None:
        """Write what it has. If it is awaited, nothing else can be done for that lane before it is written."""
        self._sources[source] = None
        self._news.set()
        if awaited:
            self.expedite()

    def expedite(self) -> None:
        """Write the collected results immediately: somebody waits for them."""
        self._awaited.set()

    def hurry(self) -> None:
        """The process is stopping: do not wait forever for an unavailable database or a locked lane."""
        self._tries_until = _time() + LAST_TRIES_SECONDS

    def close(self) -> None:
        """End `run` once everything is written."""
        self._closing = True
        self._news.set()
        self._awaited.set()

    async def run(self) -> None:
        while self._sources or self._busy or not self._closing:
            await self._wait()
            while self._has_work():
                await self._gather()
                await self._flush()

    async def _wait(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._again_at if self._busy else None):
                await self._news.wait()
        self._news.clear()

    def _has_work(self) -> bool:
        if not self._busy:
            return bool(self._sources)
        return _time() >= self._again_at or not self._sources.keys() <= self._busy.keys()

    async def _gather(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(0 if self._closing else GATHER_SECONDS):
                await self._awaited.wait()
        self._awaited.clear()

    async def _flush(self) -> None:
        batches = self._take()
        recorded = await self._write(batches)
        for batch in batches:
            hook_id = batch.news.hook_id
            if hook_id in recorded.busy and not self._is_too_late():
                self._keep(batch)
            else:
                batch.source.written(len(batch.results), held=hook_id in recorded.held)

    def _take(self) -> list[_Batch]:
        """Take what was busy if it is time to try it again, and collect from all that are not busy."""
        again: list[_Batch] = []
        sources, self._sources = self._sources, {source: None for source in self._sources if source in self._busy}
        collected = [_Batch(source, *source.collect()) for source in sources if source not in self._busy]
        if _time() >= self._again_at:
            again, self._busy = list(self._busy.values()), {}
        return again + collected

    def _keep(self, batch: _Batch) -> None:
        # Those that become busy later join the first ones: lanes that are busy all the time must not delay these.
        if not self._busy:
            self._again_at = _time() + BUSY_SECONDS
        self._busy[batch.source] = batch

    async def _write(self, batches: list[_Batch]) -> Claims:
        """Keep trying while the database is unavailable: otherwise deliveries would be repeated."""
        results = [result for batch in batches for result in batch.results]
        for wait in backoff():
            try:
                return await self._store.record(results, [batch.news for batch in batches])
            except DATABASE_AWAY as error:
                log.warning("results_wait", count=len(results), reason=str(error))
            except Exception:
                # Without this, no result would ever be written again.
                log.exception("results_wait", count=len(results))
            if self._is_too_late():
                break
            await asyncio.sleep(wait)
        return Claims(set())

    def _is_too_late(self) -> bool:
        return self._tries_until is not None and _time() > self._tries_until


def _time() -> float:
    return asyncio.get_running_loop().time()
