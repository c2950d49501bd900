"""The calls of the Graph API that connecting needs, one method each. What comes back is typed here, and for posts in
`posting_wire.py`.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Generic, NoReturn, TypeVar

import msgspec

from socialgate.connectors.graph.signing import proof
from socialgate.connectors.meta.errors import GraphError, in_doubt, translate, unreadable
from socialgate.connectors.wire import App, Wire, read
from socialgate.contracts.failures import (
    NeedsReconnection,
    PermissionMissing,
    PlatformFailure,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Platform
from socialgate.core.egress import Answer

T = TypeVar("T")

VERSION = "v26.0"
GRAPH = f"https://graph.facebook.com/{VERSION}"
_APP = "app"
_DEADLINE_SECONDS = 30.0
_ROWS = 100
# A cursor that never ends would keep a request for ever; nobody has 20,000 Pages.
_MOST_PAGES = 200
_LAST_YEAR = 9000
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


class Token(msgspec.Struct):
    access_token: str
    expires_in: int | None = None

    def __repr__(self) -> str:
        return "Token(…)"


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


class _Cursors(msgspec.Struct):
    after: str | None = None


class _Paging(msgspec.Struct):
    cursors: _Cursors | None = None
    next: str | None = None

    @property
    def after(self) -> str | None:
        """`next` itself is not followed: it holds the token."""
        return self.cursors.after if self.next and self.cursors is not None else None


class Rows(msgspec.Struct, Generic[T]):
    data: list[T] = []
    paging: _Paging | None = None


class Success(msgspec.Struct):
    success: bool = True


class Graph:
    """`budget` names whose calls wait when Meta has had too many: the account, or the person before there is one."""

    def __init__(self, app: App, wire: Wire) -> None:
        self._app = app
        self._wire = wire

    async def exchange_code(self, code: str, redirect_uri: str) -> Token:
        return await self._token(redirect_uri=redirect_uri, code=code)

    async def lengthen(self, token: str) -> Token:
        """Make a login of two hours one of sixty days."""
        return await self._token(grant_type="fb_exchange_token", fb_exchange_token=token)

    async def inspect(self, token: str) -> Inspected:
        """Ask, as the app, what a token is worth."""
        await self._wire.require_not_paused(_APP)
        as_app = f"{self._app.id}|{self._app.secret}"
        query = {"input_token": token, "access_token": as_app}
        answer = await self._wire.send("GET", f"{GRAPH}/debug_token", query=query)
        try:
            return (await self._read(answer, _Debug, _APP, hidden=(token, as_app))).data
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
        params = {"subscribed_fields": ",".join(fields)}
        self._require(await self._call("POST", f"{page}/subscribed_apps", Success, token, page, params))

    async def unsubscribe(self, page: str, token: str) -> None:
        self._require(await self._call("DELETE", f"{page}/subscribed_apps", Success, token, page, {}))

    async def forget(self, person: str, token: str) -> None:
        """Take the whole app out of a person's account."""
        self._require(await self._call("DELETE", f"{person}/permissions", Success, token, person, {}))

    async def _token(self, **params: str) -> Token:
        await self._wire.require_not_paused(_APP)
        form = {"client_id": self._app.id, "client_secret": self._app.secret, **params}
        answer = await self._wire.send("POST", f"{GRAPH}/oauth/access_token", form=form)
        hidden = (self._app.secret, params.get("code", ""), params.get("fb_exchange_token", ""))
        return await self._read(answer, Token, _APP, mutates=True, hidden=hidden)

    async def _get(self, path: str, shape: type[T], token: str, budget: str, **params: Any) -> T:
        return await self._call("GET", path, shape, token, budget, params)

    async def _all(self, path: str, shape: type[Rows[T]], token: str, budget: str, fields: str) -> Sequence[T]:
        """Follow the cursor to the end: a page may be short, or empty, and still not the last."""
        found: list[T] = []
        after: str | None = None
        for _ in range(_MOST_PAGES):
            rows = await self._get(path, shape, token, budget, fields=fields, limit=_ROWS, after=after)
            found += rows.data
            before, after = after, rows.paging.after if rows.paging is not None else None
            if after is None or after == before:
                break
        return found

    async def _call(
        self,
        method: str,
        path: str,
        shape: type[T],
        token: str,
        budget: str,
        params: Mapping[str, Any],
        *,
        once: bool = False,
        deadline: float = _DEADLINE_SECONDS,
    ) -> T:
        """Call as a person or a Page. All but those of `once` may be repeated: what they change, they set to a given
        state, or nobody sees it.
        """
        await self._wire.require_not_paused(_APP, budget)
        sent = {**params, "appsecret_proof": proof(self._app.secret, token)}
        posts = method == "POST"
        answer = await self._wire.send(
            method,
            f"{GRAPH}/{path}",
            query={} if posts else sent,
            form=sent if posts else None,
            headers={"Authorization": f"Bearer {token}"},
            mutates=once,
            deadline=deadline,
        )
        try:
            return await self._read(answer, shape, budget, mutates=once, hidden=(token, sent["appsecret_proof"]))
        except TemporarilyUnavailable as failure:
            raise in_doubt(failure) if once else failure from None

    async def _read(
        self, answer: Answer, shape: type[T], budget: str, *, mutates: bool = False, hidden: Sequence[str] = ()
    ) -> T:
        verdict = translate(answer, mutates=mutates, hidden=(*hidden, self._app.secret))
        if verdict is not None:
            if verdict.pauses is not None and verdict.failure.retry_after is not None:
                await self._wire.pause(_APP if verdict.pauses == "app" else budget, verdict.failure.retry_after)
            raise verdict.failure
        result = read(answer, shape)
        if result is None:
            raise unreadable(answer, mutates=mutates)
        return result

    @staticmethod
    def _require(done: Success) -> None:
        if not done.success:
            raise TemporarilyUnavailable("Meta did not do it and does not say why. Try again.", platform=Platform.META)


def moment(seconds: int | None) -> datetime | None:
    """Read a time of Meta's. Nothing, 0 and what no calendar holds mean that there is none."""
    try:
        read_time = datetime.fromtimestamp(seconds or 0, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return read_time if seconds and read_time.year < _LAST_YEAR else None


def _blame_app(failure: PlatformFailure) -> NoReturn:
    """A refusal of the app's own token says nothing of the account: it must not end a thousand connections."""
    raise TemporarilyUnavailable(
        "Meta does not accept the app of this deployment. Compare SOCIALGATE_META_APP_ID and "
        "SOCIALGATE_META_APP_SECRET with the app's settings.",
        platform=Platform.META,
        error=failure.platform_error,
        category="system_error",
    ) from None
