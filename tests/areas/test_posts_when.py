"""When a post is to be published is said in one way: what contradicts itself is refused, and nothing is stored."""

from typing import Any

import pytest

from support.problems import problem_of
from support.service import OwnerFixture

LATER = "2099-01-01T09:00:00Z"
CONTRADICTIONS = [
    ({"publishNow": True, "scheduledFor": LATER}, {"/publishNow", "/scheduledFor"}),
    ({"queue": True, "scheduledFor": LATER}, {"/queue", "/scheduledFor"}),
    ({"queue": True, "publishNow": True}, {"/queue", "/publishNow"}),
    ({"draft": True, "publishNow": True}, {"/draft", "/publishNow"}),
    ({"draft": True, "queue": True}, {"/draft", "/queue"}),
    ({"draft": True, "queue": True, "scheduledFor": LATER}, {"/draft", "/queue", "/scheduledFor"}),
]


def post(owner: OwnerFixture, **fields: Any) -> dict[str, Any]:
    return {"profileId": owner.profile_id, "content": "Bread", **fields}


@pytest.mark.parametrize(("fields", "pointers"), CONTRADICTIONS)
def test_what_contradicts_itself_is_refused_with_all_that_does(
    lasting_owner: OwnerFixture, fields: dict[str, Any], pointers: set[str]
) -> None:
    before = lasting_owner.session.get("/posts").json()["data"]
    problem = problem_of(lasting_owner.session.post("/posts", json=post(lasting_owner, **fields)), 422, "invalid")
    assert {fault["pointer"] for fault in problem["errors"]} == pointers
    assert {fault["code"] for fault in problem["errors"]} == {"contradiction"}
    assert "Keep only one of them." in problem["detail"]
    assert lasting_owner.session.get("/posts").json()["data"] == before
    verdict = lasting_owner.session.post("/posts/validate", json=post(lasting_owner, **fields)).json()
    assert pointers <= {fault["pointer"] for fault in verdict["errors"]}


@pytest.mark.parametrize("field", ["publishNow", "draft"])
def test_the_queue_chooses_the_time_itself(lasting_owner: OwnerFixture, field: str) -> None:
    answer = lasting_owner.session.post("/queue", json=post(lasting_owner, **{field: True}))
    problem = problem_of(answer, 422, "invalid")
    assert [fault["pointer"] for fault in problem["errors"]] == [f"/{field}"]
    assert "POST /posts" in problem["detail"]


def test_a_draft_may_carry_the_time_that_it_is_meant_for(lasting_owner: OwnerFixture) -> None:
    created = lasting_owner.session.post("/posts", json=post(lasting_owner, draft=True, scheduledFor=LATER)).json()
    assert (created["status"], created["scheduledFor"]) == ("draft", LATER)
    changes = {"publishNow": True, "scheduledFor": LATER}
    problem_of(lasting_owner.session.patch(f"/posts/{created['id']}", json=changes), 422, "invalid")
    assert lasting_owner.session.get(f"/posts/{created['id']}").json()["status"] == "draft"
