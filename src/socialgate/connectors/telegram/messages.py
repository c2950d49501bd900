"""Sending messages to people: one Bot API call sends one message.

Telegram fetches files from their URL: images up to 5 MB, others up to 20 MB. Bots cannot see what they have sent, so a
lost response cannot be looked up: a person decides.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from socialgate.connectors.forms import given, misplaced
from socialgate.connectors.message_checks import buttons_of, card_faults, text_faults, vcard
from socialgate.connectors.messaging import Unseen
from socialgate.connectors.telegram.forms import shown_length
from socialgate.connectors.telegram.incoming import chat_of, number_in
from socialgate.connectors.telegram.wire import BotApi, Posted
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import NotSupported
from socialgate.contracts.media_rules import file_faults
from socialgate.contracts.messages import AttachmentItem, Contact, MediaLocation, MessageType, NewMessage, Sent
from socialgate.contracts.platforms import MediaRule, Platform
from socialgate.contracts.publishing import MediaFile
from socialgate.core.errors import Fault

_MB = 1024 * 1024
_LONGEST_CALLBACK = 64
_LONGEST_CARD = 2048
# What Telegram accepts from a URL, by the name of the file parameter.
_FORMS: Mapping[str, tuple[str, tuple[str, ...], int]] = {
    "photo": ("sendPhoto", ("image/jpeg", "image/png", "image/webp"), 5 * _MB),
    "animation": ("sendAnimation", ("image/gif",), 20 * _MB),
    "video": ("sendVideo", ("video/mp4",), 20 * _MB),
    "audio": ("sendAudio", ("audio/mpeg", "audio/mp4"), 20 * _MB),
    "voice": ("sendVoice", ("audio/ogg",), 20 * _MB),
    "document": ("sendDocument", ("application/pdf", "application/zip", "image/gif"), 20 * _MB),
    "sticker": ("sendSticker", ("image/webp",), 20 * _MB),
}
_WORDLESS = frozenset(
    {
        MessageType.STICKER,
        MessageType.LOCATION,
        MessageType.CONTACTS,
        MessageType.INTERACTIVE,
        MessageType.REACTION,
    }
)


class BotMessages(Unseen):
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

    def faults(self, new: NewMessage) -> Sequence[Fault]:
        most = 4096 if new.media is None else 1024
        return [
            *text_faults("Telegram", new, shown_length(_words(new), new.options.get("parseMode")), most, _WORDLESS),
            *_target_faults(new),
            *_content_faults(new),
            *_keyboard_faults(new),
        ]

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

    async def mark_read(self, held: AccountCredentials, contact_id: str, message_id: str) -> None:
        del held, contact_id, message_id
        detail = "Bots cannot mark messages as read. Only WhatsApp numbers can."
        raise NotSupported(detail, platform=Platform.TELEGRAM)

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
    options = new.options
    common: dict[str, Any] = {
        "reply_parameters": _reply(new),
        "reply_markup": _keyboard(new),
        "disable_notification": options.get("disableNotification"),
        "protect_content": options.get("protectContent"),
    }
    if new.media is not None:
        form, common["parse_mode"] = _form(new.type, new.media), options.get("parseMode")
        return _FORMS[form][0], {form: new.media.url, "caption": new.text or None, **common}
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
    preview = {"is_disabled": True} if options.get("disableLinkPreview") else None
    said = {"text": _words(new), "parse_mode": options.get("parseMode"), "link_preview_options": preview}
    return "sendMessage", said | common


def _words(new: NewMessage) -> str:
    if new.type is not MessageType.INTERACTIVE:
        return new.text
    return "\n\n".join(part for part in map(new.data.get, ("header", "body", "footer")) if part)


def _form(kind: MessageType, media: MediaFile) -> str:
    if kind in {MessageType.STICKER, MessageType.DOCUMENT}:
        return str(kind)
    if media.type == "image":
        return "animation" if media.mime_type == "image/gif" else "photo"
    return "voice" if media.mime_type == "audio/ogg" else media.type


def _reply(new: NewMessage) -> dict[str, Any] | None:
    if new.reply_to is None:
        return None
    # If it was deleted in the meantime, that is no reason not to reply.
    return {"message_id": number_in(new.to, new.reply_to), "allow_sending_without_reply": True}


def _keyboard(new: NewMessage) -> dict[str, Any] | None:
    rows = [
        [{"text": one.title, "url": one.url} if one.url else {"text": one.title, "callback_data": one.id or one.title}]
        for _, one in buttons_of(new)
    ]
    return {"inline_keyboard": rows} if rows else None


def _target_faults(new: NewMessage) -> Iterator[Fault]:
    named = {"/replyTo": new.reply_to, "/reaction/msgId": new.data.get("msgId")}
    for pointer, message_id in named.items():
        if message_id is not None and number_in(new.to, message_id) is None:
            detail = "This is not a message of the conversation. Use one that was written there."
            yield Fault(pointer, "not_found", detail)
    if new.type is MessageType.REACTION and _chat(new)[0] is not None:
        yield Fault("/reaction", "not_supported", "Bots cannot react for a business account. Send a message.")


def _content_faults(new: NewMessage) -> Iterator[Fault]:
    if new.media is not None:
        _, mime_types, most = _FORMS[_form(new.type, new.media)]
        rule = MediaRule(mime_types=mime_types, max_bytes=most)
        yield from file_faults("Telegram", rule, new.media, "/media")
        if new.options.get("disableLinkPreview"):
            yield from misplaced(new.options, ("disableLinkPreview",), "a message without a file")
    yield from card_faults("Telegram", new)
    if new.type is MessageType.CONTACTS and len(vcard(new.data["contacts"][0]).encode()) > _LONGEST_CARD:
        yield Fault(
            "/contacts/0", "too_long", f"Telegram accepts {_LONGEST_CARD} bytes for a contact. Remove some details."
        )


def _keyboard_faults(new: NewMessage) -> Iterator[Fault]:
    for pointer, button in buttons_of(new):
        if button.id is not None and button.url is not None:
            detail = "A Telegram button either opens a URL or sends its id. Remove one of them."
            yield Fault(pointer, "contradiction", detail)
        elif button.url is not None and not button.url.startswith(("https://", "http://", "tg://")):
            yield Fault(f"{pointer}/url", "invalid", "Telegram buttons can only open https://, http:// and tg:// URLs.")
        elif button.url is None and len((button.id or button.title).encode()) > _LONGEST_CALLBACK:
            detail = (
                f"Telegram accepts {_LONGEST_CALLBACK} bytes for an id, or for a title without one. Use a shorter id."
            )
            yield Fault(f"{pointer}/id", "too_long", detail)
    for place, section in enumerate(new.data.get("sections") or ()):
        shown = {"title": section.get("title")}
        shown |= {f"rows/{index}/description": row.get("description") for index, row in enumerate(section["rows"])}
        for name in (name for name, value in shown.items() if value):
            detail = "Telegram only shows the titles of rows, as buttons, and nothing else of a list. Remove this."
            yield Fault(f"/interactive/sections/{place}/{name}", "not_supported", detail)
