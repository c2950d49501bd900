"""Tasks as their owner sees them: listed, read, waited for, and cancelled."""

from collections.abc import Callable

import httpx
import pytest

from socialgate.core.events import AccountDisconnected
from socialgate.core.jobs.service import JobService, JobTypes
from socialgate.core.outbox import emit_event
from support.operation_area import count_to
from support.problems import problem_of
from support.service import OwnerFixture, RunningService
from support.streams import frames_of_tasks, lines_of
from support.waiting import eventually

pytestmark = pytest.mark.both_engines


def task(owner: OwnerFixture, to: int = 3, profile_id: str | None = None) -> str:
    jobs = owner.running.service.container.get(JobService)
    return str(owner.running.write(count_to, jobs, owner.id, profile_id or owner.profile_id, to))


def test_a_task_is_waited_for_and_shows_its_progress_and_result(owner: OwnerFixture) -> None:
    task_id = task(owner)
    done = owner.session.get(f"/tasks/{task_id}", params={"wait": 30}).json()
    assert (done["id"], done["type"], done["status"]) == (task_id, "test.count", "succeeded")
    assert done["progress"] == {"done": 3, "total": 3, "unit": "numbers"}
    assert (done["result"], done["error"]) == ({"counted": 3}, None)
    assert done["createdAt"] <= done["startedAt"] <= done["finishedAt"] < done["expiresAt"]


def test_tasks_are_listed_newest_first_with_filters(owner: OwnerFixture) -> None:
    ids = [task(owner) for _ in range(3)]
    for task_id in ids:
        owner.session.get(f"/tasks/{task_id}", params={"wait": 30})
    page = owner.session.get("/tasks", params={"limit": 2}).json()
    rest = owner.session.get("/tasks", params={"limit": 2, "cursor": page["nextCursor"]}).json()
    assert [item["id"] for item in [*page["data"], *rest["data"]]] == ids[::-1]
    assert rest["nextCursor"] is None
    assert owner.session.get("/tasks", params={"status": "failed"}).json()["data"] == []
    assert len(owner.session.get("/tasks", params={"type": "test.count"}).json()["data"]) == 3


def test_a_finished_task_cannot_be_cancelled(owner: OwnerFixture) -> None:
    task_id = task(owner)
    owner.session.get(f"/tasks/{task_id}", params={"wait": 30})
    problem_of(owner.session.delete(f"/tasks/{task_id}"), 409, "task_finished")


def test_a_task_that_would_never_end_is_cancelled(owner: OwnerFixture) -> None:
    task_id = task(owner, to=10**9)
    eventually(lambda: owner.session.get(f"/tasks/{task_id}").json()["progress"])
    cancelled = owner.session.delete(f"/tasks/{task_id}").json()
    assert (cancelled["id"], cancelled["deleted"]) == (task_id, True)
    done = owner.session.get(f"/tasks/{task_id}", params={"wait": 30}).json()
    assert done["status"] == "cancelled"


@pytest.mark.parametrize("call", [httpx.Client.get, httpx.Client.delete])
def test_another_owners_task_is_not_there(
    owner: OwnerFixture, other_owner: OwnerFixture, call: Callable[[httpx.Client, str], httpx.Response]
) -> None:
    problem_of(call(other_owner.session, f"/tasks/{task(owner)}"), 404, "not_found")


def test_a_limited_key_sees_the_tasks_of_its_profiles_only(owner: OwnerFixture) -> None:
    mine, other = owner.new_profile(), owner.new_profile()
    key = owner.limited_key(mine)
    inside, outside = task(owner, profile_id=mine), task(owner, profile_id=other)
    assert [item["id"] for item in key.get("/tasks").json()["data"]] == [inside]
    assert key.get(f"/tasks/{inside}").status_code == httpx.codes.OK
    problem_of(key.get(f"/tasks/{outside}"), 403, "out_of_scope")
    problem_of(key.delete(f"/tasks/{outside}"), 403, "out_of_scope")


def test_the_work_of_the_service_itself_is_no_task(service: RunningService, owner: OwnerFixture) -> None:
    assert "purge" in service.service.container.get(JobTypes)
    assert owner.session.get("/tasks").json()["data"] == []


@pytest.mark.one_engine
def test_a_stream_shows_how_a_task_comes_along_and_ends(owner: OwnerFixture) -> None:
    endless = task(owner, to=10**9)
    with frames_of_tasks(owner.running, owner.session_token) as seen:
        first = next(item for item in seen if item["progress"])
        assert (first["id"], first["type"]) == (endless, "test.count")
        assert (first["progress"]["total"], first["progress"]["unit"]) == (10**9, "numbers")
        assert next(seen)["progress"]["done"] > first["progress"]["done"]
        owner.session.delete(f"/tasks/{endless}")
        assert next(item for item in seen if item["status"] != "running")["status"] == "cancelled"
    assert owner.session.get("/events").json()["data"] == []


def test_a_stream_shows_a_limited_key_the_tasks_of_its_profiles_only(
    owner: OwnerFixture, other_owner: OwnerFixture
) -> None:
    mine, other = owner.new_profile(), owner.new_profile()
    token = owner.key_value(scope="profiles", profileIds=[mine])
    hidden = [task(owner, 10**9, other), task(other_owner, 10**9)]
    shown = task(owner, 10**9, mine)
    with frames_of_tasks(owner.running, token) as seen:
        # Each look shows all that there is: by the third one the others would have come.
        assert {next(seen)["id"] for _ in range(3)} == {shown}
    for value, whose in zip([shown, *hidden], [owner, owner, other_owner], strict=True):
        whose.session.delete(f"/tasks/{value}")


def test_a_stream_of_one_kind_of_event_shows_no_tasks(owner: OwnerFixture) -> None:
    endless = task(owner, to=10**9)
    with lines_of(owner.running, owner.session_token, event="account.disconnected") as lines:
        eventually(lambda: owner.session.get(f"/tasks/{endless}").json()["progress"])
        event = AccountDisconnected(account_id="acc_1", platform="meta", kind="instagram")
        owner.running.write(emit_event, owner.id, owner.profile_id, event)
        assert next(line for line in lines if line.startswith("event: ")) == "event: account.disconnected"
    owner.session.delete(f"/tasks/{endless}")
