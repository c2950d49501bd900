"""Messages of a WhatsApp number: how each type is written down, who people are, and where their files lie."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from socialgate.connectors.whatsapp_cloud.messages_faults import buttons_of, faults_of
from socialgate.connectors.whatsapp_cloud.subscribing import key_of
from socialgate.connectors.whatsapp_cloud.wire import WhatsApp
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import NotSupported
from socialgate.contracts.messages import (
    AttachmentItem,
    Contact,
    HistoricMessages,
    Looked,
    MediaLocation,
    MessageType,
    NewMessage,
    Sent,
)
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import CannotTell
from socialgate.core.errors import Fault

_PHONE = re.compile(r"[1-9][0-9]{6,14}")
_BLANKS = re.compile(r"[\s().\-]+")
# An id of a person for one business, or for several of one owner: US.1349..., US.ENT.1349...
_USER = re.compile(r"[A-Z]{2}\.(?:[A-Z]{1,10}\.)?[A-Za-z0-9]{1,128}")
_BRAZIL = re.compile(r"(55[0-9]{2})(9?)([6-9][0-9]{7})")
_ARGENTINA = re.compile(r"(54)(9?)([1-9][0-9]{9})")
LONGEST_ID = 300


class WhatsAppMessages:
    types = frozenset(MessageType) - {MessageType.UNSUPPORTED}
    window: timedelta | None = timedelta(hours=24)
    keeps_history = answers_comments = False

    def __init__(self, api: WhatsApp) -> None:
        self._api = api

    def contact_of(self, to: str) -> Contact | None:
        digits = _BLANKS.sub("", to).removeprefix("+")
        if _PHONE.fullmatch(digits):
            return contact(digits)
        return contact(user=to) if _USER.fullmatch(to) else None

    def faults(self, new: NewMessage) -> Sequence[Fault]:
        return list(faults_of(new))

    async def send(self, held: AccountCredentials, new: NewMessage) -> Sent:
        accepted = await self._api.send(held.platform_account_id, key_of(held), body_of(new))
        known = next((contact(one.wa_id, one.user_id) for one in accepted.contacts), None)
        return Sent(id=accepted.messages[0].id, contact=known)

    async def look(self, held: AccountCredentials, new: NewMessage) -> Looked:
        """Its history of deliveries is kept by an id that only the lost answer had."""
        del held, new
        return CannotTell("WhatsApp lists no messages. If this one was sent, its first status proves it.")

    async def mark_read(self, held: AccountCredentials, contact_id: str, message_id: str) -> None:
        del contact_id
        await self._api.mark_read(held.platform_account_id, key_of(held), message_id)

    async def locate(self, held: AccountCredentials, attachment: AttachmentItem) -> MediaLocation:
        key = key_of(held)
        url = await self._api.file(held.platform_account_id, key, attachment.source["id"])
        return MediaLocation(door=self._api.door, url=url, headers={"Authorization": f"Bearer {key.token}"})

    async def older(
        self, held: AccountCredentials, contact_id: str, limit: int, cursor: str | None
    ) -> HistoricMessages:
        del held, contact_id, limit, cursor
        raise NotSupported("WhatsApp keeps no messages that could be read.", platform=Platform.WHATSAPP_CLOUD)


def contact(wa_id: str = "", user: str = "", parent: str = "", **known: Any) -> Contact | None:
    """Name a person: by the id that stays when they hide their number, with the number as an alias."""
    names = [name for name in (user, wa_id, parent, *_same(wa_id)) if name and len(name) <= LONGEST_ID]
    phone = f"+{wa_id}" if _PHONE.fullmatch(wa_id) else None
    return Contact(id=names[0], phone=phone, aliases=tuple(names[1:]), **known) if names else None


def _same(number: str) -> Iterator[str]:
    """Give the other form of a mobile number: WhatsApp drops a 9 in Brazil and adds one in Argentina."""
    for country in (_BRAZIL, _ARGENTINA):
        if found := country.fullmatch(number):
            before, nine, rest = found.groups()
            yield f"{before}{'' if nine else '9'}{rest}"


def body_of(new: NewMessage) -> dict[str, Any]:
    """Write a message down. `biz_opaque_callback_data` comes back with each of its statuses."""
    kind = MessageType.INTERACTIVE if buttons_of(new) else new.type
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
    """Templates go to the number where it is known: WhatsApp takes those with passwords for nothing else.

    Without the plus, it could take the first digits of a number for a part of one in the sender's country.
    """
    if _USER.fullmatch(new.to) and not (new.type is MessageType.TEMPLATE and new.phone):
        return {"recipient": new.to}
    return {"to": new.phone or (f"+{new.to}" if _PHONE.fullmatch(new.to) else new.to)}


def _content(new: NewMessage) -> Any:
    data = new.data
    if buttons := buttons_of(new):
        header = {"header": {"type": new.type, new.type: _file(new)}} if new.media is not None else {}
        return {**_interactive({"body": new.text, "buttons": [button for _, button in buttons]}), **header}
    if new.media is not None:
        return _file(new) | _given({"caption": new.text or None})
    forms: dict[MessageType, Callable[[], Any]] = {
        MessageType.TEXT: lambda: {"body": new.text, "preview_url": "://" in new.text},
        MessageType.TEMPLATE: lambda: {**data, "language": {"code": data["language"]}},
        MessageType.LOCATION: lambda: _given(data),
        MessageType.CONTACTS: lambda: [_card(one) for one in data["contacts"]],
        MessageType.INTERACTIVE: lambda: _interactive(data),
        MessageType.REACTION: lambda: {"message_id": data["msgId"], "emoji": data["emoji"]},
    }
    return forms[new.type]()


def _file(new: NewMessage) -> dict[str, Any]:
    assert new.media is not None, "the area wants a file for these types"
    name = {"filename": new.media.file_name} if new.type is MessageType.DOCUMENT else {}
    return {"link": new.media.url, **name}


def _interactive(data: Mapping[str, Any]) -> dict[str, Any]:
    whole: dict[str, Any] = {"type": "button", "body": {"text": data["body"]}}
    if data.get("header"):
        whole["header"] = {"type": "text", "text": data["header"]}
    if data.get("footer"):
        whole["footer"] = {"text": data["footer"]}
    buttons = data.get("buttons") or []
    if data.get("sections"):
        sections = [_given({**one, "rows": [_given(row) for row in one["rows"]]}) for one in data["sections"]]
        return {**whole, "type": "list", "action": {"button": data["button"], "sections": sections}}
    if buttons[0].get("url"):
        opens = {"display_text": buttons[0]["title"], "url": buttons[0]["url"]}
        return {**whole, "type": "cta_url", "action": {"name": "cta_url", "parameters": opens}}
    replies = [{"id": one.get("id") or one["title"], "title": one["title"]} for one in buttons]
    return {**whole, "action": {"buttons": [{"type": "reply", "reply": reply} for reply in replies]}}


def _card(one: Mapping[str, Any]) -> dict[str, Any]:
    """WhatsApp wants a part of the name beside the whole of it."""
    first, _, last = one["name"].partition(" ")
    return _given(
        {
            "name": _given({"formatted_name": one["name"], "first_name": first, "last_name": last or None}),
            "phones": [{"phone": phone} for phone in one.get("phones") or []] or None,
            "emails": [{"email": email} for email in one.get("emails") or []] or None,
            "org": {"company": one["organization"]} if one.get("organization") else None,
        }
    )


def _given(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parts.items() if value is not None}
