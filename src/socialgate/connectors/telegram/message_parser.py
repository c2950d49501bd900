"""Messages as Telegram reports them. Parts that cannot be read are omitted, but never the message itself."""

from datetime import datetime
from typing import Any

from socialgate.connectors.message_adapters import build_location
from socialgate.connectors.telegram.payloads import IncomingMessage, MessagePart
from socialgate.connectors.webhook_helpers import parse_unix_time
from socialgate.contracts.messages import AttachmentItem, Contact, MessageItem, MessageType

# The first one present counts: an animation is also sent as a document.
_MESSAGE_TYPES_BY_FIELD = {
    "photo": MessageType.IMAGE,
    "video": MessageType.VIDEO,
    "animation": MessageType.VIDEO,
    "video_note": MessageType.VIDEO,
    "audio": MessageType.AUDIO,
    "voice": MessageType.AUDIO,
    "document": MessageType.DOCUMENT,
    "sticker": MessageType.STICKER,
}


def parse_message(message: IncomingMessage, now: datetime) -> MessageItem:
    kind, files, data = _parse_content(message)
    replied = message.reply_to_message.message_id
    return MessageItem(
        id=message.id,
        contact=_parse_contact(message),
        type=kind,
        sent_at=parse_unix_time(message.date) or now,
        text=message.text_or_caption,
        # Messages of the owner of a business account are reported too: in the chat with the person they are not from
        # the person.
        outbound=bool(message.business_connection_id) and message.sender.id not in {0, message.chat.id},
        attachments=files,
        reply_to=None if replied is None else f"{message.contact_id}:{replied}",
        data=data,
    )


def parse_button_press(query_id: str, callback_data: str, message: IncomingMessage, now: datetime) -> MessageItem:
    """Create a message from a pressed button. Telegram does not say when it was pressed."""
    buttons = (button for row in message.reply_markup.inline_keyboard for button in row)
    title = next((button.text for button in buttons if button.callback_data == callback_data), "") or callback_data
    return MessageItem(
        id=f"{message.contact_id}:button:{query_id}",
        contact=_parse_contact(message),
        type=MessageType.INTERACTIVE,
        sent_at=now,
        text=title,
        reply_to=message.id,
        data={"id": callback_data, "title": title},
    )


def _parse_contact(message: IncomingMessage) -> Contact:
    return Contact(id=message.contact_id, name=message.chat.name or None, username=message.chat.username)


def _parse_content(message: IncomingMessage) -> tuple[MessageType, tuple[AttachmentItem, ...], dict[str, Any]]:
    for name, kind in _MESSAGE_TYPES_BY_FIELD.items():
        file: MessagePart = getattr(message, name)
        if file.file_id:
            attachment_item = AttachmentItem(
                type=kind,
                source={"fileId": file.file_id},
                mime_type=file.mime_type,
                size=file.file_size,
                file_name=file.file_name,
            )
            return kind, (attachment_item,), {}
    place, venue, card = message.location, message.venue, message.contact
    if where := build_location(place.latitude, place.longitude, name=venue.title, address=venue.address):
        return MessageType.LOCATION, (), where
    if card.phone_number:
        return MessageType.CONTACTS, (), {"contacts": [{"name": card.name, "phones": [card.phone_number]}]}
    return (MessageType.TEXT if message.text else MessageType.UNSUPPORTED), (), {}
