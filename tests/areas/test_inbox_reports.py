"""What platforms report about messages: late, twice, in the wrong order, and about people who change their numbers."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest

from support.automations import AutomationFixture
from support.connections import connect_accounts, session_of
from support.database import dump
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually
from support.webhooks import Sign, signer_of

pytestmark = pytest.mark.both_engines

SECOND = timedelta(seconds=1)
HELD = "A message that arrives after everything else."


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own: webhooks are held, and calls fail."""
    with start_service() as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox
        sandbox.http.delete("/_control/fail")
        sandbox.control("webhooks", mode="normal", release=True)


class Account:
    """An account of a new owner, about which a test reports what it likes."""

    def __init__(self, running: RunningService, sandbox: Sandbox, platform: str, kind: str) -> None:
        self.running, self.sandbox, self.platform = running, sandbox, platform
        self.owner = OwnerFixture(running)
        connect_accounts(sandbox, self.owner, platform)
        rows = self.owner.session.get("/accounts").json()["data"]
        self.row = next(row for row in rows if row["kind"] == kind)
        self.id: str = self.row["platformAccountId"]
        self.path = f"/accounts/{self.row['id']}"
        self._sign: Sign = signer_of(sandbox, platform, self.row["id"])

    def report(self, body: dict[str, Any]) -> None:
        answer = self._sign(json.dumps(body).encode()).send(self.running.client())
        assert answer.status_code == httpx.codes.OK, answer.text

    def conversations(self, **query: Any) -> list[dict[str, Any]]:
        answer = self.owner.session.get(f"{self.path}/conversations", params=query)
        assert answer.status_code == httpx.codes.OK, answer.text
        return list(answer.json()["data"])

    def messages(self, conversation_id: str, **query: Any) -> list[dict[str, Any]]:
        answer = self.owner.session.get(f"{self.path}/conversations/{conversation_id}", params=query)
        assert answer.status_code == httpx.codes.OK, answer.text
        return list(answer.json()["messages"]["data"])

    def every(self) -> list[dict[str, Any]]:
        return [item for row in self.conversations() for item in self.messages(row["id"])]

    def with_text(self, text: str) -> dict[str, Any]:
        return eventually(lambda: next((item for item in self.every() if item["text"] == text), None))

    def events(self) -> list[dict[str, Any]]:
        listed = self.owner.session.get("/events", params={"event": "message.received", "limit": 200}).json()["data"]
        return [event["data"] for event in listed]

    def send(self, key: str | None = None, **body: Any) -> httpx.Response:
        headers = {"Idempotency-Key": key or uuid4().hex}

        def answered() -> httpx.Response | None:
            answer = self.owner.session.post(f"{self.path}/messages", json=body, headers=headers)
            return None if answer.status_code == httpx.codes.TOO_MANY_REQUESTS else answer

        return eventually(answered)


