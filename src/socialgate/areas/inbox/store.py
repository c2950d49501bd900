"""Conversations and messages. Every finder takes the owner first."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from socialgate.areas.inbox.tables import (
    ConversationRow,
    MessageRow,
    contact_aliases,
    conversations,
    early_reports,
    message_ids,
    messages,
    read_conversation,
    read_message,
)
from socialgate.contracts.accounts import AccountMoved, AccountRow
from socialgate.contracts.messages import MessageStatus
from socialgate.core.db import Id, Tx, UtcDateTime
from socialgate.core.ids import new_id
from socialgate.core.statements import is_one_of
from socialgate.web.pagination import FittingList, TimePosition, build_response_size

_EARLY_REPORT_RETENTION = timedelta(days=2)
# How far back a platform is searched for a message, with a margin.
_LOOKUP_WINDOW = timedelta(hours=1)
_ECHO_PLACEHOLDER_PREFIX = "echo of "

# Built once: for each message that comes in, building them took longer than running them.
_SELECT_CONVERSATIONS_BY_ALIAS = (
    sa.select(*conversations.c, contact_aliases.c.alias)
    .join(
        contact_aliases,
        sa.and_(
            contact_aliases.c.owner_id == conversations.c.owner_id,
            contact_aliases.c.conversation_id == conversations.c.id,
        ),
    )
    .where(
        contact_aliases.c.owner_id == sa.bindparam("owner"),
        contact_aliases.c.account_id == sa.bindparam("account"),
        is_one_of(contact_aliases.c.alias, "names"),
    )
    .order_by(conversations.c.id)
)
_UPDATE_CONVERSATION = sa.update(conversations).where(
    conversations.c.owner_id == sa.bindparam("of_owner"), conversations.c.id == sa.bindparam("of_id")
)
_INSERT_MESSAGE = sa.insert(messages).returning(messages)
_EARLY_REPORT_KEY = (
    early_reports.c.owner_id == sa.bindparam("owner"),
    early_reports.c.account_id == sa.bindparam("account"),
    early_reports.c.vendor_id == sa.bindparam("vendor"),
)
_SELECT_EARLY_REPORTS = sa.select(early_reports.c.report).where(*_EARLY_REPORT_KEY).order_by(early_reports.c.id)
_DELETE_EARLY_REPORTS = sa.delete(early_reports).where(*_EARLY_REPORT_KEY)


async def find_conversation(tx: Tx, owner_id: str, account_id: str, conversation_id: str) -> ConversationRow | None:
    row = await tx.first(
        sa.select(conversations).where(
            conversations.c.owner_id == owner_id,
            conversations.c.account_id == account_id,
            conversations.c.id == conversation_id,
        )
    )
    return None if row is None else read_conversation(row)


async def find_profile_id_of_conversation(tx: Tx, owner_id: str, conversation_id: str) -> str | None:
    """Return the profile that a conversation belongs to."""
    pair = conversations.c.owner_id == owner_id, conversations.c.id == conversation_id
    profile_id: str | None = await tx.scalar(sa.select(conversations.c.profile_id).where(*pair))
    return profile_id


async def find_conversation_by_contact(
    tx: Tx, owner_id: str, account_id: str, names: Collection[str]
) -> ConversationRow | None:
    """Find the conversation with a person, under any of the platform's ids for them: the oldest, if there are two."""
    return next(iter((await list_conversations_by_contact(tx, owner_id, account_id, names)).values()), None)


async def list_conversations_by_contact(
    tx: Tx, owner_id: str, account_id: str, names: Collection[str]
) -> dict[str, ConversationRow]:
    """Return the conversation that each of these ids leads to, the oldest first."""
    values = {"owner": owner_id, "account": account_id, "names": sorted(names)}
    return {row[-1]: read_conversation(row[:-1]) for row in await tx.all(_SELECT_CONVERSATIONS_BY_ALIAS, values)}


async def insert_conversation(tx: Tx, owner_id: str, values: Mapping[str, Any]) -> ConversationRow:
    inserted = await tx.one(sa.insert(conversations).values(owner_id=owner_id, **values).returning(conversations))
    return read_conversation(inserted)


