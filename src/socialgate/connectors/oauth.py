"""Connecting with OAuth 2: a person is sent to the vendor and comes back with a code, and grants are revoked.

Vendors differ in data: their URLs, the names of parameters, and which values mean that somebody declined. The tokens
themselves come from a `TokenEndpoint`.
"""

import hashlib
from abc import ABC, abstractmethod
from base64 import urlsafe_b64encode
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import (
    AccountCredentials,
    AuthorizationRefusedError,
    AuthorizationRequest,
    Grant,
)
from socialgate.contracts.failures import NeedsReconnectionError, PlatformFailure
from socialgate.contracts.platforms import Kind

_EXCHANGE_FAILED_CODE = "token_exchange_failed"


class OAuthLogin(ABC):
    """Sends a person to the vendor, and reads what they come back with.

    `name` is the vendor's display name, `client_id_param` the parameter with the id of the app, `extra_consent_params`
    are parameters of this vendor only: None omits one that others have. `declined_errors` are the values that mean no.
    Any other error is reported as `failure_code`, with a `hint` at what it often means. `code_suffix` is what the
    vendor appends to every code.
    """

    name: str
    consent_url: str
    client_id_param = "client_id"
    separator = ","
    extra_consent_params: Mapping[str, Any] = {}
    declined_errors = frozenset({"access_denied"})
    failure_code = _EXCHANGE_FAILED_CODE
    hint = "Start again."
    code_suffix = ""

    def __init__(self, app: PlatformApp, wire: VendorTransport) -> None:
        self._app = app
        self._wire = wire

    def authorize_url(self, ask: AuthorizationRequest) -> str:
        challenge = self.build_pkce_challenge(ask.pkce_verifier)
        query = {
            self.client_id_param: self._app.id,
            "redirect_uri": ask.redirect_uri,
            "response_type": "code",
            "scope": self.separator.join(self.list_scopes(ask.kinds)),
            "state": ask.state,
            "code_challenge": challenge,
            "code_challenge_method": challenge and "S256",
        }
        return self._wire.resolve_url(self.consent_url, {**query, **self.extra_consent_params})

    @abstractmethod
    def list_scopes(self, kinds: Collection[Kind] = ()) -> Sequence[str]:
        """Return what to ask for."""

    @staticmethod
    def build_pkce_challenge(verifier: str) -> str | None:
        """Return the PKCE challenge, if the vendor supports it."""
        del verifier
        return None

    @classmethod
    def parse_authorization_code(cls, query: Mapping[str, str]) -> str:
        """Return the code that a person came back with. It is valid once."""
        if {query.get("error"), query.get("error_reason")} & cls.declined_errors:
            raise AuthorizationRefusedError("oauth_denied", f"The connection was declined on {cls.name}.")
        if query.get("error") or query.get("error_code"):
            raise AuthorizationRefusedError(
                cls.failure_code, f"{cls.name} ended the connection with an error. {cls.hint}"
            )
        code = query.get("code", "").removesuffix(cls.code_suffix)
        if not code:
            raise AuthorizationRefusedError(_EXCHANGE_FAILED_CODE, f"{cls.name} sent no permission. Start again.")
        return code


class GrantRevokerBase(ABC):
    async def revoke(self, credentials: AccountCredentials, *, is_last_account: bool) -> None:
        """Revoke the whole grant. Doing it twice changes nothing, so it may be repeated after a lost response."""
        if not is_last_account:
            return
        try:
            await self._revoke_grant(credentials.grant)
        except PlatformFailure as failure:
            if not self._is_already_revoked(failure):
                raise

    @abstractmethod
    async def _revoke_grant(self, grant: Grant) -> None: ...

    def _is_already_revoked(self, failure: PlatformFailure) -> bool:
        """Return whether a revocation was rejected because there is nothing left to revoke."""
        return isinstance(failure, NeedsReconnectionError)


def hash_pkce_verifier(verifier: str) -> str:
    """Hash a PKCE verifier with the S256 method."""
    return urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