class Page(Account):
    """A Page, and what Meta reports about one person who writes to it."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        super().__init__(running, sandbox, "meta", "facebook_page")
        self.person = f"7{uuid4().int % 10**15:015}"
        self.mid = f"m_{uuid4().hex}"
        self.began = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=30)

    def hears(self, after: float, *, own: bool = False, **subject: Any) -> None:
        """Report something that happened so many seconds after the beginning."""
        sender, recipient = (self.id, self.person) if own else (self.person, self.id)
        moment = int((self.began + after * SECOND).timestamp() * 1000)
        event = {"sender": {"id": sender}, "recipient": {"id": recipient}, "timestamp": moment, **subject}
        self.report({"object": "page", "entry": [{"id": self.id, "time": moment, "messaging": [event]}]})

    def wrote(self, text: str = "First words", after: float = 0) -> None:
        self.hears(after, message={"mid": self.mid, "text": text})

    def reacted(self, after: float, emoji: str | None) -> None:
        values = {"action": "react", "emoji": emoji} if emoji else {"action": "unreact"}
        self.hears(after, reaction={"mid": self.mid, **values})

    def edited(self, after: float, text: str) -> None:
        self.hears(after, message_edit={"mid": self.mid, "text": text, "num_edit": 1})

    def deleted(self, after: float) -> None:
        self.hears(after, message={"mid": self.mid, "is_deleted": True})

    def settled(self) -> dict[str, Any]:
        """Wait until everything reported so far is processed, and give the message."""
        last = uuid4().hex
        self.hears(-60, message={"mid": f"m_{last}", "text": last})
        self.with_text(last)
        return next(item for item in self.every() if item["msgId"] == self.mid)


@pytest.fixture
def page(running: RunningService, sandbox: Sandbox) -> Page:
    return Page(running, sandbox)


@pytest.mark.parametrize("early", [False, True], ids=["after the message", "before the message"])
def test_the_last_edit_counts_and_a_deletion_is_final(page: Page, *, early: bool) -> None:
    if not early:
        page.wrote()
    page.edited(20, "Third words")
    page.edited(10, "Second words")
    # Two edits in the same second, as platforms without milliseconds report them.
    page.edited(20, "Fourth words")
    if early:
        page.wrote()
    shown = page.settled()
    assert shown["text"] == "Fourth words"
    (conversation,) = page.conversations()
    assert conversation["lastMessage"]["text"] == "Fourth words"

    page.deleted(30)
    page.edited(40, "Words that were taken back")
    shown = page.settled()
    assert (shown["text"], bool(shown["deletedAt"])) == ("", True)
    (conversation,) = page.conversations()
    assert (conversation["lastMessage"]["id"], conversation["lastMessage"]["text"]) == (shown["id"], "")
    assert page.conversations(q="words") == []


@pytest.mark.one_engine
def test_a_message_is_reported_as_it_is_when_it_arrives(page: Page) -> None:
    page.edited(10, "What was meant")
    page.wrote("What was typed")
    page.settled()
    (event,) = eventually(lambda: [item for item in page.events() if item["msgId"] == page.mid])
    # Meta does not show who this is.
    assert (event["text"], event["name"]) == ("What was meant", None)

    page.mid = f"m_{uuid4().hex}"
    page.deleted(20)
    page.wrote("What was taken back")
    assert page.settled()["text"] == ""
    assert page.mid not in {event["msgId"] for event in page.events()}


@pytest.mark.parametrize("early", [False, True], ids=["after the message", "before the message"])
def test_the_last_reaction_of_a_person_counts(page: Page, *, early: bool) -> None:
    if not early:
        page.wrote()
    page.reacted(20, "❤")
    page.reacted(10, "👍")
    if early:
        page.wrote()
    assert page.settled()["reactions"] == [{"emoji": "❤", "by": page.person}]
    page.reacted(40, None)
    page.reacted(30, "😮")
    assert page.settled()["reactions"] == []
    page.reacted(50, "🎉")
    assert page.settled()["reactions"] == [{"emoji": "🎉", "by": page.person}]


@pytest.mark.one_engine
def test_what_was_written_before_proves_nothing_about_a_lost_message(page: Page, sandbox: Sandbox) -> None:
    page.began = datetime.now(UTC)
    page.wrote()
    (conversation,) = eventually(page.conversations)
    text = f"Good morning {uuid4().hex}"
    # Lost before Meta has it, and Meta shows nothing when it is asked.
    sandbox.control("fail", platform="meta", path="*/messages", method="POST", status=500)
    problem_of(page.send(conversationId=conversation["id"], text=text), 502, "outcome_unknown")
    page.hears(-3600, own=True, message={"mid": f"m_{uuid4().hex}", "text": text, "is_echo": True})
    eventually(lambda: len([item for item in page.every() if item["text"] == text]) == 2)
    states = {item["source"]: item["status"] for item in page.every() if item["text"] == text}
    assert states == {"api": "unconfirmed", "platform": "sent"}


@pytest.mark.one_engine
def test_a_message_that_was_read_before_its_echo_came_is_read(page: Page, sandbox: Sandbox) -> None:
    """Messenger only says until when everything was read, which does not prove that a lost message was sent."""
    page.began = datetime.now(UTC)
    page.wrote()
    (conversation,) = eventually(page.conversations)
    text = f"Good morning {uuid4().hex}"
    sandbox.control("fail", platform="meta", path="*/messages", method="POST", status=500)
    problem_of(page.send(conversationId=conversation["id"], text=text), 502, "outcome_unknown")
    page.hears(120, read={"watermark": int((page.began + 100 * SECOND).timestamp() * 1000)})
    page.settled()
    lost = page.with_text(text)
    assert (lost["status"], lost["readAt"]) == ("unconfirmed", None)
    echo = {"mid": f"m_{uuid4().hex}", "text": text, "is_echo": True, "metadata": lost["id"]}
    page.hears(30, own=True, message=echo)
    page.settled()
    assert (page.with_text(text)["status"], bool(page.with_text(text)["readAt"])) == ("read", True)


def test_a_lost_message_is_not_taken_for_an_earlier_one_with_the_same_words(
    running: RunningService, sandbox: Sandbox
) -> None:
    """The earlier one is sent, stays what it is, and proves nothing about the later one."""
    account = Account(running, sandbox, "meta", "facebook_page")
    sandbox.control("message", platform="meta", account=account.id, text="Hello")
    (conversation,) = eventually(account.conversations)
    text = f"Yes {uuid4().hex}"
    first = account.send(conversationId=conversation["id"], text=text)
    assert first.status_code == httpx.codes.CREATED, first.text
    sandbox.control("fail", platform="meta", path="*/messages", method="POST", status=500)
    problem_of(account.send("second", conversationId=conversation["id"], text=text), 502, "outcome_unknown")
    result = {item["id"]: item for item in account.every() if item["text"] == text}
    assert sorted(item["status"] == "unconfirmed" for item in result.values()) == [False, True]
    assert result[first.json()["id"]]["msgId"] == first.json()["msgId"]

    # Once Meta has it, it is told apart from the earlier one.
    sandbox.control("fail", platform="meta", path="*/messages", method="POST", when="after")
    third = account.send("third", conversationId=conversation["id"], text=text)
    assert third.status_code == httpx.codes.CREATED, third.text
    assert third.json()["msgId"] != first.json()["msgId"]
    assert len([item for item in account.every() if item["text"] == text]) == 3


@pytest.mark.parametrize("lost", [False, True], ids=["known", "lost"])
def test_ticks_that_come_before_the_echo_are_not_forgotten(
    running: RunningService, sandbox: Sandbox, *, lost: bool
) -> None:
    """If WaSender does not say which of WhatsApp's ids belongs to its own, only the words of the echo do."""
    account = Account(running, sandbox, "wasender", "whatsapp_qr")
    session = session_of(sandbox, account.id)
    sandbox.control("message", platform="wasender", account=session, text="Hello")
    (conversation,) = eventually(account.conversations)
    sandbox.control("webhooks", mode="hold")
    sandbox.control("fail", platform="wasender", path="*/info", method="GET", status=500, times=20)
    if lost:
        sandbox.control("fail", platform="wasender", path="*/send-message", method="POST", when="after")
    text = f"Until eight {uuid4().hex}"
    answer = account.send(conversationId=conversation["id"], text=text)
    assert answer.status_code == (502 if lost else 201), answer.text
    sandbox.control("clock", advance=10)
    sandbox.control("read", platform="wasender", account=session)
    # The newest first.
    sandbox.control("webhooks", mode="normal", release=True)
    eventually(lambda: [item["status"] for item in account.every() if item["text"] == text] == ["read"])


