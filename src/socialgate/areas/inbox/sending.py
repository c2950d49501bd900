"""Sending messages: validated first, sent at most once, and tracked until the platform reports the result.

It has more than 400 lines: what happens before, during and after a call decides whether a message is sent twice.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.inbox import erasing_store, store
from socialgate.areas.inbox.changes import summarize_message
from socialgate.areas.inbox.contents import (
    build_attachment,
    build_message_data,
    extract_content,
    get_display_text,
    get_stored_type,
)
from socialgate.areas.inbox.events import emit_message_status
from socialgate.areas.inbox.receipts import READ_RECEIPT_OPERATION, ReadReceipt
from socialgate.areas.inbox.recorder import (
    MESSAGE_FILE_RETENTION,
    OPEN_MESSAGE_STATUSES,
    SEND_OPERATION_NAME,
    MessageRecorder,
    lock_messages,
    update_message_status,
)
from socialgate.areas.inbox.schemas import Message, MessageFile, NewMessageBody, WhatsappMessage
from socialgate.areas.inbox.service import (
    NO_MESSAGES_PHRASE,
    InboxService,
    build_message_view,
    compute_messaging_window,
)
from socialgate.areas.inbox.tables import ConversationRow, MessageDirection, MessageRow
from socialgate.areas.inbox.templates import TemplateService
from socialgate.areas.media import store as media
from socialgate.areas.media.fetching import FetchError, MediaFetcher
from socialgate.areas.media.service import MediaService
from socialgate.areas.operations.service import OperationService
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import NotSupportedError
from socialgate.contracts.messages import (
    MESSAGES_CAPABILITY,
    Contact,
    LookupResult,
    MessageAdapter,
    MessageSource,
    MessageStatus,
    MessageType,
    NewMessage,
    SentMessage,
)
from socialgate.contracts.operations import OperationFailure, OperationType
from socialgate.contracts.publishing import MediaFile
from socialgate.contracts.template_components import Template
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, InvalidRequest, NotFound
from socialgate.core.ids import is_id, new_id
from socialgate.core.metering import UsageMetric, count_usage
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.field_errors import build_invalid_request
from socialgate.web.option_validation import remove_kind_field

_NEVER_WRITTEN_DETAIL = "This person has not written to the account yet."
# What can be sent at any time: it needs no open window, or is not a message itself.
_WINDOW_EXEMPT_TYPES = frozenset({MessageType.TEMPLATE, MessageType.REACTION})
# What a template opens may be anything: more than this would not fit into any message.
_MAX_DATA_BYTES = 64 * 1024


class WindowClosedError(Conflict):
    """The person has never written to the account, or their last message is too old for free-form messages.

    On WhatsApp, send a template; elsewhere, wait until the person writes again. On Messenger and Instagram, somebody on
    your team can reply for seven days with `options.tag: HUMAN_AGENT`. The `window` of the conversation says when it
    closes.
    """

    code = "window_closed"
    title = "The messaging window is closed"


class MessageOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """Who sends a message, and the lead that it is sent for, if there is one."""

    source: MessageSource = "api"
    subject_key: str | None = None


_API_ORIGIN = MessageOrigin()


class OutgoingMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message about to be sent, and its recipient."""

    message: NewMessage
    contact: Contact
    source: MessageSource
    owner_id: str = ""
    # What it is sent for, if it must be erased with that.
    subject_key: str | None = None


