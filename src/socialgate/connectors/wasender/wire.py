"""The calls of WaSender. Two tokens: the personal one manages sessions, a session's own key speaks for its number."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from socialgate.connectors.wasender.errors import Scope, failure
from socialgate.connectors.wire import Wire, read
from socialgate.contracts.failures import PlatformRateLimited
from socialgate.core.egress import Answer

T = TypeVar("T")

_BASE = "https://www.wasenderapi.com/api"
_SUCCESS = range(200, 300)
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


class Session(msgspec.Struct, frozen=True):
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


class _Envelope(msgspec.Struct, frozen=True):
    success: bool = True
    data: msgspec.Raw = msgspec.Raw(b"null")
    status: str | None = None


def state_of(status: str | None) -> str:
    # `NEED_SCAN` and `need_scan` stand in the same documents.
    return (status or "").lower()


class SessionApi:
    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    async def sessions(self, pat: Token) -> Sequence[Session]:
        return await self._read(list[Session], "GET", "/whatsapp-sessions", pat, Scope.PLAN)

    async def create(self, pat: Token, new: NewSession) -> Session:
        body = msgspec.to_builtins(new)
        return await self._read(Session, "POST", "/whatsapp-sessions", pat, Scope.PLAN, json=body, mutates=True)

    async def session(self, pat: Token, session_id: str) -> Session:
        return await self._read(Session, "GET", _path(session_id), pat, Scope.SESSION)

    async def connect(self, pat: Token, session_id: str) -> Link:
        return await self._read(Link, "POST", _path(session_id, "/connect"), pat, Scope.SESSION, json={})

    async def qr_code(self, pat: Token, session_id: str) -> Link:
        return await self._read(Link, "GET", _path(session_id, "/qrcode"), pat, Scope.SESSION)

    async def disconnect(self, pat: Token, session_id: str) -> None:
        await self._call("POST", _path(session_id, "/disconnect"), pat, Scope.SESSION, json={})

    async def delete(self, pat: Token, session_id: str) -> None:
        await self._call("DELETE", _path(session_id), pat, Scope.SESSION)

    async def status(self, key: Token) -> str:
        """Read the session's state. This answer alone comes without an envelope."""
        answer = await self._call("GET", "/status", key, Scope.NUMBER)
        envelope = read(answer, _Envelope)
        if envelope is None:
            raise failure(_unreadable(answer), Scope.NUMBER, (key.value,))
        link = _data(envelope, Link)
        return state_of(envelope.status or (link.status if link else None))

    async def _read(
        self,
        shape: type[T],
        method: str,
        path: str,
        token: Token,
        scope: Scope,
        *,
        json: Mapping[str, Any] | None = None,
        mutates: bool = False,
    ) -> T:
        answer = await self._call(method, path, token, scope, json=json, mutates=mutates)
        envelope = read(answer, _Envelope)
        data = _data(envelope, shape) if envelope else None
        if data is None:
            raise failure(_unreadable(answer), scope, (token.value,), mutates=mutates)
        return data

    async def _call(
        self,
        method: str,
        path: str,
        token: Token,
        scope: Scope,
        *,
        json: Mapping[str, Any] | None = None,
        mutates: bool = False,
    ) -> Answer:
        """Send once. All calls but the creation of a session can be repeated without harm."""
        await self._wire.require_not_paused(token.number)
        headers = {"Authorization": f"Bearer {token.value}", "Accept": "application/json"}
        answer = await self._wire.send(method, f"{_BASE}{path}", headers=headers, json=json, mutates=mutates)
        if answer.status in _SUCCESS and not _is_refusal(answer):
            return answer
        refused = failure(answer, scope, (token.value,), mutates=mutates)
        if isinstance(refused, PlatformRateLimited) and refused.retry_after:
            await self._wire.pause(token.number, refused.retry_after)
        raise refused


def _path(session_id: str, rest: str = "") -> str:
    return f"/whatsapp-sessions/{quote(session_id, safe='')}{rest}"


def _is_refusal(answer: Answer) -> bool:
    envelope = read(answer, _Envelope)
    return envelope is not None and not envelope.success


def _unreadable(answer: Answer) -> Answer:
    return Answer(answer.status, answer.headers, b"", truncated=False)


def _data(envelope: _Envelope, shape: type[T]) -> T | None:
    try:
        return msgspec.json.decode(envelope.data, type=shape, strict=False)
    except (ValueError, RecursionError):
        return None
