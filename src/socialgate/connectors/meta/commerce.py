"""Catalogs of the business behind an ad account, their product sets, and its shops."""

from collections.abc import Iterator, Sequence
from typing import Any

from socialgate.connectors.graph.dialect import GraphCaller, GraphNode, GraphPage, build_cursor_params, extract_cursor
from socialgate.connectors.json_paths import get_objects, get_path, get_text_or_number
from socialgate.connectors.meta.api import MetaApi, raise_not_found_if_missing, require_object_id
from socialgate.connectors.meta.commerce_filters import (
    SUPPORTED_OPERATORS_BY_FIELD,
    decode_filter,
    encode_filter,
    parse_filter,
)
from socialgate.connectors.post_options import drop_none
from socialgate.connectors.products import validate_filter
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
from socialgate.contracts.money import InvalidAmountError
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_OWNED_CATALOGS_EDGE, _SHARED_CATALOGS_EDGE = "owned_product_catalogs", "client_product_catalogs"
_CATALOG_FIELDS = "id,name,vertical,product_count"
_PRODUCT_SET_FIELDS = "id,name,filter,product_count"
_MAX_PAGE_SIZE = 100
_CATALOG_VERTICALS = (
    "commerce", "adoptable_pets", "apps_and_software", "articles_and_publications", "destinations", "flights",
    "generic", "home_listings", "hotels", "local_service_businesses", "media_titles", "offer_items",
    "offline_commerce", "services", "transactable_items", "vehicles",
)  # fmt: skip


