"""The calls of the Graph API that connecting needs, one method each. What comes back is typed here, and for posts in
`posting_wire.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeVar

import msgspec

from socialgate.connectors.client import DEADLINE_SECONDS
from socialgate.connectors.dialects.graph import GraphClient, GraphDialect, GraphError, Rows, Token, request
from socialgate.connectors.meta.errors import TABLE
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.failures import (
    NeedsReconnection,
    PermissionMissing,
    PlatformFailure,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Platform

T = TypeVar("T")

VERSION = "v26.0"
GRAPH = f"https://graph.facebook.com/{VERSION}"
_APP = "app"
_PAGE_FIELDS = (
    "id,name,username,access_token,category,picture.type(large),"
    "instagram_business_account{id,username,name,profile_picture_url}"
)
# What a person may do on a Page is no field of the Page: only the list of the person's Pages has it.
_OWN_PAGE_FIELDS = f"{_PAGE_FIELDS},tasks"
_PAGE_ABOUT = "id,name,username,about,category,link,picture,followers_count,fan_count,verification_status"
_INSTAGRAM_FIELDS = "id,username,name,profile_picture_url,biography,website,followers_count,follows_count,media_count"
_AD_FIELDS = (
    "id,account_id,name,account_status,disable_reason,currency,timezone_name,timezone_offset_hours_utc,"
    "business{id,name},amount_spent,balance,spend_cap,user_tasks"
)

_AD_STATUS = {
    1: "active",
    2: "disabled",
    3: "unsettled",
    7: "pending_review",
    9: "in_grace_period",
    100: "pending_closure",
    101: "closed",
}


class Inspected(msgspec.Struct, kw_only=True):
    """What Meta knows of a token. Times are seconds, 0 for never."""

    is_valid: bool
    expires_at: int | None = None
    data_access_expires_at: int | None = None
    scopes: list[str] = []
    error: GraphError | None = None


class _Debug(msgspec.Struct):
    data: Inspected


class Person(msgspec.Struct):
    id: str | int
    name: str | None = None


class Permission(msgspec.Struct):
    permission: str = ""
    status: str = ""


class _Image(msgspec.Struct):
    url: str | None = None


class Picture(msgspec.Struct):
    data: _Image | None = None

    @property
    def url(self) -> str | None:
        return self.data.url if self.data is not None else None


class Instagram(msgspec.Struct, kw_only=True):
    id: str | int
    username: str | None = None
    name: str | None = None
    profile_picture_url: str | None = None
    biography: str | None = None
    website: str | None = None
    followers_count: int | None = None
    follows_count: int | None = None
    media_count: int | None = None


class Page(msgspec.Struct, kw_only=True):
    id: str | int
    name: str | None = None
    username: str | None = None
    access_token: str | None = None
    category: str | None = None
    tasks: list[str] | None = None
    picture: Picture | None = None
    instagram_business_account: Instagram | None = None
    about: str | None = None
    link: str | None = None
    followers_count: int | None = None
    fan_count: int | None = None
    verification_status: str | None = None

    def __repr__(self) -> str:
        return f"Page({self.id})"


class Business(msgspec.Struct):
    id: str | int
    name: str | None = None


class AdAccount(msgspec.Struct, kw_only=True):
    """Amounts are in the currency's smallest unit, as strings."""

    id: str | int
    name: str | None = None
    account_status: int | None = None
    disable_reason: int | None = None
    currency: str | None = None
    timezone_name: str | None = None
    business: Business | None = None
    amount_spent: str | int | None = None
    balance: str | int | None = None
    spend_cap: str | int | None = None
    user_tasks: list[str] | None = None

    @property
    def status(self) -> str | None:
        return None if self.account_status is None else _AD_STATUS.get(self.account_status, str(self.account_status))


class SubscribedApp(msgspec.Struct):
    id: str | int = ""


class _Config(msgspec.Struct):
    quota_total: int | None = None


class PublishingLimit(msgspec.Struct):
    quota_usage: int | None = None
    config: _Config | None = None


