"""What the engine does with deliveries, seen from the receiver and from the delivery record."""

import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from socialgate.core.partitions import create_partitions, drop_expired_rows
from socialgate.delivery.lane_runner import MAX_CONCURRENT_REQUESTS
from socialgate.delivery.retry_policy import DISABLE_AFTER_EXHAUSTED_DELIVERIES, PROBE_AFTER_FAILURES
from support.engines import first_on_both
from support.hooks import (
    add_hook,
    change_hook,
    change_lane,
    deliveries_of,
    emit,
    hook_row,
    lane_row,
    numbers,
    wait_for_attempts,
    wait_for_deliveries,
)
from support.receiver import OK, Receiver, Reply
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

# One of the names in the receiver's certificate.
MOVING = "hooks.example.test"
# Another, as the service remembers for a moment where a name led.
INSIDE = "inside.example.test"


@pytest.fixture
def running(shared: RunningService) -> RunningService:
    return shared


class Names:
    """The system's names, of which one has an address after the other; the last one stays."""

    def __init__(self, system: Callable[..., Any]) -> None:
        self._system = system
        self.addresses: list[str] = []
        self.asked = 0

    def __call__(self, host: Any, *arguments: Any, **options: Any) -> Any:
        if host not in {MOVING.encode(), INSIDE.encode()}:
            return self._system(host, *arguments, **options)
        self.asked += 1
        address = self.addresses.pop(0) if len(self.addresses) > 1 else self.addresses[0]
        return self._system(address, *arguments, **options)


def test_a_delivery_that_is_answered_with_2xx_is_succeeded(owner: OwnerFixture, receiver: Receiver) -> None:
    hook_id = add_hook(owner, receiver.url())
    emit(owner, 1)
    (delivery,) = wait_for_deliveries(owner, hook_id)
    (attempt,) = delivery.attempts
    assert (delivery.status, attempt.status_code, attempt.error, attempt.response_body) == (
        "succeeded",
        200,
        None,
        "ok",
    )
    assert receiver.received[0].headers["x-service-delivery"] == delivery.id
    assert receiver.received[0].headers["webhook-id"] == delivery.event_id
    lane = eventually(lambda: lane_row(owner.running, hook_id))
    assert (lane.succeeded, lane.failed, lane.failures_in_row) == (1, 0, 0)


def test_only_hooks_that_list_the_event_and_reach_the_profile_get_it(owner: OwnerFixture, receiver: Receiver) -> None:
    expected = add_hook(owner, receiver.url("/all"))
    inside = add_hook(owner, receiver.url("/inside"), profile_ids=[owner.profile_id])
    outside = add_hook(owner, receiver.url("/outside"), profile_ids=[owner.new_profile()])
    other_event = add_hook(owner, receiver.url("/other"), events=["post.published"])
    stranger = owner.running.new_owner()
    foreign = add_hook(stranger, receiver.url("/foreign"))
    emit(owner, 1)
    wait_for_deliveries(owner, expected)
    wait_for_deliveries(owner, inside)
    assert [deliveries_of(owner, hook) for hook in (outside, other_event)] == [[], []]
    assert deliveries_of(stranger, foreign) == []


@pytest.mark.parametrize(
    ("reply", "word"),
    first_on_both(
        [
            (Reply(status=500), "status_refused"),
            (Reply(status=302, headers={"location": "https://127.0.0.1/"}), "redirect_refused"),
            (Reply(close=True), "connection_lost"),
            (Reply(hang=True), "timeout"),
            (Reply(drip=True), "answer_too_slow"),
        ]
    ),
    ids=["500", "redirect", "closes", "hangs", "drips"],
)
def test_every_way_to_fail_is_named_in_the_record(
    owner: OwnerFixture, receiver: Receiver, reply: Reply, word: str
) -> None:
    receiver.behaviour = lambda _: reply
    hook_id = add_hook(owner, receiver.url())
    emit(owner, 1)
    delivery = wait_for_attempts(owner, hook_id)
    assert delivery.status == "pending"
    assert str(delivery.attempts[0].error).split(":")[0] == word
    assert delivery.attempts[0].next_attempt_at == delivery.due_at


