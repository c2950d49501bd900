"""Erasing conversations, with everything that is stored about the person, wherever it was written.

A conversation is deleted by request. One that an automation opened because of a lead is also deleted when the lead is
erased: the person never wrote to the account, and the number is that of the lead.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from socialgate.areas.inbox import erasing_store as store
from socialgate.areas.inbox.changes import stored_files
from socialgate.areas.inbox.ledger import SEND
from socialgate.areas.inbox.store import aliases_of, find_conversation, update_conversation
from socialgate.areas.inbox.tables import ConversationRow, MessageRow
from socialgate.areas.media.service import Library
from socialgate.areas.operations import store as operations
from socialgate.contracts.automations import SubjectErased
from socialgate.contracts.messages import ConversationBusy, ConversationErased, MessageStatus
from socialgate.core import outbox
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import NotFound
from socialgate.web import idempotency
from socialgate.web.schema import Deleted

_NOT_A_DIGIT = re.compile(r"[^0-9]")
# Fewer digits are no phone number, and would match too much.
_MIN_DIGITS = 7


class Erasure:
    def __init__(self, library: Library) -> None:
        self._library = library

    async def delete(self, tx: Tx, caller: Caller, account_id: str, conversation_id: str) -> Deleted:
        """Delete a conversation. Its account may have been disconnected: the person can ask for it all the same."""
        await tx.lock(f"messages {account_id}")
        conversation = await find_conversation(tx, caller.owner_id, account_id, conversation_id)
        if conversation is None:
            raise NotFound(
                "The account has no conversation with this id. GET /accounts/{accountId}/conversations lists them."
            )
        caller.require_profile(conversation.profile_id)
        await self._erase(tx, conversation)
        return Deleted(id=conversation.id)

    async def subject_erased(self, tx: Tx, fact: SubjectErased, owner_id: str) -> None:
        """Erase what automations sent because of a subject, with the conversations that they opened for it."""
        await store.close_subject(tx, owner_id, fact.key)
        sent: dict[tuple[str, str], list[str]] = defaultdict(list)
        for message in await store.messages_of_subject(tx, owner_id, fact.key):
            sent[message.account_id, message.conversation_id].append(message.id)
        for (account_id, conversation_id), message_ids in sorted(sent.items()):
            await tx.lock(f"messages {account_id}")
            conversation = await find_conversation(tx, owner_id, account_id, conversation_id)
            if conversation is None:
                continue
            first = await store.first_message_id(tx, owner_id, conversation_id)
            if first in message_ids and _is_with(conversation, fact.values):
                await self._erase(tx, conversation)
            else:
                await self._erase_contents(tx, conversation, message_ids)

    async def _erase(self, tx: Tx, conversation: ConversationRow) -> None:
        tx.erases = True
        owner_id, account_id = conversation.owner_id, conversation.account_id
        messages = await store.messages_of(tx, owner_id, conversation.id)
        _require_idle(messages)
        ids = [message.id for message in messages]
        names = {conversation.contact_id, *(await aliases_of(tx, conversation))}
        names |= {conversation.phone} if conversation.phone else set()
        await self._library.delete_unused(tx, owner_id, _received_files(messages))
        await operations.forget(tx, owner_id, account_id, SEND, "messageId", ids)
        await self._redact(tx, conversation)
        await store.delete_messages(tx, owner_id, account_id, ids)
        await store.delete_conversation(tx, conversation)
        erased = ConversationErased(
            account_id=account_id, conversation_id=conversation.id, message_ids=tuple(ids), names=frozenset(names)
        )
        await tx.tell(erased, owner_id)

    async def _erase_contents(self, tx: Tx, conversation: ConversationRow, message_ids: Sequence[str]) -> None:
        """Erase what messages say. The conversation is with somebody else, or was there before."""
        owner_id = conversation.owner_id
        every = await store.messages_of(tx, owner_id, conversation.id)
        messages = [one for one in every if one.id in set(message_ids)]
        _require_idle(messages)
        await store.empty_messages(tx, owner_id, message_ids)
        await operations.forget(tx, owner_id, conversation.account_id, SEND, "messageId", message_ids)
        shown = conversation.last_message
        if shown is not None and shown["id"] in message_ids:
            await update_conversation(tx, owner_id, conversation.id, {"last_message": {**shown, "text": ""}})

    async def _redact(self, tx: Tx, conversation: ConversationRow) -> None:
        """Erase it from events, and from the responses that are kept for idempotency keys."""
        owner_id, account_id = conversation.owner_id, conversation.account_id
        for name, change in (("message.received", _without_message), ("message.status", _without_ids)):
            for event_id in await outbox.mentioning(tx, owner_id, name, conversation.id):
                await outbox.redact(tx, owner_id, event_id, change)
        paths = [f"/accounts/{account_id}/messages", f"/accounts/{account_id}/whatsapp/send"]
        await idempotency.redact(tx, owner_id, paths, conversation.id, _without_contents)


def _require_idle(messages: Sequence[MessageRow]) -> None:
    if any(message.status is MessageStatus.SENDING for message in messages):
        raise ConversationBusy("A message is being sent to this person right now. Send the request again in a minute.")


def _received_files(messages: Sequence[MessageRow]) -> list[str]:
    """Return the files that people sent. Those that were sent to them belong to the owner."""
    return [file for one in messages if one.source == "platform" for file in stored_files(one.attachments)]


def _is_with(conversation: ConversationRow, values: Sequence[str]) -> bool:
    """Return whether a conversation is with the person who stated these values, one of which is then the number, with
    or without the code of the country.
    """
    number = _NOT_A_DIGIT.sub("", conversation.phone or conversation.contact_id)
    digits = (_NOT_A_DIGIT.sub("", value).lstrip("0") for value in values)
    return any(len(one) >= _MIN_DIGITS and number.endswith(one) for one in digits)


def _without_message(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "from": "", "name": None, "text": "", "msgId": "", "attachments": []}


def _without_ids(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "msgId": None}


def _without_contents(answer: Mapping[str, Any]) -> dict[str, Any]:
    erased: dict[str, Any] = {"msgId": None, "text": "", "attachments": [], "data": {}, "options": None}
    return {**answer, **{name: value for name, value in erased.items() if name in answer}}
