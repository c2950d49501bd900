"""The database of a deployment, for commands that work on one and never create it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from socialgate.core.clock import Clock
from socialgate.core.db import Database
from socialgate.core.errors import Unavailable
from socialgate.core.schema_migration import require_supported_schema
from socialgate.core.settings import Settings, SettingsError


def require_database_file(settings: Settings) -> None:
    if settings.uses_sqlite and not settings.sqlite_path.exists():
        raise SettingsError(
            f"There is no database in {settings.data_dir}. Set SOCIALGATE_DATA_DIR to the right folder."
        )


@asynccontextmanager
async def open_existing_database(settings: Settings, clock: Clock) -> AsyncIterator[Database]:
    """Open it, or say in one line why that is not possible."""
    require_database_file(settings)
    db = Database(settings.effective_database_url, clock)
    try:
        await require_supported_schema(db)
        yield db
    except (Unavailable, OSError) as error:
        raise SettingsError(f"Cannot reach the database: {error}. Check SOCIALGATE_DATABASE_URL.") from error
    finally:
        await db.close()
