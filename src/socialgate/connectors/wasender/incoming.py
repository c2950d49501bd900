"""Messages as WaSender reports them. Parts that cannot be read are omitted, but never the message itself."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.messaging import place_of
from socialgate.connectors.receiving import decoded, moment
from socialgate.connectors.tolerant import readable
from socialgate.connectors.wasender.shapes import Message, Part
from socialgate.contracts.messages import AttachmentItem, Contact, MessageItem, MessageType

_TEL = re.compile(r"^TEL[^:\r\n]*:(.{1,40}?)\s*$", re.MULTILINE | re.IGNORECASE)
_FILES = {
    "imageMessage": MessageType.IMAGE,
    "videoMessage": MessageType.VIDEO,
    "audioMessage": MessageType.AUDIO,
    "documentMessage": MessageType.DOCUMENT,
    "stickerMessage": MessageType.STICKER,
}
# What is needed to have a file decrypted.
_FILE_FIELDS = ("url", "mimetype", "mediaKey", "fileSha256", "fileLength", "fileName")
_TEXTS = ("conversation", "extendedTextMessage")


def item_of(message: Message, contact: Contact, at: datetime, *, outbound: bool) -> MessageItem:
    name, content = _main(message.content)
    part = readable(content, Part) or Part()
    plain = decoded(content, str) or ""
    kind, data = _kind(name, part)
    text = message.message_body or plain or part.text or part.caption
    if kind is MessageType.UNSUPPORTED and not message.content and text:
        kind = MessageType.TEXT
    context = readable(part.context_info, Part)
    return MessageItem(
        id=message.key.id,
        contact=contact,
        type=kind,
        at=moment(message.message_timestamp) or at,
        text=text,
        outbound=outbound,
        attachments=(_attachment(message.key.id, name, content, part),) if name in _FILES else (),
        reply_to=context.stanza_id if context else None,
        data=data,
    )


def _main(content: Mapping[str, msgspec.Raw]) -> tuple[str, msgspec.Raw]:
    """Find what a message is about, among what only accompanies it."""
    known = (*_TEXTS, *_FILES, "locationMessage", "contactMessage")
    name = next((one for one in known if one in content), "")
    return name, content.get(name, msgspec.Raw(b"{}"))


def _kind(name: str, part: Part) -> tuple[MessageType, dict[str, Any]]:
    if name in _FILES or name in _TEXTS:
        return _FILES.get(name, MessageType.TEXT), {}
    where = place_of(part.degrees_latitude, part.degrees_longitude, name=part.name, address=part.address)
    if name == "locationMessage" and where:
        return MessageType.LOCATION, where
    if name == "contactMessage":
        card = {"name": part.display_name, "phones": _TEL.findall(part.vcard)[:10]}
        return MessageType.CONTACTS, {"contacts": [card]}
    return MessageType.UNSUPPORTED, {}


def _attachment(message_id: str, name: str, content: msgspec.Raw, part: Part) -> AttachmentItem:
    file = decoded(content, dict[str, Any]) or {}
    source = {"id": message_id, "member": name, "file": {one: file[one] for one in _FILE_FIELDS if one in file}}
    return AttachmentItem(
        type=_FILES[name], source=source, mime_type=part.mimetype, size=part.file_length, file_name=part.file_name
    )