async def list_aliases(tx: Tx, conversation: ConversationRow) -> set[str]:
    """Return all ids that lead to a conversation."""
    statement = sa.select(contact_aliases.c.alias).where(
        contact_aliases.c.owner_id == conversation.owner_id,
        contact_aliases.c.account_id == conversation.account_id,
        contact_aliases.c.conversation_id == conversation.id,
    )
    return {row.alias for row in await tx.all(statement)}


async def reassign_aliases(tx: Tx, conversation: ConversationRow, names: Collection[str]) -> None:
    """Let ids that lead to another conversation lead to this one."""
    statement = sa.update(contact_aliases).where(
        contact_aliases.c.owner_id == conversation.owner_id,
        contact_aliases.c.account_id == conversation.account_id,
        contact_aliases.c.alias.in_(sorted(names)),
    )
    await tx.execute(statement.values(conversation_id=conversation.id))


async def clear_phone_elsewhere(tx: Tx, conversation: ConversationRow, phone: str) -> None:
    """Remove a number from all conversations of the account except this one."""
    statement = sa.update(conversations).where(
        conversations.c.owner_id == conversation.owner_id,
        conversations.c.account_id == conversation.account_id,
        conversations.c.phone == phone,
        conversations.c.id != conversation.id,
    )
    await tx.execute(statement.values(phone=None, updated_at=tx.now))


async def add_aliases(tx: Tx, conversation: ConversationRow, names: Collection[str]) -> None:
    rows = [
        {
            "owner_id": conversation.owner_id,
            "account_id": conversation.account_id,
            "alias": name,
            "conversation_id": conversation.id,
        }
        for name in sorted(names)
    ]
    await tx.execute(tx.build_insert_if_absent(contact_aliases), rows)


async def update_conversation(tx: Tx, owner_id: str, conversation_id: str, values: Mapping[str, Any]) -> None:
    which = {"of_owner": owner_id, "of_id": conversation_id}
    await tx.execute(_UPDATE_CONVERSATION, {**values, "updated_at": tx.now, **which})


async def move_conversations_of_account(tx: Tx, fact: AccountMoved, account: AccountRow) -> None:
    """Move the conversations of an account with it to another profile."""
    statement = sa.update(conversations).where(
        conversations.c.owner_id == account.owner_id, conversations.c.account_id == account.id
    )
    await tx.execute(statement.values(profile_id=fact.profile_id))


async def list_messages_page(
    tx: Tx, owner_id: str, conversation_id: str, limit: int, after: TimePosition | None
) -> tuple[Sequence[MessageRow], bool]:
    """List messages, newest first, and whether more follow."""
    values: dict[str, Any] = {"owner": owner_id, "conversation": conversation_id}
    if after is not None:
        values |= {"after_at": after.at, "after_id": after.id}
    filters = () if after is None else ("after",)
    return await _FITTING_MESSAGES_LIST.fetch(tx, read_message, filters, values, limit=limit, most=limit + 1)


_FITTING_MESSAGES_LIST = FittingList(
    messages,
    build_response_size(
        messages.c.text, messages.c.attachments, messages.c.reactions, messages.c.data, messages.c.error
    ),
    [messages.c.at.desc(), messages.c.id.desc()],
    messages.c.owner_id == sa.bindparam("owner"),
    messages.c.conversation_id == sa.bindparam("conversation"),
    filters={
        "after": sa.tuple_(messages.c.at, messages.c.id)
        < sa.tuple_(sa.bindparam("after_at", type_=UtcDateTime), sa.bindparam("after_id", type_=Id))
    },
)


async def find_oldest_message_time(tx: Tx, conversation: ConversationRow) -> datetime | None:
    """Return when the oldest stored message of a conversation was written."""
    table = messages
    statement = sa.select(table.c.at).where(
        table.c.owner_id == conversation.owner_id, table.c.conversation_id == conversation.id
    )
    oldest: datetime | None = await tx.scalar(statement.order_by(table.c.at).limit(1))
    return oldest


