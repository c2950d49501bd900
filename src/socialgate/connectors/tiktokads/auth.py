"""Connecting TikTok ad accounts, and revoking access. The token is valid until it is revoked: nothing is renewed."""

import hashlib
from collections.abc import Collection, Mapping, Sequence

from socialgate.connectors.oauth import Login, Revoking
from socialgate.connectors.tiktokads.wire import Advertiser, Listed, TikTokAdsApi, Tokens
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import Ask, DiscoveredAccount, Grant, Refused
from socialgate.contracts.failures import NeedsReconnection, Rejected
from socialgate.contracts.platforms import Kind


class TikTokAdsAuth(Login, Revoking):
    """The app's settings at TikTok decide which permissions are requested, not this code."""

    name = "TikTok Ads"
    consent_url = "https://business-api.tiktok.com/portal/auth"
    id_name = "app_id"
    asking: Mapping[str, None] = {"response_type": None, "scope": None}

    def __init__(self, app: App, wire: Wire, api: TikTokAdsApi) -> None:
        super().__init__(app, wire)
        self._api = api

    def scopes(self, kinds: Collection[Kind] = ()) -> Sequence[str]:
        del kinds
        return ()

    @classmethod
    def code_of(cls, query: Mapping[str, str]) -> str:
        # The second name occurs besides the first, but is undocumented.
        code = query.get("auth_code") or query.get("code")
        if query.get("error") or not code:
            detail = "The connection was declined on TikTok Ads. Start again and confirm it there."
            raise Refused("oauth_denied", detail)
        return code

    async def exchange(self, query: Mapping[str, str], ask: Ask) -> Grant:  # noqa: ARG002 - neither PKCE nor address
        try:
            tokens = await self._api.exchange(self.code_of(query))
        except (NeedsReconnection, Rejected) as failure:
            raise Refused("token_exchange_failed", failure.detail) from None
        token, scopes = tokens.access_token, tokens.scopes()
        if not token:
            raise Refused("token_exchange_failed", "TikTok Ads sent no access token. Start again.")
        listed = await self._api.advertisers(token)
        if not listed and not scopes:
            raise Refused("missing_tiktokads_permissions", "TikTok Ads granted neither a permission nor an ad account.")
        who, now = _subject(tokens, listed), self._wire.clock.now()
        return Grant(subject=who, name=_name(listed), access_token=token, scopes=scopes, refreshed=now)

    async def discover(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        if kinds and Kind.TIKTOK_ADS not in kinds:
            return []
        names = {str(row.advertiser_id): row.advertiser_name for row in await self._api.advertisers(grant.access_token)}
        known = {row.id: row for row in await self._api.info(grant.access_token, list(names))}
        return [_found(known.get(id_) or Advertiser(advertiser_id=id_), name) for id_, name in names.items()]

    async def _revoke(self, grant: Grant) -> None:
        await self._api.revoke(grant.access_token)


def _subject(tokens: Tokens, listed: Sequence[Listed]) -> str:
    """Name who granted access. TikTok does not say: a token is identified by the ad accounts it gives access to.

    Two people with the same accounts may stand for each other; one with others must not.
    """
    ids = sorted({str(id_) for id_ in tokens.advertiser_ids or ()} | {str(row.advertiser_id) for row in listed})
    return hashlib.sha256((",".join(ids) or tokens.access_token).encode()).hexdigest()


def _name(listed: Sequence[Listed]) -> str:
    if not listed:
        return "TikTok Ads"
    first = listed[0].advertiser_name or str(listed[0].advertiser_id)
    return first if len(listed) == 1 else f"{first} and {len(listed) - 1} more"


def _found(row: Advertiser, listed_name: str | None) -> DiscoveredAccount:
    return DiscoveredAccount(
        kind=Kind.TIKTOK_ADS,
        platform_account_id=row.id,
        name=row.name or listed_name or row.id,
        profile_url=f"https://ads.tiktok.com/i18n/dashboard?aadvid={row.id}",
        details=row.details(),
    )
