"""Sending WhatsApp messages through WaSender, which fetches files from their URL.

WaSender queues a message under its own number, and reports it under WhatsApp's id: looking up the number returns the
id. A number that was lost with its response cannot be found: a person decides.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from socialgate.connectors.forms import given
from socialgate.connectors.message_checks import MessageRules, found
from socialgate.connectors.messaging import Unseen
from socialgate.connectors.wasender.manifest import MANIFEST
from socialgate.connectors.wasender.shapes import jid_of, person
from socialgate.connectors.wasender.wire import SessionApi, Token
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.messages import AttachmentItem, Contact, MediaLocation, MessageType, NewMessage, Sent
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.errors import Fault

_NUMBER = MANIFEST.of(Kind.WHATSAPP_QR)
_FILLER = re.compile(r"[\s().-]")
_QUEUED = re.compile(r"[0-9]{1,15}", re.ASCII)
_FIELDS = {
    MessageType.IMAGE: "imageUrl",
    MessageType.VIDEO: "videoUrl",
    MessageType.AUDIO: "audioUrl",
    MessageType.DOCUMENT: "documentUrl",
    MessageType.STICKER: "stickerUrl",
}
_NO_BUTTONS = "WhatsApp does not support buttons for numbers that are linked by QR code."
_ONE_NUMBER = "WaSender sends the name and one number of a contact. Remove this."
_CAPTIONED = (MessageType.TEXT, MessageType.IMAGE, MessageType.VIDEO, MessageType.DOCUMENT)
_RULES = MessageRules(
    vendor="WaSender",
    platform=Platform.WASENDER,
    texts=dict.fromkeys(_CAPTIONED, _NUMBER.limits.text_max or 0),
    files=_NUMBER.media,
    numbers={("/contacts/*",): 1},
    required={"/contacts/*/phones": "WaSender only sends contacts with a phone number. Add one."},
    refused={
        **dict.fromkeys(("/buttons/*", "/quickReplies/*"), _NO_BUTTONS),
        **{f"/contacts/*/{part}": _ONE_NUMBER for part in ("phones/1", "emails", "organization")},
    },
    options={"viewOnce": (lambda new: new.type in {MessageType.IMAGE, MessageType.VIDEO}, "an image or a video")},
)


class NumberMessages(Unseen):
    """WhatsApp Web has neither a window nor templates."""

    rules = _RULES
    types = frozenset({MessageType.TEXT, MessageType.LOCATION, MessageType.CONTACTS, *_FIELDS})
    recipients = "Use a phone number in E.164 format, such as +51987654321, or WhatsApp's id of the chat."
    unseen = "WaSender cannot look up what was sent. Check on the phone whether the message is there."

    def __init__(self, api: SessionApi) -> None:
        self._api = api

    def contact_of(self, to: str) -> Contact | None:
        return person(to if "@" in to else _FILLER.sub("", to))

    def own_faults(self, new: NewMessage) -> Sequence[Fault]:
        detail = "WaSender can only reply to messages that were sent through it. Remove this."
        return found([(not _QUEUED.fullmatch(new.reply_to or "0"), "/replyTo", "not_supported", detail)])

    async def send(self, held: AccountCredentials, new: NewMessage) -> Sent:
        key = _key(held)
        queued = await self._api.send(key, {"to": new.phone or new.to, **_body(new)})
        contact = person(queued.jid)
        if queued.msg_id is None:
            return Sent(id=new.reference, contact=contact, echo_differs=True)
        ids: tuple[str, ...] = ()
        # The message is being sent, whatever happens here.
        with suppress(PlatformFailure):
            found = (await self._api.message_info(key, queued.msg_id)).key.id
            ids = (found,) if found else ()
        return Sent(id=str(queued.msg_id), vendor_ids=ids, contact=contact, echo_differs=not ids)

    async def mark_read(self, held: AccountCredentials, contact_id: str, message_id: str) -> None:
        await self._api.mark_read(_key(held), {"id": message_id, "remoteJid": jid_of(contact_id), "fromMe": False})

    async def locate(self, held: AccountCredentials, attachment: AttachmentItem) -> MediaLocation:
        source = attachment.source
        message = {"key": {"id": source["id"]}, "message": {source["member"]: source["file"]}}
        return await self._api.decrypt(_key(held), message)


def _key(held: AccountCredentials) -> Token:
    return Token(held.grant.access_token, held.platform_account_id)


def _body(new: NewMessage) -> dict[str, Any]:
    said: dict[str, Any] = {"text": new.text} if new.text else {}
    if new.reply_to is not None:
        said["replyTo"] = int(new.reply_to)
    if new.media is not None:
        name = new.media.file_name if new.type is MessageType.DOCUMENT else None
        once = new.options.get("viewOnce") or None
        said |= given({_FIELDS[new.type]: new.media.url, "fileName": name, "viewOnce": once})
    if new.type is MessageType.LOCATION:
        said["location"] = given(new.data)
    if new.type is MessageType.CONTACTS:
        card: Mapping[str, Any] = new.data["contacts"][0]
        said["contact"] = {"name": card["name"], "phone": card["phones"][0]}
    return said
