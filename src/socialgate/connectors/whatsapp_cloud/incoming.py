"""What WhatsApp reports about messages, read as far as it can be: only what names nobody is no message."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.dialects.graph import GraphError, moment, said_of
from socialgate.connectors.graph.inbound import at, convert, rows_at, text_at
from socialgate.connectors.whatsapp_cloud.errors import TABLE
from socialgate.connectors.whatsapp_cloud.wire import LONGEST_ID, contact
from socialgate.contracts.inbound import Fact
from socialgate.contracts.messages import (
    AttachmentItem,
    Contact,
    ContactChanged,
    MessageChanged,
    MessageItem,
    MessageProgressed,
    MessageReported,
    MessageStatus,
    MessageType,
)
from socialgate.contracts.platforms import Kind

_TOLD = (MessageStatus.SENT, MessageStatus.DELIVERED, MessageStatus.READ, MessageStatus.FAILED)
# "played" is a voice message that was listened to.
_STATES = {**{one.value: one for one in _TOLD}, "played": MessageStatus.READ}
_FILES = frozenset({"image", "video", "audio", "document", "sticker"})
_PLACE = ("latitude", "longitude", "name", "address", "url")
_CHANGES = {"reaction": "reaction", "edit": "edited", "revoke": "deleted"}


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """One message or status of a webhook, with what stands beside it. `now` is for those without a time."""

    number: str
    contacts: Any
    item: Any
    key: str
    now: datetime

    @property
    def id(self) -> str:
        return text_at(self.item, "id")

    @property
    def at(self) -> datetime:
        seconds = str(at(self.item, "timestamp"))
        return (moment(int(seconds)) if seconds.isdecimal() and len(seconds) <= len("9999999999") else None) or self.now

    @property
    def about(self) -> dict[str, Any]:
        return {"key": self.key, "kind": Kind.WHATSAPP_CLOUD, "account": self.number}


def status_of(told: Reported) -> Fact | None:
    status = _STATES.get(text_at(told.item, "status"))
    if status is None or not 0 < len(told.id) <= LONGEST_ID:
        return None
    return MessageProgressed(
        **told.about,
        message_id=told.id,
        status=status,
        at=told.at,
        error=_why(told.item) if status is MessageStatus.FAILED else None,
        reference=text_at(told.item, "biz_opaque_callback_data") or None,
    )


def _why(item: Any) -> str:
    """Say what a failure that is reported later means, in the words that the same failure has at once."""
    error = next((convert(one, GraphError) for one in rows_at(item, "errors")), None) or GraphError()
    failure = TABLE.verdict(said_of(error, 400, {}), repeatable=True).failure
    assert failure.platform_error is not None, "a verdict says what the platform said"
    words = ": ".join(filter(None, (failure.platform_error.code, failure.platform_error.message)))
    return f"{failure.detail} ({words})" if words else failure.detail


def message_of(told: Reported, *, echo: bool = False) -> Fact | None:
    """Read what somebody wrote or did; with `echo` what the account's people did on their phone."""
    item, kind = told.item, text_at(told.item, "type")
    person = _person(told, echo=echo)
    if person is None or at(item, "group_id") or not 0 < len(told.id) <= LONGEST_ID:
        return None
    if kind in _CHANGES:
        return _changed(told, kind, told.number if echo else person.id)
    if kind == "system":
        return _renamed(told, person)
    message = MessageItem(
        id=told.id,
        contact=person,
        at=told.at,
        outbound=echo,
        reply_to=text_at(item, "context", "id")[:LONGEST_ID] or None,
        reference=text_at(item, "biz_opaque_callback_data") or None,
        **_content(item, kind),
    )
    return None if kind == "request_welcome" else MessageReported(**told.about, message=message)


