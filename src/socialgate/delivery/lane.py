"""Serving one hook while its lane is held: how many requests at a time, in which order, how fast, and when to stop."""

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeVar

import structlog

from socialgate.core.backoff import backoff
from socialgate.core.caller import on_behalf_of
from socialgate.core.jitter import between, jitter
from socialgate.core.secrets import Unreadable
from socialgate.delivery.health import LONGEST_PAUSE, count_failure, forget_failures, health_of, is_probed
from socialgate.delivery.lane_deps import LaneDeps
from socialgate.delivery.plan import (
    TEST_PING_SCHEDULE,
    Decision,
    Disable,
    Done,
    GiveUp,
    RetryAt,
    Succeeded,
    decide,
    standing,
)
from socialgate.delivery.results import result_of
from socialgate.delivery.send import Attempted
from socialgate.delivery.sign import Signer, signer_of
from socialgate.delivery.store import DATABASE_AWAY, Job, Lane, LaneNews, Result

T = TypeVar("T")

TEST_EVENT = "webhook.test"
# A hook that responds slowly soon gets the whole limit; one that hangs never ties up more than the first few, and a
# fast one needs no more: every further connection costs a TLS handshake. What a hook has earned stays with its lane
# while it has more to do, even if another worker takes over.
FIRST_WINDOW = 4
LARGEST_WINDOW = 32
READ_AT_ONCE = 96
# Deliveries without a written result are sent again after a crash: a slow or full database slows down the lane.
MOST_UNWRITTEN = 4 * LARGEST_WINDOW
# How long an idle lane is kept, so that the next event needs no claim. As long as its connection.
LINGER_SECONDS = 1.5
# The minimum and maximum time a lane is kept before other workers may have it. Lanes that were claimed together must
# not be released together, or all of their hooks would wait for the next claims.
QUANTUM_SECONDS = (2.0, 4.0)

log = structlog.get_logger(__name__)


