"""Events that WaSender sends. The proof is the secret itself, in a header; the body holds the session's key."""

import re
from collections.abc import Sequence

import msgspec

from socialgate.connectors.receiving import UNPROVEN, decoded, digest, is_one_of, raw
from socialgate.connectors.wasender.accounts import LOST
from socialgate.connectors.wasender.wire import state_of
from socialgate.contracts.inbound import AccessLost, AccessRestored, Fact, InboundRequest, Reply, UnhandledFact
from socialgate.contracts.platforms import Kind

_HEADER = "x-webhook-signature"
_EVENT = re.compile(r"[a-z][a-z.-]{0,59}", re.ASCII)
_SESSION_ID = re.compile(r"[0-9]{1,20}", re.ASCII)
# Under one of these names stands the key of the session. A plain number is no key.
_KEYS = re.compile(rb'("session_?id"\s*:\s*")(?![0-9]{1,20}")(?:[^"\\]|\\.)*', re.IGNORECASE | re.DOTALL)
_MISSPELLED = {"messages.recieved": "messages.received"}
# Several of these can report the same message.
_NEW_MESSAGE = frozenset(
    {
        "messages.received",
        "messages.upsert",
        "messages-personal.received",
        "messages-group.received",
        "messages-newsletter.received",
    }
)
_BATCHES = _NEW_MESSAGE | {"messages.update", "message-receipt.update", "messages.reaction", "messages.delete"}


class _Envelope(msgspec.Struct, frozen=True):
    event: str
    data: msgspec.Raw = msgspec.Raw(b"null")


class _Status(msgspec.Struct, frozen=True):
    status: str | None = None
    session_id: int | str | None = None


class _Key(msgspec.Struct, frozen=True):
    id: str
    chat: str = msgspec.field(name="remoteJid", default="")


class _Message(msgspec.Struct, frozen=True):
    key: _Key


class SessionEvents:
    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        if not is_one_of(request.headers.get(_HEADER, ""), secrets):
            return UNPROVEN
        return Reply(redacted=_KEYS.sub(rb"\1***", request.body))

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        source = _Source(request.query.get("r", ""), digest(request.body))
        envelope = decoded(request.body, _Envelope)
        if envelope is None:
            return [source.other("unreadable")]
        event = _MISSPELLED.get(envelope.event, envelope.event)
        if event == "session.status":
            return [_session_fact(source, envelope.data)]
        items = _items(envelope.data) if event in _BATCHES else ()
        return [_message_fact(source, event, place, item) for place, item in enumerate(items)] or [source.other(event)]


class _Source(msgspec.Struct, frozen=True):
    """Where facts come from: the session, by its routing id, and the hash of the body."""

    routing: str
    digest: str

    def key(self, *parts: str) -> str:
        """WaSender numbers nothing, and two sessions in one group are told of one message: each has its own facts.

        A hash, since the phone numbers of people do not belong into a key.
        """
        return digest(raw("\n".join([self.routing, *parts])))

    def other(self, event: str, place: int = 0) -> UnhandledFact:
        name = event if _EVENT.fullmatch(event) else "unknown"
        return UnhandledFact(key=self.key(name, self.digest, str(place)), name=name)


def _session_fact(source: _Source, data: msgspec.Raw) -> Fact:
    told = decoded(data, _Status)
    if told is None:
        return source.other("session.status")
    key = source.key("session.status", source.digest)
    # Documents show a word here, where others show the number: a word might be the key.
    subject = str(told.session_id) if _SESSION_ID.fullmatch(str(told.session_id)) else None
    state = state_of(told.status)
    if state == "connected":
        return AccessRestored(key=key, kind=Kind.WHATSAPP_QR, account="", subject=subject)
    if state in LOST:
        return AccessLost(key=key, reason=LOST[state], subject=subject)
    return source.other("session.status")


def _message_fact(source: _Source, event: str, place: int, item: msgspec.Raw) -> Fact:
    message = decoded(item, _Message) if event in _NEW_MESSAGE else None
    if message is None:
        return source.other(event, place)
    return UnhandledFact(key=source.key("message", message.key.chat, message.key.id), name=event)


def _items(data: msgspec.Raw) -> Sequence[msgspec.Raw]:
    """Find the parts of a batch: a list, one object, or either of them under `messages` or `keys`."""
    if (listed := decoded(data, list[msgspec.Raw])) is not None:
        return listed
    members = decoded(data, dict[str, msgspec.Raw])
    if members is None:
        return ()
    inner = members.get("messages") or members.get("keys")
    if inner is None:
        return (data,)
    inside = decoded(inner, list[msgspec.Raw])
    return (inner,) if inside is None else inside
