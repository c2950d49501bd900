"""The lane store on SQLite, directly on the driver.

Every query is one switch to a thread that has its own connection: through SQLAlchemy each statement was several
switches, and the worker spent more time switching than sending.

It has more than 400 lines: nearly half of them are the statements, which belong to the functions that read their rows.
"""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from socialgate.core.ids import first_id_at
from socialgate.core.sqlite import EventLoopReader, ThreadedConnections, format_sqlite_time, parse_sqlite_time
from socialgate.delivery.store import (
    HOOK_FIELDS,
    TEST_DELIVERY_WINDOW,
    ClaimCheck,
    DeliveryResult,
    DeliveryUsage,
    DueDelivery,
    Lane,
    LaneUpdate,
    WaitingHook,
    list_delivery_usage,
)

_Row: TypeAlias = tuple[Any, ...]

_CANCEL_BATCH = 5000
_RESULT_HOOK_ID_INDEX = 1
_ID_INDEX, _DUE_AT_INDEX = 0, 4
_FETCHED_ROWS_DECODER = msgspec.json.Decoder(list[tuple[str, str, str, str, str, int, str | None, str]])

# A claim need not be on the disk: if the power fails, it is lost like an expired lease. It does not move the log into
# the database either, which waits for the disk too.
_WITHOUT_DISK = ("PRAGMA synchronous = NORMAL", "PRAGMA wal_autocheckpoint = 0")
_LANE_COLUMNS = """
    l.hook_id, l.owner_id, l.claim_id, h.url, h.active, h.ordered, h.max_per_second, h.tested_at, h.activated_at,
    h.secret, h.previous_secret, h.previous_until, l.generation, l.at_once, l.paused_until, l.failures_in_row,
    l.exhausted, l.last_success_at
"""
# The columns of a lane, in the order of its fields; the last field is no column.
_LANE_FIELDS = Lane.__struct_fields__[:-1]
_IS_CLAIMABLE = """
    (l.lease_until IS NULL OR l.lease_until <= :now) AND h.deleted_at IS NULL
    AND (h.active OR h.tested_at > :tested_after)
"""
_JOIN_HOOK = "JOIN hooks h ON h.owner_id = l.owner_id AND h.id = l.hook_id"

# See store_postgres: the time depends on the number of hooks with pending rows, not on the number of rows.
_SELECT_WAITING_HOOKS = f"""
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
    FROM leap JOIN lanes l ON l.hook_id = leap.hook_id {_JOIN_HOOK} WHERE {_IS_CLAIMABLE}
"""  # noqa: S608 - made of our own conditions

_HOOK_COLUMNS = f"{', '.join(f'h.{name}' for name in HOOK_FIELDS[:-1])}, l.{HOOK_FIELDS[-1]}"
_OF_HELD_LANE = (
    f"FROM lanes l {_JOIN_HOOK} WHERE l.hook_id = :hook_id AND l.claim_id = :claim_id AND h.deleted_at IS NULL"
)
_REFRESH_HOOK = f"SELECT {_HOOK_COLUMNS} {_OF_HELD_LANE}"
# The current hook and its due deliveries in one statement. All rows are one JSON text, for the same reason as below.
# Bodies and attempts, JSON themselves, are passed as text.
_FETCH_DELIVERIES = f"""
    SELECT {_HOOK_COLUMNS}, (
        SELECT json_group_array(json_array(
            d.id, d.event_id, d.event, CAST(e.body AS TEXT), d.due_at, d.attempt_count, CAST(d.attempts AS TEXT),
            e.profile_id
        ))
        FROM (
            SELECT owner_id, id, event_id, event, due_at, attempt_count, attempts FROM deliveries
            WHERE hook_id = :hook_id AND status = 'pending' AND due_at <= :now AND (due_at, id) > (:due_at, :id)
              {{condition}}
            ORDER BY due_at, id LIMIT :limit
        ) d
        JOIN events e ON e.owner_id = d.owner_id AND e.id = d.event_id
    )
    {_OF_HELD_LANE}
"""  # noqa: S608 - made of our own column names
_ONLY_TEST_EVENTS = "AND event = 'webhook.test' AND id >= :first_test"

