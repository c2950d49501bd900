"""The queue: one post to a moment, whoever comes at once, and what becomes of posts whose slot goes."""

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from support.connections import connect_accounts, connect_page
from support.parallel import run_simultaneously
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture

pytestmark = pytest.mark.both_engines

WEEK = timedelta(days=7)


def slot(owner: OwnerFixture, weekday: str = "monday", time: str = "09:00", **fields: Any) -> str:
    body = {"profileId": owner.profile_id, "weekday": weekday, "time": time, "timezone": "America/Lima", **fields}
    response = owner.session.post("/queue/slots", json=body)
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


def queued(owner: OwnerFixture, account_id: str) -> dict[str, Any]:
    body = {"profileId": owner.profile_id, "content": "Fresh bread", "targets": [{"accountId": account_id}]}
    response = owner.session.post("/queue", json=body)
    assert response.status_code == 201, response.text
    post: dict[str, Any] = response.json()
    return post


def moment(post: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(post["scheduledFor"])


def shown(owner: OwnerFixture, days: int = 30) -> list[dict[str, Any]]:
    view = owner.session.get("/queue", params={"profileId": owner.profile_id, "days": days})
    assert view.status_code == 200, view.text
    entries: list[dict[str, Any]] = view.json()["data"]
    return entries


def next_slot(owner: OwnerFixture, *account_ids: str) -> Any:
    params: dict[str, Any] = {"profileId": owner.profile_id, "accountId": list(account_ids)}
    return owner.session.get("/queue/next-slot", params=params)


@pytest.fixture
def threads(owner: OwnerFixture, sandbox: Sandbox) -> str:
    return connect_accounts(sandbox, owner, "threads")[0]


def test_fifty_posts_that_come_at_once_get_fifty_moments(owner: OwnerFixture, threads: str) -> None:
    slots = {slot(owner, "monday"), slot(owner, "thursday", "18:30")}
    posts = run_simultaneously(50, lambda _: queued(owner, threads))
    moments = sorted(moment(post) for post in posts)
    assert len(set(moments)) == 50
    assert {post["queueSlotId"] for post in posts} == slots
    assert {post["status"] for post in posts} == {"scheduled"}
    # None is left out: two slots a week are filled one after the other.
    assert all(later - earlier < WEEK for earlier, later in pairwise(moments))


@pytest.mark.one_engine
def test_the_queue_shows_what_is_taken_and_what_is_free(owner: OwnerFixture, threads: str) -> None:
    slot_id = slot(owner)
    post = queued(owner, threads)
    first, *others = shown(owner)
    assert (first["slotId"], first["at"], first["post"]["id"]) == (slot_id, post["scheduledFor"], post["id"])
    assert others
    assert {entry["post"] for entry in others} == {None}
    free = next_slot(owner).json()
    assert free == {"slotId": slot_id, "at": others[0]["at"]}
    assert moment(queued(owner, threads)) == datetime.fromisoformat(free["at"])


@pytest.mark.one_engine
def test_a_cancelled_post_gives_its_moment_back(owner: OwnerFixture, threads: str) -> None:
    slot(owner)
    post = queued(owner, threads)
    assert owner.session.delete(f"/posts/{post['id']}").status_code == 200
    assert queued(owner, threads)["scheduledFor"] == post["scheduledFor"]


def test_posts_of_a_slot_that_goes_keep_their_time(owner: OwnerFixture, threads: str) -> None:
    slot_id = slot(owner)
    post = queued(owner, threads)
    deleted = owner.session.delete(f"/queue/slots/{slot_id}").json()
    assert deleted["postIds"] == [post["id"]]
    kept = owner.session.get(f"/posts/{post['id']}").json()
    assert (kept["scheduledFor"], kept["queueSlotId"], kept["status"]) == (post["scheduledFor"], None, "scheduled")
    assert shown(owner) == []


@pytest.mark.one_engine
def test_posts_of_a_slot_that_goes_move_to_the_next_free_ones(owner: OwnerFixture, threads: str) -> None:
    going = slot(owner)
    posts = [queued(owner, threads) for _ in range(3)]
    staying = slot(owner, "friday", "07:15")
    deleted = owner.session.delete(f"/queue/slots/{going}", params={"posts": "reslot"})
    assert deleted.status_code == 200, deleted.text
    moved = [owner.session.get(f"/posts/{post['id']}").json() for post in posts]
    assert [post["queueSlotId"] for post in moved] == [staying] * 3
    # Their order stays.
    assert [moment(post) for post in moved] == [datetime.fromisoformat(entry["at"]) for entry in shown(owner)[:3]]


def test_a_slot_stays_if_its_posts_have_nowhere_to_go(owner: OwnerFixture, threads: str) -> None:
    slot_id = slot(owner)
    post = queued(owner, threads)
    problem_of(owner.session.delete(f"/queue/slots/{slot_id}", params={"posts": "reslot"}), 409, "no_free_slot")
    assert owner.session.get(f"/posts/{post['id']}").json()["queueSlotId"] == slot_id
    assert [row["id"] for row in owner.session.get("/queue/slots").json()["data"]] == [slot_id]


@pytest.mark.one_engine
def test_a_slot_for_some_accounts_takes_no_post_to_others(owner: OwnerFixture, threads: str, sandbox: Sandbox) -> None:
    page = connect_page(sandbox, owner)
    slot(owner, accountIds=[threads])
    problem_of(next_slot(owner, page), 409, "no_free_slot")
    problem_of(next_slot(owner, page, threads), 409, "no_free_slot")
    assert next_slot(owner, threads).status_code == 200
    for_all = slot(owner, "sunday", "23:59")
    assert queued(owner, page)["queueSlotId"] == for_all


@pytest.mark.one_engine
def test_a_slot_names_accounts_and_a_time_zone_that_exist(
    owner: OwnerFixture, other_owner: OwnerFixture, sandbox: Sandbox
) -> None:
    theirs = connect_accounts(sandbox, other_owner, "threads")[0]
    body = {"profileId": owner.profile_id, "weekday": "monday", "time": "09:00"}
    foreign = owner.session.post("/queue/slots", json={**body, "accountIds": [theirs]})
    assert fault_of(foreign) == ("/accountIds/0", "not_found")
    nowhere = owner.session.post("/queue/slots", json={**body, "timezone": "Europe/Nowhere"})
    assert fault_of(nowhere) == ("/timezone", "unknown_timezone")
    slot(owner, "monday", "09:00")
    mine = connect_accounts(sandbox, owner, "threads")[0]
    post = {"profileId": owner.profile_id, "content": "Bread", "targets": [{"accountId": mine}]}
    lost = owner.session.post("/queue", json={**post, "timezone": "Europe/Nowhere"})
    assert fault_of(lost) == ("/timezone", "unknown_timezone")


def test_there_is_one_slot_at_a_time_of_the_week(owner: OwnerFixture, threads: str) -> None:
    slot(owner)
    body = {"profileId": owner.profile_id, "weekday": "monday", "time": "09:00", "timezone": "America/Lima"}
    problem_of(owner.session.post("/queue/slots", json=body), 409, "slot_exists")
    slot(owner, accountIds=[threads])
    slot(owner, timezone="Europe/London")


@pytest.mark.one_engine
def test_a_queue_without_slots_takes_nothing(owner: OwnerFixture, threads: str) -> None:
    problem_of(next_slot(owner), 409, "no_free_slot")
    body = {"profileId": owner.profile_id, "content": "Fresh bread", "targets": [{"accountId": threads}], "queue": True}
    problem_of(owner.session.post("/posts", json=body), 409, "no_free_slot")


def test_a_slot_that_moves_lets_its_posts_keep_their_time_or_take_it_along(owner: OwnerFixture, threads: str) -> None:
    slot_id = slot(owner)
    kept = queued(owner, threads)
    changed = owner.session.patch(f"/queue/slots/{slot_id}", json={"time": "10:30"})
    assert changed.status_code == 200, changed.text
    assert (changed.json()["time"], changed.json()["weekday"]) == ("10:30", "monday")
    post = owner.session.get(f"/posts/{kept['id']}").json()
    assert (post["scheduledFor"], post["queueSlotId"]) == (kept["scheduledFor"], None)
    moving = queued(owner, threads)
    again = owner.session.patch(f"/queue/slots/{slot_id}", json={"weekday": "tuesday"}, params={"posts": "reslot"})
    assert again.status_code == 200, again.text
    post = owner.session.get(f"/posts/{moving['id']}").json()
    assert (moment(post).strftime("%A"), post["queueSlotId"]) == ("Tuesday", slot_id)


def test_a_slot_does_not_move_to_where_another_is(owner: OwnerFixture) -> None:
    first, second = slot(owner, "monday"), slot(owner, "friday")
    problem_of(owner.session.patch(f"/queue/slots/{second}", json={"weekday": "monday"}), 409, "slot_exists")
    assert owner.session.patch(f"/queue/slots/{first}", json={"weekday": "monday"}).status_code == 200
    refused = owner.session.patch(f"/queue/slots/{first}", json={"timezone": "Mars/Olympus"})
    assert fault_of(refused)[0] == "/timezone"
    refused = owner.session.patch(f"/queue/slots/{first}", json={"accountIds": ["acc_none"]})
    assert fault_of(refused)[0] == "/accountIds/0"
