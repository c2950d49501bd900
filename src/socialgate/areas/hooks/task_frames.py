"""The progress of tasks in an event stream: frames that are not events, and that no cursor counts.

A frame contains the current status of a task, so one that is missed is made up for by the next.
"""

import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, TypeAlias

import msgspec
import sqlalchemy as sa

from socialgate.core.caller import Caller
from socialgate.core.db import Database
from socialgate.core.events import TASK_PROGRESS
from socialgate.core.jobs import table
from socialgate.core.jobs.jobs import JobTypes
from socialgate.core.jobs.table import JobStatus

# A task may make many steps per second: nobody reads them all.
SHORTEST_SECONDS = 0.25
LONGEST_SECONDS = 2.0
# How long to look for finished tasks. More than the difference between the clocks of nodes.
_RECENT = timedelta(minutes=1)

_Standing: TypeAlias = tuple[JobStatus, int | None, int | None, str | None]


class _Progress(msgspec.Struct, frozen=True):
    done: int
    total: int | None
    unit: str | None


class _Frame(msgspec.Struct, frozen=True):
    id: str
    type: str
    status: JobStatus
    progress: _Progress | None


class TaskFrames:
    """The frames of one stream. The first call returns every unfinished task, each further one what has changed.

    Set `changed` when there may be something new.
    """

    def __init__(self, db: Database, job_types: JobTypes) -> None:
        self._db = db
        self._types = job_types.public
        self._seen: dict[str, _Standing] | None = None
        self._looked = 0.0
        self.changed = True

    @property
    def is_due(self) -> bool:
        passed = time.monotonic() - self._looked
        return passed >= (SHORTEST_SECONDS if self.changed else LONGEST_SECONDS)

    async def look(self, caller: Caller) -> bytes:
        """Read the tasks that this caller may see, and write a frame for each whose status changed."""
        self.changed, self._looked = False, time.monotonic()
        since = self._db.clock.now() - _RECENT
        rows = await self._db.read(table.recent, caller.owner_id, caller.profiles, self._types, since)
        before = self._seen
        self._seen = {row.id: _standing(row) for row in rows}
        return b"".join(_block(row) for row in _news(rows, before))


def _news(rows: Sequence[sa.Row[Any]], before: dict[str, _Standing] | None) -> list[sa.Row[Any]]:
    if before is None:
        return [row for row in rows if row.finished_at is None]
    return [row for row in rows if before.get(row.id) != _standing(row)]


def _standing(row: sa.Row[Any]) -> _Standing:
    return row.status, row.done, row.total, row.unit


def _block(row: sa.Row[Any]) -> bytes:
    """Write a frame. It has no id, so a client that reconnects resumes after its last event."""
    progress = None if row.done is None else _Progress(row.done, row.total, row.unit)
    shown: Any = _Frame(row.id, row.type, row.status, progress)
    return b"event: %b\ndata: %b\n\n" % (TASK_PROGRESS.encode(), msgspec.json.encode(shown))
