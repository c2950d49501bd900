"""The lane store on PostgreSQL, directly on the driver: through SQLAlchemy it did a quarter of the work."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from socialgate.core.ids import first_id_at
from socialgate.core.outbox import SETTLED_KEY_SQL
from socialgate.core.postgres import PostgresDriver
from socialgate.delivery.shared_reads import MAX_ROWS_PER_LANE, LaneRead, SharedReads
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

_CANCEL_BATCH = 5000
_COMMAND_TIMEOUT_SECONDS = 30
# The last field is no column.
_LANE_FIELDS = Lane.__struct_fields__[:-1]
_MIN_TIME = datetime(1970, 1, 1, tzinfo=UTC)

# The application name of these sessions at the server.
DELIVERY_APPLICATION_NAME = "socialgate-delivery"
# Of a process that delivers, in addition to SOCIALGATE_DATABASE_POOL.
DELIVERY_CONNECTIONS = 6
# Every statement here touches few rows by their keys. A plan that hashes or scans a whole table is always wrong, but
# the planner chooses it right after a million rows were inserted.
_SERVER_SETTINGS = {
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "jit": "off",
    "application_name": DELIVERY_APPLICATION_NAME,
}

_LANE_COLUMNS = """
    l.hook_id, l.owner_id, l.claim_id, h.url, h.active, h.ordered, h.max_per_second, h.tested_at, h.activated_at,
    h.secret, h.previous_secret, h.previous_until, l.generation, l.at_once, l.paused_until,
    l.failures_in_row AS consecutive_failures, l.exhausted, l.last_success_at
"""

# The hooks with pending rows are found with a loose index scan that skips from one to the next: the time depends on the
# number of such hooks and not on the number of rows. OFFSET 0 makes PostgreSQL look up each by its key; otherwise it
# compared every hook with every one that was found.
_SELECT_WAITING_HOOKS = """
    WITH RECURSIVE leap AS (
        (SELECT hook_id, due_at FROM deliveries WHERE status = 'pending' ORDER BY hook_id, due_at LIMIT 1)
        UNION ALL
        SELECT d.hook_id, d.due_at FROM leap CROSS JOIN LATERAL (
            SELECT hook_id, due_at FROM deliveries WHERE status = 'pending' AND hook_id > leap.hook_id
            ORDER BY hook_id, due_at LIMIT 1
        ) d
    )
    SELECT leap.hook_id, leap.due_at, free.paused_until
    FROM leap CROSS JOIN LATERAL (
        SELECT l.paused_until FROM lanes l JOIN hooks h ON h.owner_id = l.owner_id AND h.id = l.hook_id
        WHERE l.hook_id = leap.hook_id AND (l.lease_until IS NULL OR l.lease_until <= $1) AND h.deleted_at IS NULL
          AND (h.active OR h.tested_at > $2)
        OFFSET 0
    ) free
"""

# A claim need not be on the disk: if the server dies, it is lost with its lease, and its results are not written. So
# statements that only claim do not wait for the disk. This must be part of a row that is returned: otherwise the server
# leaves it out.
_WITHOUT_DISK = "set_config('synchronous_commit', 'off', true)"

_CLAIM_LANES = f"""
    WITH free AS MATERIALIZED (
        SELECT l.hook_id FROM lanes l JOIN hooks h ON h.owner_id = l.owner_id AND h.id = l.hook_id
        WHERE l.hook_id = ANY($1) AND (l.lease_until IS NULL OR l.lease_until <= $3) AND h.deleted_at IS NULL
          AND (h.active OR h.tested_at > $5) AND (l.paused_until IS NULL OR l.paused_until <= $3)
        FOR UPDATE OF l SKIP LOCKED
    )
    UPDATE lanes l SET claim_id = $2, lease_until = $4
    FROM free JOIN hooks h ON h.id = free.hook_id
    WHERE l.hook_id = free.hook_id AND h.owner_id = l.owner_id
    RETURNING {_LANE_COLUMNS}, {_WITHOUT_DISK}
