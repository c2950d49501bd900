"""Webhooks from WhatsApp: messages, statuses, and changes of a WhatsApp Business Account.

They are parsed as far as possible: only a message without an author is ignored.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.graph.dialect import GraphError, moment, said_of
from socialgate.connectors.graph.inbound import Change, Entry, convert, greet, judge, key_of, print_of, walk
from socialgate.connectors.json_paths import list_at, member, rows_at, text_at, words_at
from socialgate.connectors.receiving import digest, raw
from socialgate.connectors.whatsapp_cloud.errors import TABLE
from socialgate.connectors.whatsapp_cloud.wire import LONGEST_ID, contact
from socialgate.contracts import messages
from socialgate.contracts.inbound import (
    AccessLost,
    AccessRestored,
    Fact,
    HealthChanged,
    InboundRequest,
    Reply,
    UnhandledFact,
)
from socialgate.contracts.messages import AttachmentItem, Contact, MessageItem, MessageStatus, MessageType
from socialgate.contracts.platforms import Kind
from socialgate.core.clock import Clock

_ID = re.compile(r"[0-9]{1,50}")
_LOST = {
    "PARTNER_REMOVED": "This app lost access to the WhatsApp Business Account.",
    "PARTNER_APP_UNINSTALLED": "The app was removed from the WhatsApp Business Account.",
    "ACCOUNT_DELETED": "The WhatsApp Business Account was deleted.",
    "ACCOUNT_OFFBOARDED": "The number was removed from the Cloud API, after a change of phone or a new registration.",
    "DISABLE": "WhatsApp has disabled the WhatsApp Business Account.",
}
_RESTORED = frozenset({"ACCOUNT_RECONNECTED", "PARTNER_ADDED", "REINSTATE"})
# Warnings and limits of an account or of one of its numbers. Which of them work is visible in their health.
_RESTRICTED = frozenset({"ACCOUNT_RESTRICTION", "ACCOUNT_VIOLATION", "SCHEDULE_FOR_DISABLE"})
# "played" is a voice message that was listened to.
_STATES = {name: MessageStatus(name) for name in ("sent", "delivered", "read", "failed")} | {
    "played": MessageStatus.READ
}
_FILES = frozenset({"image", "video", "audio", "document", "sticker"})
_PLACE = ("latitude", "longitude", "name", "address", "url")
_CHANGES = {"reaction": "reaction", "edit": "edited", "revoke": "deleted"}


class WhatsAppInbound:
    """The clock is for what has no readable time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        if request.method == "GET":
            return greet(request.query, secrets)
        return judge(request, secrets)

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        return walk(request.body, self._facts)

    def _facts(self, about: str, entry: Entry) -> Iterator[Fact]:
        del about
        lists, now = ("messages", "statuses", "message_echoes"), self._clock.now()
        for change in entry.changes:
            items = [(name, item) for name in lists for item in list_at(change.value, name)]
            if change.field == "account_update":
                yield _account_update(entry, change)
            elif change.field == "phone_number_quality_update":
                yield _changed_health(entry, change, str(entry.id), words_at(change.value, "event"))
            elif items:
                yield from (_item(entry, change.value, name, item, now) for name, item in items)
            else:
                yield _other(entry, change, key_of(change.field, entry.id, print_of(change.value), entry.time))


def _item(entry: Entry, value: Any, name: str, item: Any, now: datetime) -> Fact:
    """One message or status. A status is repeated for every state, and in a group for every person.

    The key is kept for weeks. It is hashed, because WhatsApp's ids contain the number of the person.
    """
    own_id, number = words_at(item, "id"), text_at(value, "metadata", "phone_number_id")
    more = (words_at(item, "status"), text_at(item, "recipient_id")) if name == "statuses" else ()
    key = key_of(name, number, digest(raw(" ".join((own_id, *more)))) if own_id else print_of(item))
    report = Reported(number=number, contacts=member(value, "contacts"), item=item, key=key, now=now)
    fact = status_of(report) if name == "statuses" else message_of(report, echo=name == "message_echoes")
    data = {"wabaId": str(entry.id), "phoneNumberId": number, "contacts": report.contacts, "value": item}
    return (fact if _ID.fullmatch(number) else None) or UnhandledFact(key=key, name=name, data=data)


