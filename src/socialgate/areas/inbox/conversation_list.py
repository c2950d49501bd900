"""The conversations of an account, the one with the newest message first."""

from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from socialgate.areas.inbox.tables import ConversationRow, conversations, messages, read_conversation
from socialgate.core.db import Id, Tx, UtcDateTime
from socialgate.core.statements import FilteredSelect, contains_text
from socialgate.web.pagination import TimePosition


class ConversationFilters(NamedTuple):
    unread: bool | None
    since: datetime | None
    text: str | None


async def list_conversations_page(
    tx: Tx, owner_id: str, account_id: str, filters: ConversationFilters, limit: int, after: TimePosition | None
) -> list[ConversationRow]:
    optional: dict[str, Any] = {"since": filters.since, "text": filters.text}
    values = {name: value for name, value in optional.items() if value is not None}
    chosen = set(values)
    if filters.unread is not None:
        chosen.add("unread" if filters.unread else "read")
    if after is not None:
        chosen.add("after")
        values |= {"after_at": after.at, "after_id": after.id}
    values |= {"owner": owner_id, "account": account_id, "rows": limit + 1}
    return await tx.all_as(_SELECT_CONVERSATIONS_PAGE.get(chosen), read_conversation, values)


def build_mentions(name: str) -> sa.ColumnElement[bool]:
    """Match conversations by the contact's name, username or phone, or by the text of a message."""
    table = conversations
    exists = sa.exists().where(
        messages.c.owner_id == sa.bindparam("owner"),
        messages.c.conversation_id == table.c.id,
        messages.c.deleted_at.is_(None),
        contains_text(messages.c.text, name),
    )
    return sa.or_(*(contains_text(column, name) for column in (table.c.name, table.c.username, table.c.phone)), exists)


_SELECT_CONVERSATIONS_PAGE = FilteredSelect(
    sa.select(conversations)
    .where(conversations.c.owner_id == sa.bindparam("owner"), conversations.c.account_id == sa.bindparam("account"))
    .order_by(conversations.c.last_at.desc(), conversations.c.id.desc())
    .limit(sa.bindparam("rows", type_=sa.Integer)),
    {
        "unread": conversations.c.unread > 0,
        "read": conversations.c.unread == 0,
        "since": conversations.c.last_at >= sa.bindparam("since"),
        "text": build_mentions("text"),
        "after": sa.tuple_(conversations.c.last_at, conversations.c.id)
        < sa.tuple_(sa.bindparam("after_at", type_=UtcDateTime), sa.bindparam("after_id", type_=Id)),
    },
)
