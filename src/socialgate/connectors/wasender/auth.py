"""Linking a WhatsApp number: a session is created at WaSender, and the phone scans its code."""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

from socialgate.connectors.wasender.wire import NewSession, Session, SessionApi, Token
from socialgate.connectors.wire import App
from socialgate.contracts import failures
from socialgate.contracts.connecting import (
    AccountCredentials,
    Callback,
    Connection,
    CredentialRejected,
    DiscoveredAccount,
    Grant,
    PairingState,
)
from socialgate.contracts.failures import NeedsReconnection, PlatformFailure
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.clock import Clock

# WhatsApp shows each code for 20 s, only the first one longer.
_CODE_LIVES = timedelta(seconds=20)
_LINKING_SECONDS = 3
_NUMBER = re.compile(r"\+[1-9][0-9]{6,14}", re.ASCII)
_FILLER = re.compile(r"[\s().-]")
_TOKEN = re.compile(r"[\x21-\x7e]{8,512}")


class Tokens:
    """Which token to use: the customer's own if they provided one, otherwise the deployment's current one."""

    def __init__(self, app: App) -> None:
        self._app = app

    def given(self, form: Mapping[str, str]) -> tuple[str, str]:
        """Return the customer's own personal access token, empty if there is none, and the one to use."""
        own = form.get("accessToken", "").strip()
        used = own or self._app.secret
        if not _TOKEN.fullmatch(used):
            none = "A WaSender personal access token is required: this deployment has none of its own."
            raise CredentialRejected("accessToken", "This is not a WaSender personal access token." if used else none)
        return own, used

    def pat(self, held: AccountCredentials) -> Token:
        value = held.grant.extra.get("pat") or self._app.secret
        if not value:
            detail = "No WaSender personal access token is known for this number. Reconnect it with one."
            raise failures.PermissionMissing(detail, platform=Platform.WASENDER)
        return Token(value, held.platform_account_id)


