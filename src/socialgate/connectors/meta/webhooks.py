"""Webhooks from Meta: Pages, Instagram accounts and permissions, and signed removals of the app."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from socialgate.connectors.graph.webhooks import (
    ID_PATTERN,
    AppWebhookReceiver,
    WebhookChange,
    WebhookEntry,
    build_dedup_key,
    fingerprint,
    parse_entries,
)
from socialgate.connectors.json_paths import get_list, get_path, get_text_or_number
from socialgate.connectors.meta.messages import HEART_EMOJI, MESSAGE_ID_PATTERN, parse_message
from socialgate.connectors.webhook_helpers import parse_unix_time
from socialgate.contracts.comments import Comment, CommentAuthor, CommentReceived
from socialgate.contracts.leads import LeadReported
from socialgate.contracts.messages import Contact, MessageChanged, MessageProgressed, MessageReported, MessageStatus
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.webhooks import AccessLost, PlatformFact, UnhandledFact

# These happen once to an object; the others of a feed (edited, hide, …) can happen again and again.
_ONE_TIME_VERBS = frozenset({"add", "remove"})
# Where comments are, by the object, the field and the item.
_COMMENT_SOURCES = {
    ("page", "feed", "comment"): Kind.FACEBOOK_PAGE,
    ("instagram", "comments", ""): Kind.INSTAGRAM,
    ("instagram", "live_comments", ""): Kind.INSTAGRAM,
}
_CHANGES_BY_VERB = {"add": "created", "edited": "edited", "remove": "deleted", "hide": "hidden", "unhide": "shown"}
_KINDS_BY_OBJECT = {"page": Kind.FACEBOOK_PAGE, "instagram": Kind.INSTAGRAM}
_MESSAGE_EVENT_FIELDS = ("message", "postback", "message_edit", "reaction", "delivery", "read")
_STATUSES_BY_EVENT = {"delivery": MessageStatus.DELIVERED, "read": MessageStatus.READ}
_ACCESS_LOST_VERBS = frozenset({"revoked", "disconnected", "removed"})
_APP_REMOVED_REASON = "The person removed this app on Facebook."


_WEBHOOK_FIELDS_BY_MEMBER = {
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


class MetaWebhookReceiver(AppWebhookReceiver):
    platform = Platform.META
    app_removed_reason = _APP_REMOVED_REASON

    def _parse_facts(self, body: bytes) -> Sequence[PlatformFact]:
        return parse_entries(body, _parse_entry)


def _parse_entry(kind: str, entry: WebhookEntry) -> Iterator[PlatformFact]:
    for change in [*entry.changes, *([WebhookChange(entry.field, entry.value)] if entry.field else [])]:
        yield _parse_permission_change(entry, change) if kind == "permissions" else _parse_change(kind, entry, change)
    for item in entry.messaging:
        yield from _parse_messaging_event(kind, entry, item)
    for item in entry.standby:
        yield _build_unhandled_fact(
            kind, entry, "standby", item, build_dedup_key(entry.id, "standby", fingerprint(item))
        )


def _parse_permission_change(entry: WebhookEntry, change: WebhookChange) -> PlatformFact:
    """Treat the end of a permission as a sign that access is lost, for the named objects or for all of the person's.

    Meta does not say which kind the objects are. Their ids are unique across all kinds.
    """
    verb, ids = (
        get_text_or_number(change.value, "verb"),
        [get_text_or_number(each) for each in get_list(change.value, "target_ids")],
    )
    key = build_dedup_key(entry.id, change.field, verb, entry.time, *ids)
    if verb not in _ACCESS_LOST_VERBS or not all(ID_PATTERN.fullmatch(each) for each in (str(entry.id), *ids)):
        return _build_unhandled_fact("permissions", entry, change.field, change.value, key)
    return AccessLost(
        dedup_key=key,
        reason=_APP_REMOVED_REASON if change.field == "connected" else "The person revoked a permission on Facebook.",
        subject=str(entry.id),
        accounts=tuple(pair for each in ids for pair in _list_possible_accounts(each)),
    )


def _list_possible_accounts(target: str) -> Sequence[tuple[Kind, str]]:
    ads = f"act_{target.removeprefix('act_')}"
    return (Kind.FACEBOOK_PAGE, target), (Kind.INSTAGRAM, target), (Kind.META_ADS, ads)


def _parse_change(kind: str, entry: WebhookEntry, change: WebhookChange) -> PlatformFact:
    of_comments = _COMMENT_SOURCES.get((kind, change.field, get_text_or_number(change.value, "item")))
    if of_comments and (fact := _parse_comment_change(of_comments, entry, change)) is not None:
        return fact
    lead_id = get_text_or_number(change.value, "leadgen_id")
    if (
        (kind, change.field) == ("page", "leadgen")
        and ID_PATTERN.fullmatch(lead_id)
        and ID_PATTERN.fullmatch(str(entry.id))
    ):
        named = build_dedup_key(entry.id, change.field, lead_id)
        return LeadReported(dedup_key=named, kind=Kind.FACEBOOK_PAGE, account=str(entry.id), lead_id=lead_id)
    key = _get_change_identity(change, entry)
    parts = (entry.id, change.field, *(key or (fingerprint(change.value), entry.time)))
    return _build_unhandled_fact(kind, entry, change.field, change.value, build_dedup_key(*parts))


def _parse_comment_change(kind: Kind, entry: WebhookEntry, change: WebhookChange) -> PlatformFact | None:
    """Read what happened to a comment; None if it names no comment or an unknown action.

    On a Page it has `comment_id` and `post_id`, on Instagram `id` and `media`. A comment is written and removed once:
    the time at which Meta reports it may differ from one delivery to the next.
    """
    account, value, verb = str(entry.id), change.value, get_text_or_number(change.value, "verb") or "add"
    comment = get_text_or_number(value, "comment_id") or get_text_or_number(value, "id")
    message = get_path(value, "message") or get_path(value, "text") or ""
    if (
        verb not in _CHANGES_BY_VERB
        or not isinstance(message, str)
        or not (ID_PATTERN.fullmatch(account) and ID_PATTERN.fullmatch(comment))
    ):
        return None
    time = get_text_or_number(value, "created_time") if verb in _ONE_TIME_VERBS else entry.time
    return CommentReceived(
        dedup_key=build_dedup_key(account, change.field, "comment", verb, comment, *([time] if time else [])),
        kind=kind,
        platform_account_id=account,
        change=_CHANGES_BY_VERB[verb],
        comment=_parse_comment(
            account, comment, verb, message, value, parse_unix_time(entry.time) if verb == "add" else None
        ),
    )


def _parse_comment(
    account: str, comment: str, verb: str, text: str, value: Any, reported_at: datetime | None
) -> Comment:
    """Read a comment. Instagram does not say when it was written, only when it reports it."""
    author, name, username = (get_text_or_number(value, "from", about) or None for about in ("id", "name", "username"))
    post = get_text_or_number(value, "media", "id") or get_text_or_number(value, "post_id")
    parent = get_text_or_number(value, "parent_id")
    # Instagram sends the other id with what the account itself wrote.
    own = author == account or get_path(value, "from", "self_ig_scoped_id") is not None
    comment_author = CommentAuthor(id=author, name=name, username=username)
    there, top = verb != "remove", parent in {"", post}
    return Comment(
        id=comment,
        object_id=post or None,
        text=text,
        author=None if comment_author == CommentAuthor() else comment_author,
        parent_id=None if top else parent,
        hidden=verb == "hide",
        created_at=parse_unix_time(get_text_or_number(value, "created_time")) or reported_at,
        can_reply=there and top,
        can_hide=there and not own,
        can_delete=there,
        own=own,
    )


def _get_change_identity(change: WebhookChange, entry: WebhookEntry) -> tuple[Any, ...] | None:
    """Find what distinguishes a change from others."""
    names = ("media_id", "comment_id", "post_id", "item", "verb")
    media, comment, post, item, verb = (get_text_or_number(change.value, name) for name in names)
    if change.field == "mentions" and media:
        return (media, comment)
    # A reaction names the post that it is on: that is not its own id.
    if change.field == "feed" and post and item != "reaction":
        return (item, verb, comment or post, *(() if verb in _ONE_TIME_VERBS else (entry.time,)))
    return None


def _parse_messaging_event(kind: str, entry: WebhookEntry, item: Any) -> Sequence[PlatformFact]:
    if facts := [*_parse_message_event(kind, str(entry.id), item, entry.time)]:
        return facts
    members = item if isinstance(item, dict) else {}
    name = next((name for key, name in _WEBHOOK_FIELDS_BY_MEMBER.items() if members.get(key) is not None), "messaging")
    key = build_dedup_key(entry.id, name, get_text_or_number(item, "message", "mid") or fingerprint(item))
    return [_build_unhandled_fact(kind, entry, name, item, key)]


def _parse_message_event(kind: str, account: str, event: Any, sent: Any) -> Iterator[PlatformFact]:
    """Read an event; nothing if it is not about a message. `sent` is when Meta sent it: its time, if it has none."""
    name = next(
        (name for name in _MESSAGE_EVENT_FIELDS if isinstance(event, dict) and isinstance(event.get(name), dict)), None
    )
    at, sender = (
        parse_unix_time(get_text_or_number(event, "timestamp")) or parse_unix_time(sent),
        get_text_or_number(event, "sender", "id"),
    )
    own = sender == account or get_path(event, "message", "is_echo") is True
    contact = get_text_or_number(event, "recipient", "id") if own else sender
    known = (
        kind in _KINDS_BY_OBJECT
        and contact != account
        and ID_PATTERN.fullmatch(account)
        and ID_PATTERN.fullmatch(contact)
    )
    if name is None or at is None or not known:
        return
    raw = event[name]
    values: dict[str, Any] = {"kind": _KINDS_BY_OBJECT[kind], "account": account}
    # Old taps on a button have no id, and some have that of the message with the button.
    tap = build_dedup_key(account, contact, name, at.timestamp()) if name == "postback" else ""
    mid = get_text_or_number(raw, "mid") or tap
    if name in _STATUSES_BY_EVENT:
        yield from _parse_message_statuses(
            name, contact, raw, {**values, "sent_at": at, "status": _STATUSES_BY_EVENT[name]}
        )
    elif not MESSAGE_ID_PATTERN.fullmatch(mid):
        return
    elif change := _parse_message_change(name, sender, raw):
        key = build_dedup_key(account, name, mid, sender, at.timestamp(), *change.values())
        yield MessageChanged(dedup_key=key, message_id=mid, sent_at=at, **change, **values)
    elif name in {"message", "postback"}:
        key = build_dedup_key(account, "message_echoes" if own else "messages", mid, *([tap] if tap else []))
        message = parse_message(mid, Contact(id=contact, can_fetch_profile=not own), at, raw, outbound=own)
        yield MessageReported(dedup_key=key, message=replace(message, button_press_id=tap or None), **values)


def _parse_message_statuses(name: str, contact: str, raw: Any, fact_fields: dict[str, Any]) -> Iterator[PlatformFact]:
    """Some name messages, some a time: everything sent until then has that status."""
    for mid in [get_text_or_number(raw, "mid"), *map(get_text_or_number, get_list(raw, "mids"))]:
        if MESSAGE_ID_PATTERN.fullmatch(mid):
            yield MessageProgressed(
                dedup_key=build_dedup_key(fact_fields["account"], name, mid), message_id=mid, **fact_fields
            )
    if until := parse_unix_time(get_text_or_number(raw, "watermark")):
        key = build_dedup_key(fact_fields["account"], name, contact, until.timestamp())
        yield MessageProgressed(dedup_key=key, message_id=None, contact_id=contact, applies_until=until, **fact_fields)


def _parse_message_change(name: str, sender: str, raw: Any) -> dict[str, Any]:
    if name == "reaction":
        emoji = get_text_or_number(raw, "emoji") or get_text_or_number(raw, "reaction") or HEART_EMOJI
        return {"change": name, "reacted_by": sender, "emoji": None if raw.get("action") == "unreact" else emoji}
    if name == "message_edit" and isinstance(raw.get("text"), str):
        return {"change": "edited", "text": raw["text"]}
    return {"change": "deleted"} if name == "message" and raw.get("is_deleted") else {}


def _build_unhandled_fact(kind: str, entry: WebhookEntry, name: str, value: Any, key: str) -> UnhandledFact:
    data = {"object": kind, "id": str(entry.id), "time": entry.time, "value": value}
    return UnhandledFact(dedup_key=key, name=name or "unknown", data=data)