"""  # noqa: S608 - made of our own column names

_HOOK_COLUMNS = f"{', '.join(f'h.{name}' for name in HOOK_FIELDS[:-1])}, l.{HOOK_FIELDS[-1]}"
_REFRESH_HOOK = f"""
    SELECT {_HOOK_COLUMNS} FROM lanes l JOIN hooks h ON h.owner_id = l.owner_id AND h.id = l.hook_id
    WHERE l.hook_id = $1 AND l.claim_id = $2 AND h.deleted_at IS NULL
"""  # noqa: S608 - made of our own column names
# The current hook and its due deliveries in one statement: a round trip was a good part of the cost of a delivery. And
# in one row, with a list for each field of a job: the driver parses every value in every row again.
_FETCH_TEMPLATE = f"""
    SELECT {_HOOK_COLUMNS}, found.*, l.hook_id
    FROM {{lanes}} JOIN hooks h ON h.owner_id = l.owner_id AND h.id = l.hook_id
    CROSS JOIN LATERAL (
        SELECT {", ".join(f"array_agg(job.{name})" for name in DueDelivery.__struct_fields__)}
        FROM (
            SELECT due.*, e.body, e.profile_id
            FROM (
                SELECT d.owner_id, d.id, d.event_id, d.event, d.txid, d.due_at, d.attempt_count, d.attempts
                FROM deliveries d
                WHERE d.hook_id = {{hook}} AND d.status = 'pending' AND d.due_at <= {{now}}
                  AND (d.due_at, d.id) > {{after}} {{condition}}
                ORDER BY d.due_at, d.id LIMIT {{limit}}
            ) due JOIN events e ON e.owner_id = due.owner_id AND e.id = due.event_id {{settled}}
            ORDER BY due.due_at, due.id
        ) job
    ) found
    WHERE l.hook_id = {{hook}} AND l.claim_id = {{claim}} AND h.deleted_at IS NULL
"""  # noqa: S608 - made of our own column names
_ONE_LANE = {
    "lanes": "lanes l",
    "hook": "$1",
    "claim": "$2",
    "now": "$3",
    "after": "($4, $5)",
    "limit": "$6",
    "condition": "",
    "settled": "",
}
_FETCH_DELIVERIES = _FETCH_TEMPLATE.format(**_ONE_LANE)
_FETCH_TEST_DELIVERIES = _FETCH_TEMPLATE.format(
    **_ONE_LANE | {"condition": "AND d.event = 'webhook.test' AND d.owner_id = $7 AND d.id >= $8"}
)
# The next event in order waits until no earlier event can appear any more. Its deliveries are due by the clock of the
# database, and the clock of this process may be behind.
_FETCH_ORDERED_DELIVERIES = _FETCH_TEMPLATE.format(
    **_ONE_LANE | {"settled": "AND due.txid <= $7", "now": "GREATEST($3, statement_timestamp())"}
)
_SETTLED_KEY = SETTLED_KEY_SQL.format(owner="$1")
# Each of these lanes has a claim, a place and a limit of its own.
_FETCH_DELIVERIES_OF_LANES = _FETCH_TEMPLATE.format(
    **_ONE_LANE
    | {
        "lanes": """
            unnest($1::text[], $2::text[], $4::timestamptz[], $5::text[], $6::int[])
                AS reader(hook_id, claim_id, due_after, id_after, most)
            JOIN lanes l ON l.hook_id = reader.hook_id
        """,
        "hook": "reader.hook_id",
        "claim": "reader.claim_id",
        "after": "(reader.due_after, reader.id_after)",
        "limit": "reader.most",
    }
)

# The condition on the status makes the planner take each row by its key. One on `d` alone would make it start with
# everything that is pending.
_WRITE_RESULTS = """
    UPDATE deliveries d SET
        status = r.status, due_at = r.due_at, attempt_count = r.attempt_count,
        attempts = decode(r.attempts, 'base64'), completed_at = r.completed_at
    FROM json_to_recordset({results}) AS r(
        owner_id text, hook_id text, id text, status text, due_at timestamptz, attempt_count int,
        attempts text, completed_at timestamptz
    )
    WHERE d.owner_id = r.owner_id AND d.hook_id = r.hook_id AND d.id = r.id
      AND (d.status = 'pending' OR r.id IS NULL)
