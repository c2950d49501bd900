"""What is stored of a message that a platform reports, and of the person who wrote it."""

from datetime import datetime
from typing import Any

from socialgate.areas.inbox.changes import MAX_TEXT_LENGTH, limit_data_size
from socialgate.areas.inbox.tables import ConversationRow, MessageDirection
from socialgate.contracts.messages import Contact, MessageItem, MessageStatus

_MAX_NAME_LENGTH = 300


def build_message_values(
    item: MessageItem, message_id: str, conversation: ConversationRow, now: datetime
) -> dict[str, Any]:
    return {
        "id": message_id,
        "conversation_id": conversation.id,
        "account_id": conversation.account_id,
        "vendor_id": item.id,
        "direction": MessageDirection.OUTBOUND if item.outbound else MessageDirection.INBOUND,
        "type": item.type,
        "text": item.text[:MAX_TEXT_LENGTH],
        "attachments": [
            {
                "type": file.type,
                "mediaId": None,
                "url": None,
                "mimeType": file.mime_type,
                "size": file.size,
                "fileName": file.file_name,
                "source": dict(file.source),
            }
            for file in item.attachments
        ],
        "reply_to": item.reply_to,
        "reactions": [],
        "data": limit_data_size(item.data),
        "status": MessageStatus.SENT if item.outbound else MessageStatus.RECEIVED,
        "source": "platform",
        "at": item.sent_at,
        "created_at": now,
    }


def build_contact_values(contact: Contact) -> dict[str, str | None]:
    return {
        "name": contact.name and contact.name[:_MAX_NAME_LENGTH],
        "username": contact.username and contact.username[:_MAX_NAME_LENGTH],
        "phone": contact.phone,
        "avatar_url": contact.avatar_url,
    }
