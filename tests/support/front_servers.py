"""PgBouncer and nginx as operators run them, if they are installed (`apt-get install pgbouncer nginx-light`)."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import trustme

from support.processes import free_port
from support.waiting import eventually

DEPLOY = Path(__file__).parents[2] / "deploy"
# Where Debian installs servers, which is not on the path of every user.
_PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def find_program(name: str) -> str:
    """Find an optional program, or skip the test and say what it would have shown."""
    program = shutil.which(name, path=_PATH)
    if program is None:
        pytest.skip(f"{name} is not installed, so what the service does behind it is not tested")
    return program


@contextmanager
def pgbouncer(folder: Path, database_url: str, mode: str, **settings: str) -> Iterator[str]:
    """Run PgBouncer with the file in `deploy` in front of a database, and give the URL through it."""
    program, port = find_program("pgbouncer"), free_port()
    target = urlsplit(database_url)
    (sockets,) = parse_qs(target.query)["host"]
    owner = Path(sockets).owner()
    users = folder / "userlist.txt"
    users.write_text(f'"{target.username}" ""\n', encoding="utf-8")
    replaced = {
        "listen_addr": "127.0.0.1",
        "listen_port": str(port),
        "unix_socket_dir": "",
        "auth_type": "trust",
        "auth_file": str(users),
        "pool_mode": mode,
        **settings,
    }
    text = (DEPLOY / "pgbouncer" / "pgbouncer.ini").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.partition("=")[0].strip() not in {*replaced, "socialgate"}]
    lines.insert(lines.index("[databases]") + 1, f"* = host={sockets}")
    lines += [f"{name} = {value}" for name, value in replaced.items()]
    file = folder / "pgbouncer.ini"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for parent in (folder, *folder.parents[:2]):
        parent.chmod(0o755)
    as_owner = ["-u", owner] if os.geteuid() == 0 else []
    with _running([program, "--quiet", *as_owner, str(file)], port):
        yield f"postgresql://{target.username}@127.0.0.1:{port}{target.path}"


@contextmanager
def nginx(folder: Path, node_port: int, changes: dict[str, str]) -> Iterator[str]:
    """Run nginx with the file in `deploy`, with some of its lines changed, in front of a node. Gives its URL."""
    program, port = find_program("nginx"), free_port()
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    leaf = authority.issue_cert("127.0.0.1")
    leaf.private_key_and_cert_chain_pem.write_to_path(folder / "leaf.pem")
    text = (DEPLOY / "nginx" / "socialgate.conf").read_text(encoding="utf-8")
    for before, after in {
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen [::]:80;": "",
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        "listen [::]:443 ssl;": "",
        "/etc/letsencrypt/live/gate.example.com/fullchain.pem": str(folder / "leaf.pem"),
        "/etc/letsencrypt/live/gate.example.com/privkey.pem": str(folder / "leaf.pem"),
        "server 127.0.0.1:8080;": f"server 127.0.0.1:{node_port};",
        **changes,
    }.items():
        assert before in text, f"{before} is not in the file"
        text = text.replace(before, after)
    temporary = "".join(
        f"{name}_temp_path {folder};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main = f"daemon off; master_process off; pid {folder}/pid; error_log stderr;\nevents {{}}\n"
    (folder / "nginx.conf").write_text(f"{main}http {{\naccess_log off;\n{temporary}\n{text}\n}}\n", encoding="utf-8")
    with _running([program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"], port):
        yield f"https://127.0.0.1:{port}"


@contextmanager
def _running(command: Sequence[str], port: int) -> Iterator[None]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            eventually(lambda: process.poll() is not None or _accepts(port), command[0])
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            yield
        finally:
            process.terminate()
            process.communicate()


def _accepts(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0
