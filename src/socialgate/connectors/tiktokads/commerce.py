"""Catalogs of the Business Center that an ad account belongs to, their product sets, and TikTok Shops."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.client import APP_BUDGET, AuthorizedClient
from socialgate.connectors.products import validate_filter
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.connectors.tiktokads.commerce_filters import (
    PRODUCT_SET_OPERATORS_BY_FIELD,
    encode_product_set_filter,
    parse_product_set_filter,
)
from socialgate.connectors.tiktokads.paging import PageInfo, parse_page_cursor
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.commerce import (
    Catalog,
    CatalogPage,
    NewCatalog,
    NewProductSet,
    ProductSet,
    ProductSetPage,
    Shop,
    ShopPage,
)
from socialgate.contracts.failures import PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_CATALOG_TYPES = {"commerce": "ECOM", "hotels": "HOTEL", "flights": "FLIGHT", "destinations": "DESTINATION"}
_CATALOG_TYPES |= {"media_titles": "ENTERTAINMENT", "vehicles": "AUTO"}
_MAX_PAGE_SIZE, _MAX_PAGES = 500, 100
_MAX_NAME_LENGTH, _MAX_SET_NAME_LENGTH = 128, 28


class _CatalogConfig(msgspec.Struct, frozen=True):
    currency: str | None = None
    region_code: str | None = None


class _Catalog(msgspec.Struct, frozen=True):
    catalog_id: int | str
    catalog_name: str = ""
    catalog_type: str | None = None
    catalog_conf: _CatalogConfig | None = None


class _CatalogsResponse(msgspec.Struct, frozen=True):
    list: Sequence[_Catalog] = ()
    page_info: PageInfo = PageInfo()


class _ProductSet(msgspec.Struct, frozen=True):
    product_set_id: int | str
    product_set_name: str = ""
    conditions: Any = None
    product_count: int | None = None


class _ProductSetsResponse(msgspec.Struct, frozen=True):
    product_set: Sequence[_ProductSet] | None = ()


class _CreateCatalogResponse(msgspec.Struct, frozen=True):
    catalog_id: int | str


class _CreateProductSetResponse(msgspec.Struct, frozen=True):
    product_set_id: int | str
    product_count: int | None = None


class _TikTokStore(msgspec.Struct, frozen=True):
    store_id: int | str
    store_name: str | None = None
    store_status: str | None = None
    catalog_id: int | str | None = None


class _StoresResponse(msgspec.Struct, frozen=True):
    stores: Sequence[_TikTokStore] | None = ()


class BusinessCenterCommerce:
    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    def validate_catalog(self, new: NewCatalog) -> Sequence[Fault]:
        return [*_catalog_faults(new)]

    def validate_product_set(self, new: NewProductSet) -> Sequence[Fault]:
        return [*_validate_product_set(new)]

    async def list_catalogs(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> CatalogPage:
        page, size = parse_page_cursor(cursor, min(limit, _MAX_PAGE_SIZE))
        catalogs = await self._fetch_catalogs(credentials, page=page, page_size=size)
        return CatalogPage(
            items=[_parse_catalog(catalog) for catalog in catalogs.list],
            cursor=catalogs.page_info.get_next_cursor(size),
        )

    async def fetch_catalog(self, credentials: AccountCredentials, catalog_id: str) -> Catalog:
        catalogs = await self._fetch_catalogs(credentials, catalog_id=catalog_id)
        known = [_parse_catalog(catalog) for catalog in catalogs.list if str(catalog.catalog_id) == catalog_id]
        if not known:
            raise PlatformNotFoundError("The Business Center has no such catalog.", platform=Platform.TIKTOKADS)
        return known[0]

    async def find_catalogs_by_name(self, credentials: AccountCredentials, name: str) -> Sequence[Catalog]:
        named: list[Catalog] = []
        for page in range(1, _MAX_PAGES + 1):
            catalogs = await self._fetch_catalogs(credentials, page=page, page_size=_MAX_PAGE_SIZE)
            named += [_parse_catalog(catalog) for catalog in catalogs.list if catalog.catalog_name == name]
            if catalogs.page_info.get_next_cursor(_MAX_PAGE_SIZE) is None:
                break
        return named

    async def create_catalog(self, credentials: AccountCredentials, new: NewCatalog) -> Catalog:
        kind = _CATALOG_TYPES[new.vertical or "commerce"]
        conf = {"currency": new.currency, "region_code": new.country}
        body = {
            **build_business_center_params(credentials),
            "name": new.name,
            "catalog_type": kind,
            "catalog_conf": conf,
        }
        catalog_response = await api_for_account(self._api, credentials).post(
            "catalog/create/", _CreateCatalogResponse, body, repeatable=False
        )
        vertical = new.vertical or "commerce"
        return Catalog(
            id=str(catalog_response.catalog_id),
            name=new.name,
            vertical=vertical,
            currency=new.currency,
            country=new.country,
        )

    async def list_product_sets(
        self, credentials: AccountCredentials, catalog_id: str, limit: int, cursor: str | None
    ) -> ProductSetPage:
        """List all sets: TikTok does not paginate them."""
        del limit, cursor
        return ProductSetPage(items=await self._fetch_product_sets(credentials, catalog_id), cursor=None)

    async def find_product_sets_by_name(
        self, credentials: AccountCredentials, catalog_id: str, name: str
    ) -> Sequence[ProductSet]:
        return [
            product_set
            for product_set in await self._fetch_product_sets(credentials, catalog_id)
            if product_set.name == name
        ]

    async def create_product_set(self, credentials: AccountCredentials, new: NewProductSet) -> ProductSet:
        assert new.filter is not None, "a set without a filter was rejected before"
        await self._require_currency(credentials, new)
        conditions = encode_product_set_filter(new.filter)
        body = {
            **build_business_center_params(credentials),
            "catalog_id": new.catalog_id,
            "product_set_name": new.name,
            "conditions": conditions,
        }
        set_response = await api_for_account(self._api, credentials).post(
            "catalog/set/create/", _CreateProductSetResponse, body, repeatable=False
        )
        return ProductSet(
            id=str(set_response.product_set_id),
            name=new.name,
            filter=new.filter,
            platform_filter=conditions,
            product_count=set_response.product_count,
        )

    async def list_shops(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> ShopPage:
        del limit, cursor
        stores = await api_for_account(self._api, credentials).get(
            "store/list/", _StoresResponse, advertiser_id=credentials.platform_account_id
        )
        items = [
            Shop(
                id=str(store.store_id),
                name=store.store_name,
                status=None if store.store_status is None else store.store_status.lower(),
                catalog_ids=(str(store.catalog_id),) if store.catalog_id else (),
            )
            for store in stores.stores or ()
        ]
        return ShopPage(items=items, cursor=None)

    async def _fetch_catalogs(self, credentials: AccountCredentials, **query: Any) -> _CatalogsResponse:
        return await api_for_account(self._api, credentials).get(
            "catalog/get/", _CatalogsResponse, **build_business_center_params(credentials), **query
        )

    async def _fetch_product_sets(self, credentials: AccountCredentials, catalog_id: str) -> list[ProductSet]:
        query = {**build_business_center_params(credentials), "catalog_id": catalog_id}
        sets = (
            await api_for_account(self._api, credentials).get("catalog/set/get/", _ProductSetsResponse, **query)
        ).product_set or ()
        # Prices in conditions are numbers in the catalog's currency.
        currency = (
            (await self.fetch_catalog(credentials, catalog_id)).currency
            if any("price" in str(current_set.conditions) for current_set in sets)
            else None
        )
        return [
            ProductSet(
                id=str(current_set.product_set_id),
                name=current_set.product_set_name,
                filter=parse_product_set_filter(current_set.conditions, currency),
                platform_filter=current_set.conditions,
                product_count=current_set.product_count,
            )
            for current_set in sets
        ]

    async def _require_currency(self, credentials: AccountCredentials, new: NewProductSet) -> None:
        rules = new.filter.rules if new.filter is not None else ()
        prices = {place: rule.price.currency for place, rule in enumerate(rules) if rule.price is not None}
        if not prices:
            return
        own = (await self.fetch_catalog(credentials, new.catalog_id)).currency
        wrong = next((place for place, currency in prices.items() if currency != own), None)
        if wrong is not None:
            raise PlatformRejectedError(
                f"The currency of the catalog is {own}. Compare prices in that currency.",
                platform=Platform.TIKTOKADS,
                field=f"/filter/rules/{wrong}/price/currency",
            )


def build_business_center_params(credentials: AccountCredentials) -> Mapping[str, str]:
    result = credentials.details.get("businessCenterId")
    if not result:
        raise PlatformRejectedError(
            "The ad account does not belong to a Business Center, which catalogs require. Add it to yours in TikTok "
            "Business Center, then connect it again.",
            platform=Platform.TIKTOKADS,
            category="account_issue",
        )
    return {"bc_id": str(result)}


def api_for_account(api: TikTokAdsApi, credentials: AccountCredentials) -> AuthorizedClient:
    return api.build_authorized_client(
        token=credentials.grant.access_token, budgets=(credentials.platform_account_id, APP_BUDGET)
    )


def _parse_catalog(row: _Catalog) -> Catalog:
    conf = row.catalog_conf or _CatalogConfig()
    ours = {theirs: word for word, theirs in _CATALOG_TYPES.items()}
    kind = row.catalog_type
    return Catalog(
        id=str(row.catalog_id),
        name=row.catalog_name,
        vertical=None if kind is None else ours.get(kind, kind.lower()),
        currency=conf.currency or None,
        country=conf.region_code or None,
    )


def _catalog_faults(new: NewCatalog) -> Iterator[Fault]:
    if len(new.name) > _MAX_NAME_LENGTH:
        yield Fault("/name", "too_long", f"TikTok allows at most {_MAX_NAME_LENGTH} characters.")
    if new.vertical is not None and new.vertical not in _CATALOG_TYPES:
        yield Fault("/vertical", "invalid", f"TikTok supports: {', '.join(_CATALOG_TYPES)}.")
    for name in ("currency", "country"):
        if getattr(new, name) is None:
            yield Fault(f"/{name}", "required", f"A TikTok catalog requires a {name}.")


def _validate_product_set(new: NewProductSet) -> Iterator[Fault]:
    if len(new.name) > _MAX_SET_NAME_LENGTH:
        yield Fault("/name", "too_long", f"TikTok allows at most {_MAX_SET_NAME_LENGTH} characters.")
    if new.filter is None:
        yield Fault("/filter", "required", "TikTok requires a filter. Send at least one rule.")
    yield from validate_filter("TikTok", new.filter, PRODUCT_SET_OPERATORS_BY_FIELD)
