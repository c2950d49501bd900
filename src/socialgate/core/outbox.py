"""Emitting events: `emit` inside the transaction of the change that they report.

The event with its final bytes, and one delivery for each subscribed hook, are rows of that very transaction. Rows are
the queue: what was committed cannot be lost, what was rolled back cannot be sent. Their tables, and the statements that
write and erase them, belong together, which is why this file has so many lines.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from socialgate.core.claims import register_claims
from socialgate.core.db import Id, Tx, UtcDateTime, metadata
from socialgate.core.encryption import EncryptionPurpose, EncryptionPurposeTemplate
from socialgate.core.events import EventData, encode_event
from socialgate.core.ids import first_id_at, new_id, new_ids

# The maximum number of hooks of an owner.
MAX_HOOKS_PER_OWNER = 20

Json = sa.JSON(none_as_null=True)

# How long deliveries wait for a disabled hook. After a 410 they do not wait at all.
INACTIVE_HOOK_RETENTION = timedelta(hours=72)
# Events whose data is replaced with one statement.
MAX_REDACTED_EVENTS_PER_BATCH = 200
# So many characters of an id are the time at which it was created.
_ID_TIMESTAMP_LENGTH = 10
_IS_INACTIVE_OR_DELETED = sa.text("deleted_at IS NOT NULL OR NOT active")
_SECRET_PURPOSE = EncryptionPurposeTemplate("hook secret {owner_id} {id}")

hooks = sa.Table(
    "hooks",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("url", sa.String(2048), nullable=False),
    sa.Column("events", Json, nullable=False),
    # Null covers every profile of the owner, including those created later.
    sa.Column("profile_ids", Json),
    sa.Column("description", sa.String(500)),
    sa.Column("ordered", sa.Boolean, nullable=False),
    sa.Column("max_per_second", sa.Integer),
    sa.Column("active", sa.Boolean, nullable=False),
    sa.Column("disabled_reason", sa.String(10)),
    # The later of creation and the last (re)activation; if it is inactive, since when.
    sa.Column("activated_at", UtcDateTime, nullable=False),
    sa.Column("deactivated_at", UtcDateTime),
    sa.Column("secret", sa.LargeBinary, nullable=False, info=_SECRET_PURPOSE.column_info),
    sa.Column("previous_secret", sa.LargeBinary, info=_SECRET_PURPOSE.column_info),
    sa.Column("previous_until", UtcDateTime),
    # The key that created it: restricting that key restricts the hook. Null for a session.
    sa.Column("key_id", Id),
    sa.Column("tested_at", UtcDateTime),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
    # A deleted hook stays as a tombstone until its deliveries are cancelled and dropped.
    sa.Column("deleted_at", UtcDateTime),
    sa.Index("ix_hooks_unwanted", "id", postgresql_where=_IS_INACTIVE_OR_DELETED, sqlite_where=_IS_INACTIVE_OR_DELETED),
)

# One row per hook, held by at most one worker at a time: it contains what must hold across nodes.
lanes = sa.Table(
    "lanes",
    metadata,
    sa.Column("hook_id", Id, primary_key=True),
    sa.Column("owner_id", Id, nullable=False),
    sa.Column("claim_id", Id),
    sa.Column("lease_until", UtcDateTime),
    # No attempt before this: a failing hook is probed slowly, an ordered one waits for its head.
    sa.Column("paused_until", UtcDateTime),
    # Incremented when the hook's URL changes or it is enabled: responses to earlier attempts no longer count.
    sa.Column("generation", sa.Integer, nullable=False, server_default="0"),
    # How many concurrent requests the hook has earned, as long as it has more to do.
    sa.Column("at_once", sa.Integer, nullable=False, server_default="4"),
    sa.Column("failures_in_row", sa.Integer, nullable=False, server_default="0"),
    sa.Column("exhausted", sa.Integer, nullable=False, server_default="0"),
    sa.Column("succeeded", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("failed", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("last_success_at", UtcDateTime),
    sa.Column("last_failure_at", UtcDateTime),
)
register_claims(lanes, lanes.c.claim_id, lanes.c.lease_until)

# Partitioned by id on PostgreSQL: ids sort by time, so old ones are dropped a whole table at a time.
events = sa.Table(
    "events",
    metadata,
    sa.Column("owner_id", Id, primary_key=True),
    sa.Column("id", Id, primary_key=True),
    # The position of the event among those of its owner: see `get_settled_key` for how a reader never skips one. The
    # column is named after the transaction ids that these keys once were.
    sa.Column("txid", sa.BigInteger, key="event_key", nullable=False),
    sa.Column("profile_id", Id, nullable=False),
    sa.Column("name", sa.String(40), nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Index("ix_events_owner_id_txid_id", "owner_id", "event_key", "id"),
    postgresql_partition_by="RANGE (id)",
)

deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("owner_id", Id, primary_key=True),
    sa.Column("hook_id", Id, primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("event_id", Id, nullable=False),
    sa.Column("event", sa.String(40), nullable=False),
    sa.Column("txid", sa.BigInteger, key="event_key", nullable=False),
    sa.Column("status", sa.String(10), nullable=False),
    # When the next attempt is due; null if there will be none.
    sa.Column("due_at", UtcDateTime),
    sa.Column("attempt_count", sa.Integer, nullable=False),
    sa.Column("attempts", sa.LargeBinary),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("completed_at", UtcDateTime),
    sa.Index(
        "ix_deliveries_pending",
        "hook_id",
        "due_at",
        "id",
        postgresql_where=sa.text("status = 'pending'"),
        sqlite_where=sa.text("status = 'pending'"),
    ),
    postgresql_partition_by="RANGE (id)",
)


class StoredAttempt(msgspec.Struct, frozen=True, kw_only=True, gc=False, rename="camel"):
    """One attempt, as stored in `deliveries.attempts` (a JSON array of these)."""

    number: int
    at: datetime
    duration_ms: int
    # The status of the response, or null if there was none and `error` says why.
    status_code: int | None
    error: str | None
    response_body: str | None
    next_attempt_at: datetime | None
    # What was signed and how, so that the request can be shown exactly as it was sent.
    timestamp: int
    signature: str
    standard_signature: str


def decode_attempts(stored: bytes | None) -> list[StoredAttempt]:
    return [] if stored is None else msgspec.json.decode(stored, type=list[StoredAttempt])


def get_secret_purpose(owner_id: str, hook_id: str) -> EncryptionPurpose:
    """What a hook's secret is encrypted for."""
    return _SECRET_PURPOSE.build_purpose(owner_id=owner_id, id=hook_id)


