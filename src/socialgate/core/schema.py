"""Bringing a database to the newest schema. Migrations only go forward."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from socialgate.core.db import Database

MIGRATIONS = Path(__file__).parent.parent / "migrations"


def newest_revision() -> str:
    """Tell the newest revision from the file names alone: loading Alembic would cost every start 0.2 s."""
    return max(path.name for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))[:4]


async def revision_of(db: Database) -> str | None:
    """Tell the revision of a database; None for an empty one."""
    async with db.engine.connect() as connection:
        try:
            revision: str | None = await connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
        except DBAPIError:
            return None
        return revision


async def migrate(db: Database) -> bool:
    """Bring the database up to date, all of it or nothing. Tell whether there was anything to do."""
    if await revision_of(db) == newest_revision():
        return False
    async with db.engine.begin() as connection:
        if not db.is_sqlite:
            # Several nodes may start at once: one migrates, the others wait and find it done.
            await connection.execute(sa.text("SELECT pg_advisory_xact_lock(7165461123)"))
        await connection.run_sync(_upgrade)
    return True


def _upgrade(connection: sa.Connection) -> None:
    from alembic import command  # noqa: PLC0415 - see newest_revision
    from alembic.config import Config  # noqa: PLC0415

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    command.upgrade(config, "head")
