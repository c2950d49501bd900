"""Pauses requested by platforms: who has to wait, and until when, for all nodes of a deployment."""

import math
import time
from datetime import datetime, timedelta

import sqlalchemy as sa

from socialgate.core.db import Database, Tx, UtcDateTime, metadata

# After another node was told to wait, a platform is called at most once more per node and second.
_CACHE_SECONDS = 1.0
_MAX_CACHED_PAUSES = 10_000

pauses = sa.Table(
    "pauses",
    metadata,
    sa.Column("budget", sa.String(200), primary_key=True),
    sa.Column("until", UtcDateTime, nullable=False),
)
# Asked for each call of a platform, so it is built once.
_SELECT_PAUSE_END = sa.select(pauses.c.until).where(pauses.c.budget == sa.bindparam("budget"))


class PlatformPauses:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._cache: dict[str, tuple[float, datetime | None]] = {}

    async def get_remaining_seconds(self, *budgets: str) -> int:
        """Return how many seconds are left until all of these may be used again."""
        now = self._db.clock.now()
        ends = [until for until in [await self._get_pause_end(budget) for budget in budgets] if until and until > now]
        return math.ceil((max(ends) - now).total_seconds()) if ends else 0

    async def pause_for(self, budget: str, seconds: int) -> None:
        until = self._db.clock.now() + timedelta(seconds=seconds)
        self._cache[budget] = (time.monotonic() + _CACHE_SECONDS, until)
        await self._db.write(_extend_pause, budget, until)

    async def _get_pause_end(self, budget: str) -> datetime | None:
        good_until, until = self._cache.get(budget, (0.0, None))
        if time.monotonic() >= good_until:
            if len(self._cache) >= _MAX_CACHED_PAUSES:
                self._cache.clear()
            until = await self._db.read(_find_pause_end, budget)
            self._cache[budget] = (time.monotonic() + _CACHE_SECONDS, until)
        return until


async def _find_pause_end(tx: Tx, budget: str) -> datetime | None:
    time: datetime | None = await tx.scalar(_SELECT_PAUSE_END, {"budget": budget})
    return time


async def _extend_pause(tx: Tx, budget: str, until: datetime) -> None:
    insert = tx.build_upsert(pauses).values(budget=budget, until=until)
    # The longer wait counts: a shorter one may come from a call that was sent earlier.
    longest = sa.case((pauses.c.until > insert.excluded.until, pauses.c.until), else_=insert.excluded.until)
    await tx.execute(insert.on_conflict_do_update(index_elements=["budget"], set_={"until": longest}))


async def purge_pauses(tx: Tx, now: datetime) -> int:
    return await tx.execute_and_count(sa.delete(pauses).where(pauses.c.until < now))
