"""Erasing conversations, with everything that is stored about the person, wherever it was written.

A conversation is deleted by request. One that an automation opened because of a lead is also deleted when the lead is
erased: the person never wrote to the account, and the number is that of the lead.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from socialgate.areas.inbox import erasing_store as store
from socialgate.areas.inbox.changes import list_media_ids
from socialgate.areas.inbox.recorder import SEND_OPERATION_NAME
from socialgate.areas.inbox.store import find_conversation, list_aliases, update_conversation
from socialgate.areas.inbox.tables import ConversationRow, MessageRow
from socialgate.areas.media.service import MediaService
from socialgate.areas.operations import store as operations
from socialgate.contracts.automations import SubjectErased
from socialgate.contracts.messages import ConversationBusy, ConversationErased, MessageStatus
from socialgate.contracts.webhooks import StoredWebhooks
from socialgate.core import outbox
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import NotFound
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web import idempotency
from socialgate.web.schemas import DeletionConfirmation

_NON_DIGIT_PATTERN = re.compile(r"[^0-9]")
# Fewer digits are no phone number, and would match too much.
_MIN_PHONE_DIGITS = 7
# The messages that are erased in one transaction.
MAX_ERASED_MESSAGES_PER_UNIT = 200
# Longer than any transaction takes: events that it writes become visible when it ends.
_MAX_ERASURE_UNIT_DURATION = timedelta(hours=1)


class ConversationEraser:
    def __init__(self, library: MediaService, webhooks: StoredWebhooks) -> None:
        self._library = library
        self._webhooks = webhooks

    async def delete(self, work: UnitOfWork, account_id: str, conversation_id: str) -> DeletionConfirmation:
        """Delete a conversation. Its account may have been disconnected: the person can ask for it all the same.

        A conversation of thousands of messages is erased in several transactions, in which nobody else can write on
        SQLite, from what was written about it to the conversation itself. If the process dies in between, what is left
        is erased when the request, which was not answered, is sent again.
        """
        caller, since = work.caller, datetime.now(UTC) - _MAX_ERASURE_UNIT_DURATION
        conversation = await work.read(self._find, caller, account_id, conversation_id)
        await work.read(_require_all_idle, conversation)
        await self._erase_most(work.db, conversation)
        return await work.write(self._delete, caller, account_id, conversation_id, since)

    async def erase_ahead(self, db: Database, owner_id: str, subject_key: str, values: Sequence[str]) -> datetime:
        """Erase most of the conversations that automations opened for a subject, like one that is deleted."""
        since = datetime.now(UTC) - _MAX_ERASURE_UNIT_DURATION
        opened = await db.read(_find_opened, owner_id, subject_key, values)
        for conversation, _ in opened:
            await db.read(_require_all_idle, conversation)
        for conversation, first_message_id in opened:
            await self._erase_most(db, conversation, first_message_id)
        return since

    async def _erase_most(
        self, db: Database, conversation: ConversationRow, kept_message_id: str | None = None
    ) -> None:
        """Erase what takes long about a conversation, except for what one transaction can erase.

        The message to keep is the one by which the conversation is known to belong to a subject.
        """
        for name, change in _EVENT_REDACTIONS:
            event_ids = await db.read(outbox.find_events_mentioning, conversation.owner_id, name, conversation.id)
            for start in range(0, len(event_ids), outbox.MAX_REDACTED_EVENTS_PER_BATCH):
                some = event_ids[start : start + outbox.MAX_REDACTED_EVENTS_PER_BATCH]
                await db.write(outbox.redact_events, conversation.owner_id, some, change)
        names = await db.read(_list_names, conversation)
        await self._webhooks.erase_stored_webhooks(db, conversation.owner_id, conversation.account_id, names)
        while await db.write(self._erase_oldest_messages, conversation, kept_message_id):
            continue

    async def _find(self, tx: Tx, caller: Caller, account_id: str, conversation_id: str) -> ConversationRow:
        conversation = await find_conversation(tx, caller.owner_id, account_id, conversation_id)
        if conversation is None:
            raise NotFound(
                "The account has no conversation with this id. GET /accounts/{accountId}/conversations lists them."
            )
        caller.require_profile_access(conversation.profile_id)
        return conversation

    async def _delete(
        self, tx: Tx, caller: Caller, account_id: str, conversation_id: str, since: datetime
    ) -> DeletionConfirmation:
        await tx.lock(f"messages {account_id}")
        conversation = await self._find(tx, caller, account_id, conversation_id)
        await self._erase(tx, conversation, since)
        return DeletionConfirmation(id=conversation.id)

    async def _erase_oldest_messages(self, tx: Tx, conversation: ConversationRow, kept_message_id: str | None) -> bool:
        """Erase the oldest messages of a conversation, except for one, if it has more than are erased at once. Returns
        whether it has even more.
        """
        tx.erases = True
        owner_id, account_id = conversation.owner_id, conversation.account_id
        await tx.lock(f"messages {account_id}")
        messages = await store.list_messages_of_conversation(
            tx, owner_id, conversation.id, MAX_ERASED_MESSAGES_PER_UNIT + 1
        )
        if len(messages) <= MAX_ERASED_MESSAGES_PER_UNIT:
            return False
        messages = [message for message in messages if message.id != kept_message_id][:MAX_ERASED_MESSAGES_PER_UNIT]
        _require_idle(messages)
        await self._erase_messages(tx, conversation, messages)
        return True

    async def _erase_messages(self, tx: Tx, conversation: ConversationRow, messages: Sequence[MessageRow]) -> None:
        owner_id, account_id = conversation.owner_id, conversation.account_id
        ids = [message.id for message in messages]
        await self._library.delete_unused(tx, owner_id, _list_received_file_ids(messages))
        await operations.erase_requests(tx, owner_id, account_id, SEND_OPERATION_NAME, "messageId", ids)
        await store.delete_messages(tx, owner_id, account_id, ids)
        names = frozenset(await _list_names(tx, conversation))
        erased = ConversationErased(
            account_id=account_id, conversation_id=conversation.id, message_ids=tuple(ids), names=names
        )
        await tx.publish_fact(erased, owner_id)

    async def handle_subject_erased(self, tx: Tx, fact: SubjectErased, owner_id: str) -> None:
        """Erase what automations sent because of a subject, with the conversations that they opened for it."""
        await store.mark_subject_erased(tx, owner_id, fact.key)
        for (account_id, conversation_id), message_ids in await _group_sent(tx, owner_id, fact.key):
            await tx.lock(f"messages {account_id}")
            conversation = await find_conversation(tx, owner_id, account_id, conversation_id)
            if conversation is None:
                continue
            if await _was_opened_by(tx, conversation, message_ids, fact.values):
                await self._erase(tx, conversation, fact.since)
            else:
                await self._erase_contents(tx, conversation, message_ids)

    async def _erase(self, tx: Tx, conversation: ConversationRow, since: datetime | None = None) -> None:
        """Erase a conversation. Events before a time were redacted already, if one is named."""
        tx.erases = True
        messages = await store.list_messages_of_conversation(tx, conversation.owner_id, conversation.id)
        _require_idle(messages)
        await self._redact_conversation(tx, conversation, since)
        await self._erase_messages(tx, conversation, messages)
        await store.delete_conversation(tx, conversation)

    async def _erase_contents(self, tx: Tx, conversation: ConversationRow, message_ids: Sequence[str]) -> None:
        """Erase what messages say. The conversation is with somebody else, or was there before."""
        owner_id = conversation.owner_id
        _require_idle(await store.list_messages_by_id(tx, owner_id, message_ids))
        await store.erase_message_contents(tx, owner_id, message_ids)
        await operations.erase_requests(
            tx, owner_id, conversation.account_id, SEND_OPERATION_NAME, "messageId", message_ids
        )
        shown = conversation.last_message
        if shown is not None and shown["id"] in message_ids:
            await update_conversation(tx, owner_id, conversation.id, {"last_message": {**shown, "text": ""}})

    async def _redact_conversation(self, tx: Tx, conversation: ConversationRow, since: datetime | None) -> None:
        """Erase it from events, and from the responses that are kept for idempotency keys."""
        owner_id, account_id = conversation.owner_id, conversation.account_id
        for name, change in _EVENT_REDACTIONS:
            event_ids = await outbox.find_events_mentioning(tx, owner_id, name, conversation.id, since)
            await outbox.redact_events(tx, owner_id, event_ids, change)
        paths = [f"/accounts/{account_id}/messages", f"/accounts/{account_id}/whatsapp/send"]
        await idempotency.redact_responses(tx, owner_id, paths, conversation.id, _redact_contents)


async def _list_names(tx: Tx, conversation: ConversationRow) -> set[str]:
    """Return every id of the person on the platform, and their number."""
    names = {conversation.contact_id, *(await list_aliases(tx, conversation))}
    return names | {conversation.phone} if conversation.phone else names


async def _group_sent(tx: Tx, owner_id: str, subject_key: str) -> list[tuple[tuple[str, str], list[str]]]:
    """Return what was sent for a subject: the ids of messages by account and conversation, always in the same order."""
    sent: dict[tuple[str, str], list[str]] = defaultdict(list)
    for message in await store.list_messages_of_subject(tx, owner_id, subject_key):
        sent[message.account_id, message.conversation_id].append(message.id)
    return sorted(sent.items())


async def _was_opened_by(
    tx: Tx, conversation: ConversationRow, message_ids: Sequence[str], values: Sequence[str]
) -> bool:
    """Return whether a conversation began with one of these messages, and is with the person who stated the values."""
    first = await store.find_first_message_id(tx, conversation.owner_id, conversation.id)
    return first in message_ids and _is_with(conversation, values)


async def _find_opened(
    tx: Tx, owner_id: str, subject_key: str, values: Sequence[str]
) -> list[tuple[ConversationRow, str | None]]:
    """Find the conversations that automations opened for a subject, each with its first message."""
    opened = []
    for (account_id, conversation_id), message_ids in await _group_sent(tx, owner_id, subject_key):
        conversation = await find_conversation(tx, owner_id, account_id, conversation_id)
        if conversation is not None and await _was_opened_by(tx, conversation, message_ids, values):
            opened.append((conversation, await store.find_first_message_id(tx, owner_id, conversation_id)))
    return opened


async def _require_all_idle(tx: Tx, conversation: ConversationRow) -> None:
    """Reject before anything is erased what would be rejected at the end."""
    if await store.is_sending_message(tx, conversation.owner_id, conversation.id):
        raise _build_busy_error()


def _require_idle(messages: Sequence[MessageRow]) -> None:
    if any(message.status is MessageStatus.SENDING for message in messages):
        raise _build_busy_error()


def _build_busy_error() -> ConversationBusy:
    return ConversationBusy("A message is being sent to this person right now. Send the request again in a minute.")


def _list_received_file_ids(messages: Sequence[MessageRow]) -> list[str]:
    """Return the files that people sent. Those that were sent to them belong to the owner."""
    return [
        file for message in messages if message.source == "platform" for file in list_media_ids(message.attachments)
    ]


def _is_with(conversation: ConversationRow, values: Sequence[str]) -> bool:
    """Return whether a conversation is with the person who stated these values, one of which is then the number, with
    or without the code of the country.
    """
    number = _NON_DIGIT_PATTERN.sub("", conversation.phone or conversation.contact_id)
    digits = (_NON_DIGIT_PATTERN.sub("", value).lstrip("0") for value in values)
    return any(len(digit) >= _MIN_PHONE_DIGITS and number.endswith(digit) for digit in digits)


def _redact_message(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "from": "", "name": None, "text": "", "msgId": "", "attachments": []}


def _redact_ids(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "msgId": None}


_EVENT_REDACTIONS = (("message.received", _redact_message), ("message.status", _redact_ids))


def _redact_contents(answer: Mapping[str, Any]) -> dict[str, Any]:
    erased: dict[str, Any] = {"msgId": None, "text": "", "attachments": [], "data": {}, "options": None}
    return {**answer, **{name: value for name, value in erased.items() if name in answer}}