class LaneRunner:
    def __init__(self, lane: Lane, deps: LaneDeps) -> None:
        self.lane = lane
        self._deps = deps
        self._loop = asyncio.get_running_loop()
        self._ready: deque[Job] = deque()
        self._last_read: Job | None = None
        # Whether reading after `_last_read`, or from the start, may find something.
        self._more = False
        self._woken = True
        self._slots: set[asyncio.Task[None]] = set()
        self._window = min(max(lane.at_once, FIRST_WINDOW), LARGEST_WINDOW)
        # The generation that this runner's failure record belongs to.
        self._generation = lane.generation
        self._next_send = 0.0
        self._signer: Signer  # made when deliveries are read, so it is there for each of them
        self._results: list[Result] = []
        self._news = self._blank_news()
        self._unwritten = 0
        self._changed = asyncio.Event()
        self._kept_until = self._loop.time() + between(*QUANTUM_SECONDS) if deps.store.shared else math.inf
        self._stopping = False
        self._leaving = False
        self._lost = False
        # Attempts that were answered with 410. What becomes of them is decided together with the hook.
        self._gone: list[tuple[Job, Attempted]] = []

    def wake(self) -> None:
        """There may be new deliveries."""
        self._woken = self._more = True
        self._changed.set()
        if self._leaving:
            self._deps.recorder.expedite()

    def stop(self) -> None:
        """Finish work in progress and release the lane."""
        self._stopping = True
        self._changed.set()

    def lose(self) -> None:
        """Another worker has the claim: nothing more may be sent."""
        self._lost = True
        self.stop()

    @property
    def is_lost(self) -> bool:
        return self._lost

    @property
    def is_woken(self) -> bool:
        """Whether there may be deliveries that it has not read."""
        return self._woken

    async def run(self) -> None:
        on_behalf_of.set(self.lane.owner_id)
        while not self._is_over():
            await self._refill()
            self._open_slots()
            if self._slots or self._unwritten:
                await self._wait()
            elif not self._ready and not self._woken and not await self._linger():
                break
        await self._drain()

    def _is_over(self) -> bool:
        if self._stopping or self._gone or self._is_paused():
            return True
        # A busy lane is released now and then, so that other workers may have it. An idle one ends by lingering.
        return self._loop.time() >= self._kept_until and bool(self._ready or self._slots)

    def _is_paused(self) -> bool:
        return self.lane.paused_until is not None and self.lane.paused_until > self._deps.clock.now()

    async def _refill(self) -> None:
        """Continue reading where it stopped, and from the start once everything read before is written.

        A long transaction may commit a delivery before that position; reading from the start finds it.
        """
        at_start = not self._ready and not self._slots and self._unwritten == 0
        if len(self._ready) > self._window or not (self._woken if at_start else self._more):
            return
        if self.lane.ordered and not at_start:
            return
        wanted = 1 if self.lane.ordered else READ_AT_ONCE
        # Reset before and not after: anything committed during this read may be missed by it.
        self._more = False
        self._woken = self._woken and not at_start
        jobs = await self._read(None if at_start else self._last_read, wanted)
        if jobs:
            if len(jobs) == wanted:
                self._woken = self._more = True
            self._last_read = jobs[-1]
            self._ready.extend(jobs)

    async def _read(self, after: Job | None, wanted: int) -> list[Job]:
        fetch, clock = self._deps.store.fetch, self._deps.clock
        jobs: list[Job] | None = await self._patiently(lambda: fetch(self.lane, after, wanted, clock.now()), [])
        self._notice_change()
        if jobs is None:
            self.lose()
        return self._with_signer(jobs or [])

    async def _patiently(self, ask: Callable[[], Awaitable[T]], otherwise: T) -> T:
        """Ask the database, and again while it is unavailable, unless the lane has to stop."""
        for wait in backoff():
            try:
                return await ask()
            except DATABASE_AWAY as error:
                log.warning("lane_waits", hook_id=self.lane.hook_id, reason=str(error))
            if self._stopping:
                break
            await asyncio.sleep(wait)
        return otherwise

    def _notice_change(self) -> None:
        """Forget past failures if the hook has another URL or was enabled again since."""
        if self.lane.generation == self._generation:
            return
        self._generation = self.lane.generation
        forget_failures(self.lane)
        self._window = max(self._window, FIRST_WINDOW)
        gone, self._gone = self._gone, []
        for job, attempted in gone:
            self._add(self._missed(job, attempted))

    def _with_signer(self, jobs: list[Job]) -> list[Job]:
        try:
            self._signer = signer_of(self.lane, self._deps.keyring, self._deps.clock.now())
        except Unreadable as error:
            log.exception("hook_secret_unreadable", hook_id=self.lane.hook_id, reason=str(error))
            self.lane.paused_until = self._deps.clock.now() + LONGEST_PAUSE
            return []
        return jobs

    def _open_slots(self) -> None:
        while len(self._slots) < min(self._allowed(), len(self._ready)) and not self._is_over():
            slot = asyncio.create_task(self._work())
            self._slots.add(slot)
            slot.add_done_callback(self._close_slot)

    def _close_slot(self, slot: asyncio.Task[None]) -> None:
        self._slots.discard(slot)
        self._changed.set()

    def _allowed(self) -> int:
        if self._unwritten >= MOST_UNWRITTEN:
            return 0
        return 1 if self.lane.ordered or is_probed(self.lane) else self._window

    async def _work(self) -> None:
        """Deliver one after the other, until nothing is ready or the number of concurrent requests is reduced."""
        while self._ready and len(self._slots) <= self._allowed() and not self._is_over():
            job = self._ready.popleft()
            if self.lane.max_per_second is not None:
                await self._keep_pace(self.lane.max_per_second)
                if self._stopping:
                    return
            generation = self._generation
            attempted = await self._deps.sender.attempt(self.lane.url, self._signer, job)
            if not isinstance(attempted.outcome, Succeeded):
                await self._look_at_hook()
            self._settle(job, attempted, counts=generation == self._generation)
            if len(self._ready) <= self._window:
                self._changed.set()

    async def _look_at_hook(self) -> None:
        """Find out whether the hook was changed during an attempt."""
        await self._patiently(lambda: self._deps.store.refresh(self.lane), None)
        self._notice_change()

    async def _keep_pace(self, per_second: int) -> None:
        """Space sends evenly. The lane is ours alone, so the rate holds across nodes."""
        at = max(self._next_send, self._loop.time())
        self._next_send = at + 1 / per_second
        await asyncio.sleep(at - self._loop.time())

    def _settle(self, job: Job, attempted: Attempted, *, counts: bool) -> None:
        """Decide what to do next. An attempt that does not count was made before the hook was changed."""
        schedule = TEST_PING_SCHEDULE if job.event == TEST_EVENT else self._deps.schedule
        decision = decide(attempted.record.number, attempted.outcome, jitter=jitter(), schedule=schedule)
        succeeded = isinstance(decision, Done)
        if succeeded:
            self._add(self._delivered(job, attempted, counts=counts))
        elif counts:
            self._fail(job, attempted, decision)
        else:
            self._add(self._missed(job, attempted))
        self._deps.metrics.attempts.count(attempted.record.duration_ms / 1000, succeeded=succeeded)

    def _add(self, result: Result) -> None:
        self._results.append(result)
        self._unwritten += 1
        self._deps.recorder.add(self, awaited=self.lane.ordered)

    def _delivered(self, job: Job, attempted: Attempted, *, counts: bool) -> Result:
        lane = self.lane
        if job.event != TEST_EVENT:
            lane.last_success_at = attempted.ended_at
            self._news.succeed(lane.owner_id, job.profile_id, attempted.ended_at)
            if counts:
                forget_failures(lane)
            is_slow = self._deps.headroom.is_receiver_slow(attempted.record.duration_ms)
            self._deps.headroom.record(attempted.record.duration_ms)
            if is_slow:
                self._window = min(self._window + 1, LARGEST_WINDOW)
                self._changed.set()
        return result_of(lane, job, attempted, "succeeded")

    def _fail(self, job: Job, attempted: Attempted, decision: Decision) -> None:
        log.info("delivery_attempt_failed", hook_id=self.lane.hook_id, delivery_id=job.id, error=attempted.record.error)
        if job.event != TEST_EVENT:
            self._blame(attempted, decision)
        if isinstance(decision, Disable):
            self._gone.append((job, attempted))
        elif isinstance(decision, RetryAt):
            retry_at = attempted.ended_at + decision.delay
            due_at = self._due_at(job, retry_at)
            self._add(result_of(self.lane, job, attempted, "pending", retry_at=retry_at, due_at=due_at))
        else:
            self._add(result_of(self.lane, job, attempted, "failed"))

    def _missed(self, job: Job, attempted: Attempted) -> Result:
        """Retry immediately at the hook's current URL, which is not the one that failed."""
        self._deps.due_again(self.lane.hook_id, attempted.ended_at)
        self._woken = self._more = True
        due_at = job.due_at if self.lane.ordered else attempted.ended_at
        return result_of(self.lane, job, attempted, "pending", retry_at=attempted.ended_at, due_at=due_at)

    def _due_at(self, job: Job, retry_at: datetime) -> datetime:
        self._deps.due_again(self.lane.hook_id, retry_at)
        if not self.lane.ordered:
            return retry_at
        # The head holds back the newer ones: the lane waits, and the row keeps its position in it.
        self.lane.paused_until = max(retry_at, self.lane.paused_until or retry_at)
        return job.due_at

    def _blame(self, attempted: Attempted, decision: Decision) -> None:
        """Update the hook's failure record."""
        lane, news = self.lane, self._news
        count_failure(lane, attempted.ended_at, exhausted=isinstance(decision, GiveUp))
        news.failed += isinstance(decision, GiveUp)
        news.last_failure_at = attempted.ended_at
        self._window = max(1, self._window // 2)
        if is_probed(lane) and lane.paused_until is not None:
            self._deps.due_again(lane.hook_id, lane.paused_until)

    def collect(self) -> tuple[list[Result], LaneNews]:
        """Pass the collected results to the recorder, together with the current lane."""
        lane, news = self.lane, self._news
        news.generation, news.at_once = self._generation, self._window
        news.consecutive_failures, news.exhausted = lane.consecutive_failures, lane.exhausted
        news.last_success_at, news.paused_until = lane.last_success_at, lane.paused_until
        results, self._results, self._news = self._results, [], self._blank_news()
        return results, news

    def written(self, results: int, *, held: bool) -> None:
        # Requests in flight wake the lane when they end: until then there is nothing to do, unless it had to wait for
        # this.
        waited = not self._slots or self._unwritten >= MOST_UNWRITTEN
        self._unwritten -= results
        if not held:
            self.lose()
        elif waited:
            self._changed.set()

    def _blank_news(self) -> LaneNews:
        lane = self.lane
        return LaneNews(hook_id=lane.hook_id, claim_id=lane.claim_id, generation=self._generation, at_once=self._window)

    async def _wait(self) -> None:
        await self._changed.wait()
        self._changed.clear()

    async def _linger(self) -> bool:
        """Wait a moment for more to do. True if there is.

        A lane that others may want is preferably released while it is idle, because then nothing waits for its next
        claim.
        """
        try:
            async with asyncio.timeout(min(LINGER_SECONDS, self._kept_until - self._loop.time())):
                while not self._woken and not self._stopping:
                    await self._wait()
        except TimeoutError:
            return False
        return self._woken

    async def _drain(self) -> None:
        """Let everything in flight end and be written, then release the lane, immediately if something waits."""
        self._leaving = True
        await self._all_written()
        if not self._lost:
            await self._disable_if_hopeless()
            await self._all_written()
        if self._lost:
            return
        if self._ready or self._woken:
            self._deps.due_again(self.lane.hook_id, self.lane.paused_until or self._deps.clock.now())
        else:
            self._window = FIRST_WINDOW
        self._news.release = True
        self._unwritten += 1
        self._deps.recorder.add(_Farewell(self), awaited=self._woken)
        while self._unwritten:
            await self._wait()

    async def _all_written(self) -> None:
        while self._slots or self._unwritten:
            if self._ready or self._woken:
                self._deps.recorder.expedite()
            await self._wait()

    async def _disable_if_hopeless(self) -> None:
        """Disable the hook, unless it was changed: then what was answered with 410 is sent again."""
        verdict = Disable("gone") if self._gone else standing(health_of(self.lane), self._deps.clock.now())
        if not isinstance(verdict, Disable):
            return
        failed = [result_of(self.lane, job, attempted, "failed") for job, attempted in self._gone]
        try:
            disabled = await self._deps.store.disable(self.lane, verdict.reason, self._deps.clock.now(), failed)
        except DATABASE_AWAY as error:
            log.warning("hook_not_disabled", hook_id=self.lane.hook_id, reason=str(error))
            return
        if disabled:
            log.warning("hook_disabled", hook_id=self.lane.hook_id, reason=verdict.reason)
            self.lane.active = False
        else:
            await self._look_at_hook()
        self._news.failed += sum(job.event != TEST_EVENT for job, _ in self._gone)


class _Farewell:
    """The last write of a lane: it has no results, but somebody waits for it."""

    def __init__(self, runner: LaneRunner) -> None:
        self._runner = runner

    def collect(self) -> tuple[list[Result], LaneNews]:
        return self._runner.collect()

    def written(self, results: int, *, held: bool) -> None:
        self._runner.written(results + 1, held=held)