def _changed(told: Reported, kind: str, by: str) -> Fact | None:
    part = at(told.item, kind)
    changed = text_at(part, "message_id" if kind == "reaction" else "original_message_id")
    new = at(part, "message")
    return (
        MessageChanged(
            **told.about,
            message_id=changed,
            change=_CHANGES[kind],
            at=told.at,
            text=_content(new, text_at(new, "type"))["text"] if kind == "edit" else None,
            emoji=text_at(part, "emoji") or None,
            by=by,
        )
        if changed
        else None
    )


def _renamed(told: Reported, before: Contact) -> Fact | None:
    now = contact(text_at(told.item, "system", "wa_id"), text_at(told.item, "system", "user_id"))
    if now is None:
        return None
    names = {before.id, *before.aliases, *now.aliases} - {now.id}
    return ContactChanged(**told.about, contact=msgspec.structs.replace(now, aliases=tuple(sorted(names))))


def _person(told: Reported, *, echo: bool) -> Contact | None:
    """Find who it is. The list beside the messages has names, and may lack for echoes and in older webhooks."""
    side = "to" if echo else "from"
    wa_id, user = text_at(told.item, side), text_at(told.item, f"{side}_user_id")
    listed = rows_at({"contacts": told.contacts}, "contacts")
    named = [one for one in listed if {wa_id, user} & {at(one, "wa_id") or 0, at(one, "user_id") or 0}]
    one = next(iter(named or listed[: not echo and len(listed) == 1]), {})
    return contact(
        wa_id or text_at(one, "wa_id"),
        user or text_at(one, "user_id"),
        text_at(one, "parent_user_id") or text_at(told.item, f"{side}_parent_user_id"),
        name=text_at(one, "profile", "name") or None,
        username=text_at(one, "profile", "username") or None,
    )


def _content(item: Any, kind: str) -> dict[str, Any]:
    """Read what the type names. Of a type that nobody knows, all is kept."""
    part = at(item, kind)
    referral = {"referral": item["referral"]} if at(item, "referral") else {}
    known: dict[str, Any] = {"type": MessageType.UNSUPPORTED, "text": text_at(part, "text")}
    data: Mapping[str, Any] = {"type": kind, kind: part, "errors": at(item, "errors")}
    match kind:
        case "text":
            known, data = {"type": MessageType.TEXT, "text": text_at(part, "body")}, {}
        case _ if kind in _FILES:
            files = tuple(_files(part, kind))
            known = {"type": MessageType(kind), "text": text_at(part, "caption"), "attachments": files}
            data = {"voice": at(part, "voice") or None}
        case "location":
            known, data = {"type": MessageType.LOCATION, "text": ""}, {name: at(part, name) for name in _PLACE}
        case "contacts":
            known, data = {"type": MessageType.CONTACTS}, {"contacts": [_card(one) for one in rows_at(item, kind)]}
        case "button":
            known["type"] = MessageType.INTERACTIVE
            data = {"reply": {"id": text_at(part, "payload"), "title": known["text"]}}
        case "interactive":
            reply = at(part, text_at(part, "type"))
            known = {"type": MessageType.INTERACTIVE, "text": text_at(reply, "title") or text_at(reply, "body")}
            data = {"reply": reply}
    return {"text": "", **known, "data": {name: one for name, one in data.items() if one is not None} | referral}


def _files(part: Any, kind: str) -> Iterator[AttachmentItem]:
    """The id goes into the path of a URL: nothing else may get there."""
    number = text_at(part, "id")
    if number.isascii() and number.isalnum():
        mime_type, name = text_at(part, "mime_type") or None, text_at(part, "filename") or None
        yield AttachmentItem(type=kind, source={"id": number}, mime_type=mime_type, file_name=name)


def _card(one: Any) -> dict[str, Any]:
    """Show somebody's card in the form in which cards are sent."""
    return {
        "name": text_at(one, "name", "formatted_name"),
        "phones": [text_at(row, "phone") for row in rows_at(one, "phones")],
        "emails": [text_at(row, "email") for row in rows_at(one, "emails")],
        "organization": text_at(one, "org", "company") or None,
    }
