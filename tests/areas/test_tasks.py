"""Tasks as their owner sees them: listed, read, waited for, and cancelled."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from socialgate.core.jobs.jobs import Jobs
from support.problems import problem_of
from support.service import OwnerOf, RunningService
from support.shouting import count_to
from support.waiting import eventually

pytestmark = pytest.mark.both_engines


def task(owner: OwnerOf, to: int = 3, profile_id: str | None = None) -> str:
    jobs = owner.running.service.parts.get(Jobs)
    return str(owner.running.write(count_to, jobs, owner.id, profile_id or owner.profile_id, to))


def test_a_task_is_waited_for_and_shows_its_progress_and_result(owner: OwnerOf) -> None:
    task_id = task(owner)
    done = owner.session.get(f"/tasks/{task_id}", params={"wait": 30}).json()
    assert (done["id"], done["type"], done["status"]) == (task_id, "test.count", "succeeded")
    assert done["progress"] == {"done": 3, "total": 3, "unit": "numbers"}
    assert (done["result"], done["error"]) == ({"counted": 3}, None)
    assert done["createdAt"] <= done["startedAt"] <= done["finishedAt"] < done["expiresAt"]


def test_tasks_are_listed_newest_first_with_filters(owner: OwnerOf) -> None:
    ids = [task(owner) for _ in range(3)]
    for task_id in ids:
        owner.session.get(f"/tasks/{task_id}", params={"wait": 30})
    page = owner.session.get("/tasks", params={"limit": 2}).json()
    rest = owner.session.get("/tasks", params={"limit": 2, "cursor": page["nextCursor"]}).json()
    assert [one["id"] for one in [*page["data"], *rest["data"]]] == ids[::-1]
    assert rest["nextCursor"] is None
    assert owner.session.get("/tasks", params={"status": "failed"}).json()["data"] == []
    assert len(owner.session.get("/tasks", params={"type": "test.count"}).json()["data"]) == 3


def test_a_finished_task_cannot_be_cancelled(owner: OwnerOf) -> None:
    task_id = task(owner)
    owner.session.get(f"/tasks/{task_id}", params={"wait": 30})
    problem_of(owner.session.delete(f"/tasks/{task_id}"), 409, "task_finished")


def test_a_task_that_would_never_end_is_cancelled(owner: OwnerOf) -> None:
    task_id = task(owner, to=10**9)
    eventually(lambda: owner.session.get(f"/tasks/{task_id}").json()["progress"])
    cancelled = owner.session.delete(f"/tasks/{task_id}").json()
    assert (cancelled["id"], cancelled["deleted"]) == (task_id, True)
    done = owner.session.get(f"/tasks/{task_id}", params={"wait": 30}).json()
    assert done["status"] == "cancelled"


@pytest.mark.parametrize("call", [httpx.Client.get, httpx.Client.delete])
def test_another_owners_task_is_not_there(
    owner: OwnerOf, other_owner: OwnerOf, call: Callable[[httpx.Client, str], httpx.Response]
) -> None:
    problem_of(call(other_owner.session, f"/tasks/{task(owner)}"), 404, "not_found")


def test_a_limited_key_sees_the_tasks_of_its_profiles_only(owner: OwnerOf) -> None:
    mine, other = owner.new_profile(), owner.new_profile()
    key = owner.limited_key(mine)
    inside, outside = task(owner, profile_id=mine), task(owner, profile_id=other)
    assert [one["id"] for one in key.get("/tasks").json()["data"]] == [inside]
    assert key.get(f"/tasks/{inside}").status_code == httpx.codes.OK
    problem_of(key.get(f"/tasks/{outside}"), 403, "out_of_scope")
    problem_of(key.delete(f"/tasks/{outside}"), 403, "out_of_scope")


def test_the_work_of_the_service_itself_is_no_task(service: RunningService, owner: OwnerOf) -> None:
    jobs: Any = service.service.parts.get(Jobs)
    assert "purge" in jobs._types
    assert owner.session.get("/tasks").json()["data"] == []
