"""What `socialgate doctor` checks about PostgreSQL: the server, the role, a pooler, the connections and the clocks."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import msgspec

from socialgate.core.clock import Clock
from socialgate.core.postgres import APPLICATION_NAME, connect_to_postgres
from socialgate.core.settings import Settings
from socialgate.core.worker_heartbeats import HEARTBEAT_STALE_AFTER
from socialgate.delivery.store_postgres import DELIVERY_APPLICATION_NAME, DELIVERY_CONNECTIONS
from socialgate.entry.doctor_report import CheckFailed, DoctorReport

_MIN_SERVER_VERSION = 140000
# Leases last for 15 seconds and more. Clocks that differ by less than this make no difference to them.
_MAX_CLOCK_DIFFERENCE = timedelta(seconds=5)
_TIMEOUTS = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
# Each process also has one that listens for notifications.
_LISTENING_CONNECTIONS = 1
_SCALE_PAGE = "docs/scale.md"

_SELECT_SERVER = """
    SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
           pg_encoding_to_char(encoding) AS encoding, current_setting('TimeZone') AS timezone,
           pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool AS is_read_only,
           datname AS name
    FROM pg_database WHERE datname = current_database()
"""
_SELECT_ROLE = """
    SELECT current_user::text AS role, current_database()::text AS database, current_schema()::text AS schema,
           pg_has_role(current_user, datdba, 'MEMBER') AS is_owner, rolsuper AS is_superuser,
           coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create
    FROM pg_database, pg_roles WHERE datname = current_database() AND rolname = current_user
"""
# A week of a table is created by its owner alone.
_SELECT_OTHER_OWNER = """
    SELECT pg_get_userbyid(relowner)::text FROM pg_class
    WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p')
      AND NOT pg_has_role(current_user, relowner, 'USAGE')
    LIMIT 1
"""
_SELECT_CONNECTIONS = """
    SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
             - coalesce(current_setting('reserved_connections', true)::int, 0) AS of_server,
           rolconnlimit AS of_role, datconnlimit AS of_database,
           (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'
              AND pid <> pg_backend_pid() AND application_name NOT IN ($1, $2)) AS of_others,
           (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1
              AND (query ILIKE 'LISTEN %' OR query LIKE 'SELECT pg_notify(%')) AS processes
    FROM pg_database, pg_roles WHERE datname = current_database() AND rolname = current_user
"""
_HAS_WORKERS = "SELECT to_regclass('workers') IS NOT NULL"
_SELECT_WORKERS = "SELECT id, seen_at, alive_at FROM workers WHERE alive_at > clock_timestamp() - $1::interval"


class PostgresSession(msgspec.Struct, frozen=True):
    """A connection like those of the service, and the settings that it was opened with."""

    settings: Settings
    clock: Clock
    dsn: str
    connection: Any


@asynccontextmanager
async def open_postgres_session(settings: Settings, clock: Clock) -> AsyncIterator[PostgresSession]:
    dsn = settings.effective_database_url
    # Without names for statements, which a pooler may give to somebody else.
    connection = await connect_to_postgres(dsn, statement_cache_size=0)
    try:
        yield PostgresSession(settings, clock, dsn, connection)
    finally:
        await connection.close()


async def check_postgres(settings: Settings, clock: Clock, report: DoctorReport) -> None:
    """Run all checks. The database can be reached."""
    async with open_postgres_session(settings, clock) as session:
        for name, check in POSTGRES_CHECKS.items():
            await report.run(name, check(session))


async def _check_server(session: PostgresSession) -> str:
    row = await session.connection.fetchrow(_SELECT_SERVER)
    if row["number"] < _MIN_SERVER_VERSION:
        raise CheckFailed(f"it is version {row['version']}. Upgrade it to 14 or newer.")
    if row["encoding"] != "UTF8":
        raise CheckFailed(
            f"the database {row['name']} has the encoding {row['encoding']}, which cannot store every text. Create it "
            "again with: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0."
        )
    if row["is_read_only"]:
        raise CheckFailed(
            "it only accepts reads, as a standby does. Let SOCIALGATE_DATABASE_URL name the primary server."
        )
    return f"version {row['version']}, {row['encoding']}, time zone {row['timezone']} (any works)"


async def _check_role(session: PostgresSession) -> str:
    row = await session.connection.fetchrow(_SELECT_ROLE)
    role, database = row["role"], row["database"]
    if not row["may_create"]:
        raise CheckFailed(
            f"{role} may not create tables in {database}, which `socialgate migrate` and a job each week do. Run as a "
            f'superuser: ALTER DATABASE "{database}" OWNER TO "{role}";'
        )
    other = await session.connection.fetchval(_SELECT_OTHER_OWNER)
    if other is not None:
        raise CheckFailed(
            f"tables in {database} belong to {other}, so {role} cannot change them. Run as a superuser in this "
            f'database: REASSIGN OWNED BY "{other}" TO "{role}";'
        )
    if row["is_superuser"]:
        return f"{role} can create tables in {database}. It is a superuser, which is more than the service needs"
    return f"{role} {'owns' if row['is_owner'] else 'can create tables in'} {database}"


async def _check_pooler(session: PostgresSession) -> str:
    """A pooler answers with a process number of its own, which is not that of the server's process."""
    first = session.connection
    pid = await first.fetchval("SELECT pg_backend_pid()")
    if pid == first.get_server_pid():
        return "none, the service is connected to PostgreSQL directly"
    if await _is_session_shared(session, pid):
        raise CheckFailed(
            "a pooler gives each transaction another connection, but the service needs prepared statements and "
            "notifications, which belong to one. Set pool_mode = session in PgBouncer for this database, or connect to "
            f"PostgreSQL directly ({_SCALE_PAGE}#pgbouncer)."
        )
    lost = [name for name in _TIMEOUTS if await first.fetchval("SELECT current_setting($1)", name) == "0"]
    if lost and not any(name in session.dsn for name in lost):
        raise CheckFailed(
            f"a pooler ignores the {', '.join(lost)} of the service, so a frozen process could block others for ever. "
            "Remove them from ignore_startup_parameters in PgBouncer."
        )
    return "one in session mode, which works. Its limits must allow the connections below too"


