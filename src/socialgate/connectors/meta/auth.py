"""Facebook Login: to a grant of sixty days, and from there to every Page, Instagram account and ad account.

There is no refresh token, and a server cannot extend the login: the person logs in again. The tokens of Pages do not
expire with it.
"""

from collections.abc import Awaitable, Collection, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from socialgate.connectors.graph.dialect import AccessToken, GraphNode, GraphPage, parse_timestamp
from socialgate.connectors.graph.login import GraphLogin, compute_token_expiry
from socialgate.connectors.meta.api import (
    AD_ACCOUNT_FIELDS,
    API_VERSION,
    INSTAGRAM_PROFILE_URL,
    PAGE_FIELDS,
    AdAccount,
    FacebookPage,
    MetaApi,
)
from socialgate.connectors.meta.manifest import MANIFEST
from socialgate.connectors.oauth import GrantRevokerBase
from socialgate.contracts.account_connection import AuthorizationRefusedError, DiscoveredAccount, Grant
from socialgate.contracts.failures import NeedsReconnectionError, PlatformFailure
from socialgate.contracts.platforms import Kind

# Without it, Pages that belong to a business portfolio are not listed.
_BUSINESS_SCOPE = "business_management"
_PAGE_KINDS = frozenset({Kind.FACEBOOK_PAGE, Kind.INSTAGRAM})

Row = TypeVar("Row", FacebookPage, AdAccount)
T = TypeVar("T")
U = TypeVar("U")


