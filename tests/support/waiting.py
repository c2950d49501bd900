"""Waiting for something to become true, with a deadline that only a broken service reaches."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(look: Callable[[], T | None], *, seconds: float = 60) -> T:
    """Look until what is seen is true, and give it back."""
    deadline = time.monotonic() + seconds
    while not (seen := look()):
        if time.monotonic() > deadline:
            raise AssertionError(f"it did not become true in {seconds} s; last seen: {seen!r}")
        time.sleep(0.02)
    return seen
