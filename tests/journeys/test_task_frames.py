"""A task that another process runs shows its progress in a stream of this one."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from socialgate.core.db import Tx
from socialgate.core.jobs.job_store import JobRow
from socialgate.core.jobs.service import JobService, JobType
from socialgate.web.area import Area
from support.forking import ForkedProcess
from support.killed_jobs import PAGES, pages, run_worker
from support.processes import environment
from support.service import RunningService, StartService
from support.streams import frames_of_tasks


def _pages() -> JobType:
    return PAGES


@contextmanager
def working(running: RunningService, clock: Path) -> Iterator[None]:
    """Run a worker on the database of a service."""
    clock.write_text(datetime.now(UTC).isoformat())
    url = running.settings.database_url
    settings = {"data_dir": running.settings.data_dir, **({} if url is None else {"database_url": url})}
    with ForkedProcess(run_worker, clock, env=environment(settings)) as worker:
        try:
            yield
        finally:
            worker.kill()


def test_progress_that_another_process_makes_is_shown(start_service: StartService, tmp_path: Path) -> None:
    with start_service(worker="separate", areas=[Area(jobs=[_pages])]) as running:
        owner = running.new_owner()

        async def add(tx: Tx, jobs: JobService) -> JobRow:
            await tx.execute(sa.text(str(sa.schema.CreateTable(pages))))
            payload = {"folder": str(tmp_path), "pages": 2}
            return await jobs.enqueue(tx, PAGES.name, owner.id, payload, profile_id=owner.profile_id)

        (tmp_path / "hold.1").touch()
        task_id = running.write(add, running.service.container.get(JobService)).id
        with frames_of_tasks(running, owner.session_token) as seen:
            queued = {"id": task_id, "type": PAGES.name, "status": "queued", "progress": None}
            assert next(seen) == queued
            with working(running, tmp_path / "time"):
                halfway = {"done": 1, "total": 2, "unit": None}
                running_now = {**queued, "status": "running"}
                assert next(item for item in seen if item["progress"]) == {**running_now, "progress": halfway}
                (tmp_path / "hold.1").unlink()
                # It recurs: what was reached belongs to the run that has ended.
                assert next(item for item in seen if item["status"] == "queued") == queued
        assert owner.session.get("/events").json()["data"] == []
