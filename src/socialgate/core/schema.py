"""Bringing a database to the newest schema. Migrations only go forward."""

from pathlib import Path

import asyncpg
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from socialgate.core.db import Database
from socialgate.core.logs import scrub
from socialgate.core.settings import SettingsError

MIGRATIONS = Path(__file__).parent.parent / "migrations"


def revisions() -> list[str]:
    """List all revisions from the file names alone: loading Alembic would cost every start 0.2 s."""
    return sorted(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def newest_revision() -> str:
    return revisions()[-1]


async def revision_of(db: Database) -> str | None:
    """Tell the revision of a database; None for an empty one. Fails with one line if it cannot be reached."""
    try:
        async with db.engine.connect() as connection:
            reader = await connection.execution_options(read_only=True)
            return await reader.run_sync(_revision)
    except (DBAPIError, OSError, TimeoutError, TypeError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise SettingsError(_unreachable(db, error)) from error


async def migrate(db: Database) -> bool:
    """Bring the database up to date, all of it or nothing. Tell whether there was anything to do."""
    found = await revision_of(db)
    if found == newest_revision():
        return False
    if found is not None and found not in revisions():
        raise SettingsError(
            f"The database is at revision {found}, which this version does not know. Run a newer Socialgate on it."
        )
    try:
        async with db.engine.begin() as connection:
            if not db.is_sqlite:
                # Several nodes may start at once: one migrates, the others wait and find it done.
                await connection.execute(sa.text("SELECT pg_advisory_xact_lock(7165461123)"))
            await connection.run_sync(_upgrade)
    except DBAPIError as error:
        if not isinstance(_driver_error(error), asyncpg.InsufficientPrivilegeError):
            raise
        raise SettingsError(
            f"The user of SOCIALGATE_DATABASE_URL may not make tables ({_sentence(error)}). "
            "Make it the owner of the database."
        ) from error
    return True


async def require_newest(db: Database) -> None:
    """Refuse a database that another version left behind or went ahead with."""
    if await revision_of(db) != newest_revision():
        raise SettingsError("The database is not at the newest schema. Run `socialgate migrate` once.")


def _revision(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
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
    return f"Cannot reach the database: {_sentence(error)}. Check SOCIALGATE_DATABASE_URL and that PostgreSQL runs."


def _driver_error(error: Exception) -> BaseException:
    if isinstance(error, DBAPIError) and error.orig is not None:
        return error.orig.__cause__ or error.orig
    return error


def _sentence(error: Exception) -> str:
    """Give the driver's own words in one line; SQLAlchemy adds several more."""
    cause = _driver_error(error)
    return scrub(" ".join(str(cause).split()).rstrip(".")) or type(cause).__name__