class AdAccountCommerce:
    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    def validate_catalog(self, new: NewCatalog) -> Sequence[Fault]:
        return [*_catalog_faults(new)]

    def validate_product_set(self, new: NewProductSet) -> Sequence[Fault]:
        faults = [*validate_filter("Meta", new.filter, SUPPORTED_OPERATORS_BY_FIELD)]
        try:
            _ = None if faults or new.filter is None else encode_filter(new.filter)
        except InvalidAmountError as error:
            return [Fault("/filter/rules", "invalid", f"Meta compares prices in hundredths. {error}")]
        return faults

    async def list_catalogs(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> CatalogPage:
        """List the business's own catalogs, then those that others share with it."""
        edge, _, place = (cursor or _OWNED_CATALOGS_EDGE).partition("?")
        page = await self._fetch_catalog_page(
            credentials, _SHARED_CATALOGS_EDGE if edge == _SHARED_CATALOGS_EDGE else _OWNED_CATALOGS_EDGE, limit, place
        )
        left = limit - len(page.items)
        if page.cursor != _SHARED_CATALOGS_EDGE or not left:
            return page
        lent = await self._fetch_catalog_page(credentials, _SHARED_CATALOGS_EDGE, left)
        return CatalogPage(items=[*page.items, *lent.items], cursor=lent.cursor)

    async def fetch_catalog(self, credentials: AccountCredentials, catalog_id: str) -> Catalog:
        """Read a catalog. Catalogs of other businesses that the person can access do not belong to this account."""
        api = self._graph.for_account(credentials)
        async with raise_not_found_if_missing(api):
            row = await api.get(require_object_id(catalog_id), dict[str, Any], fields=f"{_CATALOG_FIELDS},business")
        if get_text_or_number(row, "business", "id") != require_business_id(credentials):
            lent = await api.list_all(
                f"{require_business_id(credentials)}/{_SHARED_CATALOGS_EDGE}", GraphPage[GraphNode], "id"
            )
            if catalog_id not in {str(node.id) for node in lent}:
                raise PlatformNotFoundError("The ad account's business has no such catalog.", platform=Platform.META)
        return _parse_catalog(row)

    async def find_catalogs_by_name(self, credentials: AccountCredentials, name: str) -> Sequence[Catalog]:
        rows = await self._graph.for_account(credentials).list_all(
            f"{require_business_id(credentials)}/{_OWNED_CATALOGS_EDGE}", GraphPage[Any], _CATALOG_FIELDS
        )
        return [_parse_catalog(row) for row in rows if get_text_or_number(row, "name") == name]

    async def create_catalog(self, credentials: AccountCredentials, new: NewCatalog) -> Catalog:
        params = {"name": new.name, "vertical": new.vertical or _CATALOG_VERTICALS[0]}
        node = await self._graph.for_account(credentials).post(
            f"{require_business_id(credentials)}/{_OWNED_CATALOGS_EDGE}", GraphNode, params, repeatable=False
        )
        return Catalog(id=str(node.id), product_count=0, **params)

    async def list_product_sets(
        self, credentials: AccountCredentials, catalog_id: str, limit: int, cursor: str | None
    ) -> ProductSetPage:
        rows = await self._fetch_rows(
            credentials, f"{require_object_id(catalog_id)}/product_sets", _PRODUCT_SET_FIELDS, limit, cursor
        )
        return ProductSetPage(items=[_parse_product_set(row) for row in rows.data], cursor=extract_cursor(rows))

    async def find_product_sets_by_name(
        self, credentials: AccountCredentials, catalog_id: str, name: str
    ) -> Sequence[ProductSet]:
        rows = await self._graph.for_account(credentials).list_all(
            f"{require_object_id(catalog_id)}/product_sets", GraphPage[Any], _PRODUCT_SET_FIELDS
        )
        return [_parse_product_set(row) for row in rows if get_text_or_number(row, "name") == name]

    async def create_product_set(self, credentials: AccountCredentials, new: NewProductSet) -> ProductSet:
        api, path = self._graph.for_account(credentials), f"{require_object_id(new.catalog_id)}/product_sets"
        values = None if new.filter is None else encode_filter(new.filter)
        node = await api.post(path, GraphNode, drop_none({"name": new.name, "filter": values}), repeatable=False)
        return ProductSet(id=str(node.id), name=new.name, filter=new.filter, platform_filter=values)

    async def list_shops(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> ShopPage:
        """List the commerce accounts of the business. Their catalogs are on separate edges."""
        fields = "id,display_name,merchant_status"
        rows = await self._fetch_rows(
            credentials, f"{require_business_id(credentials)}/commerce_merchant_settings", fields, limit, cursor
        )
        api = self._graph.for_account(credentials)
        return ShopPage(items=[await _fetch_shop(api, row) for row in rows.data], cursor=extract_cursor(rows))

    async def _fetch_catalog_page(
        self, credentials: AccountCredentials, edge: str, limit: int, page_cursor: str = ""
    ) -> CatalogPage:
        rows = await self._fetch_rows(
            credentials, f"{require_business_id(credentials)}/{edge}", _CATALOG_FIELDS, limit, page_cursor
        )
        after = extract_cursor(rows)
        end = _SHARED_CATALOGS_EDGE if edge == _OWNED_CATALOGS_EDGE else None
        return CatalogPage(items=[_parse_catalog(row) for row in rows.data], cursor=f"{edge}?{after}" if after else end)

    async def _fetch_rows(
        self, credentials: AccountCredentials, path: str, fields: str, limit: int, cursor: str | None
    ) -> GraphPage[Any]:
        api = self._graph.for_account(credentials)
        async with raise_not_found_if_missing(api):
            return await api.get(
                path, GraphPage[Any], fields=fields, limit=min(limit, _MAX_PAGE_SIZE), **build_cursor_params(cursor)
            )


def require_business_id(credentials: AccountCredentials) -> str:
    business = credentials.details.get("businessId")
    if not business:
        raise PlatformRejectedError(
            "The ad account does not belong to a business, which catalogs require. Add it to one in Meta Business "
            "settings, then connect it again.",
            platform=Platform.META,
            category="account_issue",
        )
    return require_object_id(str(business))


def _catalog_faults(new: NewCatalog) -> Iterator[Fault]:
    if new.vertical is not None and new.vertical not in _CATALOG_VERTICALS:
        yield Fault("/vertical", "invalid", f"Meta supports: {', '.join(_CATALOG_VERTICALS)}.")
    for name in ("currency", "country"):
        if getattr(new, name) is not None:
            yield Fault(f"/{name}", "not_supported", f"A Meta catalog has no {name}; its products do. Omit it.")


def _parse_catalog(row: Any) -> Catalog:
    count = get_path(row, "product_count")
    return Catalog(
        id=get_text_or_number(row, "id"),
        name=get_text_or_number(row, "name"),
        vertical=get_text_or_number(row, "vertical") or None,
        product_count=count if isinstance(count, int) else None,
    )


def _parse_product_set(row: Any) -> ProductSet:
    own, count = decode_filter(get_path(row, "filter")), get_path(row, "product_count")
    return ProductSet(
        id=get_text_or_number(row, "id"),
        name=get_text_or_number(row, "name"),
        filter=parse_filter(own),
        platform_filter=own,
        product_count=count if isinstance(count, int) else None,
    )


async def _fetch_shop(api: GraphCaller, row: Any) -> Shop:
    shop_id = require_object_id(get_text_or_number(row, "id"))
    sold = await api.list_all(f"{shop_id}/product_catalogs", GraphPage[GraphNode], "id")
    shown = get_objects(await api.get(f"{shop_id}/shops", dict[str, Any], fields="id,shop_status"), "data")
    status = get_text_or_number(shown[0], "shop_status") if shown else get_text_or_number(row, "merchant_status")
    return Shop(
        id=shop_id,
        name=get_text_or_number(row, "display_name") or None,
        status=status.lower() or None,
        catalog_ids=tuple(str(node.id) for node in sold),
    )
