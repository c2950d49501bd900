"""The calls of the Bot API. The token stands in the path of each: no address made here may reach an error or a log."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from socialgate.connectors.client import DEADLINE_SECONDS, Call, Client
from socialgate.connectors.dialects.bot import PLACE, BotDialect
from socialgate.connectors.telegram.errors import DEAD, TABLE
from socialgate.connectors.tolerant import Tolerant
from socialgate.connectors.wire import Wire
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.messages import MediaLocation
from socialgate.contracts.platforms import Platform

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
# 50 MB go in one request.
_FORM_SECONDS = 300.0


class Bot(Tolerant, frozen=True):
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


class StoredFile(Tolerant, frozen=True):
    file_path: str = ""


class Form(msgspec.Struct, frozen=True):
    """A body with files in it."""

    content_type: str
    body: bytes


class BotApi:
    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._client = Client(wire, BotDialect(), TABLE)

    async def get_me(self, token: str) -> Bot:
        """Ask who the bot is. That Telegram does not find it here means that there is no such bot any more."""
        try:
            return await self.call(token, "getMe", Bot, repeatable=True)
        except PlatformNotFound as failure:
            raise DEAD.word(DEAD.detail, platform=Platform.TELEGRAM, error=failure.platform_error) from None

    async def get_webhook_info(self, token: str) -> Webhook:
        return await self.call(token, "getWebhookInfo", Webhook, repeatable=True)

    async def get_my_description(self, token: str) -> str:
        return (await self.call(token, "getMyDescription", Description, repeatable=True)).description

    async def get_my_short_description(self, token: str) -> str:
        found = await self.call(token, "getMyShortDescription", ShortDescription, repeatable=True)
        return found.short_description

    async def set_webhook(self, token: str, url: str, secret: str, *, drop_pending: bool) -> None:
        parameters = {
            "url": url,
            "secret_token": secret,
            "allowed_updates": ALLOWED_UPDATES,
            "max_connections": _MOST_CONNECTIONS,
            "drop_pending_updates": drop_pending,
        }
        await self.call(token, "setWebhook", object, parameters, repeatable=True, secrets=(url, secret))

    async def delete_webhook(self, token: str) -> None:
        await self.call(token, "deleteWebhook", object, {}, repeatable=True)

    async def locate(self, token: str, file_id: str) -> MediaLocation:
        """Ask where a file can be fetched within the next hour. The token stands in that address, too."""
        path = (await self.call(token, "getFile", StoredFile, {"file_id": file_id}, repeatable=True)).file_path
        if not path:
            raise PlatformNotFound("Telegram does not have this file any more.", platform=Platform.TELEGRAM)
        url = self._wire.address(f"{_HOST}/file/bot{token}/{quote(path)}")
        return MediaLocation(door=self._wire.door, url=url)

    async def call(
        self,
        token: str,
        method: str,
        shape: type[T],
        parameters: Mapping[str, Any] | None = None,
        *,
        repeatable: bool,
        secrets: Sequence[str] = (),
        chat: str | None = None,
        form: Form | None = None,
        spends: tuple[tuple[str, int], ...] = (),
    ) -> T:
        """Call a method. With a `chat` the limits of that chat count, and reaching them holds back no other."""
        bot_id = token.partition(":")[0]
        call = Call(
            method="GET" if parameters is None else "POST",
            url=f"{_HOST}/bot{PLACE}/{method}",
            repeatable=repeatable,
            token=token,
            budgets=(f"{bot_id}:{chat}", bot_id) if chat else (bot_id,),
            spends=spends,
            headers={"Content-Type": form.content_type} if form else {},
            json=None if form else parameters,
            body=form.body if form else None,
            deadline=_FORM_SECONDS if form else DEADLINE_SECONDS,
            hidden=tuple(secrets),
        )
        return await self._client.call(call, shape)
