"""What is left of a person whose lead was erased: nothing, wherever it had been written, and nothing comes back."""

import json
import math
from base64 import b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from socialgate.areas.inbox import erasing, erasing_store
from socialgate.core.db import Tx
from socialgate.core.errors import Unavailable
from socialgate.core.ids import new_id
from support.automations import AutomationFixture
from support.connections import connect_accounts
from support.database import dump
from support.leads import AdLeadFormFixture, LeadFormFixture
from support.problems import problem_of
from support.receiver import Receiver, Reply
from support.sandbox import Sandbox
from support.service import RunningService, StartService
from support.waiting import eventually
from support.webhooks import signer_of

pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module")
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    folder: Path = tmp_path_factory.mktemp("receiver")
    with Receiver(folder) as receiver:
        yield receiver


@pytest.fixture(scope="module")
def running(start_service: StartService, receiver: Receiver) -> Iterator[RunningService]:
    with start_service(hook_allow_nets="127.0.0.0/8", hook_ca_file=receiver.ca_file) as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox
        sandbox.control("webhooks", mode="normal", release=True)


@pytest.fixture
def office(running: RunningService, sandbox: Sandbox) -> LeadFormFixture:
    return LeadFormFixture(running, sandbox)


def our_lead(office: LeadFormFixture, lead_id: str) -> dict[str, Any]:
    return eventually(lambda: next((item for item in office.leads() if item["platformLeadId"] == lead_id), None))


@pytest.mark.one_engine
def test_what_receivers_answered_is_erased_too(office: LeadFormFixture, receiver: Receiver) -> None:
    receiver.behaviour = lambda received: Reply(body=received.body)
    events = {"events": ["lead.received", "automation.triggered"]}
    hook = office.owner.session.post("/hooks", json={"url": receiver.url(), **events}).json()["id"]
    robot = AutomationFixture(office.owner, {"type": "lead.received"}, {"type": "setLeadState", "state": "contacted"})
    name = f"Erik {uuid4().hex}"
    lead = our_lead(office, office.submit_form(name=name))
    robot.wait_for_runs()
    path = f"/hooks/{hook}/deliveries"

    def done() -> list[dict[str, Any]] | None:
        result = office.owner.session.get(path).json()["data"]
        over = [item for item in result if item["status"] == "succeeded"]
        return result if len(over) == len(events["events"]) else None

    deliveries = eventually(done)
    assert name in str(deliveries)
    assert office.owner.session.delete(f"{office.path}/leads/{lead['id']}").status_code == 200
    after = office.owner.session.get(path).json()["data"]
    assert name not in str(after)
    assert [item["attempts"][0]["statusCode"] for item in after] == [200, 200]


@pytest.mark.one_engine
@pytest.mark.parametrize("kind", [LeadFormFixture, AdLeadFormFixture])
def test_an_erased_lead_stays_erased_when_the_account_is_connected_again(
    running: RunningService, sandbox: Sandbox, kind: type[LeadFormFixture]
) -> None:
    office = kind(running, sandbox)
    gone, kept = office.submit_form(), office.submit_form()
    lead, before = our_lead(office, gone), office.account_id
    our_lead(office, kept)
    assert office.owner.session.delete(f"{office.path}/leads/{lead['id']}").status_code == 200
    office.disconnect()
    office.connect()
    assert office.account_id != before
    office.sweep()
    shown = [item["platformLeadId"] for item in office.leads(limit=200)]
    assert kept in shown
    assert gone not in shown


