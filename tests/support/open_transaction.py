"""A process that does something and keeps its transaction open until it is told to go on.

Run with the settings of the deployment in the environment. As `python -m support.open_transaction report <owner>
<profile>` it reports an event, says `ready`, waits for a line, reports another event, and says what came of it. As
`python -m support.open_transaction lock <name>...` it takes locks instead.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, TransactionFunction, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.outbox import emit_event
from socialgate.core.settings import load_settings
from support.hooks import lead
from support.processes import environment

_TESTS = Path(__file__).parents[1]


class OpenTransactionProcess:
    """The process, from outside."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def freeze(self) -> None:
        """Stop it in the middle of its transaction."""
        assert self._read_line() == "ready"
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> str:
        """Let it go on, and tell what came of its transaction."""
        self._process.send_signal(signal.SIGCONT)
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self._read_line()

    def _read_line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


def holding(
    settings: dict[str, object], owner_id: str, profile_id: str
) -> AbstractContextManager[OpenTransactionProcess]:
    return _started(settings, "report", owner_id, profile_id)


def locking(settings: dict[str, object], *names: str) -> AbstractContextManager[OpenTransactionProcess]:
    return _started(settings, "lock", *names)


@contextmanager
def _started(settings: dict[str, object], *arguments: str) -> Iterator[OpenTransactionProcess]:
    command = [sys.executable, "-m", "support.open_transaction", *arguments]
    env = environment(settings)
    env["PYTHONPATH"] = os.pathsep.join([str(_TESTS), *filter(None, [env.get("PYTHONPATH")])])
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield OpenTransactionProcess(process)
        finally:
            process.kill()


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


async def _report_twice(tx: Tx, owner_id: str, profile_id: str) -> None:
    await emit_event(tx, owner_id, profile_id, lead(1))
    await _be_ready()
    await emit_event(tx, owner_id, profile_id, lead(2))


async def _lock(tx: Tx, *names: str) -> None:
    await tx.lock(*names)
    await _be_ready()


async def _be_ready() -> None:
    _say("ready")
    await asyncio.to_thread(sys.stdin.readline)


_UNITS: dict[str, TransactionFunction[..., None]] = {"report": _report_twice, "lock": _lock}


async def _hold(label: str, *arguments: str) -> str:
    db = Database(load_settings().effective_database_url, SystemClock(), pool_size=2)
    try:
        await db.write(_UNITS[label], *arguments)
    except ServiceError as error:
        return error.code
    finally:
        await db.close()
    return "committed"


if __name__ == "__main__":
    _say(asyncio.run(_hold(*sys.argv[1:])))
