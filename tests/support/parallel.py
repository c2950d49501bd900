"""Doing the same thing many times at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

T = TypeVar("T")


def at_once(times: int, job: Callable[[int], T]) -> list[T]:
    """Run a job in so many threads, all let go in the same moment, and give what each returned."""
    barrier = Barrier(times)

    def run(number: int) -> T:
        barrier.wait(60)
        return job(number)

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(run, range(times)))
