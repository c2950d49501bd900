"""The command itself, with a clock that a test stops and moves: `python -P stopped.py <file> serve`.

The file tells the time; as long as it is empty, the machine does. A script, so that it finds nothing of the tests.
"""

import sys
from datetime import datetime
from pathlib import Path

import socialgate.__main__ as command
from socialgate.core.clock import SystemClock


class StoppedClock(SystemClock):
    def __init__(self) -> None:
        self._file = Path(sys.argv[1])

    def now(self) -> datetime:
        told = self._file.read_text()
        return datetime.fromisoformat(told) if told else super().now()


if __name__ == "__main__":
    vars(command)[SystemClock.__name__] = StoppedClock
    command.cli(sys.argv[2:])