class Number(Account):
    """A WhatsApp number, and what people write to it."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        super().__init__(running, sandbox, "whatsapp-cloud", "whatsapp_cloud")

    def hears(self, text: str, wa_id: str | None, user_id: str | None) -> None:
        self._hears(wa_id, user_id, type="text", text={"body": text})
        self.with_text(text)

    def hears_of(self, kind: str, subject: Any) -> None:
        """Report a message of a type that is not known yet."""
        self._hears("15550200001", None, type=kind, **{kind: subject})

    def answers(self, text: str, sent_at: str) -> None:
        """Report an answer to what was sent in the same second."""
        seconds = str(int(datetime.fromisoformat(sent_at).timestamp()))
        self._hears("15550200001", None, timestamp=seconds, type="text", text={"body": text})
        self.with_text(text)

    def _hears(self, wa_id: str | None, user_id: str | None, **content: Any) -> None:
        known = {"from": wa_id, "from_user_id": user_id}
        message = {"id": f"wamid.{uuid4().hex}", "timestamp": str(int(datetime.now(UTC).timestamp())), **content}
        message |= {name: value for name, value in known.items() if value}
        contact = {name: value for name, value in {"wa_id": wa_id, "user_id": user_id}.items() if value}
        value = {
            "messaging_product": "whatsapp",
            "metadata": {"phone_number_id": self.id},
            "contacts": [contact],
            "messages": [message],
        }
        entry = {"id": "1", "changes": [{"field": "messages", "value": value}]}
        self.report({"object": "whatsapp_business_account", "entry": [entry]})


def test_what_nobody_can_read_is_kept_up_to_a_size(running: RunningService, sandbox: Sandbox) -> None:
    number = Number(running, sandbox)
    small, large = {"order": "x" * 1_000}, {"order": "x" * 200_000}
    number.hears_of("newer", small)
    number.hears_of("newest", large)
    result = eventually(lambda: shown if len(shown := number.every()) == 2 else None)
    kept = {len(str(item["data"])) > 1_000: item["data"] for item in result}
    assert (kept[True]["newer"], kept[False]) == (small, {"truncated": True})


def test_somebody_who_gets_the_number_of_another_person_is_not_that_person(
    running: RunningService, sandbox: Sandbox
) -> None:
    number = Number(running, sandbox)
    phone, ana, ben = f"1555{uuid4().int % 10**7:07}", f"US.{uuid4().int % 10**16}", f"US.{uuid4().int % 10**16}"
    number.hears("I am Ana", phone, ana)
    number.hears("My number is no secret to Ana's bank", phone, ana)
    number.hears("I am Ben, with her old number", phone, ben)
    shown = {row["contact"]["id"]: row for row in number.conversations()}
    assert shown.keys() == {ana, ben}
    assert [item["text"] for item in number.messages(shown[ben]["id"])] == ["I am Ben, with her old number"]
    assert (shown[ana]["contact"]["phone"], shown[ben]["contact"]["phone"]) == (None, f"+{phone}")
    # What is sent to the number goes to the person who has it. The sandbox does not know him, and refuses it.
    number.send(to=f"+{phone}", text="Hello, Ben")
    assert number.messages(shown[ben]["id"])[0]["text"] == "Hello, Ben"
    received = sandbox.listed("received", platform="whatsapp-cloud", path="*/messages", limit=1)
    assert ben in str(received), received
    number.hears("Ana again, from elsewhere", None, ana)
    assert len(number.messages(shown[ana]["id"])) == 3


@pytest.mark.one_engine
def test_a_person_known_by_number_is_the_same_when_their_id_becomes_known(
    running: RunningService, sandbox: Sandbox
) -> None:
    number = Number(running, sandbox)
    phone, ana = f"1555{uuid4().int % 10**7:07}", f"US.{uuid4().int % 10**16}"
    number.hears("By number", phone, None)
    number.hears("By id alone", None, ana)
    assert len(number.conversations()) == 2, "nobody can know yet that they are one"
    number.hears("By both", phone, ana)
    number.hears("By id again", None, ana)
    number.hears("By number again", phone, None)
    oldest = min(number.conversations(), key=lambda row: str(row["id"]))
    assert [item["text"] for item in number.messages(oldest["id"])][:3] == ["By number again", "By id again", "By both"]


def test_all_of_a_long_history_is_reached_page_by_page(running: RunningService, sandbox: Sandbox) -> None:
    account = Account(running, sandbox, "meta", "facebook_page")
    payload = [f"{number} {uuid4().hex}" for number in range(130)]
    for text in payload:
        sandbox.control("message", platform="meta", account=account.id, person="finn", text=text)
    # What arrives late would be new to the next account.
    eventually(lambda: any(row["unread"] == len(payload) for row in account.conversations()))
    late = Account(running, sandbox, "meta", "facebook_page")
    sandbox.control("message", platform="meta", account=late.id, person="finn", text="And now?")
    (conversation,) = eventually(late.conversations)
    result: list[str] = []
    cursor: dict[str, str] | None = {}
    while cursor is not None:
        path = f"{late.path}/conversations/{conversation['id']}"
        page = late.owner.session.get(path, params={"limit": 100, **cursor}).json()["messages"]
        result += [item["text"] for item in page["data"]]
        cursor = {"cursor": page["nextCursor"]} if page["nextCursor"] else None
    assert set(payload) <= set(result)
    assert len(result) == len(set(result))


@pytest.mark.one_engine
def test_an_answer_within_the_same_second_comes_after_what_it_answers(
    running: RunningService, sandbox: Sandbox
) -> None:
    number = Number(running, sandbox)
    number.hears("Are you open?", "15550200001", None)
    (conversation,) = number.conversations()
    sent = number.send(conversationId=conversation["id"], text="Until eight.").json()
    number.answers("Thanks", sent["at"])
    number.answers("See you", sent["at"])
    shown = [item["text"] for item in reversed(number.messages(conversation["id"]))]
    assert shown == ["Are you open?", "Until eight.", "Thanks", "See you"]
    assert number.conversations()[0]["lastMessage"]["text"] == "See you"


def statuses_of(account: Account, message_id: str) -> list[dict[str, Any]]:
    """List what was reported about the status of a message, the oldest first."""
    listed = account.owner.session.get("/events", params={"event": "message.status", "limit": 200}).json()["data"]
    return [event["data"] for event in listed if event["data"]["messageId"] == message_id]


class Ticks(Number):
    """A WhatsApp number that has sent a message, and what WhatsApp reports about that."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        super().__init__(running, sandbox)
        # The first tick of the sandbox itself is not to come in between.
        sandbox.control("webhooks", mode="hold")
        self.hears("Are you open?", "15550200001", None)
        (self.conversation,) = self.conversations()
        self.sent = self.send(conversationId=self.conversation["id"], text="Until eight.").json()
        self.began = datetime.now(UTC).replace(microsecond=0)

    def ticks(self, *steps: str, after: float = 0, error: dict[str, Any] | None = None) -> None:
        """Report some states at once, in this order."""
        states = []
        for place, step in enumerate(steps):
            moment = str(int((self.began + (after + place) * SECOND).timestamp()))
            state = {"id": self.sent["msgId"], "status": step, "timestamp": moment, "recipient_id": "15550200001"}
            states.append(state | ({"errors": [error]} if error else {}))
        value = {"messaging_product": "whatsapp", "metadata": {"phone_number_id": self.id}, "statuses": states}
        entry = {"id": "1", "changes": [{"field": "messages", "value": value}]}
        self.report({"object": "whatsapp_business_account", "entry": [entry]})

    def reported(self, *expected: str) -> list[dict[str, Any]]:
        """Wait until everything so far is processed, and give the reports about the message."""
        self.hears(uuid4().hex, "15550200001", None)
        result = statuses_of(self, self.sent["id"])
        assert [item["status"] for item in result] == list(expected)
        return result


