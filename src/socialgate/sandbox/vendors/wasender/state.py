"""The state of the simulated WaSender."""

from datetime import datetime
from typing import Any, Literal

from socialgate.sandbox.kit import Thing, media

Json = dict[str, Any]
Status = Literal["disconnected", "connecting", "need_scan", "connected", "logged_out", "expired"]

QR_LIFETIME = 20.0
# The attempt ends when WhatsApp's list of codes is used up.
QR_CODES = 8

EVENTS = frozenset(
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


class Customer(Thing, kw_only=True):
    """Somebody with a subscription. `id` is the person's key, `token` their personal access token."""

    token: str
    name: str
    plan: Literal["trial", "pro"] = "pro"
    active: bool = True
    most_sessions: int = 5


class Session(Thing, kw_only=True):
    """A WhatsApp number behind WaSender. `parent` is the customer."""

    name: str
    phone_number: str
    status: Status = "disconnected"
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
    asked: datetime | None = None
    code_told: int = -1
    qr_secret: str = ""

    @property
    def jid(self) -> str:
        return f"{self.phone_number.lstrip('+')}@s.whatsapp.net"


class Media(Thing, kw_only=True):
    """A file: uploaded by the product, or sent by somebody. `mime` is the type that its sender declared."""

    mime: str
    file: media.Media
    made: datetime
    name: str = ""
    media_key: str = ""


class Message(Thing, kw_only=True):
    """`id` is WhatsApp's, `number` WaSender's own, and 0 for messages from others. `parent` is the session."""

    number: int
    chat: str
    from_me: bool
    content: Json
    text: str
    made: datetime
    key: Json
    status: int = 2
    media: str = ""
    edited: bool = False
    push_name: str = ""
    reactions: dict[str, str] = {}
