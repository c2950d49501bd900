"""Looking at what is really in the database, whatever the engine."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import Dialect

from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, TransactionFunction, Tx
from socialgate.core.settings import Settings
from socialgate.core.statements import CompiledStatement, StatementRunner, Values
from support.service import RunningService

_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


_TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table'",
    "postgresql": "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
}


def dump(running: RunningService) -> str:
    """Write down every row of every table, binary columns in hexadecimal."""
    return str(run_outside(running.settings, dump_unit))


def run_outside(settings: Settings, unit: TransactionFunction[..., Any], *args: Any) -> Any:
    """Run a unit with connections of its own, not on the event loop of the service, which must not stand still."""

    async def run() -> Any:
        db = Database(settings.effective_database_url, SystemClock())
        try:
            return await db.write(unit, *args)
        finally:
            await db.close()

    return asyncio.run(run())


def rows(running: RunningService, statement: sa.Select[Any]) -> list[sa.Row[Any]]:
    """Read what a statement finds."""

    async def read(tx: Tx) -> list[sa.Row[Any]]:
        return await tx.all(statement)

    return list(running.read(read))


def run_sql(running: RunningService, *statements: str) -> None:
    """Change the database behind the service's back."""
    running.write(run_statements, *statements)


async def run_statements(tx: Tx, *statements: str) -> None:
    for statement in statements:
        await tx.execute(sa.text(statement))


@contextmanager
def record_statements(running: RunningService) -> Iterator[list[str]]:
    """Write down the text of every statement that the service runs meanwhile, whoever asks for it."""
    db = running.service.db
    usual = db._statements
    db._statements = recording = _Recording(usual.dialect)
    try:
        yield recording.texts
    finally:
        db._statements = usual


class _Recording(StatementRunner):
    def __init__(self, dialect: Dialect) -> None:
        super().__init__(dialect)
        self.texts: list[str] = []

    def _bind(self, statement: Any, values: Values) -> tuple[CompiledStatement, str, list[Any]]:
        form, text, bound = super()._bind(statement, values)
        self.texts.append(text)
        return form, text, bound

    def _bind_all(self, statement: Any, values: Sequence[Values]) -> tuple[CompiledStatement, str, list[list[Any]]]:
        form, text, rows = super()._bind_all(statement, values)
        self.texts.append(text)
        return form, text, rows


@contextmanager
def block_rows(running: RunningService, rows_of: sa.Select[Any]) -> Iterator[Callable[[], int]]:
    """Keep whoever would change these rows waiting, and give a function that tells how many wait already."""

    async def lock(tx: Tx) -> None:
        await tx.all(rows_of.with_for_update())

    with hold_transaction_open(running, lock):
        yield lambda: _waiting(running)


@contextmanager
def hold_transaction_open(running: RunningService, unit: TransactionFunction[..., Any], *args: Any) -> Iterator[None]:
    """Keep a transaction open in which this was done."""
    released = running.run(_new_event())

    async def hold(tx: Tx) -> None:
        await unit(tx, *args)
        event.set()
        await released.wait()

    event = threading.Event()
    holding = asyncio.run_coroutine_threadsafe(running.service.db.write(hold), running._loop)
    try:
        assert event.wait(60)
        yield
    finally:
        running._loop.call_soon_threadsafe(released.set)
        holding.result(60)


async def _new_event() -> asyncio.Event:
    return asyncio.Event()


def _waiting(running: RunningService) -> int:
    # SQLite has one writer at a time: whoever is in flight and writes waits for it.
    if running.service.db.is_sqlite:
        return int(running.service.metrics.in_flight._value.get())
    return int(running.read(waiting_for_locks))


async def waiting_for_locks(tx: Tx) -> int:
    return int(await tx.scalar(sa.text(_WAITING)))


def list_plain_forms(secret: str) -> list[str]:
    """Give the forms in which a secret would be in clear: as it is, and in hexadecimal."""
    return [secret, secret.encode().hex()]


async def dump_unit(tx: Tx) -> str:
    lines = []
    for (table,) in await tx.all(sa.text(_TABLES[tx.dialect_name])):
        lines.append(f"table {table}")
        result = await tx.all(sa.text(f'SELECT * FROM "{table}"'))  # noqa: S608 - a name from the catalogue
        lines += map(_line, result)
    return "\n".join(lines)


def _line(row: Iterable[Any]) -> str:
    return " | ".join(value.hex() if isinstance(value, bytes | memoryview) else str(value) for value in row)
