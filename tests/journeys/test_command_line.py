"""The command, as real processes: what a person sees on a first evening, and a supervisor every day.

Each verb is started from nothing at least once, here or where it is tested: it must load all that it needs by itself.
"""

import os
import pty
import re
import select
import signal
import socket
import stat
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from journeys import commands
from journeys.commands import COMMAND, DEADLINE_SECONDS, Running, run, run_afresh, started, started_afresh
from socialgate import __version__
from socialgate.core.schema_migration import get_newest_revision
from socialgate.entry.doctor import DOCTOR_CHECKS
from support.postgres import empty_database
from support.processes import environment
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

AWAY = "postgresql://gate:hunter2@127.0.0.1:1/gate"


def first_login(folder: Path) -> dict[str, str]:
    """Read the file as a shell does, and see what the commands see that it starts."""
    script = ". data/first-login.txt; for name in URL EMAIL PASSWORD API_KEY; do printenv SOCIALGATE_$name; done"
    shown = subprocess.run(["sh", "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    return dict(zip(("url", "email", "password", "api_key"), shown.stdout.split(), strict=True))


def owner_of(login: dict[str, str]) -> str:
    """Use both the sign-in and the API key, and tell whose they are."""
    with httpx.Client(base_url=login["url"], timeout=DEADLINE_SECONDS, trust_env=False) as client:
        signed_in = client.post("/auth/login", json={"email": login["email"], "password": login["password"]})
        assert signed_in.status_code == 200, signed_in.text
        me = client.get("/auth/me", headers={"Authorization": f"Bearer {login['api_key']}"}).json()
    assert me["owner"]["id"] == signed_in.json()["owner"]["id"]
    return str(me["owner"]["id"])


def refusal(finished: subprocess.CompletedProcess[str]) -> str:
    """Check that a command stopped with one line and nothing else, and give the line."""
    assert finished.returncode == 2, finished.stderr
    assert finished.stdout == ""
    (line,) = finished.stderr.splitlines()
    assert line.startswith("socialgate: ")
    return line.removeprefix("socialgate: ")


def health(address: str) -> dict[str, Any]:
    answer = httpx.get(f"{address}/health", timeout=DEADLINE_SECONDS, trust_env=False)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


def worker_is(address: str, status: str) -> dict[str, Any] | None:
    shown = health(address)
    return shown if shown["checks"]["worker"]["status"] == status else None


@contextmanager
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as current_socket:
        yield current_socket.getsockname()[1]


def test_the_version_is_shown(tmp_path: Path) -> None:
    shown = run_afresh(tmp_path, "version")
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, f"{__version__}\n", "")


def test_the_first_start_makes_an_owner_whom_later_starts_keep(tmp_path: Path) -> None:
    file = tmp_path / "data" / "first-login.txt"
    with started_afresh(tmp_path, "serve", port=0) as service:
        address = service.address()
        first = first_login(tmp_path)
        owner = owner_of(first)
        assert first["url"] == address
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert service.stop() == 0
        message = service.out + service.err
    assert "data/first-login.txt" in message
    assert first["password"] not in message
    assert first["api_key"] not in message

    with started(tmp_path, "serve", port=0) as service:
        address = service.address()
        second = first_login(tmp_path)
        assert second == {**first, "url": address}
        assert owner_of(second) == owner
        with started(tmp_path, "serve", port=0) as beside:
            assert beside.address() != address
            assert first_login(tmp_path) == second
            assert beside.stop() == 0
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert service.stop() == 0

    other_key = b64encode(bytes(32)).decode()
    line = refusal(run(tmp_path, "serve", port=0, secret_key=other_key))
    assert "Set the same SOCIALGATE_SECRET_KEY on all nodes" in line
    assert other_key not in line


def test_a_terminal_is_shown_the_first_sign_in(tmp_path: Path) -> None:
    terminal, end = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "serve"],
        cwd=tmp_path,
        env=environment({"port": 0}),
        stdin=subprocess.DEVNULL,
        stdout=end,
        stderr=subprocess.DEVNULL,
    ) as service:
        os.close(end)
        try:
            shown = b""
            while b"/health" not in shown:
                assert select.select([terminal], [], [], DEADLINE_SECONDS)[0], "nothing more was shown"
                shown += os.read(terminal, 4096)
            login = first_login(tmp_path)
            assert all(value.encode() in shown for value in login.values())
            service.send_signal(signal.SIGTERM)
            assert service.wait(DEADLINE_SECONDS) == 0
        finally:
            service.kill()
            os.close(terminal)


def test_a_taken_port_is_said_in_one_line_and_nothing_is_made(tmp_path: Path) -> None:
    with taken_port() as port:
        line = refusal(run(tmp_path, "serve", port=port))
        assert line.startswith(f"Cannot listen on 127.0.0.1:{port}: Address already in use")
        assert line.endswith("Set SOCIALGATE_PORT to a free port.")
        assert list(tmp_path.iterdir()) == []
        line = refusal(run(tmp_path, "serve", port=0, metrics_port=port))
        assert line.startswith(f"Cannot listen on 127.0.0.1:{port} for metrics: Address already in use.")


