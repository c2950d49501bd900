"""Messages as Telegram reports them: the shapes of updates, and the ids of chats and messages.

A private chat is identified by its number. A chat of a business account that the bot works for has the id of the
business connection in front, because the same person may also write to the bot. Messages are numbered per chat, so
their ids contain the chat.
"""

import re
from typing import Annotated, TypeAlias

import msgspec

from socialgate.connectors.tolerant import Tolerant

Number: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**53)]

_CHAT = re.compile(r"(?:([A-Za-z0-9_-]{1,64}):)?([1-9][0-9]{0,15})", re.ASCII)
_MESSAGE = re.compile(r"(?:(.+):)?([1-9][0-9]{0,15})", re.ASCII)


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


class Query(Tolerant, frozen=True):
    """A button that was pressed. Buttons of inline messages and of games contain something else, or nothing."""

    id: Annotated[str, msgspec.Meta(max_length=64)]
    message: Message
    data: str


class Reaction(Tolerant, frozen=True):
    """A person's current reaction to a message. A custom emoji cannot be shown, and counts as none."""

    chat: Part
    message_id: Number
    date: int | None = None
    new_reaction: list[Part] = msgspec.field(default_factory=list)


class Deleted(Tolerant, frozen=True):
    business_connection_id: str
    chat: Part
    message_ids: tuple[Number, ...]


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
