"""Writing results in batches: whatever arrives while one batch is written goes into the next."""

import asyncio
from contextlib import suppress
from typing import Protocol

import structlog

from socialgate.delivery.backoff import DATABASE_AWAY, backoff
from socialgate.delivery.store import LaneNews, LaneStore, Result

# Results are collected for a moment: hardly anybody waits for them, a large batch costs the database little more than a
# small one, and on SQLite every batch delays the requests that emit events.
GATHER_SECONDS = 0.02
# How long a stopping process still tries to reach an unavailable database.
LAST_TRIES_SECONDS = 10.0

log = structlog.get_logger(__name__)


class Source(Protocol):
    """A lane that has something to write."""

    def collect(self) -> tuple[list[Result], LaneNews]:
        """Return what was collected since the last time."""

    def written(self, results: int, *, held: bool) -> None:
        """Called after it was written, or after the claim was lost and nothing was."""


class Recorder:
    def __init__(self, store: LaneStore) -> None:
        self._store = store
        # A dict for its order: lanes are written in the order in which they had updates.
        self._sources: dict[Source, None] = {}
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
        """The process is stopping: do not wait forever for an unavailable database."""
        self._tries_until = asyncio.get_running_loop().time() + LAST_TRIES_SECONDS

    def close(self) -> None:
        """End `run` once everything is written."""
        self._closing = True
        self._news.set()
        self._awaited.set()

    async def run(self) -> None:
        while self._sources or not self._closing:
            await self._news.wait()
            self._news.clear()
            while self._sources:
                await self._gather()
                await self._flush()

    async def _gather(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(0 if self._closing else GATHER_SECONDS):
                await self._awaited.wait()
        self._awaited.clear()

    async def _flush(self) -> None:
        sources, self._sources = list(self._sources), {}
        collected = [source.collect() for source in sources]
        results = [result for found, _ in collected for result in found]
        held = await self._write(results, [news for _, news in collected])
        for source, (found, news) in zip(sources, collected, strict=True):
            source.written(len(found), held=news.hook_id in held)

    async def _write(self, results: list[Result], news: list[LaneNews]) -> set[str]:
        """Keep trying while the database is unavailable: otherwise deliveries would be repeated."""
        for wait in backoff():
            try:
                return await self._store.record(results, news)
            except DATABASE_AWAY as error:
                log.warning("results_wait", count=len(results), reason=str(error))
            except Exception:
                # Without this, no result would ever be written again.
                log.exception("results_wait", count=len(results))
            if self._tries_until is not None and asyncio.get_running_loop().time() > self._tries_until:
                break
            await asyncio.sleep(wait)
        return set()
