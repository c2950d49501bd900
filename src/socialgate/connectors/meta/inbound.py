"""Webhooks from Meta: Pages, Instagram accounts and permissions, and signed removals of the app."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from socialgate.connectors.graph.inbound import ID, AppInbound, Change, Entry, key_of, print_of, walk
from socialgate.connectors.json_paths import list_at, member, text_at
from socialgate.connectors.meta.messages import HEART, MID, item_of
from socialgate.connectors.receiving import moment
from socialgate.contracts.comments import Comment, CommentAuthor, CommentReceived
from socialgate.contracts.inbound import AccessLost, Fact, UnhandledFact
from socialgate.contracts.leads import LeadReported
from socialgate.contracts.messages import Contact, MessageChanged, MessageProgressed, MessageReported, MessageStatus
from socialgate.contracts.platforms import Kind, Platform

# These happen once to an object; the others of a feed (edited, hide, …) can happen again and again.
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
    removed = _REMOVED

    def _facts(self, body: bytes) -> Sequence[Fact]:
        return walk(body, _facts)


def _facts(kind: str, entry: Entry) -> Iterator[Fact]:
    for change in [*entry.changes, *([Change(entry.field, entry.value)] if entry.field else [])]:
        yield _permission(entry, change) if kind == "permissions" else _change(kind, entry, change)
    for item in entry.messaging:
        yield from _messaging(kind, entry, item)
    for item in entry.standby:
        yield _other(kind, entry, "standby", item, key_of(entry.id, "standby", print_of(item)))


def _permission(entry: Entry, change: Change) -> Fact:
    """Treat the end of a permission as a sign that access is lost, for the named objects or for all of the person's.

    Meta does not say which kind the objects are. Their ids are unique across all kinds.
    """
    verb, ids = text_at(change.value, "verb"), [text_at(each) for each in list_at(change.value, "target_ids")]
    key = key_of(entry.id, change.field, verb, entry.time, *ids)
    if verb not in _LOST or not all(ID.fullmatch(each) for each in (str(entry.id), *ids)):
        return _other("permissions", entry, change.field, change.value, key)
    return AccessLost(
        key=key,
        reason=_REMOVED if change.field == "connected" else "The person revoked a permission on Facebook.",
        subject=str(entry.id),
        accounts=tuple(pair for each in ids for pair in _kinds_of(each)),
    )


def _kinds_of(target: str) -> Sequence[tuple[Kind, str]]:
    ads = f"act_{target.removeprefix('act_')}"
    return (Kind.FACEBOOK_PAGE, target), (Kind.INSTAGRAM, target), (Kind.META_ADS, ads)


def _change(kind: str, entry: Entry, change: Change) -> Fact:
    of_comments = _COMMENTS.get((kind, change.field, text_at(change.value, "item")))
    if of_comments and (fact := _comment(of_comments, entry, change)) is not None:
        return fact
    lead_id = text_at(change.value, "leadgen_id")
    if (kind, change.field) == ("page", "leadgen") and ID.fullmatch(lead_id) and ID.fullmatch(str(entry.id)):
        named = key_of(entry.id, change.field, lead_id)
        return LeadReported(key=named, kind=Kind.FACEBOOK_PAGE, account=str(entry.id), lead_id=lead_id)
    key = _own_id(change, entry)
    parts = (entry.id, change.field, *(key or (print_of(change.value), entry.time)))
    return _other(kind, entry, change.field, change.value, key_of(*parts))


def _comment(kind: Kind, entry: Entry, change: Change) -> Fact | None:
    """Read what happened to a comment; None if it names no comment or an unknown action.

    On a Page it has `comment_id` and `post_id`, on Instagram `id` and `media`. A comment is written and removed once:
    the time at which Meta reports it may differ from one delivery to the next.
    """
    account, value, verb = str(entry.id), change.value, text_at(change.value, "verb") or "add"
    comment = text_at(value, "comment_id") or text_at(value, "id")
    said = member(value, "message") or member(value, "text") or ""
    if verb not in _CHANGES or not isinstance(said, str) or not (ID.fullmatch(account) and ID.fullmatch(comment)):
        return None
    time = text_at(value, "created_time") if verb in _ONCE else entry.time
    return CommentReceived(
        key=key_of(account, change.field, "comment", verb, comment, *([time] if time else [])),
        kind=kind,
        account=account,
        change=_CHANGES[verb],
        comment=_item(account, comment, verb, said, value, moment(entry.time) if verb == "add" else None),
    )


def _item(account: str, comment: str, verb: str, said: str, value: Any, reported_at: datetime | None) -> Comment:
    """Read a comment. Instagram does not say when it was written, only when it reports it."""
    author, name, username = (text_at(value, "from", about) or None for about in ("id", "name", "username"))
    post = text_at(value, "media", "id") or text_at(value, "post_id")
    parent = text_at(value, "parent_id")
    # Instagram sends the other id with what the account itself wrote.
    own = author == account or member(value, "from", "self_ig_scoped_id") is not None
    who = CommentAuthor(id=author, name=name, username=username)
    there, top = verb != "remove", parent in {"", post}
    return Comment(
        id=comment,
        object_id=post or None,
        text=said,
        author=None if who == CommentAuthor() else who,
        parent_id=None if top else parent,
        hidden=verb == "hide",
        created_at=moment(text_at(value, "created_time")) or reported_at,
        can_reply=there and top,
        can_hide=there and not own,
        can_delete=there,
        own=own,
    )


def _own_id(change: Change, entry: Entry) -> tuple[Any, ...] | None:
    """Find what distinguishes a change from others."""
    names = ("media_id", "comment_id", "post_id", "item", "verb")
    media, comment, post, item, verb = (text_at(change.value, name) for name in names)
    if change.field == "mentions" and media:
        return (media, comment)
    # A reaction names the post that it is on: that is not its own id.
    if change.field == "feed" and post and item != "reaction":
        return (item, verb, comment or post, *(() if verb in _ONCE else (entry.time,)))
    return None


def _messaging(kind: str, entry: Entry, item: Any) -> Sequence[Fact]:
    if found := [*_message_facts(kind, str(entry.id), item, entry.time)]:
        return found
    members = item if isinstance(item, dict) else {}
    name = next((name for key, name in _NAMES.items() if members.get(key) is not None), "messaging")
    key = key_of(entry.id, name, text_at(item, "message", "mid") or print_of(item))
    return [_other(kind, entry, name, item, key)]


def _message_facts(kind: str, account: str, event: Any, sent: Any) -> Iterator[Fact]:
    """Read an event; nothing if it is not about a message. `sent` is when Meta sent it: its time, if it has none."""
    name = next((name for name in _EVENTS if isinstance(event, dict) and isinstance(event.get(name), dict)), None)
    at, sender = moment(text_at(event, "timestamp")) or moment(sent), text_at(event, "sender", "id")
    own = sender == account or member(event, "message", "is_echo") is True
    contact = text_at(event, "recipient", "id") if own else sender
    known = kind in _KINDS and contact != account and ID.fullmatch(account) and ID.fullmatch(contact)
    if name is None or at is None or not known:
        return
    raw = event[name]
    of: dict[str, Any] = {"kind": _KINDS[kind], "account": account}
    # Old taps on a button have no id, and some have that of the message with the button.
    tap = key_of(account, contact, name, at.timestamp()) if name == "postback" else ""
    mid = text_at(raw, "mid") or tap
    if name in _PROGRESS:
        yield from _progress(name, contact, raw, {**of, "at": at, "status": _PROGRESS[name]})
    elif not MID.fullmatch(mid):
        return
    elif change := _edit(name, sender, raw):
        key = key_of(account, name, mid, sender, at.timestamp(), *change.values())
        yield MessageChanged(key=key, message_id=mid, at=at, **change, **of)
    elif name in {"message", "postback"}:
        key = key_of(account, "message_echoes" if own else "messages", mid, *([tap] if tap else []))
        message = item_of(mid, Contact(id=contact, has_profile=not own), at, raw, outbound=own)
        yield MessageReported(key=key, message=replace(message, tap_id=tap or None), **of)


def _progress(name: str, contact: str, raw: Any, of: dict[str, Any]) -> Iterator[Fact]:
    """Some name messages, some a time: everything sent until then has that status."""
    for mid in [text_at(raw, "mid"), *map(text_at, list_at(raw, "mids"))]:
        if MID.fullmatch(mid):
            yield MessageProgressed(key=key_of(of["account"], name, mid), message_id=mid, **of)
    if until := moment(text_at(raw, "watermark")):
        key = key_of(of["account"], name, contact, until.timestamp())
        yield MessageProgressed(key=key, message_id=None, contact_id=contact, until=until, **of)


def _edit(name: str, sender: str, raw: Any) -> dict[str, Any]:
    if name == "reaction":
        emoji = text_at(raw, "emoji") or text_at(raw, "reaction") or HEART
        return {"change": name, "by": sender, "emoji": None if raw.get("action") == "unreact" else emoji}
    if name == "message_edit" and isinstance(raw.get("text"), str):
        return {"change": "edited", "text": raw["text"]}
    return {"change": "deleted"} if name == "message" and raw.get("is_deleted") else {}


def _other(kind: str, entry: Entry, name: str, value: Any, key: str) -> UnhandledFact:
    data = {"object": kind, "id": str(entry.id), "time": entry.time, "value": value}
    return UnhandledFact(key=key, name=name or "unknown", data=data)
