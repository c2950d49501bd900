"""Messages while processes are killed: what people write is kept and reported once, what is sent arrives once.

Webhooks come in any order and twice, answers of platforms are lost at random, and a process is shot three times in the
middle of it. Then every message is in a state that is true, and its operation agrees.
"""

import hashlib
import hmac
import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.inbox.tables import messages
from socialgate.areas.operations.tables import OPERATION_LEASE, operations
from socialgate.core.jobs.queue import DEFAULT_LEASE
from socialgate.core.outbox import events
from socialgate_sandbox.vendors import meta, whatsapp_cloud
from socialgate_sandbox.vendors.meta.seed import BAKERY
from socialgate_sandbox.vendors.whatsapp_cloud.seed import BAKERY as BAKERY_NUMBER
from support.crash_deployment import MINUTE, CrashDeployment, start_crash_deployment
from support.platform_requests import account_of
from support.postgres import new_database
from support.seeded_vendors import connect_number, connect_page
from support.soak import LONG
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

log = logging.getLogger(__name__)

SIZES = pytest.mark.parametrize("size", [60, pytest.param(1_000, marks=LONG)])
SEED = 20261116
DEATHS = 3
HANDS = 8
PEOPLE = 10
SECOND = timedelta(seconds=1)
# On a busy machine a process takes its time to start, and nothing is answered until then.
PATIENCE = 600
# What an answer is that asks for the same request again.
AGAIN = {"platform_rate_limited", "platform_unavailable", "unavailable"}
ARRIVED = {"sent", "delivered", "read"}
# The state of a message, by that of the operation which sends it.
AGREE = {"succeeded": ARRIVED, "unconfirmed": {"unconfirmed"}, "failed": {"failed"}}


@contextmanager
def on_stage(engine: str, folder: Path, postgres_url: str) -> Iterator[CrashDeployment]:
    url = new_database(postgres_url) if engine == "postgres" else None
    with start_crash_deployment(folder, url, (), [meta.VENDOR, whatsapp_cloud.VENDOR]) as stage:
        connect_page(stage)
        connect_number(stage)
        stage.postpone_checks()
        yield stage
        for process in stage.processes:
            process.require_alive()
            process.require_no_errors()


