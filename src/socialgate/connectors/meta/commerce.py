"""Catalogs of the business behind an ad account, their product sets, and its shops."""

from collections.abc import Iterator, Sequence
from typing import Any

from socialgate.connectors.forms import given
from socialgate.connectors.graph.dialect import Caller, Node, Rows, cursor_of, from_cursor
from socialgate.connectors.json_paths import member, rows_at, text_at
from socialgate.connectors.meta.commerce_filters import CAN, decoded, from_meta, to_meta
from socialgate.connectors.meta.wire import Graph, checked, known
from socialgate.connectors.products import filter_faults
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
from socialgate.contracts.money import BadMoney
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_OWN, _LENT = "owned_product_catalogs", "client_product_catalogs"
_CATALOG = "id,name,vertical,product_count"
_SET = "id,name,filter,product_count"
_MOST = 100
_VERTICALS = (
    "commerce", "adoptable_pets", "apps_and_software", "articles_and_publications", "destinations", "flights",
    "generic", "home_listings", "hotels", "local_service_businesses", "media_titles", "offer_items",
    "offline_commerce", "services", "transactable_items", "vehicles",
)  # fmt: skip


class AdCommerce:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def catalog_faults(self, new: NewCatalog) -> Sequence[Fault]:
        return [*_catalog_faults(new)]

    def set_faults(self, new: NewSet) -> Sequence[Fault]:
        faults = [*filter_faults("Meta", new.filter, CAN)]
        try:
            _ = None if faults or new.filter is None else to_meta(new.filter)
        except BadMoney as error:
            return [Fault("/filter/rules", "invalid", f"Meta compares prices in hundredths. {error}")]
        return faults

    async def catalogs(self, held: AccountCredentials, limit: int, cursor: str | None) -> CatalogPage:
        """List the business's own catalogs, then those that others share with it."""
        edge, _, place = (cursor or _OWN).partition("?")
        page = await self._page(held, _LENT if edge == _LENT else _OWN, limit, place)
        left = limit - len(page.items)
        if page.cursor != _LENT or not left:
            return page
        lent = await self._page(held, _LENT, left)
        return CatalogPage(items=[*page.items, *lent.items], cursor=lent.cursor)

    async def catalog(self, held: AccountCredentials, catalog_id: str) -> Catalog:
        """Read a catalog. Catalogs of other businesses that the person can access do not belong to this account."""
        api = self._graph.of(held)
        async with known(api):
            row = await api.get(checked(catalog_id), dict[str, Any], fields=f"{_CATALOG},business")
        if text_at(row, "business", "id") != business_of(held):
            lent = await api.all(f"{business_of(held)}/{_LENT}", Rows[Node], "id")
            if catalog_id not in {str(one.id) for one in lent}:
                raise PlatformNotFound("The ad account's business has no such catalog.", platform=Platform.META)
        return _catalog(row)

    async def catalogs_named(self, held: AccountCredentials, name: str) -> Sequence[Catalog]:
        rows = await self._graph.of(held).all(f"{business_of(held)}/{_OWN}", Rows[Any], _CATALOG)
        return [_catalog(row) for row in rows if text_at(row, "name") == name]

    async def create_catalog(self, held: AccountCredentials, new: NewCatalog) -> Catalog:
        params = {"name": new.name, "vertical": new.vertical or _VERTICALS[0]}
        made = await self._graph.of(held).post(f"{business_of(held)}/{_OWN}", Node, params, repeatable=False)
        return Catalog(id=str(made.id), product_count=0, **params)

    async def sets(self, held: AccountCredentials, catalog_id: str, limit: int, cursor: str | None) -> SetPage:
        rows = await self._rows(held, f"{checked(catalog_id)}/product_sets", _SET, limit, cursor)
        return SetPage(items=[_set(row) for row in rows.data], cursor=cursor_of(rows))

    async def sets_named(self, held: AccountCredentials, catalog_id: str, name: str) -> Sequence[ProductSet]:
        rows = await self._graph.of(held).all(f"{checked(catalog_id)}/product_sets", Rows[Any], _SET)
        return [_set(row) for row in rows if text_at(row, "name") == name]

    async def create_set(self, held: AccountCredentials, new: NewSet) -> ProductSet:
        api, path = self._graph.of(held), f"{checked(new.catalog_id)}/product_sets"
        wanted = None if new.filter is None else to_meta(new.filter)
        made = await api.post(path, Node, given({"name": new.name, "filter": wanted}), repeatable=False)
        return ProductSet(id=str(made.id), name=new.name, filter=new.filter, platform_filter=wanted)

    async def shops(self, held: AccountCredentials, limit: int, cursor: str | None) -> ShopPage:
        """List the commerce accounts of the business. Their catalogs are on separate edges."""
        fields = "id,display_name,merchant_status"
        rows = await self._rows(held, f"{business_of(held)}/commerce_merchant_settings", fields, limit, cursor)
        api = self._graph.of(held)
        return ShopPage(items=[await _shop(api, row) for row in rows.data], cursor=cursor_of(rows))

    async def _page(self, held: AccountCredentials, edge: str, limit: int, place: str = "") -> CatalogPage:
        rows = await self._rows(held, f"{business_of(held)}/{edge}", _CATALOG, limit, place)
        after = cursor_of(rows)
        end = _LENT if edge == _OWN else None
        return CatalogPage(items=[_catalog(row) for row in rows.data], cursor=f"{edge}?{after}" if after else end)

    async def _rows(
        self, held: AccountCredentials, path: str, fields: str, limit: int, cursor: str | None
    ) -> Rows[Any]:
        api = self._graph.of(held)
        async with known(api):
            return await api.get(path, Rows[Any], fields=fields, limit=min(limit, _MOST), **from_cursor(cursor))


