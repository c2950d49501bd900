"""Serving one hook while its lane is held: how many requests at a time, in which order, how fast, and when to stop.

It has more than 400 lines: all of it decides about the next request of one lane.
"""

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeVar

import structlog

from socialgate.core.caller import current_owner_id
from socialgate.core.encryption import DecryptionError
from socialgate.core.jitter import get_random_jitter, random_between
from socialgate.core.outage_delays import iterate_outage_delays
from socialgate.delivery.health import MAX_PROBE_PAUSE, build_hook_health, count_failure, is_failing, reset_failures
from socialgate.delivery.lane_deps import LaneDeps
from socialgate.delivery.results import build_delivery_result
from socialgate.delivery.retry_policy import (
    TEST_EVENT_RETRY_SCHEDULE,
    AttemptSucceeded,
    DeliveryDecision,
    DeliveryDone,
    DisableHook,
    GiveUp,
    RetryAfter,
    decide_next_step,
    decide_send_mode,
)
from socialgate.delivery.sender import AttemptResult
from socialgate.delivery.shared_reads import MAX_ROWS_PER_LANE
from socialgate.delivery.signing import HookSigner, build_hook_signer, list_sealed_secrets
from socialgate.delivery.store import DATABASE_ERRORS, DeliveryResult, DueDelivery, Lane, LaneUpdate

T = TypeVar("T")

TEST_EVENT_TYPE = "webhook.test"
# A hook that responds slowly soon gets the whole limit; one that hangs never ties up more than the first few, and a
# fast one needs no more: every further connection costs a TLS handshake. What a hook has earned stays with its lane
# while it has more to do, even if another worker takes over.
INITIAL_CONCURRENT_REQUESTS = 4
MAX_CONCURRENT_REQUESTS = 32
FETCH_BATCH_SIZE = 96
# What is read of a hook after a read that found all there was. Such reads of several lanes share a statement.
FIRST_BATCH_SIZE = MAX_ROWS_PER_LANE
# Deliveries without a written result are sent again after a crash: a slow or full database slows down the lane. All
# lanes together have a limit of their own (`unrecorded.py`), which does not count a lane that somebody has locked.
MAX_UNWRITTEN_RESULTS = 2 * MAX_CONCURRENT_REQUESTS
# How long an idle lane is kept, so that the next event needs no claim. As long as its connection.
IDLE_HOLD_SECONDS = 1.5
# The minimum and maximum time a lane is kept before other workers may have it. Lanes that were claimed together must
# not be released together, or all of their hooks would wait for the next claims.
HOLD_SECONDS_RANGE = (2.0, 4.0)

log = structlog.get_logger(__name__)