def test_a_wrong_setting_is_said_in_one_line(tmp_path: Path) -> None:
    line = refusal(run(tmp_path, "serve", prot=1))
    assert line == "SOCIALGATE_PROT is not a setting. Did you mean SOCIALGATE_PORT?"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", ["serve", "migrate"])
def test_a_data_directory_that_cannot_be_used_is_said_in_one_line(tmp_path: Path, verb: str) -> None:
    (tmp_path / "data").write_text("not a folder")
    line = refusal(run(tmp_path, verb, port=0))
    assert line.startswith("Cannot use the data directory data: ")
    assert line.endswith("Set SOCIALGATE_DATA_DIR to another folder.")


@pytest.mark.parametrize("verb", ["serve", "work", "migrate"])
def test_a_database_that_is_away_is_said_in_one_line(tmp_path: Path, verb: str) -> None:
    line = refusal(run(tmp_path, verb, port=0, database_url=AWAY))
    assert line.startswith("Cannot reach the database: ")
    assert line.endswith("Check SOCIALGATE_DATABASE_URL and that PostgreSQL is running.")
    assert "hunter2" not in line


@pytest.mark.parametrize(
    "command",
    [["reseal"], ["restore-check"], ["replay", "--since", "2026-11-15"], ["plan", "ada@example.com"]],
    ids=lambda words: words[0],
)
def test_what_works_on_a_database_says_in_one_line_that_there_is_none(tmp_path: Path, command: list[str]) -> None:
    assert "SOCIALGATE_DATA_DIR" in refusal(run_afresh(tmp_path, *command))


def test_a_proxy_that_is_no_address_stops_the_start(tmp_path: Path) -> None:
    line = refusal(run(tmp_path, "serve", port=0, sandbox="false", trusted_proxies="127.0.0.1,my-proxy"))
    assert line.startswith("SOCIALGATE_TRUSTED_PROXIES: 'my-proxy' is not a network in CIDR notation")


def test_the_doctor_finds_nothing_wrong_with_an_empty_folder_and_leaves_it_empty(tmp_path: Path) -> None:
    checked = run(tmp_path, "doctor", port=0)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "✗" not in checked.stdout
    assert f"✓ data directory: {tmp_path}/data will be created" in checked.stdout
    assert "✓ database: SQLite, will be created by the first start" in checked.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_doctor_shows_results_first_and_then_the_settings_that_were_changed(tmp_path: Path) -> None:
    checked = run(tmp_path, "doctor", port=0, rate_limit=77)
    lines = checked.stdout.splitlines()
    first, last = lines[0], "\n".join(lines[len(DOCTOR_CHECKS) + 1 :])
    assert first == "✓ settings: valid"
    assert all(line.startswith("✓") for line in lines[: len(DOCTOR_CHECKS) + 1])
    assert re.search(r"SOCIALGATE_RATE_LIMIT +77", last)
    # Everything else has its default, apart from what the environment of the tests sets.
    assert "SOCIALGATE_SIGNUP" not in last


def test_ctrl_c_ends_the_service_quietly(tmp_path: Path) -> None:
    with started(tmp_path, "serve", port=0) as service:
        # The sandbox is running too.
        with httpx.Client(base_url=sandbox_of(service), trust_env=False, timeout=DEADLINE_SECONDS) as sandbox:
            assert sandbox.get("/").status_code == 200
        service.process.send_signal(signal.SIGINT)
        assert service.process.wait(DEADLINE_SECONDS) == 0
        assert "Traceback" not in service.out + service.err
        assert "error" not in service.err


def sandbox_of(service: Running) -> str:
    service.address()
    (url,) = re.findall(r"Sandbox +(http://\S+)", service.out)
    return str(url)


def test_the_version_is_shown_as_other_commands_show_it(tmp_path: Path) -> None:
    for word in ("version", "--version"):
        assert run(tmp_path, word).stdout == f"{__version__}\n"


