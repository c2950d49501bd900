"""What WhatsApp sends by itself: messages, statuses, and what happens to a WhatsApp Business Account."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.graph.inbound import UNREADABLE, convert, greet, judge, key_of, print_of, unread
from socialgate.connectors.whatsapp_cloud.incoming import Reported, message_of, status_of
from socialgate.contracts.inbound import AccessLost, AccessRestored, Fact, InboundRequest, Reply, UnhandledFact
from socialgate.contracts.platforms import Kind
from socialgate.core.clock import Clock

_ID = re.compile(r"[0-9]{1,50}")
_LOST = {
    "PARTNER_REMOVED": "The WhatsApp Business Account was taken away from this app.",
    "PARTNER_APP_UNINSTALLED": "The app was removed from the WhatsApp Business Account.",
    "ACCOUNT_DELETED": "The WhatsApp Business Account was deleted.",
    "ACCOUNT_OFFBOARDED": "The number was taken off the Cloud API, after a change of phone or a new registration.",
    "DISABLE": "WhatsApp has disabled the WhatsApp Business Account.",
}
_RESTORED = frozenset({"ACCOUNT_RECONNECTED", "PARTNER_ADDED", "REINSTATE"})


class _Envelope(msgspec.Struct):
    entry: list[msgspec.Raw] = []


class _Change(msgspec.Struct):
    field: str = ""
    value: Any = None


class _Entry(msgspec.Struct, kw_only=True):
    id: str | int = ""
    time: int | float | str | None = None
    changes: list[_Change] = []


class _Metadata(msgspec.Struct):
    phone_number_id: str | int = ""


class _Value(msgspec.Struct, kw_only=True):
    metadata: _Metadata | None = None
    contacts: Any = None
    messages: list[Any] = []
    statuses: list[Any] = []
    message_echoes: list[Any] = []


class _Item(msgspec.Struct, kw_only=True):
    id: str = ""
    status: str = ""
    recipient_id: str | int = ""


class _Ban(msgspec.Struct):
    waba_ban_state: str | list[str] = ""


class _Waba(msgspec.Struct):
    waba_id: str | int = ""


class _AccountUpdate(msgspec.Struct, kw_only=True):
    event: str = ""
    ban_info: _Ban | None = None
    waba_info: _Waba | None = None

    @property
    def happened(self) -> str:
        """What a change of a ban means stands one level deeper, and there alone."""
        if self.event != "DISABLED_UPDATE":
            return self.event
        state = self.ban_info.waba_ban_state if self.ban_info is not None else ""
        return state if isinstance(state, str) else next(iter(state), "")


class WhatsAppInbound:
    """The clock is for what has no time that can be read."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        if request.method == "GET":
            return greet(request.query, secrets)
        return judge(request, secrets)

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        try:
            entries = msgspec.json.decode(request.body, type=_Envelope).entry
        except UNREADABLE:
            entries = []
        facts = [fact for entry in entries for fact in _read(bytes(entry), self._clock.now())]
        return facts or [unread(request.body)]


def _read(raw: bytes, now: datetime) -> Sequence[Fact]:
    """Read one entry; one that cannot be read takes no other with it."""
    try:
        entry = msgspec.json.decode(raw, type=_Entry)
        return [fact for change in entry.changes for fact in _facts(entry, change, now)] or [unread(raw)]
    except UNREADABLE:
        return [unread(raw)]


def _facts(entry: _Entry, change: _Change, now: datetime) -> Iterator[Fact]:
    if change.field == "account_update":
        yield _account_update(entry, change)
        return
    value = convert(change.value, _Value) or _Value()
    items = [
        *(("messages", item) for item in value.messages),
        *(("statuses", item) for item in value.statuses),
        *(("message_echoes", item) for item in value.message_echoes),
    ]
    for name, item in items:
        yield _item(entry, value, name, item, now)
    if not items:
        yield _other(entry, change, key_of(change.field, entry.id, print_of(change.value), entry.time))


def _item(entry: _Entry, value: _Value, name: str, item: Any, now: datetime) -> Fact:
    """One message or status. A status comes again for every state, and in a group for every person."""
    read = convert(item, _Item) or _Item()
    number = str(value.metadata.phone_number_id) if value.metadata is not None else ""
    unique = (read.id, read.status, read.recipient_id) if name == "statuses" else (read.id,)
    key = key_of(name, number, *(unique if read.id else (print_of(item),)))
    told = Reported(number=number, contacts=value.contacts, item=item, key=key, now=now)
    fact = status_of(told) if name == "statuses" else message_of(told, echo=name == "message_echoes")
    data = {"wabaId": str(entry.id), "phoneNumberId": number, "contacts": value.contacts, "value": item}
    return (fact if _ID.fullmatch(number) else None) or UnhandledFact(key=key, name=name, data=data)


def _account_update(entry: _Entry, change: _Change) -> Fact:
    """Read what happened to the WABA. For partners the entry is their own business, and the WABA stands inside."""
    update = convert(change.value, _AccountUpdate) or _AccountUpdate()
    named = update.waba_info.waba_id if update.waba_info is not None else ""
    waba = str(named or entry.id)
    key = key_of("account_update", waba, update.happened, entry.time or print_of(change.value))
    if _ID.fullmatch(waba) and update.happened in _LOST:
        return AccessLost(key=key, subject=waba, reason=_LOST[update.happened])
    if _ID.fullmatch(waba) and update.happened in _RESTORED:
        return AccessRestored(key=key, kind=Kind.WHATSAPP_CLOUD, account="", subject=waba)
    return _other(entry, change, key)


def _other(entry: _Entry, change: _Change, key: str) -> UnhandledFact:
    data = {"wabaId": str(entry.id), "time": entry.time, "value": change.value}
    return UnhandledFact(key=key, name=change.field or "unknown", data=data)
