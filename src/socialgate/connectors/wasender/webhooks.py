"""Webhooks from WaSender. They are verified by the secret itself, in a header; the body contains the session's key."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.lenient_decoding import decode_leniently_or_none
from socialgate.connectors.wasender.accounts import LOST_SESSION_REASONS
from socialgate.connectors.wasender.api import normalize_status
from socialgate.connectors.wasender.message_parser import parse_message
from socialgate.connectors.wasender.payloads import (
    IncomingMessage,
    IncomingReaction,
    MessageContent,
    MessageKey,
    MessageStatusReport,
    ReactionReport,
    SessionStatus,
    WebhookEnvelope,
)
from socialgate.connectors.webhook_helpers import (
    UNAUTHENTICATED_RESPONSE,
    compute_sha256,
    decode_json_or_none,
    encode_header,
    matches_any_secret,
    parse_unix_time,
    take_facts,
)
from socialgate.contracts.messages import MessageChanged, MessageProgressed, MessageReported, MessageStatus
from socialgate.contracts.platforms import Kind
from socialgate.contracts.webhooks import (
    AccessLost,
    AccessRestored,
    PlatformFact,
    UnhandledFact,
    WebhookRequest,
    WebhookResponse,
)
from socialgate.core.clock import Clock

_SECRET_HEADER = "x-webhook-signature"  # noqa: S105 - the name of a header
_EVENT_NAME_PATTERN = re.compile(r"[a-z][a-z.-]{0,59}", re.ASCII)
_SESSION_ID_PATTERN = re.compile(r"[0-9]{1,20}", re.ASCII)
# One of these fields contains the key of the session. A plain number is not a key.
_SESSION_KEY_PATTERN = re.compile(rb'("session_?id"\s*:\s*")(?![0-9]{1,20}")(?:[^"\\]|\\.)*', re.IGNORECASE | re.DOTALL)
_MISSPELLED_EVENTS = {"messages.recieved": "messages.received"}
# Several of these can report the same message.
_DUPLICATING_EVENTS = ("messages-personal.received", "messages-group.received", "messages-newsletter.received")
_NEW_MESSAGE_EVENTS = frozenset({"messages.received", "messages.upsert", "message.sent", *_DUPLICATING_EVENTS})
_BATCH_EVENTS = _NEW_MESSAGE_EVENTS | {
    "messages.update",
    "message-receipt.update",
    "messages.reaction",
    "messages.delete",
}


_FACT_FIELDS: dict[str, Any] = {"kind": Kind.WHATSAPP_QR, "account": ""}
# WhatsApp's numbers, and its names for them. A message that only waits to be sent is not reported.
_STATUSES_BY_VENDOR_NAME = {
    **dict.fromkeys(("0", "error"), MessageStatus.FAILED),
    **dict.fromkeys(("2", "server_ack"), MessageStatus.SENT),
    **dict.fromkeys(("3", "delivery_ack"), MessageStatus.DELIVERED),
    **dict.fromkeys(("4", "read", "5", "played"), MessageStatus.READ),
}
_UNDELIVERED_DETAIL = (
    "WhatsApp did not deliver the message. Check that the number is on WhatsApp, and the file if there is one."
)
_REVOKE_TYPES = frozenset({0, "0", "REVOKE"})


class WasenderWebhookReceiver:
    def __init__(self, clock: Clock) -> None:
        """Take what tells the time, for events that do not."""
        self._clock = clock

    async def receive(self, request: WebhookRequest, secrets: Sequence[str]) -> WebhookResponse:
        if not matches_any_secret(request.headers.get(_SECRET_HEADER, ""), secrets):
            return UNAUTHENTICATED_RESPONSE
        return WebhookResponse(redacted_body=_SESSION_KEY_PATTERN.sub(rb"\1***", request.body))

    def parse(self, request: WebhookRequest) -> Sequence[PlatformFact]:
        source = _FactKeyBuilder(request.query.get("r", ""), compute_sha256(request.body))
        envelope = decode_leniently_or_none(request.body, WebhookEnvelope)
        if envelope is None:
            return [source.build_unhandled_fact("unreadable")]
        event = _MISSPELLED_EVENTS.get(envelope.event, envelope.event)
        if event == "session.status":
            return [_parse_session_status(source, envelope.data)]
        items = _list_batch_parts(envelope.data) if event in _BATCH_EVENTS else ()
        at = parse_unix_time(envelope.timestamp) or self._clock.now()
        facts = (
            fact
            for place, item in enumerate(items)
            for fact in _parse_facts(source, event, item, at) or [source.build_unhandled_fact(event, place)]
        )
        return take_facts(facts) or [source.build_unhandled_fact(event)]


class _FactKeyBuilder(msgspec.Struct, frozen=True):
    """Where facts come from: the session, by its routing id, and the hash of the body."""

    routing: str
    digest: str

    def build_key(self, *parts: str) -> str:
        """WaSender has no ids, and two sessions in one group get the same message: each has its own facts.

        A hash, because people's phone numbers do not belong in a key.
        """
        return compute_sha256(encode_header("\n".join([self.routing, *parts])))

    def build_unhandled_fact(self, event: str, place: int = 0) -> UnhandledFact:
        name = event if _EVENT_NAME_PATTERN.fullmatch(event) else "unknown"
        return UnhandledFact(dedup_key=self.build_key(name, self.digest, str(place)), name=name)


def _parse_session_status(source: _FactKeyBuilder, data: msgspec.Raw) -> PlatformFact:
    report = decode_json_or_none(data, SessionStatus)
    if report is None:
        return source.build_unhandled_fact("session.status")
    key = source.build_key("session.status", source.digest)
    # The documentation shows a word here in some places and the number in others: a word might be the key.
    subject = str(report.session_id) if _SESSION_ID_PATTERN.fullmatch(str(report.session_id)) else None
    state = normalize_status(report.status)
    if state == "connected":
        return AccessRestored(dedup_key=key, kind=Kind.WHATSAPP_QR, platform_account_id="", subject=subject)
    if state in LOST_SESSION_REASONS:
        return AccessLost(dedup_key=key, reason=LOST_SESSION_REASONS[state], subject=subject)
    return source.build_unhandled_fact("session.status")


def _parse_facts(source: _FactKeyBuilder, event: str, item: msgspec.Raw, at: datetime) -> Sequence[PlatformFact]:
    """Parse part of a batch into facts; none if nothing handles it, such as group messages."""
    if event in _NEW_MESSAGE_EVENTS:
        message = decode_leniently_or_none(item, IncomingMessage)
        return _parse_message_facts(source, event, message, at) if message else ()
    if event == "messages.reaction":
        return _parse_reaction_facts(source, decode_leniently_or_none(item, ReactionReport), at)
    if event == "messages.delete":
        return _parse_deletion_facts(source, decode_leniently_or_none(item, MessageKey), at)
    report = decode_leniently_or_none(item, MessageStatusReport)
    return _parse_status_facts(source, report, at) if report else ()


def _parse_message_facts(
    source: _FactKeyBuilder, event: str, message: IncomingMessage, at: datetime
) -> Sequence[PlatformFact]:
    key, content = message.key, message.content
    name = source.build_key("message", key.remote_jid, key.id)
    outbound = event == "message.sent" if key.from_me is None else key.from_me
    contact = msgspec.structs.replace(key, from_me=outbound).get_contact(None if outbound else message.push_name)
    if contact is None:
        return [UnhandledFact(dedup_key=name, name=event)]
    if "reactionMessage" in content:
        report = decode_leniently_or_none(content["reactionMessage"], IncomingReaction)
        return () if report is None else _parse_reaction_facts(source, ReactionReport(key=key, reaction=report), at)
    if "protocolMessage" in content:
        told_of = decode_leniently_or_none(content["protocolMessage"], MessageContent) or MessageContent()
        return (
            _parse_deletion_facts(source, decode_leniently_or_none(told_of.key, MessageKey), at)
            if told_of.type in _REVOKE_TYPES
            else ()
        )
    item = parse_message(message, contact, at, outbound=outbound)
    reported = MessageReported(dedup_key=name, message=item, **_FACT_FIELDS)
    if not outbound or key.msg_id is None:
        return [reported]
    # It was sent through WaSender: by us, recognizable by the number, or by somebody else.
    values = {"vendor_ids": (key.id,), "status": MessageStatus.SENT, **_FACT_FIELDS}
    return [MessageProgressed(dedup_key=name, message_id=str(key.msg_id), sent_at=item.sent_at, **values), reported]


def _parse_status_facts(source: _FactKeyBuilder, report: MessageStatusReport, at: datetime) -> Sequence[PlatformFact]:
    key, number = report.key, report.key.msg_id
    message = report.receipt.status if report.update.status is None else report.update.status
    status = _STATUSES_BY_VENDOR_NAME.get(str(message).lower())
    if status is None or key.from_me is False or key.get_contact() is None:
        return ()
    return [
        MessageProgressed(
            dedup_key=source.build_key("status", key.id, status),
            message_id=key.id if number is None else str(number),
            vendor_ids=() if number is None else (key.id,),
            status=status,
            sent_at=parse_unix_time(report.receipt.t) or at,
            error=_UNDELIVERED_DETAIL if status is MessageStatus.FAILED else None,
            **_FACT_FIELDS,
        )
    ]


def _parse_reaction_facts(
    source: _FactKeyBuilder, report: ReactionReport | None, at: datetime
) -> Sequence[PlatformFact]:
    """One of the two keys is the message's, the other that of the reaction itself: the documentation is inconsistent.
    No message has the id of a reaction, so the wrong one leads nowhere.
    """
    contact = None if report is None else report.reaction.key.get_contact() or report.key.get_contact()
    if report is None or contact is None:
        return ()
    emoji = report.reaction.text
    ids = (report.key.id, report.reaction.key.id)
    about: dict[str, Any] = {
        "change": "reaction",
        "sent_at": at,
        "emoji": emoji or None,
        "reacted_by": contact.id,
        **_FACT_FIELDS,
    }
    return [
        MessageChanged(dedup_key=source.build_key("reaction", value, *sorted(ids), emoji), message_id=value, **about)
        for value in ids
    ]


def _parse_deletion_facts(source: _FactKeyBuilder, key: MessageKey | None, at: datetime) -> Sequence[PlatformFact]:
    if key is None or key.get_contact() is None:
        return ()
    name = source.build_key("deleted", key.id)
    return [MessageChanged(dedup_key=name, message_id=key.id, change="deleted", sent_at=at, **_FACT_FIELDS)]


def _list_batch_parts(data: msgspec.Raw) -> Sequence[msgspec.Raw]:
    """Find the parts of a batch: a list, one object, or either of them under `messages` or `keys`."""
    members = decode_json_or_none(data, dict[str, msgspec.Raw])
    inner = data if members is None else members.get("messages") or members.get("keys") or data
    listed = decode_json_or_none(inner, list[msgspec.Raw])
    if listed is not None:
        return listed
    return () if members is None else (inner,)
