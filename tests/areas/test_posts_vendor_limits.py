"""What a platform would refuse is said before a post is taken, also if it depends on what the account has granted."""

from collections.abc import Iterator
from typing import Any

import pytest

from support.connections import connect_accounts
from support.problems import problem_of
from support.sandbox import Connection, Sandbox
from support.service import OwnerFixture, RunningService, StartService

PLACE = "104857600000102"
TAGGING = "threads_location_tagging"
SIX = [f"https://bakery.example/{number}" for number in range(6)]


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox


@pytest.fixture
def baker(running: RunningService) -> OwnerFixture:
    return running.new_owner()


def faults(owner: OwnerFixture, account: str, content: str, **options: Any) -> list[tuple[str, str]]:
    """Give what is wrong with a post, which is refused for the same reasons as it is judged."""
    body = {
        "profileId": owner.profile_id,
        "content": content,
        "targets": [{"accountId": account, "options": options}],
        "scheduledFor": "2099-01-01T00:00:00Z",
    }
    verdict = owner.session.post("/posts/validate", json=body).json()
    answer = owner.session.post("/posts", json=body)
    if verdict["valid"]:
        assert answer.status_code == 201, answer.text
        return []
    assert problem_of(answer, 422, "invalid")["errors"] == verdict["errors"]
    return [(item["pointer"], item["code"]) for item in verdict["errors"]]


def test_a_post_on_threads_has_up_to_five_different_links(sandbox: Sandbox, baker: OwnerFixture) -> None:
    (account,) = connect_accounts(sandbox, baker, "threads")
    too_many = [("/targets/0/content", "too_many")]
    assert faults(baker, account, " ".join(SIX)) == too_many
    assert faults(baker, account, "www.a.example www.b.example " + " ".join(SIX[:4])) == too_many
    five = " ".join(SIX[:5])
    assert faults(baker, account, five, linkAttachment="https://other.example/") == too_many
    attachment = {"plaintext": "More", "linkAttachmentUrl": "https://other.example/"}
    assert faults(baker, account, five, textAttachment=attachment) == too_many
    assert faults(baker, account, "Bread", thread=["Then", " ".join(SIX)]) == [
        ("/targets/0/options/thread/1", "too_many")
    ]
    # The same link again is not another one, wherever it stands.
    assert faults(baker, account, f"{five} ({SIX[0]}). {SIX[0]}", linkAttachment=SIX[1]) == []


def test_a_comment_on_threads_has_as_many_links_as_a_post(sandbox: Sandbox, baker: OwnerFixture) -> None:
    (account,) = connect_accounts(sandbox, baker, "threads")
    reply = {"postId": "18000000000000001", "text": " ".join(SIX)}
    problem = problem_of(baker.session.post(f"/accounts/{account}/comments", json=reply), 422)
    assert [(item["pointer"], item["code"]) for item in problem["errors"]] == [("/text", "too_many")]


def test_a_place_on_threads_needs_its_own_permission(sandbox: Sandbox, baker: OwnerFixture) -> None:
    connection = Connection(sandbox, baker, "threads")
    assert TAGGING in connection.auth_url
    # As an account that was connected before this permission was requested.
    before = ["threads_basic", "threads_content_publish"]
    assert connection.finish(scopes=before).status_code == 200
    account = baker.session.get("/accounts").json()["data"][0]["id"]
    health = baker.session.get("/accounts/health", params={"refresh": "true"}).json()["data"][0]
    assert health["can"]["tagLocation"] is False
    assert TAGGING in health["permissions"]["missing"]
    assert "econnect" in next(item["fix"] for item in health["issues"] if item["code"] == "permission_missing")
    assert faults(baker, account, "Bread", locationId=PLACE) == [
        ("/targets/0/options/locationId", "permission_missing")
    ]
    assert faults(baker, account, "Bread") == []
    # Reconnecting grants it.
    assert connect_accounts(sandbox, baker, "threads") == [account]
    baker.session.get("/accounts/health", params={"refresh": "true"})
    assert faults(baker, account, "Bread", locationId=PLACE) == []


def test_instagram_invites_up_to_three_collaborators(sandbox: Sandbox, baker: OwnerFixture) -> None:
    connect_accounts(sandbox, baker, "meta")
    account = next(item for item in baker.session.get("/accounts").json()["data"] if item["kind"] == "instagram")
    names = ["ada", "bram", "cleo", "dora"]
    result = faults(baker, account["id"], "Bread", collaborators=names)
    assert ("/targets/0/options/collaborators", "invalid_option") in result
    result = faults(baker, account["id"], "Bread", collaborators=names[:3])
    assert "/targets/0/options/collaborators" not in dict(result)
