"""The WaSender calls. Two tokens: the personal one manages sessions, a session's own key acts for its number."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import msgspec

from socialgate.connectors.client import AuthorizedClient, VendorClient
from socialgate.connectors.dialects.wasender import WaSenderDialect
from socialgate.connectors.lenient_decoding import LenientStruct
from socialgate.connectors.transport import VendorTransport
from socialgate.connectors.wasender.errors import ERROR_TABLES, CallSubject
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.contracts.messages import MediaDownload
from socialgate.contracts.platforms import Platform

_BASE_URL = "https://www.wasenderapi.com/api"
_SESSIONS_PATH = "/whatsapp-sessions"
# The longest text for a QR code of medium size; a pairing code has about 240 characters.
_MAX_QR_TEXT_LENGTH = 1000

# `messages.upsert` would report each message a second time.
WEBHOOK_EVENTS = (
    "messages.received",
    "message.sent",
    "messages.update",
    "message-receipt.update",
    "messages.reaction",
    "messages.delete",
    "session.status",
    "qrcode.updated",
)


class WasenderToken(msgspec.Struct, frozen=True):
    """A token, and the number it is used for, whose budget the call counts against."""

    value: str
    number: str

    def __repr__(self) -> str:
        return f"Token({self.number})"


class WasenderSession(LenientStruct, frozen=True):
    """A session as returned. Lists omit `api_key`; some responses omit `webhook_secret`."""

    raw_id: int | str = msgspec.field(name="id")
    name: str | None = None
    phone_number: str | None = None
    status: str | None = None
    webhook_url: str | None = None
    last_active_at: str | None = None
    api_key: str | None = None
    webhook_secret: str | None = None

    @property
    def id(self) -> str:
        return str(self.raw_id)

    @property
    def state(self) -> str:
        return normalize_status(self.status)

    def __repr__(self) -> str:
        return f"Session({self.id}, {self.state})"


class NewSession(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    phone_number: str
    webhook_url: str
    account_protection: bool = True
    log_messages: bool = True
    webhook_enabled: bool = True
    webhook_events: tuple[str, ...] = WEBHOOK_EVENTS


class QrLinkState(msgspec.Struct, frozen=True):
    """The result of connecting: a code to scan, or that nothing has to be scanned."""

    status: str | None = None
    code: str | None = msgspec.field(name="qrCode", default=None)

    @property
    def state(self) -> str:
        return normalize_status(self.status)

    @property
    def qr_text(self) -> str | None:
        """The text to render; an image instead cannot be."""
        code = self.code or ""
        return code if 0 < len(code) <= _MAX_QR_TEXT_LENGTH and not code.startswith("data:") else None


class SentMessageKey(LenientStruct, frozen=True):
    id: str = ""


class MessageResponse(LenientStruct, frozen=True, rename="camel"):
    """What WaSender returns about a message: its number in the queue, WhatsApp's own id once it was sent, or the URL of
    its file. Older responses contain nothing.
    """

    msg_id: int | None = None
    jid: str = ""
    key: SentMessageKey = SentMessageKey()
    public_url: str = ""


def normalize_status(status: str | None) -> str:
    # `NEED_SCAN` and `need_scan` occur in the same documentation.
    return (status or "").lower()


class WasenderApi:
    def __init__(self, wire: VendorTransport) -> None:
        dialect = WaSenderDialect()
        self._wire = wire
        self._clients = {scope: VendorClient(wire, dialect, table) for scope, table in ERROR_TABLES.items()}

    async def list_sessions(self, pat: WasenderToken) -> Sequence[WasenderSession]:
        return await self._for_token(pat, CallSubject.PLAN).get(_SESSIONS_PATH, list[WasenderSession])

    async def create_session(self, pat: WasenderToken, new: NewSession) -> WasenderSession:
        return await self._for_token(pat, CallSubject.PLAN).post(
            _SESSIONS_PATH, WasenderSession, msgspec.to_builtins(new), repeatable=False
        )

    async def fetch_session(self, pat: WasenderToken, session_id: str) -> WasenderSession:
        return await self._for_token(pat).get(_build_session_path(session_id), WasenderSession)

    async def connect_session(self, pat: WasenderToken, session_id: str) -> QrLinkState:
        return await self._for_token(pat).post(
            _build_session_path(session_id, "/connect"), QrLinkState, {}, repeatable=True
        )

    async def fetch_qr_code(self, pat: WasenderToken, session_id: str) -> QrLinkState:
        return await self._for_token(pat).get(_build_session_path(session_id, "/qrcode"), QrLinkState)

    async def disconnect_session(self, pat: WasenderToken, session_id: str) -> None:
        await self._for_token(pat).post(_build_session_path(session_id, "/disconnect"), object, {}, repeatable=True)

    async def delete_session(self, pat: WasenderToken, session_id: str) -> None:
        await self._for_token(pat).call("DELETE", _build_session_path(session_id), object, repeatable=True)

    async def fetch_session_status(self, key: WasenderToken) -> str:
        """Read the session's state."""
        return (await self._for_token(key, CallSubject.NUMBER).get("/status", QrLinkState)).state

    async def send_message(self, key: WasenderToken, body: Mapping[str, Any]) -> MessageResponse:
        spends = (("messages", 1),)
        return await self._for_token(key, CallSubject.NUMBER).post(
            "/send-message", MessageResponse, body, repeatable=False, spends=spends
        )

    async def fetch_message_info(self, key: WasenderToken, number: int) -> MessageResponse:
        return await self._for_token(key, CallSubject.MESSAGE).get(f"/messages/{number}/info", MessageResponse)

    async def mark_read(self, key: WasenderToken, message: Mapping[str, Any]) -> None:
        await self._for_token(key, CallSubject.MESSAGE).post(
            "/messages/read", object, {"key": message}, repeatable=True
        )

    async def decrypt_media(self, key: WasenderToken, message: Mapping[str, Any]) -> MediaDownload:
        """Have a file decrypted, and return its URL, which is valid for an hour."""
        body = {"data": {"messages": message}}
        message_response = await self._for_token(key, CallSubject.MESSAGE).post(
            "/decrypt-media", MessageResponse, body, repeatable=True
        )
        if not message_response.public_url:
            raise PlatformNotFoundError("WaSender no longer provides this file.", platform=Platform.WASENDER)
        return MediaDownload(door=self._wire.egress_client, url=self._wire.resolve_url(message_response.public_url))

    def _for_token(self, token: WasenderToken, scope: CallSubject = CallSubject.SESSION) -> AuthorizedClient:
        return AuthorizedClient(self._clients[scope], _BASE_URL, token=token.value, budgets=(token.number,))


def _build_session_path(session_id: str, rest: str = "") -> str:
    return f"{_SESSIONS_PATH}/{quote(session_id, safe='')}{rest}"
