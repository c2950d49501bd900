"""Tests run in several processes: each exactly once, and none is lost with the process that ran it."""

import json
import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
# One process is killed, one test fails, one warns, and all of a file share what its fixture starts.
EXAMPLE = """
import os
import signal
import warnings

import pytest


@pytest.fixture(scope="module")
def module_process():
    return os.getpid()


@pytest.mark.parametrize("number", range(20))
def test_runs(number, module_process, tmp_path):
    assert module_process == os.getpid()
    assert not list(tmp_path.iterdir())
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 5:
        warnings.warn("something will change", FutureWarning)
    assert number != 17, "seventeen"
"""


def run(folder: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
    """Run the example, and give what became of each test."""
    (folder / "test_example.py").write_text(EXAMPLE)
    (folder / "conftest.py").write_text(
        f"""
import json
from pathlib import Path

pytest_plugins = ["support.forked_workers"]
outcomes = {{}}


def pytest_runtest_logreport(report):
    if report.when == "call" or report.failed:
        assert report.nodeid not in outcomes
        outcomes[report.nodeid.partition("::")[2]] = report.outcome


def pytest_unconfigure():
    Path({str(folder / "outcomes.json")!r}).write_text(json.dumps(outcomes))
"""
    )
    command = [sys.executable, "-m", "pytest", "-q", "-pno:cacheprovider", f"--rootdir={folder}", *options, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, text=True)
    return done, json.loads((folder / "outcomes.json").read_text())


def test_every_test_runs_once_and_a_death_fails_the_test_that_died(tmp_path: Path) -> None:
    done, outcomes = run(tmp_path, "--processes", "3")
    failed = {"test_runs[3]", "test_runs[17]"}
    assert outcomes == {
        f"test_runs[{number}]": "failed" if f"test_runs[{number}]" in failed else "passed" for number in range(20)
    }
    assert done.returncode == 1
    assert "The process of this test ended with exit code -9." in done.stdout
    assert "AssertionError: seventeen" in done.stdout
    assert "FutureWarning: something will change" in done.stdout


def test_it_stops_after_the_first_failure_if_it_is_asked_to(tmp_path: Path) -> None:
    done, outcomes = run(tmp_path, "--processes", "2", "-x")
    assert "stopping after 1 failures" in done.stdout
    assert len(outcomes) < 20
