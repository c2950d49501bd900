"""Messages as WaSender reports them: its own envelope around what WhatsApp Web receives.

People have a LID, which is permanent, or a phone number, or both; the LID is preferred. Parts of a message that cannot
be read are omitted, but never the message itself.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, TypeAlias

import msgspec

from socialgate.connectors.receiving import decoded, moment
from socialgate.connectors.tolerant import Tolerant, readable
from socialgate.contracts.messages import AttachmentItem, Contact, MessageItem, MessageType

MessageId: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]

_PERSON = re.compile(r"\+?([0-9]{5,20})(?::[0-9]{1,5})?(?:@(s\.whatsapp\.net|c\.us|lid))?", re.ASCII)
_TEL = re.compile(r"^TEL[^:\r\n]*:(.{1,40}?)\s*$", re.MULTILINE | re.IGNORECASE)
_LONGEST_NUMBER = 15
# What may wrap the content of a message, at most this many times.
_WRAPPERS = ("ephemeralMessage", "viewOnceMessage", "viewOnceMessageV2", "documentWithCaptionMessage")
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


class Key(Tolerant, frozen=True, rename="camel"):
    """Which message it is, and whose. Only some contain WaSender's own number of it, by which it was sent."""

    id: MessageId
    remote_jid: str = ""
    from_me: bool | None = None
    sender_pn: str = ""
    cleaned_sender_pn: str = ""
    sender_lid: str = ""
    msg_id: Annotated[int, msgspec.Meta(ge=1, le=2**53)] | None = None

    def contact(self, name: str | None = None) -> Contact | None:
        """Who the chat is with; None for groups and channels."""
        # For messages sent from here, the sender is the account itself.
        sender = () if self.from_me else (self.sender_lid, self.cleaned_sender_pn, self.sender_pn)
        return person(self.remote_jid, *sender, name=name)


class Part(Tolerant, frozen=True, rename="camel"):
    """Any content of a message. Each has some of these."""

    text: str = ""
    caption: str = ""
    mimetype: str | None = None
    file_length: int | None = None
    file_name: str | None = None
    degrees_latitude: float | None = None
    degrees_longitude: float | None = None
    name: str = ""
    address: str = ""
    display_name: str = ""
    vcard: str = ""
    stanza_id: MessageId | None = None
    context_info: msgspec.Raw = msgspec.Raw(b"{}")
    key: msgspec.Raw = msgspec.Raw(b"{}")
    type: int | str | None = None


class Message(Tolerant, frozen=True, rename="camel"):
    key: Key
    message_body: str = ""
    message: msgspec.Raw = msgspec.Raw(b"{}")
    message_timestamp: int | None = None
    push_name: str | None = None

    @property
    def content(self) -> Mapping[str, msgspec.Raw]:
        inside = decoded(self.message, dict[str, msgspec.Raw]) or {}
        for wrapper in _WRAPPERS:
            if wrapper in inside:
                wrapped = decoded(inside[wrapper], dict[str, msgspec.Raw]) or {}
                inside = decoded(wrapped.get("message", b"{}"), dict[str, msgspec.Raw]) or {}
        return inside


def person(chat: str, *others: str, name: str | None = None) -> Contact | None:
    """Create a contact from all of WhatsApp's names for a person; None if the chat is not with a person."""
    lid = phone = None
    for one in (chat, *others):
        found = _PERSON.fullmatch(one)
        if found is None and one and one is chat:
            return None
        if found is not None and found[2] == "lid":
            lid = lid or f"{found[1]}@lid"
        elif found is not None and len(found[1]) <= _LONGEST_NUMBER:
            phone = phone or f"+{found[1]}"
    known = lid or phone
    return None if known is None else Contact(id=known, name=name or None, phone=phone)


def jid_of(contact_id: str) -> str:
    return f"{contact_id.removeprefix('+')}@s.whatsapp.net" if contact_id.startswith("+") else contact_id


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
    if name == "locationMessage" and part.degrees_latitude is not None and part.degrees_longitude is not None:
        named = {"name": part.name, "address": part.address}
        where = {"latitude": part.degrees_latitude, "longitude": part.degrees_longitude}
        return MessageType.LOCATION, where | {name: value for name, value in named.items() if value}
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