def business_of(held: AccountCredentials) -> str:
    business = held.details.get("businessId")
    if not business:
        raise Rejected(
            "The ad account does not belong to a business, which catalogs require. Add it to one in Meta Business "
            "settings, then connect it again.",
            platform=Platform.META,
            category="account_issue",
        )
    return checked(str(business))


def _catalog_faults(new: NewCatalog) -> Iterator[Fault]:
    if new.vertical is not None and new.vertical not in _VERTICALS:
        yield Fault("/vertical", "invalid", f"Meta supports: {', '.join(_VERTICALS)}.")
    for name in ("currency", "country"):
        if getattr(new, name) is not None:
            yield Fault(f"/{name}", "not_supported", f"A Meta catalog has no {name}; its products do. Omit it.")


def _catalog(row: Any) -> Catalog:
    count = member(row, "product_count")
    return Catalog(
        id=text_at(row, "id"),
        name=text_at(row, "name"),
        vertical=text_at(row, "vertical") or None,
        product_count=count if isinstance(count, int) else None,
    )


def _set(row: Any) -> ProductSet:
    own, count = decoded(member(row, "filter")), member(row, "product_count")
    return ProductSet(
        id=text_at(row, "id"),
        name=text_at(row, "name"),
        filter=from_meta(own),
        platform_filter=own,
        product_count=count if isinstance(count, int) else None,
    )


async def _shop(api: Caller, row: Any) -> Shop:
    shop_id = checked(text_at(row, "id"))
    sold = await api.all(f"{shop_id}/product_catalogs", Rows[Node], "id")
    shown = rows_at(await api.get(f"{shop_id}/shops", dict[str, Any], fields="id,shop_status"), "data")
    status = text_at(shown[0], "shop_status") if shown else text_at(row, "merchant_status")
    return Shop(
        id=shop_id,
        name=text_at(row, "display_name") or None,
        status=status.lower() or None,
        catalog_ids=tuple(str(one.id) for one in sold),
    )
