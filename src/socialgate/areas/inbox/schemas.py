"""Requests and responses of conversations and messages.

The file has so many lines because WhatsApp alone has twelve types of messages, each with its own fields and example.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from socialgate.contracts.messages import MessageSource, MessageStatus, MessageType, ReplyButton
from socialgate.contracts.template_components import Template
from socialgate.core.fields import AccountIdField, AccountKindField, CreatedAt, PlatformField
from socialgate.web.pagination import ListQuery
from socialgate.web.schemas import NonBlankText, Page, RequestBody, ResponseModel

_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_CONVERSATION_ID = "conv_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_MESSAGE_ID = "msg_01h455vb4pex5vsknk084sn02q"
_RECIPIENT_DESCRIPTION = (
    "The recipient: a phone number in E.164 format on WhatsApp, otherwise the platform's id of the person."
)
_REPLY_TO_DESCRIPTION = "The message to reply to: our id, or the platform's."

ShortText = Annotated[NonBlankText, Meta(max_length=300)]
Recipient = Annotated[str, Meta(min_length=1, max_length=300, description=_RECIPIENT_DESCRIPTION)]
MessageBodyText = Annotated[NonBlankText, Meta(max_length=65_536)]


class ConversationsQuery(ListQuery, frozen=True, kw_only=True):
    """Which conversations to list."""

    unread: (
        Annotated[bool, Meta(description="Only conversations with unread messages, or only those without.")] | None
    ) = None
    since: Annotated[datetime, Meta(tz=True, description="Only conversations with a message since then.")] | None = None
    q: Annotated[str, Meta(min_length=1, max_length=200, description="Searches messages and names.")] | None = None


class MessagesQuery(ListQuery, frozen=True, kw_only=True):
    """Which part of the conversation to return."""


class ConversationContact(ResponseModel, frozen=True, kw_only=True):
    """The person in the conversation. `id` is the platform's."""

    id: str
    """The platform's id of the person, or of the group."""
    name: str | None
    """The display name. Null if the platform does not report it."""
    username: str | None
    """The handle. Null if the platform has none, or does not report it."""
    phone: str | None
    """The phone number in E.164 format. Null if it is unknown."""
    avatar_url: str | None
    """The URL of the picture on the platform, which may expire. Null if there is none."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "51987654321", "name": "Ana", "username": None, "phone": "+51987654321", "avatarUrl": None}


class LastMessage(ResponseModel, frozen=True, kw_only=True):
    """A summary of the newest message."""

    id: str
    """Our id, `msg_…`."""
    direction: Literal["inbound", "outbound"]
    """`inbound` from the person, `outbound` from the account."""
    type: MessageType
    """What kind of message it is."""
    text: str
    """The beginning of its text. Empty if it has none."""
    at: datetime
    """When it was sent, according to the platform."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_MESSAGE_ID,
            "direction": "inbound",
            "type": "text",
            "text": "Are you open today?",
            "at": "2026-11-15T09:30:00Z",
        }


class MessagingWindow(ResponseModel, frozen=True, kw_only=True):
    """Until when free-form messages can be sent. `remedy` says what to do after it has closed."""

    open: bool
    """Whether free-form messages can be sent now."""
    closes_at: datetime | None
    """When it closes or closed. Null if the person has never written."""
    remedy: str | None
    """What you can do while it is closed. Null while it is open."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"open": True, "closesAt": "2026-11-16T09:30:00Z", "remedy": None}


class Conversation(ResponseModel, frozen=True, kw_only=True):
    """The messages between an account and one person. `window` is null if free-form messages can always be sent."""

    id: str
    """The id, `conv_…`."""
    account_id: AccountIdField
    platform: PlatformField
    kind: AccountKindField
    contact: ConversationContact
    """The person, or the group, on the other side."""
    unread: int
    """How many messages of the person arrived since the conversation was last marked as read."""
    last_message: LastMessage | None
    """A summary of the newest message. Null if there is none yet."""
    window: MessagingWindow | None
    """When free-form messages can be sent. Null if they always can."""
    created_at: CreatedAt
    updated_at: datetime
    """When something in it last changed, such as a new message or status."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_CONVERSATION_ID,
            "accountId": _EXAMPLE_ACCOUNT_ID,
            "platform": "whatsapp-cloud",
            "kind": "whatsapp_cloud",
            "contact": ConversationContact.example(),
            "unread": 1,
            "lastMessage": LastMessage.example(),
            "window": MessagingWindow.example(),
            "createdAt": "2026-11-15T09:30:00Z",
            "updatedAt": "2026-11-15T09:30:00Z",
        }


class MessageAttachment(ResponseModel, frozen=True, kw_only=True):
    """A file of a message. `mediaId` and `url` are null while it is being downloaded, or if that failed."""

    type: str
    """`image`, `video`, `audio`, `document` or another type of file."""
    media_id: str | None
    """Our id of the file, `med_…`. Null while it is being downloaded, or if that failed."""
    url: str | None
    """A URL of this service for the file. Null while it is being downloaded, or if that failed."""
    mime_type: str | None
    """The MIME type. Null if it is unknown."""
    size: int | None
    """The size in bytes. Null if it is unknown."""
    file_name: str | None
    """The name of the file. Null if it has none."""

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


