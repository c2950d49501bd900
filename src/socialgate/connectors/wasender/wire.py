"""The WaSender calls. Two tokens: the personal one manages sessions, a session's own key acts for its number."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import msgspec

from socialgate.connectors.client import Access, Client
from socialgate.connectors.dialects.wasender import WaSenderDialect
from socialgate.connectors.tolerant import Tolerant
from socialgate.connectors.wasender.errors import TABLES, Scope
from socialgate.connectors.wire import Wire
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.messages import MediaLocation
from socialgate.contracts.platforms import Platform

_BASE = "https://www.wasenderapi.com/api"
_SESSIONS = "/whatsapp-sessions"
# The longest text for a QR code of medium size; a pairing code has about 240 characters.
_LONGEST_CODE = 1000

# `messages.upsert` would report each message a second time.
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
    """A session as returned. Lists omit `api_key`; some responses omit `webhook_secret`."""

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
    """The result of connecting: a code to scan, or that nothing has to be scanned."""

    status: str | None = None
    code: str | None = msgspec.field(name="qrCode", default=None)

    @property
    def state(self) -> str:
        return state_of(self.status)

    @property
    def qr(self) -> str | None:
        """The text to render; an image instead cannot be."""
        code = self.code or ""
        return code if 0 < len(code) <= _LONGEST_CODE and not code.startswith("data:") else None


class Key(Tolerant, frozen=True):
    id: str = ""


class Told(Tolerant, frozen=True, rename="camel"):
    """What WaSender returns about a message: its number in the queue, WhatsApp's own id once it was sent, or the URL of
    its file. Older responses contain nothing.
    """

    msg_id: int | None = None
    jid: str = ""
    key: Key = Key()
    public_url: str = ""


def state_of(status: str | None) -> str:
    # `NEED_SCAN` and `need_scan` occur in the same documentation.
    return (status or "").lower()


class SessionApi:
    def __init__(self, wire: Wire) -> None:
        dialect = WaSenderDialect()
        self._wire = wire
        self._clients = {scope: Client(wire, dialect, table) for scope, table in TABLES.items()}

    async def sessions(self, pat: Token) -> Sequence[Session]:
        return await self._as(pat, Scope.PLAN).get(_SESSIONS, list[Session])

    async def create(self, pat: Token, new: NewSession) -> Session:
        return await self._as(pat, Scope.PLAN).post(_SESSIONS, Session, msgspec.to_builtins(new), repeatable=False)

    async def session(self, pat: Token, session_id: str) -> Session:
        return await self._as(pat).get(_path(session_id), Session)

    async def connect(self, pat: Token, session_id: str) -> Link:
        return await self._as(pat).post(_path(session_id, "/connect"), Link, {}, repeatable=True)

    async def qr_code(self, pat: Token, session_id: str) -> Link:
        return await self._as(pat).get(_path(session_id, "/qrcode"), Link)

    async def disconnect(self, pat: Token, session_id: str) -> None:
        await self._as(pat).post(_path(session_id, "/disconnect"), object, {}, repeatable=True)

    async def delete(self, pat: Token, session_id: str) -> None:
        await self._as(pat).call("DELETE", _path(session_id), object, repeatable=True)

    async def status(self, key: Token) -> str:
        """Read the session's state."""
        return (await self._as(key, Scope.NUMBER).get("/status", Link)).state

    async def send(self, key: Token, body: Mapping[str, Any]) -> Told:
        spends = (("messages", 1),)
        return await self._as(key, Scope.NUMBER).post("/send-message", Told, body, repeatable=False, spends=spends)

    async def message_info(self, key: Token, number: int) -> Told:
        return await self._as(key, Scope.MESSAGE).get(f"/messages/{number}/info", Told)

    async def mark_read(self, key: Token, message: Mapping[str, Any]) -> None:
        await self._as(key, Scope.MESSAGE).post("/messages/read", object, {"key": message}, repeatable=True)

    async def decrypt(self, key: Token, message: Mapping[str, Any]) -> MediaLocation:
        """Have a file decrypted, and return its URL, which is valid for an hour."""
        body = {"data": {"messages": message}}
        found = await self._as(key, Scope.MESSAGE).post("/decrypt-media", Told, body, repeatable=True)
        if not found.public_url:
            raise PlatformNotFound("WaSender no longer provides this file.", platform=Platform.WASENDER)
        return MediaLocation(door=self._wire.door, url=self._wire.address(found.public_url))

    def _as(self, token: Token, scope: Scope = Scope.SESSION) -> Access:
        return Access(self._clients[scope], _BASE, token=token.value, budgets=(token.number,))


def _path(session_id: str, rest: str = "") -> str:
    return f"{_SESSIONS}/{quote(session_id, safe='')}{rest}"
