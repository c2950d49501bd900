"""What `POST` and `PATCH` of a post answer is what `GET` shows, without reading it back from the database."""

from collections.abc import Iterator
from typing import Any

import pytest

from support.connections import connect_accounts
from support.database import record_statements
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService

pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service without a worker, whose statements are those of the requests of this test."""
    with start_service(worker="separate") as own:
        yield own


@pytest.fixture
def owner(running: RunningService) -> OwnerFixture:
    return running.new_owner()


@pytest.fixture
def body(running: RunningService, owner: OwnerFixture) -> dict[str, Any]:
    with Sandbox(running) as sandbox:
        [account_id, *_] = connect_accounts(sandbox, owner, "threads")
    media = owner.session.post("/upload", content=b"%PDF-1.4 bread").json()
    return {
        "profileId": owner.profile_id,
        "content": "Fresh bread",
        "media": [{"mediaId": media["id"], "alt": "A loaf"}],
        "targets": [{"accountId": account_id, "content": "Bread", "media": []}],
        "metadata": {"campaign": {"id": 7, "share": 0.5}, "tags": ["a", None]},
        "firstComment": "Open from seven",
    }


TIMES: list[dict[str, Any]] = [
    {"scheduledFor": "2099-01-01T09:00:00.123456789+02:00"},
    {"scheduledFor": "2099-07-01T09:00", "timezone": "Europe/London"},
    {"draft": True, "scheduledFor": "2099-01-01T09:00:00+05:30"},
    {"draft": True},
    {"publishNow": True},
    {},
]


def rows_read(texts: list[str]) -> list[str]:
    """Pick the statements that read posts or targets as a whole."""
    return [text for text in texts if text.startswith("SELECT") and ("posts.content" in text or ".attempts" in text)]


@pytest.mark.one_engine
@pytest.mark.parametrize("when", TIMES)
def test_a_new_post_is_shown_as_it_is_stored_and_not_read_back(
    running: RunningService, owner: OwnerFixture, body: dict[str, Any], when: dict[str, Any]
) -> None:
    with record_statements(running) as texts:
        response = owner.session.post("/posts", json={**body, **when})
    assert response.status_code in {201, 202}, response.text
    assert sum(text.startswith(("INSERT INTO posts", "INSERT INTO post_targets")) for text in texts) == 2
    assert rows_read(texts) == []
    assert owner.session.get(f"/posts/{response.json()['id']}").json() == response.json()


def test_a_changed_post_is_shown_as_it_is_stored_and_read_once(
    running: RunningService, owner: OwnerFixture, body: dict[str, Any]
) -> None:
    post_id = owner.session.post("/posts", json={**body, "draft": True}).json()["id"]
    changes = {"content": "Fresher bread", "scheduledFor": "2099-01-01T09:00:00-03:00", "metadata": {"a": 1.5}}
    before = owner.session.get(f"/posts/{post_id}").json()
    with record_statements(running) as texts:
        changed = owner.session.patch(f"/posts/{post_id}", json=changes)
    assert changed.status_code == 200, changed.text
    assert changed.json()["updatedAt"] > before["updatedAt"]
    # Both are read before they are changed: to see who may, outside of the transaction, and once more under its lock.
    assert len(rows_read(texts)) == 4
    assert owner.session.get(f"/posts/{post_id}").json() == changed.json()