class Reaction(ResponseModel, frozen=True, kw_only=True):
    """A reaction to a message."""

    emoji: str
    """The emoji of the reaction."""
    by: str | None
    """The platform's id of the person who reacted. Null if it is unknown."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"emoji": "👍", "by": "51987654321"}


class MessageError(ResponseModel, frozen=True, kw_only=True):
    """Why a message failed, or why its outcome is unknown."""

    code: str
    """The code of the error, as in a problem."""
    detail: str
    """What went wrong, for people to read."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"code": "platform_rejected", "detail": "The number is not on WhatsApp."}


class Message(ResponseModel, frozen=True, kw_only=True):
    """One message. `msgId` is the platform's id; `replyTo` is the platform's id of the message it replies to; `options`
    are those that it was sent with.

    The status of a sent message goes from `sending` to `sent`, `delivered` and `read`, as far as the platform reports;
    `unconfirmed` means that it may have been sent, and is never resent automatically.
    """

    id: str
    """Our id, `msg_…`."""
    conversation_id: str
    """The conversation, `conv_…`."""
    account_id: AccountIdField
    msg_id: str | None
    """The platform's own id. Null until the platform has accepted the message."""
    direction: Literal["inbound", "outbound"]
    """`inbound` from the person, `outbound` from the account."""
    type: MessageType
    """What kind of message it is. `unsupported` is one that the platform does not pass on to apps."""
    text: str
    """The text, or the caption of a file; for a template its name. Empty if it has none."""
    attachments: list[MessageAttachment]
    """The files of the message. Empty if it has none."""
    reply_to: str | None
    """The platform's id of the message that it replies to. Null if it is no reply."""
    reactions: list[Reaction]
    """The current reactions to it."""
    data: dict[str, Any]
    """What belongs to its type, such as the coordinates of a location or the button that was pressed."""
    options: dict[str, Any] | None
    """The options that it was sent with. Null for messages that were not sent through this service, or without any."""
    status: MessageStatus
    """`received` if the person sent it; otherwise how far it got, as far as the platform reports."""
    error: MessageError | None
    """Why it failed, or why its outcome is unknown. Null otherwise."""
    source: MessageSource
    """Where an outbound message came from: this API, the console, an automation, or the platform's own app."""
    at: datetime
    """When it was sent, according to the platform."""
    delivered_at: datetime | None
    """When it was delivered. Null until the platform reports it."""
    read_at: datetime | None
    """When it was read. Null until the platform reports it."""
    edited_at: datetime | None
    """When it was last edited. Null if it was not."""
    deleted_at: datetime | None
    """When it was deleted. Null if it was not."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_MESSAGE_ID,
            "conversationId": _EXAMPLE_CONVERSATION_ID,
            "accountId": _EXAMPLE_ACCOUNT_ID,
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
    """A page of its messages, newest first."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {**super().example(), "messages": {"data": [Message.example()], "nextCursor": None}}


class MessageFile(RequestBody, frozen=True, kw_only=True):
    """A file to send: an uploaded one, or a URL from which it is fetched immediately."""

    media_id: Annotated[str, Meta(max_length=40)] | None = None
    """The id of an uploaded file, `med_…`."""
    url: Annotated[str, Meta(max_length=2048)] | None = None
    """Instead of `mediaId`: a public URL, from which the file is fetched immediately."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"mediaId": "med_01h455vb4pex5vsknk084sn02q"}


Buttons = Annotated[tuple[ReplyButton, ...], Meta(max_length=13)]


class NewMessageBody(RequestBody, frozen=True, kw_only=True):
    """A message to send: to a conversation, or to a person with `to`."""

    conversation_id: Annotated[str, Meta(max_length=40)] | None = None
    """The conversation to write to, `conv_…`. Omit it if you send `to`."""
    to: Recipient | None = None
    text: MessageBodyText | None = None
    """The text, or the caption of the file."""
    media: Annotated[list[MessageFile], Meta(max_length=1)] = field(default_factory=list)
    """The file to send, at most one."""
    reply_to: Annotated[str, Meta(min_length=1, max_length=300, description=_REPLY_TO_DESCRIPTION)] | None = None
    quick_replies: Buttons = ()
    """Replies to tap, shown until the person writes. Not every kind of account supports them."""
    buttons: Buttons = ()
    """Buttons below the text, on kinds of accounts that support them."""
    options: Annotated[dict[str, Any], Meta(description="See `messageOptions` of the kind in GET /platforms.")] = field(
        default_factory=dict
    )

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"conversationId": _EXAMPLE_CONVERSATION_ID, "text": "Until eight."}


class Location(RequestBody, frozen=True, kw_only=True):
    """A location on the map."""

    latitude: Annotated[float, Meta(ge=-90, le=90)]
    """In degrees; north is positive."""
    longitude: Annotated[float, Meta(ge=-180, le=180)]
    """In degrees; east is positive."""
    name: ShortText | None = None
    """The name of the place."""
    address: ShortText | None = None
    """The address of the place."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"latitude": -12.05, "longitude": -77.03, "name": "Shop"}


