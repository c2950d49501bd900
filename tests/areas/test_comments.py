"""Comments through the API: a person writes in the sandbox, the account answers, hides and deletes, nothing twice."""

from io import BytesIO
from typing import Any
from uuid import uuid4

import httpx
import pytest
from PIL import Image

from support.connections import connect_accounts
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture
from support.waiting import eventually

# Of the places of this person one is not verified yet, and Google shows no reviews of it.
VERIFIED = "15283746510293847001"
PLATFORMS = {"facebook_page": "meta", "instagram": "meta", "threads": "threads"}
KINDS = pytest.mark.parametrize("kind", PLATFORMS)


class Corner:
    """An account with a post of its own, and what is said under it."""

    def __init__(self, sandbox: Sandbox, owner: OwnerFixture, kind: str) -> None:
        self.sandbox, self.owner, self.platform = sandbox, owner, PLATFORMS[kind]
        connect_accounts(sandbox, owner, self.platform)
        self.account_id = account_of(owner, kind)
        self.path = f"/accounts/{self.account_id}/comments"
        self.post = self._published(kind)
        self.object_id = self.post["targets"][0]["platformPostId"]

    def _published(self, kind: str) -> dict[str, Any]:
        body: dict[str, Any] = {"profileId": self.owner.profile_id, "content": f"Bread {uuid4().hex}"}
        if kind == "instagram":
            body["media"] = [{"mediaId": self.owner.session.post("/upload", content=picture()).json()["id"]}]
        response = self.owner.session.post("/posts", json={**body, "targets": [{"accountId": self.account_id}]})
        assert response.status_code == 202, response.text
        path = f"/posts/{response.json()['id']}"
        eventually(lambda: self.owner.session.get(path).json()["status"] == "published")
        result: dict[str, Any] = self.owner.session.get(path).json()
        return result

    def said(self, text: str) -> str:
        """Have a person write something under the post."""
        ordered = self.sandbox.control("comment", platform=self.platform, objectId=self.object_id, text=text)
        return str(ordered["id"])

    def listed(self, **query: Any) -> list[dict[str, Any]]:
        answer = self.owner.session.get(self.path, params={"postId": self.post["id"], **query})
        assert answer.status_code == 200, answer.text
        return list(answer.json()["data"])

    def write(self, key: str | None = None, **body: Any) -> httpx.Response:
        headers = {"Idempotency-Key": key or uuid4().hex}
        return self.owner.session.post(self.path, json=body, headers=headers)

    def texts(self) -> list[str]:
        """List everything that is said under the post, by whomever."""
        return [item["text"] for comment in self.listed() for item in (comment, *comment["replies"])]


def account_of(owner: OwnerFixture, kind: str) -> str:
    rows = owner.session.get("/accounts").json()["data"]
    return str(next(row["id"] for row in rows if row["kind"] == kind))


def picture() -> bytes:
    bytes_io = BytesIO()
    Image.new("RGB", (640, 640), "teal").save(bytes_io, "JPEG")
    return bytes_io.getvalue()


@KINDS
def test_a_comment_is_answered_hidden_and_deleted(owner: OwnerFixture, sandbox: Sandbox, kind: str) -> None:
    corner = Corner(sandbox, owner, kind)
    comment_id = corner.said("Do you ship to Recife?")
    (comment,) = corner.listed()
    assert (comment["id"], comment["text"], comment["own"]) == (comment_id, "Do you ship to Recife?", False)
    assert comment["canReply"]
    answer = corner.write(postId=corner.post["id"], parentId=comment_id, text="Yes, we do.")
    assert answer.status_code == 201, answer.text
    reply = answer.json()
    assert (reply["text"], reply["own"], reply["parentId"]) == ("Yes, we do.", True, comment_id)
    assert sorted(corner.texts()) == ["Do you ship to Recife?", "Yes, we do."]

    hidden = owner.session.post(f"{corner.path}/hide", json={"commentId": comment_id})
    assert hidden.json() == {"id": comment_id, "accountId": corner.account_id, "hidden": True}
    assert next(item for item in corner.listed() if item["id"] == comment_id)["hidden"]
    shown = owner.session.post(f"{corner.path}/hide", json={"commentId": comment_id, "hidden": False})
    assert shown.json()["hidden"] is False

    deleted = owner.session.delete(f"{corner.path}/{reply['id']}")
    assert deleted.json() == {"id": reply["id"], "accountId": corner.account_id, "deleted": True}
    assert corner.texts() == ["Do you ship to Recife?"]
    problem_of(owner.session.delete(f"{corner.path}/{reply['id']}"), 404, "platform_not_found")
    done = owner.session.get("/operations", params={"accountId": corner.account_id}).json()["data"]
    assert [item["operation"] for item in reversed(done)][:3] == ["comments.create", "comments.hide", "comments.hide"]
    assert "Yes, we do." not in str(done)


