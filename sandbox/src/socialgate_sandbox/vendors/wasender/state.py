"""The state of the simulated WaSender."""

from datetime import datetime
from typing import Any, Literal

import msgspec

from socialgate_sandbox.kit import StoredObject, media
from socialgate_sandbox.society.chats import Message as SharedMessage

Json = dict[str, Any]
SessionStatus = Literal["disconnected", "connecting", "need_scan", "connected", "logged_out", "expired"]

QR_LIFETIME_SECONDS = 20.0
# The attempt ends when WhatsApp's list of codes is used up.
MAX_QR_CODES = 8

WEBHOOK_EVENTS = frozenset(
    {
        "messages.received",
        "messages-personal.received",
        "messages-group.received",
        "messages-newsletter.received",
        "messages.upsert",
        "messages.update",
        "messages.delete",
        "messages.reaction",
        "message-receipt.update",
        "message.sent",
        "session.status",
        "qrcode.updated",
        "call.received",
        "poll.results",
        "chats.upsert",
        "chats.update",
        "chats.delete",
        "groups.upsert",
        "groups.update",
        "group-participants.update",
        "contacts.upsert",
        "contacts.update",
    }
)


class Customer(StoredObject, kw_only=True):
    """Somebody with a subscription. `id` is the person's key, `token` their personal access token."""

    token: str
    name: str
    plan: Literal["trial", "pro"] = "pro"
    active: bool = True
    most_sessions: int = 5


class Session(StoredObject, kw_only=True):
    """A WhatsApp number behind WaSender. `parent` is the customer."""

    name: str
    phone_number: str
    status: SessionStatus = "disconnected"
    account_protection: bool = True
    log_messages: bool = True
    read_incoming_messages: bool = False
    auto_reject_calls: bool = False
    webhook_url: str | None = None
    webhook_enabled: bool = False
    webhook_events: list[str] | None = None
    api_key: str
    webhook_secret: str
    created: datetime
    updated: datetime
    last_active: datetime | None = None
    # Set by `connect`: the code that was last reported, and the secret from which all codes are derived.
    qr_requested_at: datetime | None = msgspec.field(default=None, name="asked")
    code_told: int = -1
    qr_secret: str = ""

    @property
    def jid(self) -> str:
        return f"{self.phone_number.lstrip('+')}@s.whatsapp.net"


class Media(StoredObject, kw_only=True):
    """A file: uploaded by the product, or sent by somebody. `mime` is the type that its sender declared."""

    mime: str
    file: media.Media
    created_at: datetime = msgspec.field(name="made")
    name: str = ""
    media_key: str = ""


class Message(SharedMessage, kw_only=True):
    """`id` is WhatsApp's, `number` WaSender's own, and 0 for what others wrote, or the owner on the phone.

    `body` is the text alone, without a description of what is not text. `file` is the id of its media.
    """

    number: int = 0
    body: str = ""
    file: str = ""
    # The other side is addressed by its LID.
    lid: bool = False
