"""Sending messages to people: one Bot API call sends one message.

Telegram fetches files from their URL: images up to 5 MB, others up to 20 MB. Bots cannot see what they have sent, so a
lost response cannot be looked up: a person decides.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from socialgate.connectors.forms import given
from socialgate.connectors.message_checks import Check, MessageRules, buttons_of, found, places, shown, vcard
from socialgate.connectors.messaging import Unseen
from socialgate.connectors.telegram import forms
from socialgate.connectors.telegram.shapes import chat_of, number_in
from socialgate.connectors.telegram.wire import BotApi, Posted
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.messages import (
    AttachmentItem,
    Contact,
    MediaLocation,
    MessageType,
    NewMessage,
    ReplyButton,
    Sent,
)
from socialgate.contracts.platforms import MediaRule, Platform
from socialgate.contracts.publishing import MediaFile
from socialgate.core.errors import Fault

_MB = 1024 * 1024
_LONGEST_TEXT = 4096
_LONGEST_CARD = 2048
_MEDIA = (MessageType.IMAGE, MessageType.VIDEO, MessageType.AUDIO, MessageType.DOCUMENT)
_ONLY_TITLES = "Telegram only shows the titles of rows, as buttons, and nothing else of a list. Remove this."
_LONG_BODY = f"Telegram accepts {_LONGEST_TEXT:,} characters for header, body and footer together. Shorten it."
_LONG_CARD = f"Telegram accepts {_LONGEST_CARD:,} bytes for a contact. Remove some details."


def _form(kind: MessageType, media: MediaFile) -> str:
    if kind in {MessageType.STICKER, MessageType.DOCUMENT}:
        return str(kind)
    return "voice" if media.mime_type == "audio/ogg" else forms.file_form(media)


_RULES = MessageRules(
    vendor="Telegram",
    platform=Platform.TELEGRAM,
    texts={MessageType.TEXT: _LONGEST_TEXT, **dict.fromkeys(_MEDIA, 1024)},
    measure=lambda new: forms.shown_length(new.text, new.options.get("parseMode")),
    # What Telegram accepts from a URL.
    files={
        "photo": MediaRule(mime_types=("image/jpeg", "image/png", "image/webp"), max_bytes=5 * _MB),
        "animation": MediaRule(mime_types=("image/gif",), max_bytes=20 * _MB),
        "video": MediaRule(mime_types=("video/mp4",), max_bytes=20 * _MB),
        "audio": MediaRule(mime_types=("audio/mpeg", "audio/mp4"), max_bytes=20 * _MB),
        "voice": MediaRule(mime_types=("audio/ogg",), max_bytes=20 * _MB),
        "document": MediaRule(mime_types=("application/pdf", "application/zip", "image/gif"), max_bytes=20 * _MB),
        "sticker": MediaRule(mime_types=("image/webp",), max_bytes=20 * _MB),
    },
    form=_form,
    numbers={("/contacts/*",): 1},
    required={"/contacts/*/phones": "Telegram only sends contacts with a phone number. Add one."},
    refused={
        "/interactive/sections/*/title": _ONLY_TITLES,
        "/interactive/sections/*/rows/*/description": _ONLY_TITLES,
    },
    options={"disableLinkPreview": (lambda new: new.media is None, "a message without a file")},
)


class BotMessages(Unseen):
    rules = _RULES
    types = frozenset(MessageType) - {MessageType.TEMPLATE, MessageType.UNSUPPORTED}
    recipients = (
        "Use the number of the chat: the `contact.id` of the conversation. Bots cannot write to a username or a phone "
        "number, and people must write first."
    )
    unseen = "Telegram does not show bots what they have sent. Ask the person whether the message has arrived."

    def __init__(self, api: BotApi) -> None:
        self._api = api

    def contact_of(self, to: str) -> Contact | None:
        """People are identified by the number of their chat: neither a phone number nor a username leads to it."""
        return None if chat_of(to) is None else Contact(id=to)

    def own_faults(self, new: NewMessage) -> Sequence[Fault]:
        named = {"/replyTo": new.reply_to, "/reaction/msgId": new.data.get("msgId")}
        others = [at for at, one in named.items() if one is not None and number_in(new.to, one) is None]
        reacts = new.type is MessageType.REACTION and _chat(new)[0] is not None
        cards = [vcard(card) for _, card in places(shown(new), "/contacts/0")]
        is_long = new.type is MessageType.INTERACTIVE and forms.utf16_length(_words(new)) > _LONGEST_TEXT
        return found(
            [
                (is_long, "/interactive/body", "too_long", _LONG_BODY),
                *((True, at, "not_found", "Use a message that was written in this conversation.") for at in others),
                (reacts, "/reaction", "not_supported", "Bots cannot react for a business account. Send a message."),
                *((len(card.encode()) > _LONGEST_CARD, "/contacts/0", "too_long", _LONG_CARD) for card in cards),
                *_button_checks(new),
            ]
        )

    async def send(self, held: AccountCredentials, new: NewMessage) -> Sent:
        connection, chat = _chat(new)
        method, parameters = _call_of(new)
        said = {"chat_id": chat, "business_connection_id": connection, **parameters}
        # In one chat Telegram allows short bursts: it says itself when there were too many.
        send = partial(self._api.of(held, chat).post, json=given(said), repeatable=False, spends=(("messages", 1),))
        if new.type is MessageType.REACTION:
            await send(method, object)
            return Sent(id=f"{new.to}:reaction:{new.reference}")
        sent = await send(method, Posted)
        return Sent(id=f"{new.to}:{sent.message_id}", at=sent.sent_at)

    async def locate(self, held: AccountCredentials, attachment: AttachmentItem) -> MediaLocation:
        return await self._api.locate(held.grant.access_token, attachment.source["fileId"])


def _chat(new: NewMessage) -> tuple[str | None, int]:
    found = chat_of(new.to)
    assert found is not None, "`contact_of` and the facts name nobody else"
    return found


def _call_of(new: NewMessage) -> tuple[str, dict[str, Any]]:
    """Return the method, and its parameters besides the chat."""
    data = new.data
    if new.type is MessageType.REACTION:
        reaction = [{"type": "emoji", "emoji": data["emoji"]}] if data["emoji"] else []
        return "setMessageReaction", {"message_id": number_in(new.to, data["msgId"]), "reaction": reaction}
    common: dict[str, Any] = {
        "reply_parameters": _reply(new),
        "reply_markup": forms.keyboard([_row(one) for _, one in buttons_of(new)]),
        **forms.manner(new.options),
    }
    if new.media is not None:
        form, common["parse_mode"] = _form(new.type, new.media), new.options.get("parseMode")
        return f"send{form.capitalize()}", {form: new.media.url, "caption": new.text or None, **common}
    if new.type is MessageType.LOCATION:
        where = {"latitude": data["latitude"], "longitude": data["longitude"], **common}
        titles = [title for title in (data.get("name"), data.get("address")) if title]
        # A place with a title also has an address.
        named = {"title": titles[0], "address": titles[-1]} if titles else {}
        return "sendVenue" if named else "sendLocation", where | named
    if new.type is MessageType.CONTACTS:
        card = data["contacts"][0]
        said = {"phone_number": card["phones"][0], "first_name": card["name"], "vcard": vcard(card)}
        return "sendContact", said | common
    return "sendMessage", forms.worded(_words(new), new.options) | common


def _words(new: NewMessage) -> str:
    if new.type is not MessageType.INTERACTIVE:
        return new.text
    return "\n\n".join(part for part in map(new.data.get, ("header", "body", "footer")) if part)


def _reply(new: NewMessage) -> dict[str, Any] | None:
    if new.reply_to is None:
        return None
    # If it was deleted in the meantime, that is no reason not to reply.
    return {"message_id": number_in(new.to, new.reply_to), "allow_sending_without_reply": True}


def _row(one: ReplyButton) -> list[dict[str, str]]:
    """A button that opens no URL sends its id, or without one its title."""
    return [{"text": one.title, **({"url": one.url} if one.url else {"callbackData": one.id or one.title})}]


def _button_checks(new: NewMessage) -> Iterator[Check]:
    both = "A Telegram button either opens a URL or sends its id. Remove one of them."
    long = f"Telegram accepts {forms.LONGEST_CALLBACK} bytes for an id, or for a title without one. Use a shorter id."
    for at, one in buttons_of(new):
        is_closed = one.url is not None and not one.url.startswith(("https://", "http://", "tg://"))
        is_long = one.url is None and len((one.id or one.title).encode()) > forms.LONGEST_CALLBACK
        yield one.id is not None and one.url is not None, at, "contradiction", both
        yield is_closed, f"{at}/url", "invalid", "Telegram buttons can only open https://, http:// and tg:// URLs."
        yield is_long, f"{at}/id", "too_long", long
