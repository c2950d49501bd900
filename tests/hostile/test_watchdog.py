"""The watchdog of the tests notices what keeps the event loop busy, and what did it."""

import time
from itertools import count

import pytest

from socialgate.core.breaks import EventLoopYielder
from support.service import RunningService
from support.watchdog import MAX_SECONDS, LoopStoodStill, fail_on_stalls, take_stalls, wait_for_beats

_runs = count(1)


async def spin(seconds: float) -> None:
    """Use processor time without a break."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        continue


async def spin_with_breaks(seconds: float) -> None:
    until, breaks = time.thread_time() + seconds, EventLoopYielder()
    while time.thread_time() < until:
        await breaks.yield_if_due()


def test_a_loop_that_stands_still_is_noticed_with_the_stack_that_held_it(service: RunningService) -> None:
    take_stalls()
    service.run(spin(4 * MAX_SECONDS))
    wait_for_beats()
    (stall,) = take_stalls()
    assert stall.seconds > MAX_SECONDS
    assert "in spin\n" in str(stall)


def test_a_loop_that_is_busy_and_takes_breaks_is_not(service: RunningService) -> None:
    service.run(spin_with_breaks(4 * MAX_SECONDS))
    wait_for_beats()
    assert take_stalls() == []


def test_neither_is_one_that_waits_for_the_processor(service: RunningService) -> None:
    async def wait() -> None:
        time.sleep(4 * MAX_SECONDS)  # noqa: ASYNC251 - as if others had the processor

    service.run(wait())
    wait_for_beats()
    assert take_stalls() == []


def test_a_test_fails_during_which_it_stood_still(service: RunningService) -> None:
    service.run(spin(4 * MAX_SECONDS))
    wait_for_beats()
    with pytest.raises(LoopStoodStill, match="in spin\n"):
        fail_on_stalls()


def test_one_during_which_it_stood_still_only_once_runs_again(service: RunningService) -> None:
    """The first run leaves a stall behind, on which a fixture fails it (`support.repeated_stalls`)."""
    if next(_runs) == 1:
        service.run(spin(4 * MAX_SECONDS))
        wait_for_beats()
        return
    assert next(_runs) == 3
