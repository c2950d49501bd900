"""A process that only makes events, beside the service: each with a row of its own in the same transaction.

Run as `python -m support.producer <sources> <batch>` with the settings of the deployment in the environment.
Each line of its input is a number of events to make. A transaction whose end is not known is made again; it
may have been committed all the same, which is why its own rows are the measure of what was accepted.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import sqlalchemy as sa

from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Unavailable
from socialgate.core.events import EVENT_TYPES, EventData
from socialgate.core.outbox import emit_event
from socialgate.core.settings import load_settings
from support.processes import environment

# Where an event belongs: an owner and one of its profiles.
Source = tuple[str, str]

_NAMES = ("message.received",) * 4 + ("lead.received", "automation.triggered") + ("message.received",) * 3
_TESTS = Path(__file__).parents[1]
_ENDS_WITHIN_SECONDS = 60

rows = sa.Table(
    "producer_rows",
    sa.MetaData(),
    sa.Column("event_id", sa.String(40), primary_key=True),
    sa.Column("seq", sa.Integer, nullable=False),
)


def event_of(seq: int) -> EventData:
    """Make the content of an event. Most are messages; the names follow the number."""
    kind = EVENT_TYPES[_NAMES[seq % len(_NAMES)]]
    example = kind.example()
    return msgspec.convert({**example, "accountId": f"acc_{seq}"}, kind, strict=False)


async def make_table(tx: Tx) -> None:
    await tx.execute(sa.text(str(sa.schema.CreateTable(rows, if_not_exists=True))))


async def make_events(tx: Tx, sources: Sequence[Source], numbers: Sequence[int]) -> None:
    """Make the events of these numbers, all of them or none."""
    for seq in numbers:
        owner_id, profile_id = sources[seq % len(sources)]
        event_id = await emit_event(tx, owner_id, profile_id, event_of(seq))
        await tx.execute(sa.insert(rows).values(event_id=event_id, seq=seq))


class Producer:
    """The process, from outside."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def make(self, events: int) -> None:
        """Let it make some more, and go on at once."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{events}\n")
        self._process.stdin.flush()

    def finish(self, seconds: float = _ENDS_WITHIN_SECONDS) -> None:
        """Wait until it has made all that was asked for."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(seconds) == 0, "the producer failed, see its standard error above"


@contextmanager
def producing(settings: dict[str, object], sources: Sequence[Source], *, batch: int) -> Iterator[Producer]:
    """Start a producer on the deployment with these settings."""
    command = [sys.executable, "-m", "support.producer", msgspec.json.encode(sources).decode(), str(batch)]
    env = environment(settings)
    env["PYTHONPATH"] = os.pathsep.join([str(_TESTS), *filter(None, [env.get("PYTHONPATH")])])
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, text=True) as process:
        try:
            yield Producer(process)
        finally:
            process.kill()
            # Numbers that it never read are of no use to anybody now.
            with suppress(BrokenPipeError):
                assert process.stdin is not None
                process.stdin.close()


async def _produce(sources: Sequence[Source], batch: int) -> None:
    settings = load_settings()
    db = Database(settings.effective_database_url, SystemClock(), pool_size=2)
    if settings.database_url is not None:
        db.wakeups.connect(settings.database_url)
    try:
        await _accepted(db, make_table)
        number = 0
        while line := await asyncio.to_thread(sys.stdin.readline):
            goal = number + int(line)
            while number < goal:
                numbers = range(number, min(number + batch, goal))
                await _accepted(db, make_events, sources, numbers)
                number += len(numbers)
    finally:
        await db.close()


async def _accepted(db: Database, unit: object, *arguments: object) -> None:
    """Write, again and again while the database refuses. Any other failure ends the process."""
    while True:
        try:
            await db.write(unit, *arguments)  # type: ignore[arg-type]  # units of several forms
        except Unavailable:
            await asyncio.sleep(0.2)
        else:
            return


if __name__ == "__main__":
    asyncio.run(_produce(msgspec.json.decode(sys.argv[1], type=list[Source]), int(sys.argv[2])))
