"""Whatever platforms send, and whatever is wrong with it: nothing fails, nothing is lost, nothing is done twice."""

import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from journeys.commands import run
from socialgate.areas.accounts.tables import accounts, grants
from socialgate.areas.inbound import store
from socialgate.areas.inbound.store import NewInboundRequest, inbound, inbound_facts
from socialgate.areas.inbound.webhook_writer import INBOUND_WAKE_KEY
from socialgate.contracts.platforms import Platform
from socialgate.contracts.webhooks import WebhookRequest
from socialgate.core.db import Tx
from socialgate.core.ids import first_id_at, new_id
from socialgate.core.partitions import create_partitions
from support.accounts import read_events
from support.connections import CONNECT_METHODS, connect_accounts
from support.database import rows
from support.postgres import new_database
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService, running_service
from support.soak import LONG
from support.waiting import eventually
from support.webhooks import Google, Sign, SignedRequest, fixtures_of, security_claims, sign_as_meta, signer_of

pytestmark = pytest.mark.both_engines

# On each of the two engines, and on each of them others.
FUZZED = [pytest.param(200, id="many"), pytest.param(5_000, id="very many", marks=LONG)]
SEEDS = {"sqlite": 20261115, "postgres": 20261116}
AT_ONCE = 16
MAX_TRIES = 8
STRANGE: list[Any] = [
    None, True, -1, 0, 2**63, 2**200, 1e308, "", "\0", "\x7f", "é🙂", "a" * 5000, [], {}, [[]], {"": ""},
    "../../etc", "' OR 1=1 --", "revoked", "disconnected", "PARTNER_REMOVED", "logged_out", "authorization.removed",
]  # fmt: skip
RAW = [b"", b"\xff\xfe", b"{", b"null", b"[" * 3000, b'"\\ud800"', b'{"a":1,"a":2}', b"signed_request=a.b", b"<feed/>"]


class Mutator:
    """Makes strange bodies of true ones. The same seed makes the same."""

    def __init__(self, seed: int, ids: list[str]) -> None:
        self._random = random.Random(seed)  # noqa: S311 - chance that can be repeated
        self._strange = [*STRANGE, *ids]
        self._ids = ids

    def mutated(self, body: bytes) -> bytes:
        choice = self._random.random()
        if choice < 0.05:
            return self._random.choice(RAW)
        if choice < 0.25:
            return self._of_bytes(body)
        value = msgspec.json.decode(body)
        for _ in range(self._random.randint(1, 4)):
            value = self._of_value(value)
        return msgspec.json.encode(value)

    def _of_bytes(self, body: bytes) -> bytes:
        place, length = self._random.randrange(len(body) + 1), self._random.randrange(20)
        inserted = self._random.choice([b"", self._random.randbytes(length), b"\0", b'"', b"}", b"\\u0000", b"9" * 400])
        return body[:place] + inserted + body[place + length :]

    def _of_value(self, value: Any) -> Any:
        """Change something somewhere inside, or what is there as a whole."""
        if isinstance(value, dict) and value and self._random.random() < 0.9:
            name = self._random.choice(list(value))
            changed = {**value, name: self._of_value(value[name])}
            if self._random.random() < 0.05:
                del changed[name]
            return changed
        if isinstance(value, list) and value and self._random.random() < 0.9:
            place = self._random.randrange(len(value))
            changed_list = [*value[:place], self._of_value(value[place]), *value[place + 1 :]]
            return changed_list * self._random.choice([1, 1, 1, 1, 1, 2, 5])
        # Numbers of real accounts stand where others stood: what is said of them must be able to have an effect.
        return self._random.choice(self._ids if self._random.random() < 0.4 else self._strange)


def senders(sandbox: Sandbox, account_ids: dict[str, str]) -> list[tuple[str, Sign]]:
    """Give what signs for each platform, and for both ways in which Google sends JSON."""
    google = Google(sandbox)
    function = [(str(platform), signer_of(sandbox, platform, account_ids[platform])) for platform in Platform]
    return [*function, ("google", lambda body: google.security_event(_for_us(body)))]


