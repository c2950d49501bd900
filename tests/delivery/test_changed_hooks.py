"""A hook that is changed while an attempt is in progress: what the old address answers says nothing of the new one."""

import hmac
import threading
from typing import Any

import pytest
import sqlalchemy as sa

from socialgate.areas.hooks.store import find_hook_for_change, reset_delivery_lane
from socialgate.core import outbox
from socialgate.core.db import Tx
from support.database import hold_transaction_open, waiting_for_locks
from support.hooks import add_hook, change_lane, emit, hook_row, lane_row, wait_for_attempts, wait_for_deliveries
from support.receiver import OK, ReceivedRequest, Receiver, Reply
from support.service import OwnerFixture, RunningService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

# One more makes a hook one that is asked slowly; or that is switched off, if it has been silent for days.
NINE = 9


@pytest.fixture
def running(shared: RunningService) -> RunningService:
    return shared


class HeldBack:
    """Answers the first request when the test says so, and all others at once."""

    def __init__(self, reply: Reply) -> None:
        self.go = threading.Event()
        self._first: list[Reply] = [Reply(status=reply.status, headers=reply.headers, when=self.go)]

    def __call__(self, _request: ReceivedRequest) -> Reply:
        return self._first.pop() if self._first else OK


def change(owner: OwnerFixture, hook_id: str, **fields: Any) -> None:
    changed = owner.session.patch(f"/hooks/{hook_id}", json=fields)
    assert changed.status_code == 200, changed.text


@pytest.mark.parametrize("ordered", [False, True], ids=["free", "ordered"])
def test_a_410_of_the_old_address_does_not_disable_a_hook_that_has_a_new_one(
    owner: OwnerFixture, receiver: Receiver, *, ordered: bool
) -> None:
    receiver.behaviour = held_back = HeldBack(Reply(status=410))
    hook_id = add_hook(owner, receiver.url("/old"), ordered=ordered)
    emit(owner, 1)
    receiver.wait_for_count(1)
    change(owner, hook_id, url=receiver.url("/new"))
    held_back.go.set()
    (delivery,) = wait_for_deliveries(owner, hook_id)
    assert (delivery.status, [attempt.status_code for attempt in delivery.attempts]) == ("succeeded", [410, 200])
    assert [received_request.path for received_request in receiver.received] == ["/old", "/new"]
    hook = hook_row(owner, hook_id)
    assert (hook.active, hook.disabled_reason) == (True, None)


@pytest.mark.parametrize(
    "changes", [[{"active": True}], [{"active": False}, {"active": True}]], ids=["on", "off and on"]
)
def test_a_410_from_before_a_hook_was_switched_on_does_not_disable_it(
    owner: OwnerFixture, receiver: Receiver, changes: list[dict[str, bool]]
) -> None:
    receiver.behaviour = held_back = HeldBack(Reply(status=410))
    hook_id = add_hook(owner, receiver.url())
    emit(owner, 1)
    receiver.wait_for_count(1)
    for fields in changes:
        change(owner, hook_id, **fields)
    held_back.go.set()
    (delivery,) = wait_for_deliveries(owner, hook_id)
    assert delivery.status == "succeeded"
    assert hook_row(owner, hook_id).active


@pytest.mark.parametrize("ordered", [False, True], ids=["free", "ordered"])
def test_a_failure_of_the_old_address_neither_counts_nor_pauses_a_repaired_hook(
    owner: OwnerFixture, receiver: Receiver, *, ordered: bool
) -> None:
    event, again = threading.Event(), threading.Event()
    replies = [Reply(status=503, headers={"retry-after": "3600"}, when=event), Reply(when=again)]
    receiver.behaviour = lambda _: replies.pop(0)
    hook_id = add_hook(owner, receiver.url(), ordered=ordered)
    change_lane(owner, hook_id, failures_in_row=NINE)
    emit(owner, 1)
    receiver.wait_for_count(1)
    change(owner, hook_id, active=True)
    event.set()
    # It is tried again at once: nobody lets any time pass.
    receiver.wait_for_count(2)
    wait_for_attempts(owner, hook_id)
    lane = lane_row(owner.running, hook_id)
    assert (lane.failures_in_row, lane.exhausted, lane.paused_until) == (0, 0, None)
    again.set()
    (delivery,) = wait_for_deliveries(owner, hook_id)
    assert [attempt.status_code for attempt in delivery.attempts] == [503, 200]


