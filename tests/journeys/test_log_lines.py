"""What processes write to their outputs where logs are JSON: nothing else, and who asked for what."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from journeys.commands import Running, started
from support.postgres import new_database
from support.processes import free_port, migrate
from support.waiting import eventually

PASSWORD = "a long enough password"


def lines_of(running: Running, event: str) -> list[dict[str, Any]]:
    """Read whole lines of the log, each of which must be JSON."""
    whole = running.err.rpartition("\n")[0].splitlines()
    return [message for message in map(json.loads, whole) if message["event"] == event]


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Running]:
    settings = {"data_dir": tmp_path / "data", "port": 0, "log_format": "json", "signup": "open"}
    with started(tmp_path, "serve", **settings) as running:
        yield running


def test_where_logs_are_json_a_start_writes_nothing_else(serving: Running) -> None:
    [payload] = eventually(lambda: lines_of(serving, "started") or None, "the line of the start")
    assert httpx.get(f"{payload['url']}/health").status_code == 200
    assert payload["sandbox"].startswith("http://")
    assert serving.out == ""


def test_lines_of_requests_say_who_asked(serving: Running) -> None:
    [payload] = eventually(lambda: lines_of(serving, "started") or None, "the line of the start")
    with httpx.Client(base_url=payload["url"], timeout=60) as client:
        opened = client.post("/auth/register", json={"email": "a@example.com", "password": PASSWORD}).json()
        session = {"Authorization": f"Bearer {opened['token']}"}
        created = client.post(
            "/api-keys", json={"name": "x", "scope": "all", "permission": "read"}, headers=session
        ).json()
        key = {"Authorization": f"Bearer {created['key']}"}
        assert client.get("/profiles", headers=key).status_code == 200
        # One that is refused is named too.
        assert client.post("/profiles", json={"name": "x"}, headers=key).status_code == 403
        assert client.get("/health").status_code == 200
    owner_id = opened["owner"]["id"]

    def function(method: str, route: str) -> dict[str, Any] | None:
        result = [item for item in lines_of(serving, "request") if (item["method"], item["route"]) == (method, route)]
        return result[-1] if result else None

    for method in ("GET", "POST"):
        line = eventually(partial(function, method, "/profiles"), f"the line of {method}")
        assert (line["owner_id"], line["key_id"]) == (owner_id, created["id"])
    line = eventually(lambda: function("POST", "/api-keys"), "the line of a session")
    assert line["owner_id"] == owner_id
    assert line["session_id"].startswith("ses")
    assert "key_id" not in line
    assert "owner_id" not in eventually(lambda: function("GET", "/health"), "the line of nobody")
    assert opened["token"] not in serving.err
    assert created["key"] not in serving.err


def test_a_worker_says_that_it_has_started(postgres_url: str, tmp_path: Path) -> None:
    settings: dict[str, object] = {"data_dir": tmp_path / "data", "database_url": new_database(postgres_url)}
    migrate(settings)
    with started(tmp_path, "work", **settings, log_format="json", metrics_port=free_port()) as running:
        [payload] = eventually(lambda: lines_of(running, "worker_started") or None, "the line of the start")
        assert payload["database"] == "PostgreSQL"
        assert payload["worker_id"].startswith("wrk_")
        assert running.out == ""
