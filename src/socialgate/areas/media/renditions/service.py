"""Having files made to fit, and finding the results."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

import msgspec

from socialgate.areas.media.renditions import store
from socialgate.areas.media.renditions.job import PREPARE_JOB, PreparationInput
from socialgate.areas.media.renditions.preparations import Preparation
from socialgate.areas.media.store import MediaRow, extend_expiry
from socialgate.contracts.renditions import RenditionFailed
from socialgate.core.db import Tx
from socialgate.core.jobs.job_store import JobRow, find_unfinished_job_by_key
from socialgate.core.jobs.service import JobService, TooManyTasks


class PreparationDelay(msgspec.Struct, frozen=True, kw_only=True):
    code: str
    detail: str
    next_at: datetime | None


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
                await self._handle_wait(tx, job, preparation.key, needed_at)
        return ready

    async def _handle_wait(self, tx: Tx, job: JobRow, key: str, needed_at: datetime) -> None:
        """Handle that a preparation, requested before, waits for space: let it try if it is needed now, or say so."""
        if job.state is None:
            return
        if needed_at <= tx.now:
            await self._jobs.run_earlier(tx, job, tx.now)
        elif job.error is not None:
            failed = RenditionFailed(key=key, code=job.error["code"], detail=job.error["detail"])
            await tx.publish_fact(failed, job.owner_id)

    async def find_delay(self, tx: Tx, owner_id: str, preparations: Sequence[Preparation]) -> PreparationDelay | None:
        """Find why a result takes longer than its conversion, and when it is tried again."""
        for preparation in preparations:
            job = await find_unfinished_job_by_key(tx, owner_id, PREPARE_JOB, preparation.key)
            if job is not None and job.error is not None:
                return PreparationDelay(code=job.error["code"], detail=job.error["detail"], next_at=job.due_at)
        return None

    async def find(self, tx: Tx, owner_id: str, preparations: Sequence[Preparation]) -> dict[str, MediaRow]:
        return await store.find_renditions(tx, owner_id, [preparation.key for preparation in preparations])
