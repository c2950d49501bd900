import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from socialgate.core.db import Tx
from socialgate.core.events import EVENT_TYPES, AccountDisconnected
from socialgate.core.outbox import deliveries, emit_event, get_secret_purpose, hooks, lanes
from support.database import dump, list_plain_forms, rows
from support.parallel import run_simultaneously
from support.problems import fault_of, problem_of
from support.service import OwnerFixture, RunningService, StartService

# Nothing listens there, and nothing has to: no worker runs beside these tests.
URL = "https://127.0.0.1:9/in"
SECRET = "a secret of the customer"


@pytest.fixture(scope="module")
def service(start_service: StartService) -> Iterator[RunningService]:
    with start_service(hook_allow_nets="127.0.0.0/8", worker="separate") as running:
        yield running


def new_hook(client: httpx.Client, **fields: Any) -> dict[str, Any]:
    answer = client.post("/hooks", json={"url": URL, "events": ["account.disconnected"], **fields})
    assert answer.status_code == 201, answer.text
    hook: dict[str, Any] = answer.json()
    return hook


def refused(client: httpx.Client, **fields: Any) -> tuple[str, str]:
    return fault_of(client.post("/hooks", json={"url": URL, "events": ["account.disconnected"], **fields}))


def emitted(owner: OwnerFixture) -> list[str]:
    """Emit an event, and name the hooks that it is queued for."""
    data = AccountDisconnected(account_id="acc_1", platform="meta", kind="instagram")
    event_id = owner.running.write(emit_event, owner.id, owner.profile_id, data)
    queued = rows(owner.running, sa.select(deliveries.c.hook_id).where(deliveries.c.event_id == event_id))
    return sorted(row.hook_id for row in queued)


def row_of(owner: OwnerFixture, table: sa.Table, hook_id: str) -> Any:
    key = table.c.hook_id if "hook_id" in table.c else table.c.id
    (row,) = rows(owner.running, sa.select(table).where(key == hook_id))
    return row


def set_row(owner: OwnerFixture, table: sa.Table, hook_id: str, **values: Any) -> None:
    async def change(tx: Tx) -> None:
        key = table.c.hook_id if "hook_id" in table.c else table.c.id
        await tx.execute(sa.update(table).where(key == hook_id).values(**values))

    owner.running.write(change)


def test_a_new_hook_is_shown_with_its_secret(owner: OwnerFixture) -> None:
    created = new_hook(owner.key(), events=["post.published", "account.disconnected"])
    assert created == {
        "id": created["id"],
        "url": URL,
        "events": ["post.published", "account.disconnected"],
        "active": True,
        "profileScope": "all",
        "description": None,
        "ordered": False,
        "maxPerSecond": None,
        "disabledReason": None,
        "stats": {"succeeded": 0, "failed": 0, "lastSuccessAt": None, "lastFailureAt": None},
        "createdAt": created["createdAt"],
        "updatedAt": created["createdAt"],
        "secret": created["secret"],
    }
    assert created["secret"].startswith("whsec_")
    assert row_of(owner, lanes, created["id"]).owner_id == owner.id


def test_what_the_customer_brings_is_kept(owner: OwnerFixture) -> None:
    fields = {"description": "Orders", "ordered": True, "maxPerSecond": 7, "secret": SECRET}
    created = new_hook(owner.session, **fields)
    assert {name: created[name] for name in fields} == fields


def test_a_secret_is_shown_once_and_stored_sealed(service: RunningService, owner: OwnerFixture) -> None:
    client, key = owner.key(), {"Idempotency-Key": "once"}
    first = client.post("/hooks", json={"url": URL, "events": ["post.failed"]}, headers=key)
    created, hook_id = first.json(), first.json()["id"]
    again = client.post("/hooks", json={"url": URL, "events": ["post.failed"]}, headers=key)
    assert again.headers["idempotent-replayed"] == "true"
    assert again.json() == {**{k: v for k, v in created.items() if k != "secret"}, "secretWithheld": True}

    rotate = client.post(f"/hooks/{hook_id}/rotate-secret", json={}, headers=key)
    assert (rotate.status_code, rotate.json()["secret"] != created["secret"]) == (200, True)
    replayed = client.post(f"/hooks/{hook_id}/rotate-secret", json={}, headers=key)
    assert replayed.json() == {
        **{k: v for k, v in rotate.json().items() if k != "secret"},
        "secretWithheld": True,
    }
    answers = [
        client.get(f"/hooks/{hook_id}"),
        client.get("/hooks"),
        client.patch(f"/hooks/{hook_id}", json={"description": "x"}),
        client.post(f"/hooks/{hook_id}/test"),
        client.get(f"/hooks/{hook_id}/deliveries"),
    ]
    stored = dump(service)
    for secret in (created["secret"], rotate.json()["secret"]):
        assert not [answer.url for answer in answers if secret in answer.text]
        assert not [form for form in list_plain_forms(secret) if form in stored]
    assert "secret" not in answers[0].json()


