"""Messages of a WhatsApp number: the format of each type, the ids of people, and where their files are."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from socialgate.connectors.forms import given
from socialgate.connectors.message_checks import MessageRules, found, places, shown, twin_faults
from socialgate.connectors.messaging import Unseen
from socialgate.connectors.whatsapp_cloud.manifest import MANIFEST
from socialgate.connectors.whatsapp_cloud.wire import PHONE, USER, Accepted, File, WhatsApp, contact
from socialgate.contracts import messages
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import NotSupported
from socialgate.contracts.messages import AttachmentItem, Contact, NewMessage, Sent
from socialgate.contracts.messages import MessageType as Type
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import MediaFile
from socialgate.core.errors import Fault

_BLANKS = re.compile(r"[\s().\-]+")
_BODY, _LIST_BODY, _MOST_ROWS = 1024, 4096, 10
_BUTTON = {"title": 20, "id": 256}
_BUTTONS = ("/quickReplies/*", "/buttons/*", "/interactive/buttons/*")
_RULES = MessageRules(
    vendor="WhatsApp",
    platform=Platform.WHATSAPP_CLOUD,
    texts={Type.TEXT: 4096, **dict.fromkeys((Type.IMAGE, Type.VIDEO, Type.DOCUMENT), _BODY)},
    textless="not_supported",
    beside=dict.fromkeys(_BUTTONS, _BODY),
    files=MANIFEST.of(Kind.WHATSAPP_CLOUD).media,
    # Whether a sticker is animated is not known here: animated ones may be larger.
    form=lambda kind, _: "animatedSticker" if kind is Type.STICKER else kind,
    numbers={_BUTTONS: 3},
    lengths={
        "/interactive/body": _BODY,
        **{f"{path}/{name}": most for path in _BUTTONS for name, most in _BUTTON.items()},
        "/interactive/header": 60,
        "/interactive/footer": 60,
        "/interactive/button": 20,
        "/interactive/sections/*/title": 24,
        "/interactive/sections/*/rows/*/id": 200,
        "/interactive/sections/*/rows/*/title": 24,
        "/interactive/sections/*/rows/*/description": 72,
    },
    apart={("/replyTo", "/reaction"): "A reaction cannot be a reply: it names its message itself."},
    options={"previewUrl": (lambda new: not (new.media or new.buttons or new.quick_replies), "a text without buttons")},
)
_LIST_RULES = replace(_RULES, lengths={**_RULES.lengths, "/interactive/body": _LIST_BODY})


class WhatsAppMessages(Unseen):
    rules = _RULES
    types = frozenset(Type) - {Type.UNSUPPORTED}
    window: timedelta | None = timedelta(hours=24)
    # Its delivery history is stored under an id that only the lost response contained.
    unseen = "WhatsApp does not list messages. If this one was sent, its first status proves it."
    recipients = "Use a phone number in E.164 format, such as +51987654321, or WhatsApp's id of the user."

    def __init__(self, api: WhatsApp) -> None:
        self._api = api

    def contact_of(self, to: str) -> Contact | None:
        digits = _BLANKS.sub("", to).removeprefix("+")
        if PHONE.fullmatch(digits):
            return contact(digits)
        return contact(user=to) if USER.fullmatch(to) else None

    def rules_for(self, new: NewMessage) -> MessageRules:
        return _LIST_RULES if new.data.get("sections") else _RULES

    def own_faults(self, new: NewMessage) -> Iterator[Fault]:
        """Find what WhatsApp would reject, before it is sent."""
        whole, has_text = shown(new), new.type in _RULES.texts
        buttons = [*places(whole, "/quickReplies/*"), *places(whole, "/buttons/*")]
        if buttons and not new.text.strip() and new.type is not Type.TEXT:
            yield Fault("/text", "required", "WhatsApp does not accept buttons without a text.")
        if buttons and not has_text:
            yield Fault(buttons[0][0].rpartition("/")[0], "not_supported", "These cannot have buttons on WhatsApp.")
        yield from _button_faults(buttons)
        if new.type is Type.INTERACTIVE:
            yield from _interactive_faults(whole, new.data)

    async def send(self, held: AccountCredentials, new: NewMessage) -> Sent:
        api, path = self._api.of(held), f"{held.platform_account_id}/messages"
        accepted = await api.post(path, Accepted, body_of(new), repeatable=False, spends="messages")
        known = next((contact(one.wa_id, one.user_id) for one in accepted.contacts), None)
        return Sent(id=accepted.messages[0].id, contact=known)

    async def mark_read(self, held: AccountCredentials, contact_id: str, message_id: str) -> None:
        del contact_id
        body = {"messaging_product": "whatsapp", "status": "read", "message_id": message_id}
        await self._api.of(held).do("POST", f"{held.platform_account_id}/messages", body)

    async def locate(self, held: AccountCredentials, attachment: AttachmentItem) -> messages.MediaLocation:
        api, wire = self._api.of(held), self._api.wire
        file = await api.get(attachment.source["id"], File, phone_number_id=held.platform_account_id)
        headers = {"Authorization": f"Bearer {api.token}"}
        return messages.MediaLocation(door=wire.door, url=wire.address(file.url), headers=headers)

    async def older(
        self, held: AccountCredentials, contact_id: str, limit: int, cursor: str | None
    ) -> messages.HistoricMessages:
        del held, contact_id, limit, cursor
        raise NotSupported("WhatsApp keeps no readable messages.", platform=Platform.WHATSAPP_CLOUD)


def body_of(new: NewMessage) -> dict[str, Any]:
    """Encode a message. `biz_opaque_callback_data` is returned with each of its statuses."""
    kind = Type.INTERACTIVE if _buttons(new) else new.type
    context = {"context": {"message_id": new.reply_to}} if new.reply_to else {}
    return {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        **_recipient(new),
        "type": kind,
        kind: _content(new),
        **context,
        "biz_opaque_callback_data": new.reference,
    }


def _recipient(new: NewMessage) -> dict[str, str]:
    """Templates are sent to the number if it is known: WhatsApp requires it for authentication templates.

    Without the plus, it could mistake the first digits for part of a number in the sender's country.
    """
    if USER.fullmatch(new.to) and not (new.type is Type.TEMPLATE and new.phone):
        return {"recipient": new.to}
    return {"to": new.phone or (f"+{new.to}" if PHONE.fullmatch(new.to) else new.to)}


def _content(new: NewMessage) -> Any:
    data = new.data
    if buttons := _buttons(new):
        header = {"header": {"type": new.type, new.type: _file(new, new.media)}} if new.media is not None else {}
        return {**_interactive({"body": new.text, "buttons": buttons}), **header}
    if new.media is not None:
        return _file(new, new.media) | given({"caption": new.text or None})
    forms: dict[Type, Callable[[], Any]] = {
        Type.TEXT: lambda: {"body": new.text, "preview_url": new.options.get("previewUrl", "://" in new.text)},
        Type.TEMPLATE: lambda: {**data, "language": {"code": data["language"]}},
        Type.LOCATION: lambda: given(data),
        Type.CONTACTS: lambda: [_card(one) for one in data["contacts"]],
        Type.INTERACTIVE: lambda: _interactive(data),
        Type.REACTION: lambda: {"message_id": data["msgId"], "emoji": data["emoji"]},
    }
    return forms[new.type]()


def _file(new: NewMessage, file: MediaFile) -> dict[str, Any]:
    return {"link": file.url, **({"filename": file.file_name} if new.type is Type.DOCUMENT else {})}


def _interactive(data: Mapping[str, Any]) -> dict[str, Any]:
    whole: dict[str, Any] = {"type": "button", "body": {"text": data["body"]}}
    whole |= {"header": {"type": "text", "text": data["header"]}} if data.get("header") else {}
    whole |= {"footer": {"text": data["footer"]}} if data.get("footer") else {}
    buttons = data.get("buttons") or []
    if data.get("sections"):
        sections = [given({**one, "rows": [given(row) for row in one["rows"]]}) for one in data["sections"]]
        return {**whole, "type": "list", "action": {"button": data["button"], "sections": sections}}
    if buttons[0].get("url"):
        opens = {"display_text": buttons[0]["title"], "url": buttons[0]["url"]}
        return {**whole, "type": "cta_url", "action": {"name": "cta_url", "parameters": opens}}
    replies = [{"id": one.get("id") or one["title"], "title": one["title"]} for one in buttons]
    return {**whole, "action": {"buttons": [{"type": "reply", "reply": reply} for reply in replies]}}


def _card(one: Mapping[str, Any]) -> dict[str, Any]:
    """WhatsApp requires a part of the name besides the full name."""
    first, _, last = one["name"].partition(" ")
    return given(
        {
            "name": given({"formatted_name": one["name"], "first_name": first, "last_name": last or None}),
            "phones": [{"phone": phone} for phone in one.get("phones") or []] or None,
            "emails": [{"email": email} for email in one.get("emails") or []] or None,
            "org": {"company": one["organization"]} if one.get("organization") else None,
        }
    )


def _buttons(new: NewMessage) -> list[dict[str, Any]]:
    whole = shown(new)
    return [*whole["quickReplies"], *whole["buttons"]]


def _button_faults(buttons: Sequence[tuple[str, Any]]) -> Iterator[Fault]:
    for at, one in buttons:
        if one.get("url") and len(buttons) > 1:
            yield Fault(f"{at}/url", "not_supported", "On WhatsApp, a button that opens a URL must be the only one.")
    for name in _BUTTON:
        yield from twin_faults((f"{at}/{name}", one.get(name) or one["title"]) for at, one in buttons)


def _interactive_faults(given: Any, data: Mapping[str, Any]) -> Iterator[Fault]:
    at = "/interactive/sections"
    buttons, sections = places(given, "/interactive/buttons/*"), places(given, f"{at}/*")
    rows = places(given, f"{at}/*/rows/*")
    titled, named = "If there are several sections, each needs a title.", "A list needs a `button` that opens it."
    if bool(buttons) is bool(sections):
        yield Fault("/interactive", "contradiction", "Set either buttons or sections.")
    yield from _button_faults(buttons)
    unnamed = [f"{place}/title" for place, one in sections if len(sections) > 1 and not one.get("title")]
    yield from found(
        [
            (sections and not data.get("button"), "/interactive/button", "required", named),
            *((True, pointer, "required", titled) for pointer in unnamed),
            (len(rows) > _MOST_ROWS, at, "too_many", f"A list can have at most {_MOST_ROWS} rows in all its sections."),
        ]
    )
    yield from twin_faults((f"{place}/id", row["id"]) for place, row in rows)
