"""The lane store on SQLite, on the driver itself.

Every question is one hop to a thread that has its own connection: through SQLAlchemy each statement was several
hops, and the worker spent more time hopping than sending.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from socialgate.core.ids import first_id_at
from socialgate.delivery.store import CONFIGURED, TEST_WINDOW, Job, Lane, LaneNews, Result, Waiting

T = TypeVar("T")

_CANCEL_BATCH = 5000
_BUSY_SECONDS = 10.0

_LANE_COLUMNS = """
    l.hook_id, l.owner_id, l.claim_id, h.url, h.active, h.ordered, h.max_per_second, h.tested_at, h.activated_at,
    h.secret, h.previous_secret, h.previous_until, l.paused_until, l.failures_in_row, l.exhausted, l.last_success_at
"""
_FREE = """
    (l.lease_until IS NULL OR l.lease_until <= :now) AND h.deleted_at IS NULL
    AND (h.active OR h.tested_at > :tested_after)
"""
_HOOK = "JOIN hooks h ON h.owner_id = l.owner_id AND h.id = l.hook_id"

# See store_postgres: the time depends on the number of hooks with pending rows, not on the number of rows.
_WAITING = f"""
    WITH RECURSIVE leap(hook_id) AS (
        SELECT * FROM (SELECT hook_id FROM deliveries WHERE status = 'pending' ORDER BY hook_id LIMIT 1)
        UNION ALL
        SELECT (SELECT d.hook_id FROM deliveries d WHERE d.status = 'pending' AND d.hook_id > leap.hook_id
                ORDER BY d.hook_id LIMIT 1)
        FROM leap WHERE leap.hook_id IS NOT NULL
    )
    SELECT leap.hook_id, l.paused_until,
           (SELECT d.due_at FROM deliveries d WHERE d.status = 'pending' AND d.hook_id = leap.hook_id
            ORDER BY d.due_at LIMIT 1) AS due_at
    FROM leap JOIN lanes l ON l.hook_id = leap.hook_id {_HOOK} WHERE {_FREE}
"""  # noqa: S608 - made of our own conditions

_FETCH = """
    SELECT d.id, d.event_id, d.event, e.body, d.due_at, d.attempt_count, d.attempts
    FROM (
        SELECT owner_id, id, event_id, event, due_at, attempt_count, attempts FROM deliveries
        WHERE hook_id = :hook_id AND status = 'pending' AND due_at <= :now AND (due_at, id) > (:due_at, :id) {condition}
        ORDER BY due_at, id LIMIT :limit
    ) d
    JOIN events e ON e.owner_id = d.owner_id AND e.id = d.event_id
    ORDER BY d.due_at, d.id
"""
_TESTS = "AND event = 'webhook.test' AND id >= :first_test"

_WRITE_LANE = """
    UPDATE lanes SET
        claim_id = CASE WHEN :release THEN NULL ELSE claim_id END,
        lease_until = CASE WHEN :release THEN NULL ELSE lease_until END,
        succeeded = succeeded + :succeeded, failed = failed + :failed, failures_in_row = :failures_in_row,
        exhausted = :exhausted, last_success_at = :last_success_at,
        last_failure_at = COALESCE(:last_failure_at, last_failure_at), paused_until = :paused_until
    WHERE hook_id = :hook_id
"""
_WRITE_RESULT = """
    UPDATE deliveries SET status = ?, due_at = ?, attempt_count = ?, attempts = ?, completed_at = ?
    WHERE owner_id = ? AND hook_id = ? AND id = ? AND status = 'pending'
"""
_DISABLE = """
    UPDATE hooks SET active = 0, disabled_reason = :reason, deactivated_at = :now, updated_at = :version
    WHERE owner_id = :owner_id AND id = :hook_id AND active
"""
_CANCEL = """
    UPDATE deliveries SET status = 'cancelled', due_at = NULL, completed_at = :now WHERE rowid IN (
        SELECT d.rowid FROM hooks h JOIN deliveries d ON d.hook_id = h.id AND d.status = 'pending'
        WHERE h.deleted_at IS NOT NULL
           OR (NOT h.active AND d.event <> 'webhook.test'
               AND (h.disabled_reason = 'gone' OR h.deactivated_at <= :waited_since))
        LIMIT :limit
    )