@pytest.mark.one_engine
def test_each_new_status_of_a_message_is_reported_once_and_never_backwards(
    running: RunningService, sandbox: Sandbox
) -> None:
    number = Ticks(running, sandbox)
    (first,) = number.reported("sent")
    assert (first["accountId"], first["conversationId"]) == (number.row["id"], number.conversation["id"])
    assert (first["msgId"], first["error"]) == (number.sent["msgId"], None)
    number.ticks("delivered")
    # Again, in another second and with others: WhatsApp repeats itself.
    number.ticks("sent", "delivered", "delivered", after=5)
    assert number.reported("sent", "delivered")[1]["at"] == number.began.isoformat().replace("+00:00", "Z")
    number.ticks("read", after=20)
    number.ticks("delivered", "sent", "read", "failed", after=30)
    number.reported("sent", "delivered", "read")


@pytest.mark.one_engine
def test_a_status_that_was_passed_over_is_not_reported_afterwards(running: RunningService, sandbox: Sandbox) -> None:
    number = Ticks(running, sandbox)
    number.ticks("read", "delivered")
    number.reported("sent", "read")


@pytest.mark.one_engine
def test_a_message_that_fails_after_it_was_accepted_is_reported_with_the_reason(
    running: RunningService, sandbox: Sandbox
) -> None:
    number = Ticks(running, sandbox)
    error = {"code": 131026, "title": "Message undeliverable", "message": "Message undeliverable"}
    number.ticks("failed", error=error)
    number.ticks("failed", after=9, error=error)
    failed = number.reported("sent", "failed")[1]["error"]
    assert failed["code"] == "platform_rejected"
    assert "undeliverable" in failed["detail"]


