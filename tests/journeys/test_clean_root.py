"""The Dockerfile and the guide for systemd, step by step in a clean Debian: what they install starts and is healthy."""

import configparser
import json
import posixpath
import re
import shutil
import socket
import subprocess
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from socialgate import __version__
from support.clean_root import ROOT, CleanRoot, download_packages, make_clean_root
from support.postgres import empty_database
from support.processes import free_port
from support.soak import LONG
from support.waiting import eventually

pytestmark = LONG

_BASE_ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
# The packages come from a folder: the root knows no index, and what is installed is known by its hashes anyway.
_OFFLINE = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "HOME": "/root"}
_REPOSITORY = (
    *("requirements.lock", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md"),
    *("src", "docs", "sandbox", "deploy", "clients"),
)
_HEALTHY_SECONDS = 300


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> CleanRoot:
    folder = tmp_path_factory.mktemp("clean")
    root = make_clean_root(folder / "root")
    download_packages(root.path / "wheels")
    return root


@pytest.fixture
def root(pristine: CleanRoot, tmp_path: Path) -> Iterator[CleanRoot]:
    """Give a copy of the clean root, which takes seconds, and making one takes minutes."""
    # Not with Python, which would read the devices in it, some of which never end.
    subprocess.run(["cp", "--archive", pristine.path, tmp_path / "root"], check=True)
    yield CleanRoot(tmp_path / "root")
    shutil.rmtree(tmp_path / "root")


def instructions() -> Iterator[tuple[str, str]]:
    """Give the instructions of the Dockerfile in their order, each on one line."""
    text = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    text = re.sub(r"\\\n\s*", "", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE))
    for line in filter(None, text.splitlines()):
        name, _, arguments = line.strip().partition(" ")
        yield name, arguments


def require_healthy(port: int, output: Path) -> None:
    def look() -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(f"http://127.0.0.1:{port}/health", timeout=60).status_code == 200
        return False

    try:
        eventually(look, "a healthy service", seconds=_HEALTHY_SECONDS)
    except AssertionError as error:
        raise AssertionError(output.read_text(encoding="utf-8")) from error
    assert httpx.get(f"http://127.0.0.1:{port}/health", timeout=60).json()["version"] == __version__


def test_the_steps_of_the_dockerfile(root: CleanRoot, tmp_path: Path) -> None:
    env, folder, user = dict(_BASE_ENVIRONMENT), "/", "root"
    last: dict[str, str] = {}
    for name, arguments in instructions():
        if name == "WORKDIR":
            folder = arguments
            (root.path / folder.lstrip("/")).mkdir(exist_ok=True)
        elif name == "ARG":
            variable, _, value = arguments.partition("=")
            env[variable] = value
        elif name == "ENV":
            pairs = (pair.partition("=") for pair in arguments.split())
            env |= {variable: value.replace("$PATH", env["PATH"]) for variable, _, value in pairs}
        elif name == "COPY" and not arguments.startswith("--from"):
            *sources, target = arguments.split()
            for source in sources:
                root.copy_in(ROOT / source, posixpath.normpath(f"{folder}/{target.rpartition('/')[0]}"))
        elif name == "RUN":
            root.run(arguments, env=env | _OFFLINE, folder=folder)
        elif name == "USER":
            user = arguments
        last[name] = arguments
    port = free_port()
    # On loopback alone platforms would be simulated, for which the image has no package.
    own = env | {"SOCIALGATE_HOST": "127.0.0.1", "SOCIALGATE_PORT": str(port), "SOCIALGATE_SANDBOX": "false"}
    command = json.loads(last["ENTRYPOINT"]) + json.loads(last["CMD"])
    check = json.loads(last["HEALTHCHECK"].partition("CMD ")[2])
    check = [word.replace(":8080/", f":{port}/") for word in check]
    output = tmp_path / "output"
    with root.running(command, output, user=user, env=own, folder=folder, writable=last["VOLUME"]):
        require_healthy(port, output)
        root.run(" ".join(f'"{word}"' for word in check), env=own, user=user)
    assert (root.path / "data" / "socialgate.db").exists()


@contextmanager
def forwarded(database_url: str) -> Iterator[str]:
    """Let a port on loopback lead to the socket of the database, which the clean root cannot see."""
    (sockets,) = parse_qs(urlsplit(database_url).query)["host"]
    listener = socket.create_server(("127.0.0.1", 0))
    links: list[threading.Thread] = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                links.append(threading.Thread(target=link, args=(client, f"{sockets}/.s.PGSQL.5432")))
                links[-1].start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield f"postgresql://postgres@127.0.0.1:{listener.getsockname()[1]}{urlsplit(database_url).path}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        accepting.join()
        listener.close()
        # The programs that were connected have ended.
        for thread in links:
            thread.join()