"""


class SqliteLanes:
    def __init__(self, path: Path, writing: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
        """`writing` is the turn of this process among its own writers."""
        self._writing = writing
        self._reader = _Thread(path)
        self._writer = _Thread(path)

    async def waiting(self, now: datetime) -> list[Waiting]:
        return await self._reader.run(_waiting, now)

    async def claim(self, hook_ids: Sequence[str], claim_id: str, now: datetime, until: datetime) -> list[Lane]:
        async with self._writing():
            return await self._writer.run(_claim, hook_ids, claim_id, now, until)

    async def fetch(self, lane: Lane, after: Job | None, limit: int, now: datetime) -> list[Job] | None:
        return await self._reader.run(_fetch, lane, after, limit, now)

    async def record(self, results: Sequence[Result], news: Sequence[LaneNews]) -> set[str]:
        async with self._writing():
            return await self._writer.run(_record, results, news)

    async def renew(self, claim_ids: Sequence[str], until: datetime) -> set[str]:
        async with self._writing():
            return await self._writer.run(_renew, claim_ids, until)

    async def disable(self, lane: Lane, reason: str, now: datetime) -> None:
        async with self._writing():
            await self._writer.run(_disable, lane, reason, now)

    async def cancel_abandoned(self, now: datetime, waited_since: datetime) -> int:
        values = {"now": _text(now), "waited_since": _text(waited_since), "limit": _CANCEL_BATCH}
        async with self._writing():
            return await self._writer.run(_change, _CANCEL, values)

    async def close(self) -> None:
        await self._reader.close()
        await self._writer.close()


class _Thread:
    """A connection and the thread that it lives in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="lanes")
        self._connection: sqlite3.Connection | None = None

    async def run(self, question: Callable[..., T], *args: Any) -> T:
        loop = asyncio.get_running_loop()
        # Shielded: a cancelled writer must not leave its transaction open in the thread.
        return await asyncio.shield(loop.run_in_executor(self._executor, partial(self._ask, question, *args)))

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._executor, self._close)
        self._executor.shutdown(wait=False)

    def _ask(self, question: Callable[..., T], *args: Any) -> T:
        if self._connection is None:
            self._connection = _connect(self._path)
        return question(self._connection, *args)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _waiting(connection: sqlite3.Connection, now: datetime) -> list[Waiting]:
    rows = connection.execute(_WAITING, _moments(now)).fetchall()
    return [
        Waiting(hook_id=row["hook_id"], due_at=max(_time(row["due_at"]), _time(row["paused_until"] or row["due_at"])))
        for row in rows
        if row["due_at"] is not None
    ]


def _claim(
    connection: sqlite3.Connection, hook_ids: Sequence[str], claim_id: str, now: datetime, until: datetime
) -> list[Lane]:
    values = {**_moments(now), **_named("h", hook_ids)}
    free = (
        f"SELECT l.hook_id FROM lanes l {_HOOK} WHERE {_FREE} "  # noqa: S608 - made of our own conditions
        f"AND (l.paused_until IS NULL OR l.paused_until <= :now) AND l.hook_id IN ({_marks('h', hook_ids)})"
    )
    with _transaction(connection):
        taken = [row["hook_id"] for row in connection.execute(free, values)]
        connection.executemany(
            "UPDATE lanes SET claim_id = ?, lease_until = ? WHERE hook_id = ?",
            [(claim_id, _text(until), hook_id) for hook_id in taken],
        )
    return [lane for hook_id in taken if (lane := _read_lane(connection, hook_id, claim_id)) is not None]


def _read_lane(connection: sqlite3.Connection, hook_id: str, claim_id: str) -> Lane | None:
    row = connection.execute(
        f"SELECT {_LANE_COLUMNS} FROM lanes l {_HOOK} "  # noqa: S608 - made of our own columns
        "WHERE l.hook_id = ? AND l.claim_id = ? AND h.deleted_at IS NULL",
        (hook_id, claim_id),
    ).fetchone()
    return None if row is None else Lane(**{name: _value(name, row[name]) for name in row.keys()})  # noqa: SIM118 - a Row iterates its values


