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

from socialgate.connectors.google.jwt_verification import (
    JwtClaims,
    KeysUnavailableError,
    SigningKeyCache,
    parse_unverified_claims,
    verify_token,
)
from socialgate.connectors.transport import PlatformApp
from socialgate.connectors.webhook_helpers import (
    UNAUTHENTICATED_RESPONSE,
    compute_sha256,
    decode_json_or_none,
    encode_header,
    matches_any_secret,
    sanitize_name,
)
from socialgate.contracts.calendar import CalendarNoticed
from socialgate.contracts.comments import Comment, CommentReceived
from socialgate.contracts.platforms import Kind
from socialgate.contracts.webhooks import AccessLost, PlatformFact, UnhandledFact, WebhookRequest, WebhookResponse
from socialgate.core.clock import Clock

_RISC_ISSUERS = frozenset({"https://accounts.google.com/", "https://accounts.google.com"})
_OIDC_ISSUERS = frozenset({"https://accounts.google.com", "accounts.google.com"})
_JWT_PATTERN = re.compile(rb"[\w-]+\.[\w-]+\.[\w-]+")
_HUB_HASH_ALGORITHMS = frozenset({"sha1", "sha256", "sha384", "sha512"})
_SECURITY_EVENT_TYPE_PREFIX = "https://schemas.openid.net/secevent/"
# One document calls the field `reviewName`, another `review_name`.
_REVIEW_NAME_PATTERN = re.compile(r"(?:accounts/[\w-]+/)?locations/([\w-]{1,100})/reviews/([\w=-]{1,300})", re.ASCII)
_REVIEW_CHANGES = {"NEW_REVIEW": "created", "UPDATED_REVIEW": "edited"}
_MAX_KEY_LENGTH = 200

# The feeds in which YouTube reports new and changed videos.
_ATOM_NAMESPACE = "{http://www.w3.org/2005/Atom}"
_YOUTUBE_NAMESPACE = "{http://www.youtube.com/xml/schemas/2015}"
_ENTRY_TAG = f"{_ATOM_NAMESPACE}entry"
_DELETED_ENTRY_TAG = "{http://purl.org/atompub/tombstones/1.0}deleted-entry"
_ENTRY_FIELD_TAGS = {"video_id": _YOUTUBE_NAMESPACE + "videoId", "channel_id": _YOUTUBE_NAMESPACE + "channelId"} | {
    name: _ATOM_NAMESPACE + name for name in ("title", "published", "updated")
}

_REVOKED_DETAIL = "The permission was revoked in the Google account."
_TOKEN_REVOKED_EVENT_TYPE = "oauth/event-type/token-revoked"  # noqa: S105 - the name of an event
_ACCESS_LOST_REASONS = {
    "oauth/event-type/tokens-revoked": _REVOKED_DETAIL,
    "risc/event-type/account-disabled": "Google has disabled the Google account.",
}


class WebhookSender(StrEnum):
    HANDSHAKE = "handshake"
    CALENDAR = "calendar"
    HUB = "hub"
    RISC = "risc"
    PUBSUB = "pubsub"


class _SenderHandlers(NamedTuple):
    """How the requests of one sender are verified, and how they are parsed."""

    receive: Callable[[WebhookRequest, Sequence[str]], Awaitable[WebhookResponse]]
    read: Callable[[WebhookRequest], list[PlatformFact]]


class _TokenSubject(msgspec.Struct, frozen=True):
    sub: str | None = None
    token: str | None = None


class _SecurityEvent(msgspec.Struct, frozen=True):
    subject: _TokenSubject = _TokenSubject()
    reason: str | None = None
    state: str | None = None


class _PubSubMessage(msgspec.Struct, frozen=True, rename="camel"):
    data: str = ""
    # Pub/Sub sends both spellings.
    message_id: str | None = None
    attributes: dict[str, str] | None = None


class _PubSubPush(msgspec.Struct, frozen=True):
    message: _PubSubMessage
    subscription: str | None = None


class _VideoFeedEntry(msgspec.Struct, frozen=True, kw_only=True):
    video_id: str = ""
    channel_id: str = ""
    title: str = ""
    published: str = ""
    updated: str = ""
    deleted: bool = False


class _DoctypeError(Exception):
    """A feed that declares a document type: that can only be an attack."""


class _NoDoctypeBuilder(ET.TreeBuilder):
    def doctype(self, *_: object) -> None:
        raise _DoctypeError


