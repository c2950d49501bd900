"""Requests and responses of conversations and messages.

The file has so many lines because WhatsApp alone has twelve types of messages, each with its own fields and example.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from socialgate.areas.inbox.template_schemas import Template
from socialgate.contracts.messages import MessageSource, MessageStatus, MessageType
from socialgate.web.paging import ListQuery
from socialgate.web.schema import Body, Page, View, Visible

_ACCOUNT = "acc_01h455vb4pex5vsknk084sn02q"
_CONVERSATION = "conv_01h455vb4pex5vsknk084sn02q"
_MESSAGE = "msg_01h455vb4pex5vsknk084sn02q"
_TO = "The recipient: a phone number in E.164 format on WhatsApp, otherwise the platform's id of the person."
_REPLY = "The message to reply to: our id, or the platform's."

Short = Annotated[Visible, Meta(max_length=300)]
Recipient = Annotated[str, Meta(min_length=1, max_length=300, description=_TO)]
Text = Annotated[Visible, Meta(max_length=65_536)]


class ConversationsQuery(ListQuery, frozen=True, kw_only=True):
    """Which conversations to list."""

    unread: (
        Annotated[bool, Meta(description="Only conversations with unread messages, or only those without.")] | None
    ) = None
    since: Annotated[datetime, Meta(tz=True, description="Only conversations with a message since then.")] | None = None
    q: Annotated[str, Meta(min_length=1, max_length=200, description="Searches messages and names.")] | None = None


class MessagesQuery(ListQuery, frozen=True, kw_only=True):
    """Which part of the conversation to return."""


class ConversationContact(View, frozen=True, kw_only=True):
    """The person in the conversation. `id` is the platform's."""

    id: str
    name: str | None
    username: str | None
    phone: str | None
    avatar_url: str | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "51987654321", "name": "Ana", "username": None, "phone": "+51987654321", "avatarUrl": None}


class LastMessage(View, frozen=True, kw_only=True):
    """A summary of the newest message."""

    id: str
    direction: Literal["inbound", "outbound"]
    type: MessageType
    text: str
    at: datetime

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _MESSAGE,
            "direction": "inbound",
            "type": "text",
            "text": "Are you open today?",
            "at": "2026-11-15T09:30:00Z",
        }


class Window(View, frozen=True, kw_only=True):
    """Until when free-form messages can be sent. `remedy` says what to do after it has closed."""

    open: bool
    closes_at: datetime | None
    remedy: str | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"open": True, "closesAt": "2026-11-16T09:30:00Z", "remedy": None}


class Conversation(View, frozen=True, kw_only=True):
    """The messages between an account and one person. `window` is null if free-form messages can always be sent."""

    id: str
    account_id: str
    platform: str
    kind: str
    contact: ConversationContact
    unread: int
    last_message: LastMessage | None
    window: Window | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _CONVERSATION,
            "accountId": _ACCOUNT,
            "platform": "whatsapp-cloud",
            "kind": "whatsapp_cloud",
            "contact": ConversationContact.example(),
            "unread": 1,
            "lastMessage": LastMessage.example(),
            "window": Window.example(),
            "createdAt": "2026-11-15T09:30:00Z",
            "updatedAt": "2026-11-15T09:30:00Z",
        }


class MessageAttachment(View, frozen=True, kw_only=True):
    """A file of a message. `mediaId` and `url` are null while it is being downloaded, or if that failed."""

    type: str
    media_id: str | None
    url: str | None
    mime_type: str | None
    size: int | None
    file_name: str | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "type": "image",
            "mediaId": "med_01h455vb4pex5vsknk084sn02q",
            "url": "https://socialgate.example/media/med_01h455vb4pex5vsknk084sn02q",
            "mimeType": "image/jpeg",
            "size": 52110,
            "fileName": None,
        }


class Reaction(View, frozen=True, kw_only=True):
    """A reaction to a message."""

    emoji: str
    by: str | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"emoji": "👍", "by": "51987654321"}


class MessageError(View, frozen=True, kw_only=True):
    """Why a message failed, or why its outcome is unknown."""

    code: str
    detail: str

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"code": "platform_rejected", "detail": "The number is not on WhatsApp."}


class Message(View, frozen=True, kw_only=True):
    """One message. `msgId` is the platform's id; `replyTo` is the platform's id of the message it replies to; `options`
    are those that it was sent with.

    The status of a sent message goes from `sending` to `sent`, `delivered` and `read`, as far as the platform reports;
    `unconfirmed` means that it may have been sent, and is never resent automatically.
    """

    id: str
    conversation_id: str
    account_id: str
    msg_id: str | None
    direction: Literal["inbound", "outbound"]
    type: MessageType
    text: str
    attachments: list[MessageAttachment]
    reply_to: str | None
    reactions: list[Reaction]
    data: dict[str, Any]
    options: dict[str, Any] | None
    status: MessageStatus
    error: MessageError | None
    source: MessageSource
    at: datetime
    delivered_at: datetime | None
    read_at: datetime | None
    edited_at: datetime | None
    deleted_at: datetime | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _MESSAGE,
            "conversationId": _CONVERSATION,
            "accountId": _ACCOUNT,
            "msgId": "wamid.HBgLNTE5ODc2NTQzMjE",
            "direction": "outbound",
            "type": "text",
            "text": "Until eight.",
            "attachments": [],
            "replyTo": None,
            "reactions": [],
            "data": {},
            "options": None,
            "status": "sent",
            "error": None,
            "source": "api",
            "at": "2026-11-15T09:31:00Z",
            "deliveredAt": None,
            "readAt": None,
            "editedAt": None,
            "deletedAt": None,
        }


