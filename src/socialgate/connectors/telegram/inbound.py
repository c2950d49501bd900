"""Updates from Telegram: one per request, verified by the secret that was set with the webhook.

Messages in private chats are processed. Groups and channels are not conversations of the bot.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, TypeAlias

import msgspec

from socialgate.connectors.receiving import UNPROVEN, decoded, digest, is_one_of, moment, raw
from socialgate.connectors.telegram.incoming import item_of, pressed
from socialgate.connectors.telegram.shapes import Deleted, Message, Query, Reaction, chat_of, contact_id
from socialgate.connectors.telegram.wire import ALLOWED_UPDATES
from socialgate.connectors.tolerant import readable
from socialgate.contracts.inbound import Fact, InboundRequest, Reply, UnhandledFact
from socialgate.contracts.messages import MessageChanged, MessageReported
from socialgate.contracts.platforms import Kind
from socialgate.core.clock import Clock

UpdateId: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]

_HEADER = "x-telegram-bot-api-secret-token"
_KIND = re.compile(r"[a-z_]{1,40}", re.ASCII)
_OF_BOT: dict[str, Any] = {"kind": Kind.TELEGRAM_BOT, "account": ""}


class _Update(msgspec.Struct, frozen=True):
    update_id: UpdateId


class Updates:
    def __init__(self, clock: Clock) -> None:
        """Take what tells the time, for updates that do not."""
        self._clock = clock

    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        """The response body stays empty: Telegram would run a method that is named in it."""
        return Reply() if is_one_of(request.headers.get(_HEADER, ""), secrets) else UNPROVEN

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        members = decoded(request.body, dict[str, msgspec.Raw]) or {}
        update = decoded(request.body, _Update)
        if update is None:
            return [UnhandledFact(key=_key(request, digest(request.body)), name="unreadable")]
        name, key = _kind_of(members), _key(request, str(update.update_id))
        facts = _facts(key, name, members[name], self._clock.now()) if name in members else ()
        return facts or [UnhandledFact(key=key, name=name)]


def _facts(key: str, name: str, said: msgspec.Raw, now: datetime) -> Sequence[Fact]:
    """Parse an update into facts; none if nothing handles it."""
    match name:
        case "message" | "business_message" | "edited_message" | "edited_business_message":
            message = readable(said, Message)
            return _message(key, message, now, is_new=not name.startswith("edited")) if message else ()
        case "callback_query":
            query = readable(said, Query)
            if query is None or not query.message.is_private:
                return ()
            item = pressed(query.id, query.data, query.message, now)
            return [MessageReported(key=key, message=item, **_OF_BOT)]
        case "message_reaction":
            reaction = readable(said, Reaction)
            return _reaction(key, reaction, now) if reaction else ()
        case "deleted_business_messages":
            deleted = readable(said, Deleted)
            return _deleted(key, deleted, now) if deleted else ()
    return ()


def _message(key: str, message: Message, now: datetime, *, is_new: bool) -> Sequence[Fact]:
    if not message.is_private:
        return ()
    if is_new:
        return [MessageReported(key=key, message=item_of(message, now), **_OF_BOT)]
    at = moment(message.edit_date) or now
    return [MessageChanged(key=key, message_id=message.id, change="edited", at=at, text=message.words, **_OF_BOT)]


def _reaction(key: str, update: Reaction, now: datetime) -> Sequence[Fact]:
    """In a private chat there are only the bot and the person, and the bot gets the other's reactions."""
    person, at = str(update.chat.id), moment(update.date) or now
    if update.chat.type != "private" or chat_of(person) is None:
        return ()
    emoji = next((one.emoji for one in update.new_reaction if one.emoji), None)
    message_id = f"{person}:{update.message_id}"
    return [MessageChanged(key=key, message_id=message_id, change="reaction", at=at, emoji=emoji, by=person, **_OF_BOT)]


def _deleted(key: str, update: Deleted, now: datetime) -> Sequence[Fact]:
    contact = contact_id(update.business_connection_id, update.chat)
    if chat_of(contact) is None:
        return ()
    return [
        MessageChanged(key=f"{key}:{number}", message_id=f"{contact}:{number}", change="deleted", at=now, **_OF_BOT)
        for number in update.message_ids
    ]


def _kind_of(members: dict[str, msgspec.Raw]) -> str:
    """Find the content. A kind that was not requested has Telegram's own name."""
    known = (name for name in members if name in ALLOWED_UPDATES)
    newer = (name for name in members if name != "update_id" and _KIND.fullmatch(name))
    return next(known, None) or next(newer, "unknown")


def _key(request: InboundRequest, own: str) -> str:
    """Each bot counts its own updates: two bots may well use the same number."""
    routing = request.query.get("r", "")
    return f"{digest(raw(routing))[:16]}:{own}" if routing else own
