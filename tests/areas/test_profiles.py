import pytest

from support.accounts import read_events
from support.connections import connect_accounts
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture


def test_a_new_owner_has_a_first_profile(owner: OwnerFixture) -> None:
    profiles = owner.key().get("/profiles").json()["data"]
    assert [profile["name"] for profile in profiles] == ["Default"]
    assert profiles[0]["timezone"] == "UTC"
    assert profiles[0]["accountCount"] == 0


def test_created_profiles_are_listed_newest_first(owner: OwnerFixture) -> None:
    client = owner.key()
    items = [client.post("/profiles", json={"name": f"P{n}"}).json() for n in range(3)]
    listed = client.get("/profiles").json()
    assert [profile["id"] for profile in listed["data"]] == [p["id"] for p in reversed(items)] + [owner.profile_id]
    assert listed["nextCursor"] is None


def test_a_change_touches_only_what_it_names(owner: OwnerFixture) -> None:
    client = owner.key()
    created = client.post("/profiles", json={"name": "Bakery", "description": "Three shops"}).json()
    changed = client.patch(f"/profiles/{created['id']}", json={"timezone": "America/Lima"}).json()
    assert changed == {**created, "timezone": "America/Lima", "updatedAt": changed["updatedAt"]}
    assert changed["updatedAt"] > created["updatedAt"]
    cleared = client.patch(f"/profiles/{created['id']}", json={"description": None}).json()
    assert cleared["description"] is None


def test_an_unknown_timezone_is_refused(owner: OwnerFixture) -> None:
    for name in ("Mars/Olympus", "../../etc/passwd", "Europe", ""):
        answer = owner.session.post("/profiles", json={"name": "x", "timezone": name})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["pointer"] == "/timezone"


def test_a_limited_key_sees_and_changes_only_its_profiles(owner: OwnerFixture) -> None:
    inside, outside = owner.new_profile("inside"), owner.new_profile("outside")
    limited = owner.limited_key(inside)
    assert [p["id"] for p in limited.get("/profiles").json()["data"]] == [inside]
    assert limited.patch(f"/profiles/{inside}", json={"name": "mine"}).status_code == 200
    refused = limited.patch(f"/profiles/{outside}", json={"name": "mine"})
    assert (refused.status_code, refused.json()["code"]) == (403, "out_of_scope")
    assert limited.post("/profiles", json={"name": "new"}).status_code == 403


def test_a_profile_is_shown_to_those_who_may_see_it(owner: OwnerFixture) -> None:
    created = owner.session.post("/profiles", json={"name": "Bakery"}).json()
    assert owner.session.get(f"/profiles/{created['id']}").json() == created
    problem_of(owner.session.get("/profiles/prf_none"), 404, "not_found")
    problem_of(owner.limited_key(owner.profile_id).get(f"/profiles/{created['id']}"), 403, "out_of_scope")


@pytest.mark.both_engines
def test_a_profile_with_accounts_is_deleted_only_with_force(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (threads,) = connect_accounts(sandbox, owner, "threads")
    other = owner.new_profile("stays")
    path = f"/profiles/{owner.profile_id}"
    target = {"profileId": owner.profile_id, "content": "Bread", "targets": [{"accountId": threads}]}
    later = owner.session.post("/posts", json={**target, "scheduledFor": "2099-01-01T09:00:00Z"}).json()
    body = {"profileId": owner.profile_id, "weekday": "monday", "time": "09:00"}
    assert owner.session.post("/queue/slots", json=body).status_code == 201
    automation = {
        "profileId": owner.profile_id,
        "name": "Thanks",
        "trigger": {"type": "post.published"},
        "actions": [{"type": "wait", "amount": 5}],
    }
    assert owner.session.post("/automations", json=automation).status_code == 201
    problem_of(owner.session.delete(path), 409, "profile_not_empty")
    assert owner.session.get(f"/accounts/{threads}").json()["status"] == "connected"
    assert owner.session.delete(path, params={"force": True}).json() == {"id": owner.profile_id, "deleted": True}
    problem_of(owner.session.get(f"/accounts/{threads}"), 404, "not_found")
    assert [item["event"] for item in read_events(owner)].count("account.disconnected") == 1
    assert owner.session.get(f"/posts/{later['id']}").json()["status"] == "cancelled"
    assert owner.session.get("/queue/slots").json()["data"] == []
    assert owner.session.get("/automations").json()["data"] == []
    assert [item["id"] for item in owner.session.get("/profiles").json()["data"]] == [other]
    problem_of(owner.session.delete(path), 404, "not_found")
    problem_of(owner.session.delete(f"/profiles/{other}"), 409, "last_profile")


def test_an_account_moves_to_another_profile(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (threads,) = connect_accounts(sandbox, owner, "threads")
    other = owner.new_profile("new home")
    moved = owner.session.patch(f"/accounts/{threads}", json={"profileId": other})
    assert (moved.status_code, moved.json()["profileId"], moved.json()["status"]) == (200, other, "connected")
    counts = {item["id"]: item["accountCount"] for item in owner.session.get("/profiles").json()["data"]}
    assert counts == {owner.profile_id: 0, other: 1}
    post = {"profileId": other, "content": "Bread", "targets": [{"accountId": threads}]}
    assert owner.session.post("/posts", json=post).status_code == 202
    limited = owner.limited_key(owner.profile_id)
    problem_of(limited.patch(f"/accounts/{threads}", json={"profileId": owner.profile_id}), 403, "out_of_scope")
    problem_of(owner.session.patch(f"/accounts/{threads}", json={"profileId": "prf_none"}), 404, "not_found")
