"""Typos: an error names the field, suggests what was probably meant, and lists what is allowed."""

from typing import Any

import pytest

from support.factories import account_on
from support.problems import problem_of
from support.service import OwnerFixture


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("/api-keys", {"name": "Shop"}, "scope is required. Use one of: all, profiles."),
        (
            "/profiles",
            {"name": "Bakery", "timezone": "Europe/Stokholm"},
            "`Europe/Stokholm` is not an IANA time zone. Did you mean Europe/Stockholm?",
        ),
        ("/profiles", {"name": "Bakery", "timezone": "Nowhere"}, "Use one such as Europe/London."),
        ("/hooks", {"url": "https://example.com", "events": ["message.recieved"]}, "Did you mean message.received?"),
        (
            "/automations",
            {"name": "A", "trigger": {"type": "message.received"}, "actions": [{"type": "repply"}]},
            "There is no action `repply`. Did you mean reply?",
        ),
    ],
)
def test_what_was_meant_is_suggested(owner: OwnerFixture, path: str, body: dict[str, Any], words: str) -> None:
    own = {"profileId": owner.profile_id} if path == "/automations" else {}
    problem = problem_of(owner.session.post(path, json={**own, **body}), 422)
    assert words in str(problem["errors"]), problem


def test_a_platform_and_a_metric_are_suggested(owner: OwnerFixture) -> None:
    missing = owner.session.get("/connect/thread", params={"profileId": owner.profile_id})
    detail = problem_of(missing, 404, "not_found")["detail"]
    assert detail.startswith("No platform with this name connects by redirect. Did you mean threads? Use one of: ")
    account = account_on(owner, "threads")
    wrong = owner.session.get(f"/accounts/{account}/insights", params={"metrics": "vews"})
    (fault,) = problem_of(wrong, 422)["errors"]
    assert fault["detail"].startswith("Unknown metric: vews. Did you mean views? Metrics of this kind: ")
    assert "watchTime" not in fault["detail"]


def test_days_are_listed_in_their_order(owner: OwnerFixture) -> None:
    wrong = owner.session.post("/queue/slots", json={"weekday": "mon", "time": "09:00"})
    faults = problem_of(wrong, 422)["errors"]
    assert "monday, tuesday, wednesday, thursday, friday, saturday or sunday" in str(faults)


def test_people_read_pages_where_nothing_is_and_documents_ignore_parameters(owner: OwnerFixture) -> None:
    client = owner.running.client()
    for path in ("/nothing", "/docs/errors/nope"):
        shown = client.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
        assert (shown.status_code, shown.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert "<h1>Not found</h1>" in shown.text
        problem_of(client.get(path), 404, "not_found")
    for path in ("/llms.txt", "/llms-full.txt", "/llms/posts.txt", "/openapi.json", "/docs"):
        assert client.get(path, params={"utm": "1"}).status_code == 200, path
