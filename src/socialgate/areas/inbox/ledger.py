"""What platforms report about messages, recorded once: new messages, their status, and changes.

Reports arrive twice, late and in any order. A message is identified by the vendor's id; its position in the
conversation is the vendor's time, not that of the report; of two statuses the later one counts; and a report about a
message that is not known yet waits for it. Only one transaction at a time writes to an account: reports name a message
by several ids, and locks by id would be taken in a different order by each of them.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from socialgate.areas.inbox import people, placing, store
from socialgate.areas.inbox.changes import apply_change, in_short
from socialgate.areas.inbox.reporting import emit, emit_status
from socialgate.areas.inbox.row_values import build_contact_values, build_message_values
from socialgate.areas.inbox.tables import ConversationRow, Direction, MessageRow
from socialgate.areas.media.service import Library
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.messages import (
    Contact,
    ContactChanged,
    MessageChanged,
    MessageItem,
    MessageProgressed,
    MessageReported,
    MessageStatus,
)
from socialgate.contracts.operations import CallProven
from socialgate.core.db import Tx
from socialgate.core.ids import new_id
from socialgate.core.jobs.jobs import Jobs
from socialgate.core.metering import Metric, meter

FETCH = "messages.fetch"
SEND = "messages.send"
# Our copies of files outlive the platform's own, which expire within minutes to days.
FILES_KEPT = timedelta(days=365)
# How long after sending a message its echo may arrive.
_ECHO_AFTER = timedelta(minutes=10)
# The platform's clock may be this much behind ours.
_SKEW = timedelta(minutes=2)
_SECOND, _MICROSECOND = timedelta(seconds=1), timedelta(microseconds=1)
OPEN = frozenset({MessageStatus.SENDING, MessageStatus.UNCONFIRMED})
_RANKS = {
    MessageStatus.SENDING: 0,
    MessageStatus.UNCONFIRMED: 1,
    MessageStatus.SENT: 2,
    MessageStatus.FAILED: 3,
    MessageStatus.DELIVERED: 4,
    MessageStatus.READ: 5,
}


class MessageLedger:
    def __init__(self, jobs: Jobs, library: Library) -> None:
        self._jobs = jobs
        self._library = library

    async def reported(self, tx: Tx, fact: MessageReported, accounts: Sequence[AccountRow]) -> None:
        for account in accounts:
            await self.take(tx, account, fact.message)

    async def progressed(self, tx: Tx, fact: MessageProgressed, accounts: Sequence[AccountRow]) -> None:
        for account in accounts:
            await lock(tx, account)
            if fact.until is not None and fact.contact_id is not None:
                await self._progress_all(tx, account, fact, fact.contact_id, fact.until)
            else:
                await self._progress_one(tx, account, fact)

    async def changed(self, tx: Tx, fact: MessageChanged, accounts: Sequence[AccountRow]) -> None:
        for account in accounts:
            await lock(tx, account)
            message = await store.message_by_vendor(tx, account.owner_id, account.id, [fact.message_id])
            if message is None:
                await store.keep_early(tx, account.owner_id, account.id, fact.message_id, _as_report(fact))
            else:
                await self._change(tx, message, fact)

    async def renamed(self, tx: Tx, fact: ContactChanged, accounts: Sequence[AccountRow]) -> None:
        """Update the name of a person that has a conversation."""
        contact = fact.contact
        for account in accounts:
            names = {contact.id, *contact.aliases}
            known = await store.conversation_of(tx, account.owner_id, account.id, names)
            if known is not None:
                await self.conversation(tx, account, contact, known.last_at)

    async def take(self, tx: Tx, account: AccountRow, item: MessageItem, *, old: bool = False) -> MessageRow | None:
        """Record a message, unless it is known. An `old` one comes from the platform's history and is not reported."""
        await lock(tx, account)
        if item.reference is not None and await self._match_echo_by_reference(tx, account, item):
            return None
        message_id, item = new_id("msg"), await self._told_apart(tx, account, item)
        if not await store.claim_vendor_id(tx, account.owner_id, account.id, item.id, message_id):
            return None
        conversation = await self.conversation(tx, account, item.contact, item.at)
        if not old:
            item = msgspec.structs.replace(item, at=_in_order(conversation, item.at))
        if item.outbound and await self._match_echo_by_text(tx, account, conversation, item):
            return None
        values = build_message_values(item, message_id, conversation, tx.now)
        message = await store.insert_message(tx, account.owner_id, values)
        self._place(tx, conversation, message, counts=not old and not item.outbound)
        if not old and not item.outbound:
            meter(tx, account.owner_id, account.profile_id, Metric.MESSAGES_RECEIVED)
        if await self.apply_early(tx, account, message, item.id):
            message = await store.find_message(tx, account.owner_id, message_id) or message
        if message.deleted_at is None:
            silent, who = old or item.outbound, item.contact if item.contact.has_profile else None
            await self._announce(tx, account, conversation, message, who, silent=silent)
        return message

    async def _told_apart(self, tx: Tx, account: AccountRow, item: MessageItem) -> MessageItem:
        """Give a pressed button its own id if the platform names the message that has the button."""
        if item.tap_id is None:
            return item
        known = await store.message_by_vendor(tx, account.owner_id, account.id, [item.id])
        if known is None or known.direction is Direction.INBOUND:
            return item
        return msgspec.structs.replace(item, id=item.tap_id, reply_to=item.id)

    async def conversation(self, tx: Tx, account: AccountRow, contact: Contact, at: datetime) -> ConversationRow:
        """Find the conversation with a person, or start one. New details about the person are stored."""
        await lock(tx, account)
        person = await people.find(tx, account, contact)
        found = person.conversation
        known = {name: value for name, value in build_contact_values(contact).items() if value is not None}
        if found is None:
            values = {
                "id": new_id("conv"),
                "profile_id": account.profile_id,
                "account_id": account.id,
                "contact_id": contact.id,
                "last_at": at,
                "created_at": tx.now,
                "updated_at": tx.now,
                **known,
            }
            found = await store.insert_conversation(tx, account.owner_id, values)
        elif any(getattr(found, name) != value for name, value in known.items()):
            await store.update_conversation(tx, found.owner_id, found.id, known)
            found = msgspec.structs.replace(found, **known)
        await people.name(tx, found, contact, person)
        return found

    async def take_ids(self, tx: Tx, account: AccountRow, message_id: str, vendor_ids: Sequence[str]) -> None:
        """Record that these platform ids belong to this message. An echo that arrived before is the same message."""
        await lock(tx, account)
        for vendor_id in vendor_ids:
            if not await store.claim_vendor_id(tx, account.owner_id, account.id, vendor_id, message_id):
                twin = await store.message_by_vendor(tx, account.owner_id, account.id, [vendor_id])
                # Never a message that was sent from here: it is another one, whatever the platform calls them.
                if twin is not None and twin.id != message_id and twin.source == "platform":
                    await self._replace(tx, twin, message_id)

    async def _replace(self, tx: Tx, twin: MessageRow, message_id: str) -> None:
        """Let a message replace its echo, and take over its status."""
        await store.replace_message(tx, twin.owner_id, twin.id, message_id)
        message = await store.find_message(tx, twin.owner_id, message_id)
        if message is not None:
            error = twin.error["detail"] if twin.error else None
            await advance(tx, message, twin.status, twin.read_at or twin.delivered_at or twin.at, error)
            await self._show_newest(tx, message, twin.id)

    async def catch_up(self, tx: Tx, account: AccountRow, message: MessageRow, vendor_ids: Sequence[str]) -> None:
        """Process what was reported about a message before it was known to be sent, or by these ids."""
        for name in (*vendor_ids, message.id):
            await self.apply_early(tx, account, message, name)

    async def apply_early(self, tx: Tx, account: AccountRow, message: MessageRow, vendor_id: str) -> bool:
        """Process what was reported about a message before it was known. Returns False if nothing was."""
        reports = await store.take_early(tx, account.owner_id, account.id, vendor_id)
        for report in reports:
            fact = msgspec.convert(report["fact"], _FACTS[report["type"]], strict=False)
            current = await store.find_message(tx, message.owner_id, message.id)
            assert current is not None, "it was written in this transaction"
            match fact:
                case MessageProgressed():
                    await self._come_further(tx, account, current, fact)
                    for other in fact.vendor_ids:
                        await self.apply_early(tx, account, current, other)
                case MessageChanged():
                    await self._change(tx, current, fact)
        return bool(reports)

    async def _change(self, tx: Tx, message: MessageRow, fact: MessageChanged) -> None:
        """Apply a change, and show it in the list of conversations as well."""
        await apply_change(tx, self._library, message, fact)
        await self._show_newest(tx, message, message.id)

    async def _show_newest(self, tx: Tx, message: MessageRow, shown_id: str) -> None:
        """Update the summary of the newest message, if it is that of `shown_id`."""
        of_account = message.owner_id, message.account_id
        conversation = await placing.find_conversation(tx, *of_account, message.conversation_id)
        current = await store.find_message(tx, message.owner_id, message.id)
        shown = None if conversation is None else conversation.last_message
        if conversation is not None and current is not None and shown is not None and shown["id"] == shown_id:
            placing.place(tx, conversation, {"last_message": in_short(current)})

    async def announce_fetched(self, tx: Tx, account: AccountRow, message: MessageRow, *, is_first: bool) -> None:
        """Report a message whose files are downloaded, or could not be."""
        conversation = await store.find_conversation(tx, message.owner_id, account.id, message.conversation_id)
        assert conversation is not None, "a message has a conversation"
        await emit(tx, account, conversation, message, is_first=is_first)

    async def _announce(
        self,
        tx: Tx,
        account: AccountRow,
        conversation: ConversationRow,
        message: MessageRow,
        who: Contact | None,
        *,
        silent: bool,
    ) -> None:
        """Report it, unless it is `silent`, after downloading its files if it has any: platforms soon delete them.

        Somebody who writes for the first time is looked up, if the platform can be asked who they are. Text does not
        wait for that: messages are reported in their order.
        """
        is_first = conversation.last_inbound_at is None
        asks = who is not None and is_first and not silent and conversation.name is None
        if message.attachments or asks:
            wanted = {"messageId": message.id, "isFirst": is_first, "silent": silent or not message.attachments}
            wanted |= {"contactId": who.id} if asks and who is not None else {}
            await self._jobs.add(tx, FETCH, message.owner_id, wanted, key=message.id)
        if not message.attachments and not silent:
            await emit(tx, account, conversation, message, is_first=is_first)

    def _place(self, tx: Tx, conversation: ConversationRow, message: MessageRow, *, counts: bool) -> None:
        """Update what the list of conversations shows."""
        values: dict[str, Any] = {}
        if conversation.last_message is None or message.at >= conversation.last_at:
            values |= {"last_message": in_short(message), "last_at": message.at}
        if counts:
            values["unread"] = conversation.unread + 1
        if message.direction is Direction.INBOUND:
            values["last_inbound_at"] = max(message.at, conversation.last_inbound_at or message.at)
        placing.place(tx, conversation, values)

    async def _match_echo_by_reference(self, tx: Tx, account: AccountRow, item: MessageItem) -> bool:
        """Take the id of a message that was sent from here from its echo. Returns False if the item is no such echo."""
        assert item.reference is not None, "only what has a reference can be recognized by it"
        message = await store.find_message(tx, account.owner_id, item.reference)
        if message is None or message.account_id != account.id:
            return False
        await store.claim_vendor_id(tx, account.owner_id, account.id, item.id, message.id)
        await advance(tx, message, MessageStatus.SENT, item.at)
        await store.learn_id(tx, message, item.id)
        await self.catch_up(tx, account, message, [item.id])
        return True

    async def _match_echo_by_text(
        self, tx: Tx, account: AccountRow, conversation: ConversationRow, item: MessageItem
    ) -> bool:
        """Take the id of a message whose response was lost, or has not arrived yet, from its echo. Returns False if the
        item is no such echo.

        The message is recognized by its text and time. One that was sent for certain comes first; otherwise only if
        exactly one matches. It cannot be younger than its echo. Platforms that return our reference need no guess.
        """
        since, until = item.at - _ECHO_AFTER, item.at + _SKEW
        awaited = await store.waiting_for_id(tx, conversation.owner_id, conversation.id, item.text, since, until)
        # Without a text, only the type tells two messages apart.
        awaited = [one for one in awaited if item.text or one.type is item.type]
        awaited = [one for one in awaited if one.status not in OPEN][:1] or awaited
        if item.reference is not None or len(awaited) != 1:
            return False
        (message,) = awaited
        await store.move_vendor_id(tx, conversation.owner_id, conversation.account_id, item.id, message.id)
        await store.await_no_more(tx, message)
        await store.learn_id(tx, message, item.id)
        await advance(tx, message, MessageStatus.SENT, item.at)
        await self.catch_up(tx, account, message, [item.id])
        return True

    async def _progress_one(self, tx: Tx, account: AccountRow, fact: MessageProgressed) -> None:
        ids = [one for one in (fact.message_id, *fact.vendor_ids) if one]
        message = None
        if fact.reference is not None:
            found = await store.find_message(tx, account.owner_id, fact.reference)
            message = found if found is not None and found.account_id == account.id else None
        message = message or await self._sent_or_known(tx, account, ids)
        if message is None:
            for vendor_id in ids[:1]:
                await store.keep_early(tx, account.owner_id, account.id, vendor_id, _as_report(fact))
            return
        await self._come_further(tx, account, message, fact)
        await self.catch_up(tx, account, message, ids)

    async def _come_further(self, tx: Tx, account: AccountRow, message: MessageRow, fact: MessageProgressed) -> None:
        ids = [one for one in (fact.message_id, *fact.vendor_ids) if one]
        await self.take_ids(tx, account, message.id, ids)
        current = await store.find_message(tx, message.owner_id, message.id) or message
        if ids:
            await store.learn_id(tx, current, ids[0])
        await advance(tx, current, fact.status, fact.at, fact.error)

    async def _progress_all(
        self, tx: Tx, account: AccountRow, fact: MessageProgressed, contact_id: str, until: datetime
    ) -> None:
        conversation = await store.conversation_of(tx, account.owner_id, account.id, [contact_id])
        if conversation is None:
            return
        for message in await store.sent_until(tx, account.owner_id, conversation.id, until):
            if message.status in OPEN:
                # It counts if the message turns out to be sent, which it does not prove.
                await store.keep_early(tx, account.owner_id, account.id, message.id, _as_report(fact))
            else:
                await advance(tx, message, fact.status, fact.at, fact.error)

    async def _sent_or_known(self, tx: Tx, account: AccountRow, vendor_ids: Sequence[str]) -> MessageRow | None:
        """Find the message with one of these ids: the one that was sent from here, if its echo has another."""
        found = None
        for vendor_id in vendor_ids:
            known = await store.message_by_vendor(tx, account.owner_id, account.id, [vendor_id])
            if known is not None and known.source != "platform":
                return known
            found = found or known
        return found