class MessageSender:
    def __init__(
        self,
        inbox: InboxService,
        of_accounts: AccountService,
        operations: OperationService,
        library: MediaService,
        fetcher: MediaFetcher,
        templates: TemplateService,
        recorder: "OutgoingMessageRecorder",
    ) -> None:
        self._inbox = inbox
        self._accounts = of_accounts
        self._operations = operations
        self._library = library
        self._fetcher = fetcher
        self._templates = templates
        self._operation = build_send_operation(recorder)

    async def send(
        self, work: UnitOfWork, account_id: str, body: NewMessageBody, origin: MessageOrigin = _API_ORIGIN
    ) -> Message:
        account = await work.read(self._accounts.find, work.caller, account_id)
        part = self._inbox.get_adapter(account)
        if body.conversation_id is None and body.to is None:
            raise InvalidRequest.for_field(
                "/conversationId", "required", "Set conversationId or to: the message has no recipient."
            )
        if body.conversation_id is not None and body.to is not None:
            raise InvalidRequest.for_field("/to", "contradiction", "Set either conversationId or to, not both.")
        if body.text is None and not body.media:
            raise InvalidRequest.for_field("/text", "required", "Set text, or a file in media.")
        if faults := self._inbox.validate_options(account, body.options):
            raise build_invalid_request("", faults)
        contact, conversation = await work.read(self._find_recipient, account, part, body.to, body.conversation_id)
        media = await self._require_media_file(work, account, body.media[0], "/media/0") if body.media else None
        new = NewMessage(
            to=contact.id,
            phone=contact.phone,
            type=MessageType(media.type) if media else MessageType.TEXT,
            reference=new_id("msg"),
            asked_at=work.db.clock.now(),
            text=body.text or "",
            media=media,
            reply_to=await self._resolve_vendor_id(work, account, body.reply_to),
            quick_replies=body.quick_replies,
            buttons=body.buttons,
            options=remove_kind_field(body.options),
            last_inbound_at=None if conversation is None else conversation.last_inbound_at,
        )
        return await self._send(work, account, part, new, contact, origin)

    async def answer_comment(
        self, work: UnitOfWork, account_id: str, comment_id: str, author: Contact, text: str, origin: MessageOrigin
    ) -> Message:
        """Send a message to the author of a comment, who may not have sent one before."""
        account = await work.read(self._accounts.find, work.caller, account_id)
        part = self._inbox.get_adapter(account)
        if not part.can_reply_to_comments:
            able = self._inbox.format_kinds_that_answer_comments()
            detail = f"Comments on this platform cannot be answered with a message. Kinds that can: {able}."
            raise NotSupportedError(detail, platform=account.platform)
        new = NewMessage(
            to=author.id,
            type=MessageType.TEXT,
            reference=new_id("msg"),
            asked_at=work.db.clock.now(),
            text=text,
            comment_id=comment_id,
        )
        return await self._send(work, account, part, new, author, origin)

    async def send_whatsapp(
        self, work: UnitOfWork, account_id: str, body: WhatsappMessage, origin: MessageOrigin = _API_ORIGIN
    ) -> Message:
        account = await work.read(self._accounts.find, work.caller, account_id)
        if not self._inbox.sends_by_type(account):
            instead = "Use POST /accounts/{accountId}/messages instead."
            able = self._inbox.list_supporting_kinds(MessageType.TEXT, by_type=True)
            detail = f"This account is not on WhatsApp. {instead} Kinds that support this route: {able}."
            raise NotSupportedError(detail, platform=account.platform)
        part = self._inbox.get_adapter(account)
        content = extract_content(body)
        contact, conversation = await work.read(self._find_recipient, account, part, body.to, None)
        if body.type == "read":
            return await self._mark_read(work, account, contact, content["msgId"])
        media = await self._require_media_file(work, account, body.media, "/media") if body.media else None
        if media is not None and body.type not in {MessageType.STICKER, media.type}:
            raise InvalidRequest.for_field(
                "/media", "media_type", f"The file is of type {media.type}. Set `type` to {media.type}."
            )
        if body.type == "reaction":
            content["msgId"] = await self._resolve_vendor_id(work, account, content["msgId"])
        new = NewMessage(
            to=contact.id,
            phone=contact.phone,
            type=MessageType(body.type),
            reference=new_id("msg"),
            asked_at=work.db.clock.now(),
            text=body.text or "",
            media=media,
            reply_to=await self._resolve_vendor_id(work, account, body.reply_to),
            data=content,
            last_inbound_at=None if conversation is None else conversation.last_inbound_at,
        )
        return await self._send(work, account, part, new, contact, origin, body.template)

    async def _send(
        self,
        work: UnitOfWork,
        account: AccountRow,
        part: MessageAdapter,
        new: NewMessage,
        contact: Contact,
        origin: MessageOrigin,
        template: Template | None = None,
    ) -> Message:
        if new.type not in part.types:
            can = ", ".join(sorted(part.types))
            able = self._inbox.list_supporting_kinds(new.type, by_type=self._inbox.sends_by_type(account))
            detail = f"This kind of account cannot send `{new.type}`. It can send: {can}. Kinds that can: {able}."
            raise NotSupportedError(detail, platform=account.platform)
        window = compute_messaging_window(part, new.last_inbound_at, new.asked_at, new.options)
        is_free = new.type not in _WINDOW_EXEMPT_TYPES and new.comment_id is None
        if window is not None and not window.open and is_free:
            raise self._inbox.build_permission_error(account) or WindowClosedError(
                _explain_closed_window(new, window.remedy or "")
            )
        size = len(msgspec.json.encode(new.data))
        if size > _MAX_DATA_BYTES:
            detail = f"`{new.type}` has {size:,} bytes as JSON, but can have at most {_MAX_DATA_BYTES:,}."
            raise InvalidRequest.for_field(f"/{new.type}", "too_large", detail)
        misfits = [] if template is None else await self._templates.validate_template(account, template)
        faults = [*part.validate_new_message(new), *misfits]
        if faults:
            raise build_invalid_request("The platform would reject this message", faults)
        out = OutgoingMessage(
            message=new,
            contact=contact,
            source=origin.source,
            owner_id=account.owner_id,
            subject_key=origin.subject_key,
        )
        return await self._operations.run(work, account, self._operation, out)

    async def _mark_read(self, work: UnitOfWork, account: AccountRow, contact: Contact, msg_id: str) -> Message:
        vendor_id = await self._resolve_vendor_id(work, account, msg_id) or msg_id
        message = await work.read(store.find_message_by_vendor_ids, account.owner_id, account.id, [vendor_id])
        if message is None:
            raise NotFound("The account has no message with this id.")
        receipt = ReadReceipt(contact_id=contact.id, vendor_id=vendor_id, message_id=message.id)
        return await self._operations.run(work, account, READ_RECEIPT_OPERATION, receipt)

    async def _find_recipient(
        self, tx: Tx, account: AccountRow, part: MessageAdapter, to: str | None, conversation_id: str | None
    ) -> tuple[Contact, ConversationRow | None]:
        if conversation_id is not None:
            row = await store.find_conversation(tx, account.owner_id, account.id, conversation_id)
            if row is None:
                raise NotFound("The account has no conversation with this id.")
            return Contact(id=row.contact_id, phone=row.phone), row
        contact = part.parse_recipient(to or "")
        if contact is None:
            raise InvalidRequest.for_field("/to", "invalid", f"This is not a valid recipient. {part.recipient_help}")
        known = await store.find_conversation_by_contact(tx, account.owner_id, account.id, contact.all_ids)
        if known is not None:
            return Contact(id=known.contact_id, phone=known.phone or contact.phone), known
        return contact, None

    async def _require_media_file(
        self, work: UnitOfWork, account: AccountRow, file: MessageFile, pointer: str
    ) -> MediaFile:
        if (file.media_id is None) is (file.url is None):
            raise InvalidRequest.for_field(pointer, "contradiction", "Set either mediaId or url.")
        media_id = file.media_id
        if file.url is not None:
            fetched = (await self._fetcher.fetch(work.caller, account.profile_id, [file.url]))[file.url]
            if isinstance(fetched, FetchError):
                raise InvalidRequest.for_field(f"{pointer}/url", "unfetchable_media", str(fetched))
            media_id = fetched
        return await work.read(self._library.require_file, work.caller, media_id or "", f"{pointer}/mediaId")

    async def _resolve_vendor_id(self, work: UnitOfWork, account: AccountRow, named: str | None) -> str | None:
        """Return the platform's id of a message that may be given by our id."""
        if named is None or not is_id("msg", named):
            return named
        row = await work.read(store.find_message, account.owner_id, named)
        if row is None or row.account_id != account.id or row.vendor_id is None:
            raise NotFound("The account has no message with this id.")
        return row.vendor_id


