"""What campaigns, ad groups and ads have in common at TikTok: one path for each verb, and a switch of their own."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from socialgate.connectors import advertising
from socialgate.connectors.advertising import chosen, option_faults, switch_faults
from socialgate.connectors.forms import given
from socialgate.connectors.json_paths import text_at
from socialgate.connectors.tiktokads.ads.options import RESERVED
from socialgate.connectors.tiktokads.ads.words import (
    SWITCHES,
    SWITCHES_READ,
    reason_of,
    stamp,
    status_of,
    text_of,
    when,
)
from socialgate.connectors.tiktokads.commerce import access
from socialgate.connectors.tiktokads.paging import Pages, page_of
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import AdPage, AdQuery, Change, Item, New
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound, Rejected
from socialgate.contracts.operations import Looked
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

NewThing = TypeVar("NewThing", bound=New)

_MOST, _MOST_PAGES = 1000, 100
_LONGEST_NAME = 512
_DAY = timedelta(days=1)
_TAKEN = "name already exists"
_BLAMED = {
    "budget": "/budget/amount",
    "location_ids": "/targeting/locations",
    "schedule_start_time": "/schedule/start",
    "schedule_end_time": "/schedule/end",
    **dict.fromkeys(("bid_price", "conversion_bid_price"), "/bid/amount"),
}
_HINTS = {"/targeting/locations": " GET /ads/locations lists valid ids."}


class Listed(msgspec.Struct, frozen=True):
    list: Sequence[Mapping[str, Any]] | None = ()
    page_info: Pages = Pages()


@contextmanager
def placed() -> Iterator[None]:
    """Say where in a customer's request the field is that TikTok blames: its messages start with the name."""
    try:
        yield
    except Rejected as failure:
        said = failure.platform_error
        message = (said.message if said else None) or ""
        field = "/name" if _TAKEN in message else _BLAMED.get(message.partition(":")[0])
        if field is None:
            raise
        hint = _HINTS.get(field, "")
        category, platform = failure.category, Platform.TIKTOKADS
        raise Rejected(
            f"{failure.detail}{hint}", platform=platform, error=said, category=category, field=field
        ) from None


