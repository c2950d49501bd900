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

from socialgate.areas.inbox import contacts, placing, store
from socialgate.areas.inbox.changes import apply_message_change, summarize_message
from socialgate.areas.inbox.events import emit_message_received, emit_message_status
from socialgate.areas.inbox.row_values import build_contact_values, build_message_values
from socialgate.areas.inbox.tables import ConversationRow, MessageDirection, MessageRow
from socialgate.areas.media.service import MediaService
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
from socialgate.contracts.operations import OperationConfirmed
from socialgate.core.db import Tx
from socialgate.core.ids import new_id
from socialgate.core.jobs.service import JobService
from socialgate.core.metering import UsageMetric, count_usage

ATTACHMENT_DOWNLOAD_JOB = "messages.fetch"
SEND_OPERATION_NAME = "messages.send"
# Our copies of files outlive the platform's own, which expire within minutes to days.
MESSAGE_FILE_RETENTION = timedelta(days=365)
# How long after sending a message its echo may arrive.
_MAX_ECHO_DELAY = timedelta(minutes=10)
# The platform's clock may be this much behind ours.
_MAX_CLOCK_SKEW = timedelta(minutes=2)
_SECOND, _MICROSECOND = timedelta(seconds=1), timedelta(microseconds=1)
OPEN_MESSAGE_STATUSES = frozenset({MessageStatus.SENDING, MessageStatus.UNCONFIRMED})
_STATUS_RANKS = {
    MessageStatus.SENDING: 0,
    MessageStatus.UNCONFIRMED: 1,
    MessageStatus.SENT: 2,
    MessageStatus.FAILED: 3,
    MessageStatus.DELIVERED: 4,
    MessageStatus.READ: 5,
}