def _explain_closed_window(new: NewMessage, remedy: str) -> str:
    has_written = new.last_inbound_at is not None
    return f"{'The last message of this person is too old.' if has_written else _NEVER_WRITTEN_DETAIL} {remedy}"


class OutgoingMessageRecorder:
    """What is recorded while a message is sent: it is visible from the moment it is about to be sent."""

    def __init__(self, db: Database, ledger: MessageRecorder) -> None:
        self._db = db
        self._ledger = ledger

    async def look_up(
        self, part: MessageAdapter, credentials: AccountCredentials, out: OutgoingMessage
    ) -> LookupResult:
        """Look it up on the platform, among what is not known to be another message that was sent from here."""
        others = await self._db.read(store.list_vendor_ids_of_others, out.owner_id, out.message.reference)
        return await part.look_up_result(credentials, msgspec.structs.replace(out.message, excluded_message_ids=others))

    async def record_start(self, tx: Tx, account: AccountRow, out: OutgoingMessage) -> None:
        new, key = out.message, out.subject_key
        if key is not None and not await erasing_store.link_message_to_subject(
            tx, account.owner_id, key, new.reference
        ):
            raise NotFound("What this message was to be sent for has been erased.")
        conversation = await self._ledger.find_or_create_conversation(tx, account, out.contact, new.asked_at)
        values = {
            "id": new.reference,
            "conversation_id": conversation.id,
            "account_id": account.id,
            "direction": MessageDirection.OUTBOUND,
            "type": get_stored_type(new),
            "text": get_display_text(new),
            "attachments": [] if new.media is None else [build_attachment(new.media)],
            "reply_to": new.reply_to,
            "reactions": [],
            "data": build_message_data(new),
            "status": MessageStatus.SENDING,
            "source": out.source,
            "at": new.asked_at,
            "created_at": tx.now,
        }
        message = await store.insert_message(tx, account.owner_id, values)
        count_usage(tx, account.owner_id, account.profile_id, UsageMetric.MESSAGES_SENT)
        if new.media is not None:
            await media.extend_expiry(tx, account.owner_id, [new.media.id], tx.now + MESSAGE_FILE_RETENTION)
        if conversation.last_message is None or message.at >= conversation.last_at:
            shown = {"last_message": summarize_message(message), "last_at": message.at}
            await store.update_conversation(tx, account.owner_id, conversation.id, shown)

    async def record(self, tx: Tx, account: AccountRow, out: OutgoingMessage, recorder: SentMessage) -> Message:
        """Record that it was sent. Its echo may have arrived before the response."""
        reference, ids = out.message.reference, (recorder.id, *recorder.vendor_ids)
        awaits = [store.build_echo_placeholder(reference)] if recorder.echo_has_other_id else []
        await self._ledger.link_vendor_ids(tx, account, reference, [*ids, *awaits])
        await store.update_message(tx, account.owner_id, reference, {"vendor_id": recorder.id})
        message = await _require_message(tx, account.owner_id, reference)
        await update_message_status(tx, message, MessageStatus.SENT, recorder.sent_at or tx.now)
        if recorder.contact is not None:
            await self._add_contact_aliases(tx, account, message, recorder.contact)
        await self._ledger.apply_early_reports(tx, account, message, ids)
        return build_message_view(await _require_message(tx, account.owner_id, reference))

    async def on_unfinished(self, tx: Tx, account: AccountRow, out: OutgoingMessage, why: OperationFailure) -> None:
        await lock_messages(tx, account)
        message = await store.find_message(tx, account.owner_id, out.message.reference)
        if message is not None and message.status in OPEN_MESSAGE_STATUSES:
            status = MessageStatus.FAILED if why.final else MessageStatus.UNCONFIRMED
            error = {"code": why.code, "detail": why.detail}
            await store.update_message(tx, account.owner_id, message.id, {"status": status, "error": error})
            if why.final:
                await self._record_rejection(tx, account, message, error)

    async def _record_rejection(
        self, tx: Tx, account: AccountRow, message: MessageRow, error: Mapping[str, Any]
    ) -> None:
        count_usage(tx, account.owner_id, account.profile_id, UsageMetric.MESSAGES_SENT, -1, at=message.created_at)
        # Nobody was written to, so there is no conversation with them, and nothing to report about it.
        if message.status is MessageStatus.SENDING and await erasing_store.delete_rejected_conversation(tx, message):
            return
        await emit_message_status(tx, message, MessageStatus.FAILED, tx.now, error)

    async def find_proven_result(self, tx: Tx, account: AccountRow, out: OutgoingMessage) -> SentMessage | None:
        """Return what an echo or a status has proven. While the operation is open, nothing else changes the message."""
        message = await store.find_message(tx, account.owner_id, out.message.reference)
        if message is None or message.status in OPEN_MESSAGE_STATUSES:
            return None
        return SentMessage(id=message.vendor_id or message.id)

    async def _add_contact_aliases(self, tx: Tx, account: AccountRow, message: MessageRow, contact: Contact) -> None:
        conversation = await store.find_conversation(tx, account.owner_id, account.id, message.conversation_id)
        assert conversation is not None, "a message has a conversation"
        await store.add_aliases(tx, conversation, contact.all_ids)


def build_send_operation(
    recorder: OutgoingMessageRecorder,
) -> OperationType[MessageAdapter, OutgoingMessage, SentMessage, Message]:
    return OperationType(
        name=SEND_OPERATION_NAME,
        request=OutgoingMessage,
        response_type=Message,
        capability=MESSAGES_CAPABILITY,
        unsupported_phrase=NO_MESSAGES_PHRASE,
        call=lambda part, credentials, out: part.send(credentials, out.message),
        look=recorder.look_up,
        record_start=recorder.record_start,
        record=recorder.record,
        record_failure=recorder.on_unfinished,
        find_reported_result=recorder.find_proven_result,
        summarize_request=lambda out: {"type": out.message.type, "messageId": out.message.reference},
        get_object_id=lambda _, result: result.id,
        creates=True,
    )


async def _require_message(tx: Tx, owner_id: str, message_id: str) -> MessageRow:
    row = await store.find_message(tx, owner_id, message_id)
    if row is None:
        raise NotFound("The message was deleted with its conversation.")
    return row
