"""A receiver that answers slowly catches up, whoever holds its lane in between."""

from collections.abc import Iterator

import pytest

from socialgate.delivery.lane_runner import INITIAL_CONCURRENT_REQUESTS, MAX_CONCURRENT_REQUESTS
from support.hooks import add_hook, emit, lane_row, wait_for_deliveries
from support.receiver import Receiver, Reply
from support.service import RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

# As long as a lane is kept for: too slow to earn the whole cap within one hold of it.
SLOW_SECONDS = 1.6
MANY = 150


@pytest.fixture
def running(start_service: StartService, receiver: Receiver) -> Iterator[RunningService]:
    settings = {"hook_allow_nets": "127.0.0.0/8", "hook_ca_file": receiver.ca_file, "hook_deadline_seconds": 60}
    with start_service(**settings) as started:
        yield started


def test_a_slow_hook_gets_the_whole_cap_while_it_has_more_to_do(running: RunningService, receiver: Receiver) -> None:
    owner = running.new_owner()
    receiver.behaviour = lambda _: Reply(delay=SLOW_SECONDS)
    hook_id = add_hook(owner, receiver.url())
    emit(owner, *range(MANY))
    assert all(delivery.status == "succeeded" for delivery in wait_for_deliveries(owner, hook_id, MANY))
    assert receiver.max_concurrent == MAX_CONCURRENT_REQUESTS
    assert len(receiver.received) == MANY
    # When all is done it begins small again: by the next time it may hang.
    eventually(lambda: lane_row(running, hook_id).claim_id is None)
    assert lane_row(running, hook_id).at_once == INITIAL_CONCURRENT_REQUESTS
