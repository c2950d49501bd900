"""The calls of the Bot API that post to a chat, look at it, and delete there."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from socialgate.connectors.telegram.wire import BotApi, Form
from socialgate.connectors.tolerant import Tolerant
from socialgate.contracts.connecting import AccountCredentials

# What a message to a group or a channel uses of the quotas of the manifest.
_MESSAGE = (("messages", 1), ("messages per chat", 1), ("messages per group or channel", 1))


class Chat(msgspec.Struct, frozen=True, kw_only=True):
    number: int = msgspec.field(name="id")
    type: str = ""
    title: str | None = None
    username: str | None = None

    @property
    def name(self) -> str:
        return self.title or self.username or str(self.number)


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """What the bot is in a chat. Rights are told of administrators and of those who are restricted."""

    status: str = ""
    can_post_messages: bool | None = None
    can_send_messages: bool | None = None


class Message(Tolerant, frozen=True, kw_only=True):
    message_id: int
    date: int | None = None

    @property
    def sent_at(self) -> datetime | None:
        """When it was posted, if the number can be a time: milliseconds would be in another age."""
        try:
            return datetime.fromtimestamp(self.date, UTC) if self.date else None
        except (ValueError, OverflowError, OSError):
            return None


class Attached(msgspec.Struct, frozen=True, kw_only=True):
    """A file in a request, in the pieces in which it was read. `name` is what `attach://` calls it by."""

    name: str
    file_name: str
    mime_type: str
    pieces: Sequence[bytes]


class PostingApi:
    def __init__(self, api: BotApi) -> None:
        self._api = api

    async def chat(self, held: AccountCredentials, chat_id: str) -> Chat:
        return await self._api.call(held.grant.access_token, "getChat", Chat, {"chat_id": chat_id}, repeatable=True)

    async def member(self, held: AccountCredentials, chat: Chat) -> Member:
        """Read what the bot itself is there."""
        parameters = {"chat_id": chat.number, "user_id": int(held.platform_account_id)}
        return await self._api.call(held.grant.access_token, "getChatMember", Member, parameters, repeatable=True)

    async def send(
        self, held: AccountCredentials, method: str, parameters: Mapping[str, Any], files: Sequence[Attached]
    ) -> Sequence[Message]:
        """Post, and give the messages that came of it: an album is several."""
        album = method == "sendMediaGroup"
        shape = list[Message] if album else Message
        sent: Any = await self._api.call(
            held.grant.access_token,
            method,
            shape,
            parameters,
            chat=str(parameters["chat_id"]),
            form=form_of(parameters, files) if files else None,
            spends=_MESSAGE,
            repeatable=False,
        )
        return sent if album else [sent]

    async def delete(self, held: AccountCredentials, chat_id: int, message_ids: Sequence[int]) -> None:
        parameters: dict[str, Any] = {"chat_id": chat_id}
        if len(message_ids) == 1:
            method, parameters["message_id"] = "deleteMessage", message_ids[0]
        else:
            method, parameters["message_ids"] = "deleteMessages", message_ids
        await self._api.call(held.grant.access_token, method, object, parameters, chat=str(chat_id), repeatable=False)


def form_of(parameters: Mapping[str, Any], files: Sequence[Attached]) -> Form:
    """Write parameters and files as multipart/form-data, where everything but text is written as JSON."""
    boundary = secrets.token_hex(16)
    parts: list[bytes] = []
    for name, value in parameters.items():
        text = value.encode() if isinstance(value, str) else msgspec.json.encode(value)
        parts += [f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode(), text, b"\r\n"]
    for file in files:
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="{file.name}"; '
            f'filename="{_quoted(file.file_name)}"\r\nContent-Type: {file.mime_type}\r\n\r\n'
        )
        parts += [head.encode(), *file.pieces, b"\r\n"]
    parts.append(f"--{boundary}--\r\n".encode())
    return Form(f"multipart/form-data; boundary={boundary}", b"".join(parts))


def _quoted(name: str) -> str:
    """Keep a name of the customer's inside its quotes, as browsers do."""
    return name.replace("\r", "").replace("\n", "").replace('"', "%22")
