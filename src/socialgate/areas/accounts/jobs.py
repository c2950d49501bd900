"""Care for accounts in the background: tokens renewed early, accounts probed, webhooks registered again.

Nobody should have to find out by a failed post that a permission was taken away.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import Any

import sqlalchemy as sa
import structlog

from socialgate.areas.accounts import grants, store, subscriptions
from socialgate.areas.accounts.health import Health
from socialgate.areas.accounts.keeper import Keeper, PlatformNotConfigured
from socialgate.areas.accounts.life import CARE
from socialgate.areas.accounts.subscribing import Subscriber
from socialgate.contracts.failures import PlatformFailure
from socialgate.core.db import Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.rounds import Rounds

_BATCH = 20

log = structlog.get_logger(__name__)


class Care:
    def __init__(self, db: Database, keeper: Keeper, health: Health, subscriber: Subscriber) -> None:
        self._db = db
        self._keeper = keeper
        self._health = health
        self._subscriber = subscriber
        rounds = Rounds(db, CARE, self._round, _next_due)
        self.run = rounds.run
        self.stop = rounds.stop

    async def _round(self) -> bool:
        """Do what is due now. True if there may be more."""
        renewed = await self._each(grants.due, self._renew)
        # In this order, since a probe tells whether the platform sends webhooks.
        subscribed = await self._each(subscriptions.unfinished, self._subscriber.set_up)
        probed = await self._each(store.claim_checks, self._probe, claims=True)
        return max(renewed, probed, subscribed) >= _BATCH

    async def _each(
        self,
        find: Callable[[Tx, int], Awaitable[list[sa.Row[Any]]]],
        job: Callable[[sa.Row[Any]], Awaitable[None]],
        *,
        claims: bool = False,
    ) -> int:
        rows = await (self._db.write(find, _BATCH) if claims else self._db.read(find, _BATCH))
        await asyncio.gather(*(self._guarded(partial(job, row)) for row in rows))
        return len(rows)

    async def _renew(self, row: sa.Row[Any]) -> None:
        found = await self._db.read(grants.find, row.owner_id, row.id)
        if found is not None:
            await self._keeper.renewed(row.owner_id, row.id, found.platform)

    async def _probe(self, row: sa.Row[Any]) -> None:
        await self._health.probe(self._db, row)

    async def _guarded(self, job: Callable[[], Awaitable[Any]]) -> Any:
        """A platform that fails must not end the care for the others."""
        try:
            return await job()
        except (PlatformFailure, PlatformNotConfigured) as failure:
            log.info("care_postponed", code=failure.code, detail=failure.detail)
        except ServiceError as error:
            log.warning("care_failed", code=error.code, detail=error.detail)
        except Exception:
            log.exception("care_failed")
        return None


async def _next_due(tx: Tx) -> datetime | None:
    times = [await store.next_check(tx), await grants.next_due(tx)]
    return min((time for time in times if time is not None), default=None)
