"""Conversations: the verbs for people are the same on all platforms, whatever each platform does with them.

The verbs are `message`, `deliver`, `read`, `react`, `edit`, `delete` and `press`, as far as a platform supports them.
They are available as `POST /_control/<verb>` and in the forms of a chat page.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Literal, NamedTuple, TypeAlias

from socialgate_sandbox.kit import (
    FOLLOWERS,
    Action,
    ActionRequest,
    ControlError,
    Person,
    Upload,
    VendorContext,
    draw_plain_png,
    generate_digits,
)

Attachment: TypeAlias = Literal[
    "", "image", "album", "video", "audio", "voice", "file", "sticker", "location", "contact", "order",
    "unsupported",
]  # fmt: skip
MessageId: TypeAlias = str | int
"""As the platform represents it: a number on some, a string on others."""
# On platforms with a limit, an account can reply freely for this long after a person's last message.
REPLY_WINDOW = timedelta(hours=24)


class WriteMessageRequest(ActionRequest, frozen=True, kw_only=True):
    """A person writes to an account: a text, or a sample attachment with the text as its caption."""

    account: str
    person: str = FOLLOWERS[0].key
    text: str = ""
    attachment: Attachment = ""
    reply_to: MessageId = ""


class MessageRequest(ActionRequest, frozen=True, kw_only=True):
    """Do something with one message of a conversation."""

    account: str
    person: str = FOLLOWERS[0].key
    message_id: MessageId


class ReceiptRequest(ActionRequest, frozen=True, kw_only=True):
    """The person's phone receives a message, or the person reads it. By default the account's newest message."""

    account: str
    person: str = FOLLOWERS[0].key
    message_id: MessageId = ""


class ReactRequest(MessageRequest, frozen=True, kw_only=True):
    """Without an emoji, the reaction is removed."""

    emoji: str = ""


class EditMessageRequest(MessageRequest, frozen=True, kw_only=True):
    """The person edits one of their own messages."""

    text: str


class PressButtonRequest(MessageRequest, frozen=True, kw_only=True):
    """The person presses a button, given by its label."""

    button: str


ConversationRequest: TypeAlias = WriteMessageRequest | MessageRequest | ReceiptRequest
"""What a request about a conversation has at least: an account and a person."""


class SampleFile(NamedTuple):
    """A file that a person sends. No two are the same."""

    name: str
    content_type: str
    upload: Upload


# File name, type and first bytes for each kind of file.
_SAMPLE_FILES = {
    "image": ("photo.png", "image/png", b""),
    "video": ("clip.mp4", "video/mp4", b"\0\0\0\x18ftypmp42"),
    "audio": ("song.mp3", "audio/mpeg", b"ID3"),
    "voice": ("voice.ogg", "audio/ogg; codecs=opus", b"OggS"),
    "file": ("letter.pdf", "application/pdf", b"%PDF-1.4\n"),
    "sticker": ("sticker.webp", "image/webp", b"RIFF"),
}
ACTION_TITLES = {
    "message": "Write as a person",
    "deliver": "Deliver a message to a person",
    "read": "Read as a person",
    "react": "React as a person",
    "edit": "Edit a message as a person",
    "delete": "Delete a message as a person",
    "press": "Press a button as a person",
}


def build_action(
    name: str, request_type: type[Any], run: Callable[[VendorContext, Any], Any]
) -> dict[str, Action[Any]]:
    """Create one of the verbs, to be merged into the actions of a vendor."""
    return {name: Action(ACTION_TITLES[name], request_type, run, has_own_form=False)}


def find_person(key: str) -> Person:
    """Find a person by key or by name."""
    existing_person = next((person for person in FOLLOWERS if key in {person.key, person.name}), None)
    if existing_person is None:
        raise ControlError(
            f"There is no person {key!r}. Choose one of: {', '.join(follower.key for follower in FOLLOWERS)}."
        )
    return existing_person


def require_content(request: WriteMessageRequest, max_length: int, supported_attachments: tuple[str, ...]) -> None:
    """Reject a message that people cannot send: too long, empty, or with an attachment that is not supported."""
    if request.attachment and request.attachment not in supported_attachments:
        raise ControlError(f"People cannot send that here. They can send: {', '.join(supported_attachments)}.", 422)
    if len(request.text) > max_length or not (request.text.strip() or request.attachment):
        raise ControlError(f"Enter a text of 1 to {max_length} characters, or choose an attachment.", 422)


def create_sample_file(context: VendorContext, kind: str) -> SampleFile:
    name, content_type, beginning = _SAMPLE_FILES[kind]
    path = context.files.create_path()
    path.write_bytes(
        draw_plain_png(generate_digits(9), 320, 240)
        if kind == "image"
        else beginning + f" A sample {kind} {generate_digits(9)}\n".encode()
    )
    return SampleFile(name, content_type, Upload(name, content_type, path, path.stat().st_size))
