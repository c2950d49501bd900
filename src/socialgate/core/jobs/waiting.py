"""Waiting for a job, for requests that want its result in their response."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from socialgate.core.db import Database
from socialgate.core.jobs.jobs import job_hint
from socialgate.core.jobs.table import JobRow
from socialgate.core.wakeups import ANYTHING

# A hint that is lost with its node delays a response by at most this.
_LOOK_SECONDS = 1.0


async def finished(db: Database, job_id: str, look: Callable[[], Awaitable[JobRow]], seconds: float) -> JobRow:
    """Return the job when it has finished or the time is over. `look` reads it."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    changed = asyncio.Event()

    def hear(keys: frozenset[str]) -> None:
        if job_hint(job_id) in keys or ANYTHING in keys:
            changed.set()

    leave = db.wakeups.listen(hear)
    try:
        while True:
            changed.clear()
            job = await look()
            left = until - loop.time()
            if job.finished_at is not None or left <= 0:
                return job
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, _LOOK_SECONDS)):
                    await changed.wait()
    finally:
        leave()