async def find_message(tx: Tx, owner_id: str, message_id: str) -> MessageRow | None:
    row = await tx.first(sa.select(messages).where(messages.c.owner_id == owner_id, messages.c.id == message_id))
    return None if row is None else read_message(row)


async def find_message_by_vendor_ids(
    tx: Tx, owner_id: str, account_id: str, vendor_ids: Collection[str]
) -> MessageRow | None:
    statement = (
        sa.select(messages)
        .join(
            message_ids,
            sa.and_(message_ids.c.owner_id == messages.c.owner_id, message_ids.c.message_id == messages.c.id),
        )
        .where(
            message_ids.c.owner_id == owner_id,
            message_ids.c.account_id == account_id,
            message_ids.c.vendor_id.in_(sorted(vendor_ids)),
        )
        .limit(1)
    )
    row = await tx.first(statement)
    return None if row is None else read_message(row)


async def list_unread_sent_until(tx: Tx, owner_id: str, conversation_id: str, until: datetime) -> list[MessageRow]:
    """List messages sent until then that have not been read so far, including those that may not have been sent."""
    statement = sa.select(messages).where(
        messages.c.owner_id == owner_id,
        messages.c.conversation_id == conversation_id,
        messages.c.direction == "outbound",
        messages.c.at <= until,
        messages.c.status.in_(("sending", "unconfirmed", "sent", "delivered")),
    )
    return [read_message(row) for row in await tx.all(statement)]


async def list_messages_awaiting_echo(
    tx: Tx, owner_id: str, conversation_id: str, text: str, since: datetime, until: datetime
) -> list[MessageRow]:
    """List messages with this text whose echo has not come: they have no platform id yet, or one that differs."""
    has_none = sa.and_(messages.c.vendor_id.is_(None), messages.c.status.in_(("sending", "unconfirmed")))
    differs = sa.exists().where(
        message_ids.c.owner_id == messages.c.owner_id,
        message_ids.c.account_id == messages.c.account_id,
        message_ids.c.vendor_id == sa.literal(_ECHO_PLACEHOLDER_PREFIX) + messages.c.id,
    )
    statement = sa.select(messages).where(
        messages.c.owner_id == owner_id,
        messages.c.conversation_id == conversation_id,
        messages.c.text == text,
        messages.c.at >= since,
        messages.c.at <= until,
        sa.or_(has_none, differs),
    )
    return [read_message(row) for row in await tx.all(statement.order_by(messages.c.at, messages.c.id))]


def build_echo_placeholder(message_id: str) -> str:
    """Return the placeholder for the id of an echo that is not known yet."""
    return f"{_ECHO_PLACEHOLDER_PREFIX}{message_id}"


async def delete_echo_placeholder(tx: Tx, message: MessageRow) -> None:
    """Forget that the echo of a message is awaited."""
    await tx.execute(
        sa.delete(message_ids).where(
            message_ids.c.owner_id == message.owner_id,
            message_ids.c.account_id == message.account_id,
            message_ids.c.vendor_id == build_echo_placeholder(message.id),
        )
    )


async def list_vendor_ids_of_others(tx: Tx, owner_id: str, message_id: str) -> frozenset[str]:
    """Return the platform's ids of the other messages sent from here in the same conversation at about that time."""
    message = await find_message(tx, owner_id, message_id)
    if message is None:
        return frozenset()
    statement = (
        sa.select(message_ids.c.vendor_id)
        .join(
            messages,
            sa.and_(messages.c.owner_id == message_ids.c.owner_id, messages.c.id == message_ids.c.message_id),
        )
        .where(
            messages.c.owner_id == owner_id,
            messages.c.conversation_id == message.conversation_id,
            messages.c.at >= message.at - _LOOKUP_WINDOW,
            messages.c.id != message_id,
            messages.c.source != "platform",
        )
    )
    return frozenset(row.vendor_id for row in await tx.all(statement))


