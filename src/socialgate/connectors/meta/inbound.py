"""What Meta sends by itself: webhooks of Pages, Instagram accounts and permissions, and signed removals of the app."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from socialgate.connectors.dialects.graph import Node, instant, list_at, member, moment, text_at
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
from socialgate.connectors.meta.messages import HEART, MID, item_of
from socialgate.contracts.comments import CommentAuthor, CommentItem, CommentReceived
from socialgate.contracts.inbound import AccessLost, Fact, InboundRequest, UnhandledFact
from socialgate.contracts.messages import Contact, MessageChanged, MessageProgressed, MessageReported, MessageStatus
from socialgate.contracts.platforms import Kind, Platform

T = TypeVar("T")

# These happen once to an object; the others of a feed (edited, hide, …) can come again and again.
_ONCE = frozenset({"add", "remove"})
# Where comments are, by the object, the field and the item.
_COMMENTS = {
    ("page", "feed", "comment"): Kind.FACEBOOK_PAGE,
    ("instagram", "comments", ""): Kind.INSTAGRAM,
    ("instagram", "live_comments", ""): Kind.INSTAGRAM,
}
_CHANGES = {"add": "created", "edited": "edited", "remove": "deleted", "hide": "hidden", "unhide": "shown"}
_KINDS = {"page": Kind.FACEBOOK_PAGE, "instagram": Kind.INSTAGRAM}
_EVENTS = ("message", "postback", "message_edit", "reaction", "delivery", "read")
_PROGRESS = {"delivery": MessageStatus.DELIVERED, "read": MessageStatus.READ}
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


class _Author(msgspec.Struct, kw_only=True):
    id: str | int = ""
    name: str | None = None
    username: str | None = None
    # Instagram sends it with what the account itself wrote.
    self_ig_scoped_id: str | int | None = None


class _Comment(msgspec.Struct, kw_only=True):
    """A comment: on a Page with `comment_id` and `post_id`, on Instagram with `id` and `media`."""

    verb: str = "add"
    id: str | int = ""
    comment_id: str | int = ""
    post_id: str | int | None = None
    media: Node | None = None
    parent_id: str | int | None = None
    message: str = ""
    text: str = ""
    created_time: int | None = None
    author: _Author = msgspec.field(default_factory=_Author, name="from")


_NAMES = {
    "message": "messages",
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
        yield from _messaging(kind, entry, item)
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
    of_comments = _COMMENTS.get((kind, change.field, value.item))
    if of_comments and (fact := _comment(of_comments, entry, change)) is not None:
        return fact
    key = _own_id(change.field, entry, value)
    parts = (entry.id, change.field, *(key or (print_of(change.value), entry.time)))
    return _other(kind, entry, change.field, change.value, key_of(*parts))


def _comment(kind: Kind, entry: _Entry, change: _Change) -> Fact | None:
    """Read what happened to a comment; None where it names no comment or nothing that happens to one.

    A comment is written and removed once: when Meta sent the news of it may differ from one delivery to the next.
    """
    account, value = str(entry.id), convert(change.value, _Comment)
    comment = "" if value is None else str(value.comment_id or value.id)
    if value is None or value.verb not in _CHANGES or not (ID.fullmatch(account) and ID.fullmatch(comment)):
        return None
    time = value.created_time if value.verb in _ONCE else entry.time
    return CommentReceived(
        key=key_of(account, change.field, "comment", value.verb, comment, *([] if time is None else [time])),
        kind=kind,
        account=account,
        change=_CHANGES[value.verb],
        comment=_item(account, comment, value),
    )


def _item(account: str, comment: str, value: _Comment) -> CommentItem:
    there, author = value.verb != "remove", value.author
    post = value.media.id if value.media is not None else value.post_id
    parent = None if value.parent_id in {None, post} else str(value.parent_id)
    own = str(author.id) == account or author.self_ig_scoped_id is not None
    who = CommentAuthor(id=str(author.id) or None, name=author.name, username=author.username)
    return CommentItem(
        id=comment,
        object_id=None if post is None else str(post),
        text=value.message or value.text,
        author=None if who == CommentAuthor() else who,
        parent_id=parent,
        hidden=value.verb == "hide",
        created_at=moment(value.created_time),
        can_reply=there and parent is None,
        can_hide=there and not own,
        can_delete=there,
        own=own,
    )


def _own_id(field: str, entry: _Entry, value: _Value) -> tuple[Any, ...] | None:
    if field == "leadgen" and value.leadgen_id:
        return (value.leadgen_id,)
    if field == "mentions" and value.media_id:
        return (value.media_id, value.comment_id)
    # A reaction names the post that it is on: that is no id of its own.
    if field == "feed" and value.post_id and value.item != "reaction":
        often = () if value.verb in _ONCE else (entry.time,)
        return (value.item, value.verb, value.comment_id or value.post_id, *often)
    return None


def _messaging(kind: str, entry: _Entry, item: Any) -> Sequence[Fact]:
    if found := [*_message_facts(kind, str(entry.id), item, entry.time)]:
        return found
    members = item if isinstance(item, dict) else {}
    name = next((name for key, name in _NAMES.items() if members.get(key) is not None), "messaging")
    key = key_of(entry.id, name, text_at(item, "message", "mid") or print_of(item))
    return [_other(kind, entry, name, item, key)]


def _message_facts(kind: str, account: str, event: Any, sent: Any) -> Iterator[Fact]:
    """Read an event; nothing where it is about no message. `sent` is when Meta sent it: its time, if it has none."""
    name = next((name for name in _EVENTS if isinstance(event, dict) and isinstance(event.get(name), dict)), None)
    at, sender = instant(text_at(event, "timestamp")) or instant(sent), text_at(event, "sender", "id")
    own = sender == account or member(event, "message", "is_echo") is True
    contact = text_at(event, "recipient", "id") if own else sender
    known = kind in _KINDS and contact != account and ID.fullmatch(account) and ID.fullmatch(contact)
    if name is None or at is None or not known:
        return
    told = event[name]
    of: dict[str, Any] = {"kind": _KINDS[kind], "account": account}
    # Old taps on a button have no id.
    mid = text_at(told, "mid") or (key_of(account, contact, name, at.timestamp()) if name == "postback" else "")
    if name in _PROGRESS:
        yield from _progress(name, contact, told, {**of, "at": at, "status": _PROGRESS[name]})
    elif not MID.fullmatch(mid):
        return
    elif change := _edit(name, sender, told):
        key = key_of(account, name, mid, sender, at.timestamp(), *change.values())
        yield MessageChanged(key=key, message_id=mid, at=at, **change, **of)
    elif name in {"message", "postback"}:
        key = key_of(account, "message_echoes" if own else "messages", mid)
        message = item_of(mid, Contact(id=contact), at, told, outbound=own)
        yield MessageReported(key=key, message=message, **of)


def _progress(name: str, contact: str, told: Any, of: dict[str, Any]) -> Iterator[Fact]:
    """Some name messages, some a moment: whatever was sent up to then has come that far."""
    for mid in [text_at(told, "mid"), *map(text_at, list_at(told, "mids"))]:
        if MID.fullmatch(mid):
            yield MessageProgressed(key=key_of(of["account"], name, mid), message_id=mid, **of)
    if until := instant(text_at(told, "watermark")):
        key = key_of(of["account"], name, contact, until.timestamp())
        yield MessageProgressed(key=key, message_id=None, contact_id=contact, until=until, **of)


def _edit(name: str, sender: str, told: Any) -> dict[str, Any]:
    if name == "reaction":
        emoji = text_at(told, "emoji") or text_at(told, "reaction") or HEART
        return {"change": name, "by": sender, "emoji": None if told.get("action") == "unreact" else emoji}
    if name == "message_edit" and isinstance(told.get("text"), str):
        return {"change": "edited", "text": told["text"]}
    return {"change": "deleted"} if name == "message" and told.get("is_deleted") else {}


def _other(kind: str, entry: _Entry, name: str, value: Any, key: str) -> UnhandledFact:
    data = {"object": kind, "id": str(entry.id), "time": entry.time, "value": value}
    return UnhandledFact(key=key, name=name or "unknown", data=data)


def _decode(raw: bytes, shape: type[T]) -> T | None:
    try:
        return msgspec.json.decode(raw, type=shape, strict=False)
    except UNREADABLE:
        return None