def test_a_lost_comment_is_not_taken_for_an_earlier_one_with_the_same_words(
    owner: OwnerFixture, sandbox: Sandbox
) -> None:
    corner = Corner(sandbox, owner, "facebook_page")
    body = {"postId": corner.post["id"], "text": f"Thanks {uuid4().hex}"}
    assert corner.write(**body).status_code == 201
    sandbox.control("fail", platform="meta", path="*/comments", method="POST", status=500)
    problem_of(corner.write(**body), 502, "outcome_unknown")
    assert corner.texts() == [body["text"]]


@KINDS
def test_an_answer_that_is_lost_makes_no_second_comment(owner: OwnerFixture, sandbox: Sandbox, kind: str) -> None:
    corner = Corner(sandbox, owner, kind)
    path = "*/threads_publish" if kind == "threads" else "*/comments"
    sandbox.control("fail", platform=corner.platform, path=path, method="POST", when="after")
    body = {"postId": corner.object_id, "text": f"Thanks {uuid4().hex}"}
    first = corner.write("lost", **body)
    assert first.status_code == 201, first.text
    again = corner.write("lost", **body)
    assert (again.status_code, again.json()) == (201, first.json())
    assert corner.texts() == [body["text"]]


def test_pages_of_comments_follow_each_other(owner: OwnerFixture, sandbox: Sandbox) -> None:
    corner = Corner(sandbox, owner, "facebook_page")
    for number in range(3):
        corner.said(f"Comment {number}")
    query = {"postId": corner.post["id"], "limit": 2}
    first = owner.session.get(corner.path, params=query).json()
    second = owner.session.get(corner.path, params={**query, "cursor": first["nextCursor"]}).json()
    assert [item["text"] for item in first["data"] + second["data"]] == ["Comment 2", "Comment 1", "Comment 0"]
    assert second["nextCursor"] is None
    other = Corner(sandbox, owner, "facebook_page")
    elsewhere = {**query, "postId": other.post["id"], "cursor": first["nextCursor"]}
    assert fault_of(owner.session.get(corner.path, params=elsewhere)) == ("?cursor", "invalid_cursor")


def test_reviews_are_listed_and_answered(owner: OwnerFixture, sandbox: Sandbox) -> None:
    connect_accounts(sandbox, owner, "google")
    rows = owner.session.get("/accounts").json()["data"]
    place = next(row for row in rows if row["platformAccountId"].endswith(VERIFIED))
    path = f"/accounts/{place['id']}/comments"
    sandbox.control("review", platform="google", account=VERIFIED, stars=2, text="Too salty", person="elif")
    listed = owner.session.get(path)
    assert listed.status_code == 200, listed.text
    review = next(item for item in listed.json()["data"] if item["text"] == "Too salty")
    assert (review["rating"], review["canHide"], review["canDelete"]) == (2, False, False)
    reply = owner.session.post(path, json={"parentId": review["id"], "text": "Sorry, come again."})
    assert reply.status_code == 201, reply.text
    review = next(item for item in owner.session.get(path).json()["data"] if item["id"] == review["id"])
    assert [item["text"] for item in review["replies"]] == ["Sorry, come again."]
    assert owner.session.delete(f"{path}/{reply.json()['id']}").status_code == 200
    problem_of(owner.session.post(f"{path}/hide", json={"commentId": review["id"]}), 422, "not_supported")


def test_what_has_no_comments_names_those_that_have(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account,) = connect_accounts(sandbox, owner, "tiktok")
    problem = problem_of(owner.session.get(f"/accounts/{account}/comments"), 422, "not_supported")
    assert "Instagram" in problem["detail"]
    assert "YouTube" in problem["detail"]


def test_wrong_requests_say_what_to_do(owner: OwnerFixture, other_owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account,) = connect_accounts(sandbox, owner, "threads")
    path = f"/accounts/{account}/comments"
    assert fault_of(owner.session.get(path)) == ("?postId", "required")
    assert fault_of(owner.session.post(path, json={"text": "Hi"})) == ("/postId", "required")
    unknown = "post_01h455vb4pex5vsknk084sn02q"
    problem_of(owner.session.get(path, params={"postId": unknown}), 404, "not_found")
    problem_of(owner.session.get(path, params={"postId": "../me"}), 404, "platform_not_found")
    assert fault_of(owner.session.post(path, json={"postId": "1", "text": "x" * 501})) == ("/text", "too_long")
    media = {"postId": "1", "text": "Hi", "mediaId": "med_01h455vb4pex5vsknk084sn02q"}
    assert fault_of(owner.session.post(path, json=media)) == ("/mediaId", "not_found")
    problem_of(other_owner.session.get(path, params={"postId": "1"}), 404, "not_found")
    problem_of(owner.key(permission="read").post(path, json={"postId": "1", "text": "Hi"}), 403, "read_only_key")
