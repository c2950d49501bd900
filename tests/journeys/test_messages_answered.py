"""A conversation on every kind of account, from the person's first word to the ticks under the answer.

What a customer sees of it: a signed delivery on a hook, the answer in the person's chat, and how far it has come; a day
later free text is refused where the platform would refuse it.
"""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest

from support.connections import connect_accounts, session_of
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

SECRET = "a secret of my own, 1234"
LATER = timedelta(hours=25)
# For each kind its platform, the ticks that it reports, and who Dario is in a delivery.
KINDS = {
    "facebook_page": ("meta", ["delivered", "read"], str.isdecimal),
    "instagram": ("meta", ["read"], str.isdecimal),
    "telegram_bot": ("telegram", [], "5200000004".__eq__),
    "whatsapp_cloud": ("whatsapp-cloud", ["delivered", "read"], lambda sender: sender.startswith("+")),
    "whatsapp_qr": ("wasender", ["delivered", "read"], lambda sender: sender.startswith("+")),
}
FIELDS = {"accountId", "from", "text", "msgId", "platform"}
BESIDE = {"name", "messageId", "kind", "conversationId", "type", "attachments", "receivedAt"}


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, because its clock is moved."""
    with start_service() as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox


class Counter:
    """An account behind which somebody answers, with a hook that hears of what people write."""

    def __init__(self, running: RunningService, sandbox: Sandbox, kind: str) -> None:
        self.running, self.sandbox, self.kind = running, sandbox, kind
        self.platform, self.ticks, self.is_dario = KINDS[kind]
        self.owner = OwnerFixture(running)
        connect_accounts(sandbox, self.owner, self.platform)
        rows = self.owner.session.get("/accounts").json()["data"]
        self.account = next(row for row in rows if row["kind"] == kind)
        self.path = f"/accounts/{self.account['id']}"
        number = self.account["platformAccountId"]
        self.there = session_of(sandbox, number) if kind == "whatsapp_qr" else number
        self.hook = self._hook()

    def _hook(self) -> str:
        path = f"/{self.owner.id}"
        url = f"https://127.0.0.1:{self.running.sandbox.receiver_port}{path}"
        body = {"url": url, "events": ["message.received"], "secret": SECRET}
        response = self.owner.session.post("/hooks", json=body)
        assert response.status_code == httpx.codes.CREATED, response.text
        self.sandbox.control("receiver", path=path, secret=SECRET)
        return path

    def as_dario(self, verb: str, **fields: Any) -> Any:
        """Do what a person does in their app."""
        return self.sandbox.control(verb, platform=self.platform, account=self.there, person="dario", **fields)

    def deliveries(self) -> list[dict[str, Any]]:
        return self.sandbox.listed("receiver", path=self.hook)

    def chat(self, text: str) -> list[dict[str, Any]]:
        """List what the person sees with these words."""
        chat = self.sandbox.listed("chat", platform=self.platform, account=self.there, person="dario")
        return [item for item in chat if item["text"] == text]

    def send(self, key: str | None = None, **body: Any) -> httpx.Response:
        headers = {"Idempotency-Key": key or uuid4().hex}

        def answered() -> httpx.Response | None:
            answer = self.owner.session.post(f"{self.path}/messages", json=body, headers=headers)
            return None if answer.status_code == httpx.codes.TOO_MANY_REQUESTS else answer

        return eventually(answered)

    def message(self, conversation: str, message_id: str) -> dict[str, Any]:
        result = self.owner.session.get(f"{self.path}/conversations/{conversation}").json()["messages"]["data"]
        return next(item for item in result if item["id"] == message_id)

    def states(self, text: str) -> tuple[str, str]:
        """Give the state of the message with these words, and that of the operation which sent it."""
        client = self.owner.session
        rows = client.get(f"{self.path}/conversations").json()["data"]
        pages = [client.get(f"{self.path}/conversations/{row['id']}").json()["messages"]["data"] for row in rows]
        (message,) = [item for page in pages for item in page if item["text"] == text]
        known = client.get("/operations", params={"limit": 200}).json()["data"]
        (operation,) = [item for item in known if item["request"].get("messageId") == message["id"]]
        return message["status"], operation["status"]

    def tick(self, value: str) -> None:
        """Let the answer come this far. WhatsApp itself does it with time, and others when a person acts."""
        if self.kind == "whatsapp_cloud" or (self.kind == "whatsapp_qr" and value == "delivered"):
            self.sandbox.control("clock", advance=10)
        else:
            self.as_dario("deliver" if value == "delivered" else "read")


@pytest.mark.parametrize("kind", KINDS)
def test_a_person_is_answered_and_reads_it(running: RunningService, sandbox: Sandbox, kind: str) -> None:
    counter = Counter(running, sandbox, kind)
    text = f"Are you open today? {uuid4().hex}"
    counter.as_dario("message", text=text)

    (delivered,) = eventually(counter.deliveries)
    assert delivered["signature"] == "valid"
    envelope = json.loads(delivered["body"])
    data = envelope["data"]
    assert (envelope["event"], data.keys()) == ("message.received", FIELDS | BESIDE)
    assert (data["accountId"], data["text"], data["platform"]) == (counter.account["id"], text, counter.platform)
    assert (data["kind"], data["type"], data["attachments"]) == (kind, "text", [])
    assert counter.is_dario(data["from"]), data["from"]
    assert all(isinstance(data[name], str) for name in FIELDS)

    conversation, words = data["conversationId"], f"Until eight {uuid4().hex}"
    answer = counter.send(conversationId=conversation, text=words)
    assert answer.status_code == httpx.codes.CREATED, answer.text
    (seen,) = counter.chat(words)
    assert seen["byAccount"]
    for tick in counter.ticks:
        counter.tick(tick)
        at = f"{tick}At"
        eventually(lambda at=at: counter.message(conversation, answer.json()["id"])[at])  # type: ignore[misc] # mypy infers no lambda with a default
    last = counter.ticks[-1] if counter.ticks else "sent"
    assert counter.message(conversation, answer.json()["id"])["status"] == last
    assert len(counter.deliveries()) == 1, "its own answer is no news"

    pass_a_day(counter, conversation)


@pytest.mark.parametrize("kind", ["facebook_page", "whatsapp_cloud", "whatsapp_qr"])
@pytest.mark.both_engines
def test_what_the_platform_reports_settles_a_lost_answer(running: RunningService, sandbox: Sandbox, kind: str) -> None:
    counter = Counter(running, sandbox, kind)
    counter.as_dario("message", text="Hello")
    (delivered,) = eventually(counter.deliveries)
    body = {"conversationId": json.loads(delivered["body"])["data"]["conversationId"], "text": f"Hi {uuid4().hex}"}
    sandbox.control("webhooks", mode="hold")
    path = {"wasender": "*/send-message"}.get(counter.platform, "*/messages")
    sandbox.control("fail", platform=counter.platform, method="POST", path=path, when="after")
    # Nor does the platform say it when it is asked.
    sandbox.control("fail", platform=counter.platform, method="GET", status=500, times=100)
    try:
        problem_of(counter.send("once", **body), 502, "outcome_unknown")
        assert counter.states(body["text"]) == ("unconfirmed", "unconfirmed")
        # By then only a person is left to ask.
        running.advance_time(timedelta(hours=2))
        sandbox.control("clock", advance=timedelta(hours=2).total_seconds())
        sandbox.control("webhooks", mode="normal", release=True)
        eventually(lambda: counter.states(body["text"])[1] == "succeeded")
        message, _ = counter.states(body["text"])
        assert message in {"sent", "delivered", "read"}
        again = counter.send("once", **body)
        assert (again.status_code, again.json()["text"]) == (httpx.codes.CREATED, body["text"]), again.text
        assert len(counter.chat(body["text"])) == 1
    finally:
        sandbox.http.delete("/_control/fail")
        sandbox.control("webhooks", mode="normal", release=True)


def pass_a_day(counter: Counter, conversation: str) -> None:
    """Free text is refused before it is sent where the platform has a window, with the way out; else it is sent."""
    counter.running.advance_time(LATER)
    counter.sandbox.control("clock", advance=LATER.total_seconds())
    late = f"Still there? {uuid4().hex}"
    answer = counter.send(conversationId=conversation, text=late)
    if counter.kind in {"telegram_bot", "whatsapp_qr"}:
        assert (answer.status_code, len(counter.chat(late))) == (httpx.codes.CREATED, 1), answer.text
        return
    refused = problem_of(answer, 409, "window_closed")
    assert counter.chat(late) == []
    if counter.kind == "whatsapp_cloud":
        assert "template" in refused["detail"]
        body = {"type": "template", "template": {"name": "hello_world", "language": "en_US"}}
        listed = counter.owner.session.get(f"{counter.path}/conversations").json()["data"]
        phone = listed[0]["contact"]["phone"]
        sent = counter.owner.session.post(f"{counter.path}/whatsapp/send", json={"to": phone, **body})
        assert sent.status_code == httpx.codes.CREATED, sent.text
    counter.as_dario("message", text="Back again")
    eventually(lambda: len(counter.deliveries()) == 2)
    again = counter.send(conversationId=conversation, text=late)
    assert (again.status_code, len(counter.chat(late))) == (httpx.codes.CREATED, 1), again.text
