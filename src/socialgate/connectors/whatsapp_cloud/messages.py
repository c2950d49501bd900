"""Messages of a WhatsApp number: the format of each type, the ids of people, and where their files are."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from socialgate.connectors.message_adapters import NoHistoryMessageAdapter
from socialgate.connectors.message_validation import (
    MessageRules,
    collect_faults,
    find_at_path,
    to_request_json,
    validate_unique,
)
from socialgate.connectors.post_options import drop_none
from socialgate.connectors.whatsapp_cloud.api import (
    PHONE_PATTERN,
    USER_ID_PATTERN,
    MediaUrlResponse,
    SendResponse,
    WhatsAppApi,
    build_contact,
)
from socialgate.connectors.whatsapp_cloud.manifest import MANIFEST
from socialgate.contracts import messages
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import NotSupportedError
from socialgate.contracts.messages import AttachmentItem, Contact, NewMessage, SentMessage
from socialgate.contracts.messages import MessageType as Type
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import MediaFile
from socialgate.core.errors import Fault

_PHONE_SEPARATORS_PATTERN = re.compile(r"[\s().\-]+")
_BODY, _LIST_BODY, _MAX_LIST_ROWS = 1024, 4096, 10
_MAX_BUTTON_LENGTHS = {"title": 20, "id": 256}
_BUTTON_PATHS = ("/quickReplies/*", "/buttons/*", "/interactive/buttons/*")
_MESSAGE_RULES = MessageRules(
    vendor="WhatsApp",
    platform=Platform.WHATSAPP_CLOUD,
    max_text_lengths={Type.TEXT: 4096, **dict.fromkeys((Type.IMAGE, Type.VIDEO, Type.DOCUMENT), _BODY)},
    text_not_allowed_code="not_supported",
    max_text_lengths_with=dict.fromkeys(_BUTTON_PATHS, _BODY),
    file_rules=MANIFEST.get_kind_manifest(Kind.WHATSAPP_CLOUD).media,
    # Whether a sticker is animated is not known here: animated ones may be larger.
    get_media_rule_key=lambda kind, _: "animatedSticker" if kind is Type.STICKER else kind,
    max_counts={_BUTTON_PATHS: 3},
    max_lengths={
        "/interactive/body": _BODY,
        **{f"{path}/{name}": most for path in _BUTTON_PATHS for name, most in _MAX_BUTTON_LENGTHS.items()},
        "/interactive/header": 60,
        "/interactive/footer": 60,
        "/interactive/button": 20,
        "/interactive/sections/*/title": 24,
        "/interactive/sections/*/rows/*/id": 200,
        "/interactive/sections/*/rows/*/title": 24,
        "/interactive/sections/*/rows/*/description": 72,
    },
    exclusive_paths={("/replyTo", "/reaction"): "A reaction cannot be a reply: it names its message itself."},
    conditional_options={
        "previewUrl": (lambda new: not (new.media or new.buttons or new.quick_replies), "a text without buttons")
    },
)
_LIST_MESSAGE_RULES = replace(
    _MESSAGE_RULES, max_lengths={**_MESSAGE_RULES.max_lengths, "/interactive/body": _LIST_BODY}
)


class WhatsAppMessages(NoHistoryMessageAdapter):
    rules = _MESSAGE_RULES
    types = frozenset(Type) - {Type.UNSUPPORTED}
    free_form_window: timedelta | None = timedelta(hours=24)
    # Its delivery history is stored under an id that only the lost response contained.
    lookup_impossible_detail = "WhatsApp does not list messages. If this one was sent, its first status proves it."
    recipient_help = "Use a phone number in E.164 format, such as +51987654321, or WhatsApp's id of the user."

    def __init__(self, api: WhatsAppApi) -> None:
        self._api = api

    def parse_recipient(self, to: str) -> Contact | None:
        digits = _PHONE_SEPARATORS_PATTERN.sub("", to).removeprefix("+")
        if PHONE_PATTERN.fullmatch(digits):
            return build_contact(digits)
        return build_contact(user=to) if USER_ID_PATTERN.fullmatch(to) else None

    def get_rules(self, new: NewMessage) -> MessageRules:
        return _LIST_MESSAGE_RULES if new.data.get("sections") else _MESSAGE_RULES

    def validate_platform_rules(self, new: NewMessage) -> Iterator[Fault]:
        """Find what WhatsApp would reject, before it is sent."""
        whole, has_text = to_request_json(new), new.type in _MESSAGE_RULES.max_text_lengths
        buttons = [*find_at_path(whole, "/quickReplies/*"), *find_at_path(whole, "/buttons/*")]
        if buttons and not new.text.strip() and new.type is not Type.TEXT:
            yield Fault("/text", "required", "WhatsApp does not accept buttons without a text.")
        if buttons and not has_text:
            yield Fault(buttons[0][0].rpartition("/")[0], "not_supported", "These cannot have buttons on WhatsApp.")
        yield from _button_faults(buttons)
        if new.type is Type.INTERACTIVE:
            yield from _interactive_faults(whole, new.data)

    async def send(self, credentials: AccountCredentials, new: NewMessage) -> SentMessage:
        api, path = self._api.for_account(credentials), f"{credentials.platform_account_id}/messages"
        accepted = await api.post(path, SendResponse, encode_message(new), repeatable=False, spends="messages")
        known = next(
            (
                build_contact(message_recipient.wa_id, message_recipient.user_id)
                for message_recipient in accepted.contacts
            ),
            None,
        )
        return SentMessage(id=accepted.messages[0].id, contact=known)

    async def mark_read(self, credentials: AccountCredentials, contact_id: str, message_id: str) -> None:
        del contact_id
        body = {"messaging_product": "whatsapp", "status": "read", "message_id": message_id}
        await self._api.for_account(credentials).call_for_success(
            "POST", f"{credentials.platform_account_id}/messages", body
        )

    async def get_download_location(
        self, credentials: AccountCredentials, attachment: AttachmentItem
    ) -> messages.MediaDownload:
        api, wire = self._api.for_account(credentials), self._api.wire
        file = await api.get(attachment.source["id"], MediaUrlResponse, phone_number_id=credentials.platform_account_id)
        headers = {"Authorization": f"Bearer {api.token}"}
        return messages.MediaDownload(door=wire.egress_client, url=wire.resolve_url(file.url), headers=headers)

    async def list_history(
        self, credentials: AccountCredentials, contact_id: str, limit: int, cursor: str | None
    ) -> messages.MessagePage:
        del credentials, contact_id, limit, cursor
        raise NotSupportedError("WhatsApp keeps no readable messages.", platform=Platform.WHATSAPP_CLOUD)


def encode_message(new: NewMessage) -> dict[str, Any]:
    """Encode a message. `biz_opaque_callback_data` is returned with each of its statuses."""
    kind = Type.INTERACTIVE if _list_buttons(new) else new.type
    context = {"context": {"message_id": new.reply_to}} if new.reply_to else {}
    return {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        **_encode_recipient(new),
        "type": kind,
        kind: _encode_content(new),
        **context,
        "biz_opaque_callback_data": new.reference,
    }


def _encode_recipient(new: NewMessage) -> dict[str, str]:
    """Templates are sent to the number if it is known: WhatsApp requires it for authentication templates.

    Without the plus, it could mistake the first digits for part of a number in the sender's country.
    """
    if USER_ID_PATTERN.fullmatch(new.to) and not (new.type is Type.TEMPLATE and new.phone):
        return {"recipient": new.to}
    return {"to": new.phone or (f"+{new.to}" if PHONE_PATTERN.fullmatch(new.to) else new.to)}


def _encode_content(new: NewMessage) -> Any:
    data = new.data
    if buttons := _list_buttons(new):
        header = {"header": {"type": new.type, new.type: _encode_file(new, new.media)}} if new.media is not None else {}
        return {**_encode_interactive({"body": new.text, "buttons": buttons}), **header}
    if new.media is not None:
        return _encode_file(new, new.media) | drop_none({"caption": new.text or None})
    forms: dict[Type, Callable[[], Any]] = {
        Type.TEXT: lambda: {"body": new.text, "preview_url": new.options.get("previewUrl", "://" in new.text)},
        Type.TEMPLATE: lambda: {**data, "language": {"code": data["language"]}},
        Type.LOCATION: lambda: drop_none(data),
        Type.CONTACTS: lambda: [_encode_contact_card(item) for item in data["contacts"]],
        Type.INTERACTIVE: lambda: _encode_interactive(data),
        Type.REACTION: lambda: {"message_id": data["msgId"], "emoji": data["emoji"]},
    }
    return forms[new.type]()


def _encode_file(new: NewMessage, file: MediaFile) -> dict[str, Any]:
    return {"link": file.url, **({"filename": file.file_name} if new.type is Type.DOCUMENT else {})}


def _encode_interactive(data: Mapping[str, Any]) -> dict[str, Any]:
    whole: dict[str, Any] = {"type": "button", "body": {"text": data["body"]}}
    whole |= {"header": {"type": "text", "text": data["header"]}} if data.get("header") else {}
    whole |= {"footer": {"text": data["footer"]}} if data.get("footer") else {}
    buttons = data.get("buttons") or []
    if data.get("sections"):
        sections = [drop_none({**item, "rows": [drop_none(row) for row in item["rows"]]}) for item in data["sections"]]
        return {**whole, "type": "list", "action": {"button": data["button"], "sections": sections}}
    if buttons[0].get("url"):
        opens = {"display_text": buttons[0]["title"], "url": buttons[0]["url"]}
        return {**whole, "type": "cta_url", "action": {"name": "cta_url", "parameters": opens}}
    replies = [{"id": button.get("id") or button["title"], "title": button["title"]} for button in buttons]
    return {**whole, "action": {"buttons": [{"type": "reply", "reply": reply} for reply in replies]}}


def _encode_contact_card(card: Mapping[str, Any]) -> dict[str, Any]:
    """WhatsApp requires a part of the name besides the full name."""
    first, _, last = card["name"].partition(" ")
    return drop_none(
        {
            "name": drop_none({"formatted_name": card["name"], "first_name": first, "last_name": last or None}),
            "phones": [{"phone": phone} for phone in card.get("phones") or []] or None,
            "emails": [{"email": email} for email in card.get("emails") or []] or None,
            "org": {"company": card["organization"]} if card.get("organization") else None,
        }
    )


def _list_buttons(new: NewMessage) -> list[dict[str, Any]]:
    whole = to_request_json(new)
    return [*whole["quickReplies"], *whole["buttons"]]


def _button_faults(buttons: Sequence[tuple[str, Any]]) -> Iterator[Fault]:
    for at, item in buttons:
        if item.get("url") and len(buttons) > 1:
            yield Fault(f"{at}/url", "not_supported", "On WhatsApp, a button that opens a URL must be the only one.")
    for name in _MAX_BUTTON_LENGTHS:
        yield from validate_unique((f"{at}/{name}", item.get(name) or item["title"]) for at, item in buttons)


def _interactive_faults(request_data: Any, data: Mapping[str, Any]) -> Iterator[Fault]:
    at = "/interactive/sections"
    buttons, sections = find_at_path(request_data, "/interactive/buttons/*"), find_at_path(request_data, f"{at}/*")
    rows = find_at_path(request_data, f"{at}/*/rows/*")
    titled, named = "If there are several sections, each needs a title.", "A list needs a `button` that opens it."
    if bool(buttons) is bool(sections):
        yield Fault("/interactive", "contradiction", "Set either buttons or sections.")
    yield from _button_faults(buttons)
    unnamed = [f"{place}/title" for place, item in sections if len(sections) > 1 and not item.get("title")]
    yield from collect_faults(
        [
            (sections and not data.get("button"), "/interactive/button", "required", named),
            *((True, pointer, "required", titled) for pointer in unnamed),
            (
                len(rows) > _MAX_LIST_ROWS,
                at,
                "too_many",
                f"A list can have at most {_MAX_LIST_ROWS} rows in all its sections.",
            ),
        ]
    )
    yield from validate_unique((f"{place}/id", row["id"]) for place, row in rows)
