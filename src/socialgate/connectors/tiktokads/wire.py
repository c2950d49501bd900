"""The calls to TikTok API for Business, each answered with a typed struct or one of the nine words."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from socialgate.connectors.client import APP, Call, Client
from socialgate.connectors.dialects.tiktok import BusinessDialect
from socialgate.connectors.tiktokads.errors import TABLE
from socialgate.connectors.wire import App, Wire

CONSENT = "https://business-api.tiktok.com/portal/auth"
# Every path ends in a slash: without it the answer is a bare 404.
_API = "https://business-api.tiktok.com/open_api/v1.3"
# More answer 40011.
_MOST_AT_ONCE = 100
# What every call uses of the quotas of the manifest.
_CALL = (("calls", 1),)
_FIELDS = (
    "advertiser_id",
    "name",
    "status",
    "role",
    "currency",
    "timezone",
    "display_timezone",
    "country",
    "company",
    "owner_bc_id",
    "rejection_reason",
)

T = TypeVar("T")


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    access_token: str = ""
    advertiser_ids: list[int | str] | None = None
    # Numbers; as a list, and in older answers as text.
    scope: list[int | str] | str | None = None

    def scopes(self) -> tuple[str, ...]:
        listed = self.scope if isinstance(self.scope, str) else " ".join(map(str, self.scope or ()))
        return tuple(re.findall(r"\d+", listed))

    def __repr__(self) -> str:
        return "Tokens()"


class Listed(msgspec.Struct, frozen=True, kw_only=True):
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

    def state(self) -> str | None:
        """TikTok's word in our letters, without its prefix; the two that every ad platform has, as others say them."""
        if self.status is None:
            return None
        bare = self.status.removeprefix("STATUS_").lower()
        return {"enable": "active", "disable": "disabled"}.get(bare, bare)

    def details(self) -> dict[str, Any]:
        known = {
            "currency": self.currency,
            # `timezone` is an offset in the manner of Etc/GMT+5, this one the name of the place.
            "timezone": self.display_timezone or self.timezone,
            "status": self.state(),
            "country": self.country,
            "company": self.company,
            "role": self.role,
            "businessCenterId": None if self.owner_bc_id is None else str(self.owner_bc_id),
        }
        return {name: value for name, value in known.items() if value is not None}


class _ListedRows(msgspec.Struct, frozen=True):
    list: Sequence[Listed] = ()


class _InfoRows(msgspec.Struct, frozen=True):
    list: Sequence[Advertiser] = ()


class TikTokAdsApi:
    def __init__(self, app: App, wire: Wire) -> None:
        self._app = app
        self._client = Client(wire, BusinessDialect(wire.clock), TABLE)

    async def exchange(self, auth_code: str) -> Tokens:
        return await self._post("oauth2/access_token/", {"auth_code": auth_code}, Tokens, repeatable=False)

    async def revoke(self, access_token: str) -> None:
        """Take the grant back. Doing it twice changes nothing, so a lost answer may be repeated."""
        await self._post("oauth2/revoke_token/", {"access_token": access_token}, object, repeatable=True)

    async def advertisers(self, access_token: str) -> Sequence[Listed]:
        return (await self._get("oauth2/advertiser/get/", access_token, self._credentials, _ListedRows)).list

    async def info(self, access_token: str, ids: Sequence[str]) -> list[Advertiser]:
        """Read ad accounts, however many."""
        found: list[Advertiser] = []
        for start in range(0, len(ids), _MOST_AT_ONCE):
            some = list(ids[start : start + _MOST_AT_ONCE])
            query = {"advertiser_ids": _json(some), "fields": _json(_FIELDS)}
            budgets = (some[0], APP) if len(ids) == 1 else (APP,)
            found += (await self._get("advertiser/info/", access_token, query, _InfoRows, budgets)).list
        return found

    @property
    def _credentials(self) -> Mapping[str, str]:
        return {"app_id": self._app.id, "secret": self._app.secret}

    async def _post(self, path: str, given: Mapping[str, str], shape: type[T], *, repeatable: bool) -> T:
        """Call with the app's own credentials, about something that is a secret itself."""
        call = Call(
            method="POST",
            url=f"{_API}/{path}",
            repeatable=repeatable,
            spends=_CALL,
            json={**self._credentials, **given},
            hidden=(*given.values(), self._app.secret),
        )
        return await self._client.call(call, shape)

    async def _get(
        self, path: str, token: str, query: Mapping[str, str], shape: type[T], budgets: tuple[str, ...] = (APP,)
    ) -> T:
        call = Call(
            method="GET",
            url=f"{_API}/{path}",
            repeatable=True,
            token=token,
            budgets=budgets,
            spends=_CALL,
            query=query,
            hidden=(self._app.secret,),
        )
        return await self._client.call(call, shape)


def _json(values: Sequence[str]) -> str:
    """Lists stand in a query as the text of a JSON array."""
    return msgspec.json.encode(values).decode()
