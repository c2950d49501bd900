"""Python imports this at its start, if its folder is on the path, before the program that was asked for."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from importlib.util import find_spec


def _move_clock() -> None:
    days = os.environ.get("TEST_CLOCK_AHEAD_DAYS")
    # Environments of other programs, such as the generator of clients, do not have it.
    if days and find_spec("time_machine") is not None:
        with _pytest_left_alone():
            import time_machine  # noqa: PLC0415 - only for a run with another clock
        if not time_machine.traveller_stack:
            time_machine.travel(timedelta(days=float(days))).start()


@contextmanager
def _pytest_left_alone() -> Iterator[None]:
    """Keep time-machine from loading pytest, for which it has a plugin: the service would be slower to start."""
    if "pytest" in sys.modules:
        yield
        return
    vars(sys)["modules"]["pytest"] = None  # an import of it then fails
    try:
        yield
    finally:
        del sys.modules["pytest"]


_move_clock()