class ContactCard(RequestBody, frozen=True, kw_only=True):
    """A contact card with names and numbers."""

    name: ShortText
    """The full name."""
    phones: Annotated[list[Annotated[str, Meta(min_length=3, max_length=30)]], Meta(max_length=10)] = field(
        default_factory=list
    )
    """Phone numbers, as they should be shown."""
    emails: Annotated[list[Annotated[str, Meta(max_length=254)]], Meta(max_length=10)] = field(default_factory=list)
    """Email addresses."""
    organization: ShortText | None = None
    """The company that the contact works for."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "Ana Souza", "phones": ["+51987654321"]}


class InteractiveListRow(RequestBody, frozen=True, kw_only=True):
    """One choice of a list."""

    id: Annotated[str, Meta(min_length=1, max_length=200)]
    """What comes back in the `data` of the reply when the person chooses it."""
    title: Annotated[NonBlankText, Meta(max_length=24)]
    """What the row says."""
    description: Annotated[str, Meta(max_length=72)] | None = None
    """A second line, in smaller letters."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "hours", "title": "Opening hours"}


class InteractiveListSection(RequestBody, frozen=True, kw_only=True):
    """Choices with a common title."""

    rows: Annotated[list[InteractiveListRow], Meta(min_length=1, max_length=10)]
    """The choices. All sections together can have ten."""
    title: Annotated[str, Meta(max_length=24)] | None = None
    """A heading above the rows. Required if there are several sections."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"title": "Shop", "rows": [InteractiveListRow.example()]}


class InteractiveMessage(RequestBody, frozen=True, kw_only=True):
    """A text with up to three buttons, or with a list of up to ten rows that opens with `button`."""

    body: Annotated[NonBlankText, Meta(max_length=4096)]
    """The text of the message."""
    header: Annotated[str, Meta(max_length=60)] | None = None
    """A line above the text."""
    footer: Annotated[str, Meta(max_length=60)] | None = None
    """A line below the text, in smaller letters."""
    buttons: Annotated[list[ReplyButton], Meta(max_length=3)] = field(default_factory=list)
    """Replies to tap, instead of a list."""
    button: Annotated[NonBlankText, Meta(max_length=20)] | None = None
    """What the button that opens the list says. Required with `sections`."""
    sections: Annotated[list[InteractiveListSection], Meta(max_length=10)] = field(default_factory=list)
    """The choices of the list, instead of `buttons`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"body": "How can we help?", "buttons": [ReplyButton.example()]}


class NewReaction(RequestBody, frozen=True, kw_only=True):
    """A reaction to a message; an empty emoji removes it."""

    msg_id: ShortText
    """The message to react to: our id, or the platform's."""
    emoji: Annotated[str, Meta(max_length=20)]
    """A single emoji. Empty removes the reaction."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"msgId": "wamid.HBgLNTE5ODc2NTQzMjE", "emoji": "👍"}


class ReadReceipt(RequestBody, frozen=True, kw_only=True):
    """The message that was read; all earlier ones count as read too."""

    msg_id: ShortText
    """The newest message that was read: our id, or the platform's."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"msgId": "wamid.HBgLNTE5ODc2NTQzMjE"}


WhatsappMessageType = Literal[
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


class WhatsappMessage(RequestBody, frozen=True, kw_only=True):
    """A message of one type, with the field of that type. With files, `text` is the caption."""

    to: Recipient
    type: WhatsappMessageType
    """What to send. The field of that type is required; `image`, `video`, `audio`, `document` and `sticker` need
    `media`.
    """
    text: MessageBodyText | None = None
    """The text, or the caption of a file."""
    template: Template | None = None
    """For `template`: which one, and the values of its placeholders."""
    media: MessageFile | None = None
    """For files: which one."""
    location: Location | None = None
    """For `location`: the place to send."""
    contacts: Annotated[list[ContactCard], Meta(min_length=1, max_length=10)] | None = None
    """For `contacts`: the cards to send."""
    interactive: InteractiveMessage | None = None
    """For `interactive`: a text with buttons or a list."""
    reaction: NewReaction | None = None
    """For `reaction`: which message, and the emoji."""
    read: ReadReceipt | None = None
    """For `read`: marks messages of the person as read, and sends nothing."""
    reply_to: Annotated[str, Meta(min_length=1, max_length=300, description=_REPLY_TO_DESCRIPTION)] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"to": "+51987654321", "type": "text", "text": "Your order is ready."}


class ConversationRead(ResponseModel, frozen=True, kw_only=True):
    """The conversation that was marked as read."""

    id: str
    """The conversation, `conv_…`."""
    unread: Literal[0] = 0
    """Always 0."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": _EXAMPLE_CONVERSATION_ID, "unread": 0}
