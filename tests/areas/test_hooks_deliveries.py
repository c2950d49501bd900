import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import msgspec
import pytest
import sqlalchemy as sa

from socialgate import __version__
from socialgate.areas.hooks.deliveries import DeliveryService
from socialgate.areas.hooks.schemas import HookRecovery
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.events import AccountDisconnected, AutomationTriggered, EventData, WebhookTest
from socialgate.core.outbox import StoredAttempt, deliveries, emit_event, emit_event_to_hooks, events, hooks, lanes
from socialgate.core.unit_of_work import UnitOfWork
from support.parallel import run_simultaneously
from support.problems import fault_of, problem_of
from support.service import OwnerFixture, RunningService, StartService

pytestmark = pytest.mark.both_engines

URL = "https://127.0.0.1:9/in"
LONG_AGO = {"since": "2020-01-01T00:00:00Z"}
DISCONNECTED = AccountDisconnected(account_id="acc_1", platform="meta", kind="instagram")
TRIGGERED = AutomationTriggered(automation_id="auto_1", run_id="run_1", name="n", account_id="acc_1", trigger={})
ATTEMPT = StoredAttempt(
    number=1,
    at=datetime(2026, 11, 15, 9, 30, tzinfo=UTC),
    duration_ms=48,
    status_code=500,
    error=None,
    response_body="sorry",
    next_attempt_at=datetime(2026, 11, 15, 9, 31, tzinfo=UTC),
    timestamp=1_794_735_000,
    signature="sha256=abc",
    standard_signature="v1,def",
)


@pytest.fixture(scope="module")
def service(start_service: StartService) -> Iterator[RunningService]:
    with start_service(hook_allow_nets="127.0.0.0/8", worker="separate") as running:
        yield running


