"""What Meta sends by itself: webhooks of Pages, Instagram accounts and permissions, and signed removals of the app."""

import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from socialgate.connectors.meta.signing import Removal, is_form, is_same, is_signed, open_form, read_form
from socialgate.connectors.wire import App
from socialgate.contracts.inbound import AccessLost, Fact, InboundRequest, Other, Reply
from socialgate.contracts.platforms import Kind

T = TypeVar("T")

_UNPROVEN = Reply(status=401, body=b"The signature does not fit.", keep=False)
_WRONG_WORD = Reply(status=403, body=b"The verify token does not fit.", keep=False)
_HOST = re.compile(r"[A-Za-z0-9.\-:\[\]]{1,255}")
_CODE = re.compile(r"[0-9a-f]{32}")
_ID = re.compile(r"[A-Za-z0-9_.\-]{1,100}")
_LONGEST_KEY = 200
# These happen once to an object; the others of a feed (edited, hide, …) can come again and again.
_ONCE = frozenset({"add", "remove"})
_LOST = frozenset({"revoked", "disconnected", "removed"})
_UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError)


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


class MetaInbound:
    def __init__(self, app: App) -> None:
        self._app = app

    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        if request.method == "GET":
            return self._greet(request.query)
        keys = (self._app.secret, *secrets)
        if is_form(request.body):
            removal = open_form(request.body, keys)
            return _UNPROVEN if removal is None else self._confirm(removal, request)
        fits = is_signed(request.body, request.headers.get("x-hub-signature-256", ""), keys)
        return Reply() if fits else _UNPROVEN

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        body = request.body
        if is_form(body):
            removal = read_form(body)
            return [_removed(removal)] if removal is not None else [_unread(body)]
        envelope = _decode(body, _Envelope)
        if envelope is None or not envelope.entry:
            return [_unread(body)]
        return [fact for entry in envelope.entry for fact in _read(envelope.object, bytes(entry))]

    def _greet(self, query: Mapping[str, str]) -> Reply:
        if "deletion" in query:
            return _status(query.get("id", ""))
        fits = is_same(query.get("hub.verify_token", ""), self._app.verify_token)
        if query.get("hub.mode") != "subscribe" or not fits:
            return _WRONG_WORD
        return Reply(body=query.get("hub.challenge", "").encode("utf-8", "replace"), keep=False)

    def _confirm(self, removal: Removal, request: InboundRequest) -> Reply:
        """Answer a removal with nothing, a request for deletion with where to look it up, as Meta wants it."""
        if "deletion" not in request.query:
            return Reply()
        code = hmac.new(self._app.secret.encode(), f"deletion {removal.user_id}".encode(), hashlib.sha256)
        host = request.headers.get("host", "")
        number = code.hexdigest()[:32]
        where = f"https://{host if _HOST.fullmatch(host) else 'localhost'}/webhooks/meta?deletion=1&id={number}"
        body = msgspec.json.encode({"url": where, "confirmation_code": number})
        return Reply(body=body, content_type="application/json")


def _status(number: str) -> Reply:
    """The page that Meta shows to a person who asked for deletion. Nothing is looked up: there is nothing to find."""
    if not _CODE.fullmatch(number):
        return Reply(status=404, body=b"This is not a confirmation code.", keep=False)
    text = (
        f"Confirmation code {number}.\n\nThe connection to your account is ended and its access is deleted here as "
        "soon as the request is worked on, within minutes. Ask whoever runs this service for anything else.\n"
    )
    return Reply(body=text.encode(), keep=False)


def _removed(removal: Removal) -> Fact:
    person = str(removal.user_id)
    data = {"userId": person, "issuedAt": removal.issued_at}
    key = _key("removal", person, removal.issued_at)
    if not _ID.fullmatch(person):
        return Other(key=key, name="removal", data=data)
    return AccessLost(key=key, subject=person, reason="The person removed this app on Facebook.")


