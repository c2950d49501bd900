"""The conversations of all accounts in one list, the one with the newest message first."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.accounts.tables import IS_NOT_DISCONNECTED, accounts
from socialgate.areas.inbox.conversation_list import build_mentions
from socialgate.areas.inbox.schemas import Conversation
from socialgate.areas.inbox.service import InboxService, build_conversation_view
from socialgate.areas.inbox.tables import ConversationRow, conversations, read_conversation
from socialgate.contracts.accounts import AccountRow
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import TimePosition, decode_time_cursor, encode_time_cursor
from socialgate.web.schemas import Page

_CURSOR_NAMES = ("conversations", "all")


class AllConversationsFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Which conversations to list. What is None limits nothing."""

    profile_id: str | None = None
    account_id: str | None = None
    kind: str | None = None
    unread: bool | None = None
    text: str | None = None


class AllConversations:
    def __init__(self, inbox: InboxService, of_accounts: AccountService) -> None:
        self._inbox = inbox
        self._accounts = of_accounts

    async def list(
        self, work: UnitOfWork, filters: AllConversationsFilters, *, limit: int, cursor: str | None
    ) -> Page[Conversation]:
        """List conversations of connected accounts that the caller covers."""
        after = decode_time_cursor(cursor, "conv", *_CURSOR_NAMES)
        rows, of = await work.read(self._read, work.caller, filters, limit, after)
        now = work.db.clock.now()
        data = [
            build_conversation_view(of[row.account_id], self._inbox.get_adapter(of[row.account_id]), row, now)
            for row in rows[:limit]
        ]
        last = rows[limit - 1] if len(rows) > limit else None
        next_cursor = None if last is None else encode_time_cursor(TimePosition(last.last_at, last.id), *_CURSOR_NAMES)
        return Page(data=data, next_cursor=next_cursor)

    async def _read(
        self, tx: Tx, caller: Caller, filters: AllConversationsFilters, limit: int, after: TimePosition | None
    ) -> tuple[Sequence[ConversationRow], Mapping[str, AccountRow]]:
        statement, values = _build_statement(caller, filters, after)
        rows = await tx.all_as(statement.limit(limit + 1), read_conversation, values)
        ids = sorted({row.account_id for row in rows})
        return rows, {account_id: await self._accounts.find(tx, caller, account_id) for account_id in ids}


def _build_statement(
    caller: Caller, filters: AllConversationsFilters, after: TimePosition | None
) -> tuple[sa.Select[Any], dict[str, Any]]:
    table = conversations.c
    conditions = [table.owner_id == sa.bindparam("owner"), IS_NOT_DISCONNECTED]
    values: dict[str, Any] = {"owner": caller.owner_id}
    if caller.allowed_profile_ids is not None:
        conditions.append(table.profile_id.in_(sorted(caller.allowed_profile_ids)))
    if filters.profile_id is not None:
        caller.require_profile_access(filters.profile_id)
        conditions.append(table.profile_id == filters.profile_id)
    if filters.account_id is not None:
        conditions.append(table.account_id == filters.account_id)
    if filters.kind is not None:
        conditions.append(accounts.c.kind == filters.kind)
    if filters.unread is not None:
        conditions.append(table.unread > 0 if filters.unread else table.unread == 0)
    if filters.text is not None:
        conditions.append(build_mentions("text"))
        values["text"] = filters.text
    if after is not None:
        conditions.append(
            sa.tuple_(table.last_at, table.id)
            < sa.tuple_(sa.literal(after.at, table.last_at.type), sa.literal(after.id, table.id.type))
        )
    joined = conversations.join(
        accounts, sa.and_(accounts.c.owner_id == table.owner_id, accounts.c.id == table.account_id)
    )
    statement = sa.select(conversations).select_from(joined).where(*conditions)
    return statement.order_by(table.last_at.desc(), table.id.desc()), values
