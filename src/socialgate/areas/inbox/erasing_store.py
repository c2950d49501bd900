"""Finding and deleting what belongs to a conversation, or to the subject that messages were sent for."""

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from socialgate.areas.inbox.store import find_conversation
from socialgate.areas.inbox.tables import (
    ConversationRow,
    MessageRow,
    contact_aliases,
    conversations,
    early_reports,
    message_ids,
    message_subjects,
    messages,
    read_message,
)
from socialgate.contracts.messages import MessageStatus
from socialgate.core.db import Tx

# How many ids are named in one statement.
_IDS_PER_STATEMENT = 500
# In the place of a message: the subject was erased, and nothing may be sent for it any more.
_ERASED_MARKER = ""


async def link_message_to_subject(tx: Tx, owner_id: str, subject_key: str, message_id: str) -> bool:
    """Record that a message is sent for a subject. Returns False if the subject was erased."""
    table = message_subjects
    closed = table.c.owner_id == owner_id, table.c.subject_key == subject_key, table.c.message_id == _ERASED_MARKER
    # A transaction that erases the subject at the same moment is waited for, or waits.
    await tx.lock(f"subject {owner_id} {subject_key}")
    if await tx.first(sa.select(table.c.message_id).where(*closed)) is not None:
        return False
    values = {"owner_id": owner_id, "subject_key": subject_key, "message_id": message_id}
    await tx.execute(tx.build_insert_if_absent(table), values)
    return True


async def mark_subject_erased(tx: Tx, owner_id: str, subject_key: str) -> None:
    """Record that a subject was erased: an automation may be about to send something for it."""
    await tx.lock(f"subject {owner_id} {subject_key}")
    values = {"owner_id": owner_id, "subject_key": subject_key, "message_id": _ERASED_MARKER}
    await tx.execute(tx.build_insert_if_absent(message_subjects), values)


async def list_messages_of_subject(tx: Tx, owner_id: str, subject_key: str) -> list[MessageRow]:
    """List the messages that were sent for a subject."""
    table = message_subjects
    linked = sa.select(table.c.message_id).where(table.c.owner_id == owner_id, table.c.subject_key == subject_key)
    statement = sa.select(messages).where(messages.c.owner_id == owner_id, messages.c.id.in_(linked))
    return await tx.all_as(statement, read_message)


async def list_messages_of_conversation(
    tx: Tx, owner_id: str, conversation_id: str, most: int | None = None
) -> list[MessageRow]:
    """List the messages of a conversation, all or the oldest."""
    statement = sa.select(messages).where(
        messages.c.owner_id == owner_id, messages.c.conversation_id == conversation_id
    )
    return await tx.all_as(statement if most is None else statement.order_by(messages.c.id).limit(most), read_message)


async def list_messages_by_id(tx: Tx, owner_id: str, ids: Sequence[str]) -> list[MessageRow]:
    """List messages by their ids."""
    result: list[MessageRow] = []
    for some in _split_ids(ids):
        statement = sa.select(messages).where(messages.c.owner_id == owner_id, messages.c.id.in_(some))
        result += await tx.all_as(statement, read_message)
    return result


async def is_sending_message(tx: Tx, owner_id: str, conversation_id: str) -> bool:
    statement = sa.select(messages.c.id).where(
        messages.c.owner_id == owner_id,
        messages.c.conversation_id == conversation_id,
        messages.c.status == MessageStatus.SENDING,
    )
    return await tx.first(statement.limit(1)) is not None


async def find_first_message_id(tx: Tx, owner_id: str, conversation_id: str) -> str | None:
    """Return the message with which a conversation began, by our own clock."""
    statement = sa.select(messages.c.id).where(
        messages.c.owner_id == owner_id, messages.c.conversation_id == conversation_id
    )
    first: str | None = await tx.scalar(statement.order_by(messages.c.created_at, messages.c.id).limit(1))
    return first


async def erase_message_contents(tx: Tx, owner_id: str, ids: Sequence[str]) -> None:
    """Erase what messages say, like those that were deleted on the platform."""
    gone: dict[str, Any] = {"text": "", "attachments": [], "data": {}, "error": None, "deleted_at": tx.now}
    for some in _split_ids(ids):
        named = messages.c.owner_id == owner_id, messages.c.id.in_(some)
        await tx.execute(sa.update(messages).where(*named).values(**gone))


async def delete_messages(tx: Tx, owner_id: str, account_id: str, ids: Sequence[str]) -> None:
    """Delete messages, and everything that leads to them."""
    for some in _split_ids(ids):
        named = message_ids.c.owner_id == owner_id, message_ids.c.message_id.in_(some)
        vendor_ids = [row.vendor_id for row in await tx.all(sa.select(message_ids.c.vendor_id).where(*named))]
        await tx.execute(sa.delete(message_ids).where(*named))
        for names in _split_ids([*vendor_ids, *some]):
            reports = early_reports.c.owner_id == owner_id, early_reports.c.account_id == account_id
            await tx.execute(sa.delete(early_reports).where(*reports, early_reports.c.vendor_id.in_(names)))
        for table, column in ((message_subjects, "message_id"), (messages, "id")):
            await tx.execute(sa.delete(table).where(table.c.owner_id == owner_id, table.c[column].in_(some)))


async def delete_conversation(tx: Tx, conversation: ConversationRow) -> None:
    """Delete a conversation whose messages are deleted. The next message of the person starts another."""
    for table, column in ((contact_aliases, "conversation_id"), (conversations, "id")):
        this = table.c.owner_id == conversation.owner_id, table.c[column] == conversation.id
        await tx.execute(sa.delete(table).where(*this))


async def delete_rejected_conversation(tx: Tx, message: MessageRow) -> bool:
    """Delete the conversation of a message that was rejected, if all others in it were rejected as well. Returns False
    if it stays.
    """
    every = await list_messages_of_conversation(tx, message.owner_id, message.conversation_id)
    # One that fails after the platform has accepted it has the platform's id.
    if any(row.status is not MessageStatus.FAILED or row.vendor_id is not None for row in every):
        return False
    conversation = await find_conversation(tx, message.owner_id, message.account_id, message.conversation_id)
    await delete_messages(tx, message.owner_id, message.account_id, [row.id for row in every])
    if conversation is not None:
        await delete_conversation(tx, conversation)
    return True


def _split_ids(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + _IDS_PER_STATEMENT] for start in range(0, len(ids), _IDS_PER_STATEMENT))
