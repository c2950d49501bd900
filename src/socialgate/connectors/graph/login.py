"""Logging in with a Meta product: to its dialog, back with a code, and from there to a token of sixty days."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from socialgate.connectors.dialects.graph import Token, moment
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import Ask, Grant, Refused
from socialgate.contracts.failures import OutcomeUnknown, PlatformFailure, PlatformRateLimited, TemporarilyUnavailable
from socialgate.contracts.platforms import Kind

_PASSING = (PlatformRateLimited, TemporarilyUnavailable, OutcomeUnknown)


class GraphLogin(ABC):
    """`tail` is what the dialog appends to every code. `asking` are parameters of this dialog only, and `hint` says
    what an error of the vendor often means.
    """

    vendor: str
    dialog: str
    hint: str
    tail: str = ""
    asking: Mapping[str, str] = {}

    def __init__(self, app: App, wire: Wire) -> None:
        self._app = app
        self._wire = wire

    def authorize_url(self, ask: Ask) -> str:
        query = {
            "client_id": self._app.id,
            "redirect_uri": ask.redirect_uri,
            "scope": ",".join(self.scopes(ask.kinds)),
            "response_type": "code",
            "state": ask.state,
            **self.asking,
        }
        return self._wire.address(self.dialog, query)

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
    def scopes(self, kinds: Collection[Kind] = ()) -> Sequence[str]: ...

    @abstractmethod
    def require(self, granted: Collection[str], kinds: Collection[Kind]) -> None:
        """Reject a grant that is of no use."""

    @abstractmethod
    async def _token_for(self, code: str, redirect_uri: str) -> Token:
        """Exchange the code, which is valid once, and get a long-lived token."""

    @abstractmethod
    async def _grant(self, token: Token, now: datetime) -> Grant: ...

    @classmethod
    def code_of(cls, query: Mapping[str, str]) -> str:
        if query.get("error") == "access_denied" or query.get("error_reason") == "user_denied":
            raise Refused("oauth_denied", f"The person did not grant the permission on {cls.vendor}.")
        if "error" in query or "error_code" in query:
            raise Refused("access_denied", f"{cls.vendor} rejected the login. {cls.hint}")
        code = query.get("code", "").removesuffix(cls.tail)
        if not code:
            detail = f"{cls.vendor} did not send a login code. Start connecting again."
            raise Refused("token_exchange_failed", detail)
        return code


def end_of(token: Token, now: datetime) -> datetime | None:
    return moment(int(now.timestamp()) + token.expires_in) if token.expires_in else None
