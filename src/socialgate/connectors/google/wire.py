"""The calls to Google, each answered with a typed struct or one of the nine words."""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, TypeVar

from socialgate.connectors.client import Call, Client
from socialgate.connectors.dialects.google import GoogleDialect, Page, pages
from socialgate.connectors.google.errors import OAUTH, SIGNING_KEYS, TABLES, TOKEN_INFO, Product
from socialgate.connectors.google.shapes import (
    BusinessAccounts,
    Calendar,
    Items,
    Jwk,
    JwkSet,
    Location,
    Locations,
    Named,
    Person,
    Resource,
    TokenInfo,
    Tokens,
)
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.platforms import Platform

CONSENT = "https://accounts.google.com/o/oauth2/v2/auth"
YOUTUBE = "https://youtube.googleapis.com/youtube/v3"
UPLOAD = "https://www.googleapis.com/upload/youtube/v3"
_OAUTH = "https://oauth2.googleapis.com"
_PERSON = "https://www.googleapis.com/oauth2/v2/userinfo"
_CERTS = "https://www.googleapis.com/oauth2/v3/certs"
_CALENDAR = "https://www.googleapis.com/calendar/v3"
_BUSINESS_ACCOUNTS = "https://mybusinessaccountmanagement.googleapis.com/v1"
_BUSINESS_LOCATIONS = "https://mybusinessbusinessinformation.googleapis.com/v1"
# Still the only home of local posts and reviews.
_BUSINESS = "https://mybusiness.googleapis.com/v4"

_LOCATION_FIELDS = "name,title,storefrontAddress,metadata,websiteUri,phoneNumbers"
# A webhook waits for the keys.
_KEYS_DEADLINE_SECONDS = 5.0

T = TypeVar("T")
P = TypeVar("P", bound=Page)


class Access:
    """Speaks to a product with somebody's token, on the quota of the product and of the account."""

    def __init__(self, client: Client, product: Product, token: str, account: str | None) -> None:
        self.client = client
        self._token = token
        self._budgets = (account, product) if account else (product,)
        self._counts_units = product is Product.YOUTUBE

    def to(self, method: str, url: str, *, repeatable: bool, **rest: Any) -> Call:
        """Say what to call. Reading from YouTube costs a unit of the app's quota, a page at a time; writing, 50."""
        if self._counts_units:
            rest["spends"] = (("units", 1 if method == "GET" else 50),)
        return Call(method=method, url=url, repeatable=repeatable, token=self._token, budgets=self._budgets, **rest)

    async def call(self, method: str, url: str, shape: type[T], *, repeatable: bool, **rest: Any) -> T:
        return await self.client.call(self.to(method, url, repeatable=repeatable, **rest), shape)

    async def get(self, url: str, shape: type[T], **query: Any) -> T:
        return await self.call("GET", url, shape, repeatable=True, query=query)

    async def delete(self, url: str, **query: Any) -> None:
        await self.call("DELETE", url, object, repeatable=False, query=query)

    def pages(self, url: str, shape: type[P], **query: Any) -> AsyncIterator[P]:
        return pages(self.client, self.to("GET", url, repeatable=True, query=query), shape)


