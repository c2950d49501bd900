"""Facebook Login: to a grant of sixty days, and from there to every Page, Instagram account and ad account.

There is no refresh token, and a server cannot extend the login: the person logs in again. The tokens of Pages do not
expire with it.
"""

from collections.abc import Awaitable, Collection, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from socialgate.connectors.graph.dialect import Node, Rows, Token, moment
from socialgate.connectors.graph.login import GraphLogin, end_of
from socialgate.connectors.meta.manifest import MANIFEST
from socialgate.connectors.meta.wire import AD_FIELDS, INSTAGRAM, PAGE_FIELDS, VERSION, AdAccount, Graph, Page
from socialgate.connectors.oauth import Revoking
from socialgate.contracts.connecting import DiscoveredAccount, Grant, Refused
from socialgate.contracts.failures import NeedsReconnection, PlatformFailure
from socialgate.contracts.platforms import Kind

# Without it, Pages that belong to a business portfolio are not listed.
_BUSINESS = "business_management"
_PAGE_KINDS = frozenset({Kind.FACEBOOK_PAGE, Kind.INSTAGRAM})

Row = TypeVar("Row", Page, AdAccount)
T = TypeVar("T")
U = TypeVar("U")


class MetaLogin(GraphLogin, Revoking):
    """Connecting by redirect, and revoking the permission."""

    name = "Facebook"
    consent_url = f"https://www.facebook.com/{VERSION}/dialog/oauth"
    hint = "Check that the app is live and its redirect URL is allowed."
    # Facebook silently skips a permission that was declined before, unless `auth_type` requests it again.
    asking: Mapping[str, str] = {"auth_type": "rerequest"}

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph.app, graph.wire)
        self._graph = graph

    def scopes(self, kinds: Collection[Kind] = ()) -> Sequence[str]:
        return sorted({*MANIFEST.scopes(kinds), _BUSINESS})

    def require(self, granted: Collection[str], kinds: Collection[Kind]) -> None:
        _require_scopes(granted, kinds)

    async def discover(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        """List what the grant gives access to. Each source may fail separately: people grant some permissions and not
        others.
        """
        wanted = frozenset(kinds or Kind)
        search = _Search(self._graph, grant)
        found: list[DiscoveredAccount] = []
        if wanted & _PAGE_KINDS:
            for page in await search.pages():
                found += [account for account in _accounts_of(page) if account.kind in wanted]
        if Kind.META_ADS in wanted:
            found += [_ad_account(row) for row in await search.ad_accounts()]
        if not found and search.failure is not None:
            raise search.failure
        return found

    async def _revoke(self, grant: Grant) -> None:
        """Remove the app: Meta revokes the whole login, never one Page of it."""
        await self._graph.person(grant.access_token, grant.subject).do("DELETE", f"{grant.subject}/permissions")

    async def _token_for(self, code: str, redirect_uri: str) -> Token:
        """Turn a login of two hours into one of sixty days."""
        short = await self._graph.token({"redirect_uri": redirect_uri, "code": code}, code, repeatable=False)
        params = {"grant_type": "fb_exchange_token", "fb_exchange_token": short.access_token}
        return await self._graph.token(params, short.access_token, repeatable=True)

    async def _grant(self, token: Token, now: datetime) -> Grant:
        api = self._graph.person(token.access_token)
        asked = (await api.get("me/permissions", Rows[dict[str, str]])).data
        person = await api.get("me", Node, fields="id,name")
        ends = end_of(token, now) or moment((await self._graph.inspect(token.access_token)).expires_at)
        return Grant(
            subject=str(person.id),
            name=person.name or str(person.id),
            access_token=token.access_token,
            scopes=tuple(sorted(each["permission"] for each in asked if each.get("status") == "granted")),
            refreshed=now,
            expires_at=ends,
        )


class _Search:
    """One search for accounts. `failure` is that of the first source that failed, if any."""

    def __init__(self, graph: Graph, grant: Grant) -> None:
        self._api = graph.person(grant.access_token, grant.subject)
        self._businesses: Sequence[Node] | None = None
        self.failure: PlatformFailure | None = None

    async def pages(self) -> Sequence[Page]:
        """List the Pages with their tokens: nothing works without, and the lists of a business omit them."""
        own = await self._all("me/accounts", Rows[Page], f"{PAGE_FIELDS},tasks")
        rows = await self._with_those_of_businesses(own, Rows[Page], PAGE_FIELDS, "pages")
        lacking = [str(row.id) for row in rows if not row.access_token]
        read = [await self._try(self._api.get(page, Page, fields=PAGE_FIELDS), None) for page in lacking]
        return [page for page in (*rows, *read) if page is not None and page.access_token]

    async def ad_accounts(self) -> Sequence[AdAccount]:
        own = await self._all("me/adaccounts", Rows[AdAccount], AD_FIELDS)
        return await self._with_those_of_businesses(own, Rows[AdAccount], AD_FIELDS, "ad_accounts")

    async def _with_those_of_businesses(
        self, own: Sequence[Row], shape: type[Rows[Row]], fields: str, edge: str
    ) -> Sequence[Row]:
        rows = {str(row.id): row for row in own}
        if self._businesses is None:
            self._businesses = await self._all("me/businesses", Rows[Node], "id,name")
        for business in self._businesses:
            for role in ("owned", "client"):
                more = await self._all(f"{business.id}/{role}_{edge}", shape, fields)
                # The first row of an id stays: the person's own list is the one that always has the token.
                rows = {str(row.id): row for row in more} | rows
        return list(rows.values())

    async def _all(self, path: str, shape: type[Rows[T]], fields: str) -> Sequence[T]:
        return await self._try(self._api.all(path, shape, fields), [])

    async def _try(self, source: Awaitable[T], otherwise: U) -> T | U:
        try:
            return await source
        except NeedsReconnection:
            raise
        except PlatformFailure as failure:
            self.failure = self.failure or failure
            return otherwise


def _require_scopes(granted: Collection[str], kinds: Collection[Kind]) -> None:
    """Accept a grant with fewer permissions than requested, but not one without any account."""
    wanted = frozenset(kinds or Kind)
    pages = bool(wanted & _PAGE_KINDS) and "pages_show_list" in granted
    ads = Kind.META_ADS in wanted and not {"ads_read", "ads_management"}.isdisjoint(granted)
    if not pages and not ads:
        raise Refused(
            "missing_meta_permissions",
            "This app got access to neither Pages nor ad accounts. Connect again and keep the checkboxes selected.",
        )


def _accounts_of(page: Page) -> Sequence[DiscoveredAccount]:
    """An Instagram account uses the token and the webhooks of its Page."""
    page_id, secret, behind = str(page.id), {"access_token": page.access_token or ""}, page.instagram_business_account
    found = DiscoveredAccount(
        kind=Kind.FACEBOOK_PAGE,
        platform_account_id=page_id,
        secret=secret,
        details={"category": page.category, "tasks": page.tasks or []},
        inbound_key=page_id,
        **page.looks,
    )
    if behind is None:
        return [found]
    details = {"pageId": page_id, "pageName": page.name, "username": behind.username}
    instagram = DiscoveredAccount(
        kind=Kind.INSTAGRAM,
        platform_account_id=str(behind.id),
        secret=secret,
        details=details,
        inbound_key=page_id,
        **behind.looks(INSTAGRAM),
    )
    return [found, instagram]


def _ad_account(row: AdAccount) -> DiscoveredAccount:
    """An ad account uses the person's own token: it has no secret."""
    business = {"businessId": str(row.business.id) if row.business is not None else None}
    return DiscoveredAccount(
        kind=Kind.META_ADS, platform_account_id=str(row.id), name=row.title, details={**row.facts, **business}
    )