class MessageRecorder:
    def __init__(self, jobs: JobService, library: MediaService) -> None:
        self._jobs = jobs
        self._library = library

    async def on_message_reported(self, tx: Tx, fact: MessageReported, accounts: Sequence[AccountRow]) -> None:
        for account in accounts:
            await self.record_message(tx, account, fact.message)

    async def on_message_progressed(self, tx: Tx, fact: MessageProgressed, accounts: Sequence[AccountRow]) -> None:
        for account in accounts:
            await lock_messages(tx, account)
            if fact.applies_until is not None and fact.contact_id is not None:
                await self._apply_status_until(tx, account, fact, fact.contact_id, fact.applies_until)
            else:
                await self._apply_status(tx, account, fact)

    async def on_message_changed(self, tx: Tx, fact: MessageChanged, accounts: Sequence[AccountRow]) -> None:
        for account in accounts:
            await lock_messages(tx, account)
            message = await store.find_message_by_vendor_ids(tx, account.owner_id, account.id, [fact.message_id])
            if message is None:
                await store.insert_early_report(
                    tx, account.owner_id, account.id, fact.message_id, _encode_early_report(fact)
                )
            else:
                await self._change_message(tx, message, fact)

    async def on_contact_changed(self, tx: Tx, fact: ContactChanged, accounts: Sequence[AccountRow]) -> None:
        """Update the name of a person that has a conversation."""
        contact = fact.contact
        for account in accounts:
            names = {contact.id, *contact.aliases}
            known = await store.find_conversation_by_contact(tx, account.owner_id, account.id, names)
            if known is not None:
                await self.find_or_create_conversation(tx, account, contact, known.last_at)

    async def record_message(
        self, tx: Tx, account: AccountRow, item: MessageItem, *, from_history: bool = False
    ) -> MessageRow | None:
        """Record a message, unless it is known. One `from_history` comes from the platform's history and is not
        reported.
        """
        await lock_messages(tx, account)
        if item.reference is not None and await self._match_echo_by_reference(tx, account, item):
            return None
        message_id, item = new_id("msg"), await self._resolve_button_press_id(tx, account, item)
        if not await store.claim_vendor_id(tx, account.owner_id, account.id, item.id, message_id):
            return None
        conversation = await self.find_or_create_conversation(tx, account, item.contact, item.sent_at)
        if not from_history:
            item = msgspec.structs.replace(item, sent_at=_adjust_time_to_order(conversation, item.sent_at))
        if item.outbound and await self._match_echo_by_text(tx, account, conversation, item):
            return None
        values = build_message_values(item, message_id, conversation, tx.now)
        message = await store.insert_message(tx, account.owner_id, values)
        self._update_conversation(tx, conversation, message, counts=not from_history and not item.outbound)
        if not from_history and not item.outbound:
            count_usage(tx, account.owner_id, account.profile_id, UsageMetric.MESSAGES_RECEIVED)
        if await self.apply_early_reports_for(tx, account, message, item.id):
            message = await store.find_message(tx, account.owner_id, message_id) or message
        if message.deleted_at is None:
            silent, contact = from_history or item.outbound, item.contact if item.contact.can_fetch_profile else None
            await self._emit_or_queue_download(tx, account, conversation, message, contact, silent=silent)
        return message

    async def _resolve_button_press_id(self, tx: Tx, account: AccountRow, item: MessageItem) -> MessageItem:
        """Give a pressed button its own id if the platform names the message that has the button."""
        if item.button_press_id is None:
            return item
        known = await store.find_message_by_vendor_ids(tx, account.owner_id, account.id, [item.id])
        if known is None or known.direction is MessageDirection.INBOUND:
            return item
        return msgspec.structs.replace(item, id=item.button_press_id, reply_to=item.id)

    async def find_or_create_conversation(
        self, tx: Tx, account: AccountRow, contact: Contact, at: datetime
    ) -> ConversationRow:
        """Find the conversation with a person, or start one. New details about the person are stored."""
        await lock_messages(tx, account)
        person = await contacts.find_conversation(tx, account, contact)
        row = person.conversation
        known = {name: value for name, value in build_contact_values(contact).items() if value is not None}
        if row is None:
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
            row = await store.insert_conversation(tx, account.owner_id, values)
        elif any(getattr(row, name) != value for name, value in known.items()):
            await store.update_conversation(tx, row.owner_id, row.id, known)
            row = msgspec.structs.replace(row, **known)
        await contacts.link_contact_ids(tx, row, contact, person)
        return row

    async def link_vendor_ids(self, tx: Tx, account: AccountRow, message_id: str, vendor_ids: Sequence[str]) -> None:
        """Record that these platform ids belong to this message. An echo that arrived before is the same message."""
        await lock_messages(tx, account)
        for vendor_id in vendor_ids:
            if not await store.claim_vendor_id(tx, account.owner_id, account.id, vendor_id, message_id):
                twin = await store.find_message_by_vendor_ids(tx, account.owner_id, account.id, [vendor_id])
                # Never a message that was sent from here: it is another one, whatever the platform calls them.
                if twin is not None and twin.id != message_id and twin.source == "platform":
                    await self._replace_echo(tx, twin, message_id)

    async def _replace_echo(self, tx: Tx, echo: MessageRow, message_id: str) -> None:
        """Let a message replace its echo, and take over its status."""
        await store.merge_echo(tx, echo.owner_id, echo.id, message_id)
        message = await store.find_message(tx, echo.owner_id, message_id)
        if message is not None:
            error = echo.error["detail"] if echo.error else None
            await update_message_status(tx, message, echo.status, echo.read_at or echo.delivered_at or echo.at, error)
            await self._update_last_message(tx, message, echo.id)

    async def apply_early_reports(
        self, tx: Tx, account: AccountRow, message: MessageRow, vendor_ids: Sequence[str]
    ) -> None:
        """Process what was reported about a message before it was known to be sent, or by these ids."""
        for name in (*vendor_ids, message.id):
            await self.apply_early_reports_for(tx, account, message, name)

    async def apply_early_reports_for(self, tx: Tx, account: AccountRow, message: MessageRow, vendor_id: str) -> bool:
        """Process what was reported about a message before it was known. Returns False if nothing was."""
        reports = await store.pop_early_reports(tx, account.owner_id, account.id, vendor_id)
        for report in reports:
            fact = msgspec.convert(report["fact"], _EARLY_REPORT_TYPES[report["type"]], strict=False)
            current = await store.find_message(tx, message.owner_id, message.id)
            assert current is not None, "it was written in this transaction"
            match fact:
                case MessageProgressed():
                    await self._advance_message(tx, account, current, fact)
                    for other in fact.vendor_ids:
                        await self.apply_early_reports_for(tx, account, current, other)
                case MessageChanged():
                    await self._change_message(tx, current, fact)
        return bool(reports)

    async def _change_message(self, tx: Tx, message: MessageRow, fact: MessageChanged) -> None:
        """Apply a change, and show it in the list of conversations as well."""
        await apply_message_change(tx, self._library, message, fact)
        await self._update_last_message(tx, message, message.id)

    async def _update_last_message(self, tx: Tx, message: MessageRow, shown_id: str) -> None:
        """Update the summary of the newest message, if it is that of `shown_id`."""
        of_account = message.owner_id, message.account_id
        conversation = await placing.find_conversation(tx, *of_account, message.conversation_id)
        current = await store.find_message(tx, message.owner_id, message.id)
        shown = None if conversation is None else conversation.last_message
        if conversation is not None and current is not None and shown is not None and shown["id"] == shown_id:
            placing.update_list_entry(tx, conversation, {"last_message": summarize_message(current)})

    async def emit_after_download(self, tx: Tx, account: AccountRow, message: MessageRow, *, is_first: bool) -> None:
        """Report a message whose files are downloaded, or could not be."""
        conversation = await store.find_conversation(tx, message.owner_id, account.id, message.conversation_id)
        assert conversation is not None, "a message has a conversation"
        await emit_message_received(tx, account, conversation, message, is_first=is_first)

    async def _emit_or_queue_download(
        self,
        tx: Tx,
        account: AccountRow,
        conversation: ConversationRow,
        message: MessageRow,
        contact: Contact | None,
        *,
        silent: bool,
    ) -> None:
        """Report it, unless it is `silent`, after downloading its files if it has any: platforms soon delete them.

        Somebody who writes for the first time is looked up, if the platform can be asked who they are. Text does not
        wait for that: messages are reported in their order.
        """
        is_first = conversation.last_inbound_at is None
        asks = contact is not None and is_first and not silent and conversation.name is None
        if message.attachments or asks:
            values = {"messageId": message.id, "isFirst": is_first, "silent": silent or not message.attachments}
            values |= {"contactId": contact.id} if asks and contact is not None else {}
            await self._jobs.enqueue(tx, ATTACHMENT_DOWNLOAD_JOB, message.owner_id, values, key=message.id)
        if not message.attachments and not silent:
            await emit_message_received(tx, account, conversation, message, is_first=is_first)

    def _update_conversation(self, tx: Tx, conversation: ConversationRow, message: MessageRow, *, counts: bool) -> None:
        """Update what the list of conversations shows."""
        values: dict[str, Any] = {}
        if conversation.last_message is None or message.at >= conversation.last_at:
            values |= {"last_message": summarize_message(message), "last_at": message.at}
        if counts:
            values["unread"] = conversation.unread + 1
        if message.direction is MessageDirection.INBOUND:
            values["last_inbound_at"] = max(message.at, conversation.last_inbound_at or message.at)
        placing.update_list_entry(tx, conversation, values)

    async def _match_echo_by_reference(self, tx: Tx, account: AccountRow, item: MessageItem) -> bool:
        """Take the id of a message that was sent from here from its echo. Returns False if the item is no such echo."""
        assert item.reference is not None, "only what has a reference can be recognized by it"
        message = await store.find_message(tx, account.owner_id, item.reference)
        if message is None or message.account_id != account.id:
            return False
        await store.claim_vendor_id(tx, account.owner_id, account.id, item.id, message.id)
        await update_message_status(tx, message, MessageStatus.SENT, item.sent_at)
        await store.set_vendor_id_if_missing(tx, message, item.id)
        await self.apply_early_reports(tx, account, message, [item.id])
        return True

    async def _match_echo_by_text(
        self, tx: Tx, account: AccountRow, conversation: ConversationRow, item: MessageItem
    ) -> bool:
        """Take the id of a message whose response was lost, or has not arrived yet, from its echo. Returns False if the
        item is no such echo.

        The message is recognized by its text and time. One that was sent for certain comes first; otherwise only if
        exactly one matches. It cannot be younger than its echo. Platforms that return our reference need no guess.
        """
        since, until = item.sent_at - _MAX_ECHO_DELAY, item.sent_at + _MAX_CLOCK_SKEW
        awaited = await store.list_messages_awaiting_echo(
            tx, conversation.owner_id, conversation.id, item.text, since, until
        )
        # Without a text, only the type tells two messages apart.
        awaited = [row for row in awaited if item.text or row.type is item.type]
        awaited = [row for row in awaited if row.status not in OPEN_MESSAGE_STATUSES][:1] or awaited
        if item.reference is not None or len(awaited) != 1:
            return False
        (message,) = awaited
        await store.move_vendor_id(tx, conversation.owner_id, conversation.account_id, item.id, message.id)
        await store.delete_echo_placeholder(tx, message)
        await store.set_vendor_id_if_missing(tx, message, item.id)
        await update_message_status(tx, message, MessageStatus.SENT, item.sent_at)
        await self.apply_early_reports(tx, account, message, [item.id])
        return True

    async def _apply_status(self, tx: Tx, account: AccountRow, fact: MessageProgressed) -> None:
        ids = [value for value in (fact.message_id, *fact.vendor_ids) if value]
        message = None
        if fact.reference is not None:
            row = await store.find_message(tx, account.owner_id, fact.reference)
            message = row if row is not None and row.account_id == account.id else None
        message = message or await self._find_by_vendor_ids(tx, account, ids)
        if message is None:
            for vendor_id in ids[:1]:
                await store.insert_early_report(tx, account.owner_id, account.id, vendor_id, _encode_early_report(fact))
            return
        await self._advance_message(tx, account, message, fact)
        await self.apply_early_reports(tx, account, message, ids)

    async def _advance_message(self, tx: Tx, account: AccountRow, message: MessageRow, fact: MessageProgressed) -> None:
        ids = [value for value in (fact.message_id, *fact.vendor_ids) if value]
        await self.link_vendor_ids(tx, account, message.id, ids)
        current = await store.find_message(tx, message.owner_id, message.id) or message
        if ids:
            await store.set_vendor_id_if_missing(tx, current, ids[0])
        await update_message_status(tx, current, fact.status, fact.sent_at, fact.error)

    async def _apply_status_until(
        self, tx: Tx, account: AccountRow, fact: MessageProgressed, contact_id: str, until: datetime
    ) -> None:
        conversation = await store.find_conversation_by_contact(tx, account.owner_id, account.id, [contact_id])
        if conversation is None:
            return
        for message in await store.list_unread_sent_until(tx, account.owner_id, conversation.id, until):
            if message.status in OPEN_MESSAGE_STATUSES:
                # It counts if the message turns out to be sent, which it does not prove.
                await store.insert_early_report(
                    tx, account.owner_id, account.id, message.id, _encode_early_report(fact)
                )
            else:
                await update_message_status(tx, message, fact.status, fact.sent_at, fact.error)

    async def _find_by_vendor_ids(self, tx: Tx, account: AccountRow, vendor_ids: Sequence[str]) -> MessageRow | None:
        """Find the message with one of these ids: the one that was sent from here, if its echo has another."""
        row = None
        for vendor_id in vendor_ids:
            known = await store.find_message_by_vendor_ids(tx, account.owner_id, account.id, [vendor_id])
            if known is not None and known.source != "platform":
                return known
            row = row or known
        return row


