"""The https receiver of hooks."""

import hmac
import ssl
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from standardwebhooks import Webhook

from sandbox.tiny import TINY
from support.simulation import RunningSandbox, running_sandbox

SECRET = "whsec_" + b64encode(b"s" * 32).decode()
BODY = b'{"event":"webhook.test"}'


@pytest.fixture
def hooks(sandbox: RunningSandbox) -> Iterator[httpx.Client]:
    trust = ssl.create_default_context(cafile=str(sandbox.ca_file))
    with httpx.Client(base_url=sandbox.receiver_url, verify=trust, timeout=30) as client:
        yield client


def signed(secret: str, body: bytes = BODY) -> dict[str, str]:
    now = datetime.now(UTC)
    return {
        "x-service-signature": "sha256=" + hmac.digest(secret.encode(), body, "sha256").hex(),
        "x-service-event": "webhook.test",
        "webhook-id": "evt_1",
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(secret).sign("evt_1", now, body.decode()),
    }


def verdicts(sandbox: RunningSandbox) -> list[str]:
    return [delivery["signature"] for delivery in sandbox.look("receiver")["data"]]


def test_a_signature_is_checked_against_the_secret(sandbox: RunningSandbox, hooks: httpx.Client) -> None:
    assert hooks.post("/any/path?x=1", content=BODY, headers=signed(SECRET)).status_code == 200
    sandbox.control("receiver", secret=SECRET)
    other = "whsec_" + b64encode(b"t" * 32).decode()
    half = signed(SECRET) | {"webhook-signature": signed(other)["webhook-signature"]}
    two = signed(SECRET) | {
        "webhook-signature": f"{signed(other)['webhook-signature']} {signed(SECRET)['webhook-signature']}"
    }
    for headers in (signed(SECRET), signed(other), half, two, {}):
        hooks.post("/", content=BODY, headers=headers)
    hooks.post("/", content=BODY + b" ", headers=signed(SECRET))
    assert verdicts(sandbox) == ["invalid", "invalid", "valid", "invalid", "invalid", "valid", "unknown"]


def test_what_came_is_listed_as_it_came(sandbox: RunningSandbox, hooks: httpx.Client) -> None:
    hooks.post("/a", content=BODY, headers=signed(SECRET))
    hooks.post("/b", content=b"\xff")
    (delivery,) = sandbox.look("receiver", path="/a")["data"]
    assert (delivery["body"], delivery["headers"]["x-service-event"]) == (BODY.decode(), "webhook.test")
    assert len(sandbox.look("receiver")["data"]) == 2
    sandbox.client.delete("/_control/receiver")
    assert sandbox.look("receiver") == {"data": [], "rules": []}


def test_a_plain_secret_is_a_key_too(sandbox: RunningSandbox, hooks: httpx.Client) -> None:
    plain = "a plain secret of the customer"
    sandbox.control("receiver", secret=plain)
    headers = signed("whsec_" + b64encode(plain.encode()).decode())
    headers["x-service-signature"] = "sha256=" + hmac.digest(plain.encode(), BODY, "sha256").hex()
    hooks.post("/", content=BODY, headers=headers)
    assert verdicts(sandbox) == ["valid"]


@pytest.mark.parametrize("status", [410, 429, 500])
def test_it_answers_as_it_is_told_and_so_many_times(sandbox: RunningSandbox, hooks: httpx.Client, status: int) -> None:
    sandbox.control("receiver", answer=status, times=2, retryAfter=7)
    answers = [hooks.post("/", content=BODY) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [status, status, 200]
    assert [answer.headers.get("retry-after") for answer in answers] == ["7", "7", None]


def test_a_path_has_rules_of_its_own(sandbox: RunningSandbox, hooks: httpx.Client) -> None:
    # Without its slash, a path would never match.
    sandbox.control("receiver", path="broken", answer=500)
    assert [hooks.post(path).status_code for path in ("/broken", "/well")] == [500, 200]
    assert sandbox.look("receiver")["rules"] == [
        {"path": "/broken", "secretSet": False, "answer": 500, "times": None, "retryAfter": None}
    ]


def test_it_can_hang_and_still_be_ended(sandbox: RunningSandbox, hooks: httpx.Client) -> None:
    sandbox.control("receiver", answer="hang")
    with pytest.raises(httpx.ReadTimeout):
        hooks.post("/", content=BODY, timeout=0.2)
    assert [delivery["answer"] for delivery in sandbox.look("receiver")["data"]] == ["hang"]


def test_only_a_post_is_a_hook(hooks: httpx.Client) -> None:
    answer = hooks.get("/")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_its_certificate_is_made_once(tmp_path: Path) -> None:
    datas = []
    for _ in range(2):
        with running_sandbox(tmp_path, [TINY]) as sandbox:
            datas.append(sandbox.ca_file.read_bytes())
            key = tmp_path / "sandbox-receiver.pem"
            assert key.stat().st_mode & 0o077 == 0
    assert datas[0] == datas[1]
