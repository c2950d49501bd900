"""Looking at what is really in the database, whatever the engine."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from socialgate.core.db import Tx
from support.service import RunningService


def dump(running: RunningService) -> str:
    """Write down every row of every table, binary columns in hexadecimal."""
    return str(running.read(dump_unit))


def rows(running: RunningService, statement: sa.Select[Any]) -> list[sa.Row[Any]]:
    async def read(tx: Tx) -> list[sa.Row[Any]]:
        return await tx.all(statement)

    return list(running.read(read))


def run_sql(running: RunningService, *statements: str) -> None:
    """Change the database behind the service's back."""
    running.write(run_statements, *statements)


async def run_statements(tx: Tx, *statements: str) -> None:
    for statement in statements:
        await tx.execute(sa.text(statement))


def forms_of(secret: str) -> list[str]:
    """Give the forms in which a secret would be in clear: as it is, and in hexadecimal."""
    return [secret, secret.encode().hex()]


async def dump_unit(tx: Tx) -> str:
    lines = []
    for table in await tx.connection.run_sync(_table_names):
        lines.append(f"table {table}")
        found = await tx.connection.execute(sa.text(f'SELECT * FROM "{table}"'))  # noqa: S608 - a name from the catalogue
        lines += [_line(row) for row in found]
    return "\n".join(lines)


def _table_names(connection: sa.Connection) -> list[str]:
    return sa.inspect(connection).get_table_names()


def _line(row: Iterable[Any]) -> str:
    return " | ".join(value.hex() if isinstance(value, bytes | memoryview) else str(value) for value in row)