"""

# What was delivered is counted in the same statement, in one order everywhere, so that workers with deliveries of the
# same owners cannot block each other forever.
# A lane that somebody else has locked is left out: otherwise a process that freezes while it changes a hook would block
# the results of all hooks. The last part reads lanes as they were before this statement: what was not written although
# its claim was valid is locked, or was lost in between, which the next attempt finds out.
# The hooks without IS TRUE are compared one by one.
_RECORD_RESULTS = f"""
    WITH news AS MATERIALIZED (
        SELECT * FROM json_to_recordset($1) AS n(
            hook_id text, claim_id text, generation int, at_once int, release bool, succeeded int, failed int,
            consecutive_failures int, exhausted int, last_success_at timestamptz, last_failure_at timestamptz,
            paused_until timestamptz
        )
    ), free AS MATERIALIZED (
        SELECT n.* FROM news n JOIN lanes l ON l.hook_id = n.hook_id AND l.claim_id = n.claim_id
        FOR UPDATE OF l SKIP LOCKED
    ), held AS (
        UPDATE lanes l SET
            claim_id = CASE WHEN n.release THEN NULL ELSE l.claim_id END,
            lease_until = CASE WHEN n.release THEN NULL ELSE l.lease_until END,
            succeeded = l.succeeded + n.succeeded,
            failed = l.failed + n.failed,
            at_once = n.at_once,
            failures_in_row =
                CASE WHEN l.generation = n.generation THEN n.consecutive_failures ELSE l.failures_in_row END,
            exhausted = CASE WHEN l.generation = n.generation THEN n.exhausted ELSE l.exhausted END,
            last_success_at = n.last_success_at,
            last_failure_at = COALESCE(n.last_failure_at, l.last_failure_at),
            paused_until = CASE WHEN l.generation = n.generation THEN n.paused_until ELSE l.paused_until END
        FROM free n
        WHERE l.hook_id = n.hook_id
        RETURNING l.hook_id
    ), written AS (
        {_WRITE_RESULTS.format(results="$2")} AND (r.hook_id IN (SELECT hook_id FROM held)) IS TRUE
    ), metered AS (
        INSERT INTO usage_days (owner_id, metric, day, part_id, used)
        SELECT u.owner_id, 'deliveries', u.day, u.part_id, sum(u.used)
        FROM json_to_recordset($3) AS u(hook_id text, owner_id text, day date, part_id text, used bigint)
        WHERE (u.hook_id IN (SELECT hook_id FROM held)) IS TRUE
        GROUP BY u.owner_id, u.day, u.part_id
        ORDER BY u.owner_id, u.day, u.part_id
        ON CONFLICT (owner_id, metric, day, part_id) DO UPDATE SET used = usage_days.used + excluded.used
    )
    SELECT hook_id, true AS written FROM held
    UNION ALL
    SELECT n.hook_id, false FROM news n JOIN lanes l ON l.hook_id = n.hook_id AND l.claim_id = n.claim_id
    WHERE (n.hook_id IN (SELECT hook_id FROM held)) IS NOT TRUE
"""  # noqa: S608 - made of our own statements

# The last part reads lanes as they were before, as above.
_RENEW_LEASES = f"""
    WITH free AS MATERIALIZED (
        SELECT hook_id FROM lanes WHERE claim_id = ANY($1) FOR UPDATE SKIP LOCKED
    ), renewed AS (
        UPDATE lanes l SET lease_until = $2 FROM free WHERE l.hook_id = free.hook_id
    )
    SELECT hook_id, (hook_id IN (SELECT hook_id FROM free)) IS TRUE AS written, {_WITHOUT_DISK}
    FROM lanes WHERE claim_id = ANY($1)
