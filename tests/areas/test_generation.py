"""Generating texts, images and audio: as a task, with results that posts can use."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from support.sandbox import Sandbox
from support.service import OwnerOf, RunningService


@pytest.fixture
def sandbox(service: RunningService) -> Iterator[Sandbox]:
    with Sandbox(service) as found:
        yield found
        found.http.delete("/_control/fail")


def begin(client: httpx.Client, what: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/ai/generate-{what}", json=body)
    assert answer.status_code == 202, answer.text
    made: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"/ai/generate/{made['id']}"
    return made


def ended(client: httpx.Client, made: dict[str, Any]) -> dict[str, Any]:
    while True:
        answer = client.get(f"/ai/generate/{made['id']}", params={"wait": 30})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        if found["finishedAt"]:
            return found


def generated(client: httpx.Client, what: str, **body: Any) -> dict[str, Any]:
    found = ended(client, begin(client, what, **body))
    assert found["status"] == "succeeded", found
    return found


def test_models_say_what_they_are_for(owner: OwnerOf) -> None:
    listed = owner.session.get("/ai/models").json()
    assert listed["nextCursor"] is None
    models = {one["id"]: one for one in listed["data"]}
    print(models)
    assert {one["provider"] for one in models.values()} == {"openai"}


def test_a_text_is_written(owner: OwnerOf) -> None:
    print(generated(owner.session, "copy", prompt="Announce our rye bread", kinds=["threads"], variants=2))
    print(generated(owner.session, "image", prompt="A loaf of bread", count=2))
    print(generated(owner.session, "audio", text="Hello"))
    print(generated(owner.session, "video", prompt="Bread", seconds=4))
