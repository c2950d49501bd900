"""Sending messages: validated first, sent at most once, and tracked until the platform reports the result."""

from collections.abc import Mapping
from typing import Any

import msgspec

from socialgate.areas.accounts.service import Accounts
from socialgate.areas.inbox import erasing_store, store
from socialgate.areas.inbox.changes import in_short
from socialgate.areas.inbox.contents import attached, content_of, data_of, text_of, type_of
from socialgate.areas.inbox.ledger import FILES_KEPT, OPEN, SEND, MessageLedger, advance, lock
from socialgate.areas.inbox.receipts import READ, Receipt
from socialgate.areas.inbox.reporting import emit_status
from socialgate.areas.inbox.schemas import Message, MessageFile, NewMessageBody, WhatsappMessage
from socialgate.areas.inbox.service import LACKS, Inbox, show_message, window_of
from socialgate.areas.inbox.tables import ConversationRow, Direction, MessageRow
from socialgate.areas.inbox.templates import TemplateBook
from socialgate.areas.media import store as media
from socialgate.areas.media.fetching import Fetcher, Unfetchable
from socialgate.areas.media.service import Library
from socialgate.areas.operations.service import Operations
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import NotSupported
from socialgate.contracts.messages import (
    MESSAGES,
    Contact,
    Looked,
    Messages,
    MessageSource,
    MessageStatus,
    MessageType,
    NewMessage,
    Sent,
)
from socialgate.contracts.operations import OperationType, Unfinished
from socialgate.contracts.publishing import MediaFile
from socialgate.contracts.template_components import Template
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, Invalid, NotFound
from socialgate.core.ids import is_id, new_id
from socialgate.core.metering import Metric, meter
from socialgate.core.work import Work
from socialgate.web.faults import refused
from socialgate.web.options import without_kind

_NEVER = "This person has not written to the account yet."
# What can be sent at any time: it needs no open window, or is not a message itself.
_ANY_TIME = frozenset({MessageType.TEMPLATE, MessageType.REACTION})
# What a template opens may be anything: more than this would not fit into any message.
_MOST_DATA_BYTES = 64 * 1024


