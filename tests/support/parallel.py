"""Doing the same thing many times at once."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

T = TypeVar("T")
S = TypeVar("S")

_THREADS = 4


def run_simultaneously(times: int, job: Callable[[int], T]) -> list[T]:
    """Run a job in so many threads, all let go in the same moment, and give what each returned."""
    barrier = Barrier(times)

    def run(number: int) -> T:
        barrier.wait(60)
        return job(number)

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(run, range(times)))


def in_parallel(job: Callable[[S], T], things: Sequence[S]) -> list[T]:
    """Do something with each of many things, a few at a time, and give what came of each in their order."""
    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(job, things))
