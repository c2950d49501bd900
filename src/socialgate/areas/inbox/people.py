"""Who a conversation is with. People have several ids on a platform, and a phone number can pass to somebody else."""

from collections.abc import Collection
from typing import NamedTuple

from socialgate.areas.inbox import placing, store
from socialgate.areas.inbox.tables import ConversationRow
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.messages import Contact
from socialgate.core.db import Tx


class Found(NamedTuple):
    """The conversation with a person, which of their ids lead nowhere so far, and which lead to another one."""

    conversation: ConversationRow | None
    new: Collection[str]
    elsewhere: Collection[str]


async def find(tx: Tx, account: AccountRow, contact: Contact) -> Found:
    """Find the conversation with a person, under any of their ids."""
    names = contact.names
    led = await placing.conversations_of(tx, account.owner_id, account.id, names)
    found = await _chosen(tx, contact, led)
    elsewhere = [name for name, one in led.items() if found is None or one.id != found.id]
    return Found(found, names - led.keys(), elsewhere)


async def name(tx: Tx, conversation: ConversationRow, contact: Contact, found: Found) -> None:
    """Let all ids of a person lead to their conversation.

    A number that was somebody else's is theirs now: what is sent to it must not go to the other person, and what is
    sent to the other person must not go to it.
    """
    if found.new:
        await store.add_aliases(tx, conversation, found.new)
    if found.elsewhere:
        await store.take_aliases(tx, conversation, found.elsewhere)
        if contact.phone is not None:
            await store.forget_phone(tx, conversation, contact.phone)


async def _chosen(tx: Tx, contact: Contact, led: dict[str, ConversationRow]) -> ConversationRow | None:
    """Choose among several: the oldest, where the history is, unless it is with somebody who had the number before."""
    own, oldest = led.get(contact.id), min(led.values(), key=lambda one: one.id, default=None)
    if oldest is None or oldest == own or _is_number(contact.id):
        return oldest
    permanent = {alias for alias in await store.aliases_of(tx, oldest) if not _is_number(alias)}
    is_same = not permanent or bool(permanent & contact.names)
    return oldest if is_same else own


def _is_number(name: str) -> bool:
    """Return whether an id is a phone number, as WhatsApp writes them. Other platforms have one id for each person."""
    return name.removeprefix("+").isdecimal()