# Built once: building them took longer than running them, and an event is written while others wait for their turn. The
# lists of a hook are searched as text: parsing them here took longer than the rest of an event. SQLite would compile a
# statement with LIKE again on every run, because its plan may depend on the pattern.
_SEARCH_FUNCTIONS = {"postgresql": sa.func.strpos, "sqlite": sa.func.instr}


def _build_subscribed_hooks_statement(dialect: str) -> sa.Select[Any]:
    search = _SEARCH_FUNCTIONS[dialect]
    return sa.select(hooks.c.id).where(
        hooks.c.owner_id == sa.bindparam("owner"),
        hooks.c.active,
        hooks.c.deleted_at.is_(None),
        search(sa.cast(hooks.c.events, sa.Text), sa.bindparam("event", type_=sa.Text)) > 0,
        hooks.c.profile_ids.is_(None)
        | (search(sa.cast(hooks.c.profile_ids, sa.Text), sa.bindparam("profile", type_=sa.Text)) > 0),
    )


_SELECT_SUBSCRIBED_HOOKS = {dialect: _build_subscribed_hooks_statement(dialect) for dialect in _SEARCH_FUNCTIONS}
# The key of an event, which orders the events of an owner. On PostgreSQL transactions overlap, so a newer key may be
# committed first. Before a transaction takes its first key for an owner, it therefore sets a marker (a sign) that
# everyone can see until it ends: a shared lock, which nobody ever waits for, on the owner and on the newest key at that
# time. All keys that it takes are greater. `get_settled_key` explains how readers use it. The condition is never true;
# it is how the marker is set before the key is taken. SQLite has one writer at a time, so counting is enough: upwards
# from the time, so that it does not restart when all events were dropped.
_LAST_SEQUENCE_VALUE = sa.literal_column("pg_sequence_last_value('event_keys')", sa.BigInteger)
_MARKER_LOCK = sa.func.pg_advisory_xact_lock_shared(
    sa.func.hashtext(sa.bindparam("owner")), sa.cast(sa.cast(_LAST_SEQUENCE_VALUE, postgresql.BIT(32)), sa.Integer)
)
_NEXT_EVENT_KEY: dict[str, sa.ColumnElement[int]] = {
    "postgresql": sa.case(
        (sa.and_(sa.bindparam("is_first", type_=sa.Boolean), _MARKER_LOCK.is_(None)), sa.null()),
        else_=sa.literal_column("nextval('event_keys')", sa.BigInteger),
    ),
    "sqlite": sa.func.max(
        sa.select(sa.func.coalesce(sa.func.max(events.c.event_key), 0) + 1)
        .where(events.c.owner_id == sa.bindparam("owner"))
        .scalar_subquery(),
        sa.bindparam("microseconds", type_=sa.BigInteger),
    ),
}
_INSERT_EVENT = {
    dialect: sa.insert(events).values(event_key=key).returning(events.c.event_key.label("event_key"))
    for dialect, key in _NEXT_EVENT_KEY.items()
}
_INSERT_DELIVERIES = sa.insert(deliveries)


