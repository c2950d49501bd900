"""Who a conversation is with. People have several ids on a platform, and a phone number can pass to somebody else."""

from collections.abc import Collection
from typing import NamedTuple

from socialgate.areas.inbox import placing, store
from socialgate.areas.inbox.tables import ConversationRow
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.messages import Contact
from socialgate.core.db import Tx


class ContactMatch(NamedTuple):
    """The conversation with a person, which of their ids lead nowhere so far, and which lead to another one."""

    conversation: ConversationRow | None
    unknown_ids: Collection[str]
    ids_of_other_conversations: Collection[str]


async def find_conversation(tx: Tx, account: AccountRow, contact: Contact) -> ContactMatch:
    """Find the conversation with a person, under any of their ids."""
    names = contact.all_ids
    led = await placing.find_conversations_by_contact_ids(tx, account.owner_id, account.id, names)
    existing_row = await _choose_conversation(tx, contact, led)
    elsewhere = [name for name, row in led.items() if existing_row is None or row.id != existing_row.id]
    return ContactMatch(existing_row, names - led.keys(), elsewhere)


async def link_contact_ids(tx: Tx, conversation: ConversationRow, contact: Contact, result: ContactMatch) -> None:
    """Let all ids of a person lead to their conversation.

    A number that was somebody else's is theirs now: what is sent to it must not go to the other person, and what is
    sent to the other person must not go to it.
    """
    if result.unknown_ids:
        await store.add_aliases(tx, conversation, result.unknown_ids)
    if result.ids_of_other_conversations:
        await store.reassign_aliases(tx, conversation, result.ids_of_other_conversations)
        if contact.phone is not None:
            await store.clear_phone_elsewhere(tx, conversation, contact.phone)


async def _choose_conversation(
    tx: Tx, contact: Contact, conversations_by_id: dict[str, ConversationRow]
) -> ConversationRow | None:
    """Choose among several: the oldest, where the history is, unless it is with somebody who had the number before."""
    own, oldest = (
        conversations_by_id.get(contact.id),
        min(conversations_by_id.values(), key=lambda row: row.id, default=None),
    )
    if oldest is None or oldest == own or _is_number(contact.id):
        return oldest
    permanent = {alias for alias in await store.list_aliases(tx, oldest) if not _is_number(alias)}
    is_same = not permanent or bool(permanent & contact.all_ids)
    return oldest if is_same else own


def _is_number(name: str) -> bool:
    """Return whether an id is a phone number, as WhatsApp writes them. Other platforms have one id for each person."""
    return name.removeprefix("+").isdecimal()
