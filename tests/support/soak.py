"""The long forms of tests that are heavy by nature. `make soak` runs them, `make test` a small form of each."""

import os
from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")

# A test that has both forms is marked `soak` and chooses its size by this.
SOAK = bool(os.environ.get("SOAK"))
# The marks of what runs in the soak alone.
LONG = [pytest.mark.soak, pytest.mark.skipif(not SOAK, reason="takes long, see `make soak`")]


def some_of_each(points: Iterable[T], group: Callable[[T], str], engine: str, one_in: int) -> list[T]:
    """Take one in so many points of each group for every run, from its end. Each engine takes other ones."""
    result: dict[str, list[T]] = {}
    for point in points:
        result.setdefault(group(point), []).insert(0, point)
    first = ("sqlite", "postgres").index(engine)
    return [point for items in result.values() for point in items[first::one_in]]
