"""The Bot API calls. The token is in the path of each: no URL built here may reach an error or a log."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import msgspec

from socialgate.connectors.client import AuthorizedClient, VendorClient
from socialgate.connectors.dialects.telegram import BOT_TOKEN_PLACEHOLDER, TelegramDialect
from socialgate.connectors.lenient_decoding import LenientStruct
from socialgate.connectors.multipart import FilePart, encode_multipart
from socialgate.connectors.telegram.errors import ERROR_TABLE, TOKEN_REJECTED_RULE
from socialgate.connectors.transport import VendorTransport
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.contracts.messages import MediaDownload
from socialgate.contracts.platforms import Platform

_API_URL = "https://api.telegram.org"

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
_MAX_WEBHOOK_CONNECTIONS = 40
# One request can have 50 MB.
_UPLOAD_TIMEOUT_SECONDS = 300.0
# The quotas of the manifest that a message to a group or a channel uses.
_POST_QUOTA_COSTS = (("messages", 1), ("messages per chat", 1), ("messages per group or channel", 1))


class Bot(LenientStruct, frozen=True):
    """The bot as returned by `getMe`. A well-known fake server omits `is_bot`."""

    numeric_id: int | str = msgspec.field(name="id")
    first_name: str = ""
    username: str | None = None
    is_bot: bool = True
    can_join_groups: bool | None = None
    can_read_all_group_messages: bool | None = None
    supports_inline_queries: bool | None = None
    can_connect_to_business: bool | None = None

    @property
    def id(self) -> str:
        return str(self.numeric_id)

    @property
    def name(self) -> str:
        return self.first_name or self.username or self.id

    @property
    def link(self) -> str | None:
        return f"https://t.me/{self.username}" if self.username else None


class WebhookInfo(msgspec.Struct, frozen=True):
    url: str = ""
    pending_update_count: int = 0
    last_error_date: int | None = None
    last_error_message: str | None = None


class MethodResult(LenientStruct, frozen=True):
    """What the smaller methods return, each with one of these."""

    description: str = ""
    short_description: str = ""
    file_path: str = ""


class Chat(msgspec.Struct, frozen=True, kw_only=True):
    numeric_id: int = msgspec.field(name="id")
    type: str = ""
    title: str | None = None
    username: str | None = None

    @property
    def name(self) -> str:
        return self.title or self.username or str(self.numeric_id)


class ChatMembership(msgspec.Struct, frozen=True, kw_only=True):
    """The bot's membership in a chat. Permissions are reported for administrators and restricted members."""

    status: str = ""
    can_post_messages: bool | None = None
    can_send_messages: bool | None = None


class TelegramMessage(LenientStruct, frozen=True, kw_only=True):
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
    def __init__(self, wire: VendorTransport) -> None:
        self._wire = wire
        self._client = VendorClient(wire, TelegramDialect(), ERROR_TABLE)

    def for_token(self, token: str, chat: object = None) -> AuthorizedClient:
        """Call methods by name. With a `chat` its limits count, and reaching them blocks no other chat."""
        bot_id = token.partition(":")[0]
        budgets = (bot_id,) if chat is None else (f"{bot_id}:{chat}", bot_id)
        return AuthorizedClient(self._client, f"{_API_URL}/bot{BOT_TOKEN_PLACEHOLDER}/", token=token, budgets=budgets)

    def for_account(self, credentials: AccountCredentials, chat: object = None) -> AuthorizedClient:
        return self.for_token(credentials.grant.access_token, chat)

    async def get_me(self, token: str) -> Bot:
        """Ask who the bot is. If Telegram does not find it, the bot no longer exists."""
        try:
            return await self.for_token(token).get("getMe", Bot)
        except PlatformNotFoundError as failure:
            raise TOKEN_REJECTED_RULE.failure_type(
                TOKEN_REJECTED_RULE.detail, platform=Platform.TELEGRAM, error=failure.platform_error
            ) from None

    async def get_webhook_info(self, token: str) -> WebhookInfo:
        return await self.for_token(token).get("getWebhookInfo", WebhookInfo)

    async def set_webhook(self, token: str, url: str, secret: str, *, drop_pending: bool) -> None:
        parameters = {
            "url": url,
            "secret_token": secret,
            "allowed_updates": ALLOWED_UPDATES,
            "max_connections": _MAX_WEBHOOK_CONNECTIONS,
            "drop_pending_updates": drop_pending,
        }
        await self.for_token(token).post("setWebhook", object, parameters, repeatable=True, secret_values=(url, secret))

    async def delete_webhook(self, token: str) -> None:
        await self.for_token(token).post("deleteWebhook", object, {}, repeatable=True)

    async def fetch_file_download(self, token: str, file_id: str) -> MediaDownload:
        """Ask where a file can be downloaded within the next hour. That URL also contains the token."""
        path = (
            await self.for_token(token).post("getFile", MethodResult, {"file_id": file_id}, repeatable=True)
        ).file_path
        if not path:
            raise PlatformNotFoundError("Telegram no longer has this file.", platform=Platform.TELEGRAM)
        url = self._wire.resolve_url(f"{_API_URL}/file/bot{token}/{quote(path)}")
        return MediaDownload(door=self._wire.egress_client, url=url)

    async def fetch_chat(self, credentials: AccountCredentials, chat_id: str) -> Chat:
        return await self.for_account(credentials).post("getChat", Chat, {"chat_id": chat_id}, repeatable=True)

    async def fetch_own_membership(self, credentials: AccountCredentials, chat: Chat) -> ChatMembership:
        """Read the bot's own membership there."""
        parameters = {"chat_id": chat.numeric_id, "user_id": int(credentials.platform_account_id)}
        return await self.for_account(credentials).post("getChatMember", ChatMembership, parameters, repeatable=True)

    async def send_post(
        self, credentials: AccountCredentials, method: str, parameters: Mapping[str, Any], files: Sequence[FilePart]
    ) -> Sequence[TelegramMessage]:
        """Post, and return the resulting messages: an album is several."""
        values: dict[str, Any] = {"json": parameters}
        if files:
            values = {**encode_multipart(parameters, files), "deadline": _UPLOAD_TIMEOUT_SECONDS}
        access = self.for_account(credentials, parameters["chat_id"])
        shape = list[TelegramMessage] if method == "sendMediaGroup" else TelegramMessage
        sent: Any = await access.call("POST", method, shape, repeatable=False, spends=_POST_QUOTA_COSTS, **values)
        return sent if isinstance(sent, list) else [sent]

    async def delete_messages(self, credentials: AccountCredentials, chat_id: int, message_ids: Sequence[int]) -> None:
        several = len(message_ids) > 1
        ids = {"message_ids": message_ids} if several else {"message_id": message_ids[0]}
        method = "deleteMessages" if several else "deleteMessage"
        await self.for_account(credentials, chat_id).post(method, object, {"chat_id": chat_id, **ids}, repeatable=False)