class LaneRunner:
    def __init__(self, lane: Lane, deps: LaneDeps) -> None:
        self.lane = lane
        self._deps = deps
        self._loop = asyncio.get_running_loop()
        self._ready_deliveries: deque[DueDelivery] = deque()
        self._last_read: DueDelivery | None = None
        # Whether reading after `_last_read`, or from the start, may find something.
        self._may_have_more = False
        self._may_have_unread = True
        # Whether the last read found as many as it asked for. What waits for a lane that was just claimed is unknown.
        self._has_backlog = True
        self._sender_tasks: set[asyncio.Task[None]] = set()
        self._share = deps.unrecorded.join()
        self._set_window(max(lane.at_once, INITIAL_CONCURRENT_REQUESTS))
        # The generation that this runner's failure record belongs to.
        self._generation = lane.generation
        self._next_send = 0.0
        self._signer: HookSigner  # made when deliveries are read, so it is there for each of them
        self._sealed_secrets: list[bytes] = []
        self._results: list[DeliveryResult] = []
        self._update = self._build_empty_update()
        self._unwritten_count = 0
        self._changed = asyncio.Event()
        self._release_at = self._loop.time() + random_between(*HOLD_SECONDS_RANGE) if deps.store.is_shared else math.inf
        self._stopping = False
        self._draining = False
        self._claim_lost = False
        # Attempts that were answered with 410. What becomes of them is decided together with the hook.
        self._hook_gone: list[tuple[DueDelivery, AttemptResult]] = []

    def wake(self) -> None:
        """There may be new deliveries."""
        self._may_have_unread = self._may_have_more = True
        self._changed.set()
        if self._draining:
            self._deps.recorder.flush_soon()

    def stop(self) -> None:
        """Finish work in progress and release the lane."""
        self._stopping = True
        self._changed.set()

    def mark_claim_lost(self) -> None:
        """Another worker has the claim: nothing more may be sent."""
        self._claim_lost = True
        self.stop()

    @property
    def is_claim_lost(self) -> bool:
        return self._claim_lost

    @property
    def may_have_unread(self) -> bool:
        """Whether there may be deliveries that it has not read."""
        return self._may_have_unread

    async def run(self) -> None:
        current_owner_id.set(self.lane.owner_id)
        try:
            await self._serve()
            await self._drain_lane()
        finally:
            self._share.leave()

    async def _serve(self) -> None:
        while not self._should_end():
            await self._read_more_deliveries()
            self._start_senders()
            if self._sender_tasks or self._unwritten_count:
                await self._wait_for_change()
            elif not self._ready_deliveries and not self._may_have_unread and not await self._wait_for_more():
                break

    def _set_window(self, number: int) -> None:
        """Set how many requests are sent at a time."""
        self._window = max(1, min(number, MAX_CONCURRENT_REQUESTS))
        self._share.set_earned(max(0, self._window - INITIAL_CONCURRENT_REQUESTS))

    def _should_end(self) -> bool:
        if self._stopping or self._hook_gone or self._is_paused():
            return True
        # A busy lane is released now and then, so that other workers may have it. An idle one ends by lingering.
        return self._loop.time() >= self._release_at and bool(self._ready_deliveries or self._sender_tasks)

    def _is_paused(self) -> bool:
        return self.lane.paused_until is not None and self.lane.paused_until > self._deps.clock.now()

    async def _read_more_deliveries(self) -> None:
        """Continue reading where it stopped, and from the start once everything read before is written.

        A long transaction may commit a delivery before that position; reading from the start finds it.
        """
        at_start = not self._ready_deliveries and not self._sender_tasks and self._unwritten_count == 0
        if len(self._ready_deliveries) > self._window or not (
            self._may_have_unread if at_start else self._may_have_more
        ):
            return
        if self.lane.ordered and not at_start:
            return
        number = self._get_read_size()
        # Reset before and not after: anything committed during this read may be missed by it.
        self._may_have_more = False
        self._may_have_unread = self._may_have_unread and not at_start
        jobs = await self._read(None if at_start else self._last_read, number)
        self._has_backlog = len(jobs) == number
        if jobs:
            if self._has_backlog:
                self._may_have_unread = self._may_have_more = True
            self._last_read = jobs[-1]
            self._ready_deliveries.extend(jobs)

    def _get_read_size(self) -> int:
        if self.lane.ordered:
            return 1
        return FETCH_BATCH_SIZE if self._has_backlog else FIRST_BATCH_SIZE

    async def _read(self, after: DueDelivery | None, number: int) -> list[DueDelivery]:
        fetch, clock = self._deps.store.fetch_due_deliveries, self._deps.clock
        jobs: list[DueDelivery] | None = await self._retry_while_unavailable(
            lambda: fetch(self.lane, after, number, clock.now()), []
        )
        self._reset_if_hook_changed()
        if jobs is None:
            self.mark_claim_lost()
        return self._prepare_signer(jobs or [])

    async def _retry_while_unavailable(self, ask: Callable[[], Awaitable[T]], otherwise: T) -> T:
        """Ask the database, and again while it is unavailable, unless the lane has to stop."""
        for wait in iterate_outage_delays():
            try:
                return await ask()
            except DATABASE_ERRORS as error:
                log.warning("lane_waits", hook_id=self.lane.hook_id, reason=str(error))
            if self._stopping:
                break
            await asyncio.sleep(wait)
        return otherwise

    def _reset_if_hook_changed(self) -> None:
        """Forget past failures if the hook has another URL or was enabled again since."""
        if self.lane.generation == self._generation:
            return
        self._generation = self.lane.generation
        reset_failures(self.lane)
        self._set_window(max(self._window, INITIAL_CONCURRENT_REQUESTS))
        gone, self._hook_gone = self._hook_gone, []
        for job, attempted in gone:
            self._add(self._handle_outdated_attempt(job, attempted))

    def _prepare_signer(self, jobs: list[DueDelivery]) -> list[DueDelivery]:
        # Nearly always the same as at the last read, and decrypting them took longer than signing.
        sealed = list_sealed_secrets(self.lane, self._deps.clock.now())
        if sealed == self._sealed_secrets:
            return jobs
        try:
            self._signer = build_hook_signer(self.lane, sealed, self._deps.keyring)
            self._sealed_secrets = sealed
        except DecryptionError as error:
            log.exception("hook_secret_unreadable", hook_id=self.lane.hook_id, reason=str(error))
            self.lane.paused_until = self._deps.clock.now() + MAX_PROBE_PAUSE
            return []
        return jobs

    def _start_senders(self) -> None:
        while (
            len(self._sender_tasks) < min(self._get_max_concurrent(), len(self._ready_deliveries))
            and not self._should_end()
        ):
            slot = asyncio.create_task(self._send_deliveries())
            self._sender_tasks.add(slot)
            slot.add_done_callback(self._on_sender_done)

    def _on_sender_done(self, slot: asyncio.Task[None]) -> None:
        self._sender_tasks.discard(slot)
        self._changed.set()

    def _get_max_concurrent(self) -> int:
        if self._unwritten_count >= MAX_UNWRITTEN_RESULTS:
            return 0
        return 1 if self.lane.ordered or is_failing(self.lane) else self._window

    async def _send_deliveries(self) -> None:
        """Deliver one after the other, until nothing is ready or the number of concurrent requests is reduced."""
        while self._may_send():
            if not self._share.has_room():
                await self._share.wait_for_room()
                if not self._may_send():
                    return
            job = self._ready_deliveries.popleft()
            if self.lane.max_per_second is not None:
                await self._wait_for_rate_limit(self.lane.max_per_second)
                if self._stopping:
                    return
            generation = self._generation
            sent = self._share.start()
            attempted = await self._deps.sender.attempt_delivery(self.lane.url, self._signer, job)
            self._share.end(sent)
            if not isinstance(attempted.outcome, AttemptSucceeded):
                await self._refresh_hook()
            self._handle_attempt(job, attempted, counts=generation == self._generation)
            if len(self._ready_deliveries) <= self._window:
                self._changed.set()

    def _may_send(self) -> bool:
        if not self._ready_deliveries or self._should_end():
            return False
        return len(self._sender_tasks) <= self._get_max_concurrent()

    async def _refresh_hook(self) -> None:
        """Find out whether the hook was changed during an attempt."""
        await self._retry_while_unavailable(lambda: self._deps.store.refresh(self.lane), None)
        self._reset_if_hook_changed()

    async def _wait_for_rate_limit(self, per_second: int) -> None:
        """Space sends evenly. The lane is ours alone, so the rate holds across nodes."""
        at = max(self._next_send, self._loop.time())
        self._next_send = at + 1 / per_second
        await asyncio.sleep(at - self._loop.time())

    def _handle_attempt(self, job: DueDelivery, attempted: AttemptResult, *, counts: bool) -> None:
        """Decide what to do next. An attempt that does not count was made before the hook was changed."""
        schedule = TEST_EVENT_RETRY_SCHEDULE if job.event == TEST_EVENT_TYPE else self._deps.schedule
        decision = decide_next_step(
            attempted.record.number, attempted.outcome, jitter=get_random_jitter(), schedule=schedule
        )
        succeeded = isinstance(decision, DeliveryDone)
        if succeeded:
            self._add(self._handle_success(job, attempted, counts=counts))
        elif counts:
            self._handle_failed_attempt(job, attempted, decision)
        else:
            self._add(self._handle_outdated_attempt(job, attempted))
        self._deps.metrics.attempts.observe_attempt(attempted.record.duration_ms / 1000, succeeded=succeeded)

    def _add(self, result: DeliveryResult) -> None:
        self._results.append(result)
        self._unwritten_count += 1
        self._share.add_result()
        self._deps.recorder.add(self, awaited=self.lane.ordered)

    def _handle_success(self, job: DueDelivery, attempted: AttemptResult, *, counts: bool) -> DeliveryResult:
        lane = self.lane
        if job.event != TEST_EVENT_TYPE:
            lane.last_success_at = attempted.ended_at
            self._update.count_success(lane.owner_id, job.profile_id, attempted.ended_at)
            if counts:
                reset_failures(lane)
            is_slow = self._deps.headroom.is_receiver_slow(attempted.record.duration_ms)
            self._deps.headroom.record(attempted.record.duration_ms)
            if is_slow:
                self._set_window(self._window + 1)
                self._changed.set()
        return build_delivery_result(lane, job, attempted, "succeeded")

    def _handle_failed_attempt(self, job: DueDelivery, attempted: AttemptResult, decision: DeliveryDecision) -> None:
        log.info("delivery_attempt_failed", hook_id=self.lane.hook_id, delivery_id=job.id, error=attempted.record.error)
        if job.event != TEST_EVENT_TYPE:
            self._record_failure(attempted, decision)
        if isinstance(decision, DisableHook):
            self._hook_gone.append((job, attempted))
        elif isinstance(decision, RetryAfter):
            retry_at = attempted.ended_at + decision.delay
            due_at = self._plan_retry(job, retry_at)
            self._add(build_delivery_result(self.lane, job, attempted, "pending", retry_at=retry_at, due_at=due_at))
        else:
            self._add(build_delivery_result(self.lane, job, attempted, "failed"))

    def _handle_outdated_attempt(self, job: DueDelivery, attempted: AttemptResult) -> DeliveryResult:
        """Retry immediately at the hook's current URL, which is not the one that failed."""
        self._deps.due_again(self.lane.hook_id, attempted.ended_at)
        self._may_have_unread = self._may_have_more = True
        due_at = job.due_at if self.lane.ordered else attempted.ended_at
        return build_delivery_result(self.lane, job, attempted, "pending", retry_at=attempted.ended_at, due_at=due_at)

    def _plan_retry(self, job: DueDelivery, retry_at: datetime) -> datetime:
        self._deps.due_again(self.lane.hook_id, retry_at)
        if not self.lane.ordered:
            return retry_at
        # The head holds back the newer ones: the lane waits, and the row keeps its position in it.
        self.lane.paused_until = max(retry_at, self.lane.paused_until or retry_at)
        return job.due_at

    def _record_failure(self, attempted: AttemptResult, decision: DeliveryDecision) -> None:
        """Update the hook's failure record."""
        lane, news = self.lane, self._update
        count_failure(lane, attempted.ended_at, exhausted=isinstance(decision, GiveUp))
        news.failed += isinstance(decision, GiveUp)
        news.last_failure_at = attempted.ended_at
        self._set_window(self._window // 2)
        if is_failing(lane) and lane.paused_until is not None:
            self._deps.due_again(lane.hook_id, lane.paused_until)

    def take_results(self) -> tuple[list[DeliveryResult], LaneUpdate]:
        """Pass the collected results to the recorder, together with the current lane."""
        lane, news = self.lane, self._update
        news.generation, news.at_once = self._generation, self._window
        news.consecutive_failures, news.exhausted = lane.consecutive_failures, lane.exhausted
        news.last_success_at, news.paused_until = lane.last_success_at, lane.paused_until
        results, self._results, self._update = self._results, [], self._build_empty_update()
        return results, news

    def on_written(self, results: int, *, claim_valid: bool) -> None:
        # Requests in flight wake the lane when they end: until then there is nothing to do, unless it had to wait for
        # this.
        waited = not self._sender_tasks or self._unwritten_count >= MAX_UNWRITTEN_RESULTS
        self._unwritten_count -= results
        self._share.on_written(results)
        if not claim_valid:
            self.mark_claim_lost()
        elif waited:
            self._changed.set()

    def on_locked(self) -> None:
        self._share.set_locked(locked=True)

    def on_released(self, results: int, *, claim_valid: bool) -> None:
        self._unwritten_count -= 1
        self.on_written(results, claim_valid=claim_valid)

    def _build_empty_update(self) -> LaneUpdate:
        lane = self.lane
        return LaneUpdate(
            hook_id=lane.hook_id, claim_id=lane.claim_id, generation=self._generation, at_once=self._window
        )

    async def _wait_for_change(self) -> None:
        await self._changed.wait()
        self._changed.clear()

    async def _wait_for_more(self) -> bool:
        """Wait a moment for more to do. True if there is.

        A lane that others may want is preferably released while it is idle, because then nothing waits for its next
        claim.
        """
        try:
            async with asyncio.timeout(min(IDLE_HOLD_SECONDS, self._release_at - self._loop.time())):
                while not self._may_have_unread and not self._stopping:
                    await self._wait_for_change()
        except TimeoutError:
            return False
        return self._may_have_unread

    async def _drain_lane(self) -> None:
        """Let everything in flight end and be written, then release the lane, immediately if something waits."""
        self._draining = True
        await self._wait_until_all_written()
        if not self._claim_lost:
            await self._disable_if_failing()
            await self._wait_until_all_written()
        if self._claim_lost:
            return
        if self._ready_deliveries or self._may_have_unread:
            self._deps.due_again(self.lane.hook_id, self.lane.paused_until or self._deps.clock.now())
        else:
            self._set_window(INITIAL_CONCURRENT_REQUESTS)
        self._update.release = True
        self._unwritten_count += 1
        self._deps.recorder.add(_ReleaseSource(self), awaited=self._may_have_unread)
        while self._unwritten_count:
            await self._wait_for_change()

    async def _wait_until_all_written(self) -> None:
        while self._sender_tasks or self._unwritten_count:
            if self._ready_deliveries or self._may_have_unread:
                self._deps.recorder.flush_soon()
            await self._wait_for_change()

    async def _disable_if_failing(self) -> None:
        """Disable the hook, unless it was changed: then what was answered with 410 is sent again."""
        verdict = (
            DisableHook("gone")
            if self._hook_gone
            else decide_send_mode(build_hook_health(self.lane), self._deps.clock.now())
        )
        if not isinstance(verdict, DisableHook):
            return
        failed = [build_delivery_result(self.lane, job, attempted, "failed") for job, attempted in self._hook_gone]
        try:
            disabled = await self._deps.store.disable_hook(self.lane, verdict.reason, self._deps.clock.now(), failed)
        except DATABASE_ERRORS as error:
            log.warning("hook_not_disabled", hook_id=self.lane.hook_id, reason=str(error))
            return
        if disabled:
            log.warning("hook_disabled", hook_id=self.lane.hook_id, reason=verdict.reason)
            self.lane.active = False
        else:
            await self._refresh_hook()
        self._update.failed += sum(job.event != TEST_EVENT_TYPE for job, _ in self._hook_gone)


class _ReleaseSource:
    """The last write of a lane: it has no results, but somebody waits for it."""

    def __init__(self, runner: LaneRunner) -> None:
        self._runner = runner

    def take_results(self) -> tuple[list[DeliveryResult], LaneUpdate]:
        return self._runner.take_results()

    def on_written(self, results: int, *, claim_valid: bool) -> None:
        self._runner.on_released(results, claim_valid=claim_valid)

    def on_locked(self) -> None:
        self._runner.on_locked()
