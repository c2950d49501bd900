"""Linking a WhatsApp number: a session is created at WaSender, and the phone scans its code."""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

from socialgate.connectors.transport import PlatformApp
from socialgate.connectors.wasender.api import NewSession, WasenderApi, WasenderSession, WasenderToken
from socialgate.contracts import failures
from socialgate.contracts.account_connection import (
    AccountCredentials,
    ConnectResult,
    CredentialRejectedError,
    DiscoveredAccount,
    Grant,
    PairingState,
    WebhookEndpoint,
)
from socialgate.contracts.failures import NeedsReconnectionError, PlatformFailure
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.clock import Clock

# WhatsApp shows each code for 20 s, only the first one longer.
_QR_CODE_LIFETIME = timedelta(seconds=20)
_LINKING_RETRY_SECONDS = 3
_PHONE_NUMBER_PATTERN = re.compile(r"\+[1-9][0-9]{6,14}", re.ASCII)
_PHONE_SEPARATORS_PATTERN = re.compile(r"[\s().-]")
_TOKEN_PATTERN = re.compile(r"[\x21-\x7e]{8,512}")


class TokenResolver:
    """Which token to use: the customer's own if they provided one, otherwise the deployment's current one."""

    def __init__(self, app: PlatformApp) -> None:
        self._app = app

    def resolve_from_form(self, form: Mapping[str, str]) -> tuple[str, str]:
        """Return the customer's own personal access token, empty if there is none, and the one to use."""
        own = form.get("accessToken", "").strip()
        used = own or self._app.secret
        if not _TOKEN_PATTERN.fullmatch(used):
            none = "A WaSender personal access token is required: this deployment has none of its own."
            raise CredentialRejectedError(
                "accessToken", "This is not a WaSender personal access token." if used else none
            )
        return own, used

    def resolve_for_account(self, credentials: AccountCredentials) -> WasenderToken:
        value = credentials.grant.extra.get("pat") or self._app.secret
        if not value:
            detail = "No WaSender personal access token is known for this number. Reconnect it with one."
            raise failures.PermissionMissingError(detail, platform=Platform.WASENDER)
        return WasenderToken(value, credentials.platform_account_id)