def _for_us(body: bytes) -> bytes:
    try:
        return security_claims(body)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        return body


def real_ids(running: RunningService) -> list[str]:
    """Name every account and every person that this deployment knows on any platform."""
    named = rows(running, sa.select(accounts.c.platform_account_id))
    people = rows(running, sa.select(grants.c.subject))
    return sorted({str(row[0]) for row in (*named, *people)})


def what_happened(owner: OwnerFixture) -> Counter[str]:
    """Count what was reported. A message that is strange is a message all the same."""
    return Counter(event["event"] for event in read_events(owner) if event["event"] != "message.received")


def statuses(running: RunningService) -> Counter[str]:
    return Counter(row.status for row in rows(running, sa.select(accounts.c.status)))


def is_settled(running: RunningService) -> bool:
    waiting = rows(running, sa.select(inbound.c.id).where(inbound.c.due_at.is_not(None)).limit(1))
    suspected = rows(running, sa.select(accounts.c.id).where(accounts.c.suspicion.is_not(None)).limit(1))
    return not waiting and not suspected


def failures(running: RunningService) -> list[sa.Row[Any]]:
    return rows(running, sa.select(inbound.c.platform, inbound.c.error).where(inbound.c.error.is_not(None)))


@pytest.fixture
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as running_service:
        yield running_service


@pytest.mark.parametrize("count", FUZZED)
def test_strange_bodies_break_nothing(running: RunningService, engine: str, count: int) -> None:
    with Sandbox(running) as sandbox:
        owner = running.new_owner()
        account_ids = {way: connect_accounts(sandbox, owner, way)[0] for way in CONNECT_METHODS}
        eventually(lambda: not sandbox.listed("deliveries", state="waiting") and is_settled(running))
        events, states, before = what_happened(owner), statuses(running), stored(running) + not_kept(running)
        mutator = Mutator(seed=SEEDS[engine], ids=real_ids(running))
        signed = senders(sandbox, account_ids)
        true = {platform: true_bodies(platform) for platform, _ in signed}
        sent = [
            sign(mutator.mutated(true[platform][number % len(true[platform])]))
            for number in range(count // len(signed) + 1)
            for platform, sign in signed
        ]
        assert len(sent) >= count
        answers = Counter(sent_all(running, sent))
        assert set(answers) <= {200, 202, 204, 401}, answers
        taken = sum(number for status, number in answers.items() if status < 300)
        assert taken > count * 0.8
        assert stored(running) + not_kept(running) == before + taken

        eventually(lambda: is_settled(running) or failures(running), seconds=600)
        assert failures(running) == []
        assert statuses(running) == states
        assert what_happened(owner) == events
        response = rows(running, sa.select(sa.func.count()).select_from(inbound_facts))[0][0]
        assert response > count * 0.5
        sandbox.control("revoke", platform="tiktok", account=tiktok_account(owner))
        eventually(lambda: what_happened(owner) - events == Counter({"account.needs_reconnection": 1}))


@pytest.mark.parametrize("event", ["authorization.removed", "post.publish.complete"])
def test_an_id_that_no_database_can_hold_is_nobodys(running: RunningService, event: str) -> None:
    body = msgspec.json.encode({"event": event, "create_time": 1, "user_openid": "person\0", "content": "{}"})
    with Sandbox(running) as sandbox:
        assert signer_of(sandbox, Platform.TIKTOK, "")(body).send(running.client()).status_code == 200
    eventually(lambda: [row.due_at for row in rows(running, sa.select(inbound))] == [None])
    assert [row.error for row in rows(running, sa.select(inbound))] == [None]


def true_bodies(platform: str) -> list[bytes]:
    return [body for body in fixtures_of(platform).values() if body.startswith(b"{")]


def not_kept(running: RunningService) -> int:
    """Return how many were answered without being stored: Google's hub must not learn whether it was believed."""
    labels = {"platform": "google", "outcome": "answered"}
    return int(running.service.metrics.registry.get_sample_value("socialgate_inbound_webhooks_total", labels) or 0)


def tiktok_account(owner: OwnerFixture) -> str:
    listed = owner.session.get("/accounts", params={"platform": "tiktok"}).json()["data"]
    return str(listed[0]["platformAccountId"])


def stored(running: RunningService) -> int:
    return int(rows(running, sa.select(sa.func.count()).select_from(inbound))[0][0])


def sent_all(running: RunningService, sent: list[SignedRequest]) -> list[int]:
    client = running.client()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda item: item.send(client).status_code, sent))


