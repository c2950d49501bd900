"""A process that reports an event and keeps its transaction open until it is told to go on.

Run as `python -m support.holder <owner> <profile>` with the settings of the deployment in the environment. It says
`reported`, waits for a line, reports another event, and says what came of it.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.outbox import emit
from socialgate.core.settings import load_settings
from support.hooks import lead
from support.processes import environment

_TESTS = Path(__file__).parents[1]


class Holder:
    """The process, from outside."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def freeze(self) -> None:
        """Stop it in the middle of its transaction."""
        assert self._said() == "reported"
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> str:
        """Let it go on, and tell what came of its transaction."""
        self._process.send_signal(signal.SIGCONT)
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self._said()

    def _said(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def holding(settings: dict[str, object], owner_id: str, profile_id: str) -> Iterator[Holder]:
    command = [sys.executable, "-m", "support.holder", owner_id, profile_id]
    env = environment(settings)
    env["PYTHONPATH"] = os.pathsep.join([str(_TESTS), *filter(None, [env.get("PYTHONPATH")])])
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield Holder(process)
        finally:
            process.kill()


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


async def _report_twice(tx: Tx, owner_id: str, profile_id: str) -> None:
    await emit(tx, owner_id, profile_id, lead(1))
    _say("reported")
    await asyncio.to_thread(sys.stdin.readline)
    await emit(tx, owner_id, profile_id, lead(2))


async def _hold(owner_id: str, profile_id: str) -> str:
    db = Database(load_settings().database, SystemClock(), pool_size=2)
    try:
        await db.write(_report_twice, owner_id, profile_id)
    except ServiceError as error:
        return error.code
    finally:
        await db.close()
    return "committed"


if __name__ == "__main__":
    _say(asyncio.run(_hold(*sys.argv[1:])))