def _account_update(entry: Entry, change: Change) -> Fact:
    """Read what happened to the WABA. For partners the entry is their own business, and the WABA is inside.

    The meaning of a ban is one level deeper, and only there.
    """
    happened = words_at(change.value, "event")
    if happened == "DISABLED_UPDATE":
        state = member(change.value, "ban_info", "waba_ban_state")
        happened = words_at(state[0] if isinstance(state, list) and state else state)
    waba = text_at(change.value, "waba_info", "waba_id") or str(entry.id)
    key = key_of("account_update", waba, happened, entry.time or print_of(change.value))
    if _ID.fullmatch(waba) and happened in _LOST:
        return AccessLost(key=key, subject=waba, reason=_LOST[happened])
    if _ID.fullmatch(waba) and happened in _RESTORED:
        return AccessRestored(key=key, kind=Kind.WHATSAPP_CLOUD, account="", subject=waba)
    return _changed_health(entry, change, waba, happened) if happened in _RESTRICTED else _other(entry, change, key)


def _changed_health(entry: Entry, change: Change, waba: str, happened: str) -> Fact:
    key = key_of(change.field, waba, happened, print_of(change.value), entry.time)
    return HealthChanged(key=key, subject=waba) if _ID.fullmatch(waba) else _other(entry, change, key)


def _other(entry: Entry, change: Change, key: str) -> UnhandledFact:
    data = {"wabaId": str(entry.id), "time": entry.time, "value": change.value}
    return UnhandledFact(key=key, name=change.field or "unknown", data=data)


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """One message or status of a webhook, with its context. `now` is for those without a time."""

    number: str
    contacts: Any
    item: Any
    key: str
    now: datetime

    @property
    def id(self) -> str:
        return words_at(self.item, "id")

    @property
    def at(self) -> datetime:
        seconds = str(member(self.item, "timestamp"))
        return (moment(int(seconds)) if seconds.isdecimal() and len(seconds) <= len("9999999999") else None) or self.now

    @property
    def about(self) -> dict[str, Any]:
        return {"key": self.key, "kind": Kind.WHATSAPP_CLOUD, "account": self.number}


def status_of(report: Reported) -> Fact | None:
    status = _STATES.get(words_at(report.item, "status"))
    if status is None or not 0 < len(report.id) <= LONGEST_ID:
        return None
    return messages.MessageProgressed(
        **report.about,
        message_id=report.id,
        status=status,
        at=report.at,
        error=_why(report.item) if status is MessageStatus.FAILED else None,
        reference=words_at(report.item, "biz_opaque_callback_data") or None,
    )


def _why(item: Any) -> str:
    """Describe an error that is reported later with the same words as an immediate one."""
    error = next((convert(one, GraphError) for one in rows_at(item, "errors")), None) or GraphError()
    failure = TABLE.verdict(said_of(error, 400, {}), repeatable=True).failure
    return failure.explained


def message_of(report: Reported, *, echo: bool = False) -> Fact | None:
    """Read what a person wrote or did; with `echo` what the account's own people did on their phone."""
    item, kind = report.item, words_at(report.item, "type")
    person = _person(report, echo=echo)
    if person is None or member(item, "group_id") or not 0 < len(report.id) <= LONGEST_ID:
        return None
    if kind in _CHANGES:
        return _changed(report, kind, report.number if echo else person.id)
    if kind == "system":
        return _renamed(report, person)
    message = MessageItem(
        id=report.id,
        contact=person,
        at=report.at,
        outbound=echo,
        reply_to=words_at(item, "context", "id")[:LONGEST_ID] or None,
        reference=words_at(item, "biz_opaque_callback_data") or None,
        **_content(item, kind),
    )
    return None if kind == "request_welcome" else messages.MessageReported(**report.about, message=message)


