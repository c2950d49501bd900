"""The export of everything that an owner has."""

import json
from collections import Counter
from typing import Any

from console.browser import Browser, location
from support.connections import connect_accounts
from support.factories import FACTORIES
from support.sandbox import Sandbox
from support.service import OwnerFixture

PATH = "/console/settings/export"


def export(browser: Browser) -> list[dict[str, Any]]:
    answer = browser.get(PATH)
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == 'attachment; filename="socialgate-data.jsonl"'
    assert answer.headers["cache-control"] == "no-store"
    return [json.loads(line) for line in answer.text.splitlines()]


def test_everything_of_the_owner_is_in_one_file(
    owner: OwnerFixture, other_owner: OwnerFixture, browser: Browser, sandbox: Sandbox
) -> None:
    connect_accounts(sandbox, owner, "tiktokads")
    key = owner.key_value(name="Importer")
    for name in ("postId", "mediaId", "conversationId", "automationId", "leadId"):
        FACTORIES[name](owner)
    secret = owner.session.post("/hooks", json={"url": "https://127.0.0.1:9/in", "events": ["lead.received"]}).json()[
        "secret"
    ]
    other_owner.key_value(name="Somebody else")
    lines = export(browser)
    counts = Counter(line["type"] for line in lines)
    assert counts["post"] == len(owner.session.get("/posts", params={"limit": 100}).json()["data"])
    assert counts["account"] == len(owner.session.get("/accounts", params={"limit": 100}).json()["data"])
    for kind in ("me", "profile", "adAccount", "media", "conversation", "message", "automation", "lead", "hook"):
        assert counts[kind] >= 1, kind
    assert counts["incomplete"] == 0
    # The objects are those of the API.
    (shown,) = owner.session.get("/api-keys").json()["data"]
    assert [line["data"] for line in lines if line["type"] == "apiKey"] == [shown]
    text = json.dumps(lines)
    assert (key in text, secret in text, "Somebody else" in text) == (False, False, False)
    assert PATH in browser.get("/console/settings").text


def test_what_is_stored_is_in_it_also_if_a_platform_does_not_answer(
    owner: OwnerFixture, browser: Browser, sandbox: Sandbox
) -> None:
    FACTORIES["conversationId"](owner)
    sandbox.control("fail", platform="meta", path="*", status=500, times=50)
    try:
        lines = export(browser)
    finally:
        sandbox.http.delete("/_control/fail")
    assert [line["data"]["text"] for line in lines if line["type"] == "message"] == ["Hello"]


def test_strangers_get_nothing(owner: OwnerFixture) -> None:
    assert location(Browser(owner.running).get(PATH)).startswith("/console/login")
