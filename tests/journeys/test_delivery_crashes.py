"""Whatever is killed, and whenever: an accepted event reaches every hook that should have it, and no other."""

import logging
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from support.deployment import (
    CustomerEndpoints,
    Deployment,
    StoppablePostgres,
    start_deployment,
    start_stoppable_postgres,
)
from support.processes import Process
from support.producer import Producer, Source
from support.soak import LONG
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

log = logging.getLogger(__name__)

# How many of the kills come while a process is still starting.
_EARLY = 0.3


class Size(msgspec.Struct, frozen=True, kw_only=True):
    events: int
    kills: int
    # The longest that a process may work before it is killed.
    works_seconds: float
    # How long customers take to answer: long enough for something to be in flight most of the time.
    latency_seconds: float
    batch: int
    # How long the rest may take once nothing is killed any more.
    rest_seconds: float
    # After so many kills the database itself is restarted, every second time as if it had been shot.
    kills_per_restart: int


EVERYDAY = Size(
    events=800,
    kills=6,
    works_seconds=0.8,
    latency_seconds=0.01,
    batch=20,
    rest_seconds=300,
    kills_per_restart=3,
)
FULL = Size(
    events=100_000,
    kills=100,
    works_seconds=8,
    latency_seconds=0.05,
    batch=20,
    rest_seconds=600,
    kills_per_restart=10,
)

SIZES = [
    pytest.param(EVERYDAY, id="everyday"),
    pytest.param(FULL, id="full", marks=LONG),
]


def some_customers(deployment: Deployment) -> list[Source]:
    """Make hooks that want all, some or nothing of what the sources given back will report."""
    here, elsewhere = deployment.new_owner(profile_count=2), deployment.new_owner()
    first, second = here.profile_ids
    deployment.add_hook(here)
    deployment.add_hook(here, profile_ids=[first, second])
    deployment.add_hook(here, profile_ids=[first])
    deployment.add_hook(here, profile_ids=[second], events=["message.received", "post.published"])
    deployment.add_hook(here, profile_ids=[second], events=["lead.received"], ordered=True)
    deployment.add_hook(here, events=["post.published"])
    deployment.add_hook(here, profile_ids=elsewhere.profile_ids)
    deployment.add_hook(here, active=False)
    deployment.add_hook(here, deleted=True)
    deployment.add_hook(elsewhere)
    return [*here.sources, *here.sources, *elsewhere.sources]


class Killer:
    """Kills processes at moments that follow from the seed, and starts each again at once."""

    def __init__(self, victims: list[Process], size: Size) -> None:
        self._victims = victims
        self._last = victims[0]
        self._size = size
        self._dice = random.Random(len(victims))  # noqa: S311 - the same choices with every run

    def strike(self, producer: Producer) -> None:
        events = self._size.events // self._size.kills + 1
        if self._dice.random() < _EARLY:
            producer.make(events)
            self._kill(self._last, within=0.8)
        else:
            victim = self._choose()
            victim.wait_until_ready()
            producer.make(events)
            self._kill(victim, within=self._size.works_seconds)

    def strike_all(self, producer: Producer, inbox: CustomerEndpoints) -> None:
        """Kill all of them while customers hold deliveries whose answers nobody will record."""
        for victim in self._victims:
            victim.wait_until_ready()
        inbox.hold()
        before = len(inbox.receipts)
        producer.make(self._size.batch)
        eventually(lambda: len(inbox.receipts) > before, "a delivery in flight")
        for victim in self._victims:
            victim.restart()
        inbox.let_go()

    def _choose(self) -> Process:
        """Take another one than the last time, while that one starts. Workers have more to lose."""
        others = [victim for victim in self._victims if victim is not self._last] or self._victims
        return self._dice.choices(others, [4 if process.verb == "work" else 1 for process in others])[0]

    def _kill(self, victim: Process, within: float) -> None:
        time.sleep(self._dice.uniform(0, within))
        victim.restart()
        self._last = victim


@contextmanager
def watched(request: pytest.FixtureRequest, deployment: Deployment, size: Size) -> Iterator[Producer]:
    """Make events while the block kills, then wait for the rest and compare all that there is."""
    began = time.monotonic()
    deployment.inbox.latency = size.latency_seconds
    with deployment.producing(some_customers(deployment), batch=size.batch) as producer:
        yield producer
        producer.finish(size.rest_seconds)
    deployment.wait_until_delivered(size.rest_seconds)
    figures = deployment.check()
    assert figures.events >= size.events
    assert figures.duplicates > 0, "what was in flight when all were killed was not sent again"
    took = time.monotonic() - began
    log.info("%s: %s, %d twins, %d kills, %.0f s", request.node.name, figures, figures.duplicates, size.kills, took)


@pytest.mark.parametrize("size", SIZES)
def test_killing_the_embedded_service(request: pytest.FixtureRequest, tmp_path: Path, size: Size) -> None:
    # Without simulated platforms it starts sooner, and can be killed more often.
    with start_deployment(tmp_path, hook_lease_seconds=1, sandbox="false") as deployment:
        service = deployment.start("serve")
        killer = Killer([service], size)
        with watched(request, deployment, size) as producer:
            for _ in range(size.kills):
                killer.strike(producer)
            killer.strike_all(producer, deployment.inbox)
        service.require_no_errors()


@pytest.mark.parametrize("size", SIZES)
def test_killing_workers_and_postgresql(request: pytest.FixtureRequest, tmp_path: Path, size: Size) -> None:
    with (
        start_stoppable_postgres() as postgres,
        start_deployment(tmp_path, postgres.url, hook_lease_seconds=1) as deployment,
    ):
        processes = [deployment.start("serve"), deployment.start("work"), deployment.start("work")]
        killer = Killer(processes, size)
        with watched(request, deployment, size) as producer:
            for number in range(size.kills):
                restarts, since = divmod(number, size.kills_per_restart)
                if since == size.kills_per_restart // 2:
                    restart_server(postgres, producer, processes, hard=restarts % 2 == 1)
                killer.strike(producer)
            killer.strike_all(producer, deployment.inbox)
        for process in processes:
            process.require_no_errors()


def restart_server(postgres: StoppablePostgres, producer: Producer, processes: list[Process], *, hard: bool) -> None:
    """Restart the database under all of them, in order or as if it had been shot. None may end for it."""
    for process in processes:
        process.wait_until_ready()
    producer.make(100)
    postgres.stop("immediate" if hard else "fast")
    postgres.start()
    for process in processes:
        process.require_alive()
