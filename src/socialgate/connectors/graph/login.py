"""Logging in with a Meta product: to its dialog, back with a code, and from there to a token of sixty days."""

from abc import abstractmethod
from collections.abc import Collection, Mapping
from datetime import datetime

from socialgate.connectors.graph.dialect import AccessToken, parse_timestamp
from socialgate.connectors.oauth import OAuthLogin
from socialgate.contracts.account_connection import AuthorizationRefusedError, AuthorizationRequest, Grant
from socialgate.contracts.failures import (
    OutcomeUnknownError,
    PlatformFailure,
    PlatformRateLimitError,
    PlatformUnavailableError,
)
from socialgate.contracts.platforms import Kind

_TEMPORARY_ERRORS = (PlatformRateLimitError, PlatformUnavailableError, OutcomeUnknownError)


class GraphLogin(OAuthLogin):
    declined_errors = frozenset({"access_denied", "user_denied"})
    failure_code = "access_denied"

    async def exchange_code(self, query: Mapping[str, str], ask: AuthorizationRequest) -> Grant:
        code = self.parse_authorization_code(query)
        try:
            token = await self._exchange_code(code, ask.redirect_uri)
            grant = await self._build_grant(token, self._wire.clock.now())
        except _TEMPORARY_ERRORS:
            raise
        except PlatformFailure as failure:
            raise AuthorizationRefusedError("token_exchange_failed", failure.detail) from None
        self.require_usable_grant(grant.scopes, ask.kinds)
        return grant

    @abstractmethod
    def require_usable_grant(self, granted: Collection[str], kinds: Collection[Kind]) -> None:
        """Reject a grant that is of no use."""

    @abstractmethod
    async def _exchange_code(self, code: str, redirect_uri: str) -> AccessToken:
        """Exchange the code, which is valid once, and get a long-lived token."""

    @abstractmethod
    async def _build_grant(self, token: AccessToken, now: datetime) -> Grant: ...


def compute_token_expiry(token: AccessToken, now: datetime) -> datetime | None:
    return parse_timestamp(int(now.timestamp()) + token.expires_in) if token.expires_in else None
