"""Publishing what is due: taking targets, as many as there is room for, and handing each to a run of its own."""

import asyncio
from collections.abc import Sequence

import structlog

from socialgate.areas.posts import store
from socialgate.areas.posts.ledger import PUBLISHING
from socialgate.areas.posts.run import Gone, Means, Run
from socialgate.core.errors import ServiceError
from socialgate.core.ids import new_id
from socialgate.core.rounds import Rounds

_AT_ONCE = 100
_BATCH = 50
# A call that sends a large file may take longer than a lease lasts. Who lives keeps its claims.
_RENEW_EVERY = 3.0

log = structlog.get_logger(__name__)


class Publisher:
    def __init__(self, means: Means) -> None:
        self._means = means
        self._running: dict[asyncio.Task[None], store.Claim] = {}
        self._rounds = Rounds(means.db, PUBLISHING, self._round, store.next_due)

    def stop(self) -> None:
        """Take nothing new. What is under way ends with the step that it is at, and is given back."""
        self._means.stopping.set()
        self._rounds.stop()

    async def run(self) -> None:
        renewing = asyncio.create_task(self._renew_claims())
        try:
            await self._rounds.run()
            if self._running:
                await asyncio.wait(self._running)
        finally:
            renewing.cancel()

    async def _round(self) -> bool:
        room = min(_BATCH, _AT_ONCE - len(self._running))
        if room <= 0:
            await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
            return True
        claim_id = new_id("clm")
        rows = await self._means.db.write(store.claim, claim_id, room)
        for row in rows:
            task = asyncio.create_task(self._guarded(Run(self._means, row, claim_id)))
            self._running[task] = (row.owner_id, row.id), claim_id
            task.add_done_callback(self._running.pop)
        return len(rows) == room

    async def _renew_claims(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_EVERY)
            if self._running:
                await self._renew(list(self._running.values()))

    async def _renew(self, claims: Sequence[store.Claim]) -> None:
        try:
            await self._means.db.write(store.renew, claims)
        except ServiceError as error:
            log.warning("claims_not_renewed", code=error.code, detail=error.detail)
        except Exception:
            log.exception("claims_not_renewed")

    async def _guarded(self, run: Run) -> None:
        """A target that fails in a way nobody foresaw must not end the others: its lease gives it back."""
        try:
            await run.go()
        except Gone:
            log.info("claim_lost", post=run.row.post_id, account=run.row.account_id)
        except Exception:
            log.exception("publishing_failed", post=run.row.post_id, account=run.row.account_id)
