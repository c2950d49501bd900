"""Updates that Telegram sends: one per request, proven by the secret that was set with the webhook."""

import re
from collections.abc import Sequence
from typing import Annotated, TypeAlias

import msgspec

from socialgate.connectors.receiving import UNPROVEN, decoded, digest, is_one_of, raw
from socialgate.contracts.inbound import Fact, InboundRequest, Reply, UnhandledFact

UpdateId: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]

_HEADER = "x-telegram-bot-api-secret-token"
_KIND = re.compile(r"[a-z_]{1,40}", re.ASCII)
# Bot API 10.3. A kind that is newer is named as Telegram names it.
_KINDS = frozenset(
    {
        "message",
        "edited_message",
        "channel_post",
        "edited_channel_post",
        "business_connection",
        "business_message",
        "edited_business_message",
        "deleted_business_messages",
        "guest_message",
        "message_reaction",
        "message_reaction_count",
        "inline_query",
        "chosen_inline_result",
        "callback_query",
        "shipping_query",
        "pre_checkout_query",
        "purchased_paid_media",
        "poll",
        "poll_answer",
        "my_chat_member",
        "chat_member",
        "chat_join_request",
        "chat_boost",
        "removed_chat_boost",
        "managed_bot",
        "subscription",
        "stopped_message_generation",
    }
)


class _Update(msgspec.Struct, frozen=True):
    update_id: UpdateId


class Updates:
    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        """The answer's body stays empty: Telegram would run a method that is named in it."""
        return Reply() if is_one_of(request.headers.get(_HEADER, ""), secrets) else UNPROVEN

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        members = decoded(request.body, dict[str, msgspec.Raw]) or {}
        update = decoded(request.body, _Update)
        if update is None:
            return [UnhandledFact(key=_key(request, digest(request.body)), name="unreadable")]
        return [UnhandledFact(key=_key(request, str(update.update_id)), name=_kind_of(members))]


def _kind_of(members: dict[str, msgspec.Raw]) -> str:
    known = (name for name in members if name in _KINDS)
    newer = (name for name in members if name != "update_id" and _KIND.fullmatch(name))
    return next(known, None) or next(newer, "unknown")


def _key(request: InboundRequest, own: str) -> str:
    """Bots count their updates each for itself: two bots may well use one number."""
    routing = request.query.get("r", "")
    return f"{digest(raw(routing))[:16]}:{own}" if routing else own
