"""Messages as WaSender reports them. Parts that cannot be read are omitted, but never the message itself."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.lenient_decoding import decode_leniently_or_none
from socialgate.connectors.message_adapters import build_location
from socialgate.connectors.wasender.payloads import IncomingMessage, MessageContent
from socialgate.connectors.webhook_helpers import decode_json_or_none, parse_unix_time
from socialgate.contracts.messages import AttachmentItem, Contact, MessageItem, MessageType

_VCARD_PHONE_PATTERN = re.compile(r"^TEL[^:\r\n]*:(.{1,40}?)\s*$", re.MULTILINE | re.IGNORECASE)
_MESSAGE_TYPES_BY_FIELD = {
    "imageMessage": MessageType.IMAGE,
    "videoMessage": MessageType.VIDEO,
    "audioMessage": MessageType.AUDIO,
    "documentMessage": MessageType.DOCUMENT,
    "stickerMessage": MessageType.STICKER,
}
# What is needed to have a file decrypted.
_FILE_FIELDS = ("url", "mimetype", "mediaKey", "fileSha256", "fileLength", "fileName")
_TEXT_FIELDS = ("conversation", "extendedTextMessage")


def parse_message(message: IncomingMessage, contact: Contact, at: datetime, *, outbound: bool) -> MessageItem:
    name, content = _find_main_content(message.content)
    part = decode_leniently_or_none(content, MessageContent) or MessageContent()
    plain = decode_json_or_none(content, str) or ""
    kind, data = _parse_type_and_data(name, part)
    text = message.message_body or plain or part.text or part.caption
    if kind is MessageType.UNSUPPORTED and not message.content and text:
        kind = MessageType.TEXT
    context = decode_leniently_or_none(part.context_info, MessageContent)
    return MessageItem(
        id=message.key.id,
        contact=contact,
        type=kind,
        sent_at=parse_unix_time(message.message_timestamp) or at,
        text=text,
        outbound=outbound,
        attachments=(_parse_attachment(message.key.id, name, content, part),)
        if name in _MESSAGE_TYPES_BY_FIELD
        else (),
        reply_to=context.stanza_id if context else None,
        data=data,
    )


def _find_main_content(content: Mapping[str, msgspec.Raw]) -> tuple[str, msgspec.Raw]:
    """Find what a message is about, among what only accompanies it."""
    known = (*_TEXT_FIELDS, *_MESSAGE_TYPES_BY_FIELD, "locationMessage", "contactMessage")
    name = next((value for value in known if value in content), "")
    return name, content.get(name, msgspec.Raw(b"{}"))


def _parse_type_and_data(name: str, part: MessageContent) -> tuple[MessageType, dict[str, Any]]:
    if name in _MESSAGE_TYPES_BY_FIELD or name in _TEXT_FIELDS:
        return _MESSAGE_TYPES_BY_FIELD.get(name, MessageType.TEXT), {}
    where = build_location(part.degrees_latitude, part.degrees_longitude, name=part.name, address=part.address)
    if name == "locationMessage" and where:
        return MessageType.LOCATION, where
    if name == "contactMessage":
        card = {"name": part.display_name, "phones": _VCARD_PHONE_PATTERN.findall(part.vcard)[:10]}
        return MessageType.CONTACTS, {"contacts": [card]}
    return MessageType.UNSUPPORTED, {}


def _parse_attachment(message_id: str, name: str, content: msgspec.Raw, part: MessageContent) -> AttachmentItem:
    file = decode_json_or_none(content, dict[str, Any]) or {}
    source = {
        "id": message_id,
        "member": name,
        "file": {file_field: file[file_field] for file_field in _FILE_FIELDS if file_field in file},
    }
    return AttachmentItem(
        type=_MESSAGE_TYPES_BY_FIELD[name],
        source=source,
        mime_type=part.mimetype,
        size=part.file_length,
        file_name=part.file_name,
    )