def _fetch(
    connection: sqlite3.Connection, lane: Lane, after: Job | None, limit: int, now: datetime
) -> list[Job] | None:
    fresh = _read_lane(connection, lane.hook_id, lane.claim_id)
    if fresh is None:
        return None
    for name in CONFIGURED:
        setattr(lane, name, getattr(fresh, name))
    values = {
        "hook_id": lane.hook_id,
        "now": _text(now),
        "due_at": "" if after is None else _text(after.due_at),
        "id": "" if after is None else after.id,
        "limit": limit,
        "first_test": first_id_at("dlv", (lane.tested_at or now) - timedelta(seconds=1)),
    }
    rows = connection.execute(_FETCH.format(condition="" if lane.active else _TESTS), values)
    return [
        Job(
            id=row[0],
            event_id=row[1],
            event=row[2],
            body=row[3],
            due_at=_time(row[4]),
            attempt_count=row[5],
            attempts=row[6],
        )
        for row in rows
    ]


def _record(connection: sqlite3.Connection, results: Sequence[Result], news: Sequence[LaneNews]) -> set[str]:
    claims = {lane.hook_id: lane.claim_id for lane in news}
    with _transaction(connection):
        hook_ids = list(claims)
        rows = connection.execute(
            f"SELECT hook_id, claim_id FROM lanes WHERE hook_id IN ({_marks('h', hook_ids)})",  # noqa: S608 - marks only
            _named("h", hook_ids),
        )
        held = {row["hook_id"] for row in rows if row["claim_id"] == claims[row["hook_id"]]}
        connection.executemany(_WRITE_LANE, [_lane_values(lane) for lane in news if lane.hook_id in held])
        connection.executemany(_WRITE_RESULT, [_result_values(r) for r in results if r.hook_id in held])
    return held


def _lane_values(news: LaneNews) -> dict[str, Any]:
    return {
        "hook_id": news.hook_id,
        "release": news.release,
        "succeeded": news.succeeded,
        "failed": news.failed,
        "failures_in_row": news.failures_in_row,
        "exhausted": news.exhausted,
        "last_success_at": _text(news.last_success_at),
        "last_failure_at": _text(news.last_failure_at),
        "paused_until": _text(news.paused_until),
    }


def _result_values(result: Result) -> tuple[Any, ...]:
    return (
        result.status,
        _text(result.due_at),
        result.attempt_count,
        result.attempts,
        _text(result.completed_at),
        result.owner_id,
        result.hook_id,
        result.id,
    )


def _renew(connection: sqlite3.Connection, claim_ids: Sequence[str], until: datetime) -> set[str]:
    with _transaction(connection):
        rows = connection.execute(
            f"UPDATE lanes SET lease_until = :until WHERE claim_id IN ({_marks('c', claim_ids)}) RETURNING hook_id",  # noqa: S608 - marks only
            {"until": _text(until), **_named("c", claim_ids)},
        ).fetchall()
    return {row["hook_id"] for row in rows}


def _disable(connection: sqlite3.Connection, lane: Lane, reason: str, now: datetime) -> None:
    key = {"owner_id": lane.owner_id, "hook_id": lane.hook_id}
    with _transaction(connection):
        row = connection.execute("SELECT updated_at FROM hooks WHERE owner_id = :owner_id AND id = :hook_id", key)
        version = max(now, _time(row.fetchone()[0]) + timedelta(microseconds=1))
        connection.execute(_DISABLE, {**key, "reason": reason, "now": _text(now), "version": _text(version)})


def _change(connection: sqlite3.Connection, statement: str, values: dict[str, Any]) -> int:
    with _transaction(connection):
        return connection.execute(statement, values).rowcount


class _transaction:  # noqa: N801 - reads as a word at its place of use
    """All of it or nothing. The lock is taken at once, since upgrading a read lock fails under load."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        if self._connection.in_transaction:
            self._connection.execute("COMMIT" if kind is None else "ROLLBACK")


def _moments(now: datetime) -> dict[str, Any]:
    return {"now": _text(now), "tested_after": _text(now - TEST_WINDOW)}


def _named(prefix: str, values: Sequence[str]) -> dict[str, str]:
    return {f"{prefix}{index}": value for index, value in enumerate(values)}


def _marks(prefix: str, values: Sequence[str]) -> str:
    return ", ".join(f":{prefix}{index}" for index in range(len(values)))


def _text(moment: datetime | None) -> str | None:
    """Write a time as the rest of the service does on SQLite."""
    return None if moment is None else moment.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _value(name: str, stored: Any) -> Any:
    if stored is not None and name.endswith(("_at", "_until")):
        return _time(stored)
    return bool(stored) if name in {"active", "ordered"} else stored
