"""What the list of conversations shows of their newest messages, written once in each transaction.

One webhook may report hundreds of messages of the same conversation. On PostgreSQL every update of a row leaves a
version behind that later reads of the same transaction must step over, so the time grew with the square of their
number: 30,000 messages took more than eight minutes.
"""

from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

import msgspec

from socialgate.areas.inbox import store
from socialgate.areas.inbox.tables import ConversationRow
from socialgate.core.db import Tx

# By owner and conversation: the values that its row gets when the transaction ends.
_ListEntryChanges: TypeAlias = dict[tuple[str, str], dict[str, Any]]


def update_list_entry(tx: Tx, conversation: ConversationRow, values: Mapping[str, Any]) -> None:
    """Change what the list shows of a conversation. In the rest of the transaction, the functions below know of it."""
    if values:
        tx.get_commit_batch(_write_list_entries, _ListEntryChanges).setdefault(
            (conversation.owner_id, conversation.id), {}
        ).update(values)


async def find_conversation(tx: Tx, owner_id: str, account_id: str, conversation_id: str) -> ConversationRow | None:
    row = await store.find_conversation(tx, owner_id, account_id, conversation_id)
    return None if row is None else _apply_pending_list_entry(tx, row)


async def find_conversations_by_contact_ids(
    tx: Tx, owner_id: str, account_id: str, names: Collection[str]
) -> dict[str, ConversationRow]:
    """Return the conversation that each of these ids leads to, the oldest first."""
    rows = await store.list_conversations_by_contact(tx, owner_id, account_id, names)
    return {name: _apply_pending_list_entry(tx, conversation) for name, conversation in rows.items()}


def _apply_pending_list_entry(tx: Tx, conversation: ConversationRow) -> ConversationRow:
    changes = tx.get_commit_batch(_write_list_entries, _ListEntryChanges).get((conversation.owner_id, conversation.id))
    return msgspec.structs.replace(conversation, **changes) if changes else conversation


async def _write_list_entries(tx: Tx, changes: _ListEntryChanges) -> None:
    for (owner_id, conversation_id), values in sorted(changes.items(), key=lambda change: change[0]):
        await store.update_conversation(tx, owner_id, conversation_id, values)
