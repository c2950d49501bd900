"""The command with a clock that a test stops and moves.

A file tells the time; as long as it is empty, the machine does.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import socialgate.__main__ as command
from socialgate.core.clock import SystemClock
from socialgate.core.jobs import poll_loop
from support.forking import run_command

_LOOK_SECONDS = 0.5


def look_often() -> None:
    """Have loops that wait for a time look at the clock often: moving it by hand wakes nobody."""
    vars(poll_loop)["_MAX_SLEEP_SECONDS"] = _LOOK_SECONDS


def run_with_stopped_clock(file: Path, arguments: Sequence[str]) -> None:
    """Run the command in a process of its own."""

    class StoppedClock(SystemClock):
        def now(self) -> datetime:
            moment = file.read_text()
            return datetime.fromisoformat(moment) if moment else super().now()

    vars(command)[SystemClock.__name__] = StoppedClock
    look_often()
    run_command(arguments)
