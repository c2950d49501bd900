"""A worker that runs one type of job, whose every step a test can hold.

The settings of the deployment stand in the environment; the file tells the time. While a file `hold.<page>` stands in
the folder of a job, its step of that page waits. So a process is killed exactly where a test wants it.
"""

import asyncio
import os
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.service import JobRun, JobType
from socialgate.core.settings import load_settings
from support.lone_worker import LoneWorker
from support.stopped_clock import look_often

# What the steps have written: a row each time.
pages = sa.Table("test_pages", sa.MetaData(), sa.Column("job", sa.String(40)), sa.Column("page", sa.Integer))


async def write_pages(run: JobRun) -> None:
    for page in range(run.state or 0, run.input["pages"]):
        await _reach(run, page)
        await run.write_step(partial(_write, run.id, page), page + 1, done=page + 1, total=run.input["pages"])
    await _reach(run, run.input["pages"])


async def _write(job: str, page: int, tx: Tx) -> None:
    await tx.execute(sa.insert(pages).values(job=job, page=page))


PAGES = JobType(name="test.pages", run=write_pages, interval=timedelta(hours=1), max_per_owner=2)


async def _reach(run: JobRun, page: int) -> None:
    """Leave a mark that this process is at a step, and wait there as long as a test wants."""
    folder = Path(run.input["folder"])
    with (folder / f"{run.id}.{page}").open("a") as marks:
        marks.write(f"{os.getpid()}\n")
    while (folder / f"hold.{page}").exists():  # noqa: ASYNC110 - it is another process that ends it
        await asyncio.sleep(0.01)


class StoppedClock(SystemClock):
    def __init__(self, file: Path) -> None:
        self._file = file

    def now(self) -> datetime:
        return datetime.fromisoformat(self._file.read_text())


def run_worker(clock: Path) -> None:
    """Run it in a process of its own (`support.forking`)."""
    look_often()
    asyncio.run(_work(clock))


async def _work(clock: Path) -> None:
    settings = load_settings()
    db = Database(settings.effective_database_url, StoppedClock(clock), pool_size=4)
    if settings.database_url is not None:
        db.wakeups.connect(settings.database_url)
    await LoneWorker(db, [PAGES]).run()