def test_strange_bodies_are_made_the_same_way_again() -> None:
    bodies = [[Mutator(seed, ["1"]).mutated(b'{"a":[{"b":"c"}]}') for _ in range(50)] for seed in (1, 1, 2)]
    assert bodies[0] == bodies[1] != bodies[2]


# A request that our own code stumbles over


def arrived(request: bytes, running: RunningService) -> NewInboundRequest:
    return NewInboundRequest(
        id=new_id("inb"), platform="meta", routing_id=None, request=request, received_at=running.clock.now()
    )


async def put(tx: Tx, new_inbound: NewInboundRequest) -> None:
    await store.insert_inbound_requests(tx, [new_inbound])
    tx.wake_on_commit(INBOUND_WAKE_KEY)


async def forget_error(tx: Tx, inbound_id: str) -> None:
    await tx.execute(sa.update(inbound).where(inbound.c.id == inbound_id).values(error=None))


async def nudge(tx: Tx) -> None:
    tx.wake_on_commit(INBOUND_WAKE_KEY)


async def rewrite(tx: Tx, inbound_id: str, request: bytes) -> None:
    await tx.execute(sa.update(inbound).where(inbound.c.id == inbound_id).values(request=request))


def row_of(running: RunningService, inbound_id: str) -> sa.Row[Any]:
    return rows(running, sa.select(inbound).where(inbound.c.id == inbound_id))[0]


def tried(running: RunningService, inbound_id: str, times: int) -> sa.Row[Any]:
    """Wait until a request was tried so often, and the last try is over."""

    def look() -> sa.Row[Any] | None:
        row = row_of(running, inbound_id)
        return row if row.tries == times and row.error is not None else None

    return eventually(look)


def give_up(running: RunningService) -> NewInboundRequest:
    """Store a request that cannot be read, and let time pass until it is left alone."""
    running.clock.stop()
    poison = arrived(b"this is no request", running)
    running.write(put, poison)
    for times in range(1, MAX_TRIES):
        due: datetime = tried(running, poison.id, times).due_at
        pause = (due - running.clock.now()).total_seconds()
        # With a fifth of jitter.
        assert 0 < pause <= 5 * 4 ** (times - 1) * 1.2
        # So that the next error is told from this one.
        running.write(forget_error, poison.id)
        running.clock.offset += timedelta(seconds=pause + 1)
        running.write(nudge)
    last = tried(running, poison.id, MAX_TRIES)
    assert (last.due_at, last.error) == (None, "DecodeError")
    return poison


def replay(running: RunningService, *arguments: str) -> str:
    """Run the command of the operator, and give what it says."""
    settings = running.settings
    where: dict[str, object] = {"data_dir": settings.data_dir}
    if settings.database_url is not None:
        where["database_url"] = settings.database_url
    done = run(settings.data_dir, "replay", *arguments, **where)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout.strip()