def link(client: socket.socket, path: str) -> None:
    """Pass on what both sides send, until both have ended."""
    with client, socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        back = threading.Thread(target=pump, args=(server, client))
        back.start()
        pump(client, server)
        back.join()


def pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def guide_steps() -> str:
    """Give the steps of the guide for systemd, without those that a running systemd or an editor does."""
    guide = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8").partition("\n## systemd\n")[2]
    block = guide.partition("```bash\n")[2].partition("```")[0]
    assert "systemctl start socialgate-migrate" in block
    return "\n".join(line for line in block.splitlines() if not line.startswith(("systemctl", '"${EDITOR')))


def unit_of(root: CleanRoot, name: str) -> tuple[list[str], dict[str, str], str]:
    """Read what systemd would: the command, its environment, and its folder."""
    text = (root.path / "etc/systemd/system" / f"{name}.service").read_text(encoding="utf-8")
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(text)
    service = parser["Service"]
    assert service["User"] == service["Group"] == "socialgate"
    env = dict(re.findall(r"^Environment=(\w+)=(.*)$", text, flags=re.MULTILINE))
    file = (root.path / service["EnvironmentFile"].lstrip("/")).read_text(encoding="utf-8")
    env |= dict(re.findall(r"^(\w+)=(.*)$", file, flags=re.MULTILINE))
    return service["ExecStart"].split(), env | _BASE_ENVIRONMENT, service["WorkingDirectory"]


def test_the_steps_for_systemd(root: CleanRoot, tmp_path: Path, postgres_url: str) -> None:
    for name in _REPOSITORY:
        root.copy_in(ROOT / name, "/repository")
    root.run(guide_steps(), env=_BASE_ENVIRONMENT | _OFFLINE, folder="/repository")
    units = sorted(path.name for path in (root.path / "etc/systemd/system").glob("socialgate-*.service"))
    verified = [name.replace("@.", "@1.") for name in units]
    root.run(f"systemd-analyze verify --man=no {' '.join(verified)}", env=_BASE_ENVIRONMENT)
    port = free_port()
    with forwarded(empty_database(postgres_url)) as url:
        settings = root.path / "etc/socialgate/socialgate.env"
        text = settings.read_text(encoding="utf-8")
        text = re.sub(r"^SOCIALGATE_DATABASE_URL=.*$", f"SOCIALGATE_DATABASE_URL={url}", text, flags=re.MULTILINE)
        key = b64encode(bytes(32)).decode()
        text = re.sub(r"^SOCIALGATE_SECRET_KEY=.*$", f"SOCIALGATE_SECRET_KEY={key}", text, flags=re.MULTILINE)
        settings.write_text(f"{text}\nSOCIALGATE_PORT={port}\n", encoding="utf-8")
        # systemd makes the folder of StateDirectory.
        root.run("install -d -m 0700 -o socialgate -g socialgate /var/lib/socialgate", env=_BASE_ENVIRONMENT)
        command, env, folder = unit_of(root, "socialgate-migrate")
        migrated = root.run(" ".join(command), env=env, folder=folder, user="socialgate:socialgate")
        assert migrated.startswith("The database is migrated to revision")
        outputs = {name: tmp_path / name for name in ("socialgate-api", "socialgate-worker@")}
        (api, api_env, _), (worker, worker_env, _) = (unit_of(root, name) for name in outputs)
        user = "socialgate:socialgate"
        with (
            root.running(api, outputs["socialgate-api"], user=user, env=api_env, folder=folder, writable=folder),
            root.running(
                worker, outputs["socialgate-worker@"], user=user, env=worker_env, folder=folder, writable=folder
            ),
        ):
            require_healthy(port, outputs["socialgate-api"])
            shown = eventually(lambda: worker_health(port), "a sign of the worker")
            assert shown == "ok"
            checked = root.run(f"{command[0]} doctor || true", env=env, folder=folder, user=user)
            assert "✓ role" in checked
            assert "✓ migrations" not in checked


def worker_health(port: int) -> str | None:
    shown = httpx.get(f"http://127.0.0.1:{port}/health", timeout=60).json()["checks"]["worker"]["status"]
    return str(shown) if shown == "ok" else None