def test_a_message_that_is_rejected_at_once_is_reported_if_it_is_kept(page: Page, sandbox: Sandbox) -> None:
    page.began = datetime.now(UTC)
    page.wrote()
    (conversation,) = eventually(page.conversations)
    body = {"error": {"message": "(#100) No", "type": "OAuthException", "code": 100}}
    sandbox.control("fail", platform="meta", path="*/messages", method="POST", status=400, body=body)
    text = f"Good morning {uuid4().hex}"
    assert page.send(conversationId=conversation["id"], text=text).status_code >= httpx.codes.BAD_REQUEST
    (event,) = statuses_of(page, page.with_text(text)["id"])
    assert event["status"] == "failed"
    assert event["error"]["detail"]


def test_what_people_of_the_account_write_elsewhere_has_no_status_to_report(page: Page) -> None:
    page.wrote()
    page.hears(5, own=True, message={"mid": f"m_{uuid4().hex}", "text": "From the phone", "is_echo": True})
    echo = page.with_text("From the phone")
    page.hears(9, read={"watermark": int((page.began + 8 * SECOND).timestamp() * 1000)})
    page.settled()
    assert page.with_text("From the phone")["status"] == "read"
    assert statuses_of(page, echo["id"]) == []


def test_a_deleted_conversation_leaves_nothing_and_the_next_message_starts_another(
    running: RunningService, sandbox: Sandbox
) -> None:
    number = Number(running, sandbox)
    phone, other = (f"1555{uuid4().int % 10**7:07}" for _ in range(2))
    word = f"secret{uuid4().hex}"
    robot = AutomationFixture(number.owner, {"type": "message.received"}, {"type": "stop"})
    number.hears(f"My {word}", phone, None)
    number.hears("Hello", other, None)
    robot.wait_for_runs(2)
    shown = {item["contact"]["phone"]: item for item in number.conversations()}
    conversation = shown[f"+{phone}"]
    key = uuid4().hex
    # The sandbox does not know the person and refuses it: the attempt is kept in the conversation.
    number.send(key, conversationId=conversation["id"], text=f"Your {word}")
    path = f"{number.path}/conversations/{conversation['id']}"

    problem_of(number.owner.limited_key(number.owner.new_profile()).delete(path), 403, "out_of_scope")
    problem_of(OwnerFixture(running).session.delete(path), 404, "not_found")
    problem_of(number.owner.key(permission="read").delete(path), 403, "read_only_key")
    elsewhere = path.replace(conversation["id"], shown[f"+{other}"]["id"][:-1] + "0")
    problem_of(number.owner.session.delete(elsewhere), 404, "not_found")
    assert word in dump(running)

    answer = number.owner.session.delete(path)
    assert (answer.status_code, answer.json()) == (200, {"id": conversation["id"], "deleted": True})
    whole = dump(running)
    for text in (word, phone):
        assert text not in whole
        assert text.encode().hex() not in whole
    problem_of(number.owner.session.get(path), 404, "not_found")
    problem_of(number.owner.session.delete(path), 404, "not_found")
    assert [item["contact"]["phone"] for item in number.conversations()] == [f"+{other}"]
    events = {item["conversationId"]: item for item in number.events()}
    erased = events[conversation["id"]]
    assert (erased["from"], erased["text"], erased["name"]) == ("", "", None)
    assert events[shown[f"+{other}"]["id"]]["text"] == "Hello"

    number.hears("It is me again", phone, None)
    (again,) = [item for item in number.conversations() if item["contact"]["phone"] == f"+{phone}"]
    assert again["id"] != conversation["id"]
    assert [item["text"] for item in number.messages(again["id"])] == ["It is me again"]


def test_a_conversation_is_not_deleted_while_a_message_is_being_sent(page: Page, sandbox: Sandbox) -> None:
    page.began = datetime.now(UTC)
    page.wrote()
    (conversation,) = eventually(page.conversations)
    sandbox.control("fail", platform="meta", path="*/messages", method="POST", hang=True)
    path = f"{page.path}/conversations/{conversation['id']}"
    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(page.send, conversationId=conversation["id"], text="One moment")
        page.with_text("One moment")
        problem_of(page.owner.session.delete(path), 409, "conversation_busy")
        sandbox.http.delete("/_control/fail")
        sending.result()
    # It can also be deleted when its account is gone.
    assert page.owner.session.delete(page.path).status_code == httpx.codes.OK
    assert page.owner.session.delete(path).json() == {"id": conversation["id"], "deleted": True}
