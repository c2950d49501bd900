"""A clock that is days ahead in every process of a run, to find the tests that will fail one day without any change.

    TEST_CLOCK_AHEAD_DAYS=365 make test

The processes that tests start find `sitecustomize` on their path, and it moves their clock before anything else runs.
PostgreSQL, TLS libraries, Node and the browser stay in the present: what they look at too, such as a certificate, must
be valid at both times.
"""

import os
import time
from importlib import import_module
from pathlib import Path

import time_machine

_VARIABLE = "TEST_CLOCK_AHEAD_DAYS"


def is_moved() -> bool:
    return bool(os.environ.get(_VARIABLE))


def read_present_time() -> float:
    """Return the time of the programs that stay in the present, such as clients in environments of their own."""
    if not time_machine.escape_hatch.is_travelling():
        return time.time()
    present: float = time_machine.escape_hatch.time.time()
    return present


def prepare() -> None:
    """Move the clock of this process and of all that it starts, if the variable says so."""
    if is_moved():
        # This moves the clock, as at the start of an interpreter.
        import_module("support.moved_clock.sitecustomize")
        folder = str(Path(__file__).parent)
        paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        if folder not in paths:
            os.environ["PYTHONPATH"] = os.pathsep.join([folder, *filter(None, paths)])
