"""Processes that are forked from one in which the command is loaded already: most of the time of a start is loading.

Each begins as a fresh process does, with settings, files and a fate of its own, and dies alone. That the command starts
from nothing is what `journeys/test_command_line.py` shows.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import forkserver
from pathlib import Path
from typing import Any, Self

from socialgate.core import jitter

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["support.forkserver_preload"])
_TESTS = Path(__file__).parents[1]


class ForkedProcess:
    """A process that runs one function, used like a `subprocess.Popen`."""

    def __init__(
        self,
        job: Callable[..., None],
        *arguments: Any,
        env: Mapping[str, str],
        cwd: Path | None = None,
        out: Path | None = None,
        err: Path | None = None,
    ) -> None:
        _run_server()
        for file in filter(None, (out, err)):
            file.write_bytes(b"")
        place = (dict(env), str(cwd or Path.cwd()), str(out or os.devnull), str(err) if err else None)
        self._process = _CONTEXT.Process(target=_begin, args=(place, job, arguments))
        self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = self._process.exitcode
            if self.returncode is not None:
                self._process.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            self._process.join(timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()


def run_command(arguments: Sequence[str]) -> None:
    """Do what `socialgate` does with these arguments."""
    import socialgate.__main__ as command  # noqa: PLC0415 - only what is forked needs it

    sys.argv = ["socialgate", *arguments]
    command.cli(list(arguments), prog_name="socialgate")


def _run_server() -> None:
    """Let the server find the tests: it is given no path until it forks for the first time."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(_TESTS), *filter(None, [before])])
    try:
        forkserver.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def _begin(
    place: tuple[dict[str, str], str, str, str | None], job: Callable[..., None], arguments: Sequence[Any]
) -> None:
    """Make a process of one's own of what was forked, as `exec` would."""
    env, cwd, out, err = place
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    _redirect(1, out)
    if err is not None:
        _redirect(2, err)
    # It shares no chance with others that were forked from the same process.
    jitter._random.seed()
    job(*arguments)


def _redirect(number: int, path: str) -> None:
    opened = os.open(path, os.O_WRONLY | os.O_APPEND)
    os.dup2(opened, number)
    os.close(opened)
