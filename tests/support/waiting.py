"""Waiting for something to become true, with a deadline that only a broken service reaches."""

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")

_MAX_INTERVAL_SECONDS = 0.15


def poll_intervals(seconds: float) -> Iterator[None]:
    """Rest between looks, for longer the longer it takes: each look takes time from those who work.

    Only the rests count. On a machine that others keep busy, looking takes longer, and so does what is waited for.
    """
    rested = 0.0
    yield
    while rested < seconds:
        rest = min(_MAX_INTERVAL_SECONDS, 0.01 + rested / 10)
        time.sleep(rest)
        rested += rest
        yield


def eventually(look: Callable[[], T | None], label: str = "it", *, seconds: float = 60) -> T:
    """Look until what is seen is true, and give it back. `label` names it in the message of a failure."""
    seen: T | None = None
    for _ in poll_intervals(seconds):
        if seen := look():
            return seen
    raise AssertionError(f"{label} did not come within {seconds} s; last seen: {seen!r}")
