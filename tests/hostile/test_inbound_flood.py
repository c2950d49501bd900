"""Webhooks of thousands of messages, signed by who has the secret of an address: nobody else waits for them."""

from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.automations import matching
from socialgate.areas.automations.tables import automation_runs
from socialgate.areas.inbound import parsing, webhook_writer, worker
from socialgate.areas.inbound.store import inbound
from socialgate.areas.inbound.worker import MAX_FACTS_OF_UNIT
from socialgate.areas.inbox import erasing_store, recorder
from socialgate.areas.inbox.tables import messages
from socialgate.contracts.accounts import AccountRow
from socialgate.core import db
from socialgate.core.db import Tx
from socialgate.core.errors import Unavailable
from socialgate.core.outbox import events
from socialgate.core.statements import StatementRunner
from support.automations import AutomationFixture
from support.connections import by_credential
from support.database import rows, run_sql
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually
from support.watchdog import strictly_watched
from support.webhooks import Sign, address_of, sign_as_meta, signer_of

pytestmark = pytest.mark.both_engines

FLOOD = 1_600
PEOPLE = 12
AUTOMATIONS = 12
MANY = 450
# No unit takes so long, even on a busy machine.
DEADLINE_SECONDS = 600.0


class Number:
    """A WhatsApp number, and people who write to it."""

    def __init__(self, running: RunningService, sandbox: Sandbox, which: int) -> None:
        self.running, self.owner = running, OwnerFixture(running)
        (self.account_id,) = by_credential("whatsapp-cloud", which)(sandbox, self.owner)
        result = self.owner.session.get("/accounts").json()["data"]
        self.named = next(item["platformAccountId"] for item in result if item["id"] == self.account_id)
        self.sign: Sign = signer_of(sandbox, "whatsapp-cloud", self.account_id)
        self.routing_id = address_of(running, self.account_id).routing_id

    def body(self, count: int, people: int = 1, text: str = "Hi") -> bytes:
        mark = uuid4().hex
        payload = [
            {
                "from": f"1650555{number % people:04}",
                "id": f"wamid.{mark}.{number}",
                "timestamp": str(1_749_416_383 + number),
                "type": "text",
                "text": {"body": f"{text} {number}"},
            }
            for number in range(count)
        ]
        value = {"messaging_product": "whatsapp", "metadata": {"phone_number_id": self.named}, "messages": payload}
        entry = {"id": "1", "changes": [{"field": "messages", "value": value}]}
        return msgspec.json.encode({"object": "whatsapp_business_account", "entry": [entry]})

    def receive(self, body: bytes) -> Any:
        return self.sign(body).send(self.running.client())

    def stored(self) -> int:
        select = sa.select(sa.func.count()).where(messages.c.owner_id == self.owner.id)
        ((number,),) = rows(self.running, select)
        return int(number)

    def reported(self) -> int:
        same = events.c.owner_id == self.owner.id, events.c.name == "message.received"
        ((number,),) = rows(self.running, sa.select(sa.func.count()).where(*same))
        return int(number)

    def conversations(self) -> list[dict[str, Any]]:
        response = self.owner.session.get(f"/accounts/{self.account_id}/conversations", params={"limit": 100})
        return list(response.json()["data"])


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox


def positions(running: RunningService) -> list[int]:
    """Return how far the requests are that wait."""
    waiting = sa.select(inbound.c.position).where(inbound.c.due_at.is_not(None))
    return [row.position for row in rows(running, waiting)]