class ConversationDetail(Conversation, frozen=True, kw_only=True):
    """A conversation with its messages, newest first."""

    messages: Page[Message]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {**super().example(), "messages": {"data": [Message.example()], "nextCursor": None}}


class MessageFile(Body, frozen=True, kw_only=True):
    """A file to send: an uploaded one, or a URL from which it is fetched immediately."""

    media_id: Annotated[str, Meta(max_length=40)] | None = None
    url: Annotated[str, Meta(max_length=2048)] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"mediaId": "med_01h455vb4pex5vsknk084sn02q"}


class ReplyButton(Body, frozen=True, kw_only=True):
    """A reply that the person can tap, or with `url` a link to open."""

    title: Annotated[Visible, Meta(max_length=80)]
    id: Annotated[str, Meta(min_length=1, max_length=256)] | None = None
    url: Annotated[str, Meta(max_length=2048)] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"title": "Opening hours", "id": "hours"}


Buttons = Annotated[list[ReplyButton], Meta(max_length=13)]


class NewMessageBody(Body, frozen=True, kw_only=True):
    """A message to send: to a conversation, or to a person with `to`."""

    conversation_id: Annotated[str, Meta(max_length=40)] | None = None
    to: Recipient | None = None
    text: Text | None = None
    media: Annotated[list[MessageFile], Meta(max_length=1)] = field(default_factory=list)
    reply_to: Annotated[str, Meta(min_length=1, max_length=300, description=_REPLY)] | None = None
    quick_replies: Buttons = field(default_factory=list)
    buttons: Buttons = field(default_factory=list)
    options: Annotated[dict[str, Any], Meta(description="See `messageOptions` of the kind in GET /platforms.")] = field(
        default_factory=dict
    )

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"conversationId": _CONVERSATION, "text": "Until eight."}


class Location(Body, frozen=True, kw_only=True):
    """A location on the map."""

    latitude: Annotated[float, Meta(ge=-90, le=90)]
    longitude: Annotated[float, Meta(ge=-180, le=180)]
    name: Short | None = None
    address: Short | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"latitude": -12.05, "longitude": -77.03, "name": "Shop"}


class ContactCard(Body, frozen=True, kw_only=True):
    """A contact card with names and numbers."""

    name: Short
    phones: Annotated[list[Annotated[str, Meta(min_length=3, max_length=30)]], Meta(max_length=10)] = field(
        default_factory=list
    )
    emails: Annotated[list[Annotated[str, Meta(max_length=254)]], Meta(max_length=10)] = field(default_factory=list)
    organization: Short | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "Ana Souza", "phones": ["+51987654321"]}


class ListRow(Body, frozen=True, kw_only=True):
    """One choice of a list."""

    id: Annotated[str, Meta(min_length=1, max_length=200)]
    title: Annotated[Visible, Meta(max_length=24)]
    description: Annotated[str, Meta(max_length=72)] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "hours", "title": "Opening hours"}


class ListSection(Body, frozen=True, kw_only=True):
    """Choices with a common title."""

    rows: Annotated[list[ListRow], Meta(min_length=1, max_length=10)]
    title: Annotated[str, Meta(max_length=24)] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"title": "Shop", "rows": [ListRow.example()]}


class Interactive(Body, frozen=True, kw_only=True):
    """A text with up to three buttons, or with a list of up to ten rows that opens with `button`."""

    body: Annotated[Visible, Meta(max_length=4096)]
    header: Annotated[str, Meta(max_length=60)] | None = None
    footer: Annotated[str, Meta(max_length=60)] | None = None
    buttons: Annotated[list[ReplyButton], Meta(max_length=3)] = field(default_factory=list)
    button: Annotated[Visible, Meta(max_length=20)] | None = None
    sections: Annotated[list[ListSection], Meta(max_length=10)] = field(default_factory=list)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"body": "How can we help?", "buttons": [ReplyButton.example()]}


class NewReaction(Body, frozen=True, kw_only=True):
    """A reaction to a message; an empty emoji removes it."""

    msg_id: Short
    emoji: Annotated[str, Meta(max_length=20)]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"msgId": "wamid.HBgLNTE5ODc2NTQzMjE", "emoji": "👍"}


class ReadReceipt(Body, frozen=True, kw_only=True):
    """The message that was read; all earlier ones count as read too."""

    msg_id: Short

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"msgId": "wamid.HBgLNTE5ODc2NTQzMjE"}


WhatsappType = Literal[
    "text",
    "template",
    "image",
    "video",
    "audio",
    "document",
    "sticker",
    "location",
    "contacts",
    "interactive",
    "reaction",
    "read",
]


class WhatsappMessage(Body, frozen=True, kw_only=True):
    """A message of one type, with the field of that type. With files, `text` is the caption."""

    to: Recipient
    type: WhatsappType
    text: Text | None = None
    template: Template | None = None
    media: MessageFile | None = None
    location: Location | None = None
    contacts: Annotated[list[ContactCard], Meta(min_length=1, max_length=10)] | None = None
    interactive: Interactive | None = None
    reaction: NewReaction | None = None
    read: ReadReceipt | None = None
    reply_to: Annotated[str, Meta(min_length=1, max_length=300, description=_REPLY)] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"to": "+51987654321", "type": "text", "text": "Your order is ready."}


class ConversationRead(View, frozen=True, kw_only=True):
    """The conversation that was marked as read."""

    id: str
    unread: Literal[0] = 0

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": _CONVERSATION, "unread": 0}