def _build_emit_statement() -> sa.Insert:
    """Build the statement that finds the hooks, writes the event and queues its deliveries in one round trip. SQLite
    cannot do it.
    """
    number = sa.func.row_number().over(order_by=hooks.c.id).label("number")
    existing_cte = _SELECT_SUBSCRIBED_HOOKS["postgresql"].add_columns(hooks.c.ordered, number).cte("found")
    written: dict[str, Any] = {
        column.key: sa.bindparam(f"event_{column.key}", type_=column.type) for column in events.c
    }
    written["event_key"] = _NEXT_EVENT_KEY["postgresql"]
    kept = [column for column in events.c if column is not events.c.body]
    event = sa.insert(events).values(written).returning(*kept).cte("event")
    cte = sa.select(sa.bindparam("delivery_ids", type_=postgresql.ARRAY(sa.Text)).label("ids")).cte("given")
    rows = {
        "owner_id": event.c.owner_id,
        "hook_id": existing_cte.c.id,
        "id": cte.c.ids[existing_cte.c.number],
        "event_id": event.c.id,
        "event": event.c.name,
        "event_key": event.c.event_key,
        "status": sa.literal("pending"),
        # The deliveries of an ordered hook are sent in this order. The clocks of two nodes may differ, and what is
        # reported later by the one that is behind must not overtake.
        "due_at": sa.case((existing_cte.c.ordered, sa.func.statement_timestamp()), else_=event.c.created_at),
        "attempt_count": sa.literal(0),
        "created_at": event.c.created_at,
    }
    joined = sa.select(*rows.values()).select_from(existing_cte.join(event, sa.true()).join(cte, sa.true()))
    return sa.insert(deliveries).from_select(list(rows), joined).returning(deliveries.c.hook_id)


_EMIT_STATEMENT = _build_emit_statement()


async def emit_event(tx: Tx, owner_id: str, profile_id: str, data: EventData) -> str:
    """Emit an event: to every active hook of the owner that lists the event and covers the profile."""
    values: dict[str, Any] = {
        "owner": owner_id,
        "event": _quote_listed_word(data.event),
        "profile": _quote_listed_word(profile_id),
    }
    if tx.dialect_name == "sqlite":
        result = await tx.all(_SELECT_SUBSCRIBED_HOOKS["sqlite"], values)
        return await emit_event_to_hooks(tx, owner_id, profile_id, data, [row.id for row in result])
    event = _build_event_row(tx, owner_id, profile_id, data)
    values |= {f"event_{column}": value for column, value in event.items()}
    values |= {"is_first": tx.mark_first_event(owner_id)}
    queued = await tx.all(_EMIT_STATEMENT, values | {"delivery_ids": new_ids("dlv", MAX_HOOKS_PER_OWNER)})
    tx.wake_on_commit(owner_id, *[row.hook_id for row in queued])
    return str(event["id"])