class WindowClosed(Conflict):
    """The person has never written to the account, or their last message is too old for free-form messages.

    On WhatsApp, send a template; elsewhere, wait until the person writes again. On Messenger and Instagram, somebody on
    your team can reply for seven days with `options.tag: HUMAN_AGENT`. The `window` of the conversation says when it
    closes.
    """

    code = "window_closed"
    title = "The messaging window is closed"


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Who sends a message, and the lead that it is sent for, if there is one."""

    source: MessageSource = "api"
    subject_key: str | None = None


_API = Origin()


class Outgoing(msgspec.Struct, frozen=True, kw_only=True):
    """A message about to be sent, and its recipient."""

    message: NewMessage
    contact: Contact
    source: MessageSource
    owner_id: str = ""
    # What it is sent for, if it must be erased with that.
    subject_key: str | None = None


class Sending:
    def __init__(
        self,
        inbox: Inbox,
        of_accounts: Accounts,
        operations: Operations,
        library: Library,
        fetcher: Fetcher,
        templates: TemplateBook,
        sent: "SentMessages",
    ) -> None:
        self._inbox = inbox
        self._accounts = of_accounts
        self._operations = operations
        self._library = library
        self._fetcher = fetcher
        self._templates = templates
        self._operation = sending_operation(sent)

    async def send(self, work: Work, account_id: str, body: NewMessageBody, origin: Origin = _API) -> Message:
        account = await work.read(self._accounts.find, work.caller, account_id)
        part = self._inbox.part(account)
        if body.conversation_id is None and body.to is None:
            raise Invalid.at("/conversationId", "required", "Set conversationId or to: the message has no recipient.")
        if body.conversation_id is not None and body.to is not None:
            raise Invalid.at("/to", "contradiction", "Set either conversationId or to, not both.")
        if body.text is None and not body.media:
            raise Invalid.at("/text", "required", "Set text, or a file in media.")
        if faults := self._inbox.option_faults(account, body.options):
            raise refused("", faults)
        contact, conversation = await work.read(self._recipient, account, part, body.to, body.conversation_id)
        media = await self._file(work, account, body.media[0], "/media/0") if body.media else None
        new = NewMessage(
            to=contact.id,
            phone=contact.phone,
            type=MessageType(media.type) if media else MessageType.TEXT,
            reference=new_id("msg"),
            asked_at=work.db.clock.now(),
            text=body.text or "",
            media=media,
            reply_to=await self._vendor_id(work, account, body.reply_to),
            quick_replies=body.quick_replies,
            buttons=body.buttons,
            options=without_kind(body.options),
            last_inbound_at=None if conversation is None else conversation.last_inbound_at,
        )
        return await self._send(work, account, part, new, contact, origin)

    async def answer_comment(
        self, work: Work, account_id: str, comment_id: str, author: Contact, text: str, origin: Origin
    ) -> Message:
        """Send a message to the author of a comment, who may not have sent one before."""
        account = await work.read(self._accounts.find, work.caller, account_id)
        part = self._inbox.part(account)
        if not part.answers_comments:
            able = self._inbox.able_to_answer_comments()
            detail = f"Comments on this platform cannot be answered with a message. Kinds that can: {able}."
            raise NotSupported(detail, platform=account.platform)
        new = NewMessage(
            to=author.id,
            type=MessageType.TEXT,
            reference=new_id("msg"),
            asked_at=work.db.clock.now(),
            text=text,
            comment_id=comment_id,
        )
        return await self._send(work, account, part, new, author, origin)

    async def send_whatsapp(self, work: Work, account_id: str, body: WhatsappMessage, origin: Origin = _API) -> Message:
        account = await work.read(self._accounts.find, work.caller, account_id)
        if not self._inbox.sends_by_type(account):
            instead = "Use POST /accounts/{accountId}/messages instead."
            able = self._inbox.able(MessageType.TEXT, by_type=True)
            detail = f"This account is not on WhatsApp. {instead} Kinds that support this route: {able}."
            raise NotSupported(detail, platform=account.platform)
        part = self._inbox.part(account)
        content = content_of(body)
        contact, conversation = await work.read(self._recipient, account, part, body.to, None)
        if body.type == "read":
            return await self._mark_read(work, account, contact, content["msgId"])
        media = await self._file(work, account, body.media, "/media") if body.media else None
        if media is not None and body.type not in {MessageType.STICKER, media.type}:
            raise Invalid.at("/media", "media_type", f"The file is of type {media.type}. Set `type` to {media.type}.")
        if body.type == "reaction":
            content["msgId"] = await self._vendor_id(work, account, content["msgId"])
        new = NewMessage(
            to=contact.id,
            phone=contact.phone,
            type=MessageType(body.type),
            reference=new_id("msg"),
            asked_at=work.db.clock.now(),
            text=body.text or "",
            media=media,
            reply_to=await self._vendor_id(work, account, body.reply_to),
            data=content,
            last_inbound_at=None if conversation is None else conversation.last_inbound_at,
        )
        return await self._send(work, account, part, new, contact, origin, body.template)

    async def _send(
        self,
        work: Work,
        account: AccountRow,
        part: Messages,
        new: NewMessage,
        contact: Contact,
        origin: Origin,
        template: Template | None = None,
    ) -> Message:
        if new.type not in part.types:
            can = ", ".join(sorted(part.types))
            able = self._inbox.able(new.type, by_type=self._inbox.sends_by_type(account))
            detail = f"This kind of account cannot send `{new.type}`. It can send: {can}. Kinds that can: {able}."
            raise NotSupported(detail, platform=account.platform)
        window = window_of(part, new.last_inbound_at, new.asked_at, new.options)
        is_free = new.type not in _ANY_TIME and new.comment_id is None
        if window is not None and not window.open and is_free:
            raise self._inbox.not_permitted(account) or WindowClosed(_closed(new, window.remedy or ""))
        size = len(msgspec.json.encode(new.data))
        if size > _MOST_DATA_BYTES:
            detail = f"`{new.type}` has {size:,} bytes as JSON, but can have at most {_MOST_DATA_BYTES:,}."
            raise Invalid.at(f"/{new.type}", "too_large", detail)
        misfits = [] if template is None else await self._templates.faults(account, template)
        faults = [*part.faults(new), *misfits]
        if faults:
            raise refused("The platform would reject this message", faults)
        out = Outgoing(
            message=new,
            contact=contact,
            source=origin.source,
            owner_id=account.owner_id,
            subject_key=origin.subject_key,
        )
        return await self._operations.run(work, account, self._operation, out)

    async def _mark_read(self, work: Work, account: AccountRow, contact: Contact, msg_id: str) -> Message:
        vendor_id = await self._vendor_id(work, account, msg_id) or msg_id
        message = await work.read(store.message_by_vendor, account.owner_id, account.id, [vendor_id])
        if message is None:
            raise NotFound("The account has no message with this id.")
        receipt = Receipt(contact_id=contact.id, vendor_id=vendor_id, message_id=message.id)
        return await self._operations.run(work, account, READ, receipt)

    async def _recipient(
        self, tx: Tx, account: AccountRow, part: Messages, to: str | None, conversation_id: str | None
    ) -> tuple[Contact, ConversationRow | None]:
        if conversation_id is not None:
            found = await store.find_conversation(tx, account.owner_id, account.id, conversation_id)
            if found is None:
                raise NotFound("The account has no conversation with this id.")
            return Contact(id=found.contact_id, phone=found.phone), found
        contact = part.contact_of(to or "")
        if contact is None:
            raise Invalid.at("/to", "invalid", f"This is not a valid recipient. {part.recipients}")
        known = await store.conversation_of(tx, account.owner_id, account.id, contact.names)
        if known is not None:
            return Contact(id=known.contact_id, phone=known.phone or contact.phone), known
        return contact, None

    async def _file(self, work: Work, account: AccountRow, file: MessageFile, pointer: str) -> MediaFile:
        if (file.media_id is None) is (file.url is None):
            raise Invalid.at(pointer, "contradiction", "Set either mediaId or url.")
        media_id = file.media_id
        if file.url is not None:
            fetched = (await self._fetcher.fetch(work.caller, account.profile_id, [file.url]))[file.url]
            if isinstance(fetched, Unfetchable):
                raise Invalid.at(f"{pointer}/url", "unfetchable_media", str(fetched))
            media_id = fetched
        return await work.read(self._library.file, work.caller, media_id or "", f"{pointer}/mediaId")

    async def _vendor_id(self, work: Work, account: AccountRow, named: str | None) -> str | None:
        """Return the platform's id of a message that may be given by our id."""
        if named is None or not is_id("msg", named):
            return named
        found = await work.read(store.find_message, account.owner_id, named)
        if found is None or found.account_id != account.id or found.vendor_id is None:
            raise NotFound("The account has no message with this id.")
        return found.vendor_id


