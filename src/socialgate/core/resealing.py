"""Re-encrypting with the newest key what older keys have encrypted, so that those can be removed.

It runs while the service is running. A value is replaced only if it is still the one that was read: a token that was
renewed in the meantime is never overwritten with the older one. Values with the newest key are not read again, so an
interrupted run is simply started again.
"""

from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Iterable, Sequence
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.core.db import Database, Tx, metadata
from socialgate.core.encryption import (
    KEY_ID_BYTES,
    DecryptionError,
    EncryptionPurposeTemplate,
    Keyring,
    get_purpose_template,
    unregister_keys,
)

_BATCH_ROWS = 200
_BASE64_ALPHABET = ascii_uppercase + ascii_lowercase + digits + "+/"


class ResealedBatch(msgspec.Struct, frozen=True, kw_only=True):
    """The result for some values of a column. `changed_concurrently` are those that were changed in the meantime."""

    column: str
    resealed: int = 0
    changed_concurrently: int = 0
    unreadable: int = 0


class SealedColumn:
    """A column of encrypted values: raw bytes, or base64 as a text in JSON."""

    def __init__(self, column: sa.Column[Any], sealing: EncryptionPurposeTemplate) -> None:
        self.name = str(column)
        self._column = column
        self._sealing = sealing
        self._table = column.table
        self._key = list(column.table.primary_key.columns)
        self._in_json = isinstance(column.type, sa.JSON)
        # In JSON a value is compared by its text: PostgreSQL does not compare JSON.
        self._text: sa.ColumnElement[Any] = sa.cast(column, sa.Text)

    async def count_stale_values(self, tx: Tx, keyring: Keyring) -> int:
        statement = sa.select(sa.func.count()).select_from(self._table).where(self._has_older_key(keyring))
        return int(await tx.scalar(statement))

    async def read_stale_rows(
        self, tx: Tx, keyring: Keyring, after: Sequence[Any] | None, most: int
    ) -> list[sa.Row[Any]]:
        """Return some rows whose value has another key, after this one in the order of the primary key."""
        names = {*(column.name for column in self._key), *self._sealing.column_names}
        statement = sa.select(self._column.label("sealed_value"), *(self._table.c[name] for name in sorted(names)))
        statement = statement.where(self._has_older_key(keyring)).order_by(*self._key).limit(most)
        if after is not None:
            statement = statement.where(sa.tuple_(*self._key) > sa.tuple_(*self._build_literals(after)))
        return await tx.all(statement)

    def reseal_value(self, row: sa.Row[Any], keyring: Keyring) -> Any:
        purpose = self._sealing.build_purpose(**{name: getattr(row, name) for name in self._sealing.column_names})
        value = _from_base64(row.sealed_value) if self._in_json else bytes(row.sealed_value)
        sealed = keyring.seal(keyring.unseal(value, purpose), purpose)
        return b64encode(sealed).decode() if self._in_json else sealed

    async def replace_if_unchanged(self, tx: Tx, row: sa.Row[Any], value: Any) -> int:
        """Replace a value if it is still the one that was read."""
        unchanged = (
            self._text == msgspec.json.encode(row.sealed_value).decode()
            if self._in_json
            else self._column == row.sealed_value
        )
        same_row = [column == getattr(row, column.name) for column in self._key]
        return await tx.execute_and_count(
            sa.update(self._table).where(*same_row, unchanged).values({self._column.name: value})
        )

    def get_primary_key(self, row: sa.Row[Any]) -> list[Any]:
        return [getattr(row, column.name) for column in self._key]

    def _build_literals(self, position: Sequence[Any]) -> Iterable[sa.ColumnElement[Any]]:
        return [sa.literal(value, column.type) for value, column in zip(position, self._key, strict=True)]

    def _has_older_key(self, keyring: Keyring) -> sa.ColumnElement[bool]:
        """Whether a value does not start with the id of the newest key."""
        key_id = bytes.fromhex(keyring.current_id)
        if not self._in_json:
            begins = sa.func.substr(self._column, 1, KEY_ID_BYTES, type_=sa.LargeBinary)
            return sa.and_(self._column.is_not(None), begins != sa.literal(key_id, sa.LargeBinary))
        # After the quotation mark, five letters and a third of the sixth contain the id; what follows is random.
        whole = b64encode(key_id).decode()
        sixth = _BASE64_ALPHABET.index(whole[5])
        begins = sa.func.substr(self._text, 2, 5, type_=sa.Text)
        ends = sa.func.substr(self._text, 7, 1, type_=sa.Text)
        fresh = sa.and_(begins == whole[:5], ends.in_(list(_BASE64_ALPHABET[sixth : sixth + 16])))
        return sa.and_(self._column.is_not(None), sa.not_(fresh))


def find_sealed_columns() -> list[SealedColumn]:
    """Find them in all tables that are loaded."""
    result = [(column, get_purpose_template(column)) for table in metadata.sorted_tables for column in table.columns]
    return [SealedColumn(column, sealing) for column, sealing in result if sealing is not None]


async def count_stale_values(tx: Tx, keyring: Keyring) -> int:
    """Count the values that are not encrypted with the newest key."""
    return sum([await column.count_stale_values(tx, keyring) for column in find_sealed_columns()])


async def reseal_all_columns(db: Database, keyring: Keyring, most: int = _BATCH_ROWS) -> AsyncIterator[ResealedBatch]:
    """Go through all columns once, a few rows at a time. It can be interrupted without losing anything."""
    for column in find_sealed_columns():
        after = None
        while rows := await db.read(column.read_stale_rows, keyring, after, most):
            after = column.get_primary_key(rows[-1])
            yield await reseal_rows(db, keyring, column, rows)


async def retire_older_keys(db: Database, keyring: Keyring) -> int:
    """Let nodes start without the older keys, unless something is still encrypted with one; return how much that is."""
    return await db.write(_retire_older_keys, keyring)


async def reseal_rows(
    db: Database, keyring: Keyring, column: SealedColumn, rows: Sequence[sa.Row[Any]]
) -> ResealedBatch:
    """Re-encrypt what was read before."""
    fresh: list[tuple[sa.Row[Any], Any]] = []
    for row in rows:
        try:
            fresh.append((row, column.reseal_value(row, keyring)))
        except DecryptionError:
            continue
    swapped = await db.write(_replace_values, column, fresh)
    return ResealedBatch(
        column=column.name,
        resealed=swapped,
        changed_concurrently=len(fresh) - swapped,
        unreadable=len(rows) - len(fresh),
    )


def _from_base64(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError as error:
        raise DecryptionError("It is not base64.") from error


async def _replace_values(tx: Tx, column: SealedColumn, fresh: Sequence[tuple[sa.Row[Any], Any]]) -> int:
    return sum([await column.replace_if_unchanged(tx, row, value) for row, value in fresh])


async def _retire_older_keys(tx: Tx, keyring: Keyring) -> int:
    left = await count_stale_values(tx, keyring)
    if not left:
        await unregister_keys(tx, keyring.older_ids)
    return left