def _in_order(conversation: ConversationRow, at: datetime) -> datetime:
    """Place a message after what is already known of the same second, if the platform only reports seconds."""
    last = conversation.last_at
    is_same_second = not at.microsecond and conversation.last_message is not None and at < last < at + _SECOND
    return last + _MICROSECOND if is_same_second else at


async def lock(tx: Tx, account: AccountRow) -> None:
    """Wait until no other transaction writes to the messages of this account."""
    await tx.lock(f"messages {account.id}")


async def advance(tx: Tx, message: MessageRow, status: MessageStatus, at: datetime, error: str | None = None) -> None:
    """Record the status of a message. An earlier status only changes its times.

    Reports about the same message are processed concurrently: the row itself says whether it is further along. A report
    about a message whose outcome was unknown proves that it was sent.
    """
    if status in {MessageStatus.DELIVERED, MessageStatus.READ}:
        await store.note_times(tx, message, at, read=status is MessageStatus.READ)
    before = [one for one, rank in _RANKS.items() if rank < _RANKS.get(status, 0)]
    failed = {"code": "platform_rejected", "detail": error} if status is MessageStatus.FAILED else None
    is_further = await store.move_status(tx, message, before, status, failed)
    if is_further:
        await emit_status(tx, message, status, at, failed)
    if is_further and message.status is MessageStatus.UNCONFIRMED:
        sent = CallProven(account_id=message.account_id, operation=SEND, name="messageId", value=message.id)
        await tx.tell(sent, message.owner_id)


_FACTS = {kind.__name__: kind for kind in (MessageProgressed, MessageChanged)}


def _as_report(fact: MessageProgressed | MessageChanged) -> dict[str, Any]:
    return {"type": type(fact).__name__, "fact": msgspec.to_builtins(fact)}
