"""The watchdog of the tests notices what keeps the event loop busy, and what did it."""

import time

from socialgate.core.breaks import EventLoopBreaks
from support.service import RunningService
from support.watchdog import MAX_SECONDS, take_stalls, wait_for_beats


async def spin(seconds: float) -> None:
    """Use processor time without a break."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        continue


async def spin_with_breaks(seconds: float) -> None:
    until, breaks = time.thread_time() + seconds, EventLoopBreaks()
    while time.thread_time() < until:
        await breaks.take_if_due()


def test_a_loop_that_stands_still_is_noticed_with_the_stack_that_held_it(service: RunningService) -> None:
    take_stalls()
    service.run(spin(MAX_SECONDS + 0.1))
    wait_for_beats()
    (stall,) = take_stalls()
    assert stall.seconds > MAX_SECONDS
    assert "in spin\n" in str(stall)


def test_a_loop_that_is_busy_and_takes_breaks_is_not(service: RunningService) -> None:
    service.run(spin_with_breaks(MAX_SECONDS + 0.1))
    wait_for_beats()
    assert take_stalls() == []


def test_neither_is_one_that_waits_for_the_processor(service: RunningService) -> None:
    async def wait() -> None:
        time.sleep(MAX_SECONDS + 0.1)  # noqa: ASYNC251 - as if others had the processor

    service.run(wait())
    wait_for_beats()
    assert take_stalls() == []
