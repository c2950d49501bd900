"""The calls to Google, each returning a typed struct or one of the error categories."""

import re
from collections.abc import AsyncIterator, Sequence
from typing import Any, TypeVar

from socialgate.connectors import client
from socialgate.connectors.client import Call, Client
from socialgate.connectors.dialects.google import GoogleDialect, Paged, pages
from socialgate.connectors.google.errors import OAUTH, SIGNING_KEYS, TABLES, TOKEN_INFO, Product
from socialgate.connectors.google.shapes import Calendar, Items, Jwk, JwkSet, Location, Resource, TokenInfo
from socialgate.connectors.wire import Wire
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.platforms import Platform

YOUTUBE = "https://youtube.googleapis.com/youtube/v3"
UPLOAD = "https://www.googleapis.com/upload/youtube/v3"
BUSINESS_ACCOUNTS = "https://mybusinessaccountmanagement.googleapis.com/v1/accounts"
BUSINESS_LOCATIONS = "https://mybusinessbusinessinformation.googleapis.com/v1"
LOCATION_FIELDS = "name,title,storefrontAddress,metadata,websiteUri,phoneNumbers"
_TOKEN_INFO = "https://oauth2.googleapis.com/tokeninfo"  # noqa: S105 - an address
_CERTS = "https://www.googleapis.com/oauth2/v3/certs"
_CALENDAR = "https://www.googleapis.com/calendar/v3/users/me/calendarList/primary"
# Still the only API for local posts and reviews.
_BUSINESS = "https://mybusiness.googleapis.com/v4"
# A webhook waits for the keys.
_KEYS_DEADLINE_SECONDS = 5.0

P = TypeVar("P", bound=Paged)


class Access(client.Access):
    """Calls a product with a person's token, on the quota of the product and of the account."""

    def __init__(self, speaker: Client, product: Product, token: str, account: str | None) -> None:
        super().__init__(speaker, token=token, budgets=(account, product) if account else (product,))
        self._counts_units = product is Product.YOUTUBE

    def to(self, method: str, path: str, *, repeatable: bool, **rest: Any) -> Call:
        """Build a call. A read from YouTube costs one unit of the app's quota per page; a write costs 50."""
        if self._counts_units:
            rest["spends"] = (("units", 1 if method == "GET" else 50),)
        return super().to(method, path, repeatable=repeatable, **rest)

    async def delete(self, url: str, **query: Any) -> None:
        await self.call("DELETE", url, object, repeatable=False, query=query)

    def pages(self, url: str, shape: type[P], **query: Any) -> AsyncIterator[P]:
        return pages(self.client, self.to("GET", url, repeatable=True, query=query), shape)


class GoogleApi:
    def __init__(self, wire: Wire) -> None:
        dialect = GoogleDialect()
        self._clients = {product: Client(wire, dialect, table, app=product) for product, table in TABLES.items()}
        self.oauth = Client(wire, dialect, OAUTH)
        self._token_info = client.Access(Client(wire, dialect, TOKEN_INFO))
        self._signing_keys = client.Access(Client(wire, dialect, SIGNING_KEYS))

    async def granted(self, access_token: str) -> tuple[str, ...]:
        """Read what a token may do."""
        query = {"access_token": access_token}
        found = await self._token_info.call(
            "GET", _TOKEN_INFO, TokenInfo, repeatable=True, query=query, hidden=(access_token,)
        )
        return tuple((found.scope or "").split())

    async def channel(self, access_token: str, part: str, account: str | None = None) -> Resource | None:
        """Read the channel that was chosen on the consent screen, if there is one."""
        access = self.access(Product.YOUTUBE, access_token, account)
        found = await access.get(f"{YOUTUBE}/channels", Items[Resource], part=part, mine="true")
        return next(iter(found.items), None)

    async def primary_calendar(self, access_token: str, account: str | None = None) -> Calendar:
        return await self.access(Product.CALENDAR, access_token, account).get(_CALENDAR, Calendar)

    async def location(self, access_token: str, location_id: str) -> Location:
        url = f"{BUSINESS_LOCATIONS}/locations/{location_id}"
        access = self.access(Product.BUSINESS, access_token, location_id)
        return await access.get(url, Location, readMask=LOCATION_FIELDS)

    async def signing_keys(self) -> Sequence[Jwk]:
        """Read the public keys with which Google signs what it sends."""
        how = {"deadline": _KEYS_DEADLINE_SECONDS, "ignores_pauses": True}
        return (await self._signing_keys.call("GET", _CERTS, JwkSet, repeatable=True, **how)).keys

    def access(self, product: Product, access_token: str, account: str | None = None) -> Access:
        return Access(self._clients[product], product, access_token, account)

    def for_account(self, product: Product, held: AccountCredentials) -> Access:
        return self.access(product, held.grant.access_token, held.platform_account_id)


def location_url(held: AccountCredentials) -> str:
    """Return the location's name in the older API, which does not accept the newer name alone."""
    return f"{_BUSINESS}/{held.details['name']}"


def checked_id(given: str, pattern: re.Pattern[str]) -> str:
    """Keep anything out of a URL that could lead elsewhere."""
    if not pattern.fullmatch(given):
        raise PlatformNotFound("Google has nothing with this id. Use an id from a list.", platform=Platform.GOOGLE)
    return given
