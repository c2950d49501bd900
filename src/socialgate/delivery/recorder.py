"""Writing down results, many at a time: whatever gathers while one batch is written goes into the next."""

import asyncio
from typing import Protocol

import structlog

from socialgate.delivery.patience import DATABASE_AWAY, backoff
from socialgate.delivery.store import LaneNews, LaneStore, Result

log = structlog.get_logger(__name__)


class Source(Protocol):
    """A lane that has something to be written."""

    def collect(self) -> tuple[list[Result], LaneNews]:
        """Hand over what has gathered since the last time."""

    def written(self, results: int, *, held: bool) -> None:
        """Hear that it was written, or that the claim was lost and nothing was."""


class Recorder:
    def __init__(self, store: LaneStore) -> None:
        self._store = store
        # A dict for its order: lanes are written in the order in which they had news.
        self._sources: dict[Source, None] = {}
        self._news = asyncio.Event()
        self._closing = False

    def add(self, source: Source) -> None:
        self._sources[source] = None
        self._news.set()

    def close(self) -> None:
        """End `run` once everything is written."""
        self._closing = True
        self._news.set()

    async def run(self) -> None:
        while self._sources or not self._closing:
            await self._news.wait()
            self._news.clear()
            while self._sources:
                await self._flush()

    async def _flush(self) -> None:
        sources, self._sources = list(self._sources), {}
        collected = [source.collect() for source in sources]
        results = [result for found, _ in collected for result in found]
        held = await self._write(results, [news for _, news in collected])
        for source, (found, news) in zip(sources, collected, strict=True):
            source.written(len(found), held=news.hook_id in held)

    async def _write(self, results: list[Result], news: list[LaneNews]) -> set[str]:
        """Keep trying while the database is away: what was delivered must not be delivered again for it."""
        for wait in backoff():
            try:
                return await self._store.record(results, news)
            except DATABASE_AWAY as error:
                log.warning("results_wait", count=len(results), reason=str(error))
                if self._closing:
                    break
                await asyncio.sleep(wait)
        return set()
