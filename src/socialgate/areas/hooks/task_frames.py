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
from socialgate.core.events import TASK_PROGRESS_EVENT
from socialgate.core.jobs import job_store
from socialgate.core.jobs.job_store import JobStatus
from socialgate.core.jobs.service import JobTypes

# A task may make many steps per second: nobody reads them all.
MIN_FRAME_INTERVAL_SECONDS = 0.25
MAX_FRAME_INTERVAL_SECONDS = 2.0
# How long to look for finished tasks. More than the difference between the clocks of nodes.
_FINISHED_TASK_WINDOW = timedelta(minutes=1)

_TaskState: TypeAlias = tuple[JobStatus, int | None, int | None, str | None]


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
        self._types = job_types.public_types
        self._seen: dict[str, _TaskState] | None = None
        self._last_read_at = 0.0
        self.changed = True

    @property
    def is_due(self) -> bool:
        passed = time.monotonic() - self._last_read_at
        return passed >= (MIN_FRAME_INTERVAL_SECONDS if self.changed else MAX_FRAME_INTERVAL_SECONDS)

    async def read_changes(self, caller: Caller) -> bytes:
        """Read the tasks that this caller may see, and write a frame for each whose status changed."""
        self.changed, self._last_read_at = False, time.monotonic()
        since = self._db.clock.now() - _FINISHED_TASK_WINDOW
        rows = await self._db.read(
            job_store.list_recent_jobs, caller.owner_id, caller.allowed_profile_ids, self._types, since
        )
        before = self._seen
        self._seen = {row.id: _get_task_state(row) for row in rows}
        return b"".join(_encode_frame(row) for row in _select_changed(rows, before))


def _select_changed(rows: Sequence[sa.Row[Any]], before: dict[str, _TaskState] | None) -> list[sa.Row[Any]]:
    if before is None:
        return [row for row in rows if row.finished_at is None]
    return [row for row in rows if before.get(row.id) != _get_task_state(row)]


def _get_task_state(row: sa.Row[Any]) -> _TaskState:
    return row.status, row.done, row.total, row.unit


def _encode_frame(row: sa.Row[Any]) -> bytes:
    """Write a frame. It has no id, so a client that reconnects resumes after its last event."""
    progress = None if row.done is None else _Progress(row.done, row.total, row.unit)
    shown: Any = _Frame(row.id, row.type, row.status, progress)
    return b"event: %b\ndata: %b\n\n" % (TASK_PROGRESS_EVENT.encode(), msgspec.json.encode(shown))
