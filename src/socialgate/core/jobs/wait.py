"""Waiting for a job, for requests that want its result in their response."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from socialgate.core.db import Database
from socialgate.core.jobs.job_store import JobRow
from socialgate.core.jobs.service import get_job_wakeup_key
from socialgate.core.wakeups import ALL_KEYS

# A hint that is lost with its node delays a response by at most this.
_POLL_INTERVAL_SECONDS = 1.0


async def wait_until_finished(
    db: Database, job_id: str, read_job: Callable[[], Awaitable[JobRow]], seconds: float
) -> JobRow:
    """Return the job when it has finished or the time is over. `read_job` reads it."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    changed = asyncio.Event()

    def hear(keys: frozenset[str]) -> None:
        if get_job_wakeup_key(job_id) in keys or ALL_KEYS in keys:
            changed.set()

    leave = db.wakeups.subscribe(hear)
    try:
        while True:
            changed.clear()
            job = await read_job()
            left = until - loop.time()
            if job.finished_at is not None or left <= 0:
                return job
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, _POLL_INTERVAL_SECONDS)):
                    await changed.wait()
    finally:
        leave()
