"""What Meta sends by itself: webhooks of Pages, Instagram accounts and permissions, and signed removals of the app."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from socialgate.connectors.graph.inbound import (
    ID,
    UNREADABLE,
    AppInbound,
    convert,
    key_of,
    print_of,
    removed,
    unread,
)
from socialgate.connectors.graph.signing import is_form, read_form
from socialgate.contracts.inbound import AccessLost, Fact, InboundRequest, UnhandledFact
from socialgate.contracts.platforms import Kind, Platform

T = TypeVar("T")

# These happen once to an object; the others of a feed (edited, hide, …) can come again and again.
_ONCE = frozenset({"add", "remove"})
_LOST = frozenset({"revoked", "disconnected", "removed"})
_REMOVED = "The person removed this app on Facebook."


class _Envelope(msgspec.Struct):
    object: str = ""
    entry: list[msgspec.Raw] = []


class _Change(msgspec.Struct):
    field: str = ""
    value: Any = None


class _Entry(msgspec.Struct, kw_only=True):
    id: str | int = ""
    time: int | float | str | None = None
    changes: list[_Change] = []
    messaging: list[Any] = []
    standby: list[Any] = []
    # The documents of Instagram show a change without its list around it.
    field: str = ""
    value: Any = None


class _Value(msgspec.Struct, kw_only=True):
    """The members of a change by which it can be told from others."""

    verb: str = ""
    item: str = ""
    id: str | int = ""
    leadgen_id: str | int = ""
    comment_id: str | int = ""
    post_id: str | int = ""
    media_id: str | int = ""
    target_ids: list[str | int] = []


class _Message(msgspec.Struct, kw_only=True):
    mid: str = ""
    is_echo: bool = False
    is_deleted: bool = False


class _Messaging(msgspec.Struct, kw_only=True):
    message: _Message | None = None
    postback: _Message | None = None
    message_edit: Any = None
    delivery: Any = None
    read: Any = None
    reaction: Any = None
    optin: Any = None
    referral: Any = None
    policy_enforcement: Any = None


_NAMES = {
    "postback": "messaging_postbacks",
    "message_edit": "message_edits",
    "delivery": "message_deliveries",
    "read": "message_reads",
    "reaction": "message_reactions",
    "optin": "messaging_optins",
    "referral": "messaging_referrals",
    "policy_enforcement": "messaging_policy_enforcement",
}


class MetaInbound(AppInbound):
    platform = Platform.META

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        body = request.body
        if is_form(body):
            removal = read_form(body)
            return [removed(removal, _REMOVED)] if removal is not None else [unread(body)]
        envelope = _decode(body, _Envelope)
        if envelope is None or not envelope.entry:
            return [unread(body)]
        return [fact for entry in envelope.entry for fact in _read(envelope.object, bytes(entry))]


def _read(kind: str, raw: bytes) -> Sequence[Fact]:
    """Read one entry; one that cannot be read takes no other with it."""
    try:
        return list(_facts(kind, raw))
    except UNREADABLE:
        return [unread(raw)]


def _facts(kind: str, raw: bytes) -> Iterator[Fact]:
    entry = _decode(raw, _Entry)
    if entry is None:
        yield unread(raw)
        return
    changes = [*entry.changes, *([_Change(entry.field, entry.value)] if entry.field else [])]
    if not changes and not entry.messaging and not entry.standby:
        yield unread(raw)
    for change in changes:
        yield _permission(entry, change) if kind == "permissions" else _change(kind, entry, change)
    for item in entry.messaging:
        yield _messaging(kind, entry, item)
    for item in entry.standby:
        yield _other(kind, entry, "standby", item, key_of(entry.id, "standby", print_of(item)))


def _permission(entry: _Entry, change: _Change) -> Fact:
    """Take the end of a permission as a sign that access is lost, for the named objects or for all of the person's.

    Meta does not say of which kind the objects are. Their ids are unique over all kinds.
    """
    value = convert(change.value, _Value) or _Value()
    key = key_of(entry.id, change.field, value.verb, entry.time, *value.target_ids)
    ids = [str(target) for target in value.target_ids]
    if value.verb not in _LOST or not all(ID.fullmatch(each) for each in (str(entry.id), *ids)):
        return _other("permissions", entry, change.field, change.value, key)
    return AccessLost(
        key=key,
        reason=_REMOVED if change.field == "connected" else "The person took a permission back on Facebook.",
        subject=str(entry.id),
        accounts=tuple(pair for each in ids for pair in _kinds_of(each)),
    )


def _kinds_of(target: str) -> Sequence[tuple[Kind, str]]:
    ads = f"act_{target.removeprefix('act_')}"
    return (Kind.FACEBOOK_PAGE, target), (Kind.INSTAGRAM, target), (Kind.META_ADS, ads)


def _change(kind: str, entry: _Entry, change: _Change) -> Fact:
    value = convert(change.value, _Value) or _Value()
    key = _own_id(change.field, entry, value)
    parts = (entry.id, change.field, *(key or (print_of(change.value), entry.time)))
    return _other(kind, entry, change.field, change.value, key_of(*parts))


def _own_id(field: str, entry: _Entry, value: _Value) -> tuple[Any, ...] | None:
    if field == "leadgen" and value.leadgen_id:
        return (value.leadgen_id,)
    if field in {"comments", "live_comments"} and value.id:
        return (value.id,)
    if field == "mentions" and value.media_id:
        return (value.media_id, value.comment_id)
    # A reaction names the post that it is on: that is no id of its own.
    if field == "feed" and value.post_id and value.item != "reaction":
        often = () if value.verb in _ONCE else (entry.time,)
        return (value.item, value.verb, value.comment_id or value.post_id, *often)
    return None


def _messaging(kind: str, entry: _Entry, item: Any) -> Fact:
    read = convert(item, _Messaging) or _Messaging()
    message = read.message or read.postback
    if read.message is not None:
        name = "message_echoes" if read.message.is_echo else "messages"
    else:
        name = next((name for member, name in _NAMES.items() if getattr(read, member) is not None), "messaging")
    if message is not None and message.mid:
        key = key_of(entry.id, name, message.mid, *(["deleted"] if message.is_deleted else []))
    else:
        key = key_of(entry.id, name, print_of(item))
    return _other(kind, entry, name, item, key)


def _other(kind: str, entry: _Entry, name: str, value: Any, key: str) -> UnhandledFact:
    data = {"object": kind, "id": str(entry.id), "time": entry.time, "value": value}
    return UnhandledFact(key=key, name=name or "unknown", data=data)


def _decode(raw: bytes, shape: type[T]) -> T | None:
    try:
        return msgspec.json.decode(raw, type=shape, strict=False)
    except UNREADABLE:
        return None
