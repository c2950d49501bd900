"""Finding many accounts by their ids at once, for pages that show what belongs to them."""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from socialgate.areas.accounts.tables import accounts, read_account
from socialgate.contracts.accounts import AccountRow
from socialgate.core.db import Tx


class AccountLabel(NamedTuple):
    """What people recognize an account by."""

    name: str
    kind: str


async def list_rows(tx: Tx, owner_id: str, account_ids: Sequence[str]) -> list[AccountRow]:
    """Find accounts and ad accounts by their ids. Those that are disconnected are left out."""
    statement = sa.select(accounts).where(
        accounts.c.owner_id == owner_id, accounts.c.id.in_(account_ids), accounts.c.status != "disconnected"
    )
    return await tx.all_as(statement, read_account) if account_ids else []


async def list_labels(tx: Tx, owner_id: str, account_ids: Sequence[str]) -> dict[str, AccountLabel]:
    """Find the names of accounts by their ids, also of those that are disconnected."""
    if not account_ids:
        return {}
    statement = sa.select(accounts.c.id, accounts.c.name, accounts.c.kind)
    rows = await tx.all(statement.where(accounts.c.owner_id == owner_id, accounts.c.id.in_(account_ids)))
    return {row.id: AccountLabel(row.name, row.kind) for row in rows}