@pytest.mark.parametrize("secret", ["short", "x" * 257, "with a\ttab in the middle", "sécret sécret sécret"])
def test_a_bad_secret_is_refused_and_not_quoted(owner: OwnerFixture, secret: str) -> None:
    hook = new_hook(owner.session)
    rotation = owner.session.post(f"/hooks/{hook['id']}/rotate-secret", json={"secret": secret})
    creation = owner.session.post("/hooks", json={"url": URL, "events": ["post.failed"], "secret": secret})
    for answer in (rotation, creation):
        assert fault_of(answer) == ("/secret", "invalid")
        assert secret not in answer.json()["detail"]


def test_a_bad_url_is_refused_on_create_and_on_change(owner: OwnerFixture) -> None:
    hook = new_hook(owner.session)
    for url, code in {
        "http://127.0.0.1/in": "url_not_https",
        "https://user:password@127.0.0.1/in": "url_has_credentials",
        "https://10.0.0.1/in": "url_address_refused",
        "https://[::1]/in": "url_address_refused",
        "https://127.0.0.1/" + "x" * 2048: "too_long",
        "": "url_not_https",
    }.items():
        assert refused(owner.session, url=url) == ("/url", code)
        assert fault_of(owner.session.patch(f"/hooks/{hook['id']}", json={"url": url})) == ("/url", code)
    assert owner.session.get(f"/hooks/{hook['id']}").json()["url"] == URL


def test_events_are_from_the_list_each_once(owner: OwnerFixture) -> None:
    assert new_hook(owner.session, events=list(EVENT_TYPES))["events"] == list(EVENT_TYPES)
    assert refused(owner.session, events=["post.failed", "post.flew"]) == ("/events/1", "unknown_event")
    assert refused(owner.session, events=["post.failed", "post.failed"]) == ("/events/1", "duplicate")
    assert refused(owner.session, events=[])[0] == "/events"
    hook = new_hook(owner.session)
    answer = owner.session.patch(f"/hooks/{hook['id']}", json={"events": ["*"]})
    assert fault_of(answer) == ("/events/0", "unknown_event")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("maxPerSecond", 0),
        ("maxPerSecond", 1001),
        ("maxPerSecond", 1.5),
        ("description", "x" * 501),
        ("ordered", "yes"),
    ],
)
def test_values_out_of_bounds_are_refused(owner: OwnerFixture, field: str, value: Any) -> None:
    hook = new_hook(owner.session)
    assert refused(owner.session, **{field: value})[0] == f"/{field}"
    assert fault_of(owner.session.patch(f"/hooks/{hook['id']}", json={field: value}))[0] == f"/{field}"


def test_the_twenty_first_hook_is_refused_also_when_all_come_at_once(owner: OwnerFixture) -> None:
    client = owner.key()
    body = {"url": URL, "events": ["post.failed"]}
    answers = run_simultaneously(30, lambda _: client.post("/hooks", json=body))
    assert sorted(answer.status_code for answer in answers) == [201] * 20 + [409] * 10
    problem_of(next(answer for answer in answers if answer.is_error), 409, "hook_limit")
    listed = client.get("/hooks").json()["data"]
    assert len(listed) == 20
    client.delete(f"/hooks/{listed[0]['id']}")
    assert client.post("/hooks", json=body).status_code == 201
    assert client.post("/hooks", json=body).status_code == 409


def test_hooks_are_listed_newest_first_page_by_page(owner: OwnerFixture) -> None:
    items = [new_hook(owner.session)["id"] for _ in range(3)]
    first = owner.session.get("/hooks", params={"limit": 2}).json()
    second = owner.session.get("/hooks", params={"limit": 2, "cursor": first["nextCursor"]}).json()
    assert [hook["id"] for hook in first["data"] + second["data"]] == items[::-1]
    assert second["nextCursor"] is None


