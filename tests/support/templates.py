"""Databases that are migrated already: made once for a run, and copied by every test that needs one of its own."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg

from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, sqlite_url
from socialgate.core.schema_migration import migrate
from socialgate.core.settings import Settings

TEMPLATE = "migrated"
_VARIABLE = "TEST_SQLITE_TEMPLATE"


@contextmanager
def templates(server_url: str) -> Iterator[None]:
    """Make both, for this process and those that it starts."""
    with tempfile.TemporaryDirectory(prefix="sg-template-") as folder:
        file = Path(folder) / "socialgate.db"
        asyncio.run(_make(server_url, file))
        os.environ[_VARIABLE] = str(file)
        yield


async def _make(server_url: str, file: Path) -> None:
    connection = await asyncpg.connect(server_url)
    await connection.execute(f"CREATE DATABASE {TEMPLATE}")
    await connection.close()
    of_postgres = Settings(database_url=server_url.replace("/postgres?", f"/{TEMPLATE}?", 1)).effective_database_url
    for url in (sqlite_url(file), of_postgres):
        db = Database(url, SystemClock())
        await migrate(db)
        await db.close()


def copy_sqlite(to: Path) -> None:
    """Put a migrated database there, unless there is one already."""
    if not to.exists() and _VARIABLE in os.environ:
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(os.environ[_VARIABLE], to)