async def claim_vendor_id(tx: Tx, owner_id: str, account_id: str, vendor_id: str, message_id: str) -> bool:
    """Record which message a vendor's id belongs to. Returns False if another message has it."""
    values = {"owner_id": owner_id, "account_id": account_id, "vendor_id": vendor_id, "message_id": message_id}
    return await tx.execute_and_count(tx.build_insert_if_absent(message_ids), values) == 1


async def move_vendor_id(tx: Tx, owner_id: str, account_id: str, vendor_id: str, message_id: str) -> None:
    """Point a vendor's id to another message."""
    statement = sa.update(message_ids).where(
        message_ids.c.owner_id == owner_id,
        message_ids.c.account_id == account_id,
        message_ids.c.vendor_id == vendor_id,
    )
    await tx.execute(statement.values(message_id=message_id))


async def insert_message(tx: Tx, owner_id: str, values: Mapping[str, Any]) -> MessageRow:
    return read_message(await tx.one(_INSERT_MESSAGE, {"owner_id": owner_id, **values}))


async def update_message(tx: Tx, owner_id: str, message_id: str, values: Mapping[str, Any]) -> None:
    statement = sa.update(messages).where(messages.c.owner_id == owner_id, messages.c.id == message_id)
    await tx.execute(statement.values(**values))


async def set_vendor_id_if_missing(tx: Tx, message: MessageRow, vendor_id: str) -> None:
    """Set the shown vendor id, if there is none yet."""
    await tx.execute(_update_message(message).where(messages.c.vendor_id.is_(None)).values(vendor_id=vendor_id))


async def record_delivery_times(tx: Tx, message: MessageRow, at: datetime, *, read: bool) -> None:
    """Record when a message arrived and when it was read. The first report counts."""
    moment = sa.literal(at, UtcDateTime)
    values = {"delivered_at": sa.func.coalesce(messages.c.delivered_at, moment)}
    if read:
        values["read_at"] = sa.func.coalesce(messages.c.read_at, moment)
    await tx.execute(_update_message(message).values(**values))


async def advance_status(
    tx: Tx,
    message: MessageRow,
    before: Collection[MessageStatus],
    status: MessageStatus,
    error: Mapping[str, Any] | None,
) -> bool:
    """Update the status of a message. Returns False if it is already further along."""
    statement = _update_message(message).where(
        messages.c.status.in_([str(message_status) for message_status in before])
    )
    return await tx.execute_and_count(statement.values(status=status, error=error)) > 0


def _update_message(message: MessageRow) -> sa.Update:
    return sa.update(messages).where(messages.c.owner_id == message.owner_id, messages.c.id == message.id)


async def merge_echo(tx: Tx, owner_id: str, twin_id: str, message_id: str) -> None:
    """Point everything that refers to a duplicate to the message, and delete the duplicate."""
    ids = sa.update(message_ids).where(message_ids.c.owner_id == owner_id, message_ids.c.message_id == twin_id)
    await tx.execute(ids.values(message_id=message_id))
    await tx.execute(sa.delete(messages).where(messages.c.owner_id == owner_id, messages.c.id == twin_id))


async def insert_early_report(
    tx: Tx, owner_id: str, account_id: str, vendor_id: str, report: Mapping[str, Any]
) -> None:
    values = {
        "owner_id": owner_id,
        "id": new_id("rep"),
        "account_id": account_id,
        "vendor_id": vendor_id,
        "report": dict(report),
        "expires_at": tx.now + _EARLY_REPORT_RETENTION,
    }
    await tx.execute(sa.insert(early_reports).values(**values))


async def pop_early_reports(tx: Tx, owner_id: str, account_id: str, vendor_id: str) -> Sequence[Mapping[str, Any]]:
    """Return what was reported about a message before it was known, in order of arrival."""
    values = {"owner": owner_id, "account": account_id, "vendor": vendor_id}
    rows = await tx.all(_SELECT_EARLY_REPORTS, values)
    if rows:
        await tx.execute(_DELETE_EARLY_REPORTS, values)
    return [row.report for row in rows]


async def purge_early_reports(tx: Tx, now: datetime) -> int:
    return await tx.execute_and_count(sa.delete(early_reports).where(early_reports.c.expires_at < now))
