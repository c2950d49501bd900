"""Connecting with OAuth 2: a person is sent to the vendor and comes back with a code, and grants are revoked.

Vendors differ in data: their URLs, the names of parameters, and which values mean that somebody declined. The tokens
themselves come from a `TokenEndpoint`.
"""

import hashlib
from abc import ABC, abstractmethod
from base64 import urlsafe_b64encode
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import AccountCredentials, Ask, Grant, Refused
from socialgate.contracts.failures import NeedsReconnection, PlatformFailure
from socialgate.contracts.platforms import Kind

_FAILED = "token_exchange_failed"


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


def hash_verifier(verifier: str) -> str:
    """Hash a PKCE verifier with the S256 method."""
    return urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
