"""Publishing what is due: taking targets, as many as there is room for, and handing each to a run of its own."""

import asyncio

import structlog

from socialgate.areas.posts import store
from socialgate.areas.posts.ledger import PUBLISHING
from socialgate.areas.posts.run import Gone, Means, Run
from socialgate.core.ids import new_id
from socialgate.core.rounds import Rounds

_AT_ONCE = 100
_BATCH = 50

log = structlog.get_logger(__name__)


class Publisher:
    def __init__(self, means: Means) -> None:
        self._means = means
        self._running: set[asyncio.Task[None]] = set()
        self._rounds = Rounds(means.db, PUBLISHING, self._round, store.next_due)

    def stop(self) -> None:
        """Take nothing new. What is under way ends with the step that it is at, and is given back."""
        self._means.stopping.set()
        self._rounds.stop()

    async def run(self) -> None:
        await self._rounds.run()
        if self._running:
            await asyncio.wait(self._running)

    async def _round(self) -> bool:
        room = min(_BATCH, _AT_ONCE - len(self._running))
        if room <= 0:
            await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
            return True
        claim_id = new_id("clm")
        rows = await self._means.db.write(store.claim, claim_id, room)
        for row in rows:
            task = asyncio.create_task(self._guarded(Run(self._means, row, claim_id)))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        return len(rows) == room

    async def _guarded(self, run: Run) -> None:
        """A target that fails in a way nobody foresaw must not end the others: its lease gives it back."""
        try:
            await run.go()
        except Gone:
            log.info("claim_lost", post=run.row.post_id, account=run.row.account_id)
        except Exception:
            log.exception("publishing_failed", post=run.row.post_id, account=run.row.account_id)