"""  # noqa: S608 - made of our own words

# Several statements: only one that starts after the hook is locked sees its current generation.
_LOCK_HOOK = "SELECT FROM hooks WHERE owner_id = $1 AND id = $2 FOR UPDATE"
_DISABLE_HOOK = """
    UPDATE hooks h SET active = false, disabled_reason = $3, deactivated_at = $4,
                       updated_at = GREATEST($4, updated_at + interval '1 microsecond')
    FROM lanes l
    WHERE h.owner_id = $1 AND h.id = $2 AND h.active AND l.hook_id = h.id AND l.generation = $5
"""

_FAIL_DELIVERIES = f"""
    {_WRITE_RESULTS.format(results="$1")}
    AND EXISTS (SELECT FROM lanes l WHERE l.hook_id = $2 AND l.claim_id = $3 AND l.generation = $4)
"""

# Rows being written elsewhere wait for the next round: a statement that never waits cannot be part of a deadlock.
_CANCEL_DELIVERIES = """
    UPDATE deliveries d SET status = 'cancelled', due_at = NULL, completed_at = $1
    FROM (
        SELECT p.owner_id, p.hook_id, p.id FROM hooks h
        JOIN LATERAL (
            SELECT owner_id, hook_id, id FROM deliveries
            WHERE hook_id = h.id AND status = 'pending' AND (event <> 'webhook.test' OR h.deleted_at IS NOT NULL)
            ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
        ) p ON true
        WHERE h.deleted_at IS NOT NULL OR (NOT h.active AND (h.disabled_reason = 'gone' OR h.deactivated_at <= $2))
        LIMIT $3
    ) gone
    WHERE d.owner_id = gone.owner_id AND d.hook_id = gone.hook_id AND d.id = gone.id
