"""Deployments to measure: their settings, owners and hooks as rows, and copies so that each round starts alike."""

import shutil
import sqlite3
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import Any, Self
from uuid import uuid4

import msgspec
import sqlalchemy as sa
from benchmarks.harness import Bench, Engine
from benchmarks.postgres import run_on
from benchmarks.processes import Command, command
from benchmarks.receiver import Customer

from socialgate.areas.identity.store import owners
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, Tx
from socialgate.core.encryption import Keyring, load_keyring
from socialgate.core.events import LeadReceived, MessageReceived, encode_event
from socialgate.core.ids import new_id
from socialgate.core.outbox import get_secret_purpose, hooks, lanes
from socialgate.core.partitions import create_partitions
from socialgate.core.schema_migration import migrate
from socialgate.core.settings import Settings

HOOKS_PER_OWNER = 20
BODY_BYTES = 500
_PENDING = "SELECT count(*) FROM deliveries WHERE status = 'pending'"
_KEY = b64encode(b"a key for benchmarks, 32 bytes..").decode()


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """A hook that reaches two profiles: one of its own, and one that all hooks of its owner share."""

    owner_id: str
    id: str
    own_profile: str
    shared_profile: str
    url: str
    secret: str


class Site:
    """One deployment: its settings, and where its rows are."""

    def __init__(self, bench: Bench, engine: Engine, customer: Customer, template: Self | None = None) -> None:
        self.engine = engine
        self._bench = bench
        self._customer = customer
        self.folder = bench.folder / f"{engine}-{uuid4().hex[:8]}"
        self.folder.mkdir()
        self.fields: dict[str, Any] = {
            "sandbox_port": 0,
            "data_dir": self.folder / "data",
            "secret_key": _KEY,
            "hook_allow_nets": "127.0.0.0/8",
            "hook_ca_file": customer.ca_file,
            "port": 0,
            "rate_limit": 0,
            "log_level": "warning",
        }
        self.fields["data_dir"].mkdir()
        if engine == "postgres":
            source = None if template is None else template.fields["database_url"]
            self.fields["database_url"] = bench.postgres.new_database(source)
        elif template is not None:
            shutil.copytree(template.fields["data_dir"], self.fields["data_dir"], dirs_exist_ok=True)
        self.hooks: list[Hook] = [] if template is None else template.hooks

    @property
    def settings(self) -> Settings:
        return Settings(**self.fields)

    @property
    def environment(self) -> dict[str, str]:
        return {f"SOCIALGATE_{name.upper()}": str(value) for name, value in self.fields.items()}

    @contextmanager
    def copied(self) -> Iterator["Site"]:
        """Give a copy of this site for one round. Nobody may be connected to this one."""
        copy = Site(self._bench, self.engine, self._customer, self)
        try:
            yield copy
        finally:
            copy.remove()

    @contextmanager
    def worker(self, *, hurried: bool = False) -> Iterator[Command]:
        """Run what delivers: the whole service on SQLite, a worker of its own on PostgreSQL."""
        verb = "serve" if self.engine == "sqlite" else "work"
        with command(verb, self.folder, self.environment, hurried=hurried) as running:
            yield running

    def pending(self) -> int:
        """Count the deliveries that are not done. Nobody may be writing."""
        if self.engine == "postgres":
            return int(run_on(self.fields["database_url"], _PENDING)[0][0])
        with closing(sqlite3.connect(self.settings.data_dir / "socialgate.db")) as connection:
            return int(connection.execute(_PENDING).fetchone()[0])

    def remove(self) -> None:
        if self.engine == "postgres":
            self._bench.postgres.drop_database(self.fields["database_url"])
        shutil.rmtree(self.folder)

    async def open(self) -> Database:
        return Database(self.settings.effective_database_url, SystemClock(), pool_size=self.settings.database_pool)

    async def prepare(self, count: int, hanging: int = 0) -> None:
        """Make the schema, owners, and hooks; those that hang are spread over all owners."""
        db = await self.open()
        try:
            await migrate(db)
            await create_partitions(db)
            self.hooks = await db.write(_insert_hooks, self._customer, load_keyring(self.settings), count, hanging)
        finally:
            await db.close()


def message(text: str, msg_id: str = "benchmark") -> MessageReceived:
    return MessageReceived(
        account_id="acc_01h455vb4pex5vsknk084sn02q",
        sender="+51987654321",
        name=None,
        text=text,
        msg_id=msg_id,
        message_id="msg_01h455vb4pex5vsknk084sn02q",
        platform="whatsapp-cloud",
        kind="whatsapp_cloud",
        conversation_id="conv_01h455vb4pex5vsknk084sn02q",
        type="text",
        attachments=[],
        received_at=datetime.now(UTC),
    )


def padding(msg_id: str = "benchmark") -> str:
    """Give a text that makes the body of an event as long as `BODY_BYTES`."""
    empty = encode_event(new_id("own"), new_id("prf"), message("", msg_id))
    return "x" * (BODY_BYTES - len(empty))


async def _insert_hooks(tx: Tx, customer: Customer, keyring: Keyring, count: int, hanging: int) -> list[Hook]:
    created_hooks = []
    owner_id, shared_profile = "", ""
    for number in range(count):
        if number % HOOKS_PER_OWNER == 0:
            owner_id, shared_profile = new_id("own"), new_id("prf")
            await tx.execute(sa.insert(owners).values(id=owner_id, name=f"Owner {number}", created_at=tx.now))
        hangs = number % HOOKS_PER_OWNER < hanging * HOOKS_PER_OWNER // count
        created_hooks.append(
            Hook(
                owner_id=owner_id,
                id=new_id("hook"),
                own_profile=new_id("prf"),
                shared_profile=shared_profile,
                url=customer.url(number, hang=hangs),
                secret=f"benchmark-secret-{number:04}",
            )
        )
    await tx.execute(sa.insert(hooks), [_row(hook, keyring, tx.now) for hook in created_hooks])
    await tx.execute(sa.insert(lanes), [{"hook_id": hook.id, "owner_id": hook.owner_id} for hook in created_hooks])
    return created_hooks


def _row(hook: Hook, keyring: Keyring, now: datetime) -> dict[str, Any]:
    return {
        "owner_id": hook.owner_id,
        "id": hook.id,
        "url": hook.url,
        "events": [MessageReceived.event, LeadReceived.event],
        "profile_ids": [hook.own_profile, hook.shared_profile],
        "ordered": False,
        "active": True,
        "activated_at": now,
        "secret": keyring.seal(hook.secret, get_secret_purpose(hook.owner_id, hook.id)),
        "created_at": now,
        "updated_at": now,
    }
