"""Having files made to fit, and finding the results."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

import msgspec

from socialgate.areas.media.renditions import store
from socialgate.areas.media.renditions.job import PREPARE_JOB, PreparationInput
from socialgate.areas.media.renditions.preparations import Preparation
from socialgate.areas.media.store import MediaRow, extend_expiry
from socialgate.core.db import Tx
from socialgate.core.jobs.service import JobService, TooManyTasks


class RenditionService:
    def __init__(self, jobs: JobService) -> None:
        self._jobs = jobs

    async def find_or_request(
        self, tx: Tx, owner_id: str, profile_id: str, preparations: Sequence[Preparation], needed_at: datetime
    ) -> dict[str, MediaRow]:
        """Find the results by their keys, and have those made that are missing: each once, for all that need it."""
        ready = await store.find_renditions(tx, owner_id, [preparation.key for preparation in preparations])
        until = max(needed_at, tx.now) + store.RENDITION_RETENTION
        await extend_expiry(tx, owner_id, [row.id for row in ready.values()], until)
        missing = [preparation for preparation in preparations if preparation.key not in ready]
        # With too many tasks they are requested again when the post is due.
        with suppress(TooManyTasks):
            for preparation in missing:
                request = msgspec.to_builtins(PreparationInput(preparation=preparation, until=until))
                job = await self._jobs.enqueue(
                    tx, PREPARE_JOB, owner_id, request, profile_id=profile_id, key=preparation.key
                )
                if job.state is not None and needed_at <= tx.now:
                    # It waits for space, and there is no time left for that.
                    await self._jobs.run_earlier(tx, job, tx.now)
        return ready

    async def find(self, tx: Tx, owner_id: str, preparations: Sequence[Preparation]) -> dict[str, MediaRow]:
        return await store.find_renditions(tx, owner_id, [preparation.key for preparation in preparations])
