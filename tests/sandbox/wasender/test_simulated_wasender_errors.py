"""Every failure that can be ordered has WaSender's shape."""

import pytest

from sandbox.wasender.client import TOKENS, WaSender
from socialgate_sandbox.vendors.wasender.errors import ERRORS
from socialgate_sandbox.vendors.wasender.seed import LINKED_KEY


@pytest.mark.parametrize("name", ERRORS)
def test_a_failure_by_name(wasender: WaSender, name: str) -> None:
    wasender.running.control("fail", platform="wasender", error=name)
    answer = wasender.send("GET", "status", LINKED_KEY)
    assert answer.is_error
    body = answer.json()
    assert body["message"]
    assert set(body) <= {"success", "message", "errors", "retry_after"}
    assert body.get("success", False) is False
    assert ("retry_after" in body) == (answer.status_code == 429)
    assert ("errors" in body) == (answer.status_code == 422)
    assert wasender.send("GET", "status", LINKED_KEY).status_code == 200


def test_a_failure_can_be_aimed(wasender: WaSender) -> None:
    wasender.running.control("fail", platform="wasender", error="internal_error", account="bram")
    assert wasender.call("GET", "whatsapp-sessions") == []
    assert wasender.refused("GET", "whatsapp-sessions", TOKENS["bram"]) == (500, "Server Error")


def test_unknown_paths_and_bodies(wasender: WaSender) -> None:
    assert wasender.refused("GET", "nonsense") == (404, "The route api/nonsense could not be found.")
    headers = {"content-type": "application/json", "authorization": f"Bearer {TOKENS['ada']}"}
    url = "/wasender/api/whatsapp-sessions"
    assert wasender.running.client.post(url, content=b"{", headers=headers).status_code == 422
