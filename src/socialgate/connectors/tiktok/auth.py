"""Connecting TikTok accounts, and renewing and revoking grants."""

import hashlib
from collections.abc import Collection, Mapping, Sequence

from socialgate.connectors.client import Client
from socialgate.connectors.dialects.tiktok import OAuthDialect
from socialgate.connectors.forms import given
from socialgate.connectors.oauth import Login, Revoking
from socialgate.connectors.tiktok.accounts import about_user
from socialgate.connectors.tiktok.errors import OAUTH
from socialgate.connectors.tiktok.manifest import ALWAYS_ASKED, MANIFEST
from socialgate.connectors.tiktok.wire import API, TikTokApi, user_fields
from socialgate.connectors.token_endpoint import TokenEndpoint
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import Ask, DiscoveredAccount, Grant, Refused, found
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Kind

_IDENTITY = "user.info.basic"


class TikTokAuth(Login, Revoking):
    """TikTok issues a new refresh token with each renewal, and the old one stops working."""

    name = "TikTok"
    consent_url = "https://www.tiktok.com/v2/auth/authorize/"
    id_name = "client_key"
    # Without it TikTok connects the previous account again, without asking.
    asking: Mapping[str, int] = {"disable_auto_auth": 1}

    def __init__(self, app: App, wire: Wire, api: TikTokApi) -> None:
        super().__init__(app, wire)
        self._api = api
        self._client = Client(wire, OAuthDialect(), OAUTH)
        self._tokens = TokenEndpoint(
            app, wire, self._client, vendor=self.name, url=f"{API}/oauth/token/", client_id_param=self.id_name
        )

    def scopes(self, kinds: Collection[Kind] = ()) -> Sequence[str]:
        return sorted({*ALWAYS_ASKED, *MANIFEST.scopes(kinds)})

    @staticmethod
    def challenge(verifier: str) -> str:
        """Hash a PKCE verifier in TikTok's way: it calls it S256, but expects hexadecimal where others expect
        base64url. It is required for redirects to a loopback address, and accepted everywhere.
        """
        return hashlib.sha256(verifier.encode()).hexdigest()

    async def exchange(self, query: Mapping[str, str], ask: Ask) -> Grant:
        tokens = await self._tokens.exchange_code(self.code_of(query), ask)
        token, scopes, who = tokens.access_token, tokens.scopes(), tokens.open_id
        if _IDENTITY not in scopes or not who:
            raise Refused("missing_tiktok_permissions", "TikTok did not grant access to the profile. Start again.")
        user = await self._api.user(token, user_fields(scopes), who)
        name, now = user.display_name or user.username or "TikTok", self._wire.clock.now()
        grant = Grant(subject=who, name=name, access_token=token, scopes=scopes, refreshed=now)
        return self._tokens.update_grant(grant, tokens)

    async def refresh(self, grant: Grant) -> Grant:
        return await self._tokens.refresh(grant)

    async def discover(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        if kinds and Kind.TIKTOK not in kinds:
            return []
        user = await self._api.user(grant.access_token, user_fields(grant.scopes), grant.subject)
        details = given({"unionId": user.union_id or None})
        return [found(Kind.TIKTOK, grant.subject, about_user(user, grant.name), details=details)]

    async def _revoke(self, grant: Grant) -> None:
        token = grant.access_token
        url = f"{API}/oauth/revoke/"
        call = self._tokens.build_app_request(url, {"token": token}, (token,), repeatable=True)
        await self._client.call(call, object)

    def _is_dead(self, failure: PlatformFailure) -> bool:
        """TikTok documents no error code for a dead token in a revocation.

        `invalid_request` can mean nothing else there: of what we send, only the app could also be wrong, and that is
        `invalid_client`.
        """
        error = failure.platform_error
        is_unknown = error is not None and error.code == "invalid_request"
        return is_unknown or super()._is_dead(failure) or failure.category == "auth_expired"
