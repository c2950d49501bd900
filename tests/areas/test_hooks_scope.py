"""Whose hooks a credential reaches, and whose events a hook reaches."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from socialgate.core.db import Tx
from socialgate.core.events import AccountDisconnected
from socialgate.core.outbox import deliveries, emit_event, events
from support.database import rows
from support.problems import problem_of
from support.service import OwnerFixture, RunningService, StartService

URL = "https://127.0.0.1:9/in"


@pytest.fixture(scope="module")
def service(start_service: StartService) -> Iterator[RunningService]:
    with start_service(hook_allow_nets="127.0.0.0/8", worker="separate") as running:
        yield running


def new_hook(client: httpx.Client) -> dict[str, Any]:
    answer = client.post("/hooks", json={"url": URL, "events": ["account.disconnected"]})
    assert answer.status_code == 201, answer.text
    hook: dict[str, Any] = answer.json()
    return hook


def emitted(owner: OwnerFixture, profile_id: str) -> list[str]:
    """Emit an event, and name the hooks that it is queued for."""
    data = AccountDisconnected(account_id="acc_1", platform="meta", kind="instagram")
    event_id = owner.running.write(emit_event, owner.id, profile_id, data)
    queued = rows(owner.running, sa.select(deliveries.c.hook_id).where(deliveries.c.event_id == event_id))
    return sorted(row.hook_id for row in queued)


def fail_deliveries(owner: OwnerFixture) -> None:
    async def fail(tx: Tx) -> None:
        failed = sa.update(deliveries).values(status="failed", due_at=None)
        await tx.execute(failed.where(deliveries.c.owner_id == owner.id))

    owner.running.write(fail)


ROUTES: dict[str, Callable[[httpx.Client, str, str], httpx.Response]] = {
    "show": lambda client, hook, _: client.get(f"/hooks/{hook}"),
    "change": lambda client, hook, _: client.patch(f"/hooks/{hook}", json={"description": "x"}),
    "test": lambda client, hook, _: client.post(f"/hooks/{hook}/test"),
    "rotate": lambda client, hook, _: client.post(f"/hooks/{hook}/rotate-secret", json={}),
    "recover": lambda client, hook, _: client.post(f"/hooks/{hook}/recover", json={"since": "2026-01-01T00:00:00Z"}),
    "deliveries": lambda client, hook, _: client.get(f"/hooks/{hook}/deliveries"),
    "delivery": lambda client, hook, delivery: client.get(f"/hooks/{hook}/deliveries/{delivery}"),
    "retry": lambda client, hook, delivery: client.post(f"/hooks/{hook}/deliveries/{delivery}/retry"),
    "delete": lambda client, hook, _: client.delete(f"/hooks/{hook}"),
}


@pytest.mark.parametrize(
    ("who", "reached"),
    [
        ("session", {"all", "inside", "partly", "outside"}),
        ("key", {"all", "inside", "partly", "outside"}),
        ("limited", {"inside"}),
        ("stranger", set()),
    ],
)
def test_who_reaches_which_hook(owner: OwnerFixture, other_owner: OwnerFixture, who: str, reached: set[str]) -> None:
    """The limited key covers a and b; the hooks reach everything, b, b and c, and c."""
    a, b, c = owner.profile_id, owner.new_profile(), owner.new_profile()
    caller = {
        "session": owner.session,
        "key": owner.key(),
        "limited": owner.limited_key(a, b),
        "stranger": other_owner.session,
    }[who]
    reaches = {"all": [], "inside": [b], "partly": [b, c], "outside": [c]}
    clients = {name: owner.limited_key(*ids) if ids else owner.session for name, ids in reaches.items()}
    hook_ids = {name: new_hook(client)["id"] for name, client in clients.items()}
    listed = {hook["id"] for hook in caller.get("/hooks").json()["data"]}
    assert listed == {hook_ids[name] for name in reached}
    for name, hook_id in hook_ids.items():
        emitted(owner, {"all": a, "outside": c}.get(name, b))
        delivery_id = owner.session.get(f"/hooks/{hook_id}/deliveries").json()["data"][0]["id"]
        fail_deliveries(owner)
        for route, call in ROUTES.items():
            answer = call(caller, hook_id, delivery_id)
            if name in reached:
                assert answer.is_success, (route, answer.text)
            elif who == "stranger":
                problem_of(answer, 404, "not_found")
            else:
                problem_of(answer, 403, "out_of_scope")


def test_a_hook_reaches_what_its_maker_covers(owner: OwnerFixture) -> None:
    inside, outside = owner.new_profile(), owner.new_profile()
    everything = new_hook(owner.key())
    some = new_hook(owner.limited_key(inside, owner.profile_id))
    assert everything["profileScope"] == "all"
    assert some["profileScope"] == sorted([inside, owner.profile_id])
    assert emitted(owner, inside) == sorted([everything["id"], some["id"]])
    assert emitted(owner, outside) == [everything["id"]]
    owner.session.post(f"/hooks/{some['id']}/test")
    (delivery,) = owner.session.get(f"/hooks/{some['id']}/deliveries", params={"event": "webhook.test"}).json()["data"]
    sent = owner.session.get(f"/hooks/{some['id']}/deliveries/{delivery['id']}").json()["request"]["body"]
    assert json.loads(sent)["profileId"] == owner.profile_id


def test_narrowing_a_key_narrows_its_hooks(owner: OwnerFixture) -> None:
    a, b, c = owner.profile_id, owner.new_profile(), owner.new_profile()
    created = owner.session.post("/api-keys", json={"name": "k", "scope": "profiles", "profileIds": [a, b]}).json()
    key, other = owner.running.client(created["key"]), owner.limited_key(c)
    hook_id, untouched = new_hook(key)["id"], new_hook(owner.limited_key(a, b))["id"]

    def key_covers(*profile_ids: str) -> Any:
        answer = owner.session.patch(f"/api-keys/{created['id']}", json={"profileIds": profile_ids})
        assert answer.status_code == 200
        return owner.session.get(f"/hooks/{hook_id}").json()["profileScope"]

    assert key_covers(a, b, c) == sorted([a, b])
    assert key_covers(b, c) == [b]
    assert key_covers(a, b, c) == [b]
    assert key_covers(c) == []
    assert owner.session.get(f"/hooks/{untouched}").json()["profileScope"] == sorted([a, b])
    assert emitted(owner, c) == []
    problem_of(owner.session.post(f"/hooks/{hook_id}/test"), 409, "hook_without_profiles")
    problem_of(other.get(f"/hooks/{hook_id}"), 403, "out_of_scope")
    assert [hook["id"] for hook in key.get("/hooks").json()["data"]] == [hook_id]


def test_narrowing_a_key_cancels_what_waits_for_the_profiles_that_it_loses(owner: OwnerFixture) -> None:
    a, b = owner.profile_id, owner.new_profile()
    created = owner.session.post("/api-keys", json={"name": "k", "scope": "profiles", "profileIds": [a, b]}).json()
    hook_id = new_hook(owner.running.client(created["key"]))["id"]
    emitted(owner, a)
    emitted(owner, b)
    assert owner.session.patch(f"/api-keys/{created['id']}", json={"profileIds": [b]}).status_code == 200
    waiting = sa.select(events.c.profile_id, deliveries.c.status).where(
        deliveries.c.hook_id == hook_id, events.c.id == deliveries.c.event_id
    )
    assert {row.profile_id: row.status for row in rows(owner.running, waiting)} == {a: "cancelled", b: "pending"}


def test_revoking_a_key_names_the_hooks_that_keep_running(owner: OwnerFixture) -> None:
    created = owner.session.post("/api-keys", json={"name": "k", "scope": "all"}).json()
    kept, deleted = (new_hook(owner.running.client(created["key"]))["id"] for _ in range(2))
    new_hook(owner.session)
    owner.session.delete(f"/hooks/{deleted}")
    answer = owner.session.delete(f"/api-keys/{created['id']}")
    assert answer.json() == {"id": created["id"], "deleted": True, "hooks": [kept]}
    assert owner.session.get(f"/hooks/{kept}").json()["active"] is True
