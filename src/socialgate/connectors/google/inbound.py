"""What Google sends, from four senders that prove themselves in four ways, all to one address.

Security events (RISC) are tokens that Google signed for this app. Notices of calendars carry the secret that was given
to the channel. The hub of YouTube signs with the secret that was given to the subscription. Pub/Sub brings a token that
Google signed for an audience; anybody can have Google sign one for any audience, so the audience has to be a secret.
"""

import hashlib
import hmac
import re
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from typing import Any, TypeVar

import msgspec

from socialgate.connectors.google.feed import Entry, read_feed
from socialgate.connectors.google.jwt import Claims, Keys, KeysUnavailable, claims_of, verified
from socialgate.connectors.wire import App
from socialgate.contracts.comments import CommentItem, CommentReceived
from socialgate.contracts.inbound import AccessLost, Fact, InboundRequest, Reply, UnhandledFact
from socialgate.contracts.platforms import Kind
from socialgate.core.clock import Clock

_REFUSED = Reply(status=401, keep=False)
_RISC_ISSUERS = frozenset({"https://accounts.google.com/", "https://accounts.google.com"})
_OIDC_ISSUERS = frozenset({"https://accounts.google.com", "accounts.google.com"})
_TOKEN = re.compile(rb"[\w-]+\.[\w-]+\.[\w-]+")
_HUB_HASHES = frozenset({"sha1", "sha256", "sha384", "sha512"})
_EVENT_TYPES = "https://schemas.openid.net/secevent/"
# The field that holds it is called `reviewName` by one document and `review_name` by another.
_REVIEW = re.compile(r"(?:accounts/[\w-]+/)?locations/([\w-]{1,100})/reviews/([\w=-]{1,300})", re.ASCII)
_REVIEWED = {"NEW_REVIEW": "created", "UPDATED_REVIEW": "edited"}
_LONGEST_KEY = 200
_LONGEST_NAME = 100

_TOKEN_REVOKED = "oauth/event-type/token-revoked"  # noqa: S105 - the name of an event
_LOST = {
    "oauth/event-type/tokens-revoked": "The permission was taken away in the Google account.",
    "risc/event-type/account-disabled": "Google has disabled the Google account.",
}

T = TypeVar("T")


class Sender(Enum):
    HANDSHAKE = auto()
    CALENDAR = auto()
    HUB = auto()
    RISC = auto()
    PUBSUB = auto()


