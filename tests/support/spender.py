"""A process that only spends one budget, beside others.

Run as `python -m support.spender <database> <budget> <times>`. It says when it is ready, and at the first line of its
input tries as often as it is told, then says how often there was room.
"""

import asyncio
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import msgspec

from socialgate.core.clock import SystemClock
from socialgate.core.db import Database
from socialgate.core.metrics import Metrics
from socialgate.core.quotas import QuotaBudget, QuotaExceededError, Quotas

_TESTS = Path(__file__).parents[1]
_ENDS_WITHIN_SECONDS = 60


def spend_together(processes: int, database: str, budget: QuotaBudget, times: int) -> int:
    """Let several processes spend at the same time, and count how often there was room."""
    command = [sys.executable, "-m", "support.spender", database, msgspec.json.encode(budget).decode(), str(times)]
    path = os.pathsep.join([str(_TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    with ExitStack() as stack:
        spenders = [
            stack.enter_context(
                subprocess.Popen(
                    command,
                    env={**os.environ, "PYTHONPATH": path},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for _ in range(processes)
        ]
        for spender in spenders:
            stack.callback(spender.kill)
        for spender in spenders:
            assert spender.stdout is not None
            assert spender.stdout.readline() == "ready\n"
        for spender in spenders:
            assert spender.stdin is not None
            spender.stdin.write("go\n")
            spender.stdin.flush()
        return sum(int(spender.communicate(timeout=_ENDS_WITHIN_SECONDS)[0]) for spender in spenders)


async def spent(quotas: Quotas, budget: QuotaBudget, times: int) -> int:
    """Spend so many times at once, and count how often there was room."""
    outcomes = await asyncio.gather(*(quotas.spend([(budget, 1)]) for _ in range(times)), return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException) and not isinstance(outcome, QuotaExceededError):
            raise outcome
    return sum(not isinstance(outcome, QuotaExceededError) for outcome in outcomes)


async def _run(database: str, budget: QuotaBudget, times: int) -> None:
    db = Database(database, SystemClock())
    quotas = Quotas(db, Metrics())
    # Connect before the others begin.
    await quotas.refund(await quotas.spend([(msgspec.structs.replace(budget, subject=str(os.getpid())), 1)]))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    sys.stdout.write(str(await spent(quotas, budget, times)))
    await db.close()


if __name__ == "__main__":
    asyncio.run(_run(sys.argv[1], msgspec.json.decode(sys.argv[2], type=QuotaBudget), int(sys.argv[3])))