# One statement for all rows of a batch, which are passed as JSON: the driver releases the GIL for every statement, and
# its thread then has to get it back from a busy event loop while the whole process waits for its turn to write.
_WRITE_LANES = """
    UPDATE lanes SET
        claim_id = CASE WHEN n.release THEN NULL ELSE claim_id END,
        lease_until = CASE WHEN n.release THEN NULL ELSE lease_until END,
        succeeded = lanes.succeeded + n.succeeded, failed = lanes.failed + n.failed,
        at_once = n.at_once, last_success_at = n.last_success_at,
        last_failure_at = COALESCE(n.last_failure_at, lanes.last_failure_at),
        failures_in_row = CASE generation WHEN n.generation_seen THEN n.failures_in_row ELSE lanes.failures_in_row END,
        exhausted = CASE generation WHEN n.generation_seen THEN n.exhausted ELSE lanes.exhausted END,
        paused_until = CASE generation WHEN n.generation_seen THEN n.paused_until ELSE lanes.paused_until END
    FROM (
        SELECT json_extract(value, '$[0]') AS hook_id, json_extract(value, '$[1]') AS claim,
               json_extract(value, '$[2]') AS release, json_extract(value, '$[3]') AS succeeded,
               json_extract(value, '$[4]') AS failed, json_extract(value, '$[5]') AS failures_in_row,
               json_extract(value, '$[6]') AS exhausted, json_extract(value, '$[7]') AS last_success_at,
               json_extract(value, '$[8]') AS last_failure_at, json_extract(value, '$[9]') AS paused_until,
               json_extract(value, '$[10]') AS generation_seen, json_extract(value, '$[11]') AS at_once
        FROM json_each(?)
    ) AS n
    WHERE lanes.hook_id = n.hook_id AND lanes.claim_id = n.claim
    RETURNING hook_id
"""
_WRITE_RESULTS = """
    UPDATE deliveries SET
        status = r.status, due_at = r.due_at, attempt_count = r.attempt_count, attempts = r.attempts,
        completed_at = r.completed_at
    FROM (
        SELECT json_extract(value, '$[0]') AS owner_id, json_extract(value, '$[1]') AS hook_id,
               json_extract(value, '$[2]') AS id, json_extract(value, '$[3]') AS status,
               json_extract(value, '$[4]') AS due_at, json_extract(value, '$[5]') AS attempt_count,
               CAST(json_extract(value, '$[6]') AS BLOB) AS attempts, json_extract(value, '$[7]') AS completed_at
        FROM json_each(?)
    ) AS r
    WHERE deliveries.owner_id = r.owner_id AND deliveries.hook_id = r.hook_id AND deliveries.id = r.id
      AND deliveries.status = 'pending'
"""
_INSERT_DELIVERY_USAGE = """
    INSERT INTO usage_days (owner_id, metric, day, part_id, used)
    SELECT json_extract(value, '$.owner_id'), 'deliveries', json_extract(value, '$.day'),
           json_extract(value, '$.part_id'), sum(json_extract(value, '$.used'))
    FROM json_each(?) WHERE true GROUP BY 1, 3, 4
    ON CONFLICT (owner_id, metric, day, part_id) DO UPDATE SET used = usage_days.used + excluded.used
"""
_CLAIM_LANES = f"""
    UPDATE lanes SET claim_id = :claim_id, lease_until = :until WHERE hook_id IN (
        SELECT l.hook_id FROM json_each(:hook_ids) j JOIN lanes l ON l.hook_id = j.value {_JOIN_HOOK}
        WHERE {_IS_CLAIMABLE} AND (l.paused_until IS NULL OR l.paused_until <= :now)
    )
"""  # noqa: S608 - made of our own conditions
_READ_LANES = f"""
    SELECT {_LANE_COLUMNS} FROM json_each(?) j JOIN lanes l ON l.hook_id = j.value {_JOIN_HOOK}
    WHERE l.claim_id = ? AND h.deleted_at IS NULL
"""  # noqa: S608 - made of our own columns
_RENEW_LEASES = """
    UPDATE lanes SET lease_until = ? WHERE claim_id IN (SELECT value FROM json_each(?)) RETURNING hook_id
"""
_SELECT_CURRENT_CLAIM = """
    SELECT 1 FROM lanes WHERE hook_id = :hook_id AND claim_id = :claim_id AND generation = :generation
"""
_DISABLE_HOOK = """
    UPDATE hooks SET active = 0, disabled_reason = :reason, deactivated_at = :now, updated_at = :version
    WHERE owner_id = :owner_id AND id = :hook_id AND active
      AND :generation = (SELECT l.generation FROM lanes l WHERE l.hook_id = :hook_id)
"""
_CANCEL_DELIVERIES = """
    UPDATE deliveries SET status = 'cancelled', due_at = NULL, completed_at = :now WHERE rowid IN (
        SELECT d.rowid FROM hooks h JOIN deliveries d ON d.hook_id = h.id AND d.status = 'pending'
        WHERE h.deleted_at IS NOT NULL
           OR (NOT h.active AND d.event <> 'webhook.test'
               AND (h.disabled_reason = 'gone' OR h.deactivated_at <= :waited_since))
        LIMIT :limit
    )
"""