def sender_of(request: InboundRequest) -> Sender | None:
    """Tell who claims to have sent it, by what is still there when the proofs have been taken off."""
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

    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        try:
            return await self._answer(request, secrets)
        except KeysUnavailable:
            # Google sends again later what is not taken now.
            return Reply(status=503, keep=False)

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        read: dict[Sender | None, Callable[[InboundRequest], list[Fact]]] = {
            Sender.HANDSHAKE: _refusal,
            Sender.CALENDAR: _notice,
            Sender.HUB: _videos,
            Sender.RISC: _security_events,
            Sender.PUBSUB: _pushed,
            None: lambda _: [],
        }
        return read[sender_of(request)](request) or [UnhandledFact(key=_hash(request), name="unreadable")]

    async def _answer(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        match sender_of(request):
            case Sender.RISC:
                return await self._receive_security_event(request)
            case Sender.PUBSUB:
                return await self._receive_push(request, secrets)
            case None:
                return _REFUSED
            case sender:
                return _WITH_SECRET[sender](request, secrets)

    async def _receive_security_event(self, request: InboundRequest) -> Reply:
        """Its age does not count: a revocation is as true tomorrow."""
        claims = await verified(request.body.strip().decode("ascii", "replace"), self._keys)
        if claims is None or claims.iss not in _RISC_ISSUERS or not self._app.id:
            return _REFUSED
        return Reply(status=202) if self._app.id in claims.audiences() else _REFUSED

    async def _receive_push(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        known = [secret for secret in (*secrets, self._app.verify_token) if secret]
        if scheme.lower() != "bearer" or not known:
            return _REFUSED
        claims = await verified(token.strip(), self._keys)
        if claims is None or claims.iss not in _OIDC_ISSUERS or (claims.exp or 0) <= self._clock.now().timestamp():
            return _REFUSED
        # Google's documents name both places for a secret of one's own: the audience, and the address.
        given = [*claims.audiences(), request.query.get("token", "")]
        return Reply(status=204) if any(_is_any_of(word, known) for word in given) else _REFUSED


def _shake_hands(request: InboundRequest, secrets: Sequence[str]) -> Reply:
    """Confirm only what comes to the address of a subscription of ours: anybody can ask the hub for one."""
    if not secrets:
        return Reply(status=404, keep=False)
    challenge = request.query.get("hub.challenge")
    if challenge is None:
        # The hub tells that it refused: there is nothing to confirm, and something to know.
        return Reply()
    return Reply(body=challenge.encode(errors="replace"), keep=False)


def _receive_notice(request: InboundRequest, secrets: Sequence[str]) -> Reply:
    if not _is_any_of(request.headers.get("x-goog-channel-token", ""), secrets):
        return _REFUSED
    return Reply(keep=request.headers.get("x-goog-resource-state") != "sync")


def _is_signed_by_hub(request: InboundRequest, secrets: Sequence[str]) -> bool:
    algorithm, _, given = request.headers.get("x-hub-signature", "").partition("=")
    if algorithm not in _HUB_HASHES:
        return False
    expected = [hmac.new(secret.encode(), request.body, algorithm).hexdigest() for secret in secrets if secret]
    return _is_any_of(given.strip().lower(), expected)


_WITH_SECRET: Mapping[Sender, Callable[[InboundRequest, Sequence[str]], Reply]] = {
    Sender.HANDSHAKE: _shake_hands,
    Sender.CALENDAR: _receive_notice,
    # The hub must not learn whether its signature was right.
    Sender.HUB: lambda request, secrets: Reply(status=204, keep=_is_signed_by_hub(request, secrets)),
}


def _is_any_of(given: str, secrets: Sequence[str]) -> bool:
    """Compare in a time that tells nothing of either."""
    word = given.encode(errors="replace")
    return any(hmac.compare_digest(word, secret.encode()) for secret in secrets if secret)


def _refusal(request: InboundRequest) -> list[Fact]:
    return [UnhandledFact(key=_hash(request), name=f"websub.{_word(request.query.get('hub.mode', ''))}")]


def _notice(request: InboundRequest) -> list[Fact]:
    """A notice says that something changed, and nothing else. Its number grows within the channel."""
    names = {"channelId": "channel-id", "number": "message-number", "resourceId": "resource-id"}
    data = {field: request.headers.get(f"x-goog-{name}", "") for field, name in names.items()}
    state = _word(request.headers.get("x-goog-resource-state", ""))
    key = f"calendar:{data['channelId']}:{data['number']}" if data["number"] else ""
    return [UnhandledFact(key=_key(key, request), name=f"calendar.{state}", data=data)]


def _videos(request: InboundRequest) -> list[Fact]:
    return [_video(entry) for entry in read_feed(request.body) or ()]


def _video(entry: Entry) -> Fact:
    """The same feed comes for a new video and for a new title: only the time of the change tells them apart."""
    key = f"{entry.video_id}:{entry.updated}:{'deleted' if entry.deleted else 'changed'}"
    name = "youtube.video_deleted" if entry.deleted else "youtube.video_changed"
    return UnhandledFact(key=_safe_key(key), name=name, data=msgspec.to_builtins(entry))


def _security_events(request: InboundRequest) -> list[Fact]:
    claims = claims_of(request.body.strip().decode("ascii", "replace"))
    if claims is None:
        return []
    return [_security_event(claims, number, request) for number in range(len(claims.events))]


class _Subject(msgspec.Struct, frozen=True):
    sub: str | None = None
    token: str | None = None


class _SecurityEvent(msgspec.Struct, frozen=True):
    subject: _Subject = _Subject()
    reason: str | None = None
    state: str | None = None


def _security_event(claims: Claims, number: int, request: InboundRequest) -> Fact:
    kind, body = list(claims.events.items())[number]
    event = _read(body, _SecurityEvent) or _SecurityEvent()
    name = kind.removeprefix(_EVENT_TYPES)
    key = _key(claims.jti or "", request) + (f":{number}" if number else "")
    if name == _TOKEN_REVOKED and event.subject.token:
        reason = "The permission was taken away in the Google account."
        return AccessLost(key=key, reason=reason, token_name=event.subject.token)
    if name in _LOST and event.subject.sub:
        return AccessLost(key=key, reason=_LOST[name], subject=event.subject.sub)
    data = {"subject": event.subject.sub, "reason": event.reason, "state": event.state}
    return UnhandledFact(key=key, name=f"risc.{_word(name.rpartition('/')[2])}", data=data)


class _Message(msgspec.Struct, frozen=True, rename="camel"):
    data: str = ""
    # Pub/Sub sends both spellings.
    message_id: str | None = None
    attributes: dict[str, str] | None = None


class _Push(msgspec.Struct, frozen=True):
    message: _Message
    subscription: str | None = None


def _pushed(request: InboundRequest) -> list[Fact]:
    push = _read(request.body, _Push)
    if push is None:
        return []
    try:
        text = b64decode(push.message.data).decode()
    except ValueError:
        text = push.message.data
    said = _read(text.encode(errors="replace"), dict[str, Any]) or {}
    attributes = push.message.attributes or {}
    # Where the type of a notification stands, no document says.
    kind = str(said.get("notificationType") or said.get("type") or attributes.get("notificationType") or "notification")
    key = _key(push.message.message_id or "", request)
    names = (_REVIEW.fullmatch(value) for value in (*said.values(), *attributes.values()) if isinstance(value, str))
    if (change := _REVIEWED.get(kind)) and (named := next(filter(None, names), None)):
        location, review = named.groups()
        comment = CommentItem(id=review, object_id=location, text="")
        return [CommentReceived(key=key, kind=Kind.GOOGLE_BUSINESS, account=location, change=change, comment=comment)]
    data = {"subscription": push.subscription, "attributes": attributes, "data": said or text}
    return [UnhandledFact(key=key, name=f"business.{_word(kind)}", data=data)]


def _read(value: Any, shape: type[T]) -> T | None:
    try:
        if isinstance(value, bytes):
            return msgspec.json.decode(value, type=shape, strict=False)
        return msgspec.convert(value, shape, strict=False)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _word(text: str) -> str:
    return "".join(letter for letter in text if letter.isprintable()).lower()[:_LONGEST_NAME] or "unknown"


def _key(given: str, request: InboundRequest) -> str:
    return _safe_key(given) if given else _hash(request)


def _safe_key(given: str) -> str:
    """Keep Google's own id where a database can."""
    if given.isprintable() and len(given) <= _LONGEST_KEY:
        return given
    return hashlib.sha256(given.encode(errors="replace")).hexdigest()


def _hash(request: InboundRequest) -> str:
    headers = sorted(item for item in request.headers.items() if item[0].startswith("x-goog-"))
    said = repr((request.method, sorted(request.query.items()), headers)).encode(errors="replace")
    return hashlib.sha256(said + request.body).hexdigest()
