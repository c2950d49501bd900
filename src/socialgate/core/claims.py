"""Claims that end with their process.

A claim holds until its lease expires, or until its process has given no sign of life for a moment: a process that was
killed cannot renew its leases, but they would still last for up to two minutes. The id of a claim names its process, so
that others can end all claims of that process, wherever they are. One that was only frozen finds its claims lost when
it wakes up, as after the end of a lease.
"""

import os
import secrets
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.core.db import Tx
from socialgate.core.ids import BASE32_ALPHABET, new_id
from socialgate.core.wakeups import ALL_KEYS

# Half of an id names the process, the other half tells its claims apart.
_TOKEN_LENGTH = 13
# Rows are found by the time at which they are due, which is indexed. Almost all are due when they are claimed; one that
# is not waits for the end of its lease.
_CLAIMED_BEFORE_DUE = timedelta(minutes=10)
# Sorts after every character of an id.
_AFTER_ALL = "~"


class _CurrentProcess:
    """Who claims here. A process that was forked is another one."""

    token = ""

    @classmethod
    def rename(cls) -> None:
        cls.token = "".join(secrets.choice(BASE32_ALPHABET) for _ in range(_TOKEN_LENGTH))


_CurrentProcess.rename()
os.register_at_fork(after_in_child=_CurrentProcess.rename)


class _ClaimColumns(msgspec.Struct, frozen=True):
    table: sa.Table
    claim_id: sa.Column[Any]
    until: sa.Column[Any]
    due_at: sa.Column[Any] | None


_claim_columns: dict[tuple[str, str], _ClaimColumns] = {}


def register_claims(
    table: sa.Table, claim_id: sa.Column[Any], until: sa.Column[Any], due_at: sa.Column[Any] | None = None
) -> None:
    """Name the columns of a table that hold claims, and the indexed one by which they are found, if it is large."""
    _claim_columns[table.name, claim_id.name] = _ClaimColumns(table, claim_id, until, due_at)


def new_claim_id() -> str:
    return _new_id_of_process("clm")


def new_worker_id() -> str:
    return _new_id_of_process("wrk")


def is_own(worker_id: str) -> bool:
    """Return whether a worker runs in this process."""
    return _get_token(worker_id) == _CurrentProcess.token


async def end_claims(tx: Tx, worker_ids: Iterable[str]) -> int:
    """End the claims of processes, and wake those that may take them over. Returns how many there were.

    The lease ends and the id stays, as when a lease expires: it says that somebody has begun with this, and may have
    called a platform.
    Rows that somebody has locked are left out: a frozen process must not hold up the others.
    """
    prefixes = sorted(f"clm_{_get_token(worker_id)}" for worker_id in worker_ids)
    ended = 0
    for columns in _claim_columns.values():
        ended += await tx.execute_and_count(_build_update(tx, columns, prefixes))
    if ended:
        tx.wake_on_commit(ALL_KEYS)
    return ended


def _build_update(tx: Tx, columns: _ClaimColumns, prefixes: list[str]) -> sa.Update:
    claimed = sa.or_(
        *(sa.and_(columns.claim_id > prefix, columns.claim_id < prefix + _AFTER_ALL) for prefix in prefixes)
    )
    claimed = sa.and_(columns.until.is_not(None), claimed)
    if columns.due_at is not None:
        claimed = sa.and_(columns.due_at <= tx.now + _CLAIMED_BEFORE_DUE, claimed)
    update = sa.update(columns.table).values({columns.until: None})
    if tx.dialect_name == "sqlite":
        return update.where(claimed)
    keys = list(columns.table.primary_key)
    free = sa.select(*keys).where(claimed).with_for_update(skip_locked=True)
    return update.where(sa.tuple_(*keys).in_(free))


def _new_id_of_process(prefix: str) -> str:
    return f"{prefix}_{_CurrentProcess.token}{new_id(prefix)[-_TOKEN_LENGTH:]}"


def _get_token(worker_id: str) -> str:
    return worker_id.partition("_")[2][:_TOKEN_LENGTH]
