"""The tables of this area. Messages of platforms without a history are only stored here."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.contracts.messages import MessageSource, MessageStatus, MessageType
from socialgate.core.db import Id, UtcDateTime, metadata
from socialgate.core.rows import build_row_reader

Json = sa.JSON(none_as_null=True)
PlatformId = sa.String(300)


class MessageDirection(StrEnum):
    INBOUND = "inbound"
    OUTBOUND = "outbound"


conversations = sa.Table(
    "conversations",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("profile_id", Id, nullable=False),
    sa.Column("account_id", Id, nullable=False),
    # The platform's current id of the person; earlier ids lead here too (`contact_aliases`).
    sa.Column("contact_id", PlatformId, nullable=False),
    sa.Column("name", sa.String(300)),
    sa.Column("username", sa.String(300)),
    sa.Column("phone", sa.String(30)),
    sa.Column("avatar_url", sa.String(2048)),
    sa.Column("unread", sa.Integer, nullable=False, server_default="0"),
    # A summary of the newest message, so that a list needs no second query.
    sa.Column("last_message", Json),
    sa.Column("last_at", UtcDateTime, nullable=False),
    sa.Column("last_inbound_at", UtcDateTime),
    # How far the platform's own history was read; empty if completely, or if there is none.
    sa.Column("history_cursor", sa.Text),
    sa.Column("history_done", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
    sa.Index("ix_conversations_account_id", "owner_id", "account_id", "last_at", "id"),
)

contact_aliases = sa.Table(
    "contact_aliases",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("account_id", Id, primary_key=True),
    sa.Column("alias", PlatformId, primary_key=True),
    sa.Column("conversation_id", Id, nullable=False),
)

messages = sa.Table(
    "messages",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("conversation_id", Id, nullable=False),
    sa.Column("account_id", Id, nullable=False),
    # The vendor's id that is shown; all ids that lead here are in `message_ids`.
    sa.Column("vendor_id", PlatformId),
    sa.Column("direction", sa.String(8), nullable=False),
    sa.Column("type", sa.String(12), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("attachments", Json, nullable=False),
    sa.Column("reply_to", PlatformId),
    sa.Column("reactions", Json, nullable=False),
    sa.Column("data", Json, nullable=False),
    sa.Column("status", sa.String(12), nullable=False),
    sa.Column("error", Json),
    sa.Column("source", sa.String(12), nullable=False),
    # When it was written, by the platform's clock: the order of a conversation.
    sa.Column("at", UtcDateTime, nullable=False),
    sa.Column("delivered_at", UtcDateTime),
    sa.Column("read_at", UtcDateTime),
    sa.Column("edited_at", UtcDateTime),
    sa.Column("deleted_at", UtcDateTime),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Index("ix_messages_conversation_id", "owner_id", "conversation_id", "at", "id"),
)

# The vendor's ids. The first insert owns the message; a duplicate report finds it here.
message_ids = sa.Table(
    "message_ids",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("account_id", Id, primary_key=True),
    sa.Column("vendor_id", PlatformId, primary_key=True),
    sa.Column("message_id", Id, nullable=False),
)

# The messages that automations sent on account of a lead, with the key of that subject: they are erased with it.
message_subjects = sa.Table(
    "message_subjects",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("subject_key", sa.String(400), primary_key=True),
    sa.Column("message_id", Id, primary_key=True),
)

# Reports about messages that are not known yet, because reports can arrive out of order.
early_reports = sa.Table(
    "message_early_reports",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("account_id", Id, nullable=False),
    sa.Column("vendor_id", PlatformId, nullable=False),
    sa.Column("report", Json, nullable=False),
    sa.Column("expires_at", UtcDateTime, nullable=False),
    sa.Index("ix_message_early_reports_vendor_id", "owner_id", "account_id", "vendor_id"),
    sa.Index("ix_message_early_reports_expires_at", "expires_at"),
)


class ConversationRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    profile_id: str
    account_id: str
    contact_id: str
    name: str | None
    username: str | None
    phone: str | None
    avatar_url: str | None
    unread: int
    last_message: Mapping[str, Any] | None
    last_at: datetime
    last_inbound_at: datetime | None
    history_cursor: str | None
    history_done: bool
    created_at: datetime
    updated_at: datetime


class MessageRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    conversation_id: str
    account_id: str
    vendor_id: str | None
    direction: MessageDirection
    type: MessageType
    text: str
    attachments: Sequence[Mapping[str, Any]]
    reply_to: str | None
    reactions: Sequence[Mapping[str, Any]]
    data: Mapping[str, Any]
    status: MessageStatus
    error: Mapping[str, Any] | None
    source: MessageSource
    at: datetime
    delivered_at: datetime | None
    read_at: datetime | None
    edited_at: datetime | None
    deleted_at: datetime | None
    created_at: datetime


read_conversation = build_row_reader(ConversationRow, conversations)
read_message = build_row_reader(MessageRow, messages)