def test_nobody_waits_for_a_webhook_of_thousands_of_messages(
    running: RunningService, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it was one transaction: 30,000 messages stopped the inbound messages of all for eight minutes. Later, one
    that was larger than what is claimed at once came first in each round, alone.
    """
    monkeypatch.setattr(worker, "MAX_SECONDS_OF_UNIT", DEADLINE_SECONDS)
    attacker, victim = Number(running, sandbox, 0), Number(running, sandbox, 1)
    assert victim.receive(victim.body(1)).status_code == 200
    eventually(lambda: victim.stored() == 1)
    with strictly_watched():
        body = attacker.body(FLOOD, people=3, text="Hi " * 200)
        assert len(body) > worker._BATCH_BYTES
        assert attacker.receive(body).status_code == 200
        eventually(lambda: attacker.stored() > 0)
        assert victim.receive(victim.body(1)).status_code == 200
        eventually(lambda: victim.stored() == 2)
        (position,) = positions(running)
        assert 0 < position < FLOOD
        assert position % MAX_FACTS_OF_UNIT == 0
    eventually(lambda: attacker.stored() == FLOOD, seconds=180)
    eventually(lambda: positions(running) == [])
    assert attacker.reported() == FLOOD
    assert sum(item["unread"] for item in attacker.conversations()) == FLOOD


def test_what_a_sender_sent_first_is_processed_first(running: RunningService, sandbox: Sandbox) -> None:
    number = Number(running, sandbox, 0)
    for count in (MAX_FACTS_OF_UNIT + 50, 1, MAX_FACTS_OF_UNIT + 50, 1):
        assert number.receive(number.body(count)).status_code == 200
    eventually(lambda: number.stored() == 2 * MAX_FACTS_OF_UNIT + 102)
    same = messages.c.owner_id == number.owner.id
    pairs = rows(running, sa.select(messages.c.text, messages.c.vendor_id).where(same).order_by(messages.c.id))
    marks = [row.vendor_id.split(".")[1] for row in pairs]
    # The messages of each webhook follow each other.
    assert [mark for mark, before in zip(marks, [None, *marks], strict=False) if mark != before] == [
        *dict.fromkeys(marks)
    ]


def test_units_that_take_long_become_smaller(start_service: StartService, monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit keeps everybody else from writing to its accounts: where it took seconds, a message that was to be sent
    gave up waiting for the lock, and the next unit got it again.
    """
    monkeypatch.setattr(worker, "MAX_SECONDS_OF_UNIT", 0.0, raising=False)
    with start_service() as running, Sandbox(running) as sandbox:
        number = Number(running, sandbox, 0)
        assert number.receive(number.body(50)).status_code == 200
        eventually(lambda: number.stored() == 50)
        # All rows of a transaction have the same time.
        same = messages.c.owner_id == number.owner.id
        select = sa.select(sa.func.count().label("number")).where(same).group_by(messages.c.created_at)
        units = [row.number for row in rows(running, select.order_by(messages.c.created_at))]
        assert sum(units) == 50
        assert max(units) == 1


def test_a_unit_that_gets_no_lock_is_no_failure_of_its_requests(
    running: RunningService, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counted as one: after the eighth, on a busy day, the messages were lost."""
    number, busy = Number(running, sandbox, 0), [Unavailable("Somebody else has the lock.", retry_after=1)] * 2
    lock = recorder.lock_messages

    async def lock_later(tx: Tx, account: AccountRow) -> None:
        if account.id == number.account_id and busy:
            raise busy.pop()
        await lock(tx, account)

    monkeypatch.setattr(recorder, "lock_messages", lock_later)
    assert number.receive(number.body(1)).status_code == 200
    eventually(lambda: number.stored() == 1 and positions(running) == [])
    last = sa.select(inbound.c.tries, inbound.c.error).order_by(inbound.c.id.desc()).limit(1)
    assert [tuple(row) for row in rows(running, last)] == [(1, None)]


def test_a_unit_starts_only_so_many_runs_of_automations(
    running: RunningService, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The units counted facts: 200 messages of 200 people with 400 automations were one transaction, for minutes."""
    monkeypatch.setattr(worker, "MAX_STATEMENTS_OF_UNIT", 200)
    monkeypatch.setattr(matching, "MAX_RUNS_PER_CONTACT", 6)
    monkeypatch.setattr(matching, "_MAX_SKIPPED_RUN_RECORDS", 3)
    number = Number(running, sandbox, 0)
    for _ in range(AUTOMATIONS):
        AutomationFixture(number.owner, {"type": "message.received"}, {"type": "stop"})
    assert number.receive(number.body(PEOPLE, people=PEOPLE)).status_code == 200
    eventually(lambda: number.stored() == PEOPLE and positions(running) == [], seconds=180)
    same = automation_runs.c.owner_id == number.owner.id
    # All rows of a transaction have the same time.
    select = sa.select(sa.func.count().label("number")).where(same).group_by(automation_runs.c.created_at)
    of_units = [row.number for row in rows(running, select)]
    # Of the last ones, only some are recorded: the limit of the person is reached.
    assert sum(of_units) >= PEOPLE * matching.MAX_RUNS_PER_CONTACT
    assert sum(of_units) < PEOPLE * AUTOMATIONS
    # A run takes several statements.
    assert max(of_units) < worker.MAX_STATEMENTS_OF_UNIT / 2


def test_a_unit_ends_early_if_its_automations_take_long_to_decide(
    running: RunningService, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hundreds of automations with thousands of keywords: 200 messages were one transaction of minutes."""
    monkeypatch.setattr(db, "_SECONDS_PER_STATEMENT", 1e-9, raising=False)
    number = Number(running, sandbox, 0)
    conditions = [{"type": "keyword", "any": ["nobody says this"], "match": "contains"}]
    AutomationFixture(number.owner, {"type": "message.received"}, {"type": "stop"}, conditions=conditions)
    assert number.receive(number.body(PEOPLE, people=PEOPLE)).status_code == 200
    eventually(lambda: number.stored() == PEOPLE and positions(running) == [])
    same = messages.c.owner_id == number.owner.id
    # All rows of a transaction have the same time.
    times = rows(running, sa.select(messages.c.created_at).where(same))
    assert len({row.created_at for row in times}) == PEOPLE


def test_a_conversation_is_written_once_for_a_unit(
    start_service: StartService, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On PostgreSQL each update left a version of the row that all later reads of the transaction stepped over."""
    monkeypatch.setattr(worker, "MAX_SECONDS_OF_UNIT", DEADLINE_SECONDS)
    with start_service() as running, Sandbox(running) as sandbox:
        number = Number(running, sandbox, 0)
        number.receive(number.body(1))
        eventually(lambda: number.stored() == 1)
        count_updates(running, engine)
        number.receive(number.body(MAX_FACTS_OF_UNIT))
        eventually(lambda: number.stored() == MAX_FACTS_OF_UNIT + 1)
        (conversation,) = number.conversations()
        assert conversation["unread"] == MAX_FACTS_OF_UNIT + 1
        assert conversation["lastMessage"]["text"] == f"Hi {MAX_FACTS_OF_UNIT - 1}"
        ((updates,),) = rows(running, sa.select(sa.func.count()).select_from(sa.table("test_updates")))
        assert updates == 1


def test_a_long_conversation_is_erased_with_few_statements_at_a_time(
    start_service: StartService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of its messages took a dozen, in one transaction: 3,000 messages stopped all other writes for 80 s."""
    with start_service() as running, Sandbox(running) as sandbox:
        number = Number(running, sandbox, 0)
        number.receive(number.body(MANY))
        eventually(lambda: number.stored() == MANY)
        (conversation,) = number.conversations()
        path = f"/accounts/{number.account_id}/conversations/{conversation['id']}"
        counts: list[int] = []
        with monkeypatch.context() as patch:
            for name in ("run", "run_many", "fetch", "fetch_many"):
                patch.setattr(StatementRunner, name, counted(getattr(StatementRunner, name), counts))
            assert number.owner.session.delete(path).status_code == 200
        assert len(counts) < MANY
        assert number.owner.session.delete(path).status_code == 404
        assert number.stored() == 0
        result = rows(running, sa.select(events.c.body).where(events.c.owner_id == number.owner.id))
        assert not [row for row in result if b"Hi " in row.body or b"1650555" in row.body]


def counted(method: Any, counts: list[int]) -> Any:
    """Count the calls of a method."""

    async def wrapped(*args: Any, **options: Any) -> Any:
        counts.append(1)
        return await method(*args, **options)

    return wrapped


def test_an_erasure_that_was_interrupted_is_finished_by_the_next(
    start_service: StartService, monkeypatch: pytest.MonkeyPatch
) -> None:
    with start_service() as running, Sandbox(running) as sandbox:
        number = Number(running, sandbox, 0)
        number.receive(number.body(MANY))
        eventually(lambda: number.stored() == MANY)
        (conversation,) = number.conversations()
        path = f"/accounts/{number.account_id}/conversations/{conversation['id']}"

        async def broken(*_: Any) -> None:
            raise Unavailable("The database is away.", retry_after=1)

        with monkeypatch.context() as patch:
            patch.setattr(erasing_store, "delete_conversation", broken)
            assert number.owner.session.delete(path).status_code == 503
        assert 0 < number.stored() < MANY
        assert number.owner.session.delete(path).status_code == 200
        assert number.stored() == 0
        assert number.conversations() == []


def count_updates(running: RunningService, engine: str) -> None:
    """Have the database write down each update of a conversation."""
    run_sql(running, "CREATE TABLE test_updates (at INTEGER)")
    insert = "INSERT INTO test_updates VALUES (1)"
    if engine == "sqlite":
        run_sql(running, f"CREATE TRIGGER test_count AFTER UPDATE ON conversations BEGIN {insert}; END")
        return
    body = f"$$ BEGIN {insert}; RETURN NEW; END $$ LANGUAGE plpgsql"
    run_sql(running, f"CREATE FUNCTION test_count() RETURNS trigger AS {body}")
    each = "AFTER UPDATE ON conversations FOR EACH ROW EXECUTE FUNCTION test_count()"
    run_sql(running, f"CREATE TRIGGER test_count {each}")


def test_a_request_has_only_so_many_facts(
    running: RunningService, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "MAX_FACTS_PER_WEBHOOK", 30)
    number = Number(running, sandbox, 0)
    assert number.receive(number.body(40)).status_code == 200
    eventually(lambda: number.stored() == 30 and positions(running) == [])
    wrong = rows(running, sa.select(inbound.c.error).where(inbound.c.error.is_not(None)))
    assert [row.error for row in wrong] == ["It contains more than 30 facts. Only the first 30 were processed."]


def test_only_so_much_of_one_sender_waits(start_service: StartService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_writer, "MAX_WAITING_REQUESTS", 3)
    # Nobody processes them.
    with start_service(worker="separate") as running, Sandbox(running) as sandbox:
        attacker, victim = Number(running, sandbox, 0), Number(running, sandbox, 1)
        answers = [attacker.receive(attacker.body(1)) for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 2
        assert int(problem_of(answers[-1], 429, "rate_limited")["retryAfter"]) > 0
        assert victim.receive(victim.body(1)).status_code == 200
        # Where a platform sends for everybody, nobody uses up what is there for others.
        assert {
            sign_as_meta("meta")(b'{"object":"page","entry":[]}').send(running.client()).status_code for _ in range(5)
        } == {200}
        monkeypatch.setattr(webhook_writer, "MAX_WAITING_REQUESTS", 100)
        monkeypatch.setattr(webhook_writer, "MAX_WAITING_BYTES", 50_000)
        sizes = [victim.receive(victim.body(150)).status_code for _ in range(4)]
        assert (sizes[0], sizes[-1]) == (200, 429)


@pytest.mark.one_engine
def test_a_large_request_that_nobody_signed_keeps_nobody_waiting(running: RunningService) -> None:
    """What TikTok signs is the body with all accents escaped: megabytes of them took seconds on the event loop."""
    body = "\u00e9x".encode() * 1_000_000
    headers = {"X-Open-Signature": "0" * 64}
    # The connector is loaded with the first request.
    for content in (b"{}", body):
        with strictly_watched():
            refused = running.client().post("/webhooks/tiktokads", content=content, headers=headers)
        assert refused.status_code == 401


def test_erasing_a_person_deletes_the_stored_requests_of_the_account_and_of_no_other(
    start_service: StartService,
) -> None:
    """The number stayed in the bodies, in base64, for a week or two."""
    with start_service() as running, Sandbox(running) as sandbox:
        own, other = Number(running, sandbox, 0), Number(running, sandbox, 1)
        for number in (own, other):
            assert number.receive(number.body(1)).status_code == 200
            # Others, whose numbers begin in the same way.
            others = number.body(2, people=2).replace(b'"16505550000"', b'"16505550002"')
            assert number.receive(others).status_code == 200
        eventually(lambda: own.stored() == other.stored() == 3)
        (person,) = [item for item in own.conversations() if item["contact"]["phone"] == "+16505550000"]
        path = f"/accounts/{own.account_id}/conversations/{person['id']}"
        assert own.owner.session.delete(path).status_code == 200
        assert stored_requests(running) == {own.routing_id: 1, other.routing_id: 2}


def stored_requests(running: RunningService) -> Counter[str | None]:
    """Count the requests that are kept for a replay, by webhook URL."""
    return Counter(row.routing_id for row in rows(running, sa.select(inbound.c.routing_id)))
