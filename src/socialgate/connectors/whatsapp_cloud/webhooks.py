"""Webhooks from WhatsApp: messages, statuses, and changes of a WhatsApp Business Account.

They are parsed as far as possible: only a message without an author is ignored.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.graph.dialect import GraphError, build_vendor_error, parse_timestamp
from socialgate.connectors.graph.webhooks import (
    WebhookChange,
    WebhookEntry,
    answer_verification,
    build_dedup_key,
    convert_or_none,
    fingerprint,
    parse_entries,
    verify_request,
)
from socialgate.connectors.json_paths import get_list, get_objects, get_path, get_text, get_text_or_number
from socialgate.connectors.webhook_helpers import compute_sha256, encode_header, verify_off_loop
from socialgate.connectors.whatsapp_cloud.api import MAX_ID_LENGTH, build_contact
from socialgate.connectors.whatsapp_cloud.errors import ERROR_TABLE
from socialgate.contracts import messages
from socialgate.contracts.messages import AttachmentItem, Contact, MessageItem, MessageStatus, MessageType
from socialgate.contracts.platforms import Kind
from socialgate.contracts.webhooks import (
    AccessLost,
    AccessRestored,
    HealthChanged,
    PlatformFact,
    UnhandledFact,
    WebhookRequest,
    WebhookResponse,
)
from socialgate.core.clock import Clock

_ID_PATTERN = re.compile(r"[0-9]{1,50}")
_ACCESS_LOST_REASONS = {
    "PARTNER_REMOVED": "This app lost access to the WhatsApp Business Account.",
    "PARTNER_APP_UNINSTALLED": "The app was removed from the WhatsApp Business Account.",
    "ACCOUNT_DELETED": "The WhatsApp Business Account was deleted.",
    "ACCOUNT_OFFBOARDED": "The number was removed from the Cloud API, after a change of phone or a new registration.",
    "DISABLE": "WhatsApp has disabled the WhatsApp Business Account.",
}
_ACCESS_RESTORED_EVENTS = frozenset({"ACCOUNT_RECONNECTED", "PARTNER_ADDED", "REINSTATE"})
# Warnings and limits of an account or of one of its numbers. Which of them work is visible in their health.
_RESTRICTION_EVENTS = frozenset({"ACCOUNT_RESTRICTION", "ACCOUNT_VIOLATION", "SCHEDULE_FOR_DISABLE"})
# "played" is a voice message that was listened to.
_STATUSES_BY_NAME = {name: MessageStatus(name) for name in ("sent", "delivered", "read", "failed")} | {
    "played": MessageStatus.READ
}
_FILE_TYPES = frozenset({"image", "video", "audio", "document", "sticker"})
_LOCATION_FIELDS = ("latitude", "longitude", "name", "address", "url")
_CHANGES_BY_TYPE = {"reaction": "reaction", "edit": "edited", "revoke": "deleted"}


class WhatsAppWebhookReceiver:
    """The clock is for what has no readable time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def receive(self, request: WebhookRequest, secrets: Sequence[str]) -> WebhookResponse:
        if request.method == "GET":
            return answer_verification(request.query, secrets)
        return await verify_off_loop(verify_request, len(request.body), request, secrets)

    def parse(self, request: WebhookRequest) -> Sequence[PlatformFact]:
        return parse_entries(request.body, self._parse_facts)

    def _parse_facts(self, about: str, entry: WebhookEntry) -> Iterator[PlatformFact]:
        del about
        lists, now = ("messages", "statuses", "message_echoes"), self._clock.now()
        for change in entry.changes:
            items = [(name, item) for name in lists for item in get_list(change.value, name)]
            people = _ContactList(get_path(change.value, "contacts"))
            if change.field == "account_update":
                yield _parse_account_update(entry, change)
            elif change.field == "phone_number_quality_update":
                yield _build_health_fact(entry, change, str(entry.id), get_text(change.value, "event"))
            elif items:
                yield from (_parse_item(entry, change.value, people, name, item, now) for name, item in items)
            else:
                yield _build_unhandled_fact(
                    entry, change, build_dedup_key(change.field, entry.id, fingerprint(change.value), entry.time)
                )


class _ContactList:
    """The people whom a webhook names, found by their ids without going through all of them for each message."""

    def __init__(self, contacts: Any) -> None:
        self._items = get_objects({"contacts": contacts}, "contacts")
        self._places: dict[str, int] = {}
        for place, item in enumerate(self._items):
            for name in ("wa_id", "user_id"):
                self._places.setdefault(get_text(item, name), place)

    def find(self, *ids: str, or_only: bool) -> dict[str, Any]:
        """Find the first who has one of the ids, otherwise the only one. Nobody is an empty object."""
        places = [self._places[contact_id] for contact_id in ids if contact_id and contact_id in self._places]
        if places:
            return self._items[min(places)]
        return self._items[0] if or_only and len(self._items) == 1 else {}