class QrPairing:
    def __init__(self, api: SessionApi, tokens: Tokens, clock: Clock) -> None:
        self._api = api
        self._tokens = tokens
        self._clock = clock

    async def begin(self, form: Mapping[str, str], callback: Callback) -> Connection:
        new, own, pat = self._read(form, callback)
        session = await self._create(pat, new)
        try:
            return await self._go_on(pat, own, new, session)
        except PlatformFailure:
            await self._remove(pat, session)
            raise

    async def find(self, form: Mapping[str, str], callback: Callback) -> Connection | None:
        new, own, pat = self._read(form, callback)
        for listed in await self._api.sessions(pat):
            if listed.phone_number not in {None, new.phone_number}:
                continue
            # A list may contain less about a session than the session itself.
            session = listed if listed.webhook_url is not None else await self._api.session(pat, listed.id)
            if session.webhook_url == new.webhook_url:
                return await self._go_on(pat, own, new, session)
        return None

    def _read(self, form: Mapping[str, str], callback: Callback) -> tuple[NewSession, str, Token]:
        """Return the request, the customer's own token, empty if there is none, and the one to use."""
        name, number = form.get("name", "").strip(), _FILLER.sub("", form.get("phoneNumber", ""))
        if not name:
            raise CredentialRejected("name", "name is required: it identifies the session at WaSender.")
        if not _NUMBER.fullmatch(number):
            raise CredentialRejected("phoneNumber", "phoneNumber must include the country code, like +51987654321.")
        own, used = self._tokens.given(form)
        return NewSession(name=name, phone_number=number, webhook_url=callback.url), own, Token(used, number)

    async def state(self, held: AccountCredentials) -> PairingState:
        pat = self._tokens.pat(held)
        try:
            session = await self._api.session(pat, session_of(held))
        except NeedsReconnection:
            return PairingState(status="ended")
        paired = PairingState(status="connected", account=_found(session, held.platform_account_id, held.grant.name))
        if session.state == "connected":
            return paired
        code = await self._present_code(pat, session)
        # While a scanned phone is being linked, connecting again would interrupt it.
        if code is None and session.state != "connecting":
            link = await self._api.connect(pat, session.id)
            if link.state == "connected":
                return paired
            code = link.qr
        if code is None:
            detail = "WhatsApp is being linked, and there is no code to scan right now. Try again."
            raise failures.TemporarilyUnavailable(detail, platform=Platform.WASENDER, retry_after=_LINKING_SECONDS)
        return PairingState(status="connecting", qr=code, expires_at=self._clock.now() + _CODE_LIVES)

    async def _create(self, pat: Token, new: NewSession) -> Session:
        try:
            await self._api.sessions(pat)
        except failures.PermissionMissing:
            detail = "WaSender does not accept the personal access token. Use a new one from its settings."
            raise CredentialRejected("accessToken", detail) from None
        try:
            return await self._api.create(pat, new)
        except failures.Rejected as refused:
            if refused.errors:
                raise CredentialRejected(refused.errors[0].pointer, refused.detail) from None
            raise

    async def _go_on(self, pat: Token, own: str, new: NewSession, session: Session) -> Connection:
        """Make a new session show codes, and return what it gives access to."""
        key, secret = await self._secrets(pat, session)
        # Requesting the code calls it again, so a temporary error is no reason to give up.
        with suppress(failures.TemporarilyUnavailable, failures.PlatformRateLimited):
            await self._api.connect(pat, session.id)
        grant = Grant(
            subject=session.id,
            name=new.name,
            access_token=key,
            scopes=(),
            refreshed=self._clock.now(),
            extra={"session": session.id} | ({"pat": own} if own else {}),
        )
        return Connection(grant=grant, accounts=[_found(session, new.phone_number, new.name)], webhook_secret=secret)

    async def _remove(self, pat: Token, session: Session) -> None:
        """Remove a session that cannot be used: it would count against the customer's plan."""
        try:
            await self._api.delete(pat, session.id)
        except NeedsReconnection:
            return
        except PlatformFailure as failure:
            detail = "WaSender created a session that can neither be used nor removed."
            raise failures.OutcomeUnknown(detail, platform=Platform.WASENDER) from failure

    async def _secrets(self, pat: Token, session: Session) -> tuple[str, str | None]:
        known = [session]
        if not (session.api_key and session.webhook_secret):
            known.append(await self._api.session(pat, session.id))
        key = next((one.api_key for one in known if one.api_key), None)
        if key is None:
            raise failures.TemporarilyUnavailable(
                "WaSender returned no key for the session.", platform=Platform.WASENDER
            )
        return key, next((one.webhook_secret for one in known if one.webhook_secret), None)

    async def _present_code(self, pat: Token, session: Session) -> str | None:
        """Read the code that is currently shown, None if there is none."""
        if session.state not in {"need_scan", "connecting"}:
            return None
        try:
            return (await self._api.qr_code(pat, session.id)).qr
        except PlatformFailure as failure:
            if failure.retryable:
                raise
            return None

    async def revoke(self, held: AccountCredentials, *, last: bool) -> None:
        """Unlink the phone, and free the session in the plan."""
        if not last:
            return
        pat, session_id = self._tokens.pat(held), session_of(held)
        with suppress(PlatformFailure):
            await self._api.disconnect(pat, session_id)
        # A session that is already gone is the desired result.
        with suppress(NeedsReconnection):
            await self._api.delete(pat, session_id)


def session_of(held: AccountCredentials) -> str:
    return held.grant.extra.get("session") or held.grant.subject


def _found(session: Session, number: str, name: str) -> DiscoveredAccount:
    return DiscoveredAccount(
        kind=Kind.WHATSAPP_QR,
        platform_account_id=number,
        name=session.name or name,
        username=number,
        profile_url=f"https://wa.me/{number.removeprefix('+')}",
        details={"sessionId": session.id},
        # Two owners may link the same number: each has a session, with its own webhook and secret.
        inbound_key=session.id,
    )