def storm(stage: CrashDeployment, jobs: Sequence[Callable[[], None]]) -> None:
    """Do all of it, several at once, and shoot a process whenever another quarter is done."""
    done = Counter[str]()

    def run(job: Callable[[], None]) -> None:
        job()
        done["jobs"] += 1

    began = time.monotonic()
    with ThreadPoolExecutor(HANDS) as pool:
        running = [pool.submit(run, job) for job in jobs]
        for death in range(1, DEATHS + 1):
            eventually(lambda death=death: done["jobs"] >= len(jobs) * death // (DEATHS + 1), seconds=PATIENCE)  # type: ignore[misc] # mypy infers no lambda with a default
            victim = stage.processes[death % len(stage.processes)]
            shot = time.monotonic()
            victim.restart()
            victim.wait_until_ready()
            log.info("`%s` shot after %.1f s, back after %.1f s", victim.verb, shot - began, time.monotonic() - began)
    for task in running:
        task.result()
    log.info("%s in %.1f s, with %s deaths", len(jobs), time.monotonic() - began, DEATHS)


# What people write.


class PersonMessage(msgspec.Struct, frozen=True):
    """A message of a person to the Page, at a time by Meta's clock."""

    mid: str
    person: str
    at: datetime

    @property
    def event(self) -> dict[str, Any]:
        return {
            "sender": {"id": self.person},
            "recipient": {"id": BAKERY},
            "timestamp": int(self.at.timestamp() * 1000),
            "message": {"mid": self.mid, "text": f"PersonMessage {self.mid}"},
        }


def everything_said(size: int, chance: random.Random) -> list[PersonMessage]:
    now = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
    return [
        PersonMessage(f"m_{number:06}", f"70000000000000{chance.randrange(PEOPLE):02}", now + number * SECOND)
        for number in range(size)
    ]


def webhooks_of(saids: Sequence[PersonMessage], chance: random.Random) -> list[bytes]:
    """Put them into requests as Meta does, one or a few in each: every fifth comes twice, and none in its order."""
    order = [*saids, *chance.sample(saids, len(saids) // 5)]
    chance.shuffle(order)
    bodies = []
    while order:
        some = [order.pop() for _ in range(min(len(order), chance.choice((1, 1, 1, 3))))]
        entry = {
            "id": BAKERY,
            "time": int(time.time() * 1000),
            "messaging": [person_message.event for person_message in some],
        }
        bodies.append(msgspec.json.encode({"object": "page", "entry": [entry]}))
    return bodies


def post(stage: CrashDeployment, body: bytes) -> None:
    """Send a webhook until it is taken, as platforms do."""
    signature = hmac.new(meta.VENDOR.app.secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", "X-Hub-Signature-256": f"sha256={signature}"}

    def taken() -> bool:
        try:
            return stage.http.post("/webhooks/meta", content=body, headers=headers).is_success
        except httpx.TransportError:
            return False

    eventually(taken, seconds=PATIENCE)


@SIZES
def test_what_people_write_is_kept_and_reported_once_and_in_order(
    engine: str, tmp_path: Path, postgres_url: str, size: int
) -> None:
    chance = random.Random(SEED + size)  # noqa: S311 - it is to be the same each time
    saids = everything_said(size, chance)
    bodies = webhooks_of(saids, chance)
    with on_stage(engine, tmp_path, postgres_url) as stage:
        storm(stage, [lambda body=body: post(stage, body) for body in bodies])  # type: ignore[misc] # mypy infers no lambda with a default
        stage.clocks.stop()
        # Those whom a dead worker had claimed are free again.
        stage.clocks.advance(DEFAULT_LEASE + SECOND, platforms=timedelta(0))
        eventually(lambda: {person_message.mid for person_message in saids} <= set(stored(stage)))
        assert sorted(stored(stage)) == sorted(person_message.mid for person_message in saids)
        assert sorted(reported(stage)) == sorted(person_message.mid for person_message in saids)
        payload = conversations_of(stage)
        assert len(payload) == len({person_message.person for person_message in saids})
        for person, shown in payload.items():
            mine = sorted(
                (person_message for person_message in saids if person_message.person == person),
                key=lambda person_message: person_message.at,
                reverse=True,
            )
            assert shown == [person_message.mid for person_message in mine], f"the order of {person}"


def stored(stage: CrashDeployment) -> list[str]:
    inbound = sa.select(messages.c.vendor_id).where(messages.c.direction == "inbound")
    return [row.vendor_id for row in stage.read(inbound)]


def reported(stage: CrashDeployment) -> list[str]:
    result = stage.read(sa.select(events.c.body).where(events.c.name == "message.received"))
    return [msgspec.json.decode(row.body)["data"]["msgId"] for row in result]


def conversations_of(stage: CrashDeployment) -> dict[str, list[str]]:
    """List what the API shows of each person, page by page, the newest first."""
    path = f"/accounts/{account_of(stage, BAKERY)}/conversations"
    result = stage.send_request("GET", path, params={"limit": 200})["data"]
    assert all(item["unread"] > 0 for item in result)
    return {item["contact"]["id"]: [*pages_of(stage, f"{path}/{item['id']}")] for item in result}


def pages_of(stage: CrashDeployment, path: str) -> Iterator[str]:
    cursor: dict[str, str] | None = {}
    while cursor is not None:
        page = stage.send_request("GET", path, params={"limit": 50, **cursor})["messages"]
        yield from (item["msgId"] for item in page["data"])
        cursor = {"cursor": page["nextCursor"]} if page["nextCursor"] else None


# What is sent.


class Desk(msgspec.Struct, frozen=True, kw_only=True):
    """An account that writes to several people, and what of it arrives."""

    stage: CrashDeployment
    platform: str
    account: str
    people: Sequence[str]

    def send_greeting(self) -> list[str]:
        """Have everybody write first, which opens the window, and give the ids of the conversations."""
        for person in self.people:
            order = {"platform": self.platform, "account": self.account, "person": person}
            self.stage.sandbox.control("message", **order, text="Hello")

        def begun() -> list[str] | None:
            result = self.stage.send_request("GET", f"{self.path}/conversations", params={"limit": 200})["data"]
            return [item["id"] for item in result] if len(result) == len(self.people) else None

        return eventually(begun)

    @property
    def path(self) -> str:
        return f"/accounts/{account_of(self.stage, self.account)}"

    def arrived(self) -> Counter[str]:
        """Count the texts that people see."""
        if self.platform == "whatsapp-cloud":
            chats = self.stage.sandbox.control("chats", platform=self.platform, account=self.account)["data"]
            return Counter(chat["content"]["text"]["body"] for chat in chats if chat["direction"] == "outbound")
        query = {"platform": self.platform, "account": self.account, "limit": 2000}
        shown = [self.stage.sandbox.look("chat", **query, person=person)["data"] for person in self.people]
        return Counter(item["text"] for chat in shown for item in chat if item["byAccount"])


def cloud(stage: CrashDeployment) -> Desk:
    people = [f"4915550{number:05}" for number in range(PEOPLE)]
    return Desk(stage=stage, platform="whatsapp-cloud", account=BAKERY_NUMBER, people=people)


def messenger(stage: CrashDeployment) -> Desk:
    return Desk(stage=stage, platform="meta", account=BAKERY, people=["dario", "elif", "finn"])


class Order:
    """One message that a customer wants to be sent, under one Idempotency-Key."""

    def __init__(self, stage: CrashDeployment, path: str, conversation: str, number: int) -> None:
        self.stage = stage
        self.path = path
        self.text = f"Order {number}"
        self.body = {"conversationId": conversation, "text": self.text}
        self.headers = {"Idempotency-Key": f"order-{number}"}
        self.answer: httpx.Response | None = None

    def send(self) -> None:
        """Send it as often as it takes to be answered. What a dead process has begun is left for later."""
        self.answer = eventually(self._answered, seconds=PATIENCE)

    def settle(self) -> None:
        """Repeat it once nobody can be at it any more."""

        def answered() -> bool:
            self.send()
            return self.code != "idempotency_key_in_use"

        eventually(answered)

    @property
    def code(self) -> str | None:
        assert self.answer is not None
        code: str | None = self.answer.json().get("code")
        return code

    def _answered(self) -> httpx.Response | None:
        try:
            answer = self.stage.http.post(self.path, json=self.body, headers=self.headers)
        except httpx.TransportError:
            return None
        return None if answer.json().get("code") in AGAIN else answer


def lose_answers(desk: Desk, size: int, chance: random.Random) -> None:
    """Have the platform fail about every second call: done and not answered, lost on the way, or done later."""
    order = {"platform": desk.platform, "method": "POST", "path": "*/messages"}
    for _ in range(size // 2):
        when = chance.choice(("after", "after", "drop", "late"))
        delay = {"delay": 3} if when == "late" else {}
        desk.stage.sandbox.control("fail", **order, when=when, skip=chance.randrange(4), **delay)


@pytest.mark.parametrize("desk_of", [cloud, pytest.param(messenger, marks=LONG)])
@SIZES
def test_what_is_sent_arrives_once_and_its_state_is_true(
    engine: str, tmp_path: Path, postgres_url: str, size: int, desk_of: Callable[[CrashDeployment], Desk]
) -> None:
    chance = random.Random(SEED + size)  # noqa: S311 - it is to be the same each time
    with on_stage(engine, tmp_path, postgres_url) as stage:
        desk = desk_of(stage)
        conversations, path = desk.send_greeting(), f"{desk.path}/messages"
        orders = [Order(stage, path, chance.choice(conversations), number) for number in range(size)]
        lose_answers(desk, size, chance)
        storm(stage, [order.send for order in orders])
        stage.clocks.stop()
        # The leases of the dead end: those on operations, and those on reports of the platform that they worked on.
        stage.clocks.advance(max(OPERATION_LEASE, DEFAULT_LEASE) + SECOND, platforms=timedelta(0))
        with ThreadPoolExecutor(HANDS) as pool:
            list(pool.map(Order.settle, orders))
        assert {order.code for order in orders} <= {None, "outcome_unknown"}
        # Those that the platform carries out later, and the reports that nobody took.
        eventually(lambda: not stage.sandbox.look("fail")["hanging"])
        stage.sandbox.client.delete("/_control/fail")
        log.info("all are answered; %s cannot tell", sum(order.code is not None for order in orders))
        stage.deliver_reports()
        log.info("the reports are delivered; %s untruths", len(untruths(desk, orders)))
        with suppress(AssertionError):
            eventually(lambda: not untruths(desk, orders), seconds=2 * MINUTE)
        assert not untruths(desk, orders)
        arrived = desk.arrived()
        log.info("%s: %s of %s arrived, and all states are true", desk.platform, arrived.total(), size)
        assert max(arrived.values()) == 1
        assert 0 < arrived.total() < size, "some calls were lost on the way, and others were not"
        with ThreadPoolExecutor(HANDS) as pool:
            list(pool.map(Order.send, orders))
        wrong = [order.text for order in orders if (order.code is None) is not (order.text in arrived)]
        assert not wrong, "whoever asks again is told the same"
        assert desk.arrived() == arrived
        assert not untruths(desk, orders)


def untruths(desk: Desk, orders: Sequence[Order]) -> list[str]:
    """Name what is recorded otherwise than it is: by the platform, or by the operation of a message."""
    stage, arrived = desk.stage, desk.arrived()
    outbound = sa.select(messages.c.id, messages.c.text, messages.c.status).where(messages.c.direction == "outbound")
    sent = sa.select(operations.c.request, operations.c.status).where(operations.c.operation == "messages.send")
    states = {row.request["messageId"]: row.status for row in stage.read(sent)}
    wrong, seen = [], Counter[str]()
    for row in stage.read(outbound):
        if row.status not in AGREE.get(states.get(row.id, ""), ()):
            wrong.append(f"{row.text}: {row.status}, while its operation is {states.get(row.id)}")
        if row.status in ARRIVED and arrived[row.text] != 1:
            wrong.append(f"{row.text}: {row.status}, and nobody has seen it")
        seen[row.text] += row.status in ARRIVED
    wrong += [f"{order.text} arrived" for order in orders if seen[order.text] != arrived[order.text]]
    return wrong