def test_a_change_touches_only_what_it_names(owner: OwnerFixture) -> None:
    created = new_hook(owner.session, description="Orders", maxPerSecond=5)
    del created["secret"]
    path = f"/hooks/{created['id']}"
    changed = owner.session.patch(path, json={"events": ["lead.received"], "url": f"{URL}/2"}).json()
    assert changed == {
        **created,
        "events": ["lead.received"],
        "url": f"{URL}/2",
        "updatedAt": changed["updatedAt"],
    }
    assert changed["updatedAt"] > created["updatedAt"]
    cleared = owner.session.patch(path, json={"description": None, "maxPerSecond": None, "ordered": True}).json()
    assert (cleared["description"], cleared["maxPerSecond"], cleared["ordered"]) == (None, None, True)
    assert owner.session.get(path).json() == cleared


def test_a_lost_update_is_412(owner: OwnerFixture) -> None:
    path = f"/hooks/{new_hook(owner.session)['id']}"
    seen = owner.session.get(path).headers["etag"]
    change = owner.session.patch(path, json={"description": "a"}, headers={"If-Match": seen})
    assert change.status_code == 200
    stale = owner.session.patch(path, json={"description": "b"}, headers={"If-Match": seen})
    problem_of(stale, 412, "precondition_failed")
    assert owner.session.get(path).json()["description"] == "a"
    fresh = {"If-Match": change.headers["etag"]}
    assert owner.session.patch(path, json={"description": "c"}, headers=fresh).status_code == 200


def test_a_hook_rests_while_it_is_not_active(owner: OwnerFixture) -> None:
    hook_id = new_hook(owner.session)["id"]
    path = f"/hooks/{hook_id}"
    assert emitted(owner) == [hook_id]
    resting = owner.session.patch(path, json={"active": False}).json()
    assert (resting["active"], resting["disabledReason"]) == (False, "owner")
    since = row_of(owner, hooks, hook_id).deactivated_at
    assert since is not None
    assert emitted(owner) == []
    owner.session.patch(path, json={"active": False})
    assert row_of(owner, hooks, hook_id).deactivated_at == since
    awake = owner.session.patch(path, json={"active": True}).json()
    assert (awake["active"], awake["disabledReason"]) == (True, None)
    assert row_of(owner, hooks, hook_id).deactivated_at is None
    assert emitted(owner) == [hook_id]


def test_activating_forgets_past_failures(owner: OwnerFixture) -> None:
    hook_id = new_hook(owner.session)["id"]
    before = row_of(owner, hooks, hook_id)
    set_row(owner, hooks, hook_id, active=False, disabled_reason="failing", deactivated_at=before.created_at)
    paused = before.created_at + timedelta(hours=1)
    set_row(owner, lanes, hook_id, failures_in_row=12, exhausted=30, paused_until=paused, failed=40, succeeded=2)
    shown = owner.session.get(f"/hooks/{hook_id}").json()
    assert (shown["disabledReason"], shown["stats"]["failed"], shown["stats"]["succeeded"]) == ("failing", 40, 2)
    owner.session.patch(f"/hooks/{hook_id}", json={"active": False})
    assert row_of(owner, hooks, hook_id).disabled_reason == "failing"
    owner.session.patch(f"/hooks/{hook_id}", json={"active": True})
    lane = row_of(owner, lanes, hook_id)
    assert (lane.failures_in_row, lane.exhausted, lane.paused_until, lane.failed) == (0, 0, None, 40)
    assert row_of(owner, hooks, hook_id).activated_at > before.activated_at


def test_a_new_address_is_tried_at_once(owner: OwnerFixture) -> None:
    hook_id = new_hook(owner.session)["id"]
    set_row(owner, lanes, hook_id, failures_in_row=12, paused_until=row_of(owner, hooks, hook_id).created_at)
    owner.session.patch(f"/hooks/{hook_id}", json={"description": "x"})
    assert row_of(owner, lanes, hook_id).failures_in_row == 12
    owner.session.patch(f"/hooks/{hook_id}", json={"url": f"{URL}/new"})
    lane = row_of(owner, lanes, hook_id)
    assert (lane.failures_in_row, lane.paused_until) == (0, None)


def test_a_change_wakes_the_hook(service: RunningService, owner: OwnerFixture) -> None:
    hook_id = new_hook(owner.session)["id"]
    heard: set[str] = set()
    stop_listening = service.service.db.wakeups.subscribe(heard.update)
    owner.session.patch(f"/hooks/{hook_id}", json={"active": True})
    stop_listening()
    assert hook_id in heard


