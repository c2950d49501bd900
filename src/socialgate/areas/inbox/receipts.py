"""Telling people that their messages were read."""

import msgspec

from socialgate.areas.inbox import store
from socialgate.areas.inbox.schemas import Message
from socialgate.areas.inbox.service import NO_MESSAGES_PHRASE, build_message_view
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.messages import MESSAGES_CAPABILITY, MessageAdapter
from socialgate.contracts.operations import OperationType
from socialgate.core.db import Tx
from socialgate.core.errors import NotFound


class ReadReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """A read receipt for one message."""

    contact_id: str
    vendor_id: str
    message_id: str


async def _send_read_receipt(part: MessageAdapter, credentials: AccountCredentials, receipt: ReadReceipt) -> None:
    await part.mark_read(credentials, receipt.contact_id, receipt.vendor_id)


async def _record_read_receipt(tx: Tx, account: AccountRow, receipt: ReadReceipt, result: None) -> Message:
    del result
    message = await store.find_message(tx, account.owner_id, receipt.message_id)
    if message is None:
        raise NotFound("The account has no message with this id any more.")
    await store.update_conversation(tx, account.owner_id, message.conversation_id, {"unread": 0})
    return build_message_view(message)


READ_RECEIPT_OPERATION = OperationType(
    name="messages.read",
    request=ReadReceipt,
    response_type=Message,
    capability=MESSAGES_CAPABILITY,
    unsupported_phrase=NO_MESSAGES_PHRASE,
    call=_send_read_receipt,
    record=_record_read_receipt,
    # Read receipts are idempotent.
    look=_send_read_receipt,
    summarize_request=lambda receipt: {"messageId": receipt.message_id},
    get_object_id=lambda receipt, _: receipt.vendor_id,
)