def _adjust_time_to_order(conversation: ConversationRow, at: datetime) -> datetime:
    """Place a message after what is already known of the same second, if the platform only reports seconds."""
    last = conversation.last_at
    is_same_second = not at.microsecond and conversation.last_message is not None and at < last < at + _SECOND
    return last + _MICROSECOND if is_same_second else at


async def lock_messages(tx: Tx, account: AccountRow) -> None:
    """Wait until no other transaction writes to the messages of this account."""
    await tx.lock(f"messages {account.id}")


async def update_message_status(
    tx: Tx, message: MessageRow, status: MessageStatus, at: datetime, error: str | None = None
) -> None:
    """Record the status of a message. An earlier status only changes its times.

    Reports about the same message are processed concurrently: the row itself says whether it is further along. A report
    about a message whose outcome was unknown proves that it was sent.
    """
    if status in {MessageStatus.DELIVERED, MessageStatus.READ}:
        await store.record_delivery_times(tx, message, at, read=status is MessageStatus.READ)
    before = [message_status for message_status, rank in _STATUS_RANKS.items() if rank < _STATUS_RANKS.get(status, 0)]
    failed = {"code": "platform_rejected", "detail": error} if status is MessageStatus.FAILED else None
    is_further = await store.advance_status(tx, message, before, status, failed)
    if is_further:
        await emit_message_status(tx, message, status, at, failed)
    if is_further and message.status is MessageStatus.UNCONFIRMED:
        sent = OperationConfirmed(
            get_account_id=message.account_id, operation=SEND_OPERATION_NAME, name="messageId", value=message.id
        )
        await tx.publish_fact(sent, message.owner_id)


_EARLY_REPORT_TYPES = {kind.__name__: kind for kind in (MessageProgressed, MessageChanged)}


def _encode_early_report(fact: MessageProgressed | MessageChanged) -> dict[str, Any]:
    return {"type": type(fact).__name__, "fact": msgspec.to_builtins(fact)}