class Graph:
    """`budget` names whose calls wait when Meta has had too many: the account, or the person before there is one."""

    def __init__(self, app: App, wire: Wire) -> None:
        self._app = app
        self._client = GraphClient(wire, GraphDialect(app.secret), TABLE)

    async def exchange_code(self, code: str, redirect_uri: str) -> Token:
        """Exchange the code of a login, which Meta takes once."""
        return await self._token({"redirect_uri": redirect_uri, "code": code}, code, repeatable=False)

    async def lengthen(self, token: str) -> Token:
        """Make a login of two hours one of sixty days."""
        params = {"grant_type": "fb_exchange_token", "fb_exchange_token": token}
        return await self._token(params, token, repeatable=True)

    async def inspect(self, token: str) -> Inspected:
        """Ask, as the app, what a token is worth."""
        as_app = f"{self._app.id}|{self._app.secret}"
        query, hidden = {"input_token": token, "access_token": as_app}, (token, self._app.secret)
        call = request("GET", f"{GRAPH}/debug_token", query, repeatable=True, hidden=hidden)
        try:
            return (await self._client.call(call, _Debug)).data
        except (NeedsReconnection, PermissionMissing, Rejected) as failure:
            _blame_app(failure)

    async def me(self, token: str) -> Person:
        return await self._get("me", Person, token, _APP, fields="id,name")

    async def permissions(self, token: str) -> Sequence[Permission]:
        return (await self._get("me/permissions", Rows[Permission], token, _APP)).data

    async def pages(self, token: str, budget: str) -> Sequence[Page]:
        return await self._all("me/accounts", Rows[Page], token, budget, _OWN_PAGE_FIELDS)

    async def tasks(self, token: str, budget: str) -> Sequence[Page]:
        """List what a person may do on each of their Pages, and nothing else of them."""
        return await self._all("me/accounts", Rows[Page], token, budget, "id,tasks")

    async def businesses(self, token: str, budget: str) -> Sequence[Business]:
        return await self._all("me/businesses", Rows[Business], token, budget, "id,name")

    async def business_pages(self, business: str, edge: str, token: str, budget: str) -> Sequence[Page]:
        return await self._all(f"{business}/{edge}", Rows[Page], token, budget, _PAGE_FIELDS)

    async def ad_accounts(self, token: str, budget: str) -> Sequence[AdAccount]:
        return await self._all("me/adaccounts", Rows[AdAccount], token, budget, _AD_FIELDS)

    async def business_ad_accounts(self, business: str, edge: str, token: str, budget: str) -> Sequence[AdAccount]:
        return await self._all(f"{business}/{edge}", Rows[AdAccount], token, budget, _AD_FIELDS)

    async def page(self, page: str, token: str, budget: str) -> Page:
        """Read a Page as its person: the only way to the token of one that a list gave without."""
        return await self._get(page, Page, token, budget, fields=_PAGE_FIELDS)

    async def page_about(self, page: str, token: str) -> Page:
        return await self._get(page, Page, token, page, fields=_PAGE_ABOUT)

    async def reach(self, node: str, token: str) -> None:
        """Ask for nothing but the id of a Page or an Instagram account: whether it is still there for this token."""
        await self._get(node, Person, token, node, fields="id")

    async def instagram(self, account: str, token: str) -> Instagram:
        return await self._get(account, Instagram, token, account, fields=_INSTAGRAM_FIELDS)

    async def publishing_limit(self, account: str, token: str) -> PublishingLimit | None:
        path = f"{account}/content_publishing_limit"
        rows = await self._get(path, Rows[PublishingLimit], token, account, fields="quota_usage,config")
        return rows.data[0] if rows.data else None

    async def ad_account(self, account: str, token: str) -> AdAccount:
        return await self._get(account, AdAccount, token, account, fields=_AD_FIELDS)

    async def subscribed_apps(self, page: str, token: str) -> Sequence[SubscribedApp]:
        return (await self._get(f"{page}/subscribed_apps", Rows[SubscribedApp], token, page)).data

    async def subscribe(self, page: str, token: str, fields: Sequence[str]) -> None:
        url, params = f"{GRAPH}/{page}/subscribed_apps", {"subscribed_fields": ",".join(fields)}
        await self._client.do(request("POST", url, params, repeatable=True, token=token, budget=page))

    async def unsubscribe(self, page: str, token: str) -> None:
        url = f"{GRAPH}/{page}/subscribed_apps"
        await self._client.do(request("DELETE", url, {}, repeatable=True, token=token, budget=page))

    async def forget(self, person: str, token: str) -> None:
        """Take the whole app out of a person's account."""
        url = f"{GRAPH}/{person}/permissions"
        await self._client.do(request("DELETE", url, {}, repeatable=True, token=token, budget=person))

    async def _token(self, params: Mapping[str, str], secret: str, *, repeatable: bool) -> Token:
        form = {"client_id": self._app.id, "client_secret": self._app.secret, **params}
        hidden = (secret, self._app.secret)
        call = request("POST", f"{GRAPH}/oauth/access_token", form, repeatable=repeatable, hidden=hidden)
        return await self._client.call(call, Token)

    async def _get(self, path: str, shape: type[T], token: str, budget: str, **params: Any) -> T:
        return await self._call("GET", path, shape, token, budget, params, repeatable=True)

    async def _all(self, path: str, shape: type[Rows[T]], token: str, budget: str, fields: str) -> Sequence[T]:
        url, params = f"{GRAPH}/{path}", {"fields": fields}
        return await self._client.all(request("GET", url, params, repeatable=True, token=token, budget=budget), shape)

    async def _call(
        self,
        method: str,
        path: str,
        shape: type[T],
        token: str,
        budget: str,
        params: Mapping[str, Any],
        *,
        repeatable: bool,
        deadline: float = DEADLINE_SECONDS,
    ) -> T:
        """Call as a person or a Page."""
        url = f"{GRAPH}/{path}"
        call = request(method, url, params, repeatable=repeatable, token=token, budget=budget, deadline=deadline)
        return await self._client.call(call, shape)


def _blame_app(failure: PlatformFailure) -> NoReturn:
    """A refusal of the app's own token says nothing of the account: it must not end a thousand connections."""
    raise TemporarilyUnavailable(
        "Meta does not accept the app of this deployment. Compare SOCIALGATE_META_APP_ID and "
        "SOCIALGATE_META_APP_SECRET with the app's settings.",
        platform=Platform.META,
        error=failure.platform_error,
        category="system_error",
    ) from None
