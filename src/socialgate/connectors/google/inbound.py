"""Webhooks from Google: four senders that authenticate in four ways, all at one URL.

Security events (RISC) are tokens that Google signed for this app. Calendar notifications carry the secret that was
given to the channel. The YouTube hub signs with the secret that was given to the subscription. Pub/Sub sends a token
that Google signed for an audience; anyone can have Google sign one for any audience, so the audience must be a secret.
"""

import hmac
import re
from base64 import b64decode
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import msgspec

from socialgate.connectors.google.jwt import Claims, Keys, KeysUnavailable, claims_of, verified
from socialgate.connectors.receiving import UNPROVEN, decoded, digest, is_one_of, raw, word
from socialgate.connectors.wire import App
from socialgate.contracts.calendar import CalendarNoticed
from socialgate.contracts.comments import Comment, CommentReceived
from socialgate.contracts.inbound import AccessLost, Fact, InboundRequest, Reply, UnhandledFact
from socialgate.contracts.platforms import Kind
from socialgate.core.clock import Clock

_RISC_ISSUERS = frozenset({"https://accounts.google.com/", "https://accounts.google.com"})
_OIDC_ISSUERS = frozenset({"https://accounts.google.com", "accounts.google.com"})
_TOKEN = re.compile(rb"[\w-]+\.[\w-]+\.[\w-]+")
_HUB_HASHES = frozenset({"sha1", "sha256", "sha384", "sha512"})
_EVENT_TYPES = "https://schemas.openid.net/secevent/"
# One document calls the field `reviewName`, another `review_name`.
_REVIEW = re.compile(r"(?:accounts/[\w-]+/)?locations/([\w-]{1,100})/reviews/([\w=-]{1,300})", re.ASCII)
_REVIEWED = {"NEW_REVIEW": "created", "UPDATED_REVIEW": "edited"}
_LONGEST_KEY = 200

# The feeds in which YouTube reports new and changed videos.
_ATOM = "{http://www.w3.org/2005/Atom}"
_YOUTUBE = "{http://www.youtube.com/xml/schemas/2015}"
_ENTRY_TAG = f"{_ATOM}entry"
_DELETED = "{http://purl.org/atompub/tombstones/1.0}deleted-entry"
_FIELDS = {"video_id": _YOUTUBE + "videoId", "channel_id": _YOUTUBE + "channelId"} | {
    name: _ATOM + name for name in ("title", "published", "updated")
}

_REVOKED = "The permission was revoked in the Google account."
_TOKEN_REVOKED = "oauth/event-type/token-revoked"  # noqa: S105 - the name of an event
_LOST = {
    "oauth/event-type/tokens-revoked": _REVOKED,
    "risc/event-type/account-disabled": "Google has disabled the Google account.",
}


class Sender(StrEnum):
    HANDSHAKE = "handshake"
    CALENDAR = "calendar"
    HUB = "hub"
    RISC = "risc"
    PUBSUB = "pubsub"


class _SenderHandlers(NamedTuple):
    """How the requests of one sender are verified, and how they are parsed."""

    receive: Callable[[InboundRequest, Sequence[str]], Awaitable[Reply]]
    read: Callable[[InboundRequest], list[Fact]]


class _Subject(msgspec.Struct, frozen=True):
    sub: str | None = None
    token: str | None = None


class _SecurityEvent(msgspec.Struct, frozen=True):
    subject: _Subject = _Subject()
    reason: str | None = None
    state: str | None = None


class _Message(msgspec.Struct, frozen=True, rename="camel"):
    data: str = ""
    # Pub/Sub sends both spellings.
    message_id: str | None = None
    attributes: dict[str, str] | None = None


class _Push(msgspec.Struct, frozen=True):
    message: _Message
    subscription: str | None = None


class _Entry(msgspec.Struct, frozen=True, kw_only=True):
    video_id: str = ""
    channel_id: str = ""
    title: str = ""
    published: str = ""
    updated: str = ""
    deleted: bool = False


class _Refused(Exception):
    """A feed that declares a document type: that can only be an attack."""


class _Builder(ET.TreeBuilder):
    def doctype(self, *_: object) -> None:
        raise _Refused