class TikTokObjects(ABC, Generic[Item, NewThing]):
    """Objects of one type, such as `campaign`. `able` is what can be changed, `reserved` what the options must not
    contain.
    """

    noun: ClassVar[str]
    able: ClassVar[frozenset[str]]
    reserved: ClassVar[Mapping[str, str]] = RESERVED

    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    def faults(self, new: NewThing) -> Sequence[Fault]:
        own = [*option_faults(new.options, self.reserved), *switch_faults("TikTok", new.switch, SWITCHES)]
        if len(new.name) > _LONGEST_NAME:
            own.append(Fault("/name", "too_long", f"TikTok allows at most {_LONGEST_NAME} characters."))
        return [*own, *self._faults(new)]

    def change_faults(self, change: Change) -> Sequence[Fault]:
        own = (*advertising.change_faults("TikTok", change, self.able), *option_faults(change.options, self.reserved))
        return [*own, *switch_faults("TikTok", change.switch, SWITCHES), *self._change_faults(change)]

    async def list(self, held: AccountCredentials, query: AdQuery) -> AdPage[Item]:
        page, size = page_of(query.cursor, min(query.limit, _MOST))
        deleted = AdStatus.DELETED in query.statuses
        only = "STATUS_DELETE" if deleted and len(query.statuses) == 1 else "STATUS_ALL"
        above = {"campaign_ids": query.campaign_id, "adgroup_ids": query.adset_id}
        wanted = {name: [one] for name, one in above.items() if one is not None}
        wanted["primary_status"] = only if deleted else "STATUS_NOT_DELETE"  # type: ignore[assignment]  # a word
        found = await self._get(held, wanted, page, size)
        items = [self._item(held, row) for row in await self._explained(held, found.list or ())]
        return AdPage(items=chosen(items, query), cursor=found.page_info.after(size))

    async def find(self, held: AccountCredentials, item_id: str) -> Item:
        (row,) = await self._explained(held, [await self.row(held, item_id)])
        return self._item(held, row)

    async def look(self, held: AccountCredentials, new: NewThing) -> Looked[Item]:
        """Look for the object among those of the day. The filter by time is generous, in case it has another zone."""
        times = {"creation_filter_start_time": new.asked_at - _DAY, "creation_filter_end_time": new.asked_at + _DAY}
        wanted: dict[str, Any] = {name: stamp(moment) for name, moment in times.items()}
        items: list[Item] = []
        for page in range(1, _MOST_PAGES + 1):
            found = await self._get(held, {**wanted, **self._above(new)}, page, _MOST)
            rows = [row for row in found.list or () if text_at(row, f"{self.noun}_name") == new.name]
            items += [self._item(held, row) for row in rows]
            if found.page_info.after(_MOST) is None:
                break
        return advertising.found(items, new)

    async def create(self, held: AccountCredentials, new: NewThing) -> Item:
        body = {**new.options, **given(await self._body(held, new)), "advertiser_id": held.platform_account_id}
        path = f"{self.noun}/create/"
        with placed():
            made = await access(self._api, held).post(path, dict[str, Any], body, repeatable=False, spends=self._spends)
        return self._item(held, {**body, **self._made(made)})

    async def update(self, held: AccountCredentials, item_id: str, change: Change) -> None:
        """Set new values, then the switch, which has a path of its own."""
        before = await self.row(held, item_id)
        body = {**change.options, **given(await self._changes(held, change, before))}
        if body:
            await self._post(held, f"{self.noun}/update/", self._update(item_id, body, before))
        if change.switch is not None:
            await self._switch(held, item_id, SWITCHES[change.switch])

    async def delete(self, held: AccountCredentials, item_id: str) -> None:
        await self.row(held, item_id)
        await self._switch(held, item_id, "DELETE")

    async def row(self, held: AccountCredentials, item_id: str) -> Mapping[str, Any]:
        """Read an object that is not deleted."""
        if not item_id.isdecimal():
            raise PlatformNotFound("TikTok has no such id: its ids are digits.", platform=Platform.TIKTOKADS)
        rows = (await self._get(held, {f"{self.noun}_ids": [item_id]}, 1, 1)).list or ()
        own = [row for row in rows if text_at(row, f"{self.noun}_id") == item_id]
        if not own or self._common(own[0])["status"] is AdStatus.DELETED:
            raise PlatformNotFound("The ad account has no such object.", platform=Platform.TIKTOKADS)
        return own[0]

    _spends: ClassVar[tuple[tuple[str, int], ...]] = (("calls", 1),)

    async def _get(self, held: AccountCredentials, wanted: Mapping[str, Any], page: int, size: int) -> Listed:
        query = {"advertiser_id": held.platform_account_id, "page": page, "page_size": size}
        return await access(self._api, held).get(f"{self.noun}/get/", Listed, **query, filtering=text_of(wanted))

    async def _post(self, held: AccountCredentials, path: str, body: Mapping[str, Any]) -> None:
        whose = {**body, "advertiser_id": held.platform_account_id}
        with placed():
            await access(self._api, held).post(path, object, whose, repeatable=False)

    async def _switch(self, held: AccountCredentials, item_id: str, word: str) -> None:
        body = {f"{self.noun}_ids": [item_id], "operation_status": word}
        await self._post(held, f"{self.noun}/status/update/", body)

    async def _explained(
        self, held: AccountCredentials, rows: Sequence[Mapping[str, Any]]
    ) -> Sequence[Mapping[str, Any]]:
        """Add why objects were rejected, if TikTok says it elsewhere."""
        del held
        return rows

    def _made(self, made: Mapping[str, Any]) -> Mapping[str, Any]:
        """Find the new object in the response."""
        return made

    def _update(self, item_id: str, body: Mapping[str, Any], before: Mapping[str, Any]) -> Mapping[str, Any]:
        del before
        return {**body, f"{self.noun}_id": item_id}

    def _faults(self, new: NewThing) -> Iterator[Fault]:
        """Report what is wrong with this type of object."""
        del new
        yield from ()

    def _change_faults(self, change: Change) -> Iterator[Fault]:
        del change
        yield from ()

    def _above(self, new: NewThing) -> Mapping[str, Any]:
        """Return the filter by the parent of a new object."""
        del new
        return {}

    @abstractmethod
    async def _body(self, held: AccountCredentials, new: NewThing) -> Mapping[str, Any]: ...

    @abstractmethod
    async def _changes(
        self, held: AccountCredentials, change: Change, before: Mapping[str, Any]
    ) -> Mapping[str, Any]: ...

    @abstractmethod
    def _item(self, held: AccountCredentials, row: Mapping[str, Any]) -> Item:
        """Read an object: a row of TikTok, or the body that created it, which has the same names."""

    def _common(self, row: Mapping[str, Any]) -> dict[str, Any]:
        switch = SWITCHES_READ.get(text_at(row, "operation_status"))
        state = text_at(row, "secondary_status")
        status = status_of(state, switch)
        return {
            "id": text_at(row, f"{self.noun}_id"),
            "name": text_at(row, f"{self.noun}_name") or None,
            "status": status,
            "switch": switch,
            "reason": None if status == switch else reason_of(row, state),
            "created_at": when(row.get("create_time")),
            "updated_at": when(row.get("modify_time")),
        }
