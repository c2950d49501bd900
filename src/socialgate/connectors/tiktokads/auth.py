"""Connecting TikTok ad accounts, and revoking access. The token is valid until it is revoked: nothing is renewed."""

import hashlib
from collections.abc import Collection, Mapping, Sequence

from socialgate.connectors.oauth import GrantRevokerBase, OAuthLogin
from socialgate.connectors.tiktokads.api import Advertiser, AdvertiserSummary, TikTokAdsApi, TokenResponse
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import (
    AuthorizationRefusedError,
    AuthorizationRequest,
    DiscoveredAccount,
    Grant,
)
from socialgate.contracts.failures import NeedsReconnectionError, PlatformRejectedError
from socialgate.contracts.platforms import Kind


class TikTokAdsAuth(OAuthLogin, GrantRevokerBase):
    """The app's settings at TikTok decide which permissions are requested, not this code."""

    name = "TikTok Ads"
    consent_url = "https://business-api.tiktok.com/portal/auth"
    client_id_param = "app_id"
    extra_consent_params: Mapping[str, None] = {"response_type": None, "scope": None}

    def __init__(self, app: PlatformApp, wire: VendorTransport, api: TikTokAdsApi) -> None:
        super().__init__(app, wire)
        self._api = api

    def list_scopes(self, kinds: Collection[Kind] = ()) -> Sequence[str]:
        del kinds
        return ()

    @classmethod
    def parse_authorization_code(cls, query: Mapping[str, str]) -> str:
        # The second name occurs besides the first, but is undocumented.
        code = query.get("auth_code") or query.get("code")
        if query.get("error") or not code:
            detail = "The connection was declined on TikTok Ads. Start again and confirm it there."
            raise AuthorizationRefusedError("oauth_denied", detail)
        return code

    async def exchange_code(self, query: Mapping[str, str], ask: AuthorizationRequest) -> Grant:  # noqa: ARG002 - neither PKCE nor address
        try:
            tokens = await self._api.exchange_code(self.parse_authorization_code(query))
        except (NeedsReconnectionError, PlatformRejectedError) as failure:
            raise AuthorizationRefusedError("token_exchange_failed", failure.detail) from None
        token, scopes = tokens.access_token, tokens.parse_scopes()
        if not token:
            raise AuthorizationRefusedError("token_exchange_failed", "TikTok Ads sent no access token. Start again.")
        listed = await self._api.list_advertisers(token)
        if not listed and not scopes:
            raise AuthorizationRefusedError(
                "missing_tiktokads_permissions", "TikTok Ads granted neither a permission nor an ad account."
            )
        value, now = _build_grant_subject(tokens, listed), self._wire.clock.now()
        return Grant(
            platform_user_id=value, name=_build_grant_name(listed), access_token=token, scopes=scopes, refreshed_at=now
        )

    async def discover_accounts(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        if kinds and Kind.TIKTOK_ADS not in kinds:
            return []
        names = {
            str(row.advertiser_id): row.advertiser_name for row in await self._api.list_advertisers(grant.access_token)
        }
        known = {row.id: row for row in await self._api.fetch_advertisers(grant.access_token, list(names))}
        return [_build_account(known.get(id_) or Advertiser(advertiser_id=id_), name) for id_, name in names.items()]

    async def _revoke_grant(self, grant: Grant) -> None:
        await self._api.revoke_token(grant.access_token)


def _build_grant_subject(tokens: TokenResponse, advertisers: Sequence[AdvertiserSummary]) -> str:
    """Name who granted access. TikTok does not say: a token is identified by the ad accounts it gives access to.

    Two people with the same accounts may stand for each other; one with others must not.
    """
    ids = sorted({str(id_) for id_ in tokens.advertiser_ids or ()} | {str(row.advertiser_id) for row in advertisers})
    return hashlib.sha256((",".join(ids) or tokens.access_token).encode()).hexdigest()


def _build_grant_name(advertisers: Sequence[AdvertiserSummary]) -> str:
    if not advertisers:
        return "TikTok Ads"
    first = advertisers[0].advertiser_name or str(advertisers[0].advertiser_id)
    return first if len(advertisers) == 1 else f"{first} and {len(advertisers) - 1} more"


def _build_account(row: Advertiser, listed_name: str | None) -> DiscoveredAccount:
    return DiscoveredAccount(
        kind=Kind.TIKTOK_ADS,
        platform_account_id=row.id,
        name=row.name or listed_name or row.id,
        profile_url=f"https://ads.tiktok.com/i18n/dashboard?aadvid={row.id}",
        details=row.build_details(),
    )