def detect_sender(request: WebhookRequest) -> WebhookSender | None:
    """Determine who claims to have sent it, by what is left after the signatures have been removed."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = request.body.strip()
    if request.method == "GET":
        return WebhookSender.HANDSHAKE if "hub.mode" in request.query else None
    if "x-goog-channel-id" in request.headers:
        return WebhookSender.CALENDAR
    if kind == "application/atom+xml" or "x-hub-signature" in request.headers or body.startswith(b"<"):
        return WebhookSender.HUB
    if kind == "application/secevent+jwt" or _JWT_PATTERN.fullmatch(body):
        return WebhookSender.RISC
    return WebhookSender.PUBSUB if body.startswith(b"{") else None


class GoogleWebhookReceiver:
    def __init__(self, app: PlatformApp, clock: Clock, keys: SigningKeyCache) -> None:
        self._app = app
        self._clock = clock
        self._keys = keys
        self._handlers = {
            WebhookSender.HANDSHAKE: _SenderHandlers(self._receive_handshake, self._parse_handshake),
            WebhookSender.CALENDAR: _SenderHandlers(self._receive_calendar, self._parse_calendar_notification),
            WebhookSender.HUB: _SenderHandlers(self._receive_hub, self._parse_hub_feed),
            WebhookSender.RISC: _SenderHandlers(self._receive_risc, self._parse_risc_events),
            WebhookSender.PUBSUB: _SenderHandlers(self._receive_pubsub, self._parse_pubsub_message),
        }

    async def receive(self, request: WebhookRequest, secrets: Sequence[str]) -> WebhookResponse:
        sender = detect_sender(request)
        if sender is None:
            return UNAUTHENTICATED_RESPONSE
        try:
            return await self._handlers[sender].receive(request, secrets)
        except KeysUnavailableError:
            # Google resends later what is not accepted now.
            return WebhookResponse(status=503, should_store=False)

    def parse(self, request: WebhookRequest) -> Sequence[PlatformFact]:
        sender = detect_sender(request)
        facts = self._handlers[sender].read(request) if sender else []
        return facts or [UnhandledFact(dedup_key=_fingerprint_request(request), name="unreadable")]

    async def _receive_risc(self, request: WebhookRequest, secrets: Sequence[str]) -> WebhookResponse:  # noqa: ARG002 - signed
        """Its age does not matter: a revocation is just as true tomorrow."""
        claims = await verify_token(request.body.strip().decode("ascii", "replace"), self._keys)
        if claims is None or claims.iss not in _RISC_ISSUERS or not self._app.id:
            return UNAUTHENTICATED_RESPONSE
        return WebhookResponse(status=202) if self._app.id in claims.list_audiences() else UNAUTHENTICATED_RESPONSE

    async def _receive_pubsub(self, request: WebhookRequest, secrets: Sequence[str]) -> WebhookResponse:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        known = [secret for secret in (*secrets, self._app.verify_token) if secret]
        if scheme.lower() != "bearer" or not known:
            return UNAUTHENTICATED_RESPONSE
        claims = await verify_token(token.strip(), self._keys)
        if claims is None or claims.iss not in _OIDC_ISSUERS or (claims.exp or 0) <= self._clock.now().timestamp():
            return UNAUTHENTICATED_RESPONSE
        # Google's documentation names both places for a secret of one's own: the audience and the URL.
        sent = [*claims.list_audiences(), request.query.get("token", "")]
        return (
            WebhookResponse(status=204)
            if any(matches_any_secret(word, known) for word in sent)
            else UNAUTHENTICATED_RESPONSE
        )

    async def _receive_handshake(self, request: WebhookRequest, secrets: Sequence[str]) -> WebhookResponse:
        """Only confirm requests to the URL of one of our subscriptions: anyone can ask the hub for one."""
        if not secrets:
            return WebhookResponse(status=404, should_store=False)
        challenge = request.query.get("hub.challenge")
        if challenge is None:
            # The hub reports a rejection: there is nothing to confirm, but something to record.
            return WebhookResponse()
        return WebhookResponse(body=challenge.encode(errors="replace"), should_store=False)

    async def _receive_calendar(self, request: WebhookRequest, secrets: Sequence[str]) -> WebhookResponse:
        if not matches_any_secret(request.headers.get("x-goog-channel-token", ""), secrets):
            return UNAUTHENTICATED_RESPONSE
        return WebhookResponse(should_store=request.headers.get("x-goog-resource-state") != "sync")

    async def _receive_hub(self, request: WebhookRequest, secrets: Sequence[str]) -> WebhookResponse:
        """The hub must not learn whether its signature was valid."""
        algorithm, _, sent = request.headers.get("x-hub-signature", "").partition("=")
        known = [secret.encode() for secret in secrets if secret and algorithm in _HUB_HASH_ALGORITHMS]
        signatures = [hmac.new(secret, request.body, algorithm).hexdigest() for secret in known]
        return WebhookResponse(status=204, should_store=matches_any_secret(sent.strip().lower(), signatures))

    def _parse_handshake(self, request: WebhookRequest) -> list[PlatformFact]:
        name = f"websub.{sanitize_name(request.query.get('hub.mode', '')).lower()}"
        return [UnhandledFact(dedup_key=_fingerprint_request(request), name=name)]

    def _parse_calendar_notification(self, request: WebhookRequest) -> list[PlatformFact]:
        """A notification only says that something changed. Its number grows within the channel."""
        channel, number = (request.headers.get(f"x-goog-{name}", "") for name in ("channel-id", "message-number"))
        return [CalendarNoticed(dedup_key=_build_dedup_key(f"calendar:{channel}:{number}" if number else "", request))]

    def _parse_hub_feed(self, request: WebhookRequest) -> list[PlatformFact]:
        """The same feed is sent for a new video and for a new title: only the time of the change differs."""
        changes = [(entry, "deleted" if entry.deleted else "changed") for entry in _parse_feed(request.body) or ()]
        return [
            UnhandledFact(
                dedup_key=_build_dedup_key(f"{entry.video_id}:{entry.updated}:{change}", request),
                name=f"youtube.video_{change}",
                data=msgspec.to_builtins(entry),
            )
            for entry, change in changes
        ]

    def _parse_risc_events(self, request: WebhookRequest) -> list[PlatformFact]:
        claims = parse_unverified_claims(request.body.strip().decode("ascii", "replace")) or JwtClaims()
        return [_parse_security_event(claims, number, request) for number in range(len(claims.events))]

    def _parse_pubsub_message(self, request: WebhookRequest) -> list[PlatformFact]:
        push = decode_json_or_none(request.body, _PubSubPush, strict=False)
        if push is None:
            return []
        try:
            text = b64decode(push.message.data).decode()
        except ValueError:
            text = push.message.data
        payload = decode_json_or_none(text.encode(errors="replace"), dict[str, Any], strict=False) or {}
        attributes = push.message.attributes or {}
        # No document says where the type of a notification is.
        types = (payload.get("notificationType"), payload.get("type"), attributes.get("notificationType"))
        kind = str(next(filter(None, types), "notification"))
        key = _build_dedup_key(push.message.message_id or "", request)
        names = (
            _REVIEW_NAME_PATTERN.fullmatch(value)
            for value in (*payload.values(), *attributes.values())
            if isinstance(value, str)
        )
        if (change := _REVIEW_CHANGES.get(kind)) and (named := next(filter(None, names), None)):
            place, review = named.groups()
            comment = Comment(id=review, object_id=place, text="")
            return [
                CommentReceived(
                    dedup_key=key, kind=Kind.GOOGLE_BUSINESS, platform_account_id=place, change=change, comment=comment
                )
            ]
        data = {"subscription": push.subscription, "attributes": attributes, "data": payload or text}
        return [UnhandledFact(dedup_key=key, name=f"business.{sanitize_name(kind).lower()}", data=data)]


def _parse_security_event(claims: JwtClaims, number: int, request: WebhookRequest) -> PlatformFact:
    kind, body = list(claims.events.items())[number]
    try:
        event = msgspec.convert(body, _SecurityEvent, strict=False)
    except msgspec.ValidationError:
        event = _SecurityEvent()
    name = kind.removeprefix(_SECURITY_EVENT_TYPE_PREFIX)
    key = _build_dedup_key(claims.jti or "", request) + (f":{number}" if number else "")
    if name == _TOKEN_REVOKED_EVENT_TYPE and event.subject.token:
        return AccessLost(dedup_key=key, reason=_REVOKED_DETAIL, refresh_token_alias=event.subject.token)
    if name in _ACCESS_LOST_REASONS and event.subject.sub:
        return AccessLost(dedup_key=key, reason=_ACCESS_LOST_REASONS[name], subject=event.subject.sub)
    data = {"subject": event.subject.sub, "reason": event.reason, "state": event.state}
    return UnhandledFact(dedup_key=key, name=f"risc.{sanitize_name(name.rpartition('/')[2]).lower()}", data=data)


def _build_dedup_key(own: str, request: WebhookRequest) -> str:
    """Keep Google's own id if a database can store it."""
    if not own:
        return _fingerprint_request(request)
    return own if own.isprintable() and len(own) <= _MAX_KEY_LENGTH else compute_sha256(encode_header(own))


def _fingerprint_request(request: WebhookRequest) -> str:
    headers = sorted(item for item in request.headers.items() if item[0].startswith("x-goog-"))
    return compute_sha256(encode_header(repr((request.method, sorted(request.query.items()), headers))) + request.body)


def _parse_feed(body: bytes) -> list[_VideoFeedEntry] | None:
    """Return the entries of a feed, None if it is not a feed."""
    try:
        root = ET.fromstring(body, ET.XMLParser(target=_NoDoctypeBuilder()))  # noqa: S314 - entities need a document type
    except (ET.ParseError, _DoctypeError, ValueError, LookupError):
        return None
    return [_parse_feed_entry(element) for element in root.iter() if element.tag in {_ENTRY_TAG, _DELETED_ENTRY_TAG}]


def _parse_feed_entry(element: ET.Element) -> _VideoFeedEntry:
    if element.tag == _DELETED_ENTRY_TAG:
        video_id = element.get("ref", "").removeprefix("yt:video:")
        return _VideoFeedEntry(video_id=video_id, updated=element.get("when", ""), deleted=True)
    return msgspec.convert(
        {name: element.findtext(tag, "").strip() for name, tag in _ENTRY_FIELD_TAGS.items()}, _VideoFeedEntry
    )