class QrPairing:
    def __init__(self, api: WasenderApi, tokens: TokenResolver, clock: Clock) -> None:
        self._api = api
        self._tokens = tokens
        self._clock = clock

    async def begin_pairing(self, form: Mapping[str, str], callback: WebhookEndpoint) -> ConnectResult:
        new, own, pat = self._parse_form(form, callback)
        session = await self._create_session(pat, new)
        try:
            return await self._connect_session(pat, own, new, session)
        except PlatformFailure:
            await self._remove_session(pat, session)
            raise

    async def find_connection(self, form: Mapping[str, str], callback: WebhookEndpoint) -> ConnectResult | None:
        new, own, pat = self._parse_form(form, callback)
        for listed in await self._api.list_sessions(pat):
            if listed.phone_number not in {None, new.phone_number}:
                continue
            # A list may contain less about a session than the session itself.
            session = listed if listed.webhook_url is not None else await self._api.fetch_session(pat, listed.id)
            if session.webhook_url == new.webhook_url:
                return await self._connect_session(pat, own, new, session)
        return None

    def _parse_form(self, form: Mapping[str, str], callback: WebhookEndpoint) -> tuple[NewSession, str, WasenderToken]:
        """Return the request, the customer's own token, empty if there is none, and the one to use."""
        name, number = form.get("name", "").strip(), _PHONE_SEPARATORS_PATTERN.sub("", form.get("phoneNumber", ""))
        if not name:
            raise CredentialRejectedError("name", "name is required: it identifies the session at WaSender.")
        if not _PHONE_NUMBER_PATTERN.fullmatch(number):
            raise CredentialRejectedError(
                "phoneNumber", "phoneNumber must include the country code, like +51987654321."
            )
        own, used = self._tokens.resolve_from_form(form)
        return NewSession(name=name, phone_number=number, webhook_url=callback.url), own, WasenderToken(used, number)

    async def get_state(self, credentials: AccountCredentials) -> PairingState:
        pat = self._tokens.resolve_for_account(credentials)
        try:
            session = await self._api.fetch_session(pat, get_session_id(credentials))
        except NeedsReconnectionError:
            return PairingState(status="ended")
        paired = PairingState(
            status="connected", account=_build_account(session, credentials.platform_account_id, credentials.grant.name)
        )
        if session.state == "connected":
            return paired
        code = await self._fetch_current_qr_code(pat, session)
        # While a scanned phone is being linked, connecting again would interrupt it.
        if code is None and session.state != "connecting":
            link = await self._api.connect_session(pat, session.id)
            if link.state == "connected":
                return paired
            code = link.qr_text
        if code is None:
            detail = "WhatsApp is being linked, and there is no code to scan right now. Try again."
            raise failures.PlatformUnavailableError(
                detail, platform=Platform.WASENDER, retry_after=_LINKING_RETRY_SECONDS
            )
        return PairingState(status="connecting", qr=code, expires_at=self._clock.now() + _QR_CODE_LIFETIME)

    async def _create_session(self, personal_token: WasenderToken, new: NewSession) -> WasenderSession:
        try:
            await self._api.list_sessions(personal_token)
        except failures.PermissionMissingError:
            detail = "WaSender does not accept the personal access token. Use a new one from its settings."
            raise CredentialRejectedError("accessToken", detail) from None
        try:
            return await self._api.create_session(personal_token, new)
        except failures.PlatformRejectedError as refused:
            if refused.errors:
                raise CredentialRejectedError(refused.errors[0].pointer, refused.detail) from None
            raise

    async def _connect_session(
        self, personal_token: WasenderToken, customer_token: str, new: NewSession, session: WasenderSession
    ) -> ConnectResult:
        """Make a new session show codes, and return what it gives access to."""
        key, secret = await self._fetch_session_secrets(personal_token, session)
        # Requesting the code calls it again, so a temporary error is no reason to give up.
        with suppress(failures.PlatformUnavailableError, failures.PlatformRateLimitError):
            await self._api.connect_session(personal_token, session.id)
        grant = Grant(
            platform_user_id=session.id,
            name=new.name,
            access_token=key,
            scopes=(),
            refreshed_at=self._clock.now(),
            extra={"session": session.id} | ({"pat": customer_token} if customer_token else {}),
        )
        return ConnectResult(
            grant=grant, accounts=[_build_account(session, new.phone_number, new.name)], webhook_secret=secret
        )

    async def _remove_session(self, personal_token: WasenderToken, session: WasenderSession) -> None:
        """Remove a session that cannot be used: it would count against the customer's plan."""
        try:
            await self._api.delete_session(personal_token, session.id)
        except NeedsReconnectionError:
            return
        except PlatformFailure as failure:
            detail = "WaSender created a session that can neither be used nor removed."
            raise failures.OutcomeUnknownError(detail, platform=Platform.WASENDER) from failure

    async def _fetch_session_secrets(
        self, personal_token: WasenderToken, session: WasenderSession
    ) -> tuple[str, str | None]:
        known = [session]
        if not (session.api_key and session.webhook_secret):
            known.append(await self._api.fetch_session(personal_token, session.id))
        key = next((session.api_key for session in known if session.api_key), None)
        if key is None:
            raise failures.PlatformUnavailableError(
                "WaSender returned no key for the session.", platform=Platform.WASENDER
            )
        return key, next((session.webhook_secret for session in known if session.webhook_secret), None)

    async def _fetch_current_qr_code(self, personal_token: WasenderToken, session: WasenderSession) -> str | None:
        """Read the code that is currently shown, None if there is none."""
        if session.state not in {"need_scan", "connecting"}:
            return None
        try:
            return (await self._api.fetch_qr_code(personal_token, session.id)).qr_text
        except PlatformFailure as failure:
            if failure.retryable:
                raise
            return None

    async def revoke(self, credentials: AccountCredentials, *, is_last_account: bool) -> None:
        """Unlink the phone, and free the session in the plan."""
        if not is_last_account:
            return
        pat, session_id = self._tokens.resolve_for_account(credentials), get_session_id(credentials)
        with suppress(PlatformFailure):
            await self._api.disconnect_session(pat, session_id)
        # A session that is already gone is the desired result.
        with suppress(NeedsReconnectionError):
            await self._api.delete_session(pat, session_id)


def get_session_id(credentials: AccountCredentials) -> str:
    return credentials.grant.extra.get("session") or credentials.grant.platform_user_id


def _build_account(session: WasenderSession, number: str, name: str) -> DiscoveredAccount:
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