class MetaLogin(GraphLogin, GrantRevokerBase):
    """Connecting by redirect, and revoking the permission."""

    name = "Facebook"
    consent_url = f"https://www.facebook.com/{API_VERSION}/dialog/oauth"
    hint = "Check that the app is live and its redirect URL is allowed."
    # Facebook silently skips a permission that was declined before, unless `auth_type` requests it again.
    extra_consent_params: Mapping[str, str] = {"auth_type": "rerequest"}

    def __init__(self, graph: MetaApi) -> None:
        super().__init__(graph.app, graph.wire)
        self._graph = graph

    def list_scopes(self, kinds: Collection[Kind] = ()) -> Sequence[str]:
        return sorted({*MANIFEST.list_scopes(kinds), _BUSINESS_SCOPE})

    def require_usable_grant(self, granted: Collection[str], kinds: Collection[Kind]) -> None:
        _require_scopes(granted, kinds)

    async def discover_accounts(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        """List what the grant gives access to. Each source may fail separately: people grant some permissions and not
        others.
        """
        requested_kinds = frozenset(kinds or Kind)
        search = _AccountDiscovery(self._graph, grant)
        discovered_accounts: list[DiscoveredAccount] = []
        if requested_kinds & _PAGE_KINDS:
            for page in await search.list_pages():
                discovered_accounts += [
                    account for account in _build_page_accounts(page) if account.kind in requested_kinds
                ]
        if Kind.META_ADS in requested_kinds:
            discovered_accounts += [_build_ad_account(row) for row in await search.list_ad_accounts()]
        if not discovered_accounts and search.failure is not None:
            raise search.failure
        return discovered_accounts

    async def _revoke_grant(self, grant: Grant) -> None:
        """Remove the app: Meta revokes the whole login, never one Page of it."""
        await self._graph.for_person(grant.access_token, grant.platform_user_id).call_for_success(
            "DELETE", f"{grant.platform_user_id}/permissions"
        )

    async def _exchange_code(self, code: str, redirect_uri: str) -> AccessToken:
        """Turn a login of two hours into one of sixty days."""
        short = await self._graph.exchange_token({"redirect_uri": redirect_uri, "code": code}, code, repeatable=False)
        params = {"grant_type": "fb_exchange_token", "fb_exchange_token": short.access_token}
        return await self._graph.exchange_token(params, short.access_token, repeatable=True)

    async def _build_grant(self, token: AccessToken, now: datetime) -> Grant:
        api = self._graph.for_person(token.access_token)
        request = (await api.get("me/permissions", GraphPage[dict[str, str]])).data
        person = await api.get("me", GraphNode, fields="id,name")
        ends = compute_token_expiry(token, now) or parse_timestamp(
            (await self._graph.inspect_token(token.access_token)).expires_at
        )
        return Grant(
            platform_user_id=str(person.id),
            name=person.name or str(person.id),
            access_token=token.access_token,
            scopes=tuple(sorted(each["permission"] for each in request if each.get("status") == "granted")),
            refreshed_at=now,
            expires_at=ends,
        )


class _AccountDiscovery:
    """One search for accounts. `failure` is that of the first source that failed, if any."""

    def __init__(self, graph: MetaApi, grant: Grant) -> None:
        self._api = graph.for_person(grant.access_token, grant.platform_user_id)
        self._businesses: Sequence[GraphNode] | None = None
        self.failure: PlatformFailure | None = None

    async def list_pages(self) -> Sequence[FacebookPage]:
        """List the Pages with their tokens: nothing works without, and the lists of a business omit them."""
        own = await self._list_all("me/accounts", GraphPage[FacebookPage], f"{PAGE_FIELDS},tasks")
        rows = await self._add_business_rows(own, GraphPage[FacebookPage], PAGE_FIELDS, "pages")
        lacking = [str(row.id) for row in rows if not row.access_token]
        read = [await self._try_source(self._api.get(page, FacebookPage, fields=PAGE_FIELDS), None) for page in lacking]
        return [page for page in (*rows, *read) if page is not None and page.access_token]

    async def list_ad_accounts(self) -> Sequence[AdAccount]:
        own = await self._list_all("me/adaccounts", GraphPage[AdAccount], AD_ACCOUNT_FIELDS)
        return await self._add_business_rows(own, GraphPage[AdAccount], AD_ACCOUNT_FIELDS, "ad_accounts")

    async def _add_business_rows(
        self, own: Sequence[Row], shape: type[GraphPage[Row]], fields: str, edge: str
    ) -> Sequence[Row]:
        rows = {str(row.id): row for row in own}
        if self._businesses is None:
            self._businesses = await self._list_all("me/businesses", GraphPage[GraphNode], "id,name")
        for business in self._businesses:
            for role in ("owned", "client"):
                more = await self._list_all(f"{business.id}/{role}_{edge}", shape, fields)
                # The first row of an id stays: the person's own list is the one that always has the token.
                rows = {str(row.id): row for row in more} | rows
        return list(rows.values())

    async def _list_all(self, path: str, shape: type[GraphPage[T]], fields: str) -> Sequence[T]:
        return await self._try_source(self._api.list_all(path, shape, fields), [])

    async def _try_source(self, source: Awaitable[T], default: U) -> T | U:
        try:
            return await source
        except NeedsReconnectionError:
            raise
        except PlatformFailure as failure:
            self.failure = self.failure or failure
            return default


def _require_scopes(granted: Collection[str], kinds: Collection[Kind]) -> None:
    """Accept a grant with fewer permissions than requested, but not one without any account."""
    requested_kinds = frozenset(kinds or Kind)
    pages = bool(requested_kinds & _PAGE_KINDS) and "pages_show_list" in granted
    ads = Kind.META_ADS in requested_kinds and not {"ads_read", "ads_management"}.isdisjoint(granted)
    if not pages and not ads:
        raise AuthorizationRefusedError(
            "missing_meta_permissions",
            "This app got access to neither Pages nor ad accounts. Connect again and keep the checkboxes selected.",
        )


def _build_page_accounts(page: FacebookPage) -> Sequence[DiscoveredAccount]:
    """An Instagram account uses the token and the webhooks of its Page."""
    page_id, secret, behind = str(page.id), {"access_token": page.access_token or ""}, page.instagram_business_account
    discovered_account = DiscoveredAccount(
        kind=Kind.FACEBOOK_PAGE,
        platform_account_id=page_id,
        secret=secret,
        details={"category": page.category, "tasks": page.tasks or []},
        inbound_key=page_id,
        **page.profile_attributes,
    )
    if behind is None:
        return [discovered_account]
    details = {"pageId": page_id, "pageName": page.name, "username": behind.username}
    instagram = DiscoveredAccount(
        kind=Kind.INSTAGRAM,
        platform_account_id=str(behind.id),
        secret=secret,
        details=details,
        inbound_key=page_id,
        **behind.to_profile_fields(INSTAGRAM_PROFILE_URL),
    )
    return [discovered_account, instagram]


def _build_ad_account(row: AdAccount) -> DiscoveredAccount:
    """An ad account uses the person's own token: it has no secret."""
    business = {"businessId": str(row.business.id) if row.business is not None else None}
    return DiscoveredAccount(
        kind=Kind.META_ADS,
        platform_account_id=str(row.id),
        name=row.display_name,
        details={**row.profile_facts, **business},
    )
