"""Catalogs of the Business Center that an ad account belongs to, their product sets, and TikTok Shops."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.client import APP, Access
from socialgate.connectors.products import filter_faults
from socialgate.connectors.tiktokads.commerce_filters import IN_SETS, from_conditions, to_conditions
from socialgate.connectors.tiktokads.paging import Pages, page_of
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.contracts.commerce import (
    Catalog,
    CatalogPage,
    NewCatalog,
    NewSet,
    ProductSet,
    SetPage,
    Shop,
    ShopPage,
)
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound, Rejected
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_KINDS = {"commerce": "ECOM", "hotels": "HOTEL", "flights": "FLIGHT", "destinations": "DESTINATION"}
_KINDS |= {"media_titles": "ENTERTAINMENT", "vehicles": "AUTO"}
_MOST, _MOST_PAGES = 500, 100
_LONGEST_NAME, _LONGEST_SET_NAME = 128, 28


class _Conf(msgspec.Struct, frozen=True):
    currency: str | None = None
    region_code: str | None = None


class _Catalog(msgspec.Struct, frozen=True):
    catalog_id: int | str
    catalog_name: str = ""
    catalog_type: str | None = None
    catalog_conf: _Conf | None = None


class _Catalogs(msgspec.Struct, frozen=True):
    list: Sequence[_Catalog] = ()
    page_info: Pages = Pages()


class _Set(msgspec.Struct, frozen=True):
    product_set_id: int | str
    product_set_name: str = ""
    conditions: Any = None
    product_count: int | None = None


class _Sets(msgspec.Struct, frozen=True):
    product_set: Sequence[_Set] | None = ()


class _MadeCatalog(msgspec.Struct, frozen=True):
    catalog_id: int | str


class _MadeSet(msgspec.Struct, frozen=True):
    product_set_id: int | str
    product_count: int | None = None


class _Store(msgspec.Struct, frozen=True):
    store_id: int | str
    store_name: str | None = None
    store_status: str | None = None
    catalog_id: int | str | None = None


class _Stores(msgspec.Struct, frozen=True):
    stores: Sequence[_Store] | None = ()


class CenterCommerce:
    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    def catalog_faults(self, new: NewCatalog) -> Sequence[Fault]:
        return [*_catalog_faults(new)]

    def set_faults(self, new: NewSet) -> Sequence[Fault]:
        return [*_set_faults(new)]

    async def catalogs(self, held: AccountCredentials, limit: int, cursor: str | None) -> CatalogPage:
        page, size = page_of(cursor, min(limit, _MOST))
        found = await self._catalogs(held, page=page, page_size=size)
        return CatalogPage(items=[_catalog(one) for one in found.list], cursor=found.page_info.after(size))

    async def catalog(self, held: AccountCredentials, catalog_id: str) -> Catalog:
        found = await self._catalogs(held, catalog_id=catalog_id)
        known = [_catalog(one) for one in found.list if str(one.catalog_id) == catalog_id]
        if not known:
            raise PlatformNotFound("The Business Center has no such catalog.", platform=Platform.TIKTOKADS)
        return known[0]

    async def catalogs_named(self, held: AccountCredentials, name: str) -> Sequence[Catalog]:
        named: list[Catalog] = []
        for page in range(1, _MOST_PAGES + 1):
            found = await self._catalogs(held, page=page, page_size=_MOST)
            named += [_catalog(one) for one in found.list if one.catalog_name == name]
            if found.page_info.after(_MOST) is None:
                break
        return named

    async def create_catalog(self, held: AccountCredentials, new: NewCatalog) -> Catalog:
        kind = _KINDS[new.vertical or "commerce"]
        conf = {"currency": new.currency, "region_code": new.country}
        body = {**center(held), "name": new.name, "catalog_type": kind, "catalog_conf": conf}
        made = await access(self._api, held).post("catalog/create/", _MadeCatalog, body, repeatable=False)
        vertical = new.vertical or "commerce"
        return Catalog(
            id=str(made.catalog_id), name=new.name, vertical=vertical, currency=new.currency, country=new.country
        )

    async def sets(self, held: AccountCredentials, catalog_id: str, limit: int, cursor: str | None) -> SetPage:
        """List all sets: TikTok does not paginate them."""
        del limit, cursor
        return SetPage(items=await self._sets(held, catalog_id), cursor=None)

    async def sets_named(self, held: AccountCredentials, catalog_id: str, name: str) -> Sequence[ProductSet]:
        return [one for one in await self._sets(held, catalog_id) if one.name == name]

    async def create_set(self, held: AccountCredentials, new: NewSet) -> ProductSet:
        assert new.filter is not None, "a set without a filter was rejected before"
        await self._require_currency(held, new)
        conditions = to_conditions(new.filter)
        body = {
            **center(held),
            "catalog_id": new.catalog_id,
            "product_set_name": new.name,
            "conditions": conditions,
        }
        made = await access(self._api, held).post("catalog/set/create/", _MadeSet, body, repeatable=False)
        return ProductSet(
            id=str(made.product_set_id),
            name=new.name,
            filter=new.filter,
            platform_filter=conditions,
            product_count=made.product_count,
        )

    async def shops(self, held: AccountCredentials, limit: int, cursor: str | None) -> ShopPage:
        del limit, cursor
        found = await access(self._api, held).get("store/list/", _Stores, advertiser_id=held.platform_account_id)
        items = [
            Shop(
                id=str(one.store_id),
                name=one.store_name,
                status=None if one.store_status is None else one.store_status.lower(),
                catalog_ids=(str(one.catalog_id),) if one.catalog_id else (),
            )
            for one in found.stores or ()
        ]
        return ShopPage(items=items, cursor=None)

    async def _catalogs(self, held: AccountCredentials, **query: Any) -> _Catalogs:
        return await access(self._api, held).get("catalog/get/", _Catalogs, **center(held), **query)

    async def _sets(self, held: AccountCredentials, catalog_id: str) -> list[ProductSet]:
        query = {**center(held), "catalog_id": catalog_id}
        found = (await access(self._api, held).get("catalog/set/get/", _Sets, **query)).product_set or ()
        # Prices in conditions are numbers in the catalog's currency.
        currency = (
            (await self.catalog(held, catalog_id)).currency
            if any("price" in str(one.conditions) for one in found)
            else None
        )
        return [
            ProductSet(
                id=str(one.product_set_id),
                name=one.product_set_name,
                filter=from_conditions(one.conditions, currency),
                platform_filter=one.conditions,
                product_count=one.product_count,
            )
            for one in found
        ]

    async def _require_currency(self, held: AccountCredentials, new: NewSet) -> None:
        rules = new.filter.rules if new.filter is not None else ()
        prices = {place: rule.price.currency for place, rule in enumerate(rules) if rule.price is not None}
        if not prices:
            return
        own = (await self.catalog(held, new.catalog_id)).currency
        wrong = next((place for place, currency in prices.items() if currency != own), None)
        if wrong is not None:
            raise Rejected(
                f"The currency of the catalog is {own}. Compare prices in that currency.",
                platform=Platform.TIKTOKADS,
                field=f"/filter/rules/{wrong}/price/currency",
            )


def center(held: AccountCredentials) -> Mapping[str, str]:
    found = held.details.get("businessCenterId")
    if not found:
        raise Rejected(
            "The ad account does not belong to a Business Center, which catalogs require. Add it to yours in TikTok "
            "Business Center, then connect it again.",
            platform=Platform.TIKTOKADS,
            category="account_issue",
        )
    return {"bc_id": str(found)}


def access(api: TikTokAdsApi, held: AccountCredentials) -> Access:
    return api.access(token=held.grant.access_token, budgets=(held.platform_account_id, APP))


def _catalog(row: _Catalog) -> Catalog:
    conf = row.catalog_conf or _Conf()
    ours = {theirs: word for word, theirs in _KINDS.items()}
    kind = row.catalog_type
    return Catalog(
        id=str(row.catalog_id),
        name=row.catalog_name,
        vertical=None if kind is None else ours.get(kind, kind.lower()),
        currency=conf.currency or None,
        country=conf.region_code or None,
    )


def _catalog_faults(new: NewCatalog) -> Iterator[Fault]:
    if len(new.name) > _LONGEST_NAME:
        yield Fault("/name", "too_long", f"TikTok allows at most {_LONGEST_NAME} characters.")
    if new.vertical is not None and new.vertical not in _KINDS:
        yield Fault("/vertical", "invalid", f"TikTok supports: {', '.join(_KINDS)}.")
    for name in ("currency", "country"):
        if getattr(new, name) is None:
            yield Fault(f"/{name}", "required", f"A TikTok catalog requires a {name}.")


def _set_faults(new: NewSet) -> Iterator[Fault]:
    if len(new.name) > _LONGEST_SET_NAME:
        yield Fault("/name", "too_long", f"TikTok allows at most {_LONGEST_SET_NAME} characters.")
    if new.filter is None:
        yield Fault("/filter", "required", "TikTok requires a filter. Send at least one rule.")
    yield from filter_faults("TikTok", new.filter, IN_SETS)
