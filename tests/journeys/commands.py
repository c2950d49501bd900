"""The command `socialgate` as processes of its own, as a person or a supervisor runs it.

`run` and `started` fork them from one that has loaded everything (`support.forking`), `run_afresh` and
`started_afresh` begin with nothing: what is loaded when is seen there.
"""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from support.forking import ForkedProcess, run_command
from support.processes import environment
from support.waiting import eventually

# Generous: a loaded machine may be slow, a broken program never gets there.
DEADLINE_SECONDS = 60
COMMAND = [sys.executable, "-m", "socialgate"]


def run(folder: Path, verb: str, *arguments: str, **settings: object) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    with started(folder, verb, *arguments, **settings) as running:
        code = running.process.wait(DEADLINE_SECONDS)
        return subprocess.CompletedProcess([verb, *arguments], code, running.out, running.err)


def run_afresh(folder: Path, verb: str, *arguments: str, **settings: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, verb, *arguments],
        cwd=folder,
        env=environment(settings),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )


class Running:
    """A started process, and what it has said so far."""

    def __init__(self, process: "subprocess.Popen[bytes] | ForkedProcess", folder: Path) -> None:
        self.process = process
        self._folder = folder

    @property
    def out(self) -> str:
        return (self._folder / "out").read_text(encoding="utf-8")

    @property
    def err(self) -> str:
        return (self._folder / "err").read_text(encoding="utf-8")

    def address(self) -> str:
        """Wait until it serves, and tell where."""
        return eventually(self._address, "the greeting of the service")

    def stop(self) -> int:
        """Ask it to end, as a supervisor does, and tell its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(DEADLINE_SECONDS)

    def _address(self) -> str | None:
        assert self.process.poll() is None, f"it ended with {self.process.returncode}: {self.err}"
        match = re.search(r"curl (\S+)/health", self.out)
        return None if match is None else match[1]


@contextmanager
def started(folder: Path, verb: str, *arguments: str, **settings: object) -> Iterator[Running]:
    """Start a command that stays, and end it at the latest when the block does."""
    with TemporaryDirectory() as message:
        place = Path(message)
        files = {"out": place / "out", "err": place / "err"}
        with ForkedProcess(run_command, [verb, *arguments], env=environment(settings), cwd=folder, **files) as process:
            try:
                yield Running(process, place)
            finally:
                process.kill()


@contextmanager
def started_afresh(folder: Path, verb: str, *arguments: str, **settings: object) -> Iterator[Running]:
    with TemporaryDirectory() as message:
        place = Path(message)
        with (
            (place / "out").open("wb") as out,
            (place / "err").open("wb") as err,
            subprocess.Popen(
                [*COMMAND, verb, *arguments],
                cwd=folder,
                env=environment(settings),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            ) as process,
        ):
            try:
                yield Running(process, place)
            finally:
                process.kill()