"""


class PostgresLaneStore:
    is_shared = True

    def __init__(self, dsn: str, connections: int = DELIVERY_CONNECTIONS) -> None:
        self._database = PostgresDriver(
            dsn, connections, server_settings=_SERVER_SETTINGS, command_timeout=_COMMAND_TIMEOUT_SECONDS
        )
        self._shared_reads = SharedReads(self._fetch_of_lanes)

    async def list_waiting_hooks(self, now: datetime) -> list[WaitingHook]:
        rows = await self._fetch_rows(_SELECT_WAITING_HOOKS, now, now - TEST_DELIVERY_WINDOW)
        return [
            WaitingHook(hook_id=row["hook_id"], due_at=max(row["due_at"], row["paused_until"] or row["due_at"]))
            for row in rows
        ]

    async def claim(self, hook_ids: Sequence[str], claim_id: str, now: datetime, until: datetime) -> list[Lane]:
        rows = await self._fetch_rows(_CLAIM_LANES, list(hook_ids), claim_id, now, until, now - TEST_DELIVERY_WINDOW)
        return [Lane(**{name: row[name] for name in _LANE_FIELDS}) for row in rows]

    async def fetch_due_deliveries(
        self, lane: Lane, after: DueDelivery | None, limit: int, now: datetime
    ) -> list[DueDelivery] | None:
        if not lane.ordered:
            return await self._read(lane, after, limit, now)
        if lane.settled_key is not None:
            # It stays valid, and is usually enough for what is pending.
            jobs = await self._read(lane, after, limit, now)
            if jobs or jobs is None:
                return jobs
        [row] = await self._fetch_rows(_SETTLED_KEY, lane.owner_id)
        lane.settled_key = row[0]
        jobs = await self._read(lane, after, limit, now)
        if not jobs:
            lane.settled_key = None
        return jobs

    async def _read(self, lane: Lane, after: DueDelivery | None, limit: int, now: datetime) -> list[DueDelivery] | None:
        place = (_MIN_TIME, "") if after is None else (after.due_at, after.id)
        read = LaneRead(lane.hook_id, lane.claim_id, now, *place, limit)
        if lane.active and not lane.ordered and limit <= MAX_ROWS_PER_LANE:
            row = await self._shared_reads.read(read)
        else:
            row = await self._fetch_alone(lane, read)
        if row is None:
            return None
        seen = (lane.active, lane.ordered)
        _copy_hook_fields(lane, row)
        # What was read depends on these two.
        if seen != (lane.active, lane.ordered):
            return await self.fetch_due_deliveries(lane, after, limit, now)
        fields = row[len(HOOK_FIELDS) : -1]
        return [] if fields[0] is None else [DueDelivery(*job) for job in zip(*fields, strict=True)]

    async def _fetch_alone(self, lane: Lane, read: LaneRead) -> Any:
        """Read for a lane that is ordered or inactive, or that has much to read."""
        if not lane.active:
            first_test = first_id_at("dlv", (lane.tested_at or read.now) - timedelta(seconds=1))
            rows = await self._fetch_rows(_FETCH_TEST_DELIVERIES, *_list_values(read), lane.owner_id, first_test)
        elif lane.ordered:
            rows = await self._fetch_rows(_FETCH_ORDERED_DELIVERIES, *_list_values(read), lane.settled_key)
        else:
            rows = await self._fetch_rows(_FETCH_DELIVERIES, *_list_values(read))
        return rows[0] if rows else None

    async def _fetch_of_lanes(self, reads: Sequence[LaneRead]) -> dict[str, Any]:
        if len(reads) == 1:
            rows = await self._fetch_rows(_FETCH_DELIVERIES, *_list_values(reads[0]))
        else:
            hook_ids, claim_ids, times, *places = zip(*map(_list_values, reads), strict=True)
            rows = await self._fetch_rows(_FETCH_DELIVERIES_OF_LANES, hook_ids, claim_ids, max(times), *places)
        return {row["hook_id"]: row for row in rows}

    async def refresh(self, lane: Lane) -> None:
        for row in await self._fetch_rows(_REFRESH_HOOK, lane.hook_id, lane.claim_id):
            _copy_hook_fields(lane, row)

    async def record_results(self, results: Sequence[DeliveryResult], news: Sequence[LaneUpdate]) -> ClaimCheck:
        rows = await self._fetch_rows(
            _RECORD_RESULTS, _encode_rows(news), _encode_rows(results), _encode_rows(list_delivery_usage(news))
        )
        return _build_claim_check(rows)

    async def renew_leases(self, claim_ids: Sequence[str], until: datetime) -> ClaimCheck:
        return _build_claim_check(await self._fetch_rows(_RENEW_LEASES, list(claim_ids), until))

    async def disable_hook(self, lane: Lane, reason: str, now: datetime, failed: Sequence[DeliveryResult] = ()) -> bool:
        async with self._database.transaction() as link:
            await link.run(_LOCK_HOOK, (lane.owner_id, lane.hook_id))
            if failed:
                await link.run(_FAIL_DELIVERIES, (_encode_rows(failed), lane.hook_id, lane.claim_id, lane.generation))
            return await link.run(_DISABLE_HOOK, (lane.owner_id, lane.hook_id, reason, now, lane.generation)) > 0

    async def cancel_abandoned(self, now: datetime, waited_since: datetime) -> int:
        async with self._database.transaction() as link:
            return await link.run(_CANCEL_DELIVERIES, (now, waited_since, _CANCEL_BATCH))

    async def close(self) -> None:
        await self._database.close()

    async def _fetch_rows(self, statement: str, *arguments: Any) -> Sequence[Any]:
        return await self._database.fetch(statement, arguments)


def _build_claim_check(rows: Sequence[Any]) -> ClaimCheck:
    items = {row["hook_id"] for row in rows if row["written"]}
    return ClaimCheck(items, locked_hook_ids={row["hook_id"] for row in rows} - items)


def _list_values(read: LaneRead) -> tuple[Any, ...]:
    return msgspec.structs.astuple(read)


def _copy_hook_fields(lane: Lane, row: Any) -> None:
    for name in HOOK_FIELDS:
        setattr(lane, name, row[name])


def _encode_rows(rows: Sequence[LaneUpdate | DeliveryResult | DeliveryUsage]) -> str:
    """Write rows as one value: in lists the driver handles each element separately. Bytes become base64."""
    return msgspec.json.encode(rows).decode()
