"""Connecting with OAuth 2: a person is sent to the vendor and comes back with a code, and the tokens are renewed.

Vendors differ in data: their URLs, the names of parameters, and which values mean that somebody declined.
"""

import hashlib
import re
from abc import ABC, abstractmethod
from base64 import urlsafe_b64encode
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from socialgate.connectors.client import Call, Client
from socialgate.connectors.errors import RETRY_SECONDS
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import AccountCredentials, Ask, Grant, Refused, Secretive
from socialgate.contracts.failures import NeedsReconnection, PlatformFailure, Rejected, TemporarilyUnavailable
from socialgate.contracts.platforms import Kind

_FAILED = "token_exchange_failed"


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


class Login(ABC):
    """Sends a person to the vendor, and reads what they come back with.

    `name` is the vendor's display name, `id_name` the parameter with the id of the app, `asking` are parameters of this
    vendor only: None omits one that others have. `declined` are the values that mean no. Any other error is reported as
    `refused`, with a `hint` at what it often means. `tail` is what the vendor appends to every code.
    """

    name: str
    consent_url: str
    id_name = "client_id"
    separator = ","
    asking: Mapping[str, Any] = {}
    declined = frozenset({"access_denied"})
    refused = _FAILED
    hint = "Start again."
    tail = ""

    def __init__(self, app: App, wire: Wire) -> None:
        self._app = app
        self._wire = wire

    def authorize_url(self, ask: Ask) -> str:
        challenge = self.challenge(ask.verifier)
        query = {
            self.id_name: self._app.id,
            "redirect_uri": ask.redirect_uri,
            "response_type": "code",
            "scope": self.separator.join(self.scopes(ask.kinds)),
            "state": ask.state,
            "code_challenge": challenge,
            "code_challenge_method": challenge and "S256",
        }
        return self._wire.address(self.consent_url, {**query, **self.asking})

    @abstractmethod
    def scopes(self, kinds: Collection[Kind] = ()) -> Sequence[str]:
        """Return what to ask for."""

    @staticmethod
    def challenge(verifier: str) -> str | None:
        """Return the PKCE challenge, if the vendor supports it."""
        del verifier
        return None

    @classmethod
    def code_of(cls, query: Mapping[str, str]) -> str:
        """Return the code that a person came back with. It is valid once."""
        if {query.get("error"), query.get("error_reason")} & cls.declined:
            raise Refused("oauth_denied", f"The connection was declined on {cls.name}.")
        if query.get("error") or query.get("error_code"):
            raise Refused(cls.refused, f"{cls.name} ended the connection with an error. {cls.hint}")
        code = query.get("code", "").removesuffix(cls.tail)
        if not code:
            raise Refused(_FAILED, f"{cls.name} sent no permission. Start again.")
        return code


class Revoking(ABC):
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


class OAuth(Login, Revoking):
    """Tokens by the standard. `keeps_refresh_token` says that it stays the same, so that a renewal may be repeated."""

    token_url: str
    keeps_refresh_token = False

    def __init__(self, app: App, wire: Wire, client: Client) -> None:
        """Take the client of the token endpoints: their errors have a different meaning."""
        super().__init__(app, wire)
        self._client = client

    @staticmethod
    def challenge(verifier: str) -> str:
        """Hash a PKCE verifier with the S256 method."""
        return urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()

    async def refresh(self, grant: Grant) -> Grant:
        old = grant.refresh_token
        if old is None:
            detail = f"There is no refresh token for {self.name}. Reconnect the account."
            raise NeedsReconnection(detail, platform=self._wire.platform)
        form = {"grant_type": "refresh_token", "refresh_token": old}
        return self._granted(grant, await self._buy(form, (old,), repeatable=self.keeps_refresh_token))

    async def _exchange(self, query: Mapping[str, str], ask: Ask) -> Tokens:
        """Exchange the code for tokens."""
        code = self.code_of(query)
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": ask.redirect_uri}
        try:
            return await self._buy(form | {"code_verifier": ask.verifier}, (code, ask.verifier), repeatable=False)
        except Rejected as failure:
            raise Refused(_FAILED, failure.detail) from None
        except NeedsReconnection:
            detail = f"{self.name} did not accept the code: it was already used or is too old. Start again."
            raise Refused(_FAILED, detail) from None

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
