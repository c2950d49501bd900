"""Watches the event loops of the services in this process: none may stand still.

A timer of the loop notes every 20 ms how much processor time the loop's thread has used. If it used more than the limit
between two notes, one callback (or one round of them) kept everybody else waiting. Processor time, not time on the
clock: on a busy machine the loop also stands still while others compute, which is nobody's fault. A thread takes
samples of the loop's stack meanwhile, so that the failure says what it was busy with. The garbage collector does not
count: in the process of the tests it looks at far more than in one that only serves.

On a virtual machine processor time is not only ours: the host stops a processor and the clock of the thread goes on.
So a slow processor gets more time (`_measure_slowness`), and a test during which a loop stood still runs again
(`support.repeated_stalls`): what the program does happens each time, what the host does happens once.
"""

import asyncio
import gc
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from support.waiting import eventually

MAX_SECONDS = 0.25
# For requests that are meant to keep it busy.
STRICT_SECONDS = 0.1
_BEAT_SECONDS = 0.02
_SAMPLE_SECONDS = 0.04
# Below this nobody looks: most rounds of a loop are shorter.
_SAMPLED_FROM = 0.08
_MAX_SAMPLES = 20
_SHOWN_FRAMES = 18
# A fixed amount of work, and what it takes on the slowest machine for which the limits are meant.
_WORK = range(50_000)
_WORK_SECONDS = 0.015
# What may take longer, by a piece of a file's name in the stack, and why.
EXEMPT = {
    "<frozen importlib._bootstrap>": "a part of the program is loaded when it is first needed, once for each process",
    "/socialgate_sandbox/": "a simulated platform shares the loop in tests, and no deployment with customers has one",
}


class Stall(msgspec.Struct, frozen=True):
    """The loop stood still for so many seconds of processor time; `stacks` are samples of what it did."""

    seconds: float
    stacks: list[traceback.StackSummary]

    @property
    def is_exempt(self) -> bool:
        """Whether most of it was something that may take long."""
        exempt = [stack for stack in self.stacks if any(part in frame.filename for frame in stack for part in EXEMPT)]
        return 2 * len(exempt) > len(self.stacks)

    def __str__(self) -> str:
        shown = (
            "".join(self.stacks[len(self.stacks) // 2].format()) if self.stacks else "(nobody could look meanwhile)\n"
        )
        return f"The event loop stood still for {self.seconds:.2f} s of processor time:\n{shown}"


class LoopStoodStill(AssertionError):
    """The event loop of a service stood still during a test."""


def _measure_slowness() -> float:
    """Say how many times as slow as it should be the processor is at this moment; never less than 1."""
    started_at = time.thread_time()
    for _ in _WORK:
        pass
    for number in _WORK:
        number * number
    return max(1.0, (time.thread_time() - started_at) / _WORK_SECONDS)


class _Watch:
    """The watch over one loop, made in its thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ident = threading.get_ident()
        self._clock = time.pthread_getcpuclockid(self._ident)
        self._used = time.thread_time()
        self._stacks: list[traceback.StackSummary] = []
        self._collecting_since = 0.0
        self.beats = 0
        gc.callbacks.append(self._collect)
        self._timer = self._loop.call_later(_BEAT_SECONDS, self._beat)

    def end(self) -> None:
        self._timer.cancel()
        gc.callbacks.remove(self._collect)

    def _collect(self, phase: str, _info: dict[str, Any]) -> None:
        """Leave out the time of the garbage collector, which runs in the thread that happens to make it necessary."""
        if threading.get_ident() != self._ident:
            return
        if phase == "start":
            self._collecting_since = time.thread_time()
        else:
            self._used += time.thread_time() - self._collecting_since

    def _beat(self) -> None:
        seconds, stacks = time.thread_time() - self._used, self._stacks
        if seconds > _limits[-1] and seconds > _limits[-1] * _measure_slowness():
            _STALLS.append(Stall(seconds, stacks))
        self._used, self._stacks = time.thread_time(), []
        self.beats += 1
        self._timer = self._loop.call_later(_BEAT_SECONDS, self._beat)

    def look(self) -> None:
        """Take a sample, if the loop has been busy for long. Called by another thread."""
        stacks = self._stacks
        if time.clock_gettime(self._clock) - self._used < _SAMPLED_FROM or len(stacks) >= _MAX_SAMPLES:
            return
        frame = sys._current_frames().get(self._ident)
        if frame is not None:
            walked = [*traceback.walk_stack(frame)][:_SHOWN_FRAMES]
            stacks.append(traceback.StackSummary.extract(reversed(walked)))


_STALLS: list[Stall] = []
_WATCHES: list[_Watch] = []
_limits = [MAX_SECONDS]
_lock = threading.Lock()


@contextmanager
def watched_loop() -> Iterator[None]:
    """Watch the running loop. The thread that looks at the stacks of all loops is started with the first."""
    with _lock:
        _WATCHES.append(watch := _Watch())
        if len(_WATCHES) == 1:
            threading.Thread(target=_look_around, daemon=True, name="watchdog").start()
    try:
        yield
    finally:
        watch.end()
        with _lock:
            _WATCHES.remove(watch)


def _look_around() -> None:
    while True:
        time.sleep(_SAMPLE_SECONDS)
        with _lock:
            if not _WATCHES:
                return
            for watch in _WATCHES:
                watch.look()


@contextmanager
def strictly_watched() -> Iterator[None]:
    """Notice shorter stalls as long as the block lasts, and fail on them at its end."""
    _limits.append(STRICT_SECONDS)
    try:
        yield
        wait_for_beats()
    finally:
        _limits.pop()
    fail_on_stalls()


def fail_on_stalls() -> None:
    stalls = take_stalls()
    if stalls:
        raise LoopStoodStill("\n".join(map(str, stalls)))


def wait_for_beats() -> None:
    """Wait until everything that the loops did until now would have been noticed."""
    before = {id(watch): watch.beats for watch in _WATCHES}
    eventually(lambda: all(watch.beats > before.get(id(watch), 0) + 1 for watch in _WATCHES))


def take_stalls() -> list[Stall]:
    """Return what was noticed since the last call, except what may take long."""
    stalls = _STALLS.copy()
    del _STALLS[: len(stalls)]
    return [stall for stall in stalls if not stall.is_exempt]
