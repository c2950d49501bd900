"""Updates from Telegram: one per request, verified by the secret that was set with the webhook.

Messages in private chats are processed. Groups and channels are not conversations of the bot.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, TypeAlias

import msgspec

from socialgate.connectors.lenient_decoding import decode_leniently_or_none
from socialgate.connectors.telegram.api import ALLOWED_UPDATES
from socialgate.connectors.telegram.message_parser import parse_button_press, parse_message
from socialgate.connectors.telegram.payloads import (
    CallbackQuery,
    DeletedMessages,
    IncomingMessage,
    IncomingReaction,
    build_contact_id,
    parse_contact_id,
)
from socialgate.connectors.webhook_helpers import (
    UNAUTHENTICATED_RESPONSE,
    compute_sha256,
    decode_json_or_none,
    encode_header,
    matches_any_secret,
    parse_unix_time,
)
from socialgate.contracts.messages import MessageChanged, MessageReported
from socialgate.contracts.platforms import Kind
from socialgate.contracts.webhooks import PlatformFact, UnhandledFact, WebhookRequest, WebhookResponse
from socialgate.core.clock import Clock

UpdateId: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]

_SECRET_HEADER = "x-telegram-bot-api-secret-token"  # noqa: S105 - the name of a header
_UPDATE_TYPE_PATTERN = re.compile(r"[a-z_]{1,40}", re.ASCII)
_FACT_FIELDS: dict[str, Any] = {"kind": Kind.TELEGRAM_BOT, "account": ""}


class _TelegramUpdate(msgspec.Struct, frozen=True):
    update_id: UpdateId


class TelegramWebhookReceiver:
    def __init__(self, clock: Clock) -> None:
        """Take what tells the time, for updates that do not."""
        self._clock = clock

    async def receive(self, request: WebhookRequest, secrets: Sequence[str]) -> WebhookResponse:
        """The response body stays empty: Telegram would run a method that is named in it."""
        return (
            WebhookResponse()
            if matches_any_secret(request.headers.get(_SECRET_HEADER, ""), secrets)
            else UNAUTHENTICATED_RESPONSE
        )

    def parse(self, request: WebhookRequest) -> Sequence[PlatformFact]:
        members = decode_json_or_none(request.body, dict[str, msgspec.Raw]) or {}
        update = decode_json_or_none(request.body, _TelegramUpdate)
        if update is None:
            return [UnhandledFact(dedup_key=_build_fact_key(request, compute_sha256(request.body)), name="unreadable")]
        name, key = _get_update_type(members), _build_fact_key(request, str(update.update_id))
        facts = _parse_facts(key, name, members[name], self._clock.now()) if name in members else ()
        return facts or [UnhandledFact(dedup_key=key, name=name)]


def _parse_facts(key: str, name: str, payload: msgspec.Raw, now: datetime) -> Sequence[PlatformFact]:
    """Parse an update into facts; none if nothing handles it."""
    match name:
        case "message" | "business_message" | "edited_message" | "edited_business_message":
            message = decode_leniently_or_none(payload, IncomingMessage)
            return _parse_message_facts(key, message, now, is_new=not name.startswith("edited")) if message else ()
        case "callback_query":
            query = decode_leniently_or_none(payload, CallbackQuery)
            if query is None or not query.message.is_private:
                return ()
            item = parse_button_press(query.id, query.data, query.message, now)
            return [MessageReported(dedup_key=key, message=item, **_FACT_FIELDS)]
        case "message_reaction":
            reaction = decode_leniently_or_none(payload, IncomingReaction)
            return _parse_reaction_facts(key, reaction, now) if reaction else ()
        case "deleted_business_messages":
            deleted = decode_leniently_or_none(payload, DeletedMessages)
            return _parse_deletion_facts(key, deleted, now) if deleted else ()
    return ()


def _parse_message_facts(key: str, message: IncomingMessage, now: datetime, *, is_new: bool) -> Sequence[PlatformFact]:
    if not message.is_private:
        return ()
    if is_new:
        return [MessageReported(dedup_key=key, message=parse_message(message, now), **_FACT_FIELDS)]
    at = parse_unix_time(message.edit_date) or now
    return [
        MessageChanged(
            dedup_key=key,
            message_id=message.id,
            change="edited",
            sent_at=at,
            text=message.text_or_caption,
            **_FACT_FIELDS,
        )
    ]


def _parse_reaction_facts(key: str, update: IncomingReaction, now: datetime) -> Sequence[PlatformFact]:
    """In a private chat there are only the bot and the person, and the bot gets the other's reactions."""
    person, at = str(update.chat.id), parse_unix_time(update.date) or now
    if update.chat.type != "private" or parse_contact_id(person) is None:
        return ()
    emoji = next((message_part.emoji for message_part in update.new_reaction if message_part.emoji), None)
    message_id = f"{person}:{update.message_id}"
    return [
        MessageChanged(
            dedup_key=key,
            message_id=message_id,
            change="reaction",
            sent_at=at,
            emoji=emoji,
            reacted_by=person,
            **_FACT_FIELDS,
        )
    ]


def _parse_deletion_facts(key: str, update: DeletedMessages, now: datetime) -> Sequence[PlatformFact]:
    contact = build_contact_id(update.business_connection_id, update.chat)
    if parse_contact_id(contact) is None:
        return ()
    return [
        MessageChanged(
            dedup_key=f"{key}:{number}", message_id=f"{contact}:{number}", change="deleted", sent_at=now, **_FACT_FIELDS
        )
        for number in update.message_ids
    ]


def _get_update_type(members: dict[str, msgspec.Raw]) -> str:
    """Find the content. A kind that was not requested has Telegram's own name."""
    known = (name for name in members if name in ALLOWED_UPDATES)
    newer = (name for name in members if name != "update_id" and _UPDATE_TYPE_PATTERN.fullmatch(name))
    return next(known, None) or next(newer, "unknown")


def _build_fact_key(request: WebhookRequest, own: str) -> str:
    """Each bot counts its own updates: two bots may well use the same number."""
    routing = request.query.get("r", "")
    return f"{compute_sha256(encode_header(routing))[:16]}:{own}" if routing else own
