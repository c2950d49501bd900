"""Messages and events as WaSender reports them: its own envelope around what WhatsApp Web receives.

People have a LID, which is permanent, or a phone number, or both; the LID is preferred.
"""

import re
from collections.abc import Mapping
from typing import Annotated, TypeAlias

import msgspec

from socialgate.connectors.lenient_decoding import LenientStruct
from socialgate.connectors.webhook_helpers import decode_json_or_none
from socialgate.contracts.messages import Contact

MessageId: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]

_PERSON_ID_PATTERN = re.compile(r"\+?([0-9]{5,20})(?::[0-9]{1,5})?(?:@(s\.whatsapp\.net|c\.us|lid))?", re.ASCII)
_MAX_PHONE_DIGITS = 15
# What may wrap the content of a message, at most this many times.
_WRAPPER_FIELDS = ("ephemeralMessage", "viewOnceMessage", "viewOnceMessageV2", "documentWithCaptionMessage")


def parse_contact(chat: str, *others: str, name: str | None = None) -> Contact | None:
    """Create a contact from all of WhatsApp's names for a person; None if the chat is not with a person."""
    lid = phone = None
    for value in (chat, *others):
        match = _PERSON_ID_PATTERN.fullmatch(value)
        if match is None and value and value is chat:
            return None
        if match is not None and match[2] == "lid":
            lid = lid or f"{match[1]}@lid"
        elif match is not None and len(match[1]) <= _MAX_PHONE_DIGITS:
            phone = phone or f"+{match[1]}"
    known = lid or phone
    return None if known is None else Contact(id=known, name=name or None, phone=phone)


def build_jid(contact_id: str) -> str:
    return f"{contact_id.removeprefix('+')}@s.whatsapp.net" if contact_id.startswith("+") else contact_id


class MessageKey(LenientStruct, frozen=True, rename="camel"):
    """Which message it is, and whose. Only some contain WaSender's own number of it, by which it was sent."""

    id: MessageId
    remote_jid: str = ""
    from_me: bool | None = None
    sender_pn: str = ""
    cleaned_sender_pn: str = ""
    sender_lid: str = ""
    msg_id: Annotated[int, msgspec.Meta(ge=1, le=2**53)] | None = None

    def get_contact(self, name: str | None = None) -> Contact | None:
        """Who the chat is with; None for groups and channels."""
        # For messages sent from here, the sender is the account itself.
        sender = () if self.from_me else (self.sender_lid, self.cleaned_sender_pn, self.sender_pn)
        return parse_contact(self.remote_jid, *sender, name=name)


class MessageContent(LenientStruct, frozen=True, rename="camel"):
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


class IncomingMessage(LenientStruct, frozen=True, rename="camel"):
    key: MessageKey
    message_body: str = ""
    message: msgspec.Raw = msgspec.Raw(b"{}")
    message_timestamp: int | None = None
    push_name: str | None = None

    @property
    def content(self) -> Mapping[str, msgspec.Raw]:
        inside = decode_json_or_none(self.message, dict[str, msgspec.Raw]) or {}
        for wrapper in _WRAPPER_FIELDS:
            if wrapper in inside:
                wrapped = decode_json_or_none(inside[wrapper], dict[str, msgspec.Raw]) or {}
                inside = decode_json_or_none(wrapped.get("message", b"{}"), dict[str, msgspec.Raw]) or {}
        return inside


class WebhookEnvelope(LenientStruct, frozen=True):
    event: str
    data: msgspec.Raw = msgspec.Raw(b"null")
    timestamp: float | None = None


class StatusUpdate(LenientStruct, frozen=True):
    status: int | str | None = None
    t: int | None = None


class MessageStatusReport(LenientStruct, frozen=True):
    key: MessageKey
    update: StatusUpdate = StatusUpdate()
    receipt: StatusUpdate = StatusUpdate()


class IncomingReaction(LenientStruct, frozen=True):
    key: MessageKey
    text: str = ""


class ReactionReport(LenientStruct, frozen=True):
    key: MessageKey
    reaction: IncomingReaction


class SessionStatus(msgspec.Struct, frozen=True):
    status: str | None = None
    session_id: int | str | None = None
