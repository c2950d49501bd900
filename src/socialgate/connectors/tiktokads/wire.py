"""The calls to TikTok API for Business, each answered with a typed struct or one of the nine words."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from socialgate.connectors.tiktokads import errors
from socialgate.connectors.wire import App, Wire, read
from socialgate.contracts.failures import PlatformRateLimited
from socialgate.core.egress import Answer

CONSENT = "https://business-api.tiktok.com/portal/auth"
# Every path ends in a slash: without it the answer is a bare 404.
_API = "https://business-api.tiktok.com/open_api/v1.3"
_APP_BUDGET = "app"
_OK = 200
# More answer 40011.
_MOST_AT_ONCE = 100
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


class _Head(msgspec.Struct, frozen=True):
    code: int | None = None
    message: str | None = None
    request_id: str | None = None


class _TokenAnswer(msgspec.Struct, frozen=True):
    data: Tokens


class _ListedRows(msgspec.Struct, frozen=True):
    list: Sequence[Listed] = ()


class _ListedAnswer(msgspec.Struct, frozen=True):
    data: _ListedRows


class _InfoRows(msgspec.Struct, frozen=True):
    list: Sequence[Advertiser] = ()


class _InfoAnswer(msgspec.Struct, frozen=True):
    data: _InfoRows


class _Done(msgspec.Struct, frozen=True):
    """An answer of which only the code counts."""


class TikTokAdsApi:
    def __init__(self, app: App, wire: Wire) -> None:
        self._app = app
        self._wire = wire

    async def exchange(self, auth_code: str) -> Tokens:
        body = {"app_id": self._app.id, "secret": self._app.secret, "auth_code": auth_code}
        answer = await self._post("oauth2/access_token/", body, mutates=True)
        return (await self._shaped(answer, _TokenAnswer, auth_code)).data

    async def revoke(self, access_token: str) -> None:
        """Take the grant back. Doing it twice changes nothing, so a lost answer may be repeated."""
        body = {"app_id": self._app.id, "secret": self._app.secret, "access_token": access_token}
        answer = await self._post("oauth2/revoke_token/", body, mutates=False)
        await self._shaped(answer, _Done, access_token)

    async def advertisers(self, access_token: str) -> Sequence[Listed]:
        query = {"app_id": self._app.id, "secret": self._app.secret}
        answer = await self._get("oauth2/advertiser/get/", access_token, query)
        return (await self._shaped(answer, _ListedAnswer, access_token)).data.list

    async def info(self, access_token: str, ids: Sequence[str]) -> list[Advertiser]:
        """Read ad accounts, however many."""
        found: list[Advertiser] = []
        for start in range(0, len(ids), _MOST_AT_ONCE):
            some = list(ids[start : start + _MOST_AT_ONCE])
            account = some[0] if len(ids) == 1 else None
            query = {"advertiser_ids": _json(some), "fields": _json(_FIELDS)}
            answer = await self._get("advertiser/info/", access_token, query, account)
            found += (await self._shaped(answer, _InfoAnswer, access_token, account)).data.list
        return found

    async def _post(self, path: str, body: Mapping[str, Any], *, mutates: bool) -> Answer:
        await self._wire.require_not_paused(_APP_BUDGET)
        return await self._wire.send("POST", f"{_API}/{path}", json=body, mutates=mutates)

    async def _get(self, path: str, access_token: str, query: Mapping[str, Any], account: str | None = None) -> Answer:
        await self._wire.require_not_paused(_APP_BUDGET, *([account] if account else []))
        return await self._wire.send("GET", f"{_API}/{path}", query=query, headers={"Access-Token": access_token})

    async def _shaped(self, answer: Answer, shape: type[T], secret: str, account: str | None = None) -> T:
        head = read(answer, _Head) or _Head()
        shaped = read(answer, shape)
        if answer.status == _OK and head.code == 0 and shaped is not None:
            return shaped
        said = errors.Said(
            status=answer.status,
            code=head.code,
            message=head.message,
            request_id=head.request_id or answer.headers.get("x-tt-logid"),
        )
        failure = errors.failure(said, self._wire.clock.now(), (secret, self._app.secret))
        if isinstance(failure, PlatformRateLimited):
            budget = account if account and errors.is_of_the_advertiser(said) else _APP_BUDGET
            await self._wire.pause(budget, failure.retry_after or 1)
        raise failure


def _json(values: Sequence[str]) -> str:
    """Lists stand in a query as the text of a JSON array."""
    return msgspec.json.encode(values).decode()