class Writer:
    """Automations of an office that write to people: on WhatsApp, and to a colleague."""

    COLLEAGUE = "+46701740699"

    def __init__(self, office: LeadFormFixture) -> None:
        self.office = office
        (self.number,) = connect_accounts(office.sandbox, office.owner, "whatsapp-cloud")
        self.path = f"/accounts/{self.number}"
        self.robot = AutomationFixture(office.owner, {"type": "lead.received"}, self._writes("{{contact.phone}}"))
        self.notifier = AutomationFixture(office.owner, {"type": "lead.received"}, self._writes(self.COLLEAGUE))

    def _writes(self, to: str) -> dict[str, Any]:
        words = {"type": "body", "parameters": [{"type": "text", "text": "{{contact.name}} {{contact.phone}}"}] * 2}
        template = {"name": "order_ready", "language": "en_US", "components": [words]}
        return {"type": "sendTemplate", "accountId": self.number, "to": to, "template": template}

    def wait_for(self, lead: dict[str, Any]) -> None:
        """Wait until everything is done for a lead. The form is that of all owners, whose leads may come in between."""

        def done(robot: AutomationFixture) -> bool:
            return ("done", lead["id"]) in [(run["status"], run["trigger"].get("leadId")) for run in robot.runs()]

        eventually(lambda: done(self.robot) and done(self.notifier))

    def conversations(self) -> dict[str, dict[str, Any]]:
        result = self.office.owner.session.get(f"{self.path}/conversations").json()["data"]
        return {item["contact"]["phone"]: item for item in result}

    def messages(self, phone: str) -> list[dict[str, Any]]:
        known = self.conversations()
        if phone not in known:
            return []
        path = f"{self.path}/conversations/{known[phone]['id']}"
        result: list[dict[str, Any]] = self.office.owner.session.get(path).json()["messages"]["data"]
        return result

    def wait_until_read(self, phone: str) -> None:
        """Wait until the platform has nothing more to report about what was sent to a person."""
        eventually(
            lambda: {item["status"] for item in self.messages(phone) if item["direction"] == "outbound"} == {"read"}
        )

    def hears(self, phone: str, *texts: str) -> None:
        """Have a person write to the number."""
        row = self.office.owner.session.get(self.path).json()
        at = str(int(self.office.running.clock.now().timestamp()))
        message = {"timestamp": at, "from": phone[1:], "type": "text"}
        value = {
            "messaging_product": "whatsapp",
            "metadata": {"phone_number_id": row["platformAccountId"]},
            "contacts": [{"wa_id": phone[1:], "profile": {"name": texts[0]}}],
            "messages": [{**message, "id": f"wamid.{uuid4().hex}", "text": {"body": text}} for text in texts],
        }
        entry = {"id": "1", "changes": [{"field": "messages", "value": value}]}
        body = json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode()
        sign = signer_of(self.office.sandbox, "whatsapp-cloud", self.number)
        assert sign(body).send(self.office.running.client()).is_success
        eventually(lambda: texts[-1] in str(self.messages(phone)))


def kept(running: RunningService, word: str) -> list[str]:
    """Say where something is still written, in any table or in the bytes of the files."""
    forms = [word, word.encode().hex(), *(form.hex() for form in base64_forms(word.encode()))]
    result = [line[:200] for line in dump(running).splitlines() if any(form in line for form in forms)]
    files = running.settings.data_dir.glob("socialgate.db*") if running.settings.uses_sqlite else ()
    return result + [path.name for path in files if word.encode() in path.read_bytes()]