class HookOf:
    """A hook of an owner, and what is in the tables for it."""

    def __init__(self, owner: OwnerFixture, client: httpx.Client | None = None, **fields: Any) -> None:
        self.owner = owner
        self.client = client or owner.session
        body = {"url": URL, "events": [DISCONNECTED.event], **fields}
        self.id: str = self.client.post("/hooks", json=body).json()["id"]
        self.path = f"/hooks/{self.id}"

    def event(self, data: EventData = DISCONNECTED, profile_id: str | None = None) -> str:
        """Emit an event to whichever hooks want it."""
        event_id: str = self.owner.running.write(emit_event, self.owner.id, profile_id or self.owner.profile_id, data)
        return event_id

    def delivery(self, status: str = "pending", data: EventData = DISCONNECTED, **values: Any) -> str:
        """Put a delivery into the table, in any state, and give its id."""

        async def put(tx: Tx) -> str:
            event_id = await emit_event_to_hooks(tx, self.owner.id, self.owner.profile_id, data, [self.id])
            changes = {"status": status, **({} if status == "pending" else {"due_at": None}), **values}
            column_element = deliveries.c.event_id == event_id
            await tx.execute(sa.update(deliveries).where(column_element).values(**changes))
            return str(await tx.scalar(sa.select(deliveries.c.id).where(column_element)))

        delivery_id: str = self.owner.running.write(put)
        return delivery_id

    def set(self, table: sa.Table, **values: Any) -> None:
        async def change(tx: Tx) -> None:
            key = table.c.hook_id if "hook_id" in table.c else table.c.id
            await tx.execute(sa.update(table).where(key == self.id).values(**values))

        self.owner.running.write(change)

    def list(self, client: httpx.Client | None = None, **params: Any) -> Any:
        answer = (client or self.client).get(f"{self.path}/deliveries", params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def ids(self, **params: Any) -> Any:
        return [delivery["id"] for delivery in self.list(**params)]

    def pending_events(self) -> Any:
        """Name the events that wait, oldest delivery first."""
        return [delivery["eventId"] for delivery in self.list(status="pending", limit=200)][::-1]

    def recover(self, **body: Any) -> Any:
        answer = self.client.post(f"{self.path}/recover", json={**LONG_AGO, **body})
        assert answer.status_code == 202, answer.text
        return answer.json()["queued"]


def drop_events(owner: OwnerFixture) -> None:
    async def drop(tx: Tx) -> None:
        await tx.execute(sa.delete(events).where(events.c.owner_id == owner.id))

    owner.running.write(drop)


def move_event(owner: OwnerFixture, event_id: str, created_at: datetime) -> None:
    async def move(tx: Tx) -> None:
        await tx.execute(sa.update(events).where(events.c.id == event_id).values(created_at=created_at))

    owner.running.write(move)


def test_a_delivery_is_shown_with_its_attempts(owner: OwnerFixture) -> None:
    hook = HookOf(owner)
    done = ATTEMPT.at + timedelta(minutes=1)
    failed = hook.delivery("failed", attempts=msgspec.json.encode([ATTEMPT]), attempt_count=1, completed_at=done)
    (shown,) = hook.list()
    assert shown == {
        "id": failed,
        "hookId": hook.id,
        "eventId": shown["eventId"],
        "event": "account.disconnected",
        "status": "failed",
        "attempts": [
            {
                "number": 1,
                "at": "2026-11-15T09:30:00Z",
                "durationMs": 48,
                "statusCode": 500,
                "error": None,
                "responseBody": "sorry",
                "nextAttemptAt": "2026-11-15T09:31:00Z",
            }
        ],
        "attemptCount": 1,
        "createdAt": shown["createdAt"],
        "completedAt": "2026-11-15T09:31:00Z",
        "nextAttemptAt": None,
    }


def test_the_request_is_shown_exactly_as_it_was_sent(owner: OwnerFixture) -> None:
    hook = HookOf(owner)
    last = msgspec.structs.replace(ATTEMPT, number=2, timestamp=1_794_735_030, signature="sha256=last")
    sent = hook.delivery("succeeded", attempts=msgspec.json.encode([ATTEMPT, last]), attempt_count=2)
    shown = owner.session.get(f"{hook.path}/deliveries/{sent}").json()
    assert shown == {**hook.list()[0], "request": shown["request"]}
    assert shown["request"]["headers"] == {
        "Content-Type": "application/json",
        "User-Agent": f"Socialgate-Hooks/{__version__}",
        "X-Service-Signature": "sha256=last",
        "X-Service-Event": "account.disconnected",
        "X-Service-Delivery": sent,
        "webhook-id": shown["eventId"],
        "webhook-timestamp": "1794735030",
        "webhook-signature": "v1,def",
    }
    assert json.loads(shown["request"]["body"]) == {
        "event": "account.disconnected",
        "ownerId": owner.id,
        "profileId": owner.profile_id,
        "data": {"accountId": "acc_1", "platform": "meta", "kind": "instagram"},
    }
    waiting = owner.session.get(f"{hook.path}/deliveries/{hook.delivery()}").json()
    assert (waiting["status"], waiting["request"]["headers"]) == ("pending", {})
    drop_events(owner)
    assert owner.session.get(f"{hook.path}/deliveries/{sent}").json()["request"] is None


def test_a_delivery_is_found_under_its_own_hook_only(owner: OwnerFixture) -> None:
    hook, other = HookOf(owner), HookOf(owner)
    problem_of(owner.session.get(f"{other.path}/deliveries/{hook.delivery()}"), 404, "not_found")


def test_deliveries_are_filtered_and_paged(owner: OwnerFixture) -> None:
    hook = HookOf(owner)
    created = [hook.delivery(status) for status in ("failed", "succeeded", "failed", "cancelled", "failed")]
    triggered = hook.delivery("failed", TRIGGERED)
    assert hook.ids() == [triggered, *created[::-1]]
    assert hook.ids(status="failed", event=DISCONNECTED.event) == [created[4], created[2], created[0]]
    assert hook.ids(status="cancelled") == [created[3]]
    assert hook.ids(event=TRIGGERED.event) == [triggered]
    first = owner.session.get(f"{hook.path}/deliveries", params={"limit": 2, "status": "failed"}).json()
    hook.delivery("failed")
    rest = hook.ids(status="failed", cursor=first["nextCursor"])
    assert [delivery["id"] for delivery in first["data"]] + rest == [triggered, created[4], created[2], created[0]]


def test_deliveries_are_filtered_by_time(owner: OwnerFixture) -> None:
    hook = HookOf(owner)
    start = datetime(2026, 11, 15, 12, tzinfo=UTC)
    created = [hook.delivery("failed", created_at=start + timedelta(hours=hour)) for hour in range(3)]
    value, two = "2026-11-15T13:00:00Z", "2026-11-15T15:00:00+01:00"
    assert hook.ids(since=value) == [created[2], created[1]]
    assert hook.ids(until=value) == [created[0]]
    assert hook.ids(since=value, until=two) == [created[1]]


def test_a_due_delivery_is_delivering_while_a_worker_holds_the_hook(owner: OwnerFixture) -> None:
    hook = HookOf(owner)
    now = datetime.now(UTC)
    due, later = hook.delivery(due_at=now), hook.delivery(due_at=now + timedelta(hours=1))
    for lease, delivering in ((None, []), (now, []), (now + timedelta(hours=1), [due])):
        hook.set(lanes, lease_until=lease)
        assert hook.ids(status="delivering") == delivering
        assert hook.ids(status="pending") == [id_ for id_ in (later, due) if id_ not in delivering]
        shown = {delivery["id"]: delivery["status"] for delivery in hook.list()}
        assert shown == {later: "pending", due: "delivering" if delivering else "pending"}
        detail = owner.session.get(f"{hook.path}/deliveries/{due}").json()
        assert (detail["status"], detail["nextAttemptAt"] is None) == (shown[due], False)


def test_a_delivery_waits_as_long_as_its_hook_does(owner: OwnerFixture) -> None:
    hook = HookOf(owner)
    now = datetime.now(UTC)
    due, later = hook.delivery(due_at=now), hook.delivery(due_at=now + timedelta(hours=2))
    hook.set(lanes, paused_until=now + timedelta(hours=1))
    shown = {item["id"]: datetime.fromisoformat(item["nextAttemptAt"]) for item in hook.list()}
    assert shown == {due: now + timedelta(hours=1), later: now + timedelta(hours=2)}


def test_what_waits_for_a_hook_that_is_off_is_not_being_delivered(owner: OwnerFixture) -> None:
    hook = HookOf(owner)
    now = datetime.now(UTC)
    waits = hook.delivery(due_at=now)
    ping = hook.delivery(data=WebhookTest(hook_id=hook.id, sent_at=now, message="Ping."), due_at=now)
    owner.session.patch(hook.path, json={"active": False}).raise_for_status()
    # Held for its test pings, which are sent all the same.
    hook.set(lanes, lease_until=now + timedelta(hours=1))
    shown = {item["id"]: (item["status"], item["nextAttemptAt"] is None) for item in hook.list(status="pending")}
    assert shown == {waits: ("pending", True), ping: ("pending", False)}
    assert hook.ids(status="delivering") == []
    problem = problem_of(owner.session.post(f"{hook.path}/deliveries/{waits}/retry"), 409, "delivery_pending")
    assert "Its hook is disabled. Enable it first" in problem["detail"]


@pytest.mark.parametrize(
    "reason",
    [{"disabled_reason": "gone"}, {"disabled_reason": "owner", "deactivated_at": datetime(2026, 11, 1, tzinfo=UTC)}],
    ids=["gone", "off for long"],
)
def test_nothing_is_queued_for_a_hook_that_is_off_for_good(owner: OwnerFixture, reason: dict[str, Any]) -> None:
    hook = HookOf(owner)
    failed = hook.delivery("failed")
    hook.set(hooks, active=False, **{"deactivated_at": datetime.now(UTC), **reason})
    for answer in (
        owner.session.post(f"{hook.path}/deliveries/{failed}/retry"),
        owner.session.post(f"{hook.path}/recover", json=LONG_AGO),
    ):
        assert '{"active": true}' in problem_of(answer, 409, "hook_disabled")["detail"]
    assert hook.ids() == [failed]
    owner.session.patch(hook.path, json={"active": True}).raise_for_status()
    assert hook.recover() == 1


@pytest.mark.parametrize(
    ("params", "fault"),
    [
        ({"status": "lost"}, "?status"),
        ({"event": "post.flew"}, "?event"),
        ({"since": "yesterday"}, "?since"),
        ({"since": "2026-11-15T09:30:00"}, "?since"),
        ({"since": "0001-01-01T00:00:00+14:00"}, "?since"),
        ({"until": "9999-12-31T23:59:59-12:00"}, "?until"),
        ({"since": "2026-11-15T09:30:00Z", "until": "2026-11-15T09:30:00Z"}, "?until"),
        ({"limit": "201"}, "?limit"),
        ({"cursor": "x"}, "?cursor"),
    ],
)
@pytest.mark.one_engine
def test_a_bad_filter_is_refused(owner: OwnerFixture, params: dict[str, str], fault: str) -> None:
    answer = owner.session.get(f"{HookOf(owner).path}/deliveries", params=params)
    assert fault_of(answer)[0] == fault


def test_a_delivery_that_is_over_is_sent_again_under_a_new_id(owner: OwnerFixture) -> None:
    hook = HookOf(owner)
    for status in ("succeeded", "failed", "cancelled"):
        over = hook.delivery(status)
        answer = owner.session.post(f"{hook.path}/deliveries/{over}/retry")
        assert (answer.status_code, answer.json()["event"]) == (202, "account.disconnected")
        old, new = (
            owner.session.get(f"{hook.path}/deliveries/{delivery_id}").json()
            for delivery_id in (over, answer.json()["deliveryId"])
        )
        assert (new["status"], new["attemptCount"], new["eventId"]) == ("pending", 0, old["eventId"])
        assert (old["status"], new["request"]["body"]) == (status, old["request"]["body"])
        again = owner.session.post(f"{hook.path}/deliveries/{new['id']}/retry")
        problem_of(again, 409, "delivery_pending")


def test_an_event_that_is_no_longer_kept_cannot_be_sent_again(owner: OwnerFixture) -> None:
    hook = HookOf(owner)
    over = hook.delivery("failed")
    drop_events(owner)
    problem_of(owner.session.post(f"{hook.path}/deliveries/{over}/retry"), 409, "event_expired")


def test_profiles_taken_from_a_hook_take_their_deliveries_out_of_its_keys_sight(owner: OwnerFixture) -> None:
    kept = owner.new_profile()
    created = owner.session.post(
        "/api-keys", json={"name": "k", "scope": "profiles", "profileIds": [owner.profile_id, kept]}
    ).json()
    key = owner.running.client(created["key"])
    hook = HookOf(owner, key)
    taken = hook.delivery("failed")
    hook.event(profile_id=kept)
    assert len(hook.list()) == 2
    owner.session.patch(f"/api-keys/{created['id']}", json={"profileIds": [kept]})
    (left,) = hook.ids()
    assert left != taken
    for call, path in ((key.get, ""), (key.post, "/retry")):
        problem_of(call(f"{hook.path}/deliveries/{taken}{path}"), 403, "out_of_scope")
    assert len(hook.list(owner.session)) == 2
    retried = owner.session.post(f"{hook.path}/deliveries/{taken}/retry")
    problem_of(retried, 409, "event_not_covered")
    assert hook.recover() == 0


def test_recovery_sends_what_failed_was_cancelled_or_never_sent_oldest_first(owner: OwnerFixture) -> None:
    hook = HookOf(owner)
    for status in ("failed", "succeeded", "cancelled", "pending"):
        hook.delivery(status)
    by_status = {delivery["status"]: delivery["eventId"] for delivery in hook.list()}
    owner.session.patch(hook.path, json={"active": False})
    never_sent = hook.event()
    owner.session.patch(hook.path, json={"active": True})
    assert hook.recover() == 3
    missed = [by_status["failed"], by_status["cancelled"], never_sent]
    assert hook.pending_events() == [by_status["pending"], *missed]
    assert hook.recover() == 0
    assert len(hook.list()) == 7


def test_recovery_sends_what_failed_again_after_it_was_recovered_but_not_what_arrived(owner: OwnerFixture) -> None:
    hook = HookOf(owner)
    hook.delivery("failed")
    hook.delivery("failed")
    assert hook.recover() == 2
    arrived, lost = hook.ids(status="pending")

    async def settle(tx: Tx) -> None:
        for delivery_id, status in ((arrived, "succeeded"), (lost, "failed")):
            await tx.execute(sa.update(deliveries).where(deliveries.c.id == delivery_id).values(status=status))

    owner.running.write(settle)
    assert hook.recover() == 1
    assert hook.list()[0]["eventId"] == next(d["eventId"] for d in hook.list() if d["id"] == lost)


def test_recovery_stays_within_events_reach_and_life_of_the_hook(owner: OwnerFixture) -> None:
    inside = owner.new_profile()
    HookOf(owner).event(profile_id=inside)
    hook = HookOf(owner, owner.limited_key(inside), events=[DISCONNECTED.event, WebhookTest.event])
    owner.session.patch(hook.path, json={"active": False})
    expected = hook.event(profile_id=inside)
    hook.event(TRIGGERED, inside)
    hook.event(profile_id=owner.profile_id)
    hook.delivery("failed", WebhookTest(hook_id=hook.id, sent_at=ATTEMPT.at, message="x"))
    assert hook.recover() == 1
    assert hook.pending_events() == [expected]
    hook.set(hooks, profile_ids=[])
    assert hook.recover() == 0


def test_recovery_stays_within_its_time(owner: OwnerFixture) -> None:
    hook = HookOf(owner)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    hook.set(hooks, active=False, created_at=start + timedelta(hours=1))
    created = [hook.event() for _ in range(6)]
    for hour, event_id in enumerate(created):
        move_event(owner, event_id, start + timedelta(hours=hour))
    assert hook.recover(since="2026-01-01T03:00:00Z", until="2026-01-01T05:00:00Z") == 2
    assert hook.pending_events() == created[3:5]
    assert hook.recover(since="2026-01-01T05:00:00Z") == 1
    # The first is older than the hook.
    assert hook.recover() == 2
    assert sorted(hook.pending_events()) == created[1:]


def test_recovery_ends_at_its_limit_and_goes_on_with_the_next_call(
    service: RunningService, owner: OwnerFixture
) -> None:
    hook = HookOf(owner)
    created = [hook.event() for _ in range(8)]
    hook.set(deliveries, status="failed", due_at=None)
    limited = DeliveryService(max_recovered=5, batch=2)
    work = UnitOfWork(service.service.db, Caller(owner_id=owner.id, credential_id="ses_1", user_id="usr_1"))
    recovery = HookRecovery(since=datetime(2020, 1, 1, tzinfo=UTC))
    assert [service.run(limited.recover_events(work, hook.id, recovery)).queued for _ in range(3)] == [5, 3, 0]
    assert hook.pending_events() == created


def test_recovering_twice_at_once_queues_each_event_once(owner: OwnerFixture) -> None:
    hook = HookOf(owner)
    for _ in range(10):
        hook.event()
    hook.set(deliveries, status="cancelled", due_at=None)
    queued = run_simultaneously(4, lambda _: hook.recover())
    assert sorted(queued) == [0, 0, 0, 10]
    assert len(hook.pending_events()) == 10


def test_a_recovery_repeated_with_its_key_queues_nothing_more(owner: OwnerFixture) -> None:
    hook = HookOf(owner)
    hook.delivery("failed")
    for _ in range(2):
        answer = owner.session.post(f"{hook.path}/recover", json=LONG_AGO, headers={"Idempotency-Key": "k"})
        assert (answer.status_code, answer.json()) == (202, {"queued": 1})
        hook.set(deliveries, status="failed", due_at=None)
    assert len(hook.list()) == 2


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({}, "/since"),
        ({"since": "2026-11-15T09:30:00"}, "/since"),
        ({"since": "0001-01-01T00:00:00+14:00"}, "/since"),
        ({"since": "2026-11-15T09:30:00Z", "until": "2026-11-14T09:30:00Z"}, "/until"),
    ],
)
@pytest.mark.one_engine
def test_a_bad_recovery_is_refused(owner: OwnerFixture, body: dict[str, str], fault: str) -> None:
    assert fault_of(owner.session.post(f"{HookOf(owner).path}/recover", json=body))[0] == fault
