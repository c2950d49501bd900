"""The token endpoint of an OAuth vendor: codes are exchanged for tokens there, and tokens renewed."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from msgspec.structs import replace

from socialgate.connectors.client import VendorCall, VendorClient
from socialgate.connectors.errors import DEFAULT_RETRY_SECONDS
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import (
    AuthorizationRefusedError,
    AuthorizationRequest,
    Grant,
    RedactedStruct,
)
from socialgate.contracts.failures import NeedsReconnectionError, PlatformRejectedError, PlatformUnavailableError

_EXCHANGE_FAILED_CODE = "token_exchange_failed"


class TokenResponse(RedactedStruct, frozen=True, kw_only=True):
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

    def parse_scopes(self) -> tuple[str, ...]:
        return tuple(re.findall(r"[^\s,]+", self.scope or ""))


class TokenEndpoint:
    """Tokens by the standard."""

    def __init__(
        self,
        app: PlatformApp,
        wire: VendorTransport,
        client: VendorClient,
        *,
        vendor: str,
        url: str,
        client_id_param: str = "client_id",
        keeps_refresh_token: bool = False,
    ) -> None:
        """Take a client of its own, because errors have a different meaning here, and the vendor's display name.

        `keeps_refresh_token` says that it stays the same, so that a renewal may be repeated.
        """
        self._app = app
        self._wire = wire
        self._client = client
        self._vendor = vendor
        self._url = url
        self._client_id_param = client_id_param
        self._keeps_refresh_token = keeps_refresh_token

    async def exchange_code(self, code: str, ask: AuthorizationRequest) -> TokenResponse:
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": ask.redirect_uri}
        secrets = (code, ask.pkce_verifier)
        try:
            return await self._request_tokens(form | {"code_verifier": ask.pkce_verifier}, secrets, repeatable=False)
        except PlatformRejectedError as failure:
            raise AuthorizationRefusedError(_EXCHANGE_FAILED_CODE, failure.detail) from None
        except NeedsReconnectionError:
            detail = f"{self._vendor} did not accept the code: it was already used or is too old. Start again."
            raise AuthorizationRefusedError(_EXCHANGE_FAILED_CODE, detail) from None

    async def refresh(self, grant: Grant) -> Grant:
        old = grant.refresh_token
        if old is None:
            detail = f"There is no refresh token for {self._vendor}. Reconnect the account."
            raise NeedsReconnectionError(detail, platform=self._wire.platform)
        form = {"grant_type": "refresh_token", "refresh_token": old}
        tokens = await self._request_tokens(form, (old,), repeatable=self._keeps_refresh_token)
        return self.update_grant(grant, tokens)

    def update_grant(self, grant: Grant, tokens: TokenResponse) -> Grant:
        """Take what the vendor sent. What it did not send again stays."""
        now = self._wire.clock.now()
        lives = (tokens.refresh_token_expires_in, tokens.refresh_expires_in)
        rest = next((seconds for seconds in lives if seconds is not None), None)
        return replace(
            grant,
            access_token=tokens.access_token,
            scopes=tokens.parse_scopes() or grant.scopes,
            refreshed_at=now,
            expires_at=_add_seconds(now, tokens.expires_in),
            refresh_token=tokens.refresh_token or grant.refresh_token,
            refresh_expires_at=_add_seconds(now, rest) or grant.refresh_expires_at,
        )

    def build_app_request(
        self, url: str, form: Mapping[str, str], secrets: tuple[str, ...], *, repeatable: bool
    ) -> VendorCall:
        """Build a call as the app."""
        app = {self._client_id_param: self._app.id, "client_secret": self._app.secret}
        hidden = (*secrets, self._app.secret)
        return VendorCall(method="POST", url=url, repeatable=repeatable, form={**app, **form}, secret_values=hidden)

    async def _request_tokens(
        self, form: Mapping[str, str], secrets: tuple[str, ...], *, repeatable: bool
    ) -> TokenResponse:
        call = self.build_app_request(self._url, form, secrets, repeatable=repeatable)
        tokens = await self._client.call(call, TokenResponse)
        if not tokens.access_token:
            detail = f"{self._vendor} has a problem right now: it sent no token. Try again."
            raise PlatformUnavailableError(detail, platform=self._wire.platform, retry_after=DEFAULT_RETRY_SECONDS)
        return tokens


def _add_seconds(now: datetime, seconds: int | None) -> datetime | None:
    return None if seconds is None else now + timedelta(seconds=seconds)
