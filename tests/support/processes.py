"""The processes of a deployment: started, shot, frozen, and started again."""

import asyncio
import json
import os
import random
import re
import signal
import socket
import subprocess
from functools import partial
from pathlib import Path
from typing import Literal

import httpx

from socialgate.core import schema_migration
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database
from socialgate.core.settings import load_settings
from support.forking import ForkedProcess, run_command
from support.stopped_clock import run_with_stopped_clock
from support.templates import copy_sqlite
from support.waiting import eventually

Verb = Literal["serve", "work"]

# Generous: a loaded machine may be slow, a broken program never gets there.
DEADLINE_SECONDS = 60
# Below the range from which the system picks ports by itself: nobody else takes one while its process restarts.
_PORTS = range(20_000, 32_000)


def environment(settings: dict[str, object]) -> dict[str, str]:
    """Give what a process finds: nothing of ours but these settings."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SOCIALGATE_")}
    params = {"sandbox_port": 0, **settings}
    return inherited | {f"SOCIALGATE_{name.upper()}": str(value) for name, value in params.items()}


def migrate(settings: dict[str, object]) -> None:
    """Bring the database to the newest schema. Most are copies of one that is there already (`support.templates`)."""
    loaded = load_settings(environment(settings))
    if loaded.database_url is None:
        copy_sqlite(loaded.sqlite_path)
    asyncio.run(_migrate(loaded.effective_database_url))


async def _migrate(url: str) -> None:
    db = Database(url, SystemClock())
    await schema_migration.migrate(db)
    await db.close()


def free_port() -> int:
    while True:
        port = random.choice(_PORTS)  # noqa: S311 - any will do
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) != 0:
                return port


class Process:
    """One process of the deployment."""

    def __init__(self, verb: Verb, folder: Path, settings: dict[str, object], clock: Path | None = None) -> None:
        """Start it, with a clock that a file tells if one is named (`support.stopped_clock`)."""
        self.verb = verb
        self._clock = clock
        self._metrics = f"http://127.0.0.1:{(port := free_port())}/metrics"
        self._environment = environment({"port": 0, **settings, "metrics_port": port})
        self._out, self._err = folder / f"{verb}-{port}.out", folder / f"{verb}-{port}.err"
        self._running = self._start()

    def _start(self) -> "ForkedProcess | subprocess.Popen[bytes]":
        job = run_command if self._clock is None else partial(run_with_stopped_clock, self._clock)
        return ForkedProcess(job, [self.verb], env=self._environment, out=self._out, err=self._err)

    @property
    def pid(self) -> int:
        return self._running.pid

    def kill(self) -> None:
        """End it with SIGKILL. Until then it must have lived, and complained of nothing that was not foreseen."""
        self.require_alive()
        self._running.kill()
        self._running.wait()
        self.require_no_errors()

    def restart(self) -> None:
        self.kill()
        self.start_again()

    def start_again(self) -> None:
        self._running = self._start()

    def ask_to_stop(self) -> None:
        self._running.send_signal(signal.SIGTERM)

    def wait_until_stopping(self) -> None:
        """Wait until it takes nothing new; what is in flight is still finished then."""
        eventually(lambda: "worker_stopping" in self._err.read_text(), f"`{self.verb}` to stop")

    def stop(self) -> int:
        """Ask it to end, as a supervisor does, and tell its exit code."""
        self.ask_to_stop()
        return self.wait()

    def wait(self) -> int:
        return self._running.wait(DEADLINE_SECONDS)

    def freeze(self) -> None:
        self._running.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._running.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """End it whatever state it is in."""
        self._running.kill()
        self._running.wait()

    def require_alive(self) -> None:
        code = self._running.poll()
        assert code is None, f"`{self.verb}` ended by itself with {code}: {self._err.read_text()}"

    def require_no_errors(self) -> None:
        """Outages are foreseen. Any other error, and anything that is no line of the log, is a fault of ours."""
        # A line without an end is one in the midst of which it was killed.
        lines = self._err.read_text().splitlines(keepends=True)
        wrong = [line for line in lines if line.endswith("\n") and not _is_expected_log(line)]
        assert not wrong, "".join(wrong)

    @property
    def address(self) -> str:
        match = re.search(r"curl (\S+)/health", self._out.read_text())
        assert match is not None, "it has not said yet where it listens"
        return match[1]

    def wait_until_ready(self) -> None:
        eventually(self._is_ready, f"the readiness of `{self.verb}`")

    def _is_ready(self) -> bool:
        self.require_alive()
        if self.verb == "work":
            return _answers(self._metrics)
        return "/health" in self._out.read_text() and _answers(f"{self.address}/health")

    def attempts(self) -> dict[str, int]:
        """Ask how often it has tried to deliver, by outcome."""
        counted = [line.split('"} ') for line in self._measured('socialgate_delivery_attempts_total{outcome="')]
        return {outcome: int(float(count)) for outcome, count in counted if float(count) > 0}

    def in_flight(self) -> int:
        """Ask how many requests it is answering."""
        (count,) = self._measured("socialgate_http_requests_in_flight ")
        return int(float(count))

    def _measured(self, prefix: str) -> list[str]:
        """Give what follows in the lines of its metrics that begin so."""
        answer = httpx.get(self._metrics, timeout=DEADLINE_SECONDS)
        assert answer.headers["x-content-type-options"] == "nosniff"
        lines = answer.text.splitlines()
        return [line.removeprefix(prefix) for line in lines if line.startswith(prefix)]


def _is_expected_log(line: str) -> bool:
    try:
        message = json.loads(line)
    except ValueError:
        return False
    return message["level"] in {"info", "warning"} or message.get("code") in {"unavailable", "storage_full"}


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=DEADLINE_SECONDS).is_success
    except httpx.TransportError:
        return False