def _changed(report: Reported, kind: str, by: str) -> Fact | None:
    part = member(report.item, kind)
    changed = words_at(part, "message_id" if kind == "reaction" else "original_message_id")
    new, emoji = member(part, "message"), words_at(part, "emoji") or None
    text = _content(new, words_at(new, "type"))["text"] if kind == "edit" else None
    what: dict[str, Any] = {"message_id": changed, "change": _CHANGES[kind], "text": text, "emoji": emoji}
    is_id = 0 < len(changed) <= LONGEST_ID
    return messages.MessageChanged(**report.about, **what, at=report.at, by=by) if is_id else None


def _renamed(report: Reported, before: Contact) -> Fact | None:
    now = contact(words_at(report.item, "system", "wa_id"), words_at(report.item, "system", "user_id"))
    if now is None:
        return None
    names = {before.id, *before.aliases, *now.aliases} - {now.id}
    return messages.ContactChanged(**report.about, contact=msgspec.structs.replace(now, aliases=tuple(sorted(names))))


def _person(report: Reported, *, echo: bool) -> Contact | None:
    """Find who it is. The list of contacts has names, and may be missing for echoes and in older webhooks."""
    side = "to" if echo else "from"
    wa_id, user = words_at(report.item, side), words_at(report.item, f"{side}_user_id")
    listed = rows_at({"contacts": report.contacts}, "contacts")
    named = [one for one in listed if {wa_id, user} & {member(one, "wa_id") or 0, member(one, "user_id") or 0}]
    one = next(iter(named or listed[: not echo and len(listed) == 1]), {})
    return contact(
        wa_id or words_at(one, "wa_id"),
        user or words_at(one, "user_id"),
        words_at(one, "parent_user_id") or words_at(report.item, f"{side}_parent_user_id"),
        name=words_at(one, "profile", "name") or None,
        username=words_at(one, "profile", "username") or None,
    )


def _content(item: Any, kind: str) -> dict[str, Any]:
    """Read the field of the type. Of an unknown type, everything is kept."""
    part = member(item, kind)
    referral = {"referral": item["referral"]} if member(item, "referral") else {}
    known: dict[str, Any] = {"type": MessageType.UNSUPPORTED, "text": words_at(part, "text")}
    data: Mapping[str, Any] = {"type": kind, kind: part, "errors": member(item, "errors")}
    match kind:
        case "text":
            known, data = {"type": MessageType.TEXT, "text": words_at(part, "body")}, {}
        case _ if kind in _FILES:
            files = tuple(_files(part, kind))
            known = {"type": MessageType(kind), "text": words_at(part, "caption"), "attachments": files}
            data = {"voice": member(part, "voice") or None}
        case "location":
            known, data = {"type": MessageType.LOCATION, "text": ""}, {name: member(part, name) for name in _PLACE}
        case "contacts":
            known, data = {"type": MessageType.CONTACTS}, {"contacts": [_card(one) for one in rows_at(item, kind)]}
        case "button":
            known["type"] = MessageType.INTERACTIVE
            data = _tapped({"id": words_at(part, "payload"), "title": known["text"]})
        case "interactive":
            reply = member(part, words_at(part, "type"))
            known = {"type": MessageType.INTERACTIVE, "text": words_at(reply, "title") or words_at(reply, "body")}
            data = _tapped(reply)
    return {"text": "", **known, "data": {name: one for name, one in data.items() if one is not None} | referral}


def _tapped(reply: Any) -> dict[str, Any]:
    """Describe what was tapped as on every platform, beside WhatsApp's own object."""
    return {"id": words_at(reply, "id") or None, "title": words_at(reply, "title") or None, "reply": reply}


def _files(part: Any, kind: str) -> Iterator[AttachmentItem]:
    """The id is used in the path of a URL: it must not contain anything else."""
    number = words_at(part, "id")
    if number.isascii() and number.isalnum():
        mime_type, name = words_at(part, "mime_type") or None, words_at(part, "filename") or None
        yield AttachmentItem(type=kind, source={"id": number}, mime_type=mime_type, file_name=name)


def _card(one: Any) -> dict[str, Any]:
    """Convert a contact card to the format in which cards are sent."""
    return {
        "name": words_at(one, "name", "formatted_name"),
        "phones": [words_at(row, "phone") for row in rows_at(one, "phones")],
        "emails": [words_at(row, "email") for row in rows_at(one, "emails")],
        "organization": words_at(one, "org", "company") or None,
    }
