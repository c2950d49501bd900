"""The Bot API calls. The token is in the path of each: no URL built here may reach an error or a log."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import msgspec

from socialgate.connectors.client import Access, Client
from socialgate.connectors.dialects.bot import PLACE, BotDialect
from socialgate.connectors.multipart import Attached, form_of
from socialgate.connectors.telegram.errors import DEAD, TABLE
from socialgate.connectors.tolerant import Tolerant
from socialgate.connectors.wire import Wire
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.messages import MediaLocation
from socialgate.contracts.platforms import Platform

_HOST = "https://api.telegram.org"

# Without this list Telegram omits reactions, and keeps the list of the bot's previous service.
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
# One request can have 50 MB.
_FORM_SECONDS = 300.0
# The quotas of the manifest that a message to a group or a channel uses.
_POST = (("messages", 1), ("messages per chat", 1), ("messages per group or channel", 1))


class Bot(Tolerant, frozen=True):
    """The bot as returned by `getMe`. A well-known fake server omits `is_bot`."""

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


class Told(Tolerant, frozen=True):
    """What the smaller methods return, each with one of these."""

    description: str = ""
    short_description: str = ""
    file_path: str = ""


class Chat(msgspec.Struct, frozen=True, kw_only=True):
    number: int = msgspec.field(name="id")
    type: str = ""
    title: str | None = None
    username: str | None = None

    @property
    def name(self) -> str:
        return self.title or self.username or str(self.number)


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """The bot's membership in a chat. Permissions are reported for administrators and restricted members."""

    status: str = ""
    can_post_messages: bool | None = None
    can_send_messages: bool | None = None


class Posted(Tolerant, frozen=True, kw_only=True):
    message_id: int
    date: int | None = None

    @property
    def sent_at(self) -> datetime | None:
        """When it was posted, if the number can be a time: milliseconds would be in another era."""
        try:
            return datetime.fromtimestamp(self.date, UTC) if self.date else None
        except (ValueError, OverflowError, OSError):
            return None


class BotApi:
    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._client = Client(wire, BotDialect(), TABLE)

    def access(self, token: str, chat: object = None) -> Access:
        """Call methods by name. With a `chat` its limits count, and reaching them blocks no other chat."""
        bot_id = token.partition(":")[0]
        budgets = (bot_id,) if chat is None else (f"{bot_id}:{chat}", bot_id)
        return Access(self._client, f"{_HOST}/bot{PLACE}/", token=token, budgets=budgets)

    def of(self, held: AccountCredentials, chat: object = None) -> Access:
        return self.access(held.grant.access_token, chat)

    async def get_me(self, token: str) -> Bot:
        """Ask who the bot is. If Telegram does not find it, the bot no longer exists."""
        try:
            return await self.access(token).get("getMe", Bot)
        except PlatformNotFound as failure:
            raise DEAD.word(DEAD.detail, platform=Platform.TELEGRAM, error=failure.platform_error) from None

    async def get_webhook_info(self, token: str) -> Webhook:
        return await self.access(token).get("getWebhookInfo", Webhook)

    async def set_webhook(self, token: str, url: str, secret: str, *, drop_pending: bool) -> None:
        parameters = {
            "url": url,
            "secret_token": secret,
            "allowed_updates": ALLOWED_UPDATES,
            "max_connections": _MOST_CONNECTIONS,
            "drop_pending_updates": drop_pending,
        }
        await self.access(token).post("setWebhook", object, parameters, repeatable=True, hidden=(url, secret))

    async def delete_webhook(self, token: str) -> None:
        await self.access(token).post("deleteWebhook", object, {}, repeatable=True)

    async def locate(self, token: str, file_id: str) -> MediaLocation:
        """Ask where a file can be downloaded within the next hour. That URL also contains the token."""
        path = (await self.access(token).post("getFile", Told, {"file_id": file_id}, repeatable=True)).file_path
        if not path:
            raise PlatformNotFound("Telegram no longer has this file.", platform=Platform.TELEGRAM)
        url = self._wire.address(f"{_HOST}/file/bot{token}/{quote(path)}")
        return MediaLocation(door=self._wire.door, url=url)

    async def chat(self, held: AccountCredentials, chat_id: str) -> Chat:
        return await self.of(held).post("getChat", Chat, {"chat_id": chat_id}, repeatable=True)

    async def member(self, held: AccountCredentials, chat: Chat) -> Member:
        """Read the bot's own membership there."""
        parameters = {"chat_id": chat.number, "user_id": int(held.platform_account_id)}
        return await self.of(held).post("getChatMember", Member, parameters, repeatable=True)

    async def post(
        self, held: AccountCredentials, method: str, parameters: Mapping[str, Any], files: Sequence[Attached]
    ) -> Sequence[Posted]:
        """Post, and return the resulting messages: an album is several."""
        how: dict[str, Any] = {"json": parameters}
        if files:
            how = {**form_of(parameters, files), "deadline": _FORM_SECONDS}
        access = self.of(held, parameters["chat_id"])
        shape = list[Posted] if method == "sendMediaGroup" else Posted
        sent: Any = await access.call("POST", method, shape, repeatable=False, spends=_POST, **how)
        return sent if isinstance(sent, list) else [sent]

    async def delete(self, held: AccountCredentials, chat_id: int, message_ids: Sequence[int]) -> None:
        several = len(message_ids) > 1
        ids = {"message_ids": message_ids} if several else {"message_id": message_ids[0]}
        method = "deleteMessages" if several else "deleteMessage"
        await self.of(held, chat_id).post(method, object, {"chat_id": chat_id, **ids}, repeatable=False)
