"""Sending WhatsApp messages through WaSender, which fetches files from their URL.

WaSender queues a message under its own number, and reports it under WhatsApp's id: looking up the number returns the
id. A number that was lost with its response cannot be found: a person decides.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from socialgate.connectors.message_adapters import NoHistoryMessageAdapter
from socialgate.connectors.message_validation import MessageRules, collect_faults
from socialgate.connectors.post_options import drop_none
from socialgate.connectors.wasender.api import WasenderApi, WasenderToken
from socialgate.connectors.wasender.manifest import MANIFEST
from socialgate.connectors.wasender.payloads import build_jid, parse_contact
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.messages import AttachmentItem, Contact, MediaDownload, MessageType, NewMessage, SentMessage
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.errors import Fault

_LINKED_NUMBER_KIND_MANIFEST = MANIFEST.get_kind_manifest(Kind.WHATSAPP_QR)
_PHONE_SEPARATORS_PATTERN = re.compile(r"[\s().-]")
_QUEUE_NUMBER_PATTERN = re.compile(r"[0-9]{1,15}", re.ASCII)
_URL_FIELDS_BY_TYPE = {
    MessageType.IMAGE: "imageUrl",
    MessageType.VIDEO: "videoUrl",
    MessageType.AUDIO: "audioUrl",
    MessageType.DOCUMENT: "documentUrl",
    MessageType.STICKER: "stickerUrl",
}
_BUTTONS_UNSUPPORTED_DETAIL = "WhatsApp does not support buttons for numbers that are linked by QR code."
_ONE_CONTACT_NUMBER_DETAIL = "WaSender sends the name and one number of a contact. Remove this."
_CAPTIONED_TYPES = (MessageType.TEXT, MessageType.IMAGE, MessageType.VIDEO, MessageType.DOCUMENT)
_MESSAGE_RULES = MessageRules(
    vendor="WaSender",
    platform=Platform.WASENDER,
    max_text_lengths=dict.fromkeys(_CAPTIONED_TYPES, _LINKED_NUMBER_KIND_MANIFEST.limits.text_max or 0),
    file_rules=_LINKED_NUMBER_KIND_MANIFEST.media,
    max_counts={("/contacts/*",): 1},
    required={"/contacts/*/phones": "WaSender only sends contacts with a phone number. Add one."},
    forbidden_paths={
        **dict.fromkeys(("/buttons/*", "/quickReplies/*"), _BUTTONS_UNSUPPORTED_DETAIL),
        **{f"/contacts/*/{part}": _ONE_CONTACT_NUMBER_DETAIL for part in ("phones/1", "emails", "organization")},
    },
    conditional_options={
        "viewOnce": (lambda new: new.type in {MessageType.IMAGE, MessageType.VIDEO}, "an image or a video")
    },
)


class LinkedNumberMessages(NoHistoryMessageAdapter):
    """WhatsApp Web has neither a window nor templates."""

    rules = _MESSAGE_RULES
    types = frozenset({MessageType.TEXT, MessageType.LOCATION, MessageType.CONTACTS, *_URL_FIELDS_BY_TYPE})
    recipient_help = "Use a phone number in E.164 format, such as +51987654321, or WhatsApp's id of the chat."
    lookup_impossible_detail = "WaSender cannot look up what was sent. Check on the phone whether the message is there."

    def __init__(self, api: WasenderApi) -> None:
        self._api = api

    def parse_recipient(self, to: str) -> Contact | None:
        return parse_contact(to if "@" in to else _PHONE_SEPARATORS_PATTERN.sub("", to))

    def validate_platform_rules(self, new: NewMessage) -> Sequence[Fault]:
        detail = "WaSender can only reply to messages that were sent through it. Remove this."
        return collect_faults(
            [(not _QUEUE_NUMBER_PATTERN.fullmatch(new.reply_to or "0"), "/replyTo", "not_supported", detail)]
        )

    async def send(self, credentials: AccountCredentials, new: NewMessage) -> SentMessage:
        key = _build_session_token(credentials)
        queued = await self._api.send_message(key, {"to": new.phone or new.to, **_encode_message(new)})
        contact = parse_contact(queued.jid)
        if queued.msg_id is None:
            return SentMessage(id=new.reference, contact=contact, echo_has_other_id=True)
        ids: tuple[str, ...] = ()
        # The message is being sent, whatever happens here.
        with suppress(PlatformFailure):
            result = (await self._api.fetch_message_info(key, queued.msg_id)).key.id
            ids = (result,) if result else ()
        return SentMessage(id=str(queued.msg_id), vendor_ids=ids, contact=contact, echo_has_other_id=not ids)

    async def mark_read(self, credentials: AccountCredentials, contact_id: str, message_id: str) -> None:
        await self._api.mark_read(
            _build_session_token(credentials), {"id": message_id, "remoteJid": build_jid(contact_id), "fromMe": False}
        )

    async def get_download_location(self, credentials: AccountCredentials, attachment: AttachmentItem) -> MediaDownload:
        source = attachment.source
        message = {"key": {"id": source["id"]}, "message": {source["member"]: source["file"]}}
        return await self._api.decrypt_media(_build_session_token(credentials), message)


def _build_session_token(credentials: AccountCredentials) -> WasenderToken:
    return WasenderToken(credentials.grant.access_token, credentials.platform_account_id)


def _encode_message(new: NewMessage) -> dict[str, Any]:
    payload: dict[str, Any] = {"text": new.text} if new.text else {}
    if new.reply_to is not None:
        payload["replyTo"] = int(new.reply_to)
    if new.media is not None:
        name = new.media.file_name if new.type is MessageType.DOCUMENT else None
        once = new.options.get("viewOnce") or None
        payload |= drop_none({_URL_FIELDS_BY_TYPE[new.type]: new.media.url, "fileName": name, "viewOnce": once})
    if new.type is MessageType.LOCATION:
        payload["location"] = drop_none(new.data)
    if new.type is MessageType.CONTACTS:
        card: Mapping[str, Any] = new.data["contacts"][0]
        payload["contact"] = {"name": card["name"], "phone": card["phones"][0]}
    return payload
