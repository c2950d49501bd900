"""A number at WaSender through the API: people write, are answered, and what was sent is one message with its ticks."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest

from support.accounts import account, read_events
from support.connections import connect_accounts, session_of
from support.engines import ONE_ENGINE
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually
from support.webhooks import signer_of

pytestmark = pytest.mark.both_engines

PERSON = "+15550200001"
# With account protection WaSender takes one message in this time.
PACE = timedelta(seconds=6)


@pytest.fixture(scope="module")
def service(start_service: StartService) -> Iterator[RunningService]:
    """Give a service whose clock these tests move."""
    with start_service() as running:
        yield running


class Line:
    """A number that is linked, and what people and the account write to each other on it."""

    def __init__(self, sandbox: Sandbox, owner: OwnerFixture) -> None:
        self.sandbox, self.owner = sandbox, owner
        (self.account_id,) = connect_accounts(sandbox, owner, "wasender")
        self.path = f"/accounts/{self.account_id}"
        self.session = session_of(sandbox, account(owner, self.account_id)["platformAccountId"])
        self.sign = signer_of(sandbox, "wasender", self.account_id)

    def rest(self) -> None:
        self.owner.running.clock.offset += PACE
        self.sandbox.control("clock", advance=PACE.total_seconds())

    def send(self, **body: Any) -> httpx.Response:
        return self.owner.session.post(
            f"{self.path}/whatsapp/send", json={"to": PERSON, **body}, headers={"Idempotency-Key": uuid4().hex}
        )

    def control(self, verb: str, **fields: Any) -> Any:
        return self.sandbox.control(verb, platform="wasender", account=self.session, **fields)

    def report(self, event: str, data: object) -> None:
        now = self.owner.running.clock.now().timestamp()
        body = msgspec.json.encode({"event": event, "timestamp": int(now * 1000), "data": data})
        assert self.sign(body).send(self.owner.session).status_code == 200

    def messages(self) -> list[dict[str, Any]]:
        """List the messages of the only conversation, newest first."""
        (item,) = self.owner.session.get(f"{self.path}/conversations").json()["data"] or [None]
        if item is None:
            return []
        result: list[dict[str, Any]] = self.owner.session.get(f"{self.path}/conversations/{item['id']}").json()[
            "messages"
        ]["data"]
        return result

    def settled(self, **requested: Any) -> dict[str, Any]:
        """Wait for a message like this. The clock of the platform may be ahead of ours: it need not be the newest."""

        def look() -> dict[str, Any] | None:
            return next((item for item in self.messages() if requested.items() <= item.items()), None)

        return eventually(look)


@pytest.fixture
def line(sandbox: Sandbox, owner: OwnerFixture) -> Line:
    return Line(sandbox, owner)


@pytest.mark.one_engine
def test_a_person_writes_and_the_answer_is_one_message_with_its_ticks(line: Line) -> None:
    line.control("message", text="Are you open?", lid=True)
    received = line.settled(text="Are you open?", direction="inbound")
    (event,) = [item for item in read_events(line.owner) if item["event"] == "message.received"]
    assert (event["data"]["from"], event["data"]["msgId"]) == (PERSON, received["msgId"])
    answer = line.send(type="text", text="Until eight.")
    assert answer.status_code == 201, answer.text
    number = int(answer.json()["msgId"])
    line.rest()
    line.settled(text="Until eight.", status="delivered", msgId=str(number))
    line.control("read", messageId=number)
    line.settled(status="read", msgId=str(number))
    texts = sorted(item["text"] for item in line.messages())
    assert texts == ["Are you open?", "Until eight."], "the echo is the same message"


def test_an_echo_before_the_answer_becomes_the_message_that_was_sent(line: Line) -> None:
    first = line.send(type="text", text="One")
    assert first.status_code == 201, first.text
    line.rest()
    number = int(first.json()["msgId"]) + 1
    key = {"id": "3EB0EARLY", "fromMe": True, "remoteJid": "15550200001@s.whatsapp.net"}
    line.report("message.sent", {"key": {**key, "msgId": number}, "message": {"conversation": "Two"}})
    line.report("messages.update", {"key": key, "update": {"status": 4}})
    line.settled(text="Two", source="platform", status="read")
    second = line.send(type="text", text="Two")
    assert second.json()["msgId"] == str(number)
    assert (second.json()["status"], second.json()["source"]) == ("read", "api"), "as far along as its echo"
    assert sorted(item["text"] for item in line.messages()) == ["One", "Two"]
    line.report("messages.delete", {"keys": [key]})
    eventually(lambda: any(item["deletedAt"] and item["id"] == second.json()["id"] for item in line.messages()))


@ONE_ENGINE
def test_what_the_phone_writes_is_in_the_conversation(line: Line) -> None:
    line.control("message", text="From the phone", fromMe=True)
    sent = line.settled(text="From the phone")
    assert (sent["direction"], sent["source"], sent["status"]) == ("outbound", "platform", "sent")
    assert [item["event"] for item in read_events(line.owner)].count("message.received") == 0


@ONE_ENGINE
def test_files_are_fetched_and_reactions_and_deletions_are_seen(line: Line) -> None:
    response = line.control("message", attachment="file", text="The letter")["messageId"]
    message = line.settled(text="The letter")
    assert message["type"] == "document"
    (file,) = eventually(lambda: [item for item in line.messages()[0]["attachments"] if item["mediaId"]])
    assert (file["fileName"], file["mimeType"]) == ("letter.pdf", "application/pdf")
    line.control("react", messageId=response, emoji="👍")
    eventually(lambda: line.messages()[0]["reactions"])
    line.control("react", messageId=response, emoji="")
    eventually(lambda: not line.messages()[0]["reactions"])
    read = line.send(type="read", read={"msgId": response})
    assert read.status_code == 201, read.text
    line.control("delete", messageId=response)
    assert line.settled(attachments=[], msgId=response)["deletedAt"]


def test_a_character_that_cannot_be_stored_loses_no_message(line: Line) -> None:
    card = {"displayName": "A\0B", "vcard": "TEL:+5198\0"}
    key = {"id": "3EB0ODD", "fromMe": False, "remoteJid": "15550200001@s.whatsapp.net"}
    line.report("messages.received", {"messages": {"key": key, "message": {"contactMessage": card}}})
    assert line.settled(type="contacts")["data"] == {"contacts": [{"name": "A\ufffdB", "phones": ["+5198\ufffd"]}]}


@ONE_ENGINE
def test_the_pace_and_the_types_are_told_before_anything_is_sent(line: Line) -> None:
    assert line.send(type="text", text="One").status_code == 201
    held_back = problem_of(line.send(type="text", text="Two"), 429, "platform_rate_limited")
    assert "`messages`" in held_back["detail"]
    template = {"name": "order_ready", "language": "en_US"}
    problem_of(line.send(type="template", template=template), 422, "not_supported")
    received = line.send(type="text", text="x", replyTo="3EB0AA")
    assert fault_of(received) == ("/replyTo", "not_supported")
    assert [item["text"] for item in line.control("feed")["data"]] == ["One"]
