"""The engine: finds hooks with due deliveries, holds their lanes, and renews the leases."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta

import structlog

from socialgate.core.clock import Clock
from socialgate.core.ids import new_id
from socialgate.core.metrics import Metrics
from socialgate.core.outbox import INACTIVE_KEPT
from socialgate.core.secrets import Keyring
from socialgate.core.wakeups import ANYTHING, Wakeups
from socialgate.delivery.headroom import Headroom
from socialgate.delivery.lane import LaneRunner
from socialgate.delivery.lane_deps import LaneDeps
from socialgate.delivery.plan import Schedule
from socialgate.delivery.recorder import Recorder
from socialgate.delivery.send import Sender
from socialgate.delivery.store import DATABASE_AWAY, Lane, LaneStore

# How often the engine polls, in case a hint was lost with its process.
LOOK_EVERY = timedelta(seconds=1)
# A worker claims lanes in small batches, so that several workers share them.
LANES_AT_ONCE = 16
MOST_LANES = 1024
CANCEL_EVERY = timedelta(seconds=5)
LEAST_REST = 0.2
# How soon a lease is renewed whose lane was locked. The next regular round might be too late: a process that freezes
# keeps its locks for up to ten seconds.
RENEW_LATE = timedelta(seconds=1)

log = structlog.get_logger(__name__)


class Engine:
    def __init__(
        self,
        *,
        store: LaneStore,
        sender: Sender,
        keyring: Keyring,
        wakeups: Wakeups,
        clock: Clock,
        metrics: Metrics,
        schedule: Schedule,
        lease: timedelta,
    ) -> None:
        self._store = store
        self._wakeups = wakeups
        self._clock = clock
        self._metrics = metrics
        self._lease = lease
        self._recorder = Recorder(store)
        self._deps = LaneDeps(
            store=store,
            recorder=self._recorder,
            sender=sender,
            keyring=keyring,
            clock=clock,
            metrics=metrics,
            schedule=schedule,
            headroom=Headroom(),
            due_again=self._due_again,
        )
        self._runners: dict[str, LaneRunner] = {}
        self._running: set[asyncio.Task[None]] = set()
        # The hooks whose leases could not be renewed because their lanes were locked.
        self._late: set[str] = set()
        # Hooks to try now, hooks to try at a time, and whether to check all of them.
        self._hinted: set[str] = set()
        self._due: dict[str, datetime] = {}
        self._look = True
        self._news = asyncio.Event()
        self._stopping = asyncio.Event()
        # Set when a hook was found deleted or disabled: its deliveries need not wait for the next round.
        self._hurry = asyncio.Event()
        self._soon = asyncio.Event()

    def stop(self) -> None:
        """Finish work in progress and take nothing new."""
        self._stopping.set()
        for sleeper in (self._news, self._hurry, self._soon):
            sleeper.set()

    async def run(self) -> None:
        quiet = self._wakeups.listen(self._hear)
        recording = asyncio.create_task(self._recorder.run())
        async with asyncio.TaskGroup() as group:
            group.create_task(self._find_work())
            group.create_task(self._every(self._lease / 4, self._renew, self._soon))
            group.create_task(self._every(RENEW_LATE, self._renew_late, self._soon))
            group.create_task(self._every(CANCEL_EVERY, self._cancel, self._hurry))
        quiet()
        await self._drain()
        self._recorder.close()
        await recording
        await self._store.close()

    async def _drain(self) -> None:
        """Let every lane end. Customers may take longer to respond than a lease lasts, so leases are renewed in the
        meantime.
        """
        self._recorder.hurry()
        for runner in self._runners.values():
            runner.stop()
        while self._running:
            # The set empties itself while this waits, so it is copied now.
            await asyncio.wait(set(self._running), timeout=self._lease.total_seconds() / 4)
            with suppress(*DATABASE_AWAY):
                await self._renew()

    def _hear(self, keys: frozenset[str]) -> None:
        if ANYTHING in keys:
            self._look = True
            for runner in self._runners.values():
                runner.wake()
        for key in keys:
            if key in self._runners:
                self._runners[key].wake()
            elif key.startswith("hook_"):
                self._hinted.add(key)
        if self._look or self._hinted:
            self._news.set()

    def _due_again(self, hook_id: str, at: datetime) -> None:
        self._due[hook_id] = min(at, self._due.get(hook_id, at))
        self._news.set()

    async def _find_work(self) -> None:
        looked_at = self._clock.now() - LOOK_EVERY
        while not self._stopping.is_set():
            try:
                if self._look or self._clock.now() - looked_at >= LOOK_EVERY:
                    self._look = False
                    looked_at = self._clock.now()
                    await self._look_through()
                await self._claim_due()
            except DATABASE_AWAY as error:
                log.warning("engine_waits", reason=str(error))
                await self._look_again()
                continue
            except Exception:
                # No error is expected here. Whatever it is, deliveries must continue, and it must be logged.
                log.exception("engine_failed")
                await self._look_again()
                continue
            await self._pause(self._seconds_to_next())

    async def _look_again(self) -> None:
        self._look = True
        await self._rest(0.5, self._stopping)

    async def _look_through(self) -> None:
        for waiting in await self._store.waiting(self._clock.now()):
            self._due[waiting.hook_id] = waiting.due_at

    async def _claim_due(self) -> None:
        now = self._clock.now()
        due = self._hinted | {hook_id for hook_id, at in self._due.items() if at <= now}
        due -= self._runners.keys()
        self._hinted.clear()
        room = MOST_LANES - len(self._runners)
        portion = sorted(due, key=lambda hook_id: self._due.get(hook_id, now))[: min(LANES_AT_ONCE, room)]
        if not portion:
            return
        self._hinted = due.difference(portion)
        for hook_id in due:
            self._due.pop(hook_id, None)
        claimed = await self._store.claim(portion, new_id("clm"), now, now + self._lease)
        for lane in claimed:
            self._start(lane)
        if len(claimed) < len(portion):
            self._hurry.set()
        if self._hinted and room > 0:
            self._news.set()

    def _start(self, lane: Lane) -> None:
        runner = self._runners[lane.hook_id] = LaneRunner(lane, self._deps)
        task = asyncio.create_task(self._hold(runner))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        self._metrics.lanes_held.set(len(self._runners))

    async def _hold(self, runner: LaneRunner) -> None:
        try:
            await runner.run()
        except Exception:
            # The lease expires by itself, so nothing is lost; but it must be logged.
            log.exception("lane_failed", hook_id=runner.lane.hook_id)
        finally:
            del self._runners[runner.lane.hook_id]
            self._metrics.lanes_held.set(len(self._runners))
            if runner.is_woken:
                # It arrived while the lane was being released: nobody has read it.
                self._hinted.add(runner.lane.hook_id)
            self._news.set()
            if runner.is_lost or not runner.lane.active:
                self._hurry.set()

    def _seconds_to_next(self) -> float:
        if self._hinted:
            return 0.0
        waits = [at for hook_id, at in self._due.items() if hook_id not in self._runners]
        next_at = min(waits, default=self._clock.now() + LOOK_EVERY)
        seconds = (next_at - self._clock.now()).total_seconds()
        return min(max(seconds, 0.0), LOOK_EVERY.total_seconds())

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return
        self._news.clear()

    async def _every(self, interval: timedelta, job: Callable[[], Awaitable[None]], hurry: asyncio.Event) -> None:
        while not self._stopping.is_set():
            hurry.clear()
            try:
                await job()
            except DATABASE_AWAY as error:
                log.warning("engine_waits", reason=str(error))
            except Exception:
                log.exception("engine_failed")
            await self._rest(LEAST_REST, self._stopping)
            await self._rest(interval.total_seconds(), hurry)

    async def _rest(self, seconds: float, until: asyncio.Event) -> None:
        if not self._stopping.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await until.wait()

    async def _renew(self) -> None:
        await self._extend(dict(self._runners))

    async def _renew_late(self) -> None:
        await self._extend({hook_id: self._runners[hook_id] for hook_id in self._late & self._runners.keys()})

    async def _extend(self, runners: dict[str, LaneRunner]) -> None:
        if not runners:
            return
        claim_ids = {runner.lane.claim_id for runner in runners.values()}
        claims = await self._store.renew(sorted(claim_ids), self._clock.now() + self._lease)
        self._late = ((self._late - runners.keys()) | claims.busy) & self._runners.keys()
        for hook_id in runners.keys() - claims.held - claims.busy:
            runners[hook_id].lose()

    async def _cancel(self) -> None:
        now = self._clock.now()
        while await self._store.cancel_abandoned(now, now - INACTIVE_KEPT) and not self._stopping.is_set():
            continue