def _closed(new: NewMessage, remedy: str) -> str:
    has_written = new.last_inbound_at is not None
    return f"{'The last message of this person is too old.' if has_written else _NEVER} {remedy}"


class SentMessages:
    """What is recorded while a message is sent: it is visible from the moment it is about to be sent."""

    def __init__(self, db: Database, ledger: MessageLedger) -> None:
        self._db = db
        self._ledger = ledger

    async def look(self, part: Messages, held: AccountCredentials, out: Outgoing) -> Looked:
        """Look it up on the platform, among what is not known to be another message that was sent from here."""
        others = await self._db.read(store.other_ids, out.owner_id, out.message.reference)
        return await part.look(held, msgspec.structs.replace(out.message, others=others))

    async def begin(self, tx: Tx, account: AccountRow, out: Outgoing) -> None:
        new, key = out.message, out.subject_key
        if key is not None and not await erasing_store.link(tx, account.owner_id, key, new.reference):
            raise NotFound("What this message was to be sent for has been erased.")
        conversation = await self._ledger.conversation(tx, account, out.contact, new.asked_at)
        values = {
            "id": new.reference,
            "conversation_id": conversation.id,
            "account_id": account.id,
            "direction": Direction.OUTBOUND,
            "type": type_of(new),
            "text": text_of(new),
            "attachments": [] if new.media is None else [attached(new.media)],
            "reply_to": new.reply_to,
            "reactions": [],
            "data": data_of(new),
            "status": MessageStatus.SENDING,
            "source": out.source,
            "at": new.asked_at,
            "created_at": tx.now,
        }
        message = await store.insert_message(tx, account.owner_id, values)
        meter(tx, account.owner_id, account.profile_id, Metric.MESSAGES_SENT)
        if new.media is not None:
            await media.keep_at_least(tx, account.owner_id, [new.media.id], tx.now + FILES_KEPT)
        if conversation.last_message is None or message.at >= conversation.last_at:
            shown = {"last_message": in_short(message), "last_at": message.at}
            await store.update_conversation(tx, account.owner_id, conversation.id, shown)

    async def record(self, tx: Tx, account: AccountRow, out: Outgoing, sent: Sent) -> Message:
        """Record that it was sent. Its echo may have arrived before the response."""
        reference, ids = out.message.reference, (sent.id, *sent.vendor_ids)
        awaits = [store.awaited(reference)] if sent.echo_differs else []
        await self._ledger.take_ids(tx, account, reference, [*ids, *awaits])
        await store.update_message(tx, account.owner_id, reference, {"vendor_id": sent.id})
        message = await _required(tx, account.owner_id, reference)
        await advance(tx, message, MessageStatus.SENT, sent.at or tx.now)
        if sent.contact is not None:
            await self._learn(tx, account, message, sent.contact)
        await self._ledger.catch_up(tx, account, message, ids)
        return show_message(await _required(tx, account.owner_id, reference))

    async def unfinished(self, tx: Tx, account: AccountRow, out: Outgoing, why: Unfinished) -> None:
        await lock(tx, account)
        message = await store.find_message(tx, account.owner_id, out.message.reference)
        if message is not None and message.status in OPEN:
            status = MessageStatus.FAILED if why.final else MessageStatus.UNCONFIRMED
            error = {"code": why.code, "detail": why.detail}
            await store.update_message(tx, account.owner_id, message.id, {"status": status, "error": error})
            if why.final:
                await self._reject(tx, account, message, error)

    async def _reject(self, tx: Tx, account: AccountRow, message: MessageRow, error: Mapping[str, Any]) -> None:
        meter(tx, account.owner_id, account.profile_id, Metric.MESSAGES_SENT, -1, at=message.created_at)
        # Nobody was written to, so there is no conversation with them, and nothing to report about it.
        if message.status is MessageStatus.SENDING and await erasing_store.delete_if_rejected(tx, message):
            return
        await emit_status(tx, message, MessageStatus.FAILED, tx.now, error)

    async def learned(self, tx: Tx, account: AccountRow, out: Outgoing) -> Sent | None:
        """Return what an echo or a status has proven. While the operation is open, nothing else changes the message."""
        message = await store.find_message(tx, account.owner_id, out.message.reference)
        if message is None or message.status in OPEN:
            return None
        return Sent(id=message.vendor_id or message.id)

    async def _learn(self, tx: Tx, account: AccountRow, message: MessageRow, contact: Contact) -> None:
        conversation = await store.find_conversation(tx, account.owner_id, account.id, message.conversation_id)
        assert conversation is not None, "a message has a conversation"
        await store.add_aliases(tx, conversation, contact.names)


def sending_operation(sent: SentMessages) -> OperationType[Messages, Outgoing, Sent, Message]:
    return OperationType(
        name=SEND,
        request=Outgoing,
        answer=Message,
        capability=MESSAGES,
        lacks=LACKS,
        call=lambda part, held, out: part.send(held, out.message),
        look=sent.look,
        begin=sent.begin,
        record=sent.record,
        unfinished=sent.unfinished,
        learned=sent.learned,
        shown=lambda out: {"type": out.message.type, "messageId": out.message.reference},
        object_id=lambda _, result: result.id,
        creates=True,
    )


async def _required(tx: Tx, owner_id: str, message_id: str) -> MessageRow:
    found = await store.find_message(tx, owner_id, message_id)
    if found is None:
        raise NotFound("The message was deleted with its conversation.")
    return found
