"""Webhooks from WaSender. They are verified by the secret itself, in a header; the body contains the session's key."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.receiving import UNPROVEN, decoded, digest, is_one_of, moment, raw
from socialgate.connectors.tolerant import readable
from socialgate.connectors.wasender.accounts import LOST
from socialgate.connectors.wasender.incoming import item_of
from socialgate.connectors.wasender.shapes import Envelope, Key, Message, Part, Progressed, Reacted, Reaction, Status
from socialgate.connectors.wasender.wire import state_of
from socialgate.contracts.inbound import AccessLost, AccessRestored, Fact, InboundRequest, Reply, UnhandledFact
from socialgate.contracts.messages import MessageChanged, MessageProgressed, MessageReported, MessageStatus
from socialgate.contracts.platforms import Kind
from socialgate.core.clock import Clock

_HEADER = "x-webhook-signature"
_EVENT = re.compile(r"[a-z][a-z.-]{0,59}", re.ASCII)
_SESSION_ID = re.compile(r"[0-9]{1,20}", re.ASCII)
# One of these fields contains the key of the session. A plain number is not a key.
_KEYS = re.compile(rb'("session_?id"\s*:\s*")(?![0-9]{1,20}")(?:[^"\\]|\\.)*', re.IGNORECASE | re.DOTALL)
_MISSPELLED = {"messages.recieved": "messages.received"}
# Several of these can report the same message.
_GATHERED = ("messages-personal.received", "messages-group.received", "messages-newsletter.received")
_NEW_MESSAGE = frozenset({"messages.received", "messages.upsert", "message.sent", *_GATHERED})
_BATCHES = _NEW_MESSAGE | {"messages.update", "message-receipt.update", "messages.reaction", "messages.delete"}


_OF_NUMBER: dict[str, Any] = {"kind": Kind.WHATSAPP_QR, "account": ""}
# WhatsApp's numbers, and its names for them. A message that only waits to be sent is not reported.
_STATUSES = {
    **dict.fromkeys(("0", "error"), MessageStatus.FAILED),
    **dict.fromkeys(("2", "server_ack"), MessageStatus.SENT),
    **dict.fromkeys(("3", "delivery_ack"), MessageStatus.DELIVERED),
    **dict.fromkeys(("4", "read", "5", "played"), MessageStatus.READ),
}
_UNDELIVERED = (
    "WhatsApp did not deliver the message. Check that the number is on WhatsApp, and the file if there is one."
)
_REVOKED = frozenset({0, "0", "REVOKE"})


class SessionEvents:
    def __init__(self, clock: Clock) -> None:
        """Take what tells the time, for events that do not."""
        self._clock = clock

    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        if not is_one_of(request.headers.get(_HEADER, ""), secrets):
            return UNPROVEN
        return Reply(redacted=_KEYS.sub(rb"\1***", request.body))

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        source = _Source(request.query.get("r", ""), digest(request.body))
        envelope = readable(request.body, Envelope)
        if envelope is None:
            return [source.other("unreadable")]
        event = _MISSPELLED.get(envelope.event, envelope.event)
        if event == "session.status":
            return [_session_fact(source, envelope.data)]
        items = _items(envelope.data) if event in _BATCHES else ()
        at = moment(envelope.timestamp) or self._clock.now()
        found = [_facts(source, event, item, at) or [source.other(event, place)] for place, item in enumerate(items)]
        return [fact for facts in found for fact in facts] or [source.other(event)]


class _Source(msgspec.Struct, frozen=True):
    """Where facts come from: the session, by its routing id, and the hash of the body."""

    routing: str
    digest: str

    def key(self, *parts: str) -> str:
        """WaSender has no ids, and two sessions in one group get the same message: each has its own facts.

        A hash, because people's phone numbers do not belong in a key.
        """
        return digest(raw("\n".join([self.routing, *parts])))

    def other(self, event: str, place: int = 0) -> UnhandledFact:
        name = event if _EVENT.fullmatch(event) else "unknown"
        return UnhandledFact(key=self.key(name, self.digest, str(place)), name=name)


def _session_fact(source: _Source, data: msgspec.Raw) -> Fact:
    report = decoded(data, Status)
    if report is None:
        return source.other("session.status")
    key = source.key("session.status", source.digest)
    # The documentation shows a word here in some places and the number in others: a word might be the key.
    subject = str(report.session_id) if _SESSION_ID.fullmatch(str(report.session_id)) else None
    state = state_of(report.status)
    if state == "connected":
        return AccessRestored(key=key, kind=Kind.WHATSAPP_QR, account="", subject=subject)
    if state in LOST:
        return AccessLost(key=key, reason=LOST[state], subject=subject)
    return source.other("session.status")


def _facts(source: _Source, event: str, item: msgspec.Raw, at: datetime) -> Sequence[Fact]:
    """Parse part of a batch into facts; none if nothing handles it, such as group messages."""
    if event in _NEW_MESSAGE:
        message = readable(item, Message)
        return _message(source, event, message, at) if message else ()
    if event == "messages.reaction":
        return _reaction(source, readable(item, Reacted), at)
    if event == "messages.delete":
        return _deleted(source, readable(item, Key), at)
    report = readable(item, Progressed)
    return _progress(source, report, at) if report else ()


def _message(source: _Source, event: str, message: Message, at: datetime) -> Sequence[Fact]:
    key, content = message.key, message.content
    name = source.key("message", key.remote_jid, key.id)
    outbound = event == "message.sent" if key.from_me is None else key.from_me
    contact = msgspec.structs.replace(key, from_me=outbound).contact(None if outbound else message.push_name)
    if contact is None:
        return [UnhandledFact(key=name, name=event)]
    if "reactionMessage" in content:
        report = readable(content["reactionMessage"], Reaction)
        return () if report is None else _reaction(source, Reacted(key=key, reaction=report), at)
    if "protocolMessage" in content:
        told_of = readable(content["protocolMessage"], Part) or Part()
        return _deleted(source, readable(told_of.key, Key), at) if told_of.type in _REVOKED else ()
    item = item_of(message, contact, at, outbound=outbound)
    reported = MessageReported(key=name, message=item, **_OF_NUMBER)
    if not outbound or key.msg_id is None:
        return [reported]
    # It was sent through WaSender: by us, recognizable by the number, or by somebody else.
    how = {"vendor_ids": (key.id,), "status": MessageStatus.SENT, **_OF_NUMBER}
    return [MessageProgressed(key=name, message_id=str(key.msg_id), at=item.at, **how), reported]


def _progress(source: _Source, report: Progressed, at: datetime) -> Sequence[Fact]:
    key, number = report.key, report.key.msg_id
    said = report.receipt.status if report.update.status is None else report.update.status
    status = _STATUSES.get(str(said).lower())
    if status is None or key.from_me is False or key.contact() is None:
        return ()
    return [
        MessageProgressed(
            key=source.key("status", key.id, status),
            message_id=key.id if number is None else str(number),
            vendor_ids=() if number is None else (key.id,),
            status=status,
            at=moment(report.receipt.t) or at,
            error=_UNDELIVERED if status is MessageStatus.FAILED else None,
            **_OF_NUMBER,
        )
    ]


def _reaction(source: _Source, report: Reacted | None, at: datetime) -> Sequence[Fact]:
    """One of the two keys is the message's, the other that of the reaction itself: the documentation is inconsistent.
    No message has the id of a reaction, so the wrong one leads nowhere.
    """
    contact = None if report is None else report.reaction.key.contact() or report.key.contact()
    if report is None or contact is None:
        return ()
    emoji = report.reaction.text
    ids = (report.key.id, report.reaction.key.id)
    about: dict[str, Any] = {"change": "reaction", "at": at, "emoji": emoji or None, "by": contact.id, **_OF_NUMBER}
    return [
        MessageChanged(key=source.key("reaction", one, *sorted(ids), emoji), message_id=one, **about) for one in ids
    ]


def _deleted(source: _Source, key: Key | None, at: datetime) -> Sequence[Fact]:
    if key is None or key.contact() is None:
        return ()
    name = source.key("deleted", key.id)
    return [MessageChanged(key=name, message_id=key.id, change="deleted", at=at, **_OF_NUMBER)]


def _items(data: msgspec.Raw) -> Sequence[msgspec.Raw]:
    """Find the parts of a batch: a list, one object, or either of them under `messages` or `keys`."""
    members = decoded(data, dict[str, msgspec.Raw])
    inner = data if members is None else members.get("messages") or members.get("keys") or data
    listed = decoded(inner, list[msgspec.Raw])
    if listed is not None:
        return listed
    return () if members is None else (inner,)