def test_the_doctor_names_all_that_is_wrong_with_its_remedy(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    with taken_port() as port:
        checked = run(
            tmp_path, "doctor", host="127.0.0.1", port=port, database_url=AWAY, metrics_token="hunter2hunter2hunter2"
        )
    assert (checked.returncode, checked.stderr) == (1, "")
    wrong = [line for line in checked.stdout.splitlines() if line.startswith("✗")]
    assert [line.partition(":")[0] for line in wrong] == ["✗ data directory", "✗ database", "✗ port"]
    assert wrong[0].endswith("Fix its permissions or set SOCIALGATE_DATA_DIR.")
    assert wrong[1].endswith("Check SOCIALGATE_DATABASE_URL and that PostgreSQL is running.")
    assert wrong[2].endswith("Stop the program that uses it or set SOCIALGATE_PORT.")
    assert "hunter2" not in checked.stdout


def test_the_doctor_warns_of_a_service_that_is_open_without_tls(tmp_path: Path) -> None:
    checked = run(tmp_path, "doctor", host="0.0.0.0", port=0)  # noqa: S104 - the doctor only looks
    assert checked.returncode == 1
    assert "✗ exposure: other machines can reach the service, but SOCIALGATE_BASE_URL is not https." in checked.stdout


def test_the_doctor_says_how_many_files_may_be_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = ["sh", "-c", 'ulimit -Sn 256; ulimit -Hn 512; exec "$@"', "sh", *COMMAND]
    monkeypatch.setattr(commands, "COMMAND", few)
    checked = run_afresh(tmp_path, "doctor", port=0, connections=320)
    assert "✓ open files: a process may have 512 open files, enough for 320 client connections" in checked.stdout
    assert checked.returncode == 0
    checked = run_afresh(tmp_path, "doctor", port=0, connections=321)
    assert (
        "✗ open files: a process may have 512 open files, which is enough for 320 client connections" in checked.stdout
    )
    assert checked.returncode == 1


def test_the_doctor_only_says_which_setting_is_wrong_and_where_they_are_described(tmp_path: Path) -> None:
    checked = run(tmp_path, "doctor", xyzzy=1)
    assert checked.returncode == 2
    wrong = "✗ settings: SOCIALGATE_XYZZY is not a setting. docs/reference/settings.md lists the settings.\n"
    assert checked.stdout == wrong
    checked = run(tmp_path, "doctor", prt=1)
    assert checked.returncode == 2
    wrong = "✗ settings: SOCIALGATE_PRT is not a setting. Did you mean SOCIALGATE_PORT?\n"
    assert checked.stdout == f"{wrong}docs/reference/settings.md describes every setting.\n"


def test_a_request_that_has_begun_is_finished_before_the_end(tmp_path: Path) -> None:
    with started(tmp_path, "serve", port=0) as service:
        place = ("127.0.0.1", httpx.URL(service.address()).port or 0)
        login = first_login(tmp_path)
        checked = run(tmp_path, "doctor", port=place[1])
        assert checked.returncode == 0, checked.stdout
        assert f"is in use by a running Socialgate {__version__}" in checked.stdout

        body = b'{"name": "Just in time"}'
        head = (
            "POST /profiles HTTP/1.1\r\nHost: gate\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {login['api_key']}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(place, timeout=DEADLINE_SECONDS) as client:
            client.sendall(head.encode() + body[:5])
            # An answer on a second connection shows that the first one has been read.
            assert health(login["url"])["status"] == "ok"
            service.process.send_signal(signal.SIGTERM)
            eventually(lambda: None if answers(place) else True, "the end of listening")
            client.sendall(body[5:])
            assert client.recv(65536).startswith(b"HTTP/1.1 201 Created")
        assert service.process.wait(DEADLINE_SECONDS) == 0
        assert "Traceback" not in service.err


def answers(place: tuple[str, int]) -> bool:
    try:
        socket.create_connection(place, timeout=DEADLINE_SECONDS).close()
    except ConnectionError:
        return False
    return True


def test_processes_that_share_a_postgresql(tmp_path: Path, postgres_url: str) -> None:
    shared = {"database_url": empty_database(postgres_url), "port": 0}
    for verb in ("serve", "work"):
        line = refusal(run(tmp_path, verb, **shared))
        assert line.startswith("The database schema is out of date: it is empty, and this version needs")
        assert line.endswith("Run `socialgate migrate` once.")
    checked = run(tmp_path, "doctor", **shared)
    assert checked.returncode == 1
    assert (
        f"it is empty, and this version needs {get_newest_revision()}. Run `socialgate migrate` once." in checked.stdout
    )

    for word, command in (("migrated to", run_afresh), ("already at", run)):
        migrated = command(tmp_path, "migrate", **shared)
        assert (migrated.returncode, migrated.stderr) == (0, "")
        assert migrated.stdout == f"The database is {word} revision {get_newest_revision()}.\n"

    with started(tmp_path, "serve", **shared) as service:
        address = service.address()
        alone = health(address)
        assert alone["status"] == "degraded"
        assert alone["checks"]["worker"]["detail"] == "No worker is running. Start `socialgate work`."
        assert not (tmp_path / "data" / "first-login.txt").exists()
        with started_afresh(tmp_path, "work", **shared) as worker:
            assert eventually(lambda: worker_is(address, "ok"), "a sign of the worker")["status"] == "ok"
            assert worker.stop() == 0
        assert eventually(lambda: worker_is(address, "degraded"), "the worker's leaving")["status"] == "degraded"
        assert service.stop() == 0
        assert "Traceback" not in service.err
