"""What a message contains: as it is requested, and as it is stored when it is sent."""

from typing import Any

import msgspec

from socialgate.areas.inbox.schemas import WhatsappMessage
from socialgate.contracts.messages import MessageType, NewMessage, ReplyButton
from socialgate.contracts.publishing import MediaFile
from socialgate.core.errors import InvalidRequest

# Where the options of a message are stored, beside its buttons.
OPTIONS_KEY = "options"
_NON_TEXT_FORMATS = frozenset(
    {MessageType.IMAGE, MessageType.VIDEO, MessageType.AUDIO, MessageType.DOCUMENT, MessageType.STICKER}
)


def extract_content(body: WhatsappMessage) -> dict[str, Any]:
    """Return what the type needs besides text and media, and reject fields of other types."""
    fields = {
        "template": body.template,
        "location": body.location,
        "contacts": body.contacts,
        "interactive": body.interactive,
        "reaction": body.reaction,
        "read": body.read,
    }
    expected = "media" if body.type in _NON_TEXT_FORMATS else body.type
    params = {name for name, value in {**fields, "media": body.media}.items() if value is not None}
    if expected != "text" and expected not in params:
        raise InvalidRequest.for_field(
            f"/{expected}", "required", f"`{expected}` is required for messages of type `{body.type}`."
        )
    if expected == "text" and body.text is None:
        raise InvalidRequest.for_field("/text", "required", "`text` is required for messages of type `text`.")
    if others := sorted(params - {expected}):
        raise InvalidRequest.for_field(
            f"/{others[0]}", "contradiction", f"`{others[0]}` cannot be used with type `{body.type}`. Remove it."
        )
    content: Any = msgspec.to_builtins(fields.get(expected)) or {}
    return {"contacts": content} if expected == "contacts" else dict(content)


def get_stored_type(new: NewMessage) -> MessageType:
    """Return the type that is stored: a text with something to tap is interactive, however it was requested."""
    is_interactive = new.type is MessageType.TEXT and (new.buttons or new.quick_replies)
    return MessageType.INTERACTIVE if is_interactive else new.type


def get_display_text(new: NewMessage) -> str:
    """Return what people read in a message. Only the platform knows the text of a template: its name stands for it."""
    return new.text or str(new.data.get({"interactive": "body", "template": "name"}.get(new.type, ""), ""))


def build_message_data(new: NewMessage) -> dict[str, Any]:
    """Return what has no column of its own."""
    shown = {"buttons": new.buttons, "quickReplies": new.quick_replies}
    data = {
        **new.data,
        **{
            name: [_encode_button(reply_button) for reply_button in reply_buttons]
            for name, reply_buttons in shown.items()
            if reply_buttons
        },
    }
    return {**data, OPTIONS_KEY: dict(new.options)} if new.options else data


def _encode_button(button: ReplyButton) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(button).items() if value is not None}


def build_attachment(media: MediaFile) -> dict[str, Any]:
    return {
        "type": media.type,
        "mediaId": media.id,
        "url": media.url,
        "mimeType": media.mime_type,
        "size": media.size,
        "fileName": media.file_name,
    }
