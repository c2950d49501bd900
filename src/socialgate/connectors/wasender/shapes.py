"""Messages and events as WaSender reports them: its own envelope around what WhatsApp Web receives.

People have a LID, which is permanent, or a phone number, or both; the LID is preferred.
"""

import re
from collections.abc import Mapping
from typing import Annotated, TypeAlias

import msgspec

from socialgate.connectors.receiving import decoded
from socialgate.connectors.tolerant import Tolerant
from socialgate.contracts.messages import Contact

MessageId: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]

_PERSON = re.compile(r"\+?([0-9]{5,20})(?::[0-9]{1,5})?(?:@(s\.whatsapp\.net|c\.us|lid))?", re.ASCII)
_LONGEST_NUMBER = 15
# What may wrap the content of a message, at most this many times.
_WRAPPERS = ("ephemeralMessage", "viewOnceMessage", "viewOnceMessageV2", "documentWithCaptionMessage")


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


class Envelope(Tolerant, frozen=True):
    event: str
    data: msgspec.Raw = msgspec.Raw(b"null")
    timestamp: float | None = None


class Progress(Tolerant, frozen=True):
    status: int | str | None = None
    t: int | None = None


class Progressed(Tolerant, frozen=True):
    key: Key
    update: Progress = Progress()
    receipt: Progress = Progress()


class Reaction(Tolerant, frozen=True):
    key: Key
    text: str = ""


class Reacted(Tolerant, frozen=True):
    key: Key
    reaction: Reaction


class Status(msgspec.Struct, frozen=True):
    status: str | None = None
    session_id: int | str | None = None
