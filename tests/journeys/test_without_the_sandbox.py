"""The service where the package of the sandbox is not installed."""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from journeys.commands import DEADLINE_SECONDS, Running
from support.processes import environment

# The command in a process in which the package cannot be found.
COMMAND = "import sys; sys.modules['socialgate_sandbox'] = None; from socialgate.__main__ import main; main()"
REMEDIES = ("pip install 'socialgate[sandbox]'", "SOCIALGATE_SANDBOX=false")


def run(folder: Path, verb: str, **settings: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", COMMAND, verb],
        cwd=folder,
        env=environment(settings),
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )


@pytest.mark.parametrize("verb", ["serve", "sandbox"])
def test_what_needs_it_says_how_to_install_it_or_to_do_without(tmp_path: Path, verb: str) -> None:
    refused = run(tmp_path, verb, port=0, sandbox_port=0)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
    assert all(remedy in refused.stderr for remedy in REMEDIES)


def test_the_doctor_finds_out_first(tmp_path: Path) -> None:
    examined = run(tmp_path, "doctor", port=0)
    assert examined.returncode == 1
    (line,) = [line for line in examined.stdout.splitlines() if line.startswith("✗")]
    assert line.startswith("✗ platforms: ")
    assert all(remedy in line for remedy in REMEDIES)
    assert run(tmp_path, "doctor", port=0, sandbox="false").returncode == 0


def test_real_platforms_do_not_need_it(tmp_path: Path) -> None:
    settings = {"port": 0, "sandbox": "false", "meta_app_id": "1", "meta_app_secret": "a secret"}
    files = {name: tmp_path / name for name in ("out", "err")}
    with (
        files["out"].open("wb") as out,
        files["err"].open("wb") as err,
        subprocess.Popen(
            [sys.executable, "-c", COMMAND, "serve"], cwd=tmp_path, env=environment(settings), stdout=out, stderr=err
        ) as process,
    ):
        try:
            running = Running(process, tmp_path)
            assert httpx.get(f"{running.address()}/health").status_code == 200
            assert "own apps for meta, no others configured" in running.out
            assert running.stop() == 0
        finally:
            process.kill()