def test_a_410_still_counts_after_a_change_that_leaves_the_address(owner: OwnerFixture, receiver: Receiver) -> None:
    receiver.behaviour = held_back = HeldBack(Reply(status=410))
    hook_id = add_hook(owner, receiver.url())
    emit(owner, 1)
    receiver.wait_for_count(1)
    change(owner, hook_id, description="the same address")
    held_back.go.set()
    (delivery,) = wait_for_deliveries(owner, hook_id)
    assert delivery.status == "failed"
    # The hook is disabled a moment after what disables it is on record.
    eventually(lambda: hook_row(owner, hook_id).disabled_reason == "gone")


@pytest.mark.parametrize("ordered", [False, True], ids=["free", "ordered"])
def test_a_delivery_does_not_fail_by_a_410_that_arrives_while_its_hook_is_changed(
    owner: OwnerFixture, receiver: Receiver, *, ordered: bool
) -> None:
    receiver.behaviour = held_back = HeldBack(Reply(status=410))
    hook_id = add_hook(owner, receiver.url("/old"), ordered=ordered)
    emit(owner, 1)
    receiver.wait_for_count(1)
    before = failed_attempts(owner)
    with hold_transaction_open(owner.running, move, owner, hook_id, receiver.url("/new")):
        held_back.go.set()
        eventually(lambda: failed_attempts(owner) > before)
    check_sent_again(owner, receiver, hook_id)


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_a_delivery_does_not_fail_by_a_410_after_which_the_hook_is_changed_instead_of_disabled(
    owner: OwnerFixture, receiver: Receiver
) -> None:
    receiver.behaviour = held_back = HeldBack(Reply(status=410))
    hook_id = add_hook(owner, receiver.url("/old"))
    emit(owner, 1)
    receiver.wait_for_count(1)

    async def move_late(tx: Tx) -> None:
        """Lock the hook, as every change does first, and change it once somebody waits to disable it."""
        await find_hook_for_change(tx, owner.id, hook_id)
        held_back.go.set()
        while not await waiting_for_locks(tx):
            continue
        await move(tx, owner, hook_id, receiver.url("/new"))

    owner.running.write(move_late)
    check_sent_again(owner, receiver, hook_id)


async def move(tx: Tx, owner: OwnerFixture, hook_id: str, url: str) -> None:
    """Do what PATCH /hooks does."""
    await find_hook_for_change(tx, owner.id, hook_id)
    await reset_delivery_lane(tx, owner.id, hook_id)
    await tx.execute(sa.update(outbox.hooks).where(outbox.hooks.c.id == hook_id).values(url=url))


def failed_attempts(owner: OwnerFixture) -> float:
    counted = owner.running.service.metrics.registry.get_sample_value(
        "socialgate_delivery_attempts_total", {"outcome": "failed"}
    )
    return counted or 0.0


def check_sent_again(owner: OwnerFixture, receiver: Receiver, hook_id: str) -> None:
    (delivery,) = wait_for_deliveries(owner, hook_id)
    assert (delivery.status, [attempt.status_code for attempt in delivery.attempts]) == ("succeeded", [410, 200])
    assert delivery.attempts[0].next_attempt_at is not None
    assert [received_request.path for received_request in receiver.received] == ["/old", "/new"]
    hook, lane = hook_row(owner, hook_id), lane_row(owner.running, hook_id)
    assert (hook.active, hook.disabled_reason) == (True, None)
    assert (lane.succeeded, lane.failed) == (1, 0)


def test_a_lane_that_is_held_signs_with_the_new_secret_and_during_the_overlap_with_both(
    owner: OwnerFixture, receiver: Receiver
) -> None:
    hook_id = add_hook(owner, receiver.url("/hook"))
    emit(owner, 1)
    receiver.wait_for_count(1)
    rotated = owner.session.post(f"/hooks/{hook_id}/rotate-secret", json={"overlapSeconds": 3600})
    emit(owner, 2)
    receiver.wait_for_count(2)
    before, after = receiver.received
    digest = hmac.digest(rotated.json()["secret"].encode(), after.body, "sha256").hex()
    assert after.headers["x-service-signature"] == f"sha256={digest}"
    counted = [len(request.headers["webhook-signature"].split()) for request in (before, after)]
    assert counted == [1, 2]