def test_a_deleted_hook_is_gone(owner: OwnerFixture) -> None:
    hook_id = new_hook(owner.session)["id"]
    answer = owner.session.delete(f"/hooks/{hook_id}")
    assert (answer.status_code, answer.json()) == (200, {"id": hook_id, "deleted": True})
    for call in (owner.session.delete, owner.session.get):
        problem_of(call(f"/hooks/{hook_id}"), 404, "not_found")
    problem_of(owner.session.get(f"/hooks/{hook_id}/deliveries"), 404)
    assert owner.session.get("/hooks").json()["data"] == []
    assert emitted(owner) == []


def test_a_test_ping_goes_to_its_hook_alone_listed_or_not_active_or_not(owner: OwnerFixture) -> None:
    hook_id, other = new_hook(owner.session)["id"], new_hook(owner.session, events=["webhook.test"])["id"]
    owner.session.patch(f"/hooks/{hook_id}", json={"active": False})
    owner.new_profile()
    answer = owner.session.post(f"/hooks/{hook_id}/test")
    (delivery,) = owner.session.get(f"/hooks/{hook_id}/deliveries").json()["data"]
    assert (answer.status_code, answer.json()) == (202, {"deliveryId": delivery["id"], "event": "webhook.test"})
    assert delivery["status"] == "pending"
    assert owner.session.get(f"/hooks/{other}/deliveries").json()["data"] == []
    sent = owner.session.get(f"/hooks/{hook_id}/deliveries/{delivery['id']}").json()["request"]["body"]
    envelope = json.loads(sent)
    assert (envelope["event"], envelope["ownerId"]) == ("webhook.test", owner.id)
    assert (envelope["profileId"], envelope["data"]["hookId"]) == (owner.profile_id, hook_id)


def test_a_hook_is_tested_once_in_thirty_seconds(start_service: StartService) -> None:
    with start_service(hook_allow_nets="127.0.0.0/8", worker="separate") as running:
        running.clock.stop()
        owner = running.new_owner()
        hook_id, other = new_hook(owner.session)["id"], new_hook(owner.session)["id"]
        assert owner.session.post(f"/hooks/{hook_id}/test").status_code == 202
        assert owner.session.post(f"/hooks/{other}/test").status_code == 202
        running.clock.offset += timedelta(seconds=12.5)
        problem = problem_of(owner.session.post(f"/hooks/{hook_id}/test"), 429, "test_too_soon")
        assert problem["retryAfter"] == 18
        running.clock.offset += timedelta(seconds=17.5)
        assert owner.session.post(f"/hooks/{hook_id}/test").status_code == 202
        assert len(owner.session.get(f"/hooks/{hook_id}/deliveries").json()["data"]) == 2


def test_of_many_pings_at_once_one_is_queued(owner: OwnerFixture) -> None:
    hook_id = new_hook(owner.session)["id"]
    answers = run_simultaneously(8, lambda _: owner.session.post(f"/hooks/{hook_id}/test"))
    assert sorted(answer.status_code for answer in answers) == [202] + [429] * 7


def test_a_new_secret_seals_out_the_old_one_when_the_overlap_ends(service: RunningService, owner: OwnerFixture) -> None:
    def secrets_of(row: Any) -> list[str]:
        sealed = [row.secret] if row.previous_secret is None else [row.secret, row.previous_secret]
        return [service.service.keyring.unseal(part, get_secret_purpose(owner.id, row.id)) for part in sealed]

    created = new_hook(owner.session)
    path = f"/hooks/{created['id']}/rotate-secret"
    rotated = owner.session.post(path, json={}).json()
    row = row_of(owner, hooks, created["id"])
    assert secrets_of(row) == [rotated["secret"], created["secret"]]
    assert row.previous_until == row.updated_at + timedelta(days=1)
    own = owner.session.post(path, json={"secret": SECRET, "overlapSeconds": 604_800}).json()
    assert own["secret"] == SECRET
    assert secrets_of(row_of(owner, hooks, created["id"])) == [SECRET, rotated["secret"]]
    at_once = owner.session.post(path, json={"overlapSeconds": 0}).json()
    assert at_once["previousValidUntil"] is None
    assert secrets_of(row_of(owner, hooks, created["id"])) == [at_once["secret"]]
    for seconds in (-1, 604_801):
        assert fault_of(owner.session.post(path, json={"overlapSeconds": seconds}))[0] == "/overlapSeconds"