@pytest.mark.one_engine
def test_an_endless_answer_is_cut_and_counts_by_its_status(owner: OwnerFixture, receiver: Receiver) -> None:
    receiver.behaviour = lambda _: Reply(endless=True)
    hook_id = add_hook(owner, receiver.url())
    emit(owner, 1)
    (delivery,) = wait_for_deliveries(owner, hook_id)
    assert delivery.status == "succeeded"
    assert len(delivery.attempts[0].response_body or "") == 4096


@pytest.mark.one_engine
def test_nobody_there_and_an_unknown_issuer_are_named(owner: OwnerFixture, receiver: Receiver, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with Receiver(other) as stranger:
        untrusted = add_hook(owner, stranger.url())
        emit(owner, 1)
        assert str(wait_for_attempts(owner, untrusted).attempts[0].error).startswith("tls_unknown_issuer")
        port = stranger.port
    change_hook(owner, untrusted, active=False)
    nobody = add_hook(owner, f"https://127.0.0.1:{port}/")
    emit(owner, 2)
    assert str(wait_for_attempts(owner, nobody).attempts[0].error).startswith("connect_refused")
    assert receiver.received == []


@pytest.mark.one_engine
def test_an_expired_certificate_is_named(owner: OwnerFixture, receiver: Receiver, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    leaf = receiver.authority.issue_cert("127.0.0.1", not_after=datetime(2002, 1, 1, tzinfo=UTC))
    with Receiver(other, authority=receiver.authority, certificate=leaf) as late:
        hook_id = add_hook(owner, late.url())
        emit(owner, 1)
        assert str(wait_for_attempts(owner, hook_id).attempts[0].error).startswith("tls_expired")
        assert late.received == []


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    names = Names(socket.getaddrinfo)
    monkeypatch.setattr(socket, "getaddrinfo", names)
    return names


@pytest.mark.one_engine
def test_a_name_that_leads_inside_after_it_was_saved_is_refused(
    owner: OwnerFixture, receiver: Receiver, names: Names
) -> None:
    names.addresses = ["93.184.216.34"]
    url = f"https://{INSIDE}:{receiver.port}/hook"
    response = owner.session.post("/hooks", json={"url": url, "events": ["lead.received"]})
    assert response.status_code == 201, response.text
    names.addresses = ["10.0.0.1"]
    emit(owner, 1)
    delivery = wait_for_attempts(owner, response.json()["id"])
    assert (delivery.status, str(delivery.attempts[0].error).split(":")[0]) == ("pending", "address_refused")


@pytest.mark.one_engine
def test_a_name_that_changes_between_check_and_connect_is_reached_where_it_was_checked(
    owner: OwnerFixture, receiver: Receiver, names: Names
) -> None:
    names.addresses = ["127.0.0.1", "10.0.0.1"]
    hook_id = add_hook(owner, f"https://{MOVING}:{receiver.port}/hook")
    emit(owner, 1)
    (delivery,) = wait_for_deliveries(owner, hook_id)
    assert (delivery.status, delivery.attempts[0].status_code) == ("succeeded", 200)
    assert (len(receiver.received), names.asked) == (1, 1)


@pytest.mark.one_engine
def test_a_url_that_the_rules_do_not_allow_any_more_is_refused_on_every_attempt(
    owner: OwnerFixture, receiver: Receiver
) -> None:
    hook_id = add_hook(owner, receiver.url().replace("https://", "http://"))
    emit(owner, 1)
    delivery = wait_for_attempts(owner, hook_id)
    (attempt,) = delivery.attempts
    assert attempt.error is not None
    assert attempt.error.startswith("url_not_https: Use an absolute URL")
    assert (delivery.status, attempt.status_code, attempt.next_attempt_at) == ("pending", None, delivery.due_at)
    assert receiver.received == []


@pytest.mark.one_engine
def test_an_address_inside_the_deployment_is_refused_on_every_attempt(owner: OwnerFixture) -> None:
    hook_id = add_hook(owner, "https://10.0.0.1/hook")
    emit(owner, 1)
    assert str(wait_for_attempts(owner, hook_id).attempts[0].error).startswith("address_refused")


def test_a_failed_delivery_is_tried_again_with_the_same_bytes_and_id(owner: OwnerFixture, receiver: Receiver) -> None:
    receiver.behaviour = lambda _: Reply(status=500) if len(receiver.received) < 1 else OK
    hook_id = add_hook(owner, receiver.url())
    emit(owner, 1)
    first = wait_for_attempts(owner, hook_id)
    wait = (first.due_at or first.attempts[0].at) - first.attempts[0].at
    assert timedelta(seconds=3.9) < wait < timedelta(seconds=9)
    owner.running.advance_time(timedelta(seconds=10))
    (delivery,) = wait_for_deliveries(owner, hook_id)
    assert [attempt.status_code for attempt in delivery.attempts] == [500, 200]
    received_request, two = receiver.received
    assert received_request.body == two.body
    assert received_request.headers["x-service-delivery"] == two.headers["x-service-delivery"] == delivery.id
    assert received_request.headers["x-service-signature"] == two.headers["x-service-signature"]


def test_retry_after_is_never_cut_short(owner: OwnerFixture, receiver: Receiver) -> None:
    receiver.behaviour = lambda _: Reply(status=503, headers={"retry-after": "3600"})
    hook_id = add_hook(owner, receiver.url())
    emit(owner, 1)
    delivery = wait_for_attempts(owner, hook_id)
    assert delivery.due_at is not None
    assert delivery.due_at - delivery.attempts[0].at >= timedelta(seconds=3600)


@pytest.mark.one_engine
def test_a_retry_after_that_is_no_text_counts_as_never_said(owner: OwnerFixture, receiver: Receiver) -> None:
    receiver.behaviour = lambda _: Reply(status=503, headers={"retry-after": "\xff\xfe"})
    hook_id = add_hook(owner, receiver.url())
    emit(owner, 1)
    delivery = wait_for_attempts(owner, hook_id)
    assert (delivery.status, delivery.attempts[0].status_code) == ("pending", 503)
    eventually(lambda: lane_row(owner.running, hook_id).claim_id is None)
    assert len(receiver.received) == 1


def test_a_delivery_is_failed_when_its_schedule_is_used_up(owner: OwnerFixture, receiver: Receiver) -> None:
    receiver.behaviour = lambda _: Reply(status=500, body=b"broken")
    hook_id = add_hook(owner, receiver.url())
    emit(owner, 1)
    for attempt in range(1, 5):
        wait_for_attempts(owner, hook_id, attempt)
        owner.running.advance_time(timedelta(seconds=200))
    (delivery,) = wait_for_deliveries(owner, hook_id)
    assert delivery.status == "failed"
    assert [a.number for a in delivery.attempts] == [1, 2, 3, 4]
    assert delivery.attempts[-1].next_attempt_at is None
    assert eventually(lambda: lane_row(owner.running, hook_id).failed) == 1


def test_gone_disables_the_hook_and_cancels_what_waits(owner: OwnerFixture, receiver: Receiver) -> None:
    receiver.behaviour = lambda _: Reply(status=410)
    hook_id = add_hook(owner, receiver.url(), ordered=True)
    emit(owner, 1, 2, 3)
    statuses = [d.status for d in wait_for_deliveries(owner, hook_id, 3)]
    assert statuses == ["failed", "cancelled", "cancelled"]
    row = hook_row(owner, hook_id)
    assert (row.active, row.disabled_reason) == (False, "gone")
    assert len(receiver.received) == 1


def test_a_failing_hook_is_probed_one_at_a_time_and_the_rest_use_no_attempt(
    owner: OwnerFixture, receiver: Receiver
) -> None:
    receiver.behaviour = lambda _: Reply(status=500)
    hook_id = add_hook(owner, receiver.url())
    emit(owner, *range(60))
    eventually(lambda: (lane_row(owner.running, hook_id).paused_until) is not None)
    eventually(lambda: lane_row(owner.running, hook_id).claim_id is None)
    before = len(receiver.received)
    assert PROBE_AFTER_FAILURES <= before < PROBE_AFTER_FAILURES + 8
    untouched = [d for d in deliveries_of(owner, hook_id) if not d.attempts]
    assert len(untouched) == 60 - before
    owner.running.advance_time(timedelta(seconds=6))
    receiver.wait_for_count(before + 1)
    eventually(lambda: lane_row(owner.running, hook_id).claim_id is None)
    assert len(receiver.received) == before + 1
    receiver.behaviour = lambda _: OK
    owner.running.advance_time(timedelta(minutes=30))
    assert all(d.status == "succeeded" for d in wait_for_deliveries(owner, hook_id, 60))
    assert lane_row(owner.running, hook_id).failures_in_row == 0


def test_a_hook_without_success_for_five_days_is_disabled(owner: OwnerFixture, receiver: Receiver) -> None:
    receiver.behaviour = lambda _: Reply(status=500)
    six_days_ago = owner.running.clock.now() - timedelta(days=6)
    hook_id = add_hook(owner, receiver.url(), activated_at=six_days_ago)
    change_lane(owner, hook_id, exhausted=DISABLE_AFTER_EXHAUSTED_DELIVERIES - 1)
    emit(owner, 1)
    for attempt in range(1, 4):
        wait_for_attempts(owner, hook_id, attempt)
        assert hook_row(owner, hook_id).active
        owner.running.advance_time(timedelta(seconds=200))
    eventually(lambda: not hook_row(owner, hook_id).active)
    assert hook_row(owner, hook_id).disabled_reason == "failing"


def test_deliveries_of_an_inactive_hook_wait_and_go_out_when_it_is_active_again(
    owner: OwnerFixture, receiver: Receiver
) -> None:
    hook_id = add_hook(owner, receiver.url())
    receiver.behaviour = lambda _: Reply(status=500)
    emit(owner, 1)
    wait_for_attempts(owner, hook_id)
    change_hook(owner, hook_id, active=False, deactivated_at=owner.running.clock.now(), disabled_reason="owner")
    emit(owner, 2)
    owner.running.advance_time(timedelta(hours=71))
    assert [d.status for d in deliveries_of(owner, hook_id)] == ["pending"]
    receiver.behaviour = lambda _: OK
    change_hook(owner, hook_id, active=True, deactivated_at=None, disabled_reason=None)
    assert [d.status for d in wait_for_deliveries(owner, hook_id)] == ["succeeded"]


def test_deliveries_of_a_hook_that_stays_inactive_are_cancelled(owner: OwnerFixture, receiver: Receiver) -> None:
    receiver.behaviour = lambda _: Reply(status=500)
    hook_id = add_hook(owner, receiver.url())
    emit(owner, 1)
    wait_for_attempts(owner, hook_id)
    change_hook(owner, hook_id, active=False, deactivated_at=owner.running.clock.now(), disabled_reason="owner")
    owner.running.advance_time(timedelta(hours=73))
    assert [d.status for d in wait_for_deliveries(owner, hook_id)] == ["cancelled"]


def test_deliveries_of_a_deleted_hook_are_cancelled(owner: OwnerFixture, receiver: Receiver) -> None:
    receiver.behaviour = lambda _: Reply(status=500)
    hook_id = add_hook(owner, receiver.url())
    emit(owner, 1)
    wait_for_attempts(owner, hook_id)
    change_hook(owner, hook_id, deleted_at=owner.running.clock.now())
    assert [d.status for d in wait_for_deliveries(owner, hook_id)] == ["cancelled"]


def test_an_ordered_hook_gets_events_in_order_and_a_failing_one_holds_back_the_younger(
    owner: OwnerFixture, receiver: Receiver
) -> None:
    receiver.behaviour = lambda request: Reply(status=500) if numbers([request]) == [3] and fails["3"] else OK
    fails = {"3": True}
    hook_id = add_hook(owner, receiver.url(), ordered=True)
    for number in range(1, 8):
        emit(owner, number)
    eventually(lambda: lane_row(owner.running, hook_id).paused_until)
    eventually(lambda: lane_row(owner.running, hook_id).claim_id is None)
    assert numbers(receiver.received) == [1, 2, 3]
    fails["3"] = False
    owner.running.advance_time(timedelta(seconds=10))
    assert all(d.status == "succeeded" for d in wait_for_deliveries(owner, hook_id, 7))
    assert numbers(receiver.received) == [1, 2, 3, 3, 4, 5, 6, 7]


def test_the_pace_of_a_hook_is_kept(owner: OwnerFixture, receiver: Receiver) -> None:
    hook_id = add_hook(owner, receiver.url(), max_per_second=20)
    emit(owner, *range(21))
    moments = sorted(d.attempts[0].at for d in wait_for_deliveries(owner, hook_id, 21))
    assert moments[-1] - moments[0] >= timedelta(seconds=0.95)


def test_no_more_than_the_cap_is_in_flight_for_one_hook(owner: OwnerFixture, receiver: Receiver) -> None:
    hook_id = add_hook(owner, receiver.url())
    emit(owner, *range(200))
    wait_for_deliveries(owner, hook_id, 200)
    assert receiver.max_concurrent <= MAX_CONCURRENT_REQUESTS
    assert (
        len({received_request.headers["x-service-delivery"] for received_request in receiver.received})
        == len(receiver.received)
        == 200
    )


def test_a_hanging_hook_delays_nobody_else(owner: OwnerFixture, receiver: Receiver) -> None:
    receiver.behaviour = lambda request: Reply(hang=True) if request.path == "/hangs" else OK
    hanging = add_hook(owner, receiver.url("/hangs"))
    healthy = add_hook(owner, receiver.url("/healthy"))
    emit(owner, *range(40))
    wait_for_deliveries(owner, healthy, 40)
    assert not any(d.status == "succeeded" for d in deliveries_of(owner, hanging))


def test_attempts_use_the_hook_as_it_is_now(owner: OwnerFixture, receiver: Receiver) -> None:
    receiver.behaviour = lambda request: Reply(status=500) if request.path == "/old" else OK
    hook_id = add_hook(owner, receiver.url("/old"))
    emit(owner, 1)
    wait_for_attempts(owner, hook_id)
    change_hook(owner, hook_id, url=receiver.url("/new"))
    owner.running.advance_time(timedelta(seconds=10))
    wait_for_deliveries(owner, hook_id)
    assert [received_request.path for received_request in receiver.received] == ["/old", "/new"]


def test_old_events_and_deliveries_are_dropped(start_service: StartService) -> None:
    # On a service of its own: the tables of the other tests are not to be emptied.
    with start_service() as running:
        owner = running.new_owner()
        hook_id = add_hook(owner, "https://10.0.0.1/hook")
        emit(owner, 1)
        wait_for_attempts(owner, hook_id)
        db, metrics, tables = running.service.db, running.service.metrics, ("events", "deliveries")
        running.run(drop_expired_rows(db, metrics, tables, timedelta(days=1)))
        assert len(deliveries_of(owner, hook_id)) == 1
        running.advance_time(timedelta(days=20))
        running.run(create_partitions(db))
        running.run(drop_expired_rows(db, metrics, tables, timedelta(days=5)))
        assert deliveries_of(owner, hook_id) == []
