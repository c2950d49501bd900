"""A process is killed in the middle of a drain: how little it repeats, and that nobody waits for its leases."""

from pathlib import Path

import pytest

from socialgate.delivery.lane_runner import INITIAL_CONCURRENT_REQUESTS, MAX_CONCURRENT_REQUESTS
from socialgate.delivery.unrecorded import BASE_LIMIT, LIMIT_PER_LANE
from support.deployment import Deployment, start_deployment
from support.postgres import new_database
from support.producer import Source
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

HOOKS = 10
EVENTS = 150
# Much longer than a test may take: whatever is taken over was not waited for.
LEASE_SECONDS = 600


def sources_of(deployment: Deployment) -> list[Source]:
    owner = deployment.new_owner()
    for _ in range(HOOKS):
        deployment.add_hook(owner)
    return list(owner.sources)


def url_for(engine: str, postgres_url: str) -> str | None:
    return new_database(postgres_url) if engine == "postgres" else None


def test_a_kill_repeats_what_is_in_flight_and_a_batch(tmp_path: Path, engine: str, postgres_url: str) -> None:
    url = url_for(engine, postgres_url)
    with start_deployment(tmp_path, url, hook_lease_seconds=LEASE_SECONDS) as deployment:
        deployment.make_events(sources_of(deployment), range(EVENTS))
        process = deployment.start("serve" if url is None else "work")
        eventually(lambda: len(deployment.inbox.receipts) > HOOKS * EVENTS // 3, "the middle of the drain")
        process.restart()
        deployment.wait_until_delivered()
        repeated = deployment.check().duplicates
        # On a slow machine hooks look slow, and earn more requests in flight.
        assert repeated <= BASE_LIMIT + HOOKS * (LIMIT_PER_LANE + MAX_CONCURRENT_REQUESTS - INITIAL_CONCURRENT_REQUESTS)
        process.require_no_errors()


def test_what_a_killed_process_had_is_taken_up_without_waiting_for_its_leases(
    tmp_path: Path, engine: str, postgres_url: str
) -> None:
    url = url_for(engine, postgres_url)
    with start_deployment(tmp_path, url, hook_lease_seconds=LEASE_SECONDS) as deployment:
        sources, inbox = sources_of(deployment), deployment.inbox
        killed = deployment.start("serve" if url is None else "work")
        killed.wait_until_ready()
        inbox.hold()
        deployment.make_events(sources, range(1))
        eventually(lambda: len(inbox.receipts) == HOOKS, "everything in flight")
        if url is None:
            killed.restart()
        else:
            staying = deployment.start("work")
            staying.wait_until_ready()
            killed.kill()
        inbox.let_go()
        deployment.wait_until_delivered()
        assert deployment.check().duplicates == HOOKS


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
@pytest.mark.usefixtures("engine")
def test_a_frozen_process_loses_what_it_had_and_changes_nothing_when_it_wakes_up(
    tmp_path: Path, postgres_url: str
) -> None:
    with start_deployment(tmp_path, new_database(postgres_url), hook_lease_seconds=LEASE_SECONDS) as deployment:
        sources, inbox = sources_of(deployment), deployment.inbox
        frozen = deployment.start("work")
        frozen.wait_until_ready()
        inbox.hold()
        deployment.make_events(sources, range(1))
        eventually(lambda: len(inbox.receipts) == HOOKS, "everything in flight")
        frozen.freeze()
        other = deployment.start("work")
        eventually(lambda: len(inbox.receipts) == 2 * HOOKS, "the same from the other one")
        inbox.let_go()
        deployment.wait_until_delivered()
        frozen.thaw()
        eventually(lambda: frozen.attempts().get("succeeded") == HOOKS, "what it has seen late")
        deployment.make_events(sources, range(1, 5))
        deployment.wait_until_delivered()
        assert deployment.check().duplicates == HOOKS
        for process in (frozen, other):
            assert process.stop() == 0
            process.require_no_errors()
