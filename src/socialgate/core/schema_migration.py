"""Migrating a database to the newest schema. Migrations only go forward.

During an upgrade, nodes of the old version run on the new schema, and must survive a restart there. So a migrated
database says which older versions can use it: all of them, as long as migrations only add things.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import asyncpg
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from socialgate.core import postgres
from socialgate.core.db import DRIVER_ERRORS, Database, Tx, metadata
from socialgate.core.errors import ServiceError
from socialgate.core.logs import scrub_secrets
from socialgate.core.settings import SettingsError
from socialgate.core.sqlite import connect_to_sqlite

T = TypeVar("T")

MIGRATIONS_DIR = Path(__file__).parent.parent / "migrations"

# The oldest revision whose code works with the newest schema. A migration that removes or changes something that older
# code uses raises it to its own number. A test compares it with what the migrations do.
OLDEST_SUPPORTED_REVISION = "0023"

_HAS_VERSION_TABLE_SQL = {
    "sqlite": "SELECT count(*) FROM sqlite_master WHERE name = :name",
    "postgresql": "SELECT to_regclass(:name) IS NOT NULL",
}
# What each migration wrote as `OLDEST_SUPPORTED_REVISION`. The highest one counts.
schema_support = sa.Table("schema_support", metadata, sa.Column("oldest", sa.String(4), primary_key=True))


def list_revisions() -> list[str]:
    """List all revisions from the file names alone: importing Alembic would add 0.2 s to every start."""
    return sorted(path.name[:4] for path in (MIGRATIONS_DIR / "versions").glob("[0-9]*.py"))


def get_newest_revision() -> str:
    return list_revisions()[-1]


async def get_revision(db: Database) -> str | None:
    """Return the revision of a database; None for an empty one. Fails with one line if it cannot be reached."""
    try:
        return await db.read(_find_revision)
    except (ServiceError, *DRIVER_ERRORS, TypeError) as error:
        raise SettingsError(_build_unreachable_message(db, error)) from error


async def migrate(db: Database) -> bool:
    """Migrate the database, completely or not at all. Returns whether there was anything to do."""
    result = await get_revision(db)
    if result == get_newest_revision():
        return False
    if _is_newer(result):
        await _require_supported_revision(db, result)
        return False
    try:
        await run_schema_work(db, _upgrade_schema)
    except DBAPIError as error:
        if not isinstance(_driver_error(error), asyncpg.InsufficientPrivilegeError):
            raise
        raise SettingsError(
            f"The user of SOCIALGATE_DATABASE_URL may not create tables ({_get_driver_message(error)}). Make it "
            "the owner of the "
            "database."
        ) from error
    return True


async def run_schema_work(db: Database, work: Callable[[sa.Connection], T]) -> T:
    """Do what only SQLAlchemy can do: create, change and describe tables. In one transaction, one at a time."""
    if db.is_sqlite:
        return await asyncio.to_thread(_run_on_sqlite, Path(db.url.database or ""), work)
    from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415 - brings the ORM, 70 ms of every start

    address = db.url.render_as_string(hide_password=False)
    engine = create_async_engine(
        "postgresql+asyncpg://",
        # Changing a large table takes as long as it takes.
        async_creator=lambda: postgres.connect_to_postgres(address, without_timeouts=True),
        poolclass=sa.NullPool,
        hide_parameters=True,
    )
    async with engine.begin() as connection:
        # Several nodes may start at once: one migrates, the others wait and find it done.
        await connection.execute(sa.text("SELECT pg_advisory_xact_lock(7165461123)"))
        return await connection.run_sync(work)


def _run_on_sqlite(path: Path, work: Callable[[sa.Connection], T]) -> T:
    engine = sa.create_engine(
        "sqlite://", creator=lambda: connect_to_sqlite(path), poolclass=sa.NullPool, hide_parameters=True
    )
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    with engine.begin() as connection:
        return work(connection)


async def require_supported_schema(db: Database) -> None:
    """Reject a database with an older schema than this version needs, or a newer one that it cannot use."""
    result = await get_revision(db)
    if _is_newer(result):
        await _require_supported_revision(db, result)
    elif result != get_newest_revision():
        at = "empty" if result is None else f"at revision {result}"
        raise SettingsError(
            f"The database schema is out of date: it is {at}, and this version needs {get_newest_revision()}. Run "
            "`socialgate migrate` once."
        )


async def _require_supported_revision(db: Database, result: str | None) -> None:
    oldest = await db.read(_find_oldest_supported_revision)
    if oldest is None or get_newest_revision() < oldest:
        raise SettingsError(
            f"The database was migrated by a newer version of Socialgate: it is at revision {result}, and this version "
            f"only knows {get_newest_revision()}. Start the newer version instead."
        )


def _is_newer(revision: str | None) -> bool:
    return revision is not None and revision > get_newest_revision()


async def _find_oldest_supported_revision(tx: Tx) -> str | None:
    if not await tx.scalar(sa.text(_HAS_VERSION_TABLE_SQL[tx.dialect_name]), {"name": schema_support.name}):
        return None
    oldest: str | None = await tx.scalar(sa.select(sa.func.max(schema_support.c.oldest)))
    return oldest


async def _find_revision(tx: Tx) -> str | None:
    if not await tx.scalar(sa.text(_HAS_VERSION_TABLE_SQL[tx.dialect_name]), {"name": "alembic_version"}):
        return None
    revision: str | None = await tx.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return revision


def _upgrade_schema(connection: sa.Connection, revision: str = "head") -> None:
    from alembic import command  # noqa: PLC0415 - see revisions
    from alembic.config import Config  # noqa: PLC0415 - see revisions

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS_DIR).replace("%", "%%"))
    command.upgrade(config, revision)
    _record_schema_support(connection)


def _record_schema_support(connection: sa.Connection) -> None:
    """Write which versions can use the schema, unless it is one of the past that has no place for that."""
    if not sa.inspect(connection).has_table(schema_support.name):
        return
    known = sa.select(schema_support).where(schema_support.c.oldest == OLDEST_SUPPORTED_REVISION)
    if connection.execute(known).first() is None:
        connection.execute(sa.insert(schema_support), {"oldest": OLDEST_SUPPORTED_REVISION})


def _build_unreachable_message(db: Database, error: Exception) -> str:
    if db.is_sqlite:
        return (
            f"Cannot use the database {db.url.database}: {_get_driver_message(error)}. Set SOCIALGATE_DATA_DIR to "
            "another folder."
        )
    return (
        f"Cannot reach the database: {_get_driver_message(error)}. Check SOCIALGATE_DATABASE_URL and that PostgreSQL "
        "is running."
    )


def _driver_error(error: Exception) -> BaseException:
    """Unwrap the driver's exception: SQLAlchemy wraps it, and its asyncpg adapter once more."""
    if isinstance(error, DBAPIError) and error.orig is not None:
        return error.orig.__cause__ or error.orig
    return error.__cause__ or error if isinstance(error, ServiceError) else error


def _get_driver_message(error: Exception) -> str:
    """Return the driver's own message in one line; SQLAlchemy adds several more."""
    cause = _driver_error(error)
    return scrub_secrets(" ".join(str(cause).split()).rstrip(".")) or type(cause).__name__
