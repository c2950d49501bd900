"""A hook that is changed while an attempt is in progress: what the old address answers says nothing of the new one."""

import threading
from typing import Any

import pytest

from support.hooks import add_hook, change_lane, emit, hook_row, lane_row, settled, tried
from support.receiver import OK, Received, Receiver, Reply
from support.service import OwnerOf, RunningService
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

    def __call__(self, _request: Received) -> Reply:
        return self._first.pop() if self._first else OK


def change(owner: OwnerOf, hook_id: str, **fields: Any) -> None:
    changed = owner.session.patch(f"/hooks/{hook_id}", json=fields)
    assert changed.status_code == 200, changed.text


@pytest.mark.parametrize("ordered", [False, True], ids=["free", "ordered"])
def test_a_410_of_the_old_address_does_not_disable_a_hook_that_has_a_new_one(
    owner: OwnerOf, receiver: Receiver, *, ordered: bool
) -> None:
    receiver.behaviour = held = HeldBack(Reply(status=410))
    hook_id = add_hook(owner, receiver.url("/old"), ordered=ordered)
    emit(owner, 1)
    receiver.wait_for_count(1)
    change(owner, hook_id, url=receiver.url("/new"))
    held.go.set()
    (delivery,) = settled(owner, hook_id)
    assert (delivery.status, [one.status_code for one in delivery.attempts]) == ("succeeded", [410, 200])
    assert [one.path for one in receiver.received] == ["/old", "/new"]
    hook = hook_row(owner, hook_id)
    assert (hook.active, hook.disabled_reason) == (True, None)


@pytest.mark.parametrize(
    "changes", [[{"active": True}], [{"active": False}, {"active": True}]], ids=["on", "off and on"]
)
def test_a_410_from_before_a_hook_was_switched_on_does_not_disable_it(
    owner: OwnerOf, receiver: Receiver, changes: list[dict[str, bool]]
) -> None:
    receiver.behaviour = held = HeldBack(Reply(status=410))
    hook_id = add_hook(owner, receiver.url())
    emit(owner, 1)
    receiver.wait_for_count(1)
    for fields in changes:
        change(owner, hook_id, **fields)
    held.go.set()
    (delivery,) = settled(owner, hook_id)
    assert delivery.status == "succeeded"
    assert hook_row(owner, hook_id).active


@pytest.mark.parametrize("ordered", [False, True], ids=["free", "ordered"])
def test_a_failure_of_the_old_address_neither_counts_nor_pauses_a_repaired_hook(
    owner: OwnerOf, receiver: Receiver, *, ordered: bool
) -> None:
    held, again = threading.Event(), threading.Event()
    replies = [Reply(status=503, headers={"retry-after": "3600"}, when=held), Reply(when=again)]
    receiver.behaviour = lambda _: replies.pop(0)
    hook_id = add_hook(owner, receiver.url(), ordered=ordered)
    change_lane(owner, hook_id, failures_in_row=NINE)
    emit(owner, 1)
    receiver.wait_for_count(1)
    change(owner, hook_id, active=True)
    held.set()
    # It is tried again at once: nobody lets any time pass.
    receiver.wait_for_count(2)
    tried(owner, hook_id)
    lane = lane_row(owner.running, hook_id)
    assert (lane.failures_in_row, lane.exhausted, lane.paused_until) == (0, 0, None)
    again.set()
    (delivery,) = settled(owner, hook_id)
    assert [one.status_code for one in delivery.attempts] == [503, 200]


def test_a_410_still_counts_after_a_change_that_leaves_the_address(owner: OwnerOf, receiver: Receiver) -> None:
    receiver.behaviour = held = HeldBack(Reply(status=410))
    hook_id = add_hook(owner, receiver.url())
    emit(owner, 1)
    receiver.wait_for_count(1)
    change(owner, hook_id, description="the same address")
    held.go.set()
    (delivery,) = settled(owner, hook_id)
    assert delivery.status == "failed"
    # The hook is disabled a moment after what disables it is on record.
    eventually(lambda: hook_row(owner, hook_id).disabled_reason == "gone")