def _parse_item(
    entry: WebhookEntry, value: Any, people: _ContactList, name: str, item: Any, now: datetime
) -> PlatformFact:
    """One message or status. A status is repeated for every state, and in a group for every person.

    The key is kept for weeks. It is hashed, because WhatsApp's ids contain the number of the person.
    """
    own_id, number = get_text(item, "id"), get_text_or_number(value, "metadata", "phone_number_id")
    more = (get_text(item, "status"), get_text_or_number(item, "recipient_id")) if name == "statuses" else ()
    key = build_dedup_key(
        name, number, compute_sha256(encode_header(" ".join((own_id, *more)))) if own_id else fingerprint(item)
    )
    report = WebhookItem(number=number, people=people, item=item, key=key, now=now)
    fact = parse_status(report) if name == "statuses" else parse_message(report, echo=name == "message_echoes")
    data = {"wabaId": str(entry.id), "phoneNumberId": number, "value": item}
    return (fact if _ID_PATTERN.fullmatch(number) else None) or UnhandledFact(dedup_key=key, name=name, data=data)


def _parse_account_update(entry: WebhookEntry, change: WebhookChange) -> PlatformFact:
    """Read what happened to the WABA. For partners the entry is their own business, and the WABA is inside.

    The meaning of a ban is one level deeper, and only there.
    """
    happened = get_text(change.value, "event")
    if happened == "DISABLED_UPDATE":
        state = get_path(change.value, "ban_info", "waba_ban_state")
        happened = get_text(state[0] if isinstance(state, list) and state else state)
    waba = get_text_or_number(change.value, "waba_info", "waba_id") or str(entry.id)
    key = build_dedup_key("account_update", waba, happened, entry.time or fingerprint(change.value))
    if _ID_PATTERN.fullmatch(waba) and happened in _ACCESS_LOST_REASONS:
        return AccessLost(dedup_key=key, subject=waba, reason=_ACCESS_LOST_REASONS[happened])
    if _ID_PATTERN.fullmatch(waba) and happened in _ACCESS_RESTORED_EVENTS:
        return AccessRestored(dedup_key=key, kind=Kind.WHATSAPP_CLOUD, platform_account_id="", subject=waba)
    return (
        _build_health_fact(entry, change, waba, happened)
        if happened in _RESTRICTION_EVENTS
        else _build_unhandled_fact(entry, change, key)
    )


def _build_health_fact(entry: WebhookEntry, change: WebhookChange, waba: str, happened: str) -> PlatformFact:
    key = build_dedup_key(change.field, waba, happened, fingerprint(change.value), entry.time)
    return (
        HealthChanged(dedup_key=key, subject=waba)
        if _ID_PATTERN.fullmatch(waba)
        else _build_unhandled_fact(entry, change, key)
    )


def _build_unhandled_fact(entry: WebhookEntry, change: WebhookChange, key: str) -> UnhandledFact:
    data = {"wabaId": str(entry.id), "time": entry.time, "value": change.value}
    return UnhandledFact(dedup_key=key, name=change.field or "unknown", data=data)


class WebhookItem(msgspec.Struct, frozen=True, kw_only=True):
    """One message or status of a webhook, with its context. `now` is for those without a time."""

    number: str
    people: _ContactList
    item: Any
    key: str
    now: datetime

    @property
    def id(self) -> str:
        return get_text(self.item, "id")

    @property
    def occurred_at(self) -> datetime:
        seconds = str(get_path(self.item, "timestamp"))
        return (
            parse_timestamp(int(seconds)) if seconds.isdecimal() and len(seconds) <= len("9999999999") else None
        ) or self.now

    @property
    def fact_fields(self) -> dict[str, Any]:
        return {"dedup_key": self.key, "kind": Kind.WHATSAPP_CLOUD, "account": self.number}


def parse_status(report: WebhookItem) -> PlatformFact | None:
    status = _STATUSES_BY_NAME.get(get_text(report.item, "status"))
    if status is None or not 0 < len(report.id) <= MAX_ID_LENGTH:
        return None
    return messages.MessageProgressed(
        **report.fact_fields,
        message_id=report.id,
        status=status,
        sent_at=report.occurred_at,
        error=_describe_error(report.item) if status is MessageStatus.FAILED else None,
        reference=get_text(report.item, "biz_opaque_callback_data") or None,
    )


def _describe_error(item: Any) -> str:
    """Describe an error that is reported later with the same words as an immediate one."""
    error = next((convert_or_none(item, GraphError) for item in get_objects(item, "errors")), None) or GraphError()
    failure = ERROR_TABLE.translate(build_vendor_error(error, 400, {}), repeatable=True).failure
    return failure.detail_with_vendor_message


def parse_message(report: WebhookItem, *, echo: bool = False) -> PlatformFact | None:
    """Read what a person wrote or did; with `echo` what the account's own people did on their phone."""
    item, kind = report.item, get_text(report.item, "type")
    person = _parse_contact(report, echo=echo)
    if person is None or get_path(item, "group_id") or not 0 < len(report.id) <= MAX_ID_LENGTH:
        return None
    if kind in _CHANGES_BY_TYPE:
        return _parse_message_change(report, kind, report.number if echo else person.id)
    if kind == "system":
        return _parse_contact_change(report, person)
    message = MessageItem(
        id=report.id,
        contact=person,
        sent_at=report.occurred_at,
        outbound=echo,
        reply_to=get_text(item, "context", "id")[:MAX_ID_LENGTH] or None,
        reference=get_text(item, "biz_opaque_callback_data") or None,
        **_parse_content(item, kind),
    )
    return None if kind == "request_welcome" else messages.MessageReported(**report.fact_fields, message=message)


