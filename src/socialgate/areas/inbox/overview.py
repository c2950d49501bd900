"""What is unread over all accounts: how much, and the newest conversations with it."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
import sqlalchemy as sa

from socialgate.areas.inbox.tables import ConversationRow, MessageDirection, conversations, read_conversation
from socialgate.core.caller import Caller
from socialgate.core.db import Tx


class UnreadConversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation with unread messages, and the text of the newest message if it has one.

    That can be a reply that an automation sent, which nobody has read the message for.
    """

    id: str
    account_id: str
    name: str
    text: str | None
    is_own: bool
    unread: int
    last_at: datetime


class UnreadOverview(msgspec.Struct, frozen=True, kw_only=True):
    """How many conversations have unread messages, and the newest of them."""

    conversations: int
    newest: Sequence[UnreadConversation]


class InboxOverview:
    async def summarize(self, tx: Tx, caller: Caller, profile_id: str | None, *, limit: int) -> UnreadOverview:
        """Count the unread conversations of a profile, or of all that the caller covers."""
        conditions = [conversations.c.owner_id == caller.owner_id, conversations.c.unread > 0]
        if caller.allowed_profile_ids is not None:
            conditions.append(conversations.c.profile_id.in_(sorted(caller.allowed_profile_ids)))
        if profile_id is not None:
            conditions.append(conversations.c.profile_id == profile_id)
        number = await tx.scalar(sa.select(sa.func.count()).select_from(conversations).where(*conditions))
        newest = sa.select(conversations).where(*conditions).order_by(conversations.c.last_at.desc()).limit(limit)
        rows = await tx.all_as(newest, read_conversation)
        return UnreadOverview(conversations=int(number or 0), newest=[_show(row) for row in rows])


def _show(row: ConversationRow) -> UnreadConversation:
    return UnreadConversation(
        id=row.id,
        account_id=row.account_id,
        name=row.name or row.username or row.phone or row.contact_id,
        text=None if row.last_message is None else row.last_message["text"],
        is_own=row.last_message is not None and row.last_message["direction"] == MessageDirection.OUTBOUND,
        unread=row.unread,
        last_at=row.last_at,
    )
