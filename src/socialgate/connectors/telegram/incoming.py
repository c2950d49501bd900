"""Messages as Telegram reports them. Parts that cannot be read are omitted, but never the message itself."""

from datetime import datetime
from typing import Any

from socialgate.connectors.messaging import place_of
from socialgate.connectors.receiving import moment
from socialgate.connectors.telegram.shapes import Message, Part
from socialgate.contracts.messages import AttachmentItem, Contact, MessageItem, MessageType

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
    place, venue, card = message.location, message.venue, message.contact
    if where := place_of(place.latitude, place.longitude, name=venue.title, address=venue.address):
        return MessageType.LOCATION, (), where
    if card.phone_number:
        return MessageType.CONTACTS, (), {"contacts": [{"name": card.name, "phones": [card.phone_number]}]}
    return (MessageType.TEXT if message.text else MessageType.UNSUPPORTED), (), {}
