"""Whatever is killed, and whenever: an accepted event reaches every hook that should have it, and no other."""

import logging
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from support.deployment import SOAK, Deployment, PostgresOfOurOwn, deployed, postgres_of_our_own
from support.processes import Process
from support.producer import Producer, Source

log = logging.getLogger(__name__)

# How many of the kills come while a process is still starting.
_EARLY = 0.3


class Size(msgspec.Struct, frozen=True, kw_only=True):
    events: int
    kills: int
    # The longest that a process may work before it is killed.
    works_seconds: float
    batch: int
    # How long the rest may take once nothing is killed any more.
    rest_seconds: float


SHORT = Size(events=2_000, kills=30, works_seconds=0.7, batch=5, rest_seconds=120)
LONG = Size(events=20_000, kills=40, works_seconds=4, batch=10, rest_seconds=600)
FULL = Size(events=100_000, kills=100, works_seconds=8, batch=20, rest_seconds=600)

SIZES = [
    pytest.param(SHORT, id="short"),
    pytest.param(
        FULL if SOAK == "full" else LONG,
        id="long",
        marks=[pytest.mark.soak, pytest.mark.skipif(not SOAK, reason="SOAK")],
    ),
]


def some_customers(deployment: Deployment) -> list[Source]:
    """Make hooks that want all, some or nothing of what the sources given back will report."""
    here, elsewhere = deployment.new_owner(profile_count=2), deployment.new_owner()
    first, second = here.profile_ids
    deployment.add_hook(here)
    deployment.add_hook(here, profile_ids=[first, second])
    deployment.add_hook(here, profile_ids=[first])
    deployment.add_hook(here, profile_ids=[second], events=["message.received", "post.published"])
    deployment.add_hook(here, events=["lead.received"], ordered=True)
    deployment.add_hook(here, events=["post.published"])
    deployment.add_hook(here, profile_ids=elsewhere.profile_ids)
    deployment.add_hook(here, active=False)
    deployment.add_hook(here, deleted=True)
    deployment.add_hook(elsewhere)
    return [*here.sources, *here.sources, *elsewhere.sources]


class Killer:
    """Kills processes at moments that follow from the seed, and starts each again at once."""

    def __init__(self, seed: str, size: Size) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - the same moments with every run
        self._size = size

    def strike(self, victim: Process) -> None:
        if self._dice.random() < _EARLY:
            self._wait_up_to(0.8)
        else:
            victim.wait_until_ready()
            self._wait_up_to(self._size.works_seconds)
        victim.restart()

    def choose(self, victims: list[Process], weights: list[int]) -> Process:
        return self._dice.choices(victims, weights)[0]

    def _wait_up_to(self, seconds: float) -> None:
        time.sleep(self._dice.uniform(0, seconds))


@contextmanager
def watched(request: pytest.FixtureRequest, deployment: Deployment, size: Size) -> Iterator[Producer]:
    """Make events while the block kills, then wait for the rest and compare all that there is."""
    began = time.monotonic()
    with deployment.producing(some_customers(deployment), batch=size.batch) as producer:
        yield producer
        producer.finish(size.rest_seconds)
    deployment.wait_until_delivered(size.rest_seconds)
    figures = deployment.check()
    assert figures.events >= size.events
    assert figures.twins > 0, "no kill came while something was in flight: the test has lost its teeth"
    took = time.monotonic() - began
    log.info("%s: %s, %d twins, %d kills, %.0f s", request.node.name, figures, figures.twins, size.kills, took)


@pytest.mark.parametrize("size", SIZES)
def test_killing_the_embedded_service(request: pytest.FixtureRequest, tmp_path: Path, size: Size) -> None:
    killer = Killer("sqlite", size)
    with deployed(tmp_path, hook_lease_seconds=1) as deployment:
        service = deployment.start("serve")
        with watched(request, deployment, size) as producer:
            for _ in range(size.kills):
                producer.make(size.events // size.kills + 1)
                killer.strike(service)
        service.require_calm()


@pytest.mark.parametrize("size", SIZES)
def test_killing_workers_and_postgresql(request: pytest.FixtureRequest, tmp_path: Path, size: Size) -> None:
    killer = Killer("postgres", size)
    with postgres_of_our_own() as postgres, deployed(tmp_path, postgres.url, hook_lease_seconds=1) as deployment:
        processes = [deployment.start("serve"), deployment.start("work"), deployment.start("work")]
        with watched(request, deployment, size) as producer:
            for number in range(size.kills):
                producer.make(size.events // size.kills + 1)
                if number % 10 == 5:
                    restart_server(postgres, processes, hard=number % 20 == 15)
                killer.strike(killer.choose(processes, weights=[1, 3, 3]))
        for process in processes:
            process.require_calm()


def restart_server(postgres: PostgresOfOurOwn, processes: list[Process], *, hard: bool) -> None:
    """Restart the database under all of them, in order or as if it had been shot. None may end for it."""
    for process in processes:
        process.wait_until_ready()
    postgres.stop("immediate" if hard else "fast")
    postgres.start()
    for process in processes:
        process.require_alive()
