"""Migrating a database to the newest schema. Migrations only go forward."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import asyncpg
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from socialgate.core import postgres
from socialgate.core.db import DRIVER_ERRORS, Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.logs import scrub
from socialgate.core.settings import SettingsError
from socialgate.core.sqlite import connect

T = TypeVar("T")

MIGRATIONS = Path(__file__).parent.parent / "migrations"

_IS_THERE = {
    "sqlite": "SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'",
    "postgresql": "SELECT to_regclass('alembic_version') IS NOT NULL",
}


def revisions() -> list[str]:
    """List all revisions from the file names alone: importing Alembic would add 0.2 s to every start."""
    return sorted(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def newest_revision() -> str:
    return revisions()[-1]


async def revision_of(db: Database) -> str | None:
    """Return the revision of a database; None for an empty one. Fails with one line if it cannot be reached."""
    try:
        return await db.read(_revision)
    except (ServiceError, *DRIVER_ERRORS, TypeError) as error:
        raise SettingsError(_unreachable(db, error)) from error


async def migrate(db: Database) -> bool:
    """Migrate the database, completely or not at all. Returns whether there was anything to do."""
    found = await revision_of(db)
    if found == newest_revision():
        return False
    if found is not None and found not in revisions():
        raise SettingsError(
            f"The database is at revision {found}, which this version does not know. Use a newer Socialgate."
        )
    try:
        await on_schema(db, _upgrade)
    except DBAPIError as error:
        if not isinstance(_driver_error(error), asyncpg.InsufficientPrivilegeError):
            raise
        raise SettingsError(
            f"The user of SOCIALGATE_DATABASE_URL may not create tables ({_sentence(error)}). Make it the owner of the "
            "database."
        ) from error
    return True


async def on_schema(db: Database, work: Callable[[sa.Connection], T]) -> T:
    """Do what only SQLAlchemy can do: create, change and describe tables. In one transaction, one at a time."""
    if db.is_sqlite:
        return await asyncio.to_thread(_on_sqlite, Path(db.url.database or ""), work)
    from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415 - brings the ORM, 70 ms of every start

    address = db.url.render_as_string(hide_password=False)
    engine = create_async_engine(
        "postgresql+asyncpg://",
        # Changing a large table takes as long as it takes.
        async_creator=lambda: postgres.connect(address, at_leisure=True),
        poolclass=sa.NullPool,
        hide_parameters=True,
    )
    async with engine.begin() as connection:
        # Several nodes may start at once: one migrates, the others wait and find it done.
        await connection.execute(sa.text("SELECT pg_advisory_xact_lock(7165461123)"))
        return await connection.run_sync(work)


def _on_sqlite(path: Path, work: Callable[[sa.Connection], T]) -> T:
    engine = sa.create_engine("sqlite://", creator=lambda: connect(path), poolclass=sa.NullPool, hide_parameters=True)
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    with engine.begin() as connection:
        return work(connection)


async def require_newest(db: Database) -> None:
    """Reject a database with an older or newer schema than this version."""
    if await revision_of(db) != newest_revision():
        raise SettingsError("The database schema is out of date. Run `socialgate migrate` once.")


async def _revision(tx: Tx) -> str | None:
    if not await tx.scalar(sa.text(_IS_THERE[tx.dialect])):
        return None
    revision: str | None = await tx.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return revision


def _upgrade(connection: sa.Connection, revision: str = "head") -> None:
    from alembic import command  # noqa: PLC0415 - see revisions
    from alembic.config import Config  # noqa: PLC0415 - see revisions

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    command.upgrade(config, revision)


def _unreachable(db: Database, error: Exception) -> str:
    if db.is_sqlite:
        return (
            f"Cannot use the database {db.url.database}: {_sentence(error)}. Set SOCIALGATE_DATA_DIR to another folder."
        )
    return (
        f"Cannot reach the database: {_sentence(error)}. Check SOCIALGATE_DATABASE_URL and that PostgreSQL is running."
    )


def _driver_error(error: Exception) -> BaseException:
    """Unwrap the driver's exception: SQLAlchemy wraps it, and its asyncpg adapter once more."""
    if isinstance(error, DBAPIError) and error.orig is not None:
        return error.orig.__cause__ or error.orig
    return error.__cause__ or error if isinstance(error, ServiceError) else error


def _sentence(error: Exception) -> str:
    """Return the driver's own message in one line; SQLAlchemy adds several more."""
    cause = _driver_error(error)
    return scrub(" ".join(str(cause).split()).rstrip(".")) or type(cause).__name__
