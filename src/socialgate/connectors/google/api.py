"""The calls to Google, each returning a typed struct or one of the error categories."""

import re
from collections.abc import AsyncIterator, Sequence
from typing import Any, TypeVar

from socialgate.connectors import client
from socialgate.connectors.client import VendorCall, VendorClient
from socialgate.connectors.dialects.google import GoogleDialect, PageResponse, iterate_pages
from socialgate.connectors.google.errors import (
    ERROR_TABLES,
    OAUTH_ERROR_TABLE,
    SIGNING_KEYS_ERROR_TABLE,
    TOKEN_INFO_ERROR_TABLE,
    GoogleProduct,
)
from socialgate.connectors.google.responses import (
    Calendar,
    Jwk,
    JwkSet,
    Location,
    TokenInfo,
    YouTubePage,
    YouTubeResource,
)
from socialgate.connectors.transport import VendorTransport
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.contracts.platforms import Platform

YOUTUBE_API_URL = "https://youtube.googleapis.com/youtube/v3"
YOUTUBE_UPLOAD_URL = "https://www.googleapis.com/upload/youtube/v3"
BUSINESS_ACCOUNTS_URL = "https://mybusinessaccountmanagement.googleapis.com/v1/accounts"
BUSINESS_INFORMATION_API_URL = "https://mybusinessbusinessinformation.googleapis.com/v1"
LOCATION_FIELDS = "name,title,storefrontAddress,metadata,websiteUri,phoneNumbers"
_TOKEN_INFO_URL = "https://oauth2.googleapis.com/tokeninfo"  # noqa: S105 - an address
_SIGNING_KEYS_URL = "https://www.googleapis.com/oauth2/v3/certs"
_PRIMARY_CALENDAR_URL = "https://www.googleapis.com/calendar/v3/users/me/calendarList/primary"
# Still the only API for local posts and reviews.
_BUSINESS_API_URL = "https://mybusiness.googleapis.com/v4"
# A webhook waits for the keys.
_KEYS_DEADLINE_SECONDS = 5.0

P = TypeVar("P", bound=PageResponse)


class GoogleProductClient(client.AuthorizedClient):
    """Calls a product with a person's token, on the quota of the product and of the account."""

    def __init__(self, product_client: VendorClient, product: GoogleProduct, token: str, account: str | None) -> None:
        super().__init__(product_client, token=token, budgets=(account, product) if account else (product,))
        self._counts_units = product is GoogleProduct.YOUTUBE

    def build_request(self, method: str, path: str, *, repeatable: bool, **rest: Any) -> VendorCall:
        """Build a call. A read from YouTube costs one unit of the app's quota per page; a write costs 50."""
        if self._counts_units:
            rest["spends"] = (("units", 1 if method == "GET" else 50),)
        return super().build_request(method, path, repeatable=repeatable, **rest)

    async def delete(self, url: str, **query: Any) -> None:
        await self.call("DELETE", url, object, repeatable=False, query=query)

    def iterate_pages(self, url: str, shape: type[P], **query: Any) -> AsyncIterator[P]:
        return iterate_pages(self.client, self.build_request("GET", url, repeatable=True, query=query), shape)


class GoogleApi:
    def __init__(self, wire: VendorTransport) -> None:
        dialect = GoogleDialect()
        self._clients = {
            product: VendorClient(wire, dialect, table, app=product) for product, table in ERROR_TABLES.items()
        }
        self.oauth = VendorClient(wire, dialect, OAUTH_ERROR_TABLE)
        self._token_info = client.AuthorizedClient(VendorClient(wire, dialect, TOKEN_INFO_ERROR_TABLE))
        self._signing_keys = client.AuthorizedClient(VendorClient(wire, dialect, SIGNING_KEYS_ERROR_TABLE))

    async def get_granted_scopes(self, access_token: str) -> tuple[str, ...]:
        """Read what a token may do."""
        query = {"access_token": access_token}
        token_info = await self._token_info.call(
            "GET", _TOKEN_INFO_URL, TokenInfo, repeatable=True, query=query, secret_values=(access_token,)
        )
        return tuple((token_info.scope or "").split())

    async def get_channel(self, access_token: str, part: str, account: str | None = None) -> YouTubeResource | None:
        """Read the channel that was chosen on the consent screen, if there is one."""
        access = self.build_client_for_token(GoogleProduct.YOUTUBE, access_token, account)
        items = await access.get(f"{YOUTUBE_API_URL}/channels", YouTubePage[YouTubeResource], part=part, mine="true")
        return next(iter(items.items), None)

    async def get_primary_calendar(self, access_token: str, account: str | None = None) -> Calendar:
        return await self.build_client_for_token(GoogleProduct.CALENDAR, access_token, account).get(
            _PRIMARY_CALENDAR_URL, Calendar
        )

    async def get_location(self, access_token: str, location_id: str) -> Location:
        url = f"{BUSINESS_INFORMATION_API_URL}/locations/{location_id}"
        access = self.build_client_for_token(GoogleProduct.BUSINESS, access_token, location_id)
        return await access.get(url, Location, readMask=LOCATION_FIELDS)

    async def fetch_signing_keys(self) -> Sequence[Jwk]:
        """Read the public keys with which Google signs what it sends."""
        values = {"deadline": _KEYS_DEADLINE_SECONDS, "ignores_pauses": True}
        return (await self._signing_keys.call("GET", _SIGNING_KEYS_URL, JwkSet, repeatable=True, **values)).keys

    def build_client_for_token(
        self, product: GoogleProduct, access_token: str, account: str | None = None
    ) -> GoogleProductClient:
        return GoogleProductClient(self._clients[product], product, access_token, account)

    def build_client_for_account(self, product: GoogleProduct, credentials: AccountCredentials) -> GoogleProductClient:
        return self.build_client_for_token(product, credentials.grant.access_token, credentials.platform_account_id)


def build_location_url(credentials: AccountCredentials) -> str:
    """Return the location's name in the older API, which does not accept the newer name alone."""
    return f"{_BUSINESS_API_URL}/{credentials.details['name']}"


def require_valid_id(value: str, pattern: re.Pattern[str]) -> str:
    """Keep anything out of a URL that could lead elsewhere."""
    if not pattern.fullmatch(value):
        raise PlatformNotFoundError("Google has nothing with this id. Use an id from a list.", platform=Platform.GOOGLE)
    return value
