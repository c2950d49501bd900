"""Whose doing a late answer is: more requests in flight only help where it is the customer's."""

import sys
import time

import pytest

from socialgate.delivery.slowness import SlownessDetector, get_busy_seconds


class Process:
    """A process whose time goes by as it is told."""

    def __init__(self) -> None:
        self.elapsed = self.used = 0.0
        self.headroom = SlownessDetector(lambda: self.elapsed, lambda: self.used)

    def work(self, seconds: float, *, share: float) -> None:
        self.elapsed += seconds
        self.used += seconds * share

    def blames_customer(self, milliseconds: int) -> bool:
        """Answer for a response, then count it, as a lane does."""
        is_slow = self.headroom.is_receiver_slow(milliseconds)
        self.headroom.record(milliseconds)
        return is_slow


@pytest.fixture
def idle() -> Process:
    process = Process()
    process.work(1, share=0.1)
    return process


@pytest.fixture
def busy() -> Process:
    process = Process()
    process.work(1, share=1.0)
    return process


def test_a_process_with_time_left_blames_the_customer_for_what_is_late(idle: Process) -> None:
    assert [idle.blames_customer(milliseconds) for milliseconds in (1, 24, 25, 60)] == [
        False,
        False,
        True,
        True,
    ]


def test_a_busy_process_takes_the_blame_as_long_as_all_are_late(busy: Process) -> None:
    assert not any(busy.blames_customer(700) for _ in range(200))


def test_a_busy_process_blames_who_is_much_later_than_the_others(busy: Process) -> None:
    for _ in range(200):
        busy.blames_customer(80)
    assert not busy.blames_customer(240)
    assert busy.blames_customer(400)


def test_somewhat_late_among_the_fast_is_no_blame_while_busy(busy: Process) -> None:
    for _ in range(200):
        busy.blames_customer(2)
    assert not busy.blames_customer(100)
    assert busy.blames_customer(250)


def test_those_who_hang_do_not_excuse_each_other(busy: Process) -> None:
    for _ in range(200):
        busy.blames_customer(14_000)
        busy.blames_customer(2)
    assert busy.blames_customer(1_000)
    assert not busy.blames_customer(240)


def test_once_there_is_time_again_the_customer_is_blamed_again(busy: Process) -> None:
    assert not busy.blames_customer(60)
    busy.work(1, share=0.2)
    assert busy.blames_customer(60)


def test_a_process_that_waits_for_a_core_counts_as_busy() -> None:
    before = time.process_time()
    waited = get_busy_seconds() - time.process_time()
    assert get_busy_seconds() >= before
    if sys.platform == "linux":
        # Since it started, this process was not always the only one on the machine.
        assert waited > 0
