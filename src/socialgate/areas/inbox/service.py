"""Conversations, as stored. If the platform keeps a history, older messages are fetched when somebody pages back to
them, and stored without duplicates.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

import msgspec

from socialgate.areas.accounts.reading import ListRead, LiveReads
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.inbox import store
from socialgate.areas.inbox.contents import OPTIONS
from socialgate.areas.inbox.ledger import MessageLedger
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
    Reaction,
    Window,
)
from socialgate.areas.inbox.store import Filters
from socialgate.areas.inbox.tables import ConversationRow, MessageRow
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.failures import PermissionMissing, PlatformFailure
from socialgate.contracts.messages import MESSAGES, HistoricMessages, Messages, MessageType
from socialgate.contracts.platforms import Kind, KindManifest, Platform
from socialgate.core.db import Tx
from socialgate.core.errors import Fault, NotFound
from socialgate.core.work import Work
from socialgate.web.options import option_faults
from socialgate.web.paging import Place, at_place, place_of
from socialgate.web.schema import Page

LACKS = "does not support messages through its API"
_MOST_HISTORIC = 50
# How often the platform is asked for one response: enough for the longest page.
_MICROSECOND = timedelta(microseconds=1)
_MOST_ROUNDS = 6
_CLOSED = "Send a template with POST /accounts/{accountId}/whatsapp/send, or wait until the person writes."
_CLOSED_ELSEWHERE = "Wait until the person writes: the platform only accepts free-form messages for a while after that."

_NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


class Inbox:
    def __init__(
        self,
        of_accounts: Accounts,
        session: AccountSession,
        reads: LiveReads,
        ledger: MessageLedger,
        catalogue: Catalogue,
    ) -> None:
        self._accounts = of_accounts
        self._manifests = catalogue.manifests
        self._session = session
        self._reads = reads
        self._ledger = ledger

    async def list(self, work: Work, account_id: str, query: ConversationsQuery) -> Page[Conversation]:
        after = place_of(query.cursor, "conv", "conversations", account_id)
        account = await work.read(self._accounts.find, work.caller, account_id)
        part = self.part(account)
        filters = Filters(query.unread, query.since, query.q)
        rows = await work.read(store.page_of_conversations, account.owner_id, account_id, filters, query.limit, after)
        now = work.db.clock.now()
        data = [show_conversation(account, part, row, now) for row in rows[: query.limit]]
        last = rows[query.limit - 1] if len(rows) > query.limit else None
        cursor = None if last is None else at_place(Place(last.last_at, last.id), "conversations", account_id)
        return Page(data=data, next_cursor=cursor)

    async def read(self, work: Work, account_id: str, conversation_id: str, query: MessagesQuery) -> ConversationDetail:
        after = place_of(query.cursor, "msg", "messages", conversation_id)
        account, conversation = await work.read(self.find, work, account_id, conversation_id)
        part = self.part(account)
        rows, more = await self._page(work, conversation, query.limit, after)
        there_is_more = part.keeps_history and not conversation.history_done
        for _ in range(_MOST_ROUNDS):
            if more or not there_is_more:
                break
            if not await self._read_back(work, account, conversation):
                break
            _, conversation = await work.read(self.find, work, account_id, conversation_id)
            there_is_more = not conversation.history_done
            rows, more = await self._page(work, conversation, query.limit, after)
        # While the platform has more, the list continues, whether or not enough of it is stored by now.
        last = Place(rows[-1].at, rows[-1].id) if rows and (more or there_is_more) else None
        cursor = None if last is None else at_place(last, "messages", conversation_id)
        head = show_conversation(account, part, conversation, work.db.clock.now())
        page = Page(data=[show_message(row) for row in rows], next_cursor=cursor)
        return ConversationDetail(**msgspec.structs.asdict(head), messages=page)

    async def mark_read(self, work: Work, account_id: str, conversation_id: str) -> ConversationRead:
        _, conversation = await work.read(self.find, work, account_id, conversation_id)
        return await work.write(self._mark_read, conversation)

    async def find(
        self, tx: Tx, work: Work, account_id: str, conversation_id: str
    ) -> tuple[AccountRow, ConversationRow]:
        account = await self._accounts.find(tx, work.caller, account_id)
        conversation = await store.find_conversation(tx, account.owner_id, account_id, conversation_id)
        if conversation is None:
            raise NotFound(
                "The account has no conversation with this id. GET /accounts/{accountId}/conversations lists them."
            )
        return account, conversation

    def part(self, account: AccountRow) -> Messages:
        return self._session.part(account, MESSAGES, LACKS)

    def not_permitted(self, account: AccountRow) -> PermissionMissing | None:
        """Return the error for an account that was connected without the permission to send messages."""
        missing = self._session.missing(account, MESSAGES)
        if not missing:
            return None
        detail = f"The account was connected without {', '.join(missing)}. Reconnect it and keep this selected."
        return PermissionMissing(detail, platform=account.platform)

    def option_faults(self, account: AccountRow, options: Mapping[str, Any]) -> Sequence[Fault]:
        return option_faults(self._manifest(account).message_options, options, "messageOptions", account.kind)

    def sends_by_type(self, account: AccountRow) -> bool:
        """Return whether messages of an account can be sent by their type."""
        return self._manifest(account).sends_by_type

    def able(self, kind: MessageType, *, by_type: bool) -> str:
        """Name the kinds of accounts that can send messages of a type, or among those that are sent by their type."""
        return self._names(lambda part: kind in part.types, by_type=by_type)

    def able_to_answer_comments(self) -> str:
        """Name the kinds of accounts that can answer a comment with a message."""
        return self._names(lambda part: part.answers_comments)

    def _manifest(self, account: AccountRow) -> KindManifest:
        return self._manifests[Platform(account.platform)].of(Kind(account.kind))

    def _names(self, can: Callable[[Messages], bool], *, by_type: bool = False) -> str:
        platforms = [
            manifest.platform
            for manifest in self._manifests.values()
            if not by_type or any(kind.sends_by_type for kind in manifest.kinds)
        ]
        parts = [one for platform in platforms for one in self._session.parts(platform, MESSAGES)]
        return ", ".join(name for name, part in parts if can(part))

    async def _mark_read(self, tx: Tx, conversation: ConversationRow) -> ConversationRead:
        await store.update_conversation(tx, conversation.owner_id, conversation.id, {"unread": 0})
        return ConversationRead(id=conversation.id)

    async def _page(
        self, work: Work, conversation: ConversationRow, limit: int, after: Place | None
    ) -> tuple[Sequence[MessageRow], bool]:
        return await work.read(store.page_of_messages, conversation.owner_id, conversation.id, limit, after)

    async def _read_back(self, work: Work, account: AccountRow, conversation: ConversationRow) -> bool:
        """Fetch older messages from the platform. Returns False if that failed: what is stored is shown."""
        cursor = conversation.history_cursor
        read = ListRead(
            name="messages",
            params=(conversation.id, cursor),
            limit=_MOST_HISTORIC,
            capability=MESSAGES,
            lacks=LACKS,
            call=lambda part, held, rows: part.older(held, conversation.contact_id, rows, cursor),
        )
        try:
            page = (await self._reads.list(account, read)).value
        except PlatformFailure:
            return False
        await work.db.write(self._keep_history, account, conversation, page)
        return True

    async def _keep_history(
        self, tx: Tx, account: AccountRow, conversation: ConversationRow, page: HistoricMessages
    ) -> None:
        """Store older messages. The platform lists them newest first and only reports seconds: each is placed before
        the one that it comes after, so that their order is the platform's, and a page never begins between two of them.
        """
        is_further = conversation.history_cursor is not None
        before = await store.oldest_at(tx, conversation) if is_further else None
        for item in page.items:
            at = item.at if before is None or item.at < before else before - _MICROSECOND
            await self._ledger.take(tx, account, msgspec.structs.replace(item, at=at), old=True)
            before = at
        reached = {"history_cursor": page.cursor, "history_done": page.cursor is None}
        await store.update_conversation(tx, conversation.owner_id, conversation.id, reached)


def show_conversation(account: AccountRow, part: Messages, row: ConversationRow, now: datetime) -> Conversation:
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
        window=window_of(part, row.last_inbound_at, now),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def window_of(
    part: Messages, last_inbound_at: datetime | None, now: datetime, options: Mapping[str, Any] = _NO_OPTIONS
) -> Window | None:
    length = part.tagged_window if "tag" in options else part.window
    if length is None:
        return None
    closes_at = None if last_inbound_at is None else last_inbound_at + length
    is_open = closes_at is not None and now < closes_at
    return Window(open=is_open, closes_at=closes_at, remedy=None if is_open else _remedy(part, last_inbound_at, now))


def _remedy(part: Messages, last_inbound_at: datetime | None, now: datetime) -> str:
    if MessageType.TEMPLATE in part.types:
        return _CLOSED
    tagged = part.tagged_window
    can_tag = tagged is not None and last_inbound_at is not None and now < last_inbound_at + tagged
    return f"Wait until the person writes. {part.tag_remedy}" if can_tag else _CLOSED_ELSEWHERE


def show_message(row: MessageRow) -> Message:
    # What a platform reports can have a part of the same name.
    own = {OPTIONS} if row.source != "platform" else set()
    return Message(
        id=row.id,
        conversation_id=row.conversation_id,
        account_id=row.account_id,
        msg_id=row.vendor_id,
        direction=row.direction.value,
        type=row.type,
        text=row.text,
        attachments=[_attachment(one) for one in row.attachments],
        reply_to=row.reply_to,
        reactions=[Reaction(emoji=one["emoji"], by=one["by"]) for one in row.reactions if one["emoji"]],
        data={name: value for name, value in row.data.items() if name not in own},
        options=row.data.get(OPTIONS) if own else None,
        status=row.status,
        error=None if row.error is None else MessageError(code=row.error["code"], detail=row.error["detail"] or ""),
        source=row.source,
        at=row.at,
        delivered_at=row.delivered_at,
        read_at=row.read_at,
        edited_at=row.edited_at,
        deleted_at=row.deleted_at,
    )


def _attachment(kept: Any) -> MessageAttachment:
    return MessageAttachment(
        type=kept["type"],
        media_id=kept["mediaId"],
        url=kept["url"],
        mime_type=kept["mimeType"],
        size=kept["size"],
        file_name=kept["fileName"],
    )
