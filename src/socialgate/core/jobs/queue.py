"""Rows as a queue: the one way to claim due work, over any table that has the columns for it.

A row is due when its due time has passed and no lease holds it. Claiming writes a claim id, which is the fencing token,
and the end of the lease. If a process dies, its lease expires. If a process was just slow, its fencing token has been
replaced, and its writes are discarded.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec
import sqlalchemy as sa

from socialgate.core.claims import new_claim_id, register_claims
from socialgate.core.db import Tx

T = TypeVar("T")

# Longer than most calls take. Longer work renews its lease while it runs.
DEFAULT_LEASE = timedelta(minutes=2)

RowKey: TypeAlias = tuple[str, ...]
Values: TypeAlias = Mapping[str, Any]


class ClaimedRow(msgspec.Struct, Generic[T], frozen=True):
    """A row as it was when it was claimed, and the fencing token under which it may be changed."""

    row: T
    key: RowKey
    claim_id: str


class RowOutcome(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """What to write to a claimed row. With `release` the claim ends, and the row is due again at `due_at`, or never
    again if that is None; without it the claim is kept and only the values are written.
    """

    claimed: ClaimedRow[T]
    values: Values = {}
    release: bool = True
    due_at: datetime | None = None


class RowQueue(Generic[T]):
    def __init__(
        self,
        table: sa.Table,
        read: Callable[[Any], T],
        *,
        key: Sequence[str] = ("owner_id", "id"),
        due: str = "due_at",
        claim: str = "claim",
        tries_column: str | None = None,
        lease: timedelta = DEFAULT_LEASE,
        where: sa.ColumnElement[bool] | None = None,
    ) -> None:
        """Name the columns: `<claim>_id` and `<claim>_until` are the fencing token and the end of the lease.

        `tries_column` names a column that is incremented with each claim, so that work that kills its process counts
        too.
        """
        self._table = table
        self._read = read
        self._keys = tuple(table.c[name] for name in key)
        self._due_column = table.c[due]
        self._claim_id_column = table.c[f"{claim}_id"]
        self._lease_until_column = table.c[f"{claim}_until"]
        register_claims(table, self._claim_id_column, self._lease_until_column, self._due_column)
        self._tries = None if tries_column is None else table.c[tries_column]
        self._lease = lease
        self._where = sa.true() if where is None else where
        self._update = sa.update(table).where(*(column == sa.bindparam(f"of_{column.name}") for column in self._keys))
        # Built once: a worker that looks often spent more on building them than on running them.
        now = sa.bindparam("now", type_=self._due_column.type)
        in_order = sa.select(table).where(self.is_due(now)).order_by(self._due_column, *self._keys)
        self._select_due = in_order.limit(sa.bindparam("most", type_=sa.Integer)).with_for_update(skip_locked=True)
        named = [column.in_(sa.bindparam(f"all_{column.name}", expanding=True)) for column in self._keys]
        self._update_all = sa.update(table).where(*named)
        raised = {} if self._tries is None else {self._tries: self._tries + 1}
        self._update_claim = self._update_all.values(
            {self._claim_id_column: sa.bindparam("new_claim_id"), self._lease_until_column: sa.bindparam("until")}
        )
        self._update_claim = self._update_claim.values(raised) if raised else self._update_claim
        select = (
            sa.select(*self._keys, self._claim_id_column.label("held_claim_id")).where(*named).order_by(*self._keys)
        )
        self._select_claim_ids = select.with_for_update()
        waiting = sa.select(self._due_column).where(
            self._due_column.is_not(None), self._lease_until_column.is_(None), self._where
        )
        self._select_next_due = waiting.order_by(self._due_column).limit(1)

    @property
    def unclaimed_values(self) -> dict[str, None]:
        """The values of an unclaimed row: for code that ends a claim from outside."""
        return {self._claim_id_column.name: None, self._lease_until_column.name: None}

    def is_due(self, now: datetime | sa.BindParameter[Any]) -> sa.ColumnElement[bool]:
        return sa.and_(self._due_column <= now, self.is_unclaimed(now), self._where)

    def is_unclaimed(self, now: datetime | sa.BindParameter[Any]) -> sa.ColumnElement[bool]:
        return sa.or_(self._lease_until_column.is_(None), self._lease_until_column < now)

    async def claim(self, tx: Tx, most: int) -> list[ClaimedRow[T]]:
        """Claim due rows, the longest due first. They are returned as they were before."""
        return await self.claim_rows(tx, await tx.all(self._select_due, {"now": tx.now, "most": most}))

    async def claim_one(self, tx: Tx, *key: str) -> ClaimedRow[T] | None:
        """Claim one row, whether it is due or not. Returns None if another process holds it or it does not exist."""
        same = (column == value for column, value in zip(self._keys, key, strict=True))
        select = sa.select(self._table).where(*same, self.is_unclaimed(tx.now))
        claimed = await self.claim_rows(tx, await tx.all(select.with_for_update()))
        return claimed[0] if claimed else None

    async def claim_rows(self, tx: Tx, rows: Sequence[Any]) -> list[ClaimedRow[T]]:
        """Claim rows that were found and locked in this transaction."""
        if not rows:
            return []
        claim_id = new_claim_id()
        keys = [self._get_key(row) for row in rows]
        values = {"new_claim_id": claim_id, "until": tx.now + self._lease, **self._get_extra_claim_values(tx)}
        await tx.execute(self._update_claim, {**values, **self._build_key_parameters(keys)})
        return [ClaimedRow(self._read(row), key, claim_id) for row, key in zip(rows, keys, strict=True)]

    def _get_extra_claim_values(self, tx: Tx) -> dict[str, Any]:
        """Further values for the statement that claims, if a queue has extended it."""
        del tx
        return {}

    async def renew_leases(self, tx: Tx, claims: Sequence[ClaimedRow[Any]]) -> None:
        """Extend the leases of rows, except those whose claim was lost or released in the meantime."""
        claim_ids = await self._lock_claim_ids(tx, [claimed.key for claimed in claims])
        kept = [claimed.key for claimed in claims if claim_ids.get(claimed.key) == claimed.claim_id]
        if kept:
            await tx.execute(
                self._update_all,
                {self._lease_until_column.name: tx.now + self._lease, **self._build_key_parameters(kept)},
            )

    async def write_outcomes(self, tx: Tx, outcomes: Sequence[RowOutcome[Any]]) -> list[bool]:
        """Write the results of claimed rows, and return for each whether it was written: not if its claim was lost."""
        claim_ids = await self._lock_claim_ids(tx, [outcome.claimed.key for outcome in outcomes])
        kept = [claim_ids.get(outcome.claimed.key) == outcome.claimed.claim_id for outcome in outcomes]
        alike: dict[tuple[str, ...], list[tuple[RowKey, dict[str, Any]]]] = {}
        for row_outcome, is_kept in zip(outcomes, kept, strict=True):
            if is_kept:
                values = self._build_outcome_values(tx, row_outcome)
                alike.setdefault(tuple(values), []).append((row_outcome.claimed.key, values))
        for rows in alike.values():
            await self._write_rows(tx, rows)
        return kept

    async def _write_rows(self, tx: Tx, rows: Sequence[tuple[RowKey, dict[str, Any]]]) -> None:
        """Write rows that change the same columns, in one statement if they get the same values, which is the common
        case.
        """
        _, first = rows[0]
        if all(values == first for _, values in rows):
            await tx.execute(self._update_all, {**first, **self._build_key_parameters([key for key, _ in rows])})
            return
        names = [f"of_{column.name}" for column in self._keys]
        await tx.execute(self._update, [{**dict(zip(names, key, strict=True)), **values} for key, values in rows])

    async def next_due(self, tx: Tx) -> datetime | None:
        """Return when the next unclaimed row is due. Expired leases are found by polling."""
        time: datetime | None = await tx.scalar(self._select_next_due)
        return time

    def matches_keys(self, keys: Sequence[RowKey]) -> sa.ColumnElement[bool]:
        """Find rows by their keys. One list per column, because SQLite scans the whole table for a list of tuples; no
        id belongs to two owners.
        """
        named = self._build_key_parameters(keys)
        return sa.and_(*(column.in_(named[f"all_{column.name}"]) for column in self._keys))

    def _build_key_parameters(self, keys: Sequence[RowKey]) -> dict[str, list[str]]:
        """Return the parameters of the statements that find rows by key."""
        columns = zip(self._keys, zip(*keys, strict=True), strict=True)
        return {f"all_{column.name}": sorted(set(values)) for column, values in columns}

    def _build_outcome_values(self, tx: Tx, outcome: RowOutcome[Any]) -> dict[str, Any]:
        if outcome.release:
            return {**outcome.values, **self.unclaimed_values, self._due_column.name: outcome.due_at}
        return {**outcome.values, self._lease_until_column.name: tx.now + self._lease}

    async def _lock_claim_ids(self, tx: Tx, keys: Sequence[RowKey]) -> dict[RowKey, str | None]:
        """Lock rows, always in the same order, and return the claim on each."""
        return {
            tuple(row[:-1]): row.held_claim_id
            for row in await tx.all(self._select_claim_ids, self._build_key_parameters(keys))
        }

    def _get_key(self, row: Any) -> RowKey:
        return tuple(getattr(row, column.name) for column in self._keys)
