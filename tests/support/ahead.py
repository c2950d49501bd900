"""The command itself, with a clock that tests move: `python -P ahead.py <file> serve`.

The file says by how many seconds it is ahead of the machine's. Run as a script, so that it finds nothing of the tests.
"""

import sys
from datetime import datetime, timedelta
from pathlib import Path

import socialgate.__main__ as command
from socialgate.core.clock import SystemClock


class MovedClock(SystemClock):
    def __init__(self) -> None:
        self._file = Path(sys.argv[1])

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=float(self._file.read_text()))


if __name__ == "__main__":
    vars(command)[SystemClock.__name__] = MovedClock
    command.cli(sys.argv[2:])
