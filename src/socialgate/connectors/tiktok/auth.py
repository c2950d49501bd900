"""Connecting TikTok accounts, and renewing and revoking grants."""

import hashlib
from collections.abc import Collection, Mapping, Sequence

from socialgate.connectors.client import VendorClient
from socialgate.connectors.dialects.tiktok import TikTokOAuthDialect
from socialgate.connectors.oauth import GrantRevokerBase, OAuthLogin
from socialgate.connectors.post_options import drop_none
from socialgate.connectors.tiktok.accounts import build_profile
from socialgate.connectors.tiktok.api import API_URL, TikTokApi, list_user_fields
from socialgate.connectors.tiktok.errors import OAUTH_ERRORS
from socialgate.connectors.tiktok.manifest import ALWAYS_REQUESTED_SCOPES, MANIFEST
from socialgate.connectors.token_endpoint import TokenEndpoint
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import (
    AuthorizationRefusedError,
    AuthorizationRequest,
    DiscoveredAccount,
    Grant,
    build_discovered_account,
)
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Kind

_IDENTITY_SCOPE = "user.info.basic"


class TikTokAuth(OAuthLogin, GrantRevokerBase):
    """TikTok issues a new refresh token with each renewal, and the old one stops working."""

    name = "TikTok"
    consent_url = "https://www.tiktok.com/v2/auth/authorize/"
    client_id_param = "client_key"
    # Without it TikTok connects the previous account again, without asking.
    extra_consent_params: Mapping[str, int] = {"disable_auto_auth": 1}

    def __init__(self, app: PlatformApp, wire: VendorTransport, api: TikTokApi) -> None:
        super().__init__(app, wire)
        self._api = api
        self._client = VendorClient(wire, TikTokOAuthDialect(), OAUTH_ERRORS)
        self._tokens = TokenEndpoint(
            app,
            wire,
            self._client,
            vendor=self.name,
            url=f"{API_URL}/oauth/token/",
            client_id_param=self.client_id_param,
        )

    def list_scopes(self, kinds: Collection[Kind] = ()) -> Sequence[str]:
        return sorted({*ALWAYS_REQUESTED_SCOPES, *MANIFEST.list_scopes(kinds)})

    @staticmethod
    def build_pkce_challenge(verifier: str) -> str:
        """Hash a PKCE verifier in TikTok's way: it calls it S256, but expects hexadecimal where others expect
        base64url. It is required for redirects to a loopback address, and accepted everywhere.
        """
        return hashlib.sha256(verifier.encode()).hexdigest()

    async def exchange_code(self, query: Mapping[str, str], ask: AuthorizationRequest) -> Grant:
        tokens = await self._tokens.exchange_code(self.parse_authorization_code(query), ask)
        token, scopes, value = tokens.access_token, tokens.parse_scopes(), tokens.open_id
        if _IDENTITY_SCOPE not in scopes or not value:
            raise AuthorizationRefusedError(
                "missing_tiktok_permissions", "TikTok did not grant access to the profile. Start again."
            )
        user = await self._api.fetch_user(token, list_user_fields(scopes), value)
        name, now = user.display_name or user.username or "TikTok", self._wire.clock.now()
        grant = Grant(platform_user_id=value, name=name, access_token=token, scopes=scopes, refreshed_at=now)
        return self._tokens.update_grant(grant, tokens)

    async def refresh(self, grant: Grant) -> Grant:
        return await self._tokens.refresh(grant)

    async def discover_accounts(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        if kinds and Kind.TIKTOK not in kinds:
            return []
        user = await self._api.fetch_user(grant.access_token, list_user_fields(grant.scopes), grant.platform_user_id)
        details = drop_none({"unionId": user.union_id or None})
        return [
            build_discovered_account(
                Kind.TIKTOK, grant.platform_user_id, build_profile(user, grant.name), details=details
            )
        ]

    async def _revoke_grant(self, grant: Grant) -> None:
        token = grant.access_token
        url = f"{API_URL}/oauth/revoke/"
        call = self._tokens.build_app_request(url, {"token": token}, (token,), repeatable=True)
        await self._client.call(call, object)

    def _is_already_revoked(self, failure: PlatformFailure) -> bool:
        """TikTok documents no error code for a dead token in a revocation.

        `invalid_request` can mean nothing else there: of what we send, only the app could also be wrong, and that is
        `invalid_client`.
        """
        error = failure.platform_error
        is_unknown = error is not None and error.code == "invalid_request"
        return is_unknown or super()._is_already_revoked(failure) or failure.category == "auth_expired"
