"""The fence: how a start notices that its database was restored from a backup.

A database cannot know what happened after the moment from which it was restored. So a number grows in the database
while requests are sent to platforms and receivers, and is copied to the object store, which is not part of a backup of
the database. A database whose number is smaller than the copy is older than what was done with it.

    advance   the number in the database grows in a commit; then its copy is written: the copy is never ahead of a
              database that merely crashed
    compare   at each start, before any work is claimed: the copies are read first, and then the number, because other
              processes of the deployment may let it grow at the same time

Copies are written to one of several objects in turn, and the largest counts: a slow write of an old number then never
replaces a newer one. A restored database continues under a new id, with copies of its own. So the old ones still tell
an older backup from a newer one, and two databases that came from one never disturb each other.

The copy is restored too if it was part of the backup, such as in a copy of the whole data directory. So the database
also remembers where it is: the file, or the database of the server. One that was copied is found somewhere else.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import sqlalchemy as sa
import structlog

from socialgate.core import egress
from socialgate.core.db import Database, Id, Tx, UtcDateTime, metadata
from socialgate.core.errors import ServiceError
from socialgate.core.ids import new_id
from socialgate.core.rows import build_row_reader
from socialgate.core.storage import Storage

# Work that was done less than this before a process was killed may have no number of its own.
FENCE_ADVANCE_SECONDS = 2.0
# Slightly less, so that a process that looks a moment too early does not wait for the next turn.
_MIN_ADVANCE_INTERVAL = timedelta(seconds=FENCE_ADVANCE_SECONDS * 0.75)
_LOCK_NAME = "deployment"
_COPY_SLOTS = 16
_NUMBER_DIGITS = 20
# Much shorter than it takes until the same object is written again.
_STORAGE_TIMEOUT_SECONDS = 10.0
_SELECT_DATABASE_OID = sa.text("SELECT oid FROM pg_database WHERE datname = current_database()")

log = structlog.get_logger(__name__)

# One row.
deployment = sa.Table(
    "deployment",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("advanced_at", UtcDateTime, nullable=False),
    # Which file or database of a server it was, when the number was last changed.
    sa.Column("place", sa.String(100), nullable=False),
)


class DeploymentRow(msgspec.Struct, frozen=True):
    id: str
    number: int
    advanced_at: datetime
    place: str


read_deployment = build_row_reader(DeploymentRow, deployment)


class FenceComparison(msgspec.Struct, frozen=True, kw_only=True):
    """What the database says of itself, and what is known from outside. `copy` is None if the store is away."""

    row: DeploymentRow
    copy: int | None
    place: str

    @property
    def is_behind(self) -> bool:
        """More was done than this database knows."""
        return self.copy is not None and self.copy > self.row.number

    @property
    def is_copied_database(self) -> bool:
        """It is a copy of the database that was used last: of its newest state, or of an older one."""
        return self.place != self.row.place


class RestoreFence:
    def __init__(self, db: Database, storage: Storage) -> None:
        self._db = db
        self._storage = storage
        self._sent = -1
        # Whether the last attempt failed, which is logged once.
        self._failing = False
        self._stopping = asyncio.Event()

    async def compare_with_copies(self) -> FenceComparison:
        row, place = await self._db.write(self._read_or_create_deployment)
        while True:
            copy = await self._read_largest_copy(row.id)
            known_id = row.id
            row, place = await self._db.write(self._read_or_create_deployment)
            # Under a new id, another process has just noticed the restore: the copies of that id count.
            if row.id == known_id:
                return FenceComparison(row=row, copy=copy, place=place)

    async def advance_number(self, *, at_once: bool = True) -> bool:
        """Let the number grow, and copy it. Returns False if another process has just done that.

        Without a working object store the number grows all the same: an older copy still shows most restores.
        """
        row = await self._db.write(
            self._increment_number, None if at_once else self._db.clock.now() - _MIN_ADVANCE_INTERVAL
        )
        if row is None:
            return False
        try:
            async with asyncio.timeout(_STORAGE_TIMEOUT_SECONDS):
                await self._storage.write(
                    _build_copy_key(row.id, row.number % _COPY_SLOTS), _stream_text(f"{row.number:0{_NUMBER_DIGITS}}")
                )
        except (ServiceError, TimeoutError) as error:
            self._warn_once("fence_not_written", error)
        else:
            self._failing = False
        return True

    async def run(self) -> None:
        """Let the number grow: once, because the last process may have been killed before it could, and then while
        requests are sent.
        """
        await self._advance_after_requests(at_once=True)
        while not self._stopping.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(FENCE_ADVANCE_SECONDS):
                    await self._stopping.wait()
            await self._advance_after_requests(at_once=self._stopping.is_set())

    def stop(self) -> None:
        """Copy the last number, and end."""
        self._stopping.set()

    async def _advance_after_requests(self, *, at_once: bool) -> None:
        sent = egress.TRAFFIC_COUNTER.requests
        if sent == self._sent:
            return
        try:
            if await self.advance_number(at_once=at_once):
                self._sent = sent
        except ServiceError as error:
            self._warn_once("fence_not_advanced", error)
        except Exception:
            # Whatever it is, it must not end the process that it watches.
            log.exception("fence_not_advanced")

    def _warn_once(self, event: str, error: Exception) -> None:
        if not self._failing:
            log.warning(event, reason=str(error))
        self._failing = True

    async def _read_or_create_deployment(self, tx: Tx) -> tuple[DeploymentRow, str]:
        place = await _identify_database(tx, self._db)
        await tx.lock(_LOCK_NAME)
        row = await tx.first_as(sa.select(deployment), read_deployment)
        if row is None:
            row = DeploymentRow(id=await _get_initial_deployment_id(tx), number=0, advanced_at=tx.now, place=place)
            await tx.execute(sa.insert(deployment), msgspec.structs.asdict(row))
        return row, place

    async def _increment_number(self, tx: Tx, before: datetime | None) -> DeploymentRow | None:
        grown = sa.update(deployment).values(number=deployment.c.number + 1, advanced_at=tx.now)
        if before is not None:
            grown = grown.where(deployment.c.advanced_at <= before)
        return await tx.first_as(grown.returning(deployment), read_deployment)

    async def _read_largest_copy(self, deployment_id: str) -> int | None:
        try:
            async with asyncio.timeout(_STORAGE_TIMEOUT_SECONDS):
                numbers = await asyncio.gather(*(self._read_copy(deployment_id, slot) for slot in range(_COPY_SLOTS)))
        except (ServiceError, TimeoutError) as error:
            log.warning("fence_not_read", reason=str(error))
            return None
        return max(numbers)

    async def _read_copy(self, deployment_id: str, slot: int) -> int:
        try:
            chunks = [
                chunk async for chunk in self._storage.read(_build_copy_key(deployment_id, slot), 0, _NUMBER_DIGITS)
            ]
        except FileNotFoundError:
            return 0
        return int(b"".join(chunks) or b"0")


async def assign_new_deployment_id(tx: Tx, before: DeploymentRow, place: str) -> bool:
    """Continue under a new id. Returns False if another process has just done that."""
    await tx.lock(_LOCK_NAME)
    fresh = {"id": new_id("dep"), "number": 0, "advanced_at": tx.now, "place": place}
    statement = sa.update(deployment).where(deployment.c.id == before.id, deployment.c.place == before.place)
    return await tx.execute_and_count(statement.values(**fresh)) > 0


async def _get_initial_deployment_id(tx: Tx) -> str:
    """Return the id of a deployment that has none yet: that of its first owner, if there is one.

    A backup that was made before deployments had ids is then still recognized.
    """
    first = await tx.scalar(sa.text("SELECT min(id) FROM owners"))
    return str(first or new_id("dep"))


async def _identify_database(tx: Tx, db: Database) -> str:
    if db.is_sqlite:
        return _identify_file(Path(db.url.database or ""))
    return f"database {await tx.scalar(_SELECT_DATABASE_OID)}"


def _identify_file(path: Path) -> str:
    """Name a file by what changes if it is copied, but not if it is written to."""
    return f"file {path.stat().st_ino}"


def _build_copy_key(deployment_id: str, slot: int) -> str:
    return f"fence/{deployment_id}/{slot:02}"


async def _stream_text(text: str) -> AsyncIterator[bytes]:
    yield text.encode()
