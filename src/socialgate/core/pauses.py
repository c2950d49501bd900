"""Pauses requested by platforms: who has to wait, and until when, for all nodes of a deployment."""

import math
import time
from datetime import datetime, timedelta

import sqlalchemy as sa

from socialgate.core.db import Database, Tx, Utc, metadata

# After another node was told to wait, a platform is called at most once more per node and second.
_BELIEVED_SECONDS = 1.0
_MOST_KNOWN = 10_000

pauses = sa.Table(
    "pauses",
    metadata,
    sa.Column("budget", sa.String(200), primary_key=True),
    sa.Column("until", Utc, nullable=False),
)
# Asked for each call of a platform, so it is built once.
_UNTIL = sa.select(pauses.c.until).where(pauses.c.budget == sa.bindparam("budget"))


class Pauses:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[str, tuple[float, datetime | None]] = {}

    async def left(self, *budgets: str) -> int:
        """Return how many seconds are left until all of these may be used again."""
        now = self._db.clock.now()
        ends = [until for until in [await self._until(budget) for budget in budgets] if until and until > now]
        return math.ceil((max(ends) - now).total_seconds()) if ends else 0

    async def set(self, budget: str, seconds: int) -> None:
        until = self._db.clock.now() + timedelta(seconds=seconds)
        self._known[budget] = (time.monotonic() + _BELIEVED_SECONDS, until)
        await self._db.write(_set, budget, until)

    async def _until(self, budget: str) -> datetime | None:
        good_until, until = self._known.get(budget, (0.0, None))
        if time.monotonic() >= good_until:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            until = await self._db.read(_find, budget)
            self._known[budget] = (time.monotonic() + _BELIEVED_SECONDS, until)
        return until


async def _find(tx: Tx, budget: str) -> datetime | None:
    found: datetime | None = await tx.scalar(_UNTIL, {"budget": budget})
    return found


async def _set(tx: Tx, budget: str, until: datetime) -> None:
    insert = tx.upsert(pauses).values(budget=budget, until=until)
    # The longer wait counts: a shorter one may come from a call that was sent earlier.
    longest = sa.case((pauses.c.until > insert.excluded.until, pauses.c.until), else_=insert.excluded.until)
    await tx.execute(insert.on_conflict_do_update(index_elements=["budget"], set_={"until": longest}))


async def purge_pauses(tx: Tx, now: datetime) -> int:
    return await tx.changed(sa.delete(pauses).where(pauses.c.until < now))
