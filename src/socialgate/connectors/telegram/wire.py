"""The calls of the Bot API. The token stands in the path of each: no address made here may reach an error or a log."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from socialgate.connectors.telegram.errors import Envelope, failure
from socialgate.connectors.wire import Wire, read
from socialgate.contracts.failures import PlatformRateLimited

T = TypeVar("T")

_HOST = "https://api.telegram.org"

# Without this list Telegram leaves out reactions, and remembers the list of whoever had the bot before.
ALLOWED_UPDATES = (
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "callback_query",
    "message_reaction",
    "message_reaction_count",
    "my_chat_member",
    "business_connection",
    "business_message",
    "edited_business_message",
    "deleted_business_messages",
)
_MOST_CONNECTIONS = 40
_SECONDS = 30.0
# 50 MB go in one request.
_FORM_SECONDS = 300.0


class Bot(msgspec.Struct, frozen=True):
    """The bot as `getMe` tells it. A well-known fake server leaves out `is_bot`."""

    number: int | str = msgspec.field(name="id")
    first_name: str = ""
    username: str | None = None
    is_bot: bool = True
    can_join_groups: bool | None = None
    can_read_all_group_messages: bool | None = None
    supports_inline_queries: bool | None = None
    can_connect_to_business: bool | None = None

    @property
    def id(self) -> str:
        return str(self.number)

    @property
    def name(self) -> str:
        return self.first_name or self.username or self.id

    @property
    def link(self) -> str | None:
        return f"https://t.me/{self.username}" if self.username else None


class Webhook(msgspec.Struct, frozen=True):
    url: str = ""
    pending_update_count: int = 0
    last_error_date: int | None = None
    last_error_message: str | None = None


class Description(msgspec.Struct, frozen=True):
    description: str = ""


class ShortDescription(msgspec.Struct, frozen=True):
    short_description: str = ""


class Form(msgspec.Struct, frozen=True):
    """A body with files in it."""

    content_type: str
    body: bytes


class BotApi:
    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    async def get_me(self, token: str) -> Bot:
        return await self.call(token, "getMe", Bot)

    async def get_webhook_info(self, token: str) -> Webhook:
        return await self.call(token, "getWebhookInfo", Webhook)

    async def get_my_description(self, token: str) -> str:
        return (await self.call(token, "getMyDescription", Description)).description

    async def get_my_short_description(self, token: str) -> str:
        return (await self.call(token, "getMyShortDescription", ShortDescription)).short_description

    async def set_webhook(self, token: str, url: str, secret: str, *, drop_pending: bool) -> None:
        parameters = {
            "url": url,
            "secret_token": secret,
            "allowed_updates": ALLOWED_UPDATES,
            "max_connections": _MOST_CONNECTIONS,
            "drop_pending_updates": drop_pending,
        }
        await self.call(token, "setWebhook", object, parameters, secrets=(url, secret))

    async def delete_webhook(self, token: str) -> None:
        await self.call(token, "deleteWebhook", object, {})

    async def call(
        self,
        token: str,
        method: str,
        shape: type[T],
        parameters: Mapping[str, Any] | None = None,
        *,
        secrets: Sequence[str] = (),
        chat: str | None = None,
        form: Form | None = None,
        mutates: bool = False,
    ) -> T:
        """Call a method; `mutates` where repeating it would do harm.

        With a `chat` the limits of that chat count, and reaching them holds back no other.
        """
        bot_id = token.partition(":")[0]
        budget = f"{bot_id}:{chat}" if chat else bot_id
        await self._wire.require_not_paused(bot_id, budget)
        answer = await self._wire.send(
            "GET" if parameters is None else "POST",
            f"{_HOST}/bot{token}/{method}",
            headers={"Content-Type": form.content_type} if form else {},
            json=None if form else parameters,
            body=form.body if form else None,
            mutates=mutates,
            deadline=_FORM_SECONDS if form else _SECONDS,
        )
        envelope = read(answer, Envelope)
        if envelope is not None and envelope.ok:
            result = _result(envelope, shape)
            if result is not None:
                return result
        refused = failure(answer, method, (token, *secrets), mutates=mutates)
        if isinstance(refused, PlatformRateLimited) and refused.retry_after:
            await self._wire.pause(budget, refused.retry_after)
        raise refused


def _result(envelope: Envelope, shape: type[T]) -> T | None:
    """Read the result, None where it has not the shape that is documented."""
    if shape is object:
        return shape()
    try:
        return msgspec.json.decode(envelope.result, type=shape, strict=False)
    except (ValueError, RecursionError):
        return None
