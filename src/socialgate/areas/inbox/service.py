"""Conversations, as stored. If the platform keeps a history, older messages are fetched when somebody pages back to
them, and stored without duplicates.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

import msgspec

from socialgate.areas.accounts.live_reads import ListRead, LiveReads
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.inbox import store
from socialgate.areas.inbox.contents import OPTIONS_KEY
from socialgate.areas.inbox.conversation_list import ConversationFilters, list_conversations_page
from socialgate.areas.inbox.recorder import MessageRecorder
from socialgate.areas.inbox.schemas import (
    Conversation,
    ConversationContact,
    ConversationDetail,
    ConversationRead,
    ConversationsQuery,
    LastMessage,
    Message,
    MessageAttachment,
    MessageError,
    MessagesQuery,
    MessagingWindow,
    Reaction,
)
from socialgate.areas.inbox.tables import ConversationRow, MessageRow
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.failures import PermissionMissingError, PlatformFailure
from socialgate.contracts.messages import MESSAGES_CAPABILITY, MessageAdapter, MessagePage, MessageType
from socialgate.contracts.platforms import Kind, KindManifest, Platform
from socialgate.core.db import Tx
from socialgate.core.errors import Fault, NotFound
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.option_validation import validate_options
from socialgate.web.pagination import TimePosition, decode_time_cursor, encode_time_cursor
from socialgate.web.schemas import Page

NO_MESSAGES_PHRASE = "does not support messages through its API"
_HISTORY_PAGE_SIZE = 50
# How often the platform is asked for one response: enough for the longest page.
_MICROSECOND = timedelta(microseconds=1)
_MAX_HISTORY_READS = 6
_TEMPLATE_REMEDY = "Send a template with POST /accounts/{accountId}/whatsapp/send, or wait until the person writes."
_WAIT_REMEDY = "Wait until the person writes: the platform only accepts free-form messages for a while after that."

_NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


class InboxService:
    def __init__(
        self,
        of_accounts: AccountService,
        session: AccountSession,
        reads: LiveReads,
        ledger: MessageRecorder,
        catalogue: ConnectorRegistry,
    ) -> None:
        self._accounts = of_accounts
        self._manifests = catalogue.manifests
        self._session = session
        self._reads = reads
        self._ledger = ledger

    async def list(self, work: UnitOfWork, account_id: str, query: ConversationsQuery) -> Page[Conversation]:
        after = decode_time_cursor(query.cursor, "conv", "conversations", account_id)
        account = await work.read(self._accounts.find, work.caller, account_id)
        part = self.get_adapter(account)
        filters = ConversationFilters(query.unread, query.since, query.q)
        rows = await work.read(list_conversations_page, account.owner_id, account_id, filters, query.limit, after)
        now = work.db.clock.now()
        data = [build_conversation_view(account, part, row, now) for row in rows[: query.limit]]
        last = rows[query.limit - 1] if len(rows) > query.limit else None
        cursor = (
            None
            if last is None
            else encode_time_cursor(TimePosition(last.last_at, last.id), "conversations", account_id)
        )
        return Page(data=data, next_cursor=cursor)

    async def read(
        self, work: UnitOfWork, account_id: str, conversation_id: str, query: MessagesQuery
    ) -> ConversationDetail:
        after = decode_time_cursor(query.cursor, "msg", "messages", conversation_id)
        account, conversation = await work.read(self.find, work, account_id, conversation_id)
        part = self.get_adapter(account)
        rows, more = await self._list_messages_page(work, conversation, query.limit, after)
        there_is_more = part.keeps_history and not conversation.history_done
        for _ in range(_MAX_HISTORY_READS):
            if more or not there_is_more:
                break
            if not await self._fetch_older_messages(work, account, conversation):
                break
            _, conversation = await work.read(self.find, work, account_id, conversation_id)
            there_is_more = not conversation.history_done
            rows, more = await self._list_messages_page(work, conversation, query.limit, after)
        # While the platform has more, the list continues, whether or not enough of it is stored by now.
        last = TimePosition(rows[-1].at, rows[-1].id) if rows and (more or there_is_more) else None
        cursor = None if last is None else encode_time_cursor(last, "messages", conversation_id)
        head = build_conversation_view(account, part, conversation, work.db.clock.now())
        page = Page(data=[build_message_view(row) for row in rows], next_cursor=cursor)
        return ConversationDetail(**msgspec.structs.asdict(head), messages=page)

    async def mark_read(self, work: UnitOfWork, account_id: str, conversation_id: str) -> ConversationRead:
        _, conversation = await work.read(self.find, work, account_id, conversation_id)
        return await work.write(self._mark_read, conversation)

    async def find(
        self, tx: Tx, work: UnitOfWork, account_id: str, conversation_id: str
    ) -> tuple[AccountRow, ConversationRow]:
        account = await self._accounts.find(tx, work.caller, account_id)
        conversation = await store.find_conversation(tx, account.owner_id, account_id, conversation_id)
        if conversation is None:
            raise NotFound(
                "The account has no conversation with this id. GET /accounts/{accountId}/conversations lists them."
            )
        return account, conversation

    def get_adapter(self, account: AccountRow) -> MessageAdapter:
        return self._session.get_adapter(account, MESSAGES_CAPABILITY, NO_MESSAGES_PHRASE)

    def build_permission_error(self, account: AccountRow) -> PermissionMissingError | None:
        """Return the error for an account that was connected without the permission to send messages."""
        missing = self._session.list_missing_permissions(account, MESSAGES_CAPABILITY)
        if not missing:
            return None
        detail = f"The account was connected without {', '.join(missing)}. Reconnect it and keep this selected."
        return PermissionMissingError(detail, platform=account.platform)

    def validate_options(self, account: AccountRow, options: Mapping[str, Any]) -> Sequence[Fault]:
        return validate_options(
            self._get_kind_manifest(account).message_options, options, "messageOptions", account.kind
        )

    def sends_by_type(self, account: AccountRow) -> bool:
        """Return whether messages of an account can be sent by their type."""
        return self._get_kind_manifest(account).sends_by_type

    def list_supporting_kinds(self, kind: MessageType, *, by_type: bool) -> str:
        """Name the kinds of accounts that can send messages of a type, or among those that are sent by their type."""
        return self._format_platform_names(lambda part: kind in part.types, by_type=by_type)

    def format_kinds_that_answer_comments(self) -> str:
        """Name the kinds of accounts that can answer a comment with a message."""
        return self._format_platform_names(lambda part: part.can_reply_to_comments)

    def _get_kind_manifest(self, account: AccountRow) -> KindManifest:
        return self._manifests[Platform(account.platform)].get_kind_manifest(Kind(account.kind))

    def _format_platform_names(self, can: Callable[[MessageAdapter], bool], *, by_type: bool = False) -> str:
        platforms = [
            manifest.platform
            for manifest in self._manifests.values()
            if not by_type or any(kind.sends_by_type for kind in manifest.kinds)
        ]
        parts = [item for platform in platforms for item in self._session.list_adapters(platform, MESSAGES_CAPABILITY)]
        return ", ".join(name for name, part in parts if can(part))

    async def _mark_read(self, tx: Tx, conversation: ConversationRow) -> ConversationRead:
        await store.update_conversation(tx, conversation.owner_id, conversation.id, {"unread": 0})
        return ConversationRead(id=conversation.id)

    async def _list_messages_page(
        self, work: UnitOfWork, conversation: ConversationRow, limit: int, after: TimePosition | None
    ) -> tuple[Sequence[MessageRow], bool]:
        return await work.read(store.list_messages_page, conversation.owner_id, conversation.id, limit, after)

    async def _fetch_older_messages(self, work: UnitOfWork, account: AccountRow, conversation: ConversationRow) -> bool:
        """Fetch older messages from the platform. Returns False if that failed: what is stored is shown."""
        cursor = conversation.history_cursor
        read = ListRead(
            name="messages",
            params=(conversation.id, cursor),
            limit=_HISTORY_PAGE_SIZE,
            capability=MESSAGES_CAPABILITY,
            lacks=NO_MESSAGES_PHRASE,
            call=lambda part, credentials, rows: part.list_history(credentials, conversation.contact_id, rows, cursor),
        )
        try:
            page = (await self._reads.list(account, read)).value
        except PlatformFailure:
            return False
        await work.db.write(self._store_history, account, conversation, page)
        return True

    async def _store_history(
        self, tx: Tx, account: AccountRow, conversation: ConversationRow, page: MessagePage
    ) -> None:
        """Store older messages. The platform lists them newest first and only reports seconds: each is placed before
        the one that it comes after, so that their order is the platform's, and a page never begins between two of them.
        """
        is_further = conversation.history_cursor is not None
        before = await store.find_oldest_message_time(tx, conversation) if is_further else None
        for item in page.items:
            at = item.sent_at if before is None or item.sent_at < before else before - _MICROSECOND
            await self._ledger.record_message(tx, account, msgspec.structs.replace(item, sent_at=at), from_history=True)
            before = at
        reached = {"history_cursor": page.cursor, "history_done": page.cursor is None}
        await store.update_conversation(tx, conversation.owner_id, conversation.id, reached)


def build_conversation_view(
    account: AccountRow, part: MessageAdapter, row: ConversationRow, now: datetime
) -> Conversation:
    return Conversation(
        id=row.id,
        account_id=row.account_id,
        platform=account.platform,
        kind=account.kind,
        contact=ConversationContact(
            id=row.contact_id, name=row.name, username=row.username, phone=row.phone, avatar_url=row.avatar_url
        ),
        unread=row.unread,
        last_message=None if row.last_message is None else msgspec.convert(row.last_message, LastMessage),
        window=compute_messaging_window(part, row.last_inbound_at, now),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def compute_messaging_window(
    part: MessageAdapter, last_inbound_at: datetime | None, now: datetime, options: Mapping[str, Any] = _NO_OPTIONS
) -> MessagingWindow | None:
    length = part.tagged_reply_window if "tag" in options else part.free_form_window
    if length is None:
        return None
    closes_at = None if last_inbound_at is None else last_inbound_at + length
    is_open = closes_at is not None and now < closes_at
    return MessagingWindow(
        open=is_open, closes_at=closes_at, remedy=None if is_open else _choose_remedy(part, last_inbound_at, now)
    )


def _choose_remedy(part: MessageAdapter, last_inbound_at: datetime | None, now: datetime) -> str:
    if MessageType.TEMPLATE in part.types:
        return _TEMPLATE_REMEDY
    tagged = part.tagged_reply_window
    can_tag = tagged is not None and last_inbound_at is not None and now < last_inbound_at + tagged
    return f"Wait until the person writes. {part.tag_remedy}" if can_tag else _WAIT_REMEDY


def build_message_view(row: MessageRow) -> Message:
    # What a platform reports can have a part of the same name.
    own = {OPTIONS_KEY} if row.source != "platform" else set()
    return Message(
        id=row.id,
        conversation_id=row.conversation_id,
        account_id=row.account_id,
        msg_id=row.vendor_id,
        direction=row.direction.value,
        type=row.type,
        text=row.text,
        attachments=[_build_attachment(attachment) for attachment in row.attachments],
        reply_to=row.reply_to,
        reactions=[
            Reaction(emoji=reaction["emoji"], by=reaction["by"]) for reaction in row.reactions if reaction["emoji"]
        ],
        data={name: value for name, value in row.data.items() if name not in own},
        options=row.data.get(OPTIONS_KEY) if own else None,
        status=row.status,
        error=None if row.error is None else MessageError(code=row.error["code"], detail=row.error["detail"] or ""),
        source=row.source,
        at=row.at,
        delivered_at=row.delivered_at,
        read_at=row.read_at,
        edited_at=row.edited_at,
        deleted_at=row.deleted_at,
    )


def _build_attachment(kept: Any) -> MessageAttachment:
    return MessageAttachment(
        type=kept["type"],
        media_id=kept["mediaId"],
        url=kept["url"],
        mime_type=kept["mimeType"],
        size=kept["size"],
        file_name=kept["fileName"],
    )
