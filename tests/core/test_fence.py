"""Databases that were restored from a backup, or copied: noticed once, and what may have been done is held back."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import obstore.store
import pytest
import sqlalchemy as sa

from socialgate.core import restores
from socialgate.core.db import Database, Tx, sqlite_url
from socialgate.core.fence import DeploymentRow, RestoreFence, deployment, read_deployment
from socialgate.core.jobs import job_store
from socialgate.core.jobs.holding import JobHolder
from socialgate.core.jobs.job_store import JobRow, JobStatus
from socialgate.core.jobs.service import JobRun, JobService, JobType, JobTypes
from socialgate.core.restores import BackupRestore, HoldKind
from socialgate.core.schema_migration import migrate
from socialgate.core.settings import Settings
from socialgate.core.storage import Storage, open_storage
from socialgate.entry.restoring import RestoreService
from support.postgres import new_database
from support.service import MovableClock

pytestmark = pytest.mark.both_engines

OWNER = "own_one"


async def nothing(run: JobRun) -> None:
    del run


class Scene:
    """A deployment with one kind of work."""

    def __init__(self, db: Database, clock: MovableClock, data_dir: Path) -> None:
        self.db = db
        self.clock = clock
        types = JobTypes([JobType(name="paid", run=nothing, hold_kind=HoldKind.TASKS)])
        self.jobs = JobService(types)
        self.holder = JobHolder(types, self.jobs)
        self.fence = RestoreFence(db, open_storage(Settings(data_dir=data_dir)))
        self.restoring = RestoreService(db, self.fence, lambda: [self.holder])

    async def add(self, **fields: Any) -> JobRow:
        return await self.db.write(lambda tx: self.jobs.enqueue(tx, "paid", OWNER, **fields))

    async def find(self, job: JobRow) -> JobRow:
        row = await self.db.read(job_store.find_job, OWNER, job.id)
        assert row is not None
        return row

    async def own(self) -> DeploymentRow:
        async def read(tx: Tx) -> DeploymentRow | None:
            return await tx.first_as(sa.select(deployment), read_deployment)

        row = await self.db.read(read)
        assert row is not None
        return row

    async def change(self, **values: Any) -> None:
        """Let the database say something else of itself, as another one would."""

        async def write(tx: Tx) -> None:
            await tx.execute(sa.update(deployment).values(**values))

        await self.db.write(write)

    async def decide(self, verb: Callable[..., Awaitable[None]]) -> None:
        async def write(tx: Tx) -> None:
            holds = await restores.list_holds(tx, list(HoldKind))
            await verb(tx, holds)
            await restores.delete_holds(tx, holds)

        await self.db.write(write)

    async def counts(self) -> dict[HoldKind, int]:
        return await self.db.read(restores.count_holds)


class SlowStorage(Storage):
    """Reads so slowly that another process lets the number grow, and copies it, before the first byte."""

    def __init__(self, store: Any, fence: RestoreFence) -> None:
        super().__init__(store, None)
        self._fence = fence
        self._turn = asyncio.Lock()
        self._has_grown = False

    async def read(self, key: str, start: int, length: int) -> AsyncIterator[bytes]:
        async with self._turn:
            if not self._has_grown:
                self._has_grown = await self._fence.advance_number()
        async for chunk in super().read(key, start, length):
            yield chunk


Act = Callable[[Scene], Awaitable[None]]


@pytest.fixture(name="play")
def on_a_deployment(engine: str, postgres_url: str, tmp_path: Path) -> Callable[[Act], None]:
    url = new_database(postgres_url) if engine == "postgres" else sqlite_url(tmp_path / "test.db")

    def play(act: Act) -> None:
        async def run() -> None:
            clock = MovableClock()
            clock.stop()
            db = Database(url, clock)
            try:
                await migrate(db)
                await act(Scene(db, clock, tmp_path))
            finally:
                await db.close()

        asyncio.run(run())

    return play


def test_a_database_that_merely_stopped_is_left_alone(play: Callable[[Act], None]) -> None:
    async def act(scene: Scene) -> None:
        job = await scene.add()
        assert await scene.restoring.detect_restore() is None
        for number in range(1, 40):
            assert await scene.fence.advance_number()
            assert (await scene.fence.compare_with_copies()).copy == number
        assert await scene.restoring.detect_restore() is None
        assert (await scene.find(job)).due_at == job.due_at
        # One that died before it could copy its number is ahead.
        await scene.change(number=1000)
        assert await scene.restoring.detect_restore() is None

    play(act)


def test_several_processes_share_one_number(play: Callable[[Act], None]) -> None:
    async def act(scene: Scene) -> None:
        await scene.fence.compare_with_copies()
        assert await scene.fence.advance_number()
        assert not await scene.fence.advance_number(at_once=False)
        scene.clock.offset += timedelta(seconds=10)
        assert await scene.fence.advance_number(at_once=False)
        assert (await scene.own()).number == 2

    play(act)


def test_a_number_that_grows_during_the_comparison_is_no_restore(play: Callable[[Act], None], tmp_path: Path) -> None:
    async def act(scene: Scene) -> None:
        await scene.fence.compare_with_copies()
        store = obstore.store.LocalStore(tmp_path / "media", mkdir=True)
        starting = RestoreService(
            scene.db, RestoreFence(scene.db, SlowStorage(store, scene.fence)), lambda: [scene.holder]
        )
        assert await starting.detect_restore() is None
        assert (await scene.own()).number == 1
        assert (await scene.fence.compare_with_copies()).copy == 1

    play(act)


def test_an_older_database_holds_back_what_is_due(play: Callable[[Act], None]) -> None:
    async def act(scene: Scene) -> None:
        await scene.fence.compare_with_copies()
        due = await scene.add()
        later = await scene.add(due_at=scene.clock.now() + timedelta(days=1))
        backup = await scene.own()
        await scene.fence.advance_number()
        await scene.change(number=backup.number)
        scene.clock.offset += timedelta(hours=1)
        # Two nodes start at the same time.
        noticed = await asyncio.gather(scene.restoring.detect_restore(), scene.restoring.detect_restore())
        [restore] = [restore for restore in noticed if restore is not None]
        assert (restore.reason, restore.backup_at) == ("behind", backup.advanced_at)
        assert await scene.counts() == {HoldKind.TASKS: 1}
        row = await scene.find(due)
        assert (row.due_at, row.status) == (None, JobStatus.QUEUED)
        assert (await scene.find(later)).due_at == later.due_at
        # It is noticed once, and again if the same backup is restored again.
        await scene.fence.advance_number()
        assert await scene.restoring.detect_restore() is None
        await scene.change(id=backup.id, number=backup.number)
        assert isinstance(await scene.restoring.detect_restore(), BackupRestore)
        await scene.decide(scene.holder.release_rows)
        assert (await scene.find(due)).due_at == scene.clock.now()
        assert await scene.counts() == {}

    play(act)


def test_what_is_dropped_ends_and_what_ends_otherwise_is_not_held_any_more(play: Callable[[Act], None]) -> None:
    async def act(scene: Scene) -> None:
        first, second = await scene.add(), await scene.add()
        await scene.restoring.declare_restore(scene.clock.now() - timedelta(hours=1))
        assert await scene.counts() == {HoldKind.TASKS: 2}
        await scene.db.write(lambda tx: scene.jobs.cancel(tx, first))
        await scene.restoring.prune_holds()
        assert await scene.counts() == {HoldKind.TASKS: 1}
        await scene.decide(scene.holder.drop_rows)
        assert (await scene.find(second)).status is JobStatus.CANCELLED
        assert await scene.counts() == {}

    play(act)


def test_a_copied_database_holds_back_what_is_due(play: Callable[[Act], None]) -> None:
    async def act(scene: Scene) -> None:
        await scene.fence.compare_with_copies()
        await scene.change(place="somewhere else")
        # With nothing to do, it was just moved.
        assert await scene.restoring.detect_restore() is None
        assert await scene.db.read(restores.find_newest_restore) is None
        job = await scene.add()
        assert await scene.restoring.detect_restore() is None
        await scene.change(place="somewhere else")
        restore = await scene.restoring.detect_restore()
        assert restore is not None
        assert restore.reason == "moved"
        assert (await scene.find(job)).due_at is None

    play(act)


def test_a_backup_from_before_there_were_fences_is_noticed(play: Callable[[Act], None]) -> None:
    async def act(scene: Scene) -> None:
        async def insert_owner(tx: Tx) -> None:
            await tx.execute(
                sa.text("INSERT INTO owners (id, name, created_at) VALUES ('own_one', 'One', :now)"),
                {"now": tx.now.isoformat() if scene.db.is_sqlite else tx.now},
            )

        async def forget(tx: Tx) -> None:
            await tx.execute(sa.delete(deployment))

        await scene.db.write(insert_owner)
        assert (await scene.fence.compare_with_copies()).row.id == OWNER
        await scene.fence.advance_number()
        await scene.db.write(forget)
        await scene.add()
        restore = await scene.restoring.detect_restore()
        assert restore is not None
        assert restore.reason == "behind"

    play(act)
