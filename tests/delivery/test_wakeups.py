"""A hint that comes at an awkward moment is never forgotten: looking around would find the work only a second later."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from socialgate.core.clock import SystemClock
from socialgate.core.metrics import Metrics
from socialgate.core.secrets import Keyring
from socialgate.core.wakeups import Wakeups
from socialgate.delivery.plan import DEFAULT_SCHEDULE, Succeeded
from socialgate.delivery.send import Attempted
from socialgate.delivery.store import Job, Lane, LaneNews, Result, Waiting
from socialgate.delivery.worker import Engine

HOOK = "hook_1"
LONG = 20


class Store:
    """One hook. What is in it appears only when it is asked for the second time, and looking around finds nothing."""

    shared = True

    def __init__(self, keyring: Keyring) -> None:
        self._secret = keyring.seal("a secret of the hook", f"hook secret own_1 {HOOK}")
        self.jobs: list[Job] = []
        self.claims = 0
        self.on_fetch: Callable[[], None] = lambda: None
        self.on_release: Callable[[], None] = lambda: None

    async def waiting(self, now: datetime) -> list[Waiting]:
        del now
        return []

    async def claim(self, hook_ids: Sequence[str], claim_id: str, now: datetime, until: datetime) -> list[Lane]:
        del hook_ids, until
        self.claims += 1
        return [
            Lane(
                hook_id=HOOK,
                owner_id="own_1",
                claim_id=claim_id,
                url="https://example.com",
                active=True,
                ordered=False,
                max_per_second=None,
                tested_at=None,
                activated_at=now,
                secret=self._secret,
                previous_secret=None,
                previous_until=None,
                paused_until=None,
                failures_in_row=0,
                exhausted=0,
                last_success_at=None,
            )
        ]

    async def fetch(self, lane: Lane, after: Job | None, limit: int, now: datetime) -> list[Job] | None:
        del lane, after, limit, now
        found, self.jobs = self.jobs, []
        self.on_fetch()
        return found

    async def record(self, results: Sequence[Result], news: Sequence[LaneNews]) -> set[str]:
        del results
        if any(one.release for one in news):
            self.on_release()
        return {HOOK}

    async def renew(self, claim_ids: Sequence[str], until: datetime) -> set[str]:
        del claim_ids, until
        return {HOOK}

    async def disable(self, lane: Lane, reason: str, now: datetime) -> None:
        raise AssertionError((lane, reason, now))

    async def cancel_abandoned(self, now: datetime, waited_since: datetime) -> int:
        del now, waited_since
        return 0

    async def close(self) -> None:
        """Nothing to give back."""


class Customer:
    """Takes whatever comes."""

    def __init__(self) -> None:
        self.received = asyncio.Event()

    async def attempt(self, url: str, secrets: Sequence[str], job: Job) -> Attempted:
        del url, secrets, job
        self.received.set()
        now = datetime.now(UTC)
        return Attempted(
            outcome=Succeeded(),
            began_at=now,
            ended_at=now,
            duration_ms=1,
            status_code=200,
            error=None,
            response_body="ok",
            timestamp=0,
            signature="",
            standard_signature="",
        )


class Running:
    """An engine over that store, hinted at its hook once."""

    def __init__(self) -> None:
        keyring = Keyring([b"k" * 32])
        self.store, self.customer, self.wakeups = Store(keyring), Customer(), Wakeups()
        sender: Any = self.customer
        self.engine = Engine(
            store=self.store,
            sender=sender,
            keyring=keyring,
            wakeups=self.wakeups,
            clock=SystemClock(),
            metrics=Metrics(),
            schedule=DEFAULT_SCHEDULE,
            lease=timedelta(seconds=15),
        )

    def commit(self) -> None:
        """Add a delivery, and say so."""
        now = datetime.now(UTC)
        self.store.jobs.append(
            Job(id="dlv_1", event_id="evt_1", event="x", body=b"{}", due_at=now, attempt_count=0, attempts=None)
        )
        self.wakeups.publish({HOOK})

    async def deliver(self) -> None:
        task = asyncio.create_task(self.engine.run())
        await asyncio.sleep(0)
        self.wakeups.publish({HOOK})
        async with asyncio.timeout(LONG):
            await self.customer.received.wait()
        self.engine.stop()
        await task


async def committed_while_reading() -> Running:
    running = Running()

    def once() -> None:
        running.store.on_fetch = lambda: None
        running.commit()

    running.store.on_fetch = once
    await running.deliver()
    return running


async def committed_while_given_back() -> Running:
    running = Running()

    def once() -> None:
        running.store.on_release = lambda: None
        running.commit()

    running.store.on_release = once
    await running.deliver()
    return running


def test_what_is_committed_while_a_lane_reads_is_read_before_the_lane_ends() -> None:
    assert asyncio.run(committed_while_reading()).store.claims == 1


def test_what_is_committed_while_a_lane_is_given_back_is_claimed_at_once() -> None:
    assert asyncio.run(committed_while_given_back()).store.claims == 2
