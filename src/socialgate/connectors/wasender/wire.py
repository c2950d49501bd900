"""The calls of WaSender. Two tokens: the personal one manages sessions, a session's own key speaks for its number."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from socialgate.connectors.client import Call, Client
from socialgate.connectors.dialects.wasender import WaSenderDialect
from socialgate.connectors.tolerant import Tolerant
from socialgate.connectors.wasender.errors import TABLES, Scope
from socialgate.connectors.wire import Wire
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.messages import MediaLocation
from socialgate.contracts.platforms import Platform

T = TypeVar("T")

_BASE = "https://www.wasenderapi.com/api"
_SESSIONS = "/whatsapp-sessions"
# The longest text that a QR code of medium size takes; a pairing code has about 240 characters.
_LONGEST_CODE = 1000

# `messages.upsert` would give each message a second time.
EVENTS = (
    "messages.received",
    "message.sent",
    "messages.update",
    "message-receipt.update",
    "messages.reaction",
    "messages.delete",
    "session.status",
    "qrcode.updated",
)


class Token(msgspec.Struct, frozen=True):
    """A token, and the number it is used for, whose budget the call counts against."""

    value: str
    number: str

    def __repr__(self) -> str:
        return f"Token({self.number})"


class Session(Tolerant, frozen=True):
    """A session as it is told. Lists leave out `api_key`; some answers leave out `webhook_secret`."""

    sid: int | str = msgspec.field(name="id")
    name: str | None = None
    phone_number: str | None = None
    status: str | None = None
    webhook_url: str | None = None
    last_active_at: str | None = None
    api_key: str | None = None
    webhook_secret: str | None = None

    @property
    def id(self) -> str:
        return str(self.sid)

    @property
    def state(self) -> str:
        return state_of(self.status)

    def __repr__(self) -> str:
        return f"Session({self.id}, {self.state})"


class NewSession(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    phone_number: str
    webhook_url: str
    account_protection: bool = True
    log_messages: bool = True
    webhook_enabled: bool = True
    webhook_events: tuple[str, ...] = EVENTS


class Link(msgspec.Struct, frozen=True):
    """What connecting gives: a code to scan, or that nothing is to be scanned."""

    status: str | None = None
    code: str | None = msgspec.field(name="qrCode", default=None)

    @property
    def state(self) -> str:
        return state_of(self.status)

    @property
    def qr(self) -> str | None:
        """The text to be drawn; an image in its place cannot be."""
        code = self.code or ""
        return code if 0 < len(code) <= _LONGEST_CODE and not code.startswith("data:") else None


class Queued(Tolerant, frozen=True, rename="camel"):
    """A message that WaSender will send. Older answers say nothing about it."""

    msg_id: int | None = None
    jid: str = ""


class MessageKey(Tolerant, frozen=True):
    id: str = ""


class MessageInfo(Tolerant, frozen=True):
    """What WaSender knows of a message: WhatsApp's own id of it, once it was sent."""

    key: MessageKey = MessageKey()


class Decrypted(Tolerant, frozen=True, rename="camel"):
    public_url: str = ""


def state_of(status: str | None) -> str:
    # `NEED_SCAN` and `need_scan` stand in the same documents.
    return (status or "").lower()


class SessionApi:
    def __init__(self, wire: Wire) -> None:
        dialect = WaSenderDialect()
        self._wire = wire
        self._clients = {scope: Client(wire, dialect, table) for scope, table in TABLES.items()}

    async def sessions(self, pat: Token) -> Sequence[Session]:
        return await self._call("GET", _SESSIONS, pat, list[Session], Scope.PLAN, repeatable=True)

    async def create(self, pat: Token, new: NewSession) -> Session:
        body = msgspec.to_builtins(new)
        return await self._call("POST", _SESSIONS, pat, Session, Scope.PLAN, json=body, repeatable=False)

    async def session(self, pat: Token, session_id: str) -> Session:
        return await self._call("GET", _path(session_id), pat, Session, repeatable=True)

    async def connect(self, pat: Token, session_id: str) -> Link:
        return await self._call("POST", _path(session_id, "/connect"), pat, Link, json={}, repeatable=True)

    async def qr_code(self, pat: Token, session_id: str) -> Link:
        return await self._call("GET", _path(session_id, "/qrcode"), pat, Link, repeatable=True)

    async def disconnect(self, pat: Token, session_id: str) -> None:
        await self._call("POST", _path(session_id, "/disconnect"), pat, object, json={}, repeatable=True)

    async def delete(self, pat: Token, session_id: str) -> None:
        await self._call("DELETE", _path(session_id), pat, object, repeatable=True)

    async def status(self, key: Token) -> str:
        """Read the session's state."""
        return (await self._call("GET", "/status", key, Link, Scope.NUMBER, repeatable=True)).state

    async def send(self, key: Token, body: Mapping[str, Any]) -> Queued:
        spends = (("messages", 1),)
        return await self._call(
            "POST", "/send-message", key, Queued, Scope.NUMBER, json=body, repeatable=False, spends=spends
        )

    async def message_info(self, key: Token, number: int) -> MessageInfo:
        return await self._call("GET", f"/messages/{number}/info", key, MessageInfo, Scope.MESSAGE, repeatable=True)

    async def mark_read(self, key: Token, message: Mapping[str, Any]) -> None:
        json = {"key": message}
        await self._call("POST", "/messages/read", key, object, Scope.MESSAGE, json=json, repeatable=True)

    async def decrypt(self, key: Token, message: Mapping[str, Any]) -> MediaLocation:
        """Have a file decrypted, and give the address at which it is for an hour."""
        json = {"data": {"messages": message}}
        found = await self._call("POST", "/decrypt-media", key, Decrypted, Scope.MESSAGE, json=json, repeatable=True)
        if not found.public_url:
            raise PlatformNotFound("WaSender does not give this file any more.", platform=Platform.WASENDER)
        return MediaLocation(door=self._wire.door, url=self._wire.address(found.public_url))

    async def _call(
        self,
        method: str,
        path: str,
        token: Token,
        shape: type[T],
        scope: Scope = Scope.SESSION,
        *,
        json: Mapping[str, Any] | None = None,
        repeatable: bool,
        spends: tuple[tuple[str, int], ...] = (),
    ) -> T:
        call = Call(
            method=method,
            url=f"{_BASE}{path}",
            repeatable=repeatable,
            token=token.value,
            budgets=(token.number,),
            spends=spends,
            json=json,
        )
        return await self._clients[scope].call(call, shape)


def _path(session_id: str, rest: str = "") -> str:
    return f"{_SESSIONS}/{quote(session_id, safe='')}{rest}"
