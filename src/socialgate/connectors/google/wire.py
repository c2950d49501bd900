"""The calls to Google, each answered with a typed struct or one of the nine words."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from socialgate.connectors.google import errors
from socialgate.connectors.google.errors import Product
from socialgate.connectors.google.shapes import (
    BusinessAccount,
    BusinessAccounts,
    Calendar,
    Channel,
    Channels,
    ErrorAnswer,
    Jwk,
    JwkSet,
    Location,
    Locations,
    Person,
    TokenInfo,
    Tokens,
)
from socialgate.connectors.wire import App, Wire, read
from socialgate.contracts.failures import PlatformFailure, PlatformRateLimited
from socialgate.core.egress import Answer

CONSENT = "https://accounts.google.com/o/oauth2/v2/auth"
_OAUTH = "https://oauth2.googleapis.com"
_PERSON = "https://www.googleapis.com/oauth2/v2/userinfo"
_CERTS = "https://www.googleapis.com/oauth2/v3/certs"
_YOUTUBE = "https://youtube.googleapis.com/youtube/v3"
_CALENDAR = "https://www.googleapis.com/calendar/v3"
_BUSINESS_ACCOUNTS = "https://mybusinessaccountmanagement.googleapis.com/v1"
_BUSINESS_LOCATIONS = "https://mybusinessbusinessinformation.googleapis.com/v1"

_LOCATION_FIELDS = "name,title,storefrontAddress,metadata,websiteUri,phoneNumbers"
_OK, _NO_CONTENT, _BAD_REQUEST = 200, 204, 400
_PAGE = 100
# A thousand locations, and an end for a list that never says it is over.
_MOST_PAGES = 10
# A webhook waits for the keys.
_KEYS_DEADLINE_SECONDS = 5.0
# A quota can be raised in the middle of a day: ask again each hour.
_LONGEST_PAUSE_SECONDS = 3_600

T = TypeVar("T")

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Nothing:
    """What a call is answered with that has nothing to say."""


class GoogleApi:
    def __init__(self, app: App, wire: Wire) -> None:
        self._app = app
        self._wire = wire

    async def exchange(self, code: str, verifier: str, redirect_uri: str) -> Tokens:
        form = {
            "code": code,
            "code_verifier": verifier,
            "redirect_uri": redirect_uri,
            "grant_type": "authorization_code",
        }
        return await self._token(form, secrets=(code, verifier))

    async def refresh(self, refresh_token: str) -> Tokens:
        form = {"refresh_token": refresh_token, "grant_type": "refresh_token"}
        return await self._token(form, secrets=(refresh_token,))

    async def revoke(self, token: str) -> None:
        """Take the whole grant back. Doing it twice changes nothing, so a lost answer may be repeated."""
        await self._wire.require_not_paused(Product.TOKENS)
        answer = await self._wire.send("POST", f"{_OAUTH}/revoke", form={"token": token}, mutates=False)
        if answer.status != _OK:
            raise await self._oauth_failure(answer, (token,))

    async def token_info(self, access_token: str) -> TokenInfo:
        await self._wire.require_not_paused(Product.TOKENS)
        answer = await self._wire.send("GET", f"{_OAUTH}/tokeninfo", query={"access_token": access_token})
        if answer.status == _BAD_REQUEST:
            # One of its versions sends no reason along. There is nothing else here that it could refuse.
            said = errors.Said(status=answer.status, reasons=("invalid_token",))
            raise errors.api_failure(said, Product.TOKENS, self._wire.clock.now())
        return await self.shaped(answer, TokenInfo, access_token, Product.TOKENS)

    async def person(self, access_token: str) -> Person:
        return await self._get(_PERSON, {}, Person, access_token, Product.TOKENS)

    async def channel(self, access_token: str, part: str, account: str | None = None) -> Channel | None:
        """Read the channel that was chosen on the consent screen, if there is one."""
        query = {"part": part, "mine": "true"}
        found = await self._get(f"{_YOUTUBE}/channels", query, Channels, access_token, Product.YOUTUBE, account)
        return next(iter(found.items), None)

    async def primary_calendar(self, access_token: str, account: str | None = None) -> Calendar:
        url = f"{_CALENDAR}/users/me/calendarList/primary"
        return await self._get(url, {}, Calendar, access_token, Product.CALENDAR, account)

    async def business_accounts(self, access_token: str) -> list[BusinessAccount]:
        found: list[BusinessAccount] = []
        page: str | None = None
        for _ in range(_MOST_PAGES):
            query = {"pageToken": page}
            url = f"{_BUSINESS_ACCOUNTS}/accounts"
            rows = await self._get(url, query, BusinessAccounts, access_token, Product.BUSINESS)
            found += rows.accounts
            page = rows.next_page_token
            if not page:
                break
        return found

    async def locations(self, access_token: str, account_name: str) -> list[Location]:
        found: list[Location] = []
        page: str | None = None
        for _ in range(_MOST_PAGES):
            query = {"readMask": _LOCATION_FIELDS, "pageSize": _PAGE, "pageToken": page}
            url = f"{_BUSINESS_LOCATIONS}/{account_name}/locations"
            rows = await self._get(url, query, Locations, access_token, Product.BUSINESS)
            found += rows.locations
            page = rows.next_page_token
            if not page:
                break
        return found

    async def location(self, access_token: str, location_id: str) -> Location:
        url = f"{_BUSINESS_LOCATIONS}/locations/{location_id}"
        query = {"readMask": _LOCATION_FIELDS}
        return await self._get(url, query, Location, access_token, Product.BUSINESS, location_id)

    async def signing_keys(self) -> Sequence[Jwk]:
        """Read the public keys with which Google signs what it sends."""
        answer = await self._wire.send("GET", _CERTS, deadline=_KEYS_DEADLINE_SECONDS)
        found = read(answer, JwkSet) if answer.status == _OK else None
        if found is None:
            raise errors.api_failure(_said(answer), Product.TOKENS, self._wire.clock.now())
        return found.keys

    async def _token(self, form: Mapping[str, str], *, secrets: Sequence[str]) -> Tokens:
        await self._wire.require_not_paused(Product.TOKENS)
        known = {"client_id": self._app.id, "client_secret": self._app.secret}
        answer = await self._wire.send("POST", f"{_OAUTH}/token", form={**known, **form}, mutates=True)
        tokens = read(answer, Tokens)
        if answer.status != _OK or tokens is None or not tokens.access_token:
            raise await self._oauth_failure(answer, secrets)
        return tokens

    async def call(
        self,
        method: str,
        url: str,
        shape: type[T],
        access_token: str,
        product: Product,
        account: str | None = None,
        *,
        query: Mapping[str, Any] = _NOTHING,
        json: Any = None,
        mutates: bool = False,
    ) -> T:
        await self._wire.require_not_paused(product, *([account] if account else []))
        headers = {"Authorization": f"Bearer {access_token}"}
        answer = await self._wire.send(method, url, query=query, headers=headers, json=json, mutates=mutates)
        return await self.shaped(answer, shape, access_token, product, account, mutates=mutates)

    async def shaped(
        self,
        answer: Answer,
        shape: type[T],
        access_token: str,
        product: Product,
        account: str | None = None,
        *,
        mutates: bool = False,
    ) -> T:
        """Read an answer, or raise what it means. What is deleted is answered with nothing."""
        if shape is Nothing and answer.status in {_OK, _NO_CONTENT}:
            return shape()
        shaped = read(answer, shape) if answer.status == _OK else None
        if shaped is not None:
            return shaped
        raise await self.failure(answer, access_token, product, account, mutates=mutates)

    async def failure(
        self, answer: Answer, access_token: str, product: Product, account: str | None = None, *, mutates: bool = False
    ) -> PlatformFailure:
        said = _said(answer)
        failure = errors.api_failure(said, product, self._wire.clock.now(), (access_token,), mutates=mutates)
        is_the_users = "userRateLimitExceeded" in said.reasons or product is Product.CALENDAR
        return await self._held_back(failure, account if account and is_the_users else product)

    async def _get(
        self,
        url: str,
        query: Mapping[str, Any],
        shape: type[T],
        access_token: str,
        product: Product,
        account: str | None = None,
    ) -> T:
        return await self.call("GET", url, shape, access_token, product, account, query=query)

    async def _oauth_failure(self, answer: Answer, secrets: Sequence[str]) -> PlatformFailure:
        failure = errors.oauth_failure(_said(answer), (*secrets, self._app.secret))
        return await self._held_back(failure, Product.TOKENS)

    async def _held_back(self, failure: PlatformFailure, budget: str) -> PlatformFailure:
        """Let the others on a budget know that it is used up. A channel's cap on uploads holds back uploads alone."""
        reason = failure.platform_error.code if failure.platform_error else None
        if isinstance(failure, PlatformRateLimited) and reason != "uploadLimitExceeded":
            await self._wire.pause(budget, min(failure.retry_after or 1, _LONGEST_PAUSE_SECONDS))
        return failure


def _said(answer: Answer) -> errors.Said:
    body = read(answer, ErrorAnswer) or ErrorAnswer()
    after = answer.headers.get("retry-after", "")
    return errors.Said(
        status=answer.status,
        reasons=body.reasons(),
        message=body.message(),
        retry_after=int(after) if after.isascii() and after.isdecimal() and len(after) <= len("86400") else None,
    )
