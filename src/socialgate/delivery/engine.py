"""The engine: finds hooks with due deliveries, holds their lanes, and renews the leases."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta

import structlog

from socialgate.core.claims import new_claim_id
from socialgate.core.clock import Clock
from socialgate.core.encryption import Keyring
from socialgate.core.metrics import Metrics
from socialgate.core.outbox import INACTIVE_HOOK_RETENTION
from socialgate.core.wakeups import ALL_KEYS, WakeupDispatcher
from socialgate.delivery.lane_deps import LaneDeps
from socialgate.delivery.lane_runner import LaneRunner
from socialgate.delivery.result_writer import ResultWriter
from socialgate.delivery.retry_policy import RetrySchedule
from socialgate.delivery.sender import DeliverySender
from socialgate.delivery.slowness import SlownessDetector
from socialgate.delivery.store import DATABASE_ERRORS, Lane, LaneStore
from socialgate.delivery.unrecorded import UnrecordedDeliveries

# How often the engine polls, in case a hint was lost with its process.
POLL_INTERVAL = timedelta(seconds=1)
# A worker claims lanes in small batches, so that several workers share them.
CLAIM_BATCH_SIZE = 16
MAX_LANES = 1024
ABANDONED_CANCEL_INTERVAL = timedelta(seconds=5)
MIN_ROUND_PAUSE_SECONDS = 0.2
# How soon a lease is renewed whose lane was locked. The next regular round might be too late: a process that freezes
# keeps its locks for up to ten seconds.
LOCKED_RENEW_INTERVAL = timedelta(seconds=1)

log = structlog.get_logger(__name__)


class DeliveryEngine:
    def __init__(
        self,
        *,
        store: LaneStore,
        sender: DeliverySender,
        keyring: Keyring,
        wakeups: WakeupDispatcher,
        clock: Clock,
        metrics: Metrics,
        schedule: RetrySchedule,
        lease: timedelta,
    ) -> None:
        self._store = store
        self._wakeups = wakeups
        self._clock = clock
        self._metrics = metrics
        self._lease = lease
        unrecorded = UnrecordedDeliveries()
        self._recorder = ResultWriter(store, lambda: unrecorded.batch_size)
        self._deps = LaneDeps(
            store=store,
            recorder=self._recorder,
            unrecorded=unrecorded,
            sender=sender,
            keyring=keyring,
            clock=clock,
            metrics=metrics,
            schedule=schedule,
            headroom=SlownessDetector(),
            due_again=self._add_due,
        )
        self._runners: dict[str, LaneRunner] = {}
        self._running: set[asyncio.Task[None]] = set()
        # The hooks whose leases could not be renewed because their lanes were locked.
        self._unrenewed_hook_ids: set[str] = set()
        # Hooks to try now, hooks to try at a time, and whether to check all of them.
        self._hook_ids_to_try: set[str] = set()
        self._due_at_by_hook: dict[str, datetime] = {}
        self._must_poll = True
        self._work_event = asyncio.Event()
        self._stopping = asyncio.Event()
        # Set when a hook was found deleted or disabled: its deliveries need not wait for the next round.
        self._cancel_event = asyncio.Event()
        self._renew_event = asyncio.Event()

    def stop(self) -> None:
        """Finish work in progress and take nothing new."""
        self._stopping.set()
        for sleeper in (self._work_event, self._cancel_event, self._renew_event):
            sleeper.set()

    async def run(self) -> None:
        quiet = self._wakeups.subscribe(self._on_wakeup)
        recording = asyncio.create_task(self._recorder.run())
        async with asyncio.TaskGroup() as group:
            group.create_task(self._claim_until_stopped())
            group.create_task(self._run_periodically(self._lease / 4, self._renew_held_leases, self._renew_event))
            group.create_task(self._run_periodically(LOCKED_RENEW_INTERVAL, self._renew_locked, self._renew_event))
            group.create_task(
                self._run_periodically(ABANDONED_CANCEL_INTERVAL, self._cancel_abandoned, self._cancel_event)
            )
        quiet()
        await self._drain_lanes()
        self._recorder.close()
        await recording
        await self._store.close()

    async def _drain_lanes(self) -> None:
        """Let every lane end. Customers may take longer to respond than a lease lasts, so leases are renewed in the
        meantime.
        """
        self._recorder.set_shutdown_deadline()
        for runner in self._runners.values():
            runner.stop()
        while self._running:
            # The set empties itself while this waits, so it is copied now.
            await asyncio.wait(set(self._running), timeout=self._lease.total_seconds() / 4)
            with suppress(*DATABASE_ERRORS):
                await self._renew_held_leases()

    def _on_wakeup(self, keys: frozenset[str]) -> None:
        if ALL_KEYS in keys:
            self._must_poll = True
            for runner in self._runners.values():
                runner.wake()
        for key in keys:
            if key in self._runners:
                self._runners[key].wake()
            elif key.startswith("hook_"):
                self._hook_ids_to_try.add(key)
        if self._must_poll or self._hook_ids_to_try:
            self._work_event.set()

    def _add_due(self, hook_id: str, at: datetime) -> None:
        self._due_at_by_hook[hook_id] = min(at, self._due_at_by_hook.get(hook_id, at))
        self._work_event.set()

    async def _claim_until_stopped(self) -> None:
        looked_at = self._clock.now() - POLL_INTERVAL
        while not self._stopping.is_set():
            try:
                if self._must_poll or self._clock.now() - looked_at >= POLL_INTERVAL:
                    self._must_poll = False
                    looked_at = self._clock.now()
                    await self._poll_waiting_hooks()
                await self._claim_due()
            except DATABASE_ERRORS as error:
                log.warning("engine_waits", reason=str(error))
                await self._poll_after_error()
                continue
            except Exception:
                # No error is expected here. Whatever it is, deliveries must continue, and it must be logged.
                log.exception("engine_failed")
                await self._poll_after_error()
                continue
            await self._wait_for_work(self._seconds_to_next())

    async def _poll_after_error(self) -> None:
        self._must_poll = True
        await self._sleep_until(0.5, self._stopping)

    async def _poll_waiting_hooks(self) -> None:
        for waiting in await self._store.list_waiting_hooks(self._clock.now()):
            self._due_at_by_hook[waiting.hook_id] = waiting.due_at

    async def _claim_due(self) -> None:
        now = self._clock.now()
        due = self._hook_ids_to_try | {hook_id for hook_id, at in self._due_at_by_hook.items() if at <= now}
        due -= self._runners.keys()
        self._hook_ids_to_try.clear()
        room = MAX_LANES - len(self._runners)
        portion = sorted(due, key=lambda hook_id: self._due_at_by_hook.get(hook_id, now))[: min(CLAIM_BATCH_SIZE, room)]
        if not portion:
            return
        self._hook_ids_to_try = due.difference(portion)
        for hook_id in due:
            self._due_at_by_hook.pop(hook_id, None)
        claimed = await self._store.claim(portion, new_claim_id(), now, now + self._lease)
        for lane in claimed:
            self._start_lane(lane)
        if len(claimed) < len(portion):
            self._cancel_event.set()
        if self._hook_ids_to_try and room > 0:
            self._work_event.set()

    def _start_lane(self, lane: Lane) -> None:
        runner = self._runners[lane.hook_id] = LaneRunner(lane, self._deps)
        task = asyncio.create_task(self._run_lane(runner))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        self._metrics.lanes_held.set(len(self._runners))

    async def _run_lane(self, runner: LaneRunner) -> None:
        try:
            await runner.run()
        except Exception:
            # The lease expires by itself, so nothing is lost; but it must be logged.
            log.exception("lane_failed", hook_id=runner.lane.hook_id)
        finally:
            del self._runners[runner.lane.hook_id]
            self._metrics.lanes_held.set(len(self._runners))
            if runner.may_have_unread:
                # It arrived while the lane was being released: nobody has read it.
                self._hook_ids_to_try.add(runner.lane.hook_id)
            self._work_event.set()
            if runner.is_claim_lost or not runner.lane.active:
                self._cancel_event.set()

    def _seconds_to_next(self) -> float:
        if self._hook_ids_to_try:
            return 0.0
        waits = [at for hook_id, at in self._due_at_by_hook.items() if hook_id not in self._runners]
        next_at = min(waits, default=self._clock.now() + POLL_INTERVAL)
        seconds = (next_at - self._clock.now()).total_seconds()
        return min(max(seconds, 0.0), POLL_INTERVAL.total_seconds())

    async def _wait_for_work(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._work_event.wait()
        except TimeoutError:
            return
        self._work_event.clear()

    async def _run_periodically(
        self, interval: timedelta, job: Callable[[], Awaitable[None]], hurry: asyncio.Event
    ) -> None:
        while not self._stopping.is_set():
            hurry.clear()
            try:
                await job()
            except DATABASE_ERRORS as error:
                log.warning("engine_waits", reason=str(error))
            except Exception:
                log.exception("engine_failed")
            await self._sleep_until(MIN_ROUND_PAUSE_SECONDS, self._stopping)
            await self._sleep_until(interval.total_seconds(), hurry)

    async def _sleep_until(self, seconds: float, until: asyncio.Event) -> None:
        if not self._stopping.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await until.wait()

    async def _renew_held_leases(self) -> None:
        await self._renew_leases(dict(self._runners))

    async def _renew_locked(self) -> None:
        await self._renew_leases(
            {hook_id: self._runners[hook_id] for hook_id in self._unrenewed_hook_ids & self._runners.keys()}
        )

    async def _renew_leases(self, runners: dict[str, LaneRunner]) -> None:
        if not runners:
            return
        claim_ids = {runner.lane.claim_id for runner in runners.values()}
        claims = await self._store.renew_leases(sorted(claim_ids), self._clock.now() + self._lease)
        self._unrenewed_hook_ids = (
            (self._unrenewed_hook_ids - runners.keys()) | claims.locked_hook_ids
        ) & self._runners.keys()
        for hook_id in runners.keys() - claims.valid_hook_ids - claims.locked_hook_ids:
            runners[hook_id].mark_claim_lost()

    async def _cancel_abandoned(self) -> None:
        now = self._clock.now()
        while await self._store.cancel_abandoned(now, now - INACTIVE_HOOK_RETENTION) and not self._stopping.is_set():
            continue
