"""On a full disk everything can still be read, and the health says which disk it is."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from support.full_disk import full_disk
from support.problems import problem_of
from support.service import RunningService, StartService, running_service
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

LISTS = ("/profiles", "/accounts", "/posts", "/media", "/hooks", "/events", "/tasks", "/automations", "/usage")


@pytest.fixture
def running(start_service: StartService) -> Iterator[RunningService]:
    # With a limit, which is counted in the database.
    with start_service(rate_limit=1000) as own:
        yield own


def check_of(running: RunningService, name: str) -> dict[str, Any]:
    answer = running.client().get("/health")
    assert answer.status_code == 200, "it can still be read, so the process serves"
    result: dict[str, Any] = answer.json()["checks"][name]
    return result


def test_reading_works_on_a_full_disk_and_writing_says_what_is_full(running: RunningService) -> None:
    owner = running.new_owner()
    key = owner.key()
    with full_disk(running):
        # By then both credentials would be noted as used again, and the rate limit has a new window.
        running.clock.offset += timedelta(minutes=5)
        for client in (owner.session, key):
            for path in LISTS:
                answer = client.get(path)
                assert answer.status_code == 200, f"{path}: {answer.text}"
                assert answer.headers["ratelimit-policy"] == '"default";q=1000;w=60'
        assert key.get("/openapi.json").status_code == 200
        refused = problem_of(key.post("/profiles", json={"name": "x"}), 503, "storage_full")
        assert "disk of the database is full" in refused["detail"]
        assert refused["retryAfter"] >= 1
        result = eventually(lambda: (result := check_of(running, "database"))["status"] == "degraded" and result)
        assert "disk of the database is full" in result["detail"]
    assert key.post("/profiles", json={"name": "There is room again"}).status_code == 201
    eventually(lambda: check_of(running, "database")["status"] == "ok")


def test_the_limit_still_holds_on_a_full_disk(start_service: StartService) -> None:
    with start_service(rate_limit=10) as running:
        owner = running.new_owner()
        with full_disk(running):
            running.clock.stop()
            statuses = [owner.session.get("/profiles").status_code for _ in range(12)]
        assert statuses == [200] * 10 + [429] * 2


@pytest.mark.one_engine
def test_media_files_without_room_are_named(tmp_path: Path) -> None:
    with running_service(tmp_path, storage_reserve_gib=2.0**30) as running:
        result = check_of(running, "storage")
        assert result["status"] == "degraded"
        assert "free on the disk of the media files, so uploads are rejected" in result["detail"]
        assert check_of(running, "database")["status"] == "ok"
        refused = problem_of(running.new_owner().session.post("/upload", content=b"1"), 503, "storage_full")
        assert "disk of the media files" in refused["detail"]
