"""How hooks and automations learn about messages that a platform reports."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from socialgate.areas.inbox import store
from socialgate.areas.inbox.tables import ConversationRow, MessageRow
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.messages import MessageStatus, MessageStored
from socialgate.core import outbox
from socialgate.core.db import Tx
from socialgate.core.events import Attachment, MessageFailure, MessageReceived, MessageStatusChanged

_REPORTED_STATUSES: Mapping[MessageStatus, Literal["sent", "delivered", "read", "failed"]] = {
    MessageStatus.SENT: "sent",
    MessageStatus.DELIVERED: "delivered",
    MessageStatus.READ: "read",
    MessageStatus.FAILED: "failed",
}


async def emit_message_received(
    tx: Tx, account: AccountRow, conversation: ConversationRow, message: MessageRow, *, is_first: bool
) -> None:
    files = [
        Attachment(type=attachment["type"], url=attachment.get("url"), mime_type=attachment.get("mimeType"))
        for attachment in message.attachments
    ]
    received = MessageReceived(
        account_id=account.id,
        sender=conversation.phone or conversation.contact_id,
        name=conversation.name,
        text=message.text,
        msg_id=message.vendor_id or message.id,
        message_id=message.id,
        platform=account.platform,
        kind=account.kind,
        conversation_id=conversation.id,
        type=message.type,
        attachments=files,
        received_at=message.at,
    )
    await outbox.emit_event(tx, account.owner_id, conversation.profile_id, received)
    arrived = MessageStored(
        message_id=message.id,
        conversation_id=conversation.id,
        contact_id=conversation.contact_id,
        type=message.type,
        text=message.text,
        sent_at=message.at,
        is_first=is_first,
        name=conversation.name,
        username=conversation.username,
        phone=conversation.phone,
    )
    await tx.publish_fact(arrived, account)


async def emit_message_status(
    tx: Tx, message: MessageRow, status: MessageStatus, at: datetime, error: Mapping[str, Any] | None
) -> None:
    """Report the new status of a message that was sent from here. What its people wrote elsewhere has none that
    anybody waits for, and an echo that turns out to be ours would be reported under two ids.
    """
    if message.source == "platform":
        return
    profile_id = await store.find_profile_id_of_conversation(tx, message.owner_id, message.conversation_id)
    # What the platform called it may have been learned in this very transaction.
    current = await store.find_message(tx, message.owner_id, message.id)
    if profile_id is None or current is None:
        return
    changed = MessageStatusChanged(
        account_id=message.account_id,
        conversation_id=message.conversation_id,
        message_id=message.id,
        msg_id=current.vendor_id,
        status=_REPORTED_STATUSES[status],
        error=None if error is None else MessageFailure(code=error["code"], detail=error["detail"] or ""),
        at=at,
    )
    await outbox.emit_event(tx, message.owner_id, profile_id, changed)