async def emit_event_to_hooks(tx: Tx, owner_id: str, profile_id: str, data: EventData, hook_ids: Iterable[str]) -> str:
    """Write an event and its deliveries to exactly these hooks."""
    event = _build_event_row(tx, owner_id, profile_id, data)
    event |= (
        {"owner": owner_id, "microseconds": int(tx.now.timestamp() * 1_000_000)}
        if tx.dialect_name == "sqlite"
        else {"owner": owner_id, "is_first": tx.mark_first_event(owner_id)}
    )
    event_key = (await tx.one(_INSERT_EVENT[tx.dialect_name], event)).event_key
    await add_deliveries(tx, owner_id, [(hook_id, event["id"], data.event, event_key) for hook_id in hook_ids])
    tx.wake_on_commit(owner_id)
    return str(event["id"])


_REPLACE_BODY = sa.update(events).where(
    events.c.owner_id == sa.bindparam("of_owner"), events.c.id == sa.bindparam("of_id")
)
_REPLACE_ATTEMPTS = sa.update(deliveries).where(
    deliveries.c.owner_id == sa.bindparam("of_owner"),
    deliveries.c.hook_id == sa.bindparam("of_hook"),
    deliveries.c.id == sa.bindparam("of_id"),
)


async def redact_event(
    tx: Tx, owner_id: str, event_id: str, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    """Replace the data of an event, if personal data must be erased.

    Receivers keep what they already got; future attempts, replays and the feed have the new data.
    """
    await redact_events(tx, owner_id, [event_id], change)


async def redact_events(
    tx: Tx, owner_id: str, event_ids: Sequence[str], change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    """Replace the data of many events, with a few statements."""
    tx.erases = True
    for start in range(0, len(event_ids), MAX_REDACTED_EVENTS_PER_BATCH):
        some = sorted(event_ids[start : start + MAX_REDACTED_EVENTS_PER_BATCH])
        these = events.c.owner_id == owner_id, events.c.id.in_(some)
        changed = []
        for row in await tx.all(sa.select(events.c.id, events.c.body).where(*these)):
            envelope = msgspec.json.decode(row.body)
            body = msgspec.json.encode({**envelope, "data": change(envelope["data"])})
            changed.append({"of_owner": owner_id, "of_id": row.id, "body": body})
        if changed:
            await tx.execute(_REPLACE_BODY, changed)
            await _erase_response_bodies(tx, owner_id, some)


async def find_events_mentioning(
    tx: Tx, owner_id: str, name: str, object_id: str, since: datetime | None = None
) -> list[str]:
    """Find the events of a type whose body contains an id of ours, of all times or since one of the real clock."""
    bind_parameter, body = sa.literal(object_id.encode(), sa.LargeBinary), events.c.body
    place = (
        sa.func.instr(body, bind_parameter)
        if tx.dialect_name == "sqlite"
        else sa.func.pg_catalog.position(body, bind_parameter)
    )
    # No event about something is older than the thing, and ids sort by time.
    first = f"evt_{object_id.partition('_')[2][:_ID_TIMESTAMP_LENGTH]}"
    statement = sa.select(events.c.id).where(
        events.c.owner_id == owner_id,
        events.c.id >= (first if since is None else max(first, first_id_at("evt", since))),
        events.c.name == name,
        place > 0,
    )
    return [row.id for row in await tx.all(statement)]


async def lock_lanes(tx: Tx, owner_id: str, hook_ids: Sequence[str]) -> None:
    """Lock the lanes of hooks whose deliveries are about to be changed.

    Workers leave out a lane that is locked. For a delivery that is locked they would wait, with the results of all
    other hooks: for seconds, if the process that changes it is frozen.
    """
    named = lanes.c.owner_id == owner_id, lanes.c.hook_id.in_(hook_ids)
    await tx.all(sa.select(lanes.c.hook_id).where(*named).order_by(lanes.c.hook_id).with_for_update())


async def _erase_response_bodies(tx: Tx, owner_id: str, event_ids: Sequence[str]) -> None:
    """Delete what receivers answered to events: some return what they got."""
    of_owner = sa.select(hooks.c.id).where(hooks.c.owner_id == owner_id)
    # No delivery of an event is older than the event, and ids sort by time.
    first = f"dlv_{min(event_ids).removeprefix('evt_')[:_ID_TIMESTAMP_LENGTH]}"
    statement = sa.select(deliveries.c.hook_id, deliveries.c.id, deliveries.c.attempts).where(
        deliveries.c.owner_id == owner_id,
        deliveries.c.hook_id.in_(of_owner),
        deliveries.c.id >= first,
        deliveries.c.event_id.in_(event_ids),
        deliveries.c.attempts.is_not(None),
    )
    result = await tx.all(statement)
    await lock_lanes(tx, owner_id, sorted({row.hook_id for row in result}))
    changed = []
    for row in result:
        kept = [msgspec.structs.replace(attempt, response_body=None) for attempt in decode_attempts(row.attempts)]
        its = {"of_owner": owner_id, "of_hook": row.hook_id, "of_id": row.id}
        changed.append({**its, "attempts": msgspec.json.encode(kept)})
    if changed:
        await tx.execute(_REPLACE_ATTEMPTS, changed)


def _build_event_row(tx: Tx, owner_id: str, profile_id: str, data: EventData) -> dict[str, Any]:
    return {
        "owner_id": owner_id,
        "id": new_id("evt"),
        "profile_id": profile_id,
        "name": data.event,
        "body": encode_event(owner_id, profile_id, data),
        "created_at": tx.now,
    }


async def add_deliveries(tx: Tx, owner_id: str, new_deliveries: list[tuple[str, str, str, int]]) -> list[str]:
    """Queue deliveries, each a hook, an event, its name and its key, and return their ids."""
    rows: list[dict[str, Any]] = [
        {
            "owner_id": owner_id,
            "hook_id": hook_id,
            "id": new_id("dlv"),
            "event_id": event_id,
            "event": name,
            "event_key": event_key,
            "status": "pending",
            "due_at": tx.now,
            "attempt_count": 0,
            "created_at": tx.now,
        }
        for hook_id, event_id, name, event_key in new_deliveries
    ]
    if rows:
        await tx.execute(_INSERT_DELIVERIES, rows)
        tx.wake_on_commit(*{row["hook_id"] for row in rows})
    return [row["id"] for row in rows]


def _quote_listed_word(word: str) -> str:
    """Return how a word is written in a JSON list. Neither event names nor ids need escapes."""
    return f'"{word}"'


# The marker of an open transaction contains the lower half of a key. Its distance from the newest key, up or down,
# gives the whole: nobody writes two billion events while a transaction is open. The newest key is read before the
# markers, because these refer to it; the other way around, a transaction might start and end in between.
SETTLED_KEY_SQL = """
    SELECT least(k.last_value, signs.oldest) FROM event_keys k CROSS JOIN LATERAL (
        SELECT min(k.last_value - (k.last_value - l.objid::bigint)::bit(32)::int) AS oldest FROM pg_locks l
        WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.classid = hashtext({owner})::oid
          AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ) signs
"""
_SELECT_SETTLED_KEY = sa.text(SETTLED_KEY_SQL.format(owner=":owner"))
_SELECT_NEWEST_KEY = sa.select(sa.func.coalesce(sa.func.max(events.c.event_key), 0)).where(
    events.c.owner_id == sa.bindparam("owner")
)


async def get_settled_key(tx: Tx, owner_id: str) -> int:
    """Find the key up to which the events of an owner are complete: no earlier event can appear afterwards.

    An event up to there that is not yet visible would belong to a transaction that took its key before the newest key
    was read here, so it set its marker before, and had not removed it when the markers were read: a transaction becomes
    visible before its locks are released. Only transactions that emit events of this owner hold it back, whatever else
    is open in the database or its server.
    """
    statement = _SELECT_SETTLED_KEY if tx.dialect_name == "postgresql" else _SELECT_NEWEST_KEY
    return int(await tx.scalar(statement, {"owner": owner_id}))


async def purge_deleted_hooks(tx: Tx, before: datetime) -> int:
    """Delete the tombstones of hooks whose deliveries are all deleted, with their lanes."""
    gone = sa.select(hooks.c.id).where(hooks.c.deleted_at < before)
    await tx.execute(sa.delete(lanes).where(lanes.c.hook_id.in_(gone)))
    return await tx.execute_and_count(sa.delete(hooks).where(hooks.c.deleted_at < before))