class GoogleApi:
    def __init__(self, app: App, wire: Wire) -> None:
        self._app = app
        dialect = GoogleDialect()
        self._clients = {product: Client(wire, dialect, table, app=product) for product, table in TABLES.items()}
        self._oauth = Client(wire, dialect, OAUTH)
        self._token_info = Client(wire, dialect, TOKEN_INFO)
        self._signing_keys = Client(wire, dialect, SIGNING_KEYS)

    async def exchange(self, code: str, verifier: str, redirect_uri: str) -> Tokens:
        form = {"code": code, "code_verifier": verifier, "redirect_uri": redirect_uri}
        return await self._tokens(form | {"grant_type": "authorization_code"}, (code, verifier), repeatable=False)

    async def refresh(self, refresh_token: str) -> Tokens:
        """Get a new access token. The refresh token stays the same, so a lost answer may be asked for again."""
        form = {"refresh_token": refresh_token, "grant_type": "refresh_token"}
        return await self._tokens(form, (refresh_token,), repeatable=True)

    async def revoke(self, token: str) -> None:
        """Take the whole grant back. Doing it twice changes nothing, so a lost answer may be repeated."""
        hidden = (token, self._app.secret)
        call = Call(method="POST", url=f"{_OAUTH}/revoke", repeatable=True, form={"token": token}, hidden=hidden)
        await self._oauth.call(call, object)

    async def token_info(self, access_token: str) -> TokenInfo:
        query = {"access_token": access_token}
        call = Call(method="GET", url=f"{_OAUTH}/tokeninfo", repeatable=True, query=query, hidden=(access_token,))
        return await self._token_info.call(call, TokenInfo)

    async def person(self, access_token: str) -> Person:
        return await self.access(Product.TOKENS, access_token).get(_PERSON, Person)

    async def channel(self, access_token: str, part: str, account: str | None = None) -> Resource | None:
        """Read the channel that was chosen on the consent screen, if there is one."""
        access = self.access(Product.YOUTUBE, access_token, account)
        found = await access.get(f"{YOUTUBE}/channels", Items[Resource], part=part, mine="true")
        return next(iter(found.items), None)

    async def primary_calendar(self, access_token: str, account: str | None = None) -> Calendar:
        access = self.access(Product.CALENDAR, access_token, account)
        return await access.get(f"{_CALENDAR}/users/me/calendarList/primary", Calendar)

    async def business_accounts(self, access_token: str) -> list[Named]:
        found = self.access(Product.BUSINESS, access_token).pages(f"{_BUSINESS_ACCOUNTS}/accounts", BusinessAccounts)
        return [account async for page in found for account in page.accounts]

    async def locations(self, access_token: str, account_name: str) -> list[Location]:
        url = f"{_BUSINESS_LOCATIONS}/{account_name}/locations"
        access = self.access(Product.BUSINESS, access_token)
        found = access.pages(url, Locations, readMask=_LOCATION_FIELDS, pageSize=100)
        return [location async for page in found for location in page.locations]

    async def location(self, access_token: str, location_id: str) -> Location:
        url = f"{_BUSINESS_LOCATIONS}/locations/{location_id}"
        access = self.access(Product.BUSINESS, access_token, location_id)
        return await access.get(url, Location, readMask=_LOCATION_FIELDS)

    async def signing_keys(self) -> Sequence[Jwk]:
        """Read the public keys with which Google signs what it sends."""
        call = Call(method="GET", url=_CERTS, repeatable=True, deadline=_KEYS_DEADLINE_SECONDS, ignores_pauses=True)
        return (await self._signing_keys.call(call, JwkSet)).keys

    def access(self, product: Product, access_token: str, account: str | None = None) -> Access:
        return Access(self._clients[product], product, access_token, account)

    def for_account(self, product: Product, held: AccountCredentials) -> Access:
        return self.access(product, held.grant.access_token, held.platform_account_id)

    async def _tokens(self, form: Mapping[str, str], secrets: Sequence[str], *, repeatable: bool) -> Tokens:
        sent = {"client_id": self._app.id, "client_secret": self._app.secret, **form}
        hidden = (*secrets, self._app.secret)
        call = Call(method="POST", url=f"{_OAUTH}/token", repeatable=repeatable, form=sent, hidden=hidden)
        return await self._oauth.call(call, Tokens)


def location_url(held: AccountCredentials) -> str:
    """Name the location as the older API does: the newer name alone says nothing to it."""
    return f"{_BUSINESS}/{held.details['name']}"


def checked_id(given: str, pattern: re.Pattern[str]) -> str:
    """Let nothing into an address that could lead elsewhere."""
    if not pattern.fullmatch(given):
        raise PlatformNotFound("Google has nothing by this id. Take it from a list.", platform=Platform.GOOGLE)
    return given