def _read(kind: str, raw: bytes) -> Sequence[Fact]:
    """Read one entry; one that cannot be read takes no other with it."""
    try:
        return list(_facts(kind, raw))
    except _UNREADABLE:
        return [_unread(raw)]


def _facts(kind: str, raw: bytes) -> Iterator[Fact]:
    entry = _decode(raw, _Entry)
    if entry is None:
        yield _unread(raw)
        return
    changes = [*entry.changes, *([_Change(entry.field, entry.value)] if entry.field else [])]
    if not changes and not entry.messaging and not entry.standby:
        yield _unread(raw)
    for change in changes:
        yield _permission(entry, change) if kind == "permissions" else _change(kind, entry, change)
    for item in entry.messaging:
        yield _messaging(kind, entry, item)
    for item in entry.standby:
        yield _other(kind, entry, "standby", item, _key(entry.id, "standby", _print(item)))


def _permission(entry: _Entry, change: _Change) -> Fact:
    """Take the end of a permission as a sign that access is lost, for the named objects or for all of the person's.

    Meta does not say of which kind the objects are. Their ids are unique over all kinds.
    """
    value = _convert(change.value, _Value) or _Value()
    key = _key(entry.id, change.field, value.verb, entry.time, *value.target_ids)
    ids = [str(target) for target in value.target_ids]
    if value.verb not in _LOST or not all(_ID.fullmatch(each) for each in (str(entry.id), *ids)):
        return _other("permissions", entry, change.field, change.value, key)
    return AccessLost(
        key=key,
        reason="The person removed this app on Facebook."
        if change.field == "connected"
        else "The person took a permission back on Facebook.",
        subject=str(entry.id),
        accounts=tuple(pair for each in ids for pair in _kinds_of(each)),
    )


def _kinds_of(target: str) -> Sequence[tuple[Kind, str]]:
    ads = f"act_{target.removeprefix('act_')}"
    return (Kind.FACEBOOK_PAGE, target), (Kind.INSTAGRAM, target), (Kind.META_ADS, ads)


def _change(kind: str, entry: _Entry, change: _Change) -> Fact:
    value = _convert(change.value, _Value) or _Value()
    key = _own_id(change.field, entry, value)
    parts = (entry.id, change.field, *(key or (_print(change.value), entry.time)))
    return _other(kind, entry, change.field, change.value, _key(*parts))


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
    read = _convert(item, _Messaging) or _Messaging()
    message = read.message or read.postback
    if read.message is not None:
        name = "message_echoes" if read.message.is_echo else "messages"
    else:
        name = next((name for member, name in _NAMES.items() if getattr(read, member) is not None), "messaging")
    if message is not None and message.mid:
        key = _key(entry.id, name, message.mid, *(["deleted"] if message.is_deleted else []))
    else:
        key = _key(entry.id, name, _print(item))
    return _other(kind, entry, name, item, key)


def _other(kind: str, entry: _Entry, name: str, value: Any, key: str) -> Other:
    data = {"object": kind, "id": str(entry.id), "time": entry.time, "value": value}
    return Other(key=key, name=name or "unknown", data=data)


def _unread(raw: bytes) -> Other:
    return Other(key=hashlib.sha256(raw).hexdigest(), name="unreadable")


def _key(*parts: Any) -> str:
    """Join what makes an event unique. What is too long or too strange for a key gives its hash."""
    text = ":".join(str(part) for part in parts)
    plain = len(text) <= _LONGEST_KEY and text.isascii() and text.isprintable()
    return text if plain else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _print(value: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def _decode(raw: bytes, shape: type[T]) -> T | None:
    try:
        return msgspec.json.decode(raw, type=shape, strict=False)
    except _UNREADABLE:
        return None


def _convert(value: Any, shape: type[T]) -> T | None:
    try:
        return msgspec.convert(value, type=shape, strict=False)
    except _UNREADABLE:
        return None