def test_a_request_that_cannot_be_worked_on_holds_up_no_other_and_can_be_run_again(running: RunningService) -> None:
    begun = running.clock.now()
    poison = give_up(running)
    body = b'{"object":"page","entry":[]}'
    assert sign_as_meta("meta")(body).send(running.client()).status_code == 200
    eventually(lambda: any(row.tries == 1 and row.due_at is None for row in rows(running, sa.select(inbound))))
    assert row_of(running, poison.id).tries == MAX_TRIES

    mended = WebhookRequest(method="POST", query={}, headers={}, body=body + b" ")
    running.write(rewrite, poison.id, msgspec.json.encode(mended))
    assert replay(running, "--since", begun.isoformat(), "--platform", "threads").endswith(": 0.")
    assert replay(running, "--since", (running.clock.now() + timedelta(hours=1)).isoformat()).endswith(": 0.")
    assert replay(running, "--since", begun.isoformat(), "--platform", "meta").endswith(": 2.")
    eventually(lambda: row_of(running, poison.id).tries == 1 and row_of(running, poison.id).due_at is None)
    assert row_of(running, poison.id).error is None


def test_what_was_acted_on_is_not_acted_on_again(running: RunningService) -> None:
    begun = running.clock.now()
    with Sandbox(running) as sandbox:
        owner = running.new_owner()
        (account,) = connect_accounts(sandbox, owner, "tiktok")
        sandbox.control("revoke", platform="tiktok", account=tiktok_account(owner))
        eventually(lambda: what_happened(owner)["account.needs_reconnection"] == 1)
        assert connect_accounts(sandbox, owner, "tiktok") == [account]
        # Longer than the lease of a probe that is still under way.
        soon = running.clock.now() + timedelta(minutes=10)
        eventually(lambda: is_settled(running) and all(row[2] > soon for row in checks(running)))
        probed = checks(running)
        assert replay(running, "--since", begun.isoformat()).endswith(": 1.")
        eventually(lambda: all(row.tries == 1 and row.due_at is None for row in rows(running, sa.select(inbound))))
        assert checks(running) == probed
        assert what_happened(owner)["account.needs_reconnection"] == 1


def checks(running: RunningService) -> list[Any]:
    columns = (accounts.c.status, accounts.c.suspicion, accounts.c.check_at)
    return [tuple(row) for row in rows(running, sa.select(*columns))]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--since", "yesterday"], "--since `yesterday` is not a valid time. Write it like 2026-11-15T09:30:00Z."),
        (["--since", "2026-11-15", "--platform", "myspace"], "There is no platform `myspace`."),
        (["--since", "2026-11-15"], "There is no database in"),
    ],
)
def test_a_wrong_replay_is_said_in_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = run(tmp_path, "replay", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"socialgate: {message}")
    assert list(tmp_path.iterdir()) == []


# How long it is kept


async def forget_when(tx: Tx, key: str, seen_at: datetime) -> None:
    await tx.execute(sa.insert(inbound_facts).values(platform="meta", key=key, seen_at=seen_at))


def aged(running: RunningService, days: int) -> NewInboundRequest:
    """Store a request as it would lie here had it come so many days ago."""
    when = running.clock.now() - timedelta(days=days)
    running.clock.offset -= timedelta(days=days)
    running.run(create_partitions(running.service.db))
    running.clock.offset += timedelta(days=days)
    old = msgspec.structs.replace(arrived(b"{}", running), id=first_id_at("inb", when), received_at=when)
    running.write(put, old)
    return old


def test_requests_are_kept_for_a_week_and_facts_for_fifteen_days(
    engine: str, postgres_url: str, tmp_path: Path
) -> None:
    database = new_database(postgres_url) if engine == "postgres" else None
    with running_service(tmp_path, database, worker="separate") as running:
        now = running.clock.now()
        gone, kept = aged(running, 15), aged(running, 6)
        for name, days in {"gone": 16, "kept": 14}.items():
            running.write(forget_when, name, now - timedelta(days=days))
        assert stored(running) == 2

    # A worker that starts cleans up before it does anything else.
    with running_service(tmp_path, database) as running:
        eventually(lambda: stored(running) == 1)
        assert row_of(running, kept.id).id == kept.id
        assert gone.id not in {row.id for row in rows(running, sa.select(inbound.c.id))}
        eventually(lambda: [row.key for row in rows(running, sa.select(inbound_facts.c.key))] == ["kept"])
