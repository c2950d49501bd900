"""Messages as Telegram reports them: the shapes of updates, and the ids of chats and messages.

A private chat is identified by its number. A chat of a business account that the bot works for has the id of the
business connection in front, because the same person may also write to the bot. Messages are numbered per chat, so
their ids contain the chat.
"""

import re
from typing import Annotated, TypeAlias

import msgspec

from socialgate.connectors.lenient_decoding import LenientStruct

PositiveId: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**53)]

_CHAT_ID_PATTERN = re.compile(r"(?:([A-Za-z0-9_-]{1,64}):)?([1-9][0-9]{0,15})", re.ASCII)
_MESSAGE_ID_PATTERN = re.compile(r"(?:(.+):)?([1-9][0-9]{0,15})", re.ASCII)


class MessagePart(LenientStruct, frozen=True):
    """Anything within a message: a chat, a person, a file, a location. Each has some of these."""

    id: int = 0
    type: str = ""
    first_name: str = ""
    last_name: str = ""
    username: str | None = None
    phone_number: str = ""
    file_id: str = ""
    file_size: int | None = None
    file_name: str | None = None
    mime_type: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    title: str = ""
    address: str = ""
    message_id: PositiveId | None = None
    text: str = ""
    callback_data: str | None = None
    emoji: str = ""

    @property
    def name(self) -> str:
        return f"{self.first_name} {self.last_name}".strip()


_EMPTY_PART = MessagePart()


class InlineKeyboard(LenientStruct, frozen=True):
    inline_keyboard: tuple[tuple[MessagePart, ...], ...] = ()


class IncomingMessage(LenientStruct, frozen=True):
    message_id: PositiveId
    chat: MessagePart
    sender: MessagePart = msgspec.field(name="from", default=_EMPTY_PART)
    business_connection_id: str = ""
    date: int | None = None
    edit_date: int | None = None
    text: str = ""
    caption: str = ""
    photo_sizes: list[MessagePart] = msgspec.field(name="photo", default_factory=list)
    video: MessagePart = _EMPTY_PART
    animation: MessagePart = _EMPTY_PART
    video_note: MessagePart = _EMPTY_PART
    audio: MessagePart = _EMPTY_PART
    voice: MessagePart = _EMPTY_PART
    document: MessagePart = _EMPTY_PART
    sticker: MessagePart = _EMPTY_PART
    location: MessagePart = _EMPTY_PART
    venue: MessagePart = _EMPTY_PART
    contact: MessagePart = _EMPTY_PART
    reply_to_message: MessagePart = _EMPTY_PART
    reply_markup: InlineKeyboard = InlineKeyboard()

    @property
    def photo(self) -> MessagePart:
        """The largest size of a picture, which comes last."""
        return self.photo_sizes[-1] if self.photo_sizes else _EMPTY_PART

    @property
    def contact_id(self) -> str:
        return build_contact_id(self.business_connection_id, self.chat)

    @property
    def id(self) -> str:
        return f"{self.contact_id}:{self.message_id}"

    @property
    def is_private(self) -> bool:
        return self.chat.type == "private" and parse_contact_id(self.contact_id) is not None

    @property
    def text_or_caption(self) -> str:
        return self.text or self.caption


class CallbackQuery(LenientStruct, frozen=True):
    """A button that was pressed. Buttons of inline messages and of games contain something else, or nothing."""

    id: Annotated[str, msgspec.Meta(max_length=64)]
    message: IncomingMessage
    data: str


class IncomingReaction(LenientStruct, frozen=True):
    """A person's current reaction to a message. A custom emoji cannot be shown, and counts as none."""

    chat: MessagePart
    message_id: PositiveId
    date: int | None = None
    new_reaction: list[MessagePart] = msgspec.field(default_factory=list)


class DeletedMessages(LenientStruct, frozen=True):
    business_connection_id: str
    chat: MessagePart
    message_ids: tuple[PositiveId, ...]


def build_contact_id(connection: str, chat: MessagePart) -> str:
    return f"{connection}:{chat.id}" if connection else str(chat.id)


def parse_contact_id(contact: str) -> tuple[str | None, int] | None:
    """Return the business connection, None for the bot's own chat, and the number of the chat."""
    match = _CHAT_ID_PATTERN.fullmatch(contact)
    return None if match is None else (match[1], int(match[2]))


def parse_message_number(contact: str, message_id: str) -> int | None:
    """Return the number of a message in this chat; None if it is from another chat, or not a message."""
    match = _MESSAGE_ID_PATTERN.fullmatch(message_id)
    return int(match[2]) if match is not None and match[1] in {None, contact} else None