def _parse_message_change(report: WebhookItem, kind: str, by: str) -> PlatformFact | None:
    part = get_path(report.item, kind)
    changed = get_text(part, "message_id" if kind == "reaction" else "original_message_id")
    new, emoji = get_path(part, "message"), get_text(part, "emoji") or None
    text = _parse_content(new, get_text(new, "type"))["text"] if kind == "edit" else None
    values: dict[str, Any] = {"message_id": changed, "change": _CHANGES_BY_TYPE[kind], "text": text, "emoji": emoji}
    is_id = 0 < len(changed) <= MAX_ID_LENGTH
    return (
        messages.MessageChanged(**report.fact_fields, **values, sent_at=report.occurred_at, reacted_by=by)
        if is_id
        else None
    )


def _parse_contact_change(report: WebhookItem, before: Contact) -> PlatformFact | None:
    now = build_contact(get_text(report.item, "system", "wa_id"), get_text(report.item, "system", "user_id"))
    if now is None:
        return None
    names = {before.id, *before.aliases, *now.aliases} - {now.id}
    return messages.ContactChanged(
        **report.fact_fields, contact=msgspec.structs.replace(now, aliases=tuple(sorted(names)))
    )


def _parse_contact(report: WebhookItem, *, echo: bool) -> Contact | None:
    """Find who it is. The list of contacts has names, and may be missing for echoes and in older webhooks."""
    side = "to" if echo else "from"
    wa_id, user = get_text(report.item, side), get_text(report.item, f"{side}_user_id")
    item = report.people.find(wa_id, user, or_only=not echo)
    return build_contact(
        wa_id or get_text(item, "wa_id"),
        user or get_text(item, "user_id"),
        get_text(item, "parent_user_id") or get_text(report.item, f"{side}_parent_user_id"),
        name=get_text(item, "profile", "name") or None,
        username=get_text(item, "profile", "username") or None,
    )


def _parse_content(item: Any, kind: str) -> dict[str, Any]:
    """Read the field of the type. Of an unknown type, everything is kept."""
    part = get_path(item, kind)
    referral = {"referral": item["referral"]} if get_path(item, "referral") else {}
    known: dict[str, Any] = {"type": MessageType.UNSUPPORTED, "text": get_text(part, "text")}
    data: Mapping[str, Any] = {"type": kind, kind: part, "errors": get_path(item, "errors")}
    match kind:
        case "text":
            known, data = {"type": MessageType.TEXT, "text": get_text(part, "body")}, {}
        case _ if kind in _FILE_TYPES:
            files = tuple(_parse_attachments(part, kind))
            known = {"type": MessageType(kind), "text": get_text(part, "caption"), "attachments": files}
            data = {"voice": get_path(part, "voice") or None}
        case "location":
            known, data = (
                {"type": MessageType.LOCATION, "text": ""},
                {name: get_path(part, name) for name in _LOCATION_FIELDS},
            )
        case "contacts":
            known, data = (
                {"type": MessageType.CONTACTS},
                {"contacts": [_parse_contact_card(item) for item in get_objects(item, kind)]},
            )
        case "button":
            known["type"] = MessageType.INTERACTIVE
            data = _build_tap_data({"id": get_text(part, "payload"), "title": known["text"]})
        case "interactive":
            reply = get_path(part, get_text(part, "type"))
            known = {"type": MessageType.INTERACTIVE, "text": get_text(reply, "title") or get_text(reply, "body")}
            data = _build_tap_data(reply)
    return {"text": "", **known, "data": {name: item for name, item in data.items() if item is not None} | referral}


def _build_tap_data(reply: Any) -> dict[str, Any]:
    """Describe what was tapped as on every platform, beside WhatsApp's own object."""
    return {"id": get_text(reply, "id") or None, "title": get_text(reply, "title") or None, "reply": reply}


def _parse_attachments(part: Any, kind: str) -> Iterator[AttachmentItem]:
    """The id is used in the path of a URL: it must not contain anything else."""
    number = get_text(part, "id")
    if number.isascii() and number.isalnum():
        mime_type, name = get_text(part, "mime_type") or None, get_text(part, "filename") or None
        yield AttachmentItem(type=kind, source={"id": number}, mime_type=mime_type, file_name=name)


def _parse_contact_card(item: Any) -> dict[str, Any]:
    """Convert a contact card to the format in which cards are sent."""
    return {
        "name": get_text(item, "name", "formatted_name"),
        "phones": [get_text(row, "phone") for row in get_objects(item, "phones")],
        "emails": [get_text(row, "email") for row in get_objects(item, "emails")],
        "organization": get_text(item, "org", "company") or None,
    }
