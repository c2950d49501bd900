"""Conversations: what people do in them is named alike on all platforms, whatever each of them makes of it.

The verbs are `message`, `deliver`, `read`, `react`, `edit`, `delete` and `press`, as far as a platform knows them. They
stand under `POST /_control/<verb>` and in the forms of a chat page.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple, TypeAlias

from socialgate.sandbox.kit import FOLLOWERS, Action, ActionRequest, ControlError, Person, Upload, World, digits, draw

Attachment: TypeAlias = Literal[
    "", "image", "album", "video", "audio", "voice", "file", "sticker", "location", "contact"
]  # fmt: skip
MessageId: TypeAlias = str | int
"""As the platform writes it: a number on some, a text on others."""
# For so long after a person's last message an account can answer freely, where a platform sets a limit.
WINDOW = timedelta(hours=24)


class Written(ActionRequest, frozen=True, kw_only=True):
    """A person writes to an account: a text, or a sample of an attachment with the text as its caption."""

    account: str
    person: str = FOLLOWERS[0].key
    text: str = ""
    attachment: Attachment = ""
    reply_to: MessageId = ""


class Named(ActionRequest, frozen=True, kw_only=True):
    """Something is done with one message of a conversation."""

    account: str
    person: str = FOLLOWERS[0].key
    message_id: MessageId


class Seen(ActionRequest, frozen=True, kw_only=True):
    """The person's phone gets a message, or the person reads it. Without one it is the newest of the account."""

    account: str
    person: str = FOLLOWERS[0].key
    message_id: MessageId = ""


class Reacted(Named, frozen=True, kw_only=True):
    """Without an emoji the reaction is taken back."""

    emoji: str = ""


class Edited(Named, frozen=True, kw_only=True):
    """The person writes a message of their own again."""

    text: str


class Pressed(Named, frozen=True, kw_only=True):
    """The person presses a button by the words on it."""

    button: str


class Sample(NamedTuple):
    """A file that a person sends. No two of them are the same."""

    name: str
    content_type: str
    upload: Upload


# How files of each kind are called, what they are, and how they begin.
_SAMPLES = {
    "image": ("photo.png", "image/png", b""),
    "video": ("clip.mp4", "video/mp4", b"\0\0\0\x18ftypmp42"),
    "audio": ("song.mp3", "audio/mpeg", b"ID3"),
    "voice": ("voice.ogg", "audio/ogg; codecs=opus", b"OggS"),
    "file": ("letter.pdf", "application/pdf", b"%PDF-1.4\n"),
    "sticker": ("sticker.webp", "image/webp", b"RIFF"),
}
_TITLES = {
    "message": "Write as a person",
    "deliver": "Deliver a message to a person",
    "read": "Read as a person",
    "react": "React as a person",
    "edit": "Edit a message as a person",
    "delete": "Delete a message as a person",
    "press": "Press a button as a person",
}


def verb(name: str, takes: type[Any], run: Callable[[World, Any], Any]) -> dict[str, Action[Any]]:
    """Make one of the verbs, to be spread into the actions of a vendor."""
    return {name: Action(_TITLES[name], takes, run, listed=False)}


def person_of(key: str) -> Person:
    """Find one of the people by the key or by the name."""
    found = next((person for person in FOLLOWERS if key in {person.key, person.name}), None)
    if found is None:
        raise ControlError(f"There is no person {key!r}. There are: {', '.join(one.key for one in FOLLOWERS)}.")
    return found


def require_content(order: Written, longest: int, known: tuple[str, ...]) -> None:
    """Refuse a message that people cannot send: too long, empty, or with something that the platform does not have."""
    if order.attachment and order.attachment not in known:
        raise ControlError(f"People cannot send that here. They can send: {', '.join(known)}.", 422)
    if len(order.text) > longest or not (order.text.strip() or order.attachment):
        raise ControlError(f"Give a text of 1 to {longest} characters, or an attachment.", 422)


def is_open(world: World, last: datetime | None) -> bool:
    """Tell whether the person's last message was so late that it can be answered freely."""
    return last is not None and world.clock.now() - last < WINDOW


def sample(world: World, kind: str) -> Sample:
    name, content_type, beginning = _SAMPLES[kind]
    path = world.files.new()
    path.write_bytes(
        draw(digits(9), 320, 240) if kind == "image" else beginning + f" A sample {kind} {digits(9)}\n".encode()
    )
    return Sample(name, content_type, Upload(name, content_type, path, path.stat().st_size))