class SqliteLaneStore:
    """There is one writer at a time, so no lane is ever busy."""

    is_shared = False

    def __init__(self, path: Path, take_writer_turn: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
        """`take_writer_turn` is the turn of this process among its own writers."""
        self._writing = take_writer_turn
        self._loop_reader = EventLoopReader(path)
        self._reader = ThreadedConnections(path, 1)
        self._writer = ThreadedConnections(path, 1)
        self._claimer = ThreadedConnections(path, 1, *_WITHOUT_DISK)

    async def list_waiting_hooks(self, now: datetime) -> list[WaitingHook]:
        return await self._reader.run(_list_waiting_hooks, now)

    async def claim(self, hook_ids: Sequence[str], claim_id: str, now: datetime, until: datetime) -> list[Lane]:
        async with self._writing():
            return await self._claimer.run(_claim, hook_ids, claim_id, now, until)

    async def fetch_due_deliveries(
        self, lane: Lane, after: DueDelivery | None, limit: int, now: datetime
    ) -> list[DueDelivery] | None:
        try:
            return self._loop_reader.run(_fetch_due_deliveries, lane, after, limit, now)
        except sqlite3.OperationalError:
            return await self._reader.run(_fetch_due_deliveries, lane, after, limit, now)

    async def refresh(self, lane: Lane) -> None:
        await self._reader.run(_refresh, lane)

    async def record_results(self, results: Sequence[DeliveryResult], news: Sequence[LaneUpdate]) -> ClaimCheck:
        rows, lanes = [_result_row(result) for result in results], [_lane_row(lane) for lane in news]
        everything = _encode_json(rows)
        async with self._writing():
            return ClaimCheck(
                await self._writer.run(_record_results, rows, lanes, everything, list_delivery_usage(news))
            )

    async def renew_leases(self, claim_ids: Sequence[str], until: datetime) -> ClaimCheck:
        async with self._writing():
            return ClaimCheck(await self._claimer.run(_renew_leases, claim_ids, until))

    async def disable_hook(self, lane: Lane, reason: str, now: datetime, failed: Sequence[DeliveryResult] = ()) -> bool:
        rows = _encode_json([_result_row(result) for result in failed])
        async with self._writing():
            return await self._writer.run(_disable_hook, lane, reason, now, rows)

    async def cancel_abandoned(self, now: datetime, waited_since: datetime) -> int:
        values = {"now": _format_time(now), "waited_since": _format_time(waited_since), "limit": _CANCEL_BATCH}
        async with self._writing():
            return await self._writer.run(_execute_and_count, _CANCEL_DELIVERIES, values)

    async def close(self) -> None:
        self._loop_reader.close()
        await self._reader.close()
        await self._writer.close()
        await self._claimer.close()


def _list_waiting_hooks(connection: sqlite3.Connection, now: datetime) -> list[WaitingHook]:
    rows = connection.execute(_SELECT_WAITING_HOOKS, _build_time_parameters(now)).fetchall()
    return [
        WaitingHook(hook_id=hook_id, due_at=max(parse_sqlite_time(due_at), parse_sqlite_time(paused_until or due_at)))
        for hook_id, paused_until, due_at in rows
        if due_at is not None
    ]


def _claim(
    connection: sqlite3.Connection, hook_ids: Sequence[str], claim_id: str, now: datetime, until: datetime
) -> list[Lane]:
    expected = _encode_json(hook_ids)
    with _transaction(connection):
        connection.execute(
            _CLAIM_LANES,
            {**_build_time_parameters(now), "claim_id": claim_id, "until": _format_time(until), "hook_ids": expected},
        )
    return _read_lanes(connection, expected, claim_id)


def _read_lanes(connection: sqlite3.Connection, hook_ids: str, claim_id: str) -> list[Lane]:
    rows = connection.execute(_READ_LANES, (hook_ids, claim_id)).fetchall()
    return [
        Lane(**{name: _convert_column(name, stored) for name, stored in zip(_LANE_FIELDS, row, strict=True)})
        for row in rows
    ]


def _refresh(connection: sqlite3.Connection, lane: Lane) -> None:
    row = connection.execute(_REFRESH_HOOK, {"hook_id": lane.hook_id, "claim_id": lane.claim_id}).fetchone()
    if row is not None:
        _copy_hook_fields(lane, row)


def _copy_hook_fields(lane: Lane, row: Sequence[Any]) -> None:
    for name, stored in zip(HOOK_FIELDS, row, strict=False):
        setattr(lane, name, _convert_column(name, stored))


def _fetch_due_deliveries(
    connection: sqlite3.Connection, lane: Lane, after: DueDelivery | None, limit: int, now: datetime
) -> list[DueDelivery] | None:
    values = {
        "hook_id": lane.hook_id,
        "claim_id": lane.claim_id,
        "now": _format_time(now),
        "due_at": "" if after is None else _format_time(after.due_at),
        "id": "" if after is None else after.id,
        "limit": limit,
    }
    condition = ""
    if not lane.active:
        condition = _ONLY_TEST_EVENTS
        values["first_test"] = first_id_at("dlv", (lane.tested_at or now) - timedelta(seconds=1))
    row = connection.execute(_FETCH_DELIVERIES.format(condition=condition), values).fetchone()
    if row is None:
        return None
    seen = lane.active, lane.tested_at
    _copy_hook_fields(lane, row)
    # What was read depends on these two.
    if seen != (lane.active, lane.tested_at):
        return _fetch_due_deliveries(connection, lane, after, limit, now)
    return _decode_deliveries(row[-1])


def _decode_deliveries(text: str) -> list[DueDelivery]:
    result = _FETCHED_ROWS_DECODER.decode(text)
    # An aggregate guarantees no order.
    result.sort(key=itemgetter(_DUE_AT_INDEX, _ID_INDEX))
    return [
        DueDelivery(
            id=delivery_id,
            event_id=event_id,
            event=event,
            body=body.encode(),
            due_at=parse_sqlite_time(due_at),
            attempt_count=attempt_count,
            attempts=None if attempts is None else attempts.encode(),
            profile_id=profile_id,
        )
        for delivery_id, event_id, event, body, due_at, attempt_count, attempts, profile_id in result
    ]


def _record_results(
    connection: sqlite3.Connection,
    results: Sequence[_Row],
    lanes: Sequence[_Row],
    results_json: str,
    uses: Sequence[DeliveryUsage],
) -> set[str]:
    """Write lanes whose claim is valid, and their results. `results_json` is all results: most claims are valid."""
    with _transaction(connection):
        items = {hook_id for (hook_id,) in connection.execute(_WRITE_LANES, (_encode_json(lanes),)).fetchall()}
        if len(items) < len(lanes):
            results_json = _encode_json([row for row in results if row[_RESULT_HOOK_ID_INDEX] in items])
        connection.execute(_WRITE_RESULTS, (results_json,))
        metered = [use for use in uses if use.hook_id in items]
        if metered:
            connection.execute(_INSERT_DELIVERY_USAGE, (_encode_json(metered),))
    return items


def _lane_row(news: LaneUpdate) -> _Row:
    return (
        news.hook_id,
        news.claim_id,
        news.release,
        news.succeeded,
        news.failed,
        news.consecutive_failures,
        news.exhausted,
        _format_time(news.last_success_at),
        _format_time(news.last_failure_at),
        _format_time(news.paused_until),
        news.generation,
        news.at_once,
    )


def _result_row(result: DeliveryResult) -> _Row:
    return (
        result.owner_id,
        result.hook_id,
        result.id,
        result.status,
        _format_time(result.due_at),
        result.attempt_count,
        result.attempts.decode(),
        _format_time(result.completed_at),
    )


def _renew_leases(connection: sqlite3.Connection, claim_ids: Sequence[str], until: datetime) -> set[str]:
    with _transaction(connection):
        rows = connection.execute(_RENEW_LEASES, (_format_time(until), _encode_json(claim_ids))).fetchall()
    return {hook_id for (hook_id,) in rows}


def _disable_hook(connection: sqlite3.Connection, lane: Lane, reason: str, now: datetime, failed: str) -> bool:
    key = {"owner_id": lane.owner_id, "hook_id": lane.hook_id}
    with _transaction(connection):
        row = connection.execute("SELECT updated_at FROM hooks WHERE owner_id = :owner_id AND id = :hook_id", key)
        version = max(now, parse_sqlite_time(row.fetchone()[0]) + timedelta(microseconds=1))
        values = {
            "reason": reason,
            "now": _format_time(now),
            "version": _format_time(version),
            "generation": lane.generation,
        }
        claim = {"hook_id": lane.hook_id, "claim_id": lane.claim_id, "generation": lane.generation}
        if connection.execute(_SELECT_CURRENT_CLAIM, claim).fetchone():
            connection.execute(_WRITE_RESULTS, (failed,))
        return connection.execute(_DISABLE_HOOK, {**key, **values}).rowcount > 0


def _execute_and_count(connection: sqlite3.Connection, statement: str, values: dict[str, Any]) -> int:
    with _transaction(connection):
        return connection.execute(statement, values).rowcount


class _transaction:  # noqa: N801 - reads as a word at its place of use
    """All of it or nothing. The lock is taken immediately, because upgrading a read lock fails under load."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        if self._connection.in_transaction:
            self._connection.execute("COMMIT" if kind is None else "ROLLBACK")


def _build_time_parameters(now: datetime) -> dict[str, Any]:
    return {"now": _format_time(now), "tested_after": _format_time(now - TEST_DELIVERY_WINDOW)}


def _encode_json(values: Sequence[Any]) -> str:
    return msgspec.json.encode(values).decode()


def _format_time(moment: datetime | None) -> str | None:
    return None if moment is None else format_sqlite_time(moment)


_COLUMN_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    **{name: parse_sqlite_time for name in _LANE_FIELDS if name.endswith(("_at", "_until"))},
    "active": bool,
    "ordered": bool,
}


def _convert_column(name: str, stored: Any) -> Any:
    convert = _COLUMN_CONVERTERS.get(name)
    return stored if convert is None or stored is None else convert(stored)
