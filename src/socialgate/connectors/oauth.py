"""Connecting with OAuth 2: a person is sent to the vendor and comes back with a code, and the tokens are renewed.

Vendors differ in data: their URLs, the names of parameters, and which values mean that somebody declined.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from socialgate.connectors.client import Call, Client
from socialgate.connectors.errors import RETRY_SECONDS
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import AccountCredentials, Ask, Grant, Refused, Secretive
from socialgate.contracts.failures import NeedsReconnection, PlatformFailure, Rejected, TemporarilyUnavailable


class Tokens(Secretive, frozen=True, kw_only=True):
    """What a code or a refresh token is exchanged for."""

    access_token: str = ""
    expires_in: int | None = None
    refresh_token: str | None = None
    # Google's name, if a person granted access for a limited time; and TikTok's.
    refresh_token_expires_in: int | None = None
    refresh_expires_in: int | None = None
    scope: str | None = None
    # Who granted access, if the vendor says so.
    open_id: str = ""

    def scopes(self) -> tuple[str, ...]:
        return tuple(re.findall(r"[^\s,]+", self.scope or ""))


class OAuth(ABC):
    """`name` is the vendor's display name, `id_name` the parameter with the id of the app, `declined` the values that
    mean no. `keeps_refresh_token` says that it stays the same, so that a renewal may be repeated.
    """

    name: str
    consent_url: str
    token_url: str
    id_name = "client_id"
    declined = frozenset({"access_denied"})
    keeps_refresh_token = False

    def __init__(self, app: App, wire: Wire, client: Client) -> None:
        """Take the client of the token endpoints: their errors have a different meaning."""
        self._app = app
        self._wire = wire
        self._client = client

    async def refresh(self, grant: Grant) -> Grant:
        old = grant.refresh_token
        if old is None:
            detail = f"There is no refresh token for {self.name}. Reconnect the account."
            raise NeedsReconnection(detail, platform=self._wire.platform)
        form = {"grant_type": "refresh_token", "refresh_token": old}
        return self._granted(grant, await self._buy(form, (old,), repeatable=self.keeps_refresh_token))

    async def revoke(self, held: AccountCredentials, *, last: bool) -> None:
        """Revoke the whole grant. Doing it twice changes nothing, so it may be repeated after a lost response."""
        if not last:
            return
        try:
            await self._revoke(held.grant)
        except PlatformFailure as failure:
            if not self._is_dead(failure):
                raise

    @abstractmethod
    async def _revoke(self, grant: Grant) -> None: ...

    def _is_dead(self, failure: PlatformFailure) -> bool:
        """Return whether a revocation was rejected because there is nothing left to revoke."""
        return isinstance(failure, NeedsReconnection)

    def _consent(self, ask: Ask, scope: str, challenge: str, **more: Any) -> str:
        """Return the URL of the consent page."""
        query = {
            self.id_name: self._app.id,
            "redirect_uri": ask.redirect_uri,
            "response_type": "code",
            "scope": scope,
            "state": ask.state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return self._wire.address(self.consent_url, query | more)

    async def _exchange(self, query: Mapping[str, str], ask: Ask) -> Tokens:
        """Exchange the code for tokens. It is valid once."""
        failed, name = "token_exchange_failed", self.name
        error, code = query.get("error"), query.get("code")
        if error in self.declined:
            raise Refused("oauth_denied", f"The connection was declined on {name}.")
        if error:
            raise Refused(failed, f"{name} ended the connection with an error. Start again.")
        if not code:
            raise Refused(failed, f"{name} sent no permission. Start again.")
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": ask.redirect_uri}
        try:
            return await self._buy(form | {"code_verifier": ask.verifier}, (code, ask.verifier), repeatable=False)
        except Rejected as failure:
            raise Refused(failed, failure.detail) from None
        except NeedsReconnection:
            detail = f"{name} did not accept the code: it was already used or is too old. Start again."
            raise Refused(failed, detail) from None

    async def _buy(self, form: Mapping[str, str], secrets: tuple[str, ...], *, repeatable: bool) -> Tokens:
        tokens = await self._client.call(self._to(self.token_url, form, secrets, repeatable=repeatable), Tokens)
        if not tokens.access_token:
            detail = f"{self.name} has a problem right now: it sent no token. Try again."
            raise TemporarilyUnavailable(detail, platform=self._wire.platform, retry_after=RETRY_SECONDS)
        return tokens

    def _to(self, url: str, form: Mapping[str, str], secrets: tuple[str, ...], *, repeatable: bool) -> Call:
        """Call as the app."""
        app = {self.id_name: self._app.id, "client_secret": self._app.secret}
        hidden = (*secrets, self._app.secret)
        return Call(method="POST", url=url, repeatable=repeatable, form={**app, **form}, hidden=hidden)

    def _granted(self, grant: Grant, tokens: Tokens) -> Grant:
        """Take what the vendor sent. What it did not send again stays."""
        now = self._wire.clock.now()
        lives = (tokens.refresh_token_expires_in, tokens.refresh_expires_in)
        rest = next((seconds for seconds in lives if seconds is not None), None)
        return replace(
            grant,
            access_token=tokens.access_token,
            scopes=tokens.scopes() or grant.scopes,
            refreshed=now,
            expires_at=_after(now, tokens.expires_in),
            refresh_token=tokens.refresh_token or grant.refresh_token,
            refresh_expires_at=_after(now, rest) or grant.refresh_expires_at,
        )


def _after(now: datetime, seconds: int | None) -> datetime | None:
    return None if seconds is None else now + timedelta(seconds=seconds)
