"""A Telegram bot through the API: a person writes, presses, edits and reacts, and is answered once."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from support.accounts import account, read_events
from support.connections import connect_accounts
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture
from support.waiting import eventually

PERSON = "5200000004"


class Bot:
    """A bot that is connected, and what the person and the bot write to each other."""

    def __init__(self, sandbox: Sandbox, owner: OwnerFixture) -> None:
        self.sandbox, self.owner = sandbox, owner
        (account_id,) = connect_accounts(sandbox, owner, "telegram")
        self.path = f"/accounts/{account_id}"
        self.number = account(owner, account_id)["platformAccountId"]

    def control(self, verb: str, **fields: Any) -> Any:
        return self.sandbox.control(verb, platform="telegram", account=self.number, **fields)

    def send(self, **body: Any) -> httpx.Response:
        headers = {"Idempotency-Key": uuid4().hex}
        return self.owner.session.post(f"{self.path}/messages", json={"to": PERSON, **body}, headers=headers)

    def messages(self) -> list[dict[str, Any]]:
        """List the messages of the conversation with the person, newest first."""
        item = self.chat()
        if item is None:
            return []
        result = self.owner.session.get(f"{self.path}/conversations/{item['id']}").json()
        return list(result["messages"]["data"])

    def chat(self) -> dict[str, Any] | None:
        rows = self.owner.session.get(f"{self.path}/conversations").json()["data"]
        return next((row for row in rows if row["contact"]["id"] == PERSON), None)

    def seen(self, **requested: Any) -> dict[str, Any]:
        """Wait until there is a message like this."""
        return eventually(lambda: next((item for item in self.messages() if requested.items() <= item.items()), None))

    def written(self) -> list[str]:
        """List what the bot wrote, as the person sees it."""
        feed = self.control("feed")["data"]
        return [item["message"].get("text", "") for item in feed[::-1] if item["sender"] == self.number]


@pytest.fixture
def bot(sandbox: Sandbox, owner: OwnerFixture) -> Bot:
    sandbox.control("reset")
    return Bot(sandbox, owner)


def test_a_person_writes_and_is_answered(bot: Bot) -> None:
    problem_of(bot.send(to="5299999999", text="Who are you?"), 404, "platform_not_found")
    problem_of(bot.send(to="@dario", text="Who are you?"), 422)
    number = bot.control("message", text="Are you open?")["messageId"]
    received = bot.seen(direction="inbound")
    assert (received["text"], received["msgId"]) == ("Are you open?", f"{PERSON}:{number}")
    (event,) = [item["data"] for item in read_events(bot.owner) if item["event"] == "message.received"]
    assert (event["from"], event["text"], event["msgId"]) == (PERSON, "Are you open?", f"{PERSON}:{number}")
    buttons = [{"title": "Hours", "id": "hours"}]
    answer = bot.send(text="How can we help?", replyTo=received["id"], buttons=buttons)
    assert answer.status_code == 201, answer.text
    assert answer.json()["status"] == "sent"
    bot.control("press", messageId=int(answer.json()["msgId"].rpartition(":")[2]), button="Hours")
    pressed = bot.seen(type="interactive", direction="inbound")
    assert (pressed["text"], pressed["data"]) == ("Hours", {"id": "hours", "title": "Hours"})
    assert pressed["replyTo"] == answer.json()["msgId"]
    assert bot.written() == ["How can we help?"]
    chat = bot.chat()
    assert chat is not None
    assert (chat["contact"]["name"], chat["contact"]["username"], chat["window"]) == ("Dario Weiss", "dario", None)


def test_what_a_person_changes_is_seen(bot: Bot) -> None:
    number = bot.control("message", text="Hallo")["messageId"]
    bot.seen(text="Hallo")
    bot.control("edit", messageId=number, text="Hello")
    assert bot.seen(text="Hello")["editedAt"]
    sent = bot.send(text="Good morning").json()
    bot.control("react", messageId=int(sent["msgId"].rpartition(":")[2]), emoji="👍")
    eventually(lambda: bot.seen(id=sent["id"])["reactions"] == [{"emoji": "👍", "by": PERSON}])


def test_a_file_is_fetched_without_its_address_being_shown(bot: Bot) -> None:
    bot.control("message", attachment="file", text="The letter")
    bot.seen(type="document")
    (file,) = eventually(lambda: [item for item in bot.messages()[0]["attachments"] if item["mediaId"]])
    assert (file["fileName"], file["size"]) == ("letter.pdf", bot.control("feed")["data"][0]["files"][0]["size"])
    token = bot.control("token")["token"]
    assert token not in str(bot.messages()) + str(read_events(bot.owner))


@pytest.mark.parametrize(("when", "arrived"), [("after", ["Hi", "Hello"]), ("drop", ["Hi"])])
def test_an_answer_that_is_lost_sends_nothing_twice(bot: Bot, when: str, arrived: list[str]) -> None:
    bot.control("message", text="Anybody there?")
    bot.seen(direction="inbound")
    assert bot.send(text="Hi").status_code == 201
    bot.sandbox.control("fail", platform="telegram", path="*/sendMessage", when=when)
    headers = {"Idempotency-Key": uuid4().hex}
    body = {"to": PERSON, "text": "Hello"}
    for _ in range(2):
        problem_of(bot.owner.session.post(f"{bot.path}/messages", json=body, headers=headers), 502, "outcome_unknown")
    assert bot.written() == arrived
    assert bot.seen(text="Hello")["status"] == "unconfirmed"