def sender_of(request: InboundRequest) -> Sender | None:
    """Determine who claims to have sent it, by what is left after the signatures have been removed."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = request.body.strip()
    if request.method == "GET":
        return Sender.HANDSHAKE if "hub.mode" in request.query else None
    if "x-goog-channel-id" in request.headers:
        return Sender.CALENDAR
    if kind == "application/atom+xml" or "x-hub-signature" in request.headers or body.startswith(b"<"):
        return Sender.HUB
    if kind == "application/secevent+jwt" or _TOKEN.fullmatch(body):
        return Sender.RISC
    return Sender.PUBSUB if body.startswith(b"{") else None


class GoogleInbound:
    def __init__(self, app: App, clock: Clock, keys: Keys) -> None:
        self._app = app
        self._clock = clock
        self._keys = keys
        self._handlers = {
            Sender.HANDSHAKE: _SenderHandlers(self._receive_handshake, self._read_handshake),
            Sender.CALENDAR: _SenderHandlers(self._receive_calendar, self._read_calendar),
            Sender.HUB: _SenderHandlers(self._receive_hub, self._read_hub),
            Sender.RISC: _SenderHandlers(self._receive_risc, self._read_risc),
            Sender.PUBSUB: _SenderHandlers(self._receive_pubsub, self._read_pubsub),
        }

    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        sender = sender_of(request)
        if sender is None:
            return UNPROVEN
        try:
            return await self._handlers[sender].receive(request, secrets)
        except KeysUnavailable:
            # Google resends later what is not accepted now.
            return Reply(status=503, keep=False)

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        sender = sender_of(request)
        facts = self._handlers[sender].read(request) if sender else []
        return facts or [UnhandledFact(key=_hash(request), name="unreadable")]

    async def _receive_risc(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:  # noqa: ARG002 - signed
        """Its age does not matter: a revocation is just as true tomorrow."""
        claims = await verified(request.body.strip().decode("ascii", "replace"), self._keys)
        if claims is None or claims.iss not in _RISC_ISSUERS or not self._app.id:
            return UNPROVEN
        return Reply(status=202) if self._app.id in claims.audiences() else UNPROVEN

    async def _receive_pubsub(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        known = [secret for secret in (*secrets, self._app.verify_token) if secret]
        if scheme.lower() != "bearer" or not known:
            return UNPROVEN
        claims = await verified(token.strip(), self._keys)
        if claims is None or claims.iss not in _OIDC_ISSUERS or (claims.exp or 0) <= self._clock.now().timestamp():
            return UNPROVEN
        # Google's documentation names both places for a secret of one's own: the audience and the URL.
        sent = [*claims.audiences(), request.query.get("token", "")]
        return Reply(status=204) if any(is_one_of(word, known) for word in sent) else UNPROVEN

    async def _receive_handshake(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        """Only confirm requests to the URL of one of our subscriptions: anyone can ask the hub for one."""
        if not secrets:
            return Reply(status=404, keep=False)
        challenge = request.query.get("hub.challenge")
        if challenge is None:
            # The hub reports a rejection: there is nothing to confirm, but something to record.
            return Reply()
        return Reply(body=challenge.encode(errors="replace"), keep=False)

    async def _receive_calendar(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        if not is_one_of(request.headers.get("x-goog-channel-token", ""), secrets):
            return UNPROVEN
        return Reply(keep=request.headers.get("x-goog-resource-state") != "sync")

    async def _receive_hub(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        """The hub must not learn whether its signature was valid."""
        algorithm, _, sent = request.headers.get("x-hub-signature", "").partition("=")
        known = [secret.encode() for secret in secrets if secret and algorithm in _HUB_HASHES]
        signatures = [hmac.new(secret, request.body, algorithm).hexdigest() for secret in known]
        return Reply(status=204, keep=is_one_of(sent.strip().lower(), signatures))

    def _read_handshake(self, request: InboundRequest) -> list[Fact]:
        name = f"websub.{word(request.query.get('hub.mode', '')).lower()}"
        return [UnhandledFact(key=_hash(request), name=name)]

    def _read_calendar(self, request: InboundRequest) -> list[Fact]:
        """A notification only says that something changed. Its number grows within the channel."""
        channel, number = (request.headers.get(f"x-goog-{name}", "") for name in ("channel-id", "message-number"))
        return [CalendarNoticed(key=_key(f"calendar:{channel}:{number}" if number else "", request))]

    def _read_hub(self, request: InboundRequest) -> list[Fact]:
        """The same feed is sent for a new video and for a new title: only the time of the change differs."""
        changes = [(entry, "deleted" if entry.deleted else "changed") for entry in _read_feed(request.body) or ()]
        return [
            UnhandledFact(
                key=_key(f"{entry.video_id}:{entry.updated}:{change}", request),
                name=f"youtube.video_{change}",
                data=msgspec.to_builtins(entry),
            )
            for entry, change in changes
        ]

    def _read_risc(self, request: InboundRequest) -> list[Fact]:
        claims = claims_of(request.body.strip().decode("ascii", "replace")) or Claims()
        return [_security_event(claims, number, request) for number in range(len(claims.events))]

    def _read_pubsub(self, request: InboundRequest) -> list[Fact]:
        push = decoded(request.body, _Push, strict=False)
        if push is None:
            return []
        try:
            text = b64decode(push.message.data).decode()
        except ValueError:
            text = push.message.data
        said = decoded(text.encode(errors="replace"), dict[str, Any], strict=False) or {}
        attributes = push.message.attributes or {}
        # No document says where the type of a notification is.
        types = (said.get("notificationType"), said.get("type"), attributes.get("notificationType"))
        kind = str(next(filter(None, types), "notification"))
        key = _key(push.message.message_id or "", request)
        names = (_REVIEW.fullmatch(value) for value in (*said.values(), *attributes.values()) if isinstance(value, str))
        if (change := _REVIEWED.get(kind)) and (named := next(filter(None, names), None)):
            place, review = named.groups()
            comment = Comment(id=review, object_id=place, text="")
            return [CommentReceived(key=key, kind=Kind.GOOGLE_BUSINESS, account=place, change=change, comment=comment)]
        data = {"subscription": push.subscription, "attributes": attributes, "data": said or text}
        return [UnhandledFact(key=key, name=f"business.{word(kind).lower()}", data=data)]


def _security_event(claims: Claims, number: int, request: InboundRequest) -> Fact:
    kind, body = list(claims.events.items())[number]
    try:
        event = msgspec.convert(body, _SecurityEvent, strict=False)
    except msgspec.ValidationError:
        event = _SecurityEvent()
    name = kind.removeprefix(_EVENT_TYPES)
    key = _key(claims.jti or "", request) + (f":{number}" if number else "")
    if name == _TOKEN_REVOKED and event.subject.token:
        return AccessLost(key=key, reason=_REVOKED, token_name=event.subject.token)
    if name in _LOST and event.subject.sub:
        return AccessLost(key=key, reason=_LOST[name], subject=event.subject.sub)
    data = {"subject": event.subject.sub, "reason": event.reason, "state": event.state}
    return UnhandledFact(key=key, name=f"risc.{word(name.rpartition('/')[2]).lower()}", data=data)


def _key(own: str, request: InboundRequest) -> str:
    """Keep Google's own id if a database can store it."""
    if not own:
        return _hash(request)
    return own if own.isprintable() and len(own) <= _LONGEST_KEY else digest(raw(own))


def _hash(request: InboundRequest) -> str:
    headers = sorted(item for item in request.headers.items() if item[0].startswith("x-goog-"))
    return digest(raw(repr((request.method, sorted(request.query.items()), headers))) + request.body)


def _read_feed(body: bytes) -> list[_Entry] | None:
    """Return the entries of a feed, None if it is not a feed."""
    try:
        root = ET.fromstring(body, ET.XMLParser(target=_Builder()))  # noqa: S314 - entities need a document type
    except (ET.ParseError, _Refused, ValueError, LookupError):
        return None
    return [_entry(element) for element in root.iter() if element.tag in {_ENTRY_TAG, _DELETED}]


def _entry(element: ET.Element) -> _Entry:
    if element.tag == _DELETED:
        video_id = element.get("ref", "").removeprefix("yt:video:")
        return _Entry(video_id=video_id, updated=element.get("when", ""), deleted=True)
    return msgspec.convert({name: element.findtext(tag, "").strip() for name, tag in _FIELDS.items()}, _Entry)
