"""Sending messages to people: one Bot API call sends one message.

Telegram fetches files from their URL: images up to 5 MB, others up to 20 MB. Bots cannot see what they have sent, so a
lost response cannot be looked up: a person decides.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from socialgate.connectors.message_adapters import NoHistoryMessageAdapter
from socialgate.connectors.message_validation import (
    ConditionalFault,
    MessageRules,
    build_vcard,
    collect_faults,
    find_at_path,
    iterate_buttons,
    to_request_json,
)
from socialgate.connectors.post_options import drop_none
from socialgate.connectors.telegram import post_formats
from socialgate.connectors.telegram.api import BotApi, TelegramMessage
from socialgate.connectors.telegram.payloads import parse_contact_id, parse_message_number
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.messages import (
    AttachmentItem,
    Contact,
    MediaDownload,
    MessageType,
    NewMessage,
    ReplyButton,
    SentMessage,
)
from socialgate.contracts.platforms import MediaRule, Platform
from socialgate.contracts.publishing import MediaFile
from socialgate.core.errors import Fault

_MIB = 1024 * 1024
_MAX_TEXT_LENGTH = 4096
_MAX_VCARD_BYTES = 2048
_CAPTIONED_TYPES = (MessageType.IMAGE, MessageType.VIDEO, MessageType.AUDIO, MessageType.DOCUMENT)
_ROW_TITLES_ONLY_DETAIL = "Telegram only shows the titles of rows, as buttons, and nothing else of a list. Remove this."
_BODY_TOO_LONG_DETAIL = (
    f"Telegram accepts {_MAX_TEXT_LENGTH:,} characters for header, body and footer together. Shorten it."
)
_CONTACT_CARD_TOO_LONG_DETAIL = f"Telegram accepts {_MAX_VCARD_BYTES:,} bytes for a contact. Remove some details."


def _get_file_format(kind: MessageType, media: MediaFile) -> str:
    if kind in {MessageType.STICKER, MessageType.DOCUMENT}:
        return str(kind)
    return "voice" if media.mime_type == "audio/ogg" else post_formats.get_file_format(media)


_MESSAGE_RULES = MessageRules(
    vendor="Telegram",
    platform=Platform.TELEGRAM,
    max_text_lengths={MessageType.TEXT: _MAX_TEXT_LENGTH, **dict.fromkeys(_CAPTIONED_TYPES, 1024)},
    measure=lambda new: post_formats.get_rendered_length(new.text, new.options.get("parseMode")),
    # What Telegram accepts from a URL.
    file_rules={
        "photo": MediaRule(mime_types=("image/jpeg", "image/png", "image/webp"), max_bytes=5 * _MIB),
        "animation": MediaRule(mime_types=("image/gif",), max_bytes=20 * _MIB),
        "video": MediaRule(mime_types=("video/mp4",), max_bytes=20 * _MIB),
        "audio": MediaRule(mime_types=("audio/mpeg", "audio/mp4"), max_bytes=20 * _MIB),
        "voice": MediaRule(mime_types=("audio/ogg",), max_bytes=20 * _MIB),
        "document": MediaRule(mime_types=("application/pdf", "application/zip", "image/gif"), max_bytes=20 * _MIB),
        "sticker": MediaRule(mime_types=("image/webp",), max_bytes=20 * _MIB),
    },
    get_media_rule_key=_get_file_format,
    max_counts={("/contacts/*",): 1},
    required={"/contacts/*/phones": "Telegram only sends contacts with a phone number. Add one."},
    forbidden_paths={
        "/interactive/sections/*/title": _ROW_TITLES_ONLY_DETAIL,
        "/interactive/sections/*/rows/*/description": _ROW_TITLES_ONLY_DETAIL,
    },
    conditional_options={"disableLinkPreview": (lambda new: new.media is None, "a message without a file")},
)


class BotMessages(NoHistoryMessageAdapter):
    rules = _MESSAGE_RULES
    types = frozenset(MessageType) - {MessageType.TEMPLATE, MessageType.UNSUPPORTED}
    recipient_help = (
        "Use the number of the chat: the `contact.id` of the conversation. Bots cannot write to a username or a phone "
        "number, and people must write first."
    )
    lookup_impossible_detail = (
        "Telegram does not show bots what they have sent. Ask the person whether the message has arrived."
    )

    def __init__(self, api: BotApi) -> None:
        self._api = api

    def parse_recipient(self, to: str) -> Contact | None:
        """People are identified by the number of their chat: neither a phone number nor a username leads to it."""
        return None if parse_contact_id(to) is None else Contact(id=to)

    def validate_platform_rules(self, new: NewMessage) -> Sequence[Fault]:
        named = {"/replyTo": new.reply_to, "/reaction/msgId": new.data.get("msgId")}
        others = [at for at, item in named.items() if item is not None and parse_message_number(new.to, item) is None]
        reacts = new.type is MessageType.REACTION and _require_chat(new)[0] is not None
        cards = [build_vcard(card) for _, card in find_at_path(to_request_json(new), "/contacts/0")]
        is_long = new.type is MessageType.INTERACTIVE and post_formats.utf16_length(_get_text(new)) > _MAX_TEXT_LENGTH
        return collect_faults(
            [
                (is_long, "/interactive/body", "too_long", _BODY_TOO_LONG_DETAIL),
                *((True, at, "not_found", "Use a message that was written in this conversation.") for at in others),
                (reacts, "/reaction", "not_supported", "Bots cannot react for a business account. Send a message."),
                *(
                    (len(card.encode()) > _MAX_VCARD_BYTES, "/contacts/0", "too_long", _CONTACT_CARD_TOO_LONG_DETAIL)
                    for card in cards
                ),
                *_list_button_checks(new),
            ]
        )

    async def send(self, credentials: AccountCredentials, new: NewMessage) -> SentMessage:
        connection, chat = _require_chat(new)
        method, parameters = _build_call(new)
        payload = {"chat_id": chat, "business_connection_id": connection, **parameters}
        # In one chat Telegram allows short bursts: it says itself when there were too many.
        send = partial(
            self._api.for_account(credentials, chat).post,
            json=drop_none(payload),
            repeatable=False,
            spends=(("messages", 1),),
        )
        if new.type is MessageType.REACTION:
            await send(method, object)
            return SentMessage(id=f"{new.to}:reaction:{new.reference}")
        sent = await send(method, TelegramMessage)
        return SentMessage(id=f"{new.to}:{sent.message_id}", sent_at=sent.sent_at)

    async def get_download_location(self, credentials: AccountCredentials, attachment: AttachmentItem) -> MediaDownload:
        return await self._api.fetch_file_download(credentials.grant.access_token, attachment.source["fileId"])


def _require_chat(new: NewMessage) -> tuple[str | None, int]:
    result = parse_contact_id(new.to)
    assert result is not None, "`contact_of` and the facts name nobody else"
    return result


def _build_call(new: NewMessage) -> tuple[str, dict[str, Any]]:
    """Return the method, and its parameters besides the chat."""
    data = new.data
    if new.type is MessageType.REACTION:
        reaction = [{"type": "emoji", "emoji": data["emoji"]}] if data["emoji"] else []
        return "setMessageReaction", {"message_id": parse_message_number(new.to, data["msgId"]), "reaction": reaction}
    common: dict[str, Any] = {
        "reply_parameters": _build_reply_parameters(new),
        "reply_markup": post_formats.build_inline_keyboard(
            [_build_keyboard_row(reply_button) for _, reply_button in iterate_buttons(new)]
        ),
        **post_formats.build_send_params(new.options),
    }
    if new.media is not None:
        form, common["parse_mode"] = _get_file_format(new.type, new.media), new.options.get("parseMode")
        return f"send{form.capitalize()}", {form: new.media.url, "caption": new.text or None, **common}
    if new.type is MessageType.LOCATION:
        where = {"latitude": data["latitude"], "longitude": data["longitude"], **common}
        titles = [title for title in (data.get("name"), data.get("address")) if title]
        # A place with a title also has an address.
        named = {"title": titles[0], "address": titles[-1]} if titles else {}
        return "sendVenue" if named else "sendLocation", where | named
    if new.type is MessageType.CONTACTS:
        card = data["contacts"][0]
        payload = {"phone_number": card["phones"][0], "first_name": card["name"], "vcard": build_vcard(card)}
        return "sendContact", payload | common
    return "sendMessage", post_formats.build_text_params(_get_text(new), new.options) | common


def _get_text(new: NewMessage) -> str:
    if new.type is not MessageType.INTERACTIVE:
        return new.text
    return "\n\n".join(part for part in map(new.data.get, ("header", "body", "footer")) if part)


def _build_reply_parameters(new: NewMessage) -> dict[str, Any] | None:
    if new.reply_to is None:
        return None
    # If it was deleted in the meantime, that is no reason not to reply.
    return {"message_id": parse_message_number(new.to, new.reply_to), "allow_sending_without_reply": True}


def _build_keyboard_row(reply_button: ReplyButton) -> list[dict[str, str]]:
    """A button that opens no URL sends its id, or without one its title."""
    return [
        {
            "text": reply_button.title,
            **(
                {"url": reply_button.url}
                if reply_button.url
                else {"callbackData": reply_button.id or reply_button.title}
            ),
        }
    ]


def _list_button_checks(new: NewMessage) -> Iterator[ConditionalFault]:
    both = "A Telegram button either opens a URL or sends its id. Remove one of them."
    long = (
        f"Telegram accepts {post_formats.MAX_CALLBACK_DATA_BYTES} bytes for an id, or for a title without one. Use a "
        "shorter id."
    )
    for at, reply_button in iterate_buttons(new):
        is_closed = reply_button.url is not None and not reply_button.url.startswith(("https://", "http://", "tg://"))
        is_long = (
            reply_button.url is None
            and len((reply_button.id or reply_button.title).encode()) > post_formats.MAX_CALLBACK_DATA_BYTES
        )
        yield reply_button.id is not None and reply_button.url is not None, at, "contradiction", both
        yield is_closed, f"{at}/url", "invalid", "Telegram buttons can only open https://, http:// and tg:// URLs."
        yield is_long, f"{at}/id", "too_long", long
