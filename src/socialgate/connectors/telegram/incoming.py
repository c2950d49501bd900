"""Messages as Telegram reports them. Parts that cannot be read are omitted, but never the message itself.

A private chat is identified by its number. A chat of a business account that the bot works for has the id of the
business connection in front, because the same person may also write to the bot. Messages are numbered per chat, so
their ids contain the chat.
"""

import re
from datetime import datetime
from typing import Annotated, Any, TypeAlias

import msgspec

from socialgate.connectors.receiving import moment
from socialgate.connectors.tolerant import Tolerant
from socialgate.contracts.messages import AttachmentItem, Contact, MessageItem, MessageType

Number: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**53)]

_CHAT = re.compile(r"(?:([A-Za-z0-9_-]{1,64}):)?([1-9][0-9]{0,15})", re.ASCII)
_MESSAGE = re.compile(r"(?:(.+):)?([1-9][0-9]{0,15})", re.ASCII)
# The first one present counts: an animation is also sent as a document.
_FILES = {
    "photo": MessageType.IMAGE,
    "video": MessageType.VIDEO,
    "animation": MessageType.VIDEO,
    "video_note": MessageType.VIDEO,
    "audio": MessageType.AUDIO,
    "voice": MessageType.AUDIO,
    "document": MessageType.DOCUMENT,
    "sticker": MessageType.STICKER,
}


class Part(Tolerant, frozen=True):
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
    message_id: Number | None = None
    text: str = ""
    callback_data: str | None = None
    emoji: str = ""

    @property
    def name(self) -> str:
        return f"{self.first_name} {self.last_name}".strip()


_NONE = Part()


class Keyboard(Tolerant, frozen=True):
    inline_keyboard: tuple[tuple[Part, ...], ...] = ()


class Message(Tolerant, frozen=True):
    message_id: Number
    chat: Part
    sender: Part = msgspec.field(name="from", default=_NONE)
    business_connection_id: str = ""
    date: int | None = None
    edit_date: int | None = None
    text: str = ""
    caption: str = ""
    sizes: list[Part] = msgspec.field(name="photo", default_factory=list)
    video: Part = _NONE
    animation: Part = _NONE
    video_note: Part = _NONE
    audio: Part = _NONE
    voice: Part = _NONE
    document: Part = _NONE
    sticker: Part = _NONE
    location: Part = _NONE
    venue: Part = _NONE
    contact: Part = _NONE
    reply_to_message: Part = _NONE
    reply_markup: Keyboard = Keyboard()

    @property
    def photo(self) -> Part:
        """The largest size of a picture, which comes last."""
        return self.sizes[-1] if self.sizes else _NONE

    @property
    def contact_id(self) -> str:
        return contact_id(self.business_connection_id, self.chat)

    @property
    def id(self) -> str:
        return f"{self.contact_id}:{self.message_id}"

    @property
    def is_private(self) -> bool:
        return self.chat.type == "private" and chat_of(self.contact_id) is not None

    @property
    def words(self) -> str:
        return self.text or self.caption


def contact_id(connection: str, chat: Part) -> str:
    return f"{connection}:{chat.id}" if connection else str(chat.id)


def chat_of(contact: str) -> tuple[str | None, int] | None:
    """Return the business connection, None for the bot's own chat, and the number of the chat."""
    found = _CHAT.fullmatch(contact)
    return None if found is None else (found[1], int(found[2]))


def number_in(contact: str, message_id: str) -> int | None:
    """Return the number of a message in this chat; None if it is from another chat, or not a message."""
    found = _MESSAGE.fullmatch(message_id)
    return int(found[2]) if found is not None and found[1] in {None, contact} else None


def item_of(message: Message, now: datetime) -> MessageItem:
    kind, files, data = _content(message)
    replied = message.reply_to_message.message_id
    return MessageItem(
        id=message.id,
        contact=_contact(message),
        type=kind,
        at=moment(message.date) or now,
        text=message.words,
        # Messages of the owner of a business account are reported too: in the chat with the person they are not from
        # the person.
        outbound=bool(message.business_connection_id) and message.sender.id not in {0, message.chat.id},
        attachments=files,
        reply_to=None if replied is None else f"{message.contact_id}:{replied}",
        data=data,
    )


def pressed(query_id: str, said: str, message: Message, now: datetime) -> MessageItem:
    """Create a message from a pressed button. Telegram does not say when it was pressed."""
    buttons = (button for row in message.reply_markup.inline_keyboard for button in row)
    title = next((button.text for button in buttons if button.callback_data == said), "") or said
    return MessageItem(
        id=f"{message.contact_id}:button:{query_id}",
        contact=_contact(message),
        type=MessageType.INTERACTIVE,
        at=now,
        text=title,
        reply_to=message.id,
        data={"id": said, "title": title},
    )


def _contact(message: Message) -> Contact:
    return Contact(id=message.contact_id, name=message.chat.name or None, username=message.chat.username)


def _content(message: Message) -> tuple[MessageType, tuple[AttachmentItem, ...], dict[str, Any]]:
    for name, kind in _FILES.items():
        file: Part = getattr(message, name)
        if file.file_id:
            found = AttachmentItem(
                type=kind,
                source={"fileId": file.file_id},
                mime_type=file.mime_type,
                size=file.file_size,
                file_name=file.file_name,
            )
            return kind, (found,), {}
    place, card = message.location, message.contact
    if place.latitude is not None and place.longitude is not None:
        named = {"name": message.venue.title, "address": message.venue.address}
        where = {"latitude": place.latitude, "longitude": place.longitude}
        return MessageType.LOCATION, (), where | {name: value for name, value in named.items() if value}
    if card.phone_number:
        return MessageType.CONTACTS, (), {"contacts": [{"name": card.name, "phones": [card.phone_number]}]}
    return (MessageType.TEXT if message.text else MessageType.UNSUPPORTED), (), {}
