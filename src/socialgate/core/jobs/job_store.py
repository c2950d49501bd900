"""The table of general jobs and its queries. Every finder of an owner's rows takes the owner first.

A row is the job, its queue entry, its progress and its result. Jobs of the deployment itself belong to
`SYSTEM_OWNER_ID`.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.core.db import Id, Tx, UtcDateTime, metadata
from socialgate.core.jobs.queue import ClaimedRow, RowQueue
from socialgate.core.rows import build_row_reader

SYSTEM_OWNER_ID = "system"
JOBS_WAKEUP_KEY = "jobs"
Json = sa.JSON(none_as_null=True)
_HAS_DUE_TIME = sa.text("due_at IS NOT NULL")
_IS_UNFINISHED_WITH_KEY = sa.text("job_key IS NOT NULL AND finished_at IS NULL")
# How many rows are searched for jobs whose owner may run one more.
_MAX_CANDIDATES = 200

jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("owner_id", Id, primary_key=True),
    sa.Column("id", Id, primary_key=True),
    # The profile that the job belongs to, which decides whether a limited key sees it. Null if it concerns the whole
    # owner.
    sa.Column("profile_id", Id),
    sa.Column("type", sa.String(40), nullable=False),
    # At most one unfinished job of a type has the same key, such as an account that should be read once.
    sa.Column("job_key", sa.String(200)),
    sa.Column("status", sa.String(10), nullable=False),
    sa.Column("input", Json, nullable=False),
    # Its state: what the last step left for the next, also after a crash.
    sa.Column("state", Json),
    sa.Column("done", sa.BigInteger),
    sa.Column("total", sa.BigInteger),
    sa.Column("unit", sa.String(20)),
    sa.Column("result", Json),
    sa.Column("error", Json),
    sa.Column("due_at", UtcDateTime),
    sa.Column("claim_id", Id),
    sa.Column("claim_until", UtcDateTime),
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    sa.Column("cancel_at", UtcDateTime),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("started_at", UtcDateTime),
    sa.Column("finished_at", UtcDateTime),
    # When the record is deleted. Null while the job is unfinished.
    sa.Column("expires_at", UtcDateTime),
    sa.Index("ix_jobs_due_at", "due_at", "id", postgresql_where=_HAS_DUE_TIME, sqlite_where=_HAS_DUE_TIME),
    sa.Index(
        "uq_jobs_key",
        "owner_id",
        "type",
        "job_key",
        unique=True,
        postgresql_where=_IS_UNFINISHED_WITH_KEY,
        sqlite_where=_IS_UNFINISHED_WITH_KEY,
    ),
    sa.Index("ix_jobs_expires_at", "expires_at"),
)


def get_owner_jobs_wakeup_key(owner_id: str) -> str:
    """The hint that something about the jobs of an owner has changed."""
    return f"jobs of {owner_id}"


class JobStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    profile_id: str | None
    type: str
    job_key: str | None
    status: JobStatus
    input: Mapping[str, Any]
    state: Any
    done: int | None
    total: int | None
    unit: str | None
    result: Any
    error: Mapping[str, Any] | None
    due_at: datetime | None
    claim_id: str | None
    claim_until: datetime | None
    tries: int
    cancel_at: datetime | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    expires_at: datetime | None


read_job = build_row_reader(JobRow, jobs)


class JobQueue(RowQueue[JobRow]):
    """The due jobs of the types that this process knows, with no more per owner at a time than the type allows.

    That limit holds across all nodes: only one process claims at a time, which takes a millisecond, and there are few
    jobs.
    """

    def __init__(self, per_owner: Mapping[str, int | None], lease: timedelta) -> None:
        types = jobs.c.type.in_(sorted(per_owner))
        super().__init__(jobs, read_job, tries_column="tries", lease=lease, where=types)
        self._per_owner = per_owner
        started = sa.func.coalesce(jobs.c.started_at, sa.bindparam("began", type_=jobs.c.started_at.type))
        self._update_claim = self._update_claim.values(status=JobStatus.RUNNING, started_at=started)
        now = sa.bindparam("now", type_=jobs.c.claim_until.type)
        self._select_due_jobs = sa.select(jobs).where(self.is_due(now))
        self._select_candidates = _order_limit_and_lock(self._select_due_jobs)
        column_element = sa.and_(jobs.c.due_at.is_not(None), jobs.c.claim_until >= now)
        counted = sa.select(jobs.c.owner_id, jobs.c.type, sa.func.count().label("number")).where(column_element)
        self._count_running_statement = counted.group_by(jobs.c.owner_id, jobs.c.type)

    async def claim(self, tx: Tx, most: int) -> list[ClaimedRow[JobRow]]:
        await tx.lock(JOBS_WAKEUP_KEY)
        running = await self._count_running(tx)
        rows = await tx.all(self._build_candidate_select(running), {"now": tx.now})
        chosen: list[Any] = []
        for row in rows:
            limit = self._per_owner[row.type]
            place = (row.owner_id, row.type)
            if len(chosen) < most and (limit is None or running.get(place, 0) < limit):
                running[place] = running.get(place, 0) + 1
                chosen.append(row)
        claimed = await self.claim_rows(tx, chosen)
        tx.wake_on_commit(*(get_owner_jobs_wakeup_key(row.row.owner_id) for row in claimed))
        return claimed

    def _get_extra_claim_values(self, tx: Tx) -> dict[str, Any]:
        return {"began": tx.now}

    async def _count_running(self, tx: Tx) -> dict[tuple[str, str], int]:
        rows = await tx.all(self._count_running_statement, {"now": tx.now})
        return {(row.owner_id, row.type): row.number for row in rows}

    def _build_candidate_select(self, running: Mapping[tuple[str, str], int]) -> sa.Select[Any]:
        """Leave out owners who have reached their limit, so that their waiting jobs do not hide those of others."""
        limits = self._per_owner
        full = [item for item, number in running.items() if number >= (limits.get(item[1]) or number + 1)]
        if not full:
            return self._select_candidates
        of_others = (sa.not_(sa.and_(jobs.c.owner_id == owner, jobs.c.type == kind)) for owner, kind in full)
        return _order_limit_and_lock(self._select_due_jobs.where(*of_others))


def _order_limit_and_lock(due: sa.Select[Any]) -> sa.Select[Any]:
    return due.order_by(jobs.c.due_at, jobs.c.id).limit(_MAX_CANDIDATES).with_for_update(skip_locked=True)


async def insert_job(tx: Tx, owner_id: str, values: dict[str, Any]) -> JobRow | None:
    """Insert a job. Returns None if an unfinished job of the same type has its key."""
    row = await tx.first(tx.build_insert_if_absent(jobs, returning=True), {"owner_id": owner_id, **values})
    return None if row is None else read_job(row)


async def find_job(tx: Tx, owner_id: str, job_id: str) -> JobRow | None:
    row = await tx.first(sa.select(jobs).where(jobs.c.owner_id == owner_id, jobs.c.id == job_id))
    return None if row is None else read_job(row)


async def find_job_for_update(tx: Tx, owner_id: str, job_id: str) -> JobRow | None:
    statement = sa.select(jobs).where(jobs.c.owner_id == owner_id, jobs.c.id == job_id)
    row = await tx.first(statement.with_for_update())
    return None if row is None else read_job(row)


async def find_unfinished_job_by_key(tx: Tx, owner_id: str, kind: str, key: str) -> JobRow | None:
    """Find the unfinished job of a type that has a key."""
    statement = sa.select(jobs).where(
        jobs.c.owner_id == owner_id, jobs.c.type == kind, jobs.c.job_key == key, jobs.c.finished_at.is_(None)
    )
    row = await tx.first(statement)
    return None if row is None else read_job(row)


async def find_earlier_unfinished_job(
    tx: Tx, owner_id: str, kind: str, job_id: str, input_match: tuple[str, str]
) -> JobRow | None:
    """Find the oldest unfinished job of a type that was created before another, and has this value in its input."""
    name, value = input_match
    statement = sa.select(jobs).where(
        jobs.c.owner_id == owner_id,
        jobs.c.type == kind,
        jobs.c.id < job_id,
        jobs.c.finished_at.is_(None),
        jobs.c.input[name].as_string() == value,
    )
    row = await tx.first(statement.order_by(jobs.c.id).limit(1))
    return None if row is None else read_job(row)


async def update_job(tx: Tx, owner_id: str, job_id: str, values: dict[str, Any]) -> None:
    await tx.execute(sa.update(jobs).where(jobs.c.owner_id == owner_id, jobs.c.id == job_id).values(**values))


async def count_unfinished_jobs(tx: Tx, owner_id: str, types: Collection[str]) -> int:
    """Count the unfinished jobs of an owner."""
    statement = sa.select(sa.func.count()).where(
        jobs.c.owner_id == owner_id, jobs.c.type.in_(sorted(types)), jobs.c.finished_at.is_(None)
    )
    return int(await tx.scalar(statement))


async def list_recent_jobs(
    tx: Tx, owner_id: str, profiles: Collection[str] | None, types: Collection[str], since: datetime
) -> list[sa.Row[Any]]:
    """Return the status of an owner's jobs that are unfinished or finished since then, for some or all profiles."""
    shown = (jobs.c.id, jobs.c.type, jobs.c.status, jobs.c.done, jobs.c.total, jobs.c.unit, jobs.c.finished_at)
    statement = sa.select(*shown).where(
        jobs.c.owner_id == owner_id,
        jobs.c.type.in_(sorted(types)),
        sa.or_(jobs.c.finished_at.is_(None), jobs.c.finished_at >= since),
    )
    if profiles is not None:
        statement = statement.where(jobs.c.profile_id.in_(sorted(profiles)))
    return list(await tx.all(statement.order_by(jobs.c.id)))


async def purge_jobs(tx: Tx, now: datetime) -> int:
    return await tx.execute_and_count(sa.delete(jobs).where(jobs.c.expires_at < now))
