"""The calls to TikTok API for Business, each returning a typed struct or one of the error categories."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from socialgate.connectors.client import APP_BUDGET, AuthorizedClient, VendorClient
from socialgate.connectors.dialects.tiktok import TikTokBusinessDialect
from socialgate.connectors.post_options import drop_none
from socialgate.connectors.tiktokads.errors import ERROR_TABLE
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import RedactedStruct

# Every path ends in a slash: without it the response is a bare 404.
_API_URL = "https://business-api.tiktok.com/open_api/v1.3/"
# More answer 40011.
_MAX_IDS_PER_CALL = 100

T = TypeVar("T")


class TokenResponse(RedactedStruct, frozen=True, kw_only=True):
    access_token: str = ""
    advertiser_ids: list[int | str] | None = None
    # Numbers; as a list, and in older answers as text.
    scope: list[int | str] | str | None = None

    def parse_scopes(self) -> tuple[str, ...]:
        listed = self.scope if isinstance(self.scope, str) else " ".join(map(str, self.scope or ()))
        return tuple(re.findall(r"\d+", listed))


class AdvertiserSummary(msgspec.Struct, frozen=True, kw_only=True):
    advertiser_id: int | str
    advertiser_name: str | None = None


class Advertiser(msgspec.Struct, frozen=True, kw_only=True):
    advertiser_id: int | str
    name: str | None = None
    status: str | None = None
    role: str | None = None
    currency: str | None = None
    timezone: str | None = None
    display_timezone: str | None = None
    country: str | None = None
    company: str | None = None
    owner_bc_id: int | str | None = None
    rejection_reason: str | None = None

    @property
    def id(self) -> str:
        return str(self.advertiser_id)

    def get_status(self) -> str | None:
        """TikTok's status in our format, without its prefix; two get their common names."""
        if self.status is None:
            return None
        bare = self.status.removeprefix("STATUS_").lower()
        return {"enable": "active", "disable": "disabled"}.get(bare, bare)

    def build_details(self) -> dict[str, Any]:
        known = {
            "currency": self.currency,
            # `timezone` is an offset such as Etc/GMT+5, this one the name of the place.
            "timezone": self.display_timezone or self.timezone,
            "status": self.get_status(),
            "country": self.country,
            "company": self.company,
            "role": self.role,
            "businessCenterId": None if self.owner_bc_id is None else str(self.owner_bc_id),
        }
        return drop_none(known)


class _RowsResponse(msgspec.Struct, Generic[T], frozen=True):
    list: Sequence[T] = ()


class TikTokAdsApi:
    def __init__(self, app: PlatformApp, wire: VendorTransport) -> None:
        self._app = app
        self.clock = wire.clock
        self._client = VendorClient(wire, TikTokBusinessDialect(wire.clock), ERROR_TABLE)

    async def exchange_code(self, auth_code: str) -> TokenResponse:
        return await self._post_as_app("access_token/", TokenResponse, {"auth_code": auth_code}, repeatable=False)

    async def revoke_token(self, access_token: str) -> None:
        """Revoke the grant. Doing it twice changes nothing, so it may be repeated after a lost response."""
        await self._post_as_app("revoke_token/", object, {"access_token": access_token}, repeatable=True)

    async def list_advertisers(self, access_token: str) -> Sequence[AdvertiserSummary]:
        access = self.build_authorized_client(token=access_token)
        return (
            await access.get("oauth2/advertiser/get/", _RowsResponse[AdvertiserSummary], **self.app_credentials)
        ).list

    async def fetch_advertisers(self, access_token: str, ids: Sequence[str]) -> list[Advertiser]:
        """Read ad accounts, however many. Lists are sent in a query as the text of a JSON array."""
        advertisers: list[Advertiser] = []
        fields = msgspec.json.encode(Advertiser.__struct_fields__).decode()
        for start in range(0, len(ids), _MAX_IDS_PER_CALL):
            some = list(ids[start : start + _MAX_IDS_PER_CALL])
            query = {"advertiser_ids": msgspec.json.encode(some).decode(), "fields": fields}
            access = self.build_authorized_client(
                token=access_token, budgets=(some[0], APP_BUDGET) if len(ids) == 1 else (APP_BUDGET,)
            )
            advertisers += (await access.get("advertiser/info/", _RowsResponse[Advertiser], **query)).list
        return advertisers

    @property
    def app_credentials(self) -> Mapping[str, str]:
        return {"app_id": self._app.id, "secret": self._app.secret}

    async def _post_as_app(self, path: str, shape: type[T], fields: Mapping[str, str], *, repeatable: bool) -> T:
        """Call with the app's own credentials, about something that is itself a secret."""
        access = self.build_authorized_client(secret_values=(*fields.values(), self._app.secret))
        return await access.post(f"oauth2/{path}", shape, {**self.app_credentials, **fields}, repeatable=repeatable)

    def build_authorized_client(self, **options: Any) -> AuthorizedClient:
        """Every call uses some of the quotas of the manifest."""
        return AuthorizedClient(
            self._client, _API_URL, **{"spends": (("calls", 1),), "secret_values": (self._app.secret,), **options}
        )