def base64_forms(word: bytes) -> list[bytes]:
    """Give what base64 makes of a word after zero, one or two other bytes, without what its neighbors change."""
    return [
        b64encode(bytes(before) + word)[math.ceil(before * 4 / 3) : (before + len(word)) * 4 // 3]
        for before in range(3)
    ]


def test_conversations_that_automations_opened_are_erased_with_the_lead(office: LeadFormFixture) -> None:
    writer = Writer(office)
    echo = AutomationFixture(office.owner, {"type": "message.received"}, {"type": "stop"})
    name, phone = f"Erik{uuid4().hex}", f"+4670174{uuid4().int % 10**4:04}"
    lead, other = (our_lead(office, office.submit_form(**values)) for values in ({"name": name, "phone": phone}, {}))
    for item in (lead, other):
        writer.wait_for(item)
    writer.hears(phone, f"Hello from {name}")
    assert len(echo.wait_for_runs(1)) == 1
    writer.wait_until_read(phone)
    assert len(writer.messages(phone)) == 2
    for word in (name, phone[1:]):
        assert kept(office.running, word)

    assert office.owner.session.delete(f"{office.path}/leads/{lead['id']}").status_code == 200
    for word in (name, phone[1:]):
        assert kept(office.running, word) == []
    # The conversation with the colleague stays, without what it said about this person.
    assert {phone} & set(writer.conversations()) == set()
    assert [item["text"] for item in writer.messages(writer.COLLEAGUE)].count("") == 1
    assert other["fields"]["full_name"] in str(writer.messages(writer.COLLEAGUE))
    # A message of the person starts another conversation.
    writer.hears(phone, "Who is this?")
    assert [item["text"] for item in writer.messages(phone)] == ["Who is this?"]


def test_a_lead_with_a_long_conversation_is_erased_in_short_transactions(
    office: LeadFormFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one transaction, thousands of messages kept everybody else from writing on SQLite. One that was interrupted is
    finished by the next request, although the conversation is then known by its first message only.
    """
    writer, written = Writer(office), 45
    monkeypatch.setattr(erasing, "MAX_ERASED_MESSAGES_PER_UNIT", 10)
    name, phone = f"Erik{uuid4().hex}", f"+4670174{uuid4().int % 10**4:04}"
    lead = our_lead(office, office.submit_form(name=name, phone=phone))
    writer.wait_for(lead)
    writer.hears(phone, *(f"{name} {number}" for number in range(written)))
    writer.wait_until_read(phone)
    deleted: list[int] = []
    delete, delete_conversation = erasing_store.delete_messages, erasing_store.delete_conversation

    async def counted(tx: Tx, owner_id: str, account_id: str, ids: Sequence[str]) -> None:
        deleted.append(len(ids))
        await delete(tx, owner_id, account_id, ids)

    async def broken(*_: Any) -> None:
        raise Unavailable("The database is away.", retry_after=1)

    monkeypatch.setattr(erasing_store, "delete_messages", counted)
    path = f"{office.path}/leads/{lead['id']}"
    monkeypatch.setattr(erasing_store, "delete_conversation", broken)
    assert office.owner.session.delete(path).status_code == 503
    assert office.owner.session.get(path).status_code == 200
    monkeypatch.setattr(erasing_store, "delete_conversation", delete_conversation)
    assert office.owner.session.delete(path).status_code == 200
    # One transaction failed at its end, and was repeated.
    assert max(deleted) <= 11
    assert sum(deleted) - deleted[-1] == written + 1
    assert {phone} & set(writer.conversations()) == set()
    # While others read, the last values leave SQLite's log a moment later.
    eventually(lambda: not any(kept(office.running, word) for word in (name, phone[1:])))


@pytest.mark.one_engine
def test_nothing_is_sent_for_a_lead_that_was_erased(office: LeadFormFixture) -> None:
    """A run that has read the lead before may only come to its message afterwards."""
    writer = Writer(office)
    lead = our_lead(office, office.submit_form(phone="+46701740655"))
    key = f"lead {lead['id']}"
    writer.wait_for(lead)
    assert office.owner.session.delete(f"{office.path}/leads/{lead['id']}").status_code == 200
    assert office.running.write(erasing_store.link_message_to_subject, office.owner.id, key, new_id("msg")) is False


@pytest.mark.one_engine
def test_a_lead_of_an_account_that_was_disconnected_is_erased(office: LeadFormFixture) -> None:
    name = f"Erik {uuid4().hex}"
    lead = our_lead(office, office.submit_form(name=name))
    elsewhere = office.owner.limited_key(office.owner.new_profile())
    office.disconnect()
    path = f"{office.path}/leads/{lead['id']}"
    problem_of(elsewhere.delete(path), 403, "out_of_scope")
    problem_of(office.running.new_owner().session.delete(path), 404, "not_found")
    assert name in str(office.events())
    assert office.owner.session.delete(path).json() == {"id": lead["id"], "deleted": True}
    assert name not in str(office.events())
    problem_of(office.owner.session.delete(path), 404, "not_found")
