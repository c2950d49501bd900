"""Logging in with a Meta product: to its dialog, back with a code, and from there to a token of sixty days."""

from abc import abstractmethod
from collections.abc import Collection, Mapping
from datetime import datetime

from socialgate.connectors.graph.dialect import Token, moment
from socialgate.connectors.oauth import Login
from socialgate.contracts.connecting import Ask, Grant, Refused
from socialgate.contracts.failures import OutcomeUnknown, PlatformFailure, PlatformRateLimited, TemporarilyUnavailable
from socialgate.contracts.platforms import Kind

_PASSING = (PlatformRateLimited, TemporarilyUnavailable, OutcomeUnknown)


class GraphLogin(Login):
    declined = frozenset({"access_denied", "user_denied"})
    refused = "access_denied"

    async def exchange(self, query: Mapping[str, str], ask: Ask) -> Grant:
        code = self.code_of(query)
        try:
            token = await self._token_for(code, ask.redirect_uri)
            grant = await self._grant(token, self._wire.clock.now())
        except _PASSING:
            raise
        except PlatformFailure as failure:
            raise Refused("token_exchange_failed", failure.detail) from None
        self.require(grant.scopes, ask.kinds)
        return grant

    @abstractmethod
    def require(self, granted: Collection[str], kinds: Collection[Kind]) -> None:
        """Reject a grant that is of no use."""

    @abstractmethod
    async def _token_for(self, code: str, redirect_uri: str) -> Token:
        """Exchange the code, which is valid once, and get a long-lived token."""

    @abstractmethod
    async def _grant(self, token: Token, now: datetime) -> Grant: ...


def end_of(token: Token, now: datetime) -> datetime | None:
    return moment(int(now.timestamp()) + token.expires_in) if token.expires_in else None