async def _is_session_shared(session: PostgresSession, pid: int) -> bool:
    """Whether a second client can get the server's process of the first one, while that stays connected."""
    second = await connect_to_postgres(session.dsn, statement_cache_size=0)
    try:
        async with second.transaction():
            taken: int = await second.fetchval("SELECT pg_backend_pid()")
            now: int = await session.connection.fetchval("SELECT pg_backend_pid()")
    finally:
        await second.close()
    return taken == pid or now != pid


async def _check_connections(session: PostgresSession) -> str:
    row = await session.connection.fetchrow(_SELECT_CONNECTIONS, APPLICATION_NAME, DELIVERY_APPLICATION_NAME)
    limits = [limit for limit in (row["of_server"], row["of_role"], row["of_database"]) if limit >= 0]
    room = min(limits) - row["of_others"]
    running = len(await _list_workers(session))
    # A deployment needs one of each.
    nodes, workers = max(1, row["processes"] - running), max(1, running)
    pool = session.settings.database_pool
    needed = _count_connections(pool, nodes, workers)
    text = f"{nodes} `serve` and {workers} `work` processes open up to {needed} connections with a pool of {pool}"
    if needed <= room:
        return f"{text}; there is room for {room}"
    raise CheckFailed(
        f"{text}, but there is only room for {room}. Raise max_connections (or the CONNECTION LIMIT of the role or the "
        f"database) by {needed - room}, or lower SOCIALGATE_DATABASE_POOL."
    )


def _count_connections(pool: int, nodes: int, workers: int) -> int:
    return (nodes + workers) * (pool + _LISTENING_CONNECTIONS) + workers * DELIVERY_CONNECTIONS


async def _check_clocks(session: PostgresSession) -> str:
    """Compare the clock of this machine, and those that workers write with their heartbeats, with the database's."""
    before = session.clock.now()
    there = await session.connection.fetchval("SELECT clock_timestamp()")
    after = session.clock.now()
    differences = {"this machine": max(before - there, there - after, timedelta())}
    for worker in await _list_workers(session):
        differences[f"worker {worker['id']}"] = abs(worker["seen_at"] - worker["alive_at"])
    name, largest = max(differences.items(), key=lambda item: item[1])
    if largest > _MAX_CLOCK_DIFFERENCE:
        raise CheckFailed(
            f"the clock of {name} differs from the database's by {largest.total_seconds():.0f} s. Synchronize the "
            "clocks of all machines, for example with chrony."
        )
    compared = f"this machine and {len(differences) - 1} workers" if len(differences) > 1 else "this machine"
    return f"{compared} and the database differ by at most {largest.total_seconds():.1f} s"


async def _list_workers(session: PostgresSession) -> list[Any]:
    if not await session.connection.fetchval(_HAS_WORKERS):
        return []
    rows: list[Any] = await session.connection.fetch(_SELECT_WORKERS, HEARTBEAT_STALE_AFTER)
    return rows


POSTGRES_CHECKS: dict[str, Callable[[PostgresSession], Awaitable[str]]] = {
    "PostgreSQL": _check_server,
    "role": _check_role,
    "pooler": _check_pooler,
    "connections": _check_connections,
    "clocks": _check_clocks,
}
