"""Choosing among what a Facebook login opens: Pages, Instagram accounts and ad accounts."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from support.accounts import account_count, list_all, list_event_names, snapshot_owner
from support.parallel import run_simultaneously
from support.problems import fault_of, problem_of
from support.sandbox import Connection, Sandbox, connect
from support.service import OwnerFixture

# The path below a profile, and the list in which what was chosen appears.
WAYS = [("connect/meta", "/accounts"), ("connect/meta/adaccounts", "/adaccounts")]


def path_of(owner: OwnerFixture, way: str, profile_id: str | None = None) -> str:
    return f"/profiles/{profile_id or owner.profile_id}/{way}"


def available(owner: OwnerFixture, way: str) -> list[dict[str, Any]]:
    answer = owner.session.get(f"{path_of(owner, way)}/available")
    assert answer.status_code == httpx.codes.OK, answer.text
    result: list[dict[str, Any]] = answer.json()["data"]
    return result


def choose(owner: OwnerFixture, way: str, *ids: str, **request: Any) -> httpx.Response:
    return owner.session.post(path_of(owner, way), json={"ids": list(ids)}, **request)


@pytest.mark.parametrize(("way", "_list"), WAYS)
def test_before_anybody_signed_in_there_is_nothing_to_choose(way: str, _list: str, owner: OwnerFixture) -> None:
    problem = problem_of(owner.session.get(f"{path_of(owner, way)}/available"), 409, "connect_first")
    assert "GET /connect/meta" in problem["detail"]
    problem_of(choose(owner, way, "1"), 409, "connect_first")


def test_signing_in_connects_nothing_by_itself(owner: OwnerFixture, sandbox: Sandbox) -> None:
    connect(sandbox, owner, "meta")
    assert list_all(owner) == list_all(owner, "/adaccounts") == []
    assert list_event_names(owner) == []
    assert account_count(owner) == 0


@pytest.mark.parametrize(("way", "list_path"), WAYS)
def test_all_that_is_chosen_is_connected_or_nothing(
    way: str, list_path: str, owner: OwnerFixture, sandbox: Sandbox
) -> None:
    connect(sandbox, owner, "meta")
    first = available(owner, way)[0]["id"]
    before = snapshot_owner(owner)
    assert fault_of(choose(owner, way, first, "999")) == ("/ids/1", "not_available")
    assert fault_of(choose(owner, way, "")) == ("/ids/0", "invalid")
    assert fault_of(choose(owner, way)) == ("/ids", "invalid")
    assert snapshot_owner(owner) == before
    assert list_all(owner, list_path) == []


def test_what_another_person_has_cannot_be_chosen(
    owner: OwnerFixture, other_owner: OwnerFixture, sandbox: Sandbox
) -> None:
    bram = next(item["id"] for item in sandbox.accounts("meta") if item["kind"] == "person" and "Bram" in str(item))
    Connection(sandbox, other_owner, "meta").finish(person=bram)
    connect(sandbox, owner, "meta")
    his = {item["id"] for item in available(other_owner, "connect/meta")}
    hers = {item["id"] for item in available(owner, "connect/meta")}
    assert his
    assert not his & hers
    for foreign in his:
        assert fault_of(choose(owner, "connect/meta", foreign)) == ("/ids/0", "not_available")
    assert list_all(owner) == []


@pytest.mark.parametrize(("way", "list_path"), WAYS)
def test_choosing_twice_changes_nothing(way: str, list_path: str, owner: OwnerFixture, sandbox: Sandbox) -> None:
    connect(sandbox, owner, "meta")
    chosen = available(owner, way)[0]
    assert chosen["connectedAccountId"] is None
    first = choose(owner, way, chosen["id"], chosen["id"])
    assert first.status_code == httpx.codes.CREATED
    (row,) = first.json()["data"]
    again = choose(owner, way, chosen["id"])
    assert again.status_code == httpx.codes.CREATED
    assert [item["id"] for item in again.json()["data"]] == [row["id"]]
    assert [item["id"] for item in list_all(owner, list_path)] == [row["id"]]
    assert list_event_names(owner) == ["account.connected"]
    assert account_count(owner) == 1
    assert available(owner, way)[0]["connectedAccountId"] == row["id"]


@pytest.mark.parametrize(("way", "list_path"), WAYS)
def test_ten_who_choose_at_once_connect_each_account_once(
    way: str, list_path: str, owner: OwnerFixture, sandbox: Sandbox
) -> None:
    connect(sandbox, owner, "meta")
    ids = [item["id"] for item in available(owner, way)]
    answers = run_simultaneously(10, lambda number: choose(owner, way, *(ids if number % 2 else reversed(ids))))
    assert {answer.status_code for answer in answers} == {201}
    assert {frozenset(item["id"] for item in answer.json()["data"]) for answer in answers} == {
        frozenset(item["id"] for item in list_all(owner, list_path))
    }
    assert list_event_names(owner) == ["account.connected"] * len(ids)
    assert account_count(owner) == len(ids)


@pytest.mark.parametrize(("way", "list_path"), WAYS)
def test_a_choice_that_is_sent_again_with_its_key_is_answered_again(
    way: str, list_path: str, owner: OwnerFixture, sandbox: Sandbox
) -> None:
    connect(sandbox, owner, "meta")
    chosen = available(owner, way)[0]["id"]
    headers = {"Idempotency-Key": uuid4().hex}
    first = choose(owner, way, chosen, headers=headers)
    (row,) = first.json()["data"]
    assert owner.session.delete(f"{list_path}/{row['id']}").status_code == httpx.codes.OK
    again = choose(owner, way, chosen, headers=headers)
    assert again.content == first.content
    assert again.headers["idempotent-replayed"] == "true"
    assert list_all(owner, list_path) == []
    assert list_event_names(owner) == ["account.connected", "account.disconnected"]
    assert fault_of_reuse(choose(owner, way, "999", headers=headers)) == "idempotency_key_reused"


def fault_of_reuse(answer: httpx.Response) -> str:
    return str(problem_of(answer, 422)["code"])


@pytest.mark.parametrize(("way", "_list"), WAYS)
def test_only_who_may_write_in_the_profile_chooses(
    way: str, _list: str, owner: OwnerFixture, other_owner: OwnerFixture, sandbox: Sandbox
) -> None:
    connect(sandbox, owner, "meta")
    chosen = {"ids": [available(owner, way)[0]["id"]]}
    limited, reader = owner.limited_key(owner.new_profile()), owner.key(permission="read")
    path = path_of(owner, way)
    problem_of(limited.get(f"{path}/available"), 403, "out_of_scope")
    problem_of(limited.post(path, json=chosen), 403, "out_of_scope")
    problem_of(reader.post(path, json=chosen), 403)
    problem_of(other_owner.session.get(f"{path}/available"), 404, "not_found")
    problem_of(other_owner.session.post(path, json=chosen), 404, "not_found")
    assert reader.get(f"{path}/available").status_code == httpx.codes.OK
    assert snapshot_owner(owner)["accounts"] == []


def test_what_another_profile_holds_is_refused_without_its_id(owner: OwnerFixture, sandbox: Sandbox) -> None:
    other = owner.new_profile()
    connect(sandbox, owner, "meta")
    page, *rest = [item["id"] for item in available(owner, "connect/meta")]
    choose(owner, "connect/meta", page)
    (values,) = list_all(owner)
    connect(sandbox, owner, "meta", profileId=other)
    before = snapshot_owner(owner)
    key = owner.limited_key(other)
    seen = key.get(f"{path_of(owner, 'connect/meta', other)}/available")
    assert values["id"] not in seen.text
    refused = key.post(path_of(owner, "connect/meta", other), json={"ids": [*rest, page]})
    problem_of(refused, 409, "connected_elsewhere")
    assert values["id"] not in refused.text
    assert owner.profile_id not in refused.text
    assert snapshot_owner(owner) == before


@pytest.mark.parametrize(("way", "list_path"), WAYS)
def test_signing_in_again_heals_what_was_chosen_and_connects_nothing_else(
    way: str, list_path: str, owner: OwnerFixture, sandbox: Sandbox
) -> None:
    connect(sandbox, owner, "meta")
    chosen = available(owner, way)[0]["id"]
    (row,) = choose(owner, way, chosen).json()["data"]
    sandbox.control("revoke", platform="meta", account=chosen, how="password_changed")
    health = owner.session.get("/accounts/health", params={"refresh": True})
    assert health.status_code == httpx.codes.OK
    if list_path == "/accounts":
        assert list_all(owner)[0]["status"] == "needs_reconnection"
        assert health.json()["summary"]["needsReconnection"] == 1
    problem_of_lost = owner.session.get(f"{path_of(owner, way)}/available")
    assert problem_of_lost.status_code == httpx.codes.CONFLICT
    assert problem_of_lost.json()["code"] == "needs_reconnection"
    connect(sandbox, owner, "meta")
    assert [(item["id"], item["status"]) for item in list_all(owner, list_path)] == [(row["id"], "connected")]
    assert account_count(owner) == 1
