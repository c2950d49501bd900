"""Products of Meta catalogs: read with prices formatted for display, written in batches with prices as in feeds."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.forms import given
from socialgate.connectors.graph.dialect import Rows, cursor_of, from_cursor
from socialgate.connectors.json_paths import list_at, member, rows_at, text_at
from socialgate.connectors.meta.commerce_filters import AVAILABILITIES, CAN, to_meta
from socialgate.connectors.meta.wire import Graph, checked, known
from socialgate.connectors.products import faults_of, filter_faults
from socialgate.contracts.commerce import (
    Checked,
    ChunkLimits,
    Method,
    Price,
    Product,
    ProductItem,
    ProductPage,
    ProductQuery,
    RowFault,
    Submitted,
)
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.money import feed, shown
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_FIELDS = (
    "id,retailer_id,name,description,price,sale_price,currency,availability,condition,brand,url,image_url,"
    "additional_image_urls,retailer_product_group_id,category,review_status,errors"
)
# The names of fields in a batch, which are those of feeds.
_FEED: Mapping[str, str] = {
    "title": "title",
    "description": "description",
    "condition": "condition",
    "brand": "brand",
    "url": "link",
    "group": "item_group_id",
    "category": "google_product_category",
}
_LONGEST = {"retailer_id": 100, "title": 200, "description": 9999, "brand": 100}
_DONE, _BROKEN = "finished", frozenset({"error", "fatal", "failed"})
_NAMELESS = "Meta rejected this product without a reason. Commerce Manager shows more."
_MOST = 100


class _Handles(msgspec.Struct):
    handles: list[str] = []
    validation_status: list[Any] = []


class AdProducts:
    # Meta accepts 5,000 and recommends 3,000; 28 MB would be allowed.
    limits = ChunkLimits(rows=dict.fromkeys(Method, 3000), most_bytes=4_000_000)

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def faults(self, product: Product, method: Method) -> Sequence[Fault]:
        return [*faults_of("Meta", product, method, _LONGEST)]

    def query_faults(self, query: ProductQuery) -> Sequence[Fault]:
        return [*filter_faults("Meta", query.filter, CAN)]

    async def list(self, held: AccountCredentials, catalog_id: str, query: ProductQuery) -> ProductPage:
        api, path, wanted = self._graph.of(held), f"{checked(catalog_id)}/products", _filter(query)
        async with known(api):
            if query.set_id is not None:
                found = await api.get(checked(query.set_id), dict[str, Any], fields="product_catalog")
                if text_at(found, "product_catalog", "id") != catalog_id:
                    raise PlatformNotFound("The catalog has no such product set.", platform=Platform.META)
                path = f"{query.set_id}/products"
            # Prices are formatted for this locale.
            params = {"fields": _FIELDS, "locale": "en_US", "limit": min(query.limit, _MOST)}
            text = None if wanted is None else msgspec.json.encode(wanted).decode()
            rows = await api.get(path, Rows[Any], **params, filter=text, **from_cursor(query.cursor))
        return ProductPage(items=[_item(row) for row in rows.data], cursor=cursor_of(rows))

    async def find(
        self, held: AccountCredentials, catalog_id: str, retailer_ids: Sequence[str]
    ) -> Sequence[ProductItem]:
        query = ProductQuery(retailer_ids=tuple(retailer_ids), limit=_MOST)
        return [*(await self.list(held, catalog_id, query)).items]

    async def known_as(self, held: AccountCredentials, catalog_id: str, product_id: str) -> str:
        api = self._graph.of(held)
        async with known(api):
            row = await api.get(checked(product_id), dict[str, Any], fields="retailer_id,product_catalog")
        if text_at(row, "product_catalog", "id") != catalog_id:
            raise PlatformNotFound("The catalog has no such product.", platform=Platform.META)
        return text_at(row, "retailer_id")

    async def submit(
        self,
        held: AccountCredentials,
        catalog_id: str,
        method: Method,
        changes: Sequence[Product],
        *,
        repeatable: bool = True,
    ) -> Submitted:
        """Send a batch. An update with `allow_upsert` creates missing products, and can safely be repeated."""
        word = "DELETE" if method is Method.DELETE else "UPDATE"
        params = {
            "item_type": "PRODUCT_ITEM",
            "allow_upsert": str(method is Method.UPSERT).lower(),
            "requests": [{"method": word, "data": _data(one, method)} for one in changes],
        }
        api, path = self._graph.of(held), f"{checked(catalog_id)}/items_batch"
        async with known(api):
            taken = await api.post(path, _Handles, params, repeatable=repeatable)
        refused = [
            RowFault(retailer_id=text_at(row, "retailer_id"), detail=_words(rows_at(row, "errors")))
            for row in taken.validation_status
            if rows_at(row, "errors")
        ]
        return Submitted(handle=",".join(taken.handles) or None, refused=tuple(refused))

    async def check(self, held: AccountCredentials, catalog_id: str, handle: str) -> Checked:
        api, path = self._graph.of(held), f"{checked(catalog_id)}/check_batch_request_status"
        async with known(api):
            found = [
                row
                for one in handle.split(",")
                for row in (await api.get(path, Rows[Any], handle=one, load_ids_of_invalid_requests="true")).data
            ]
        broken = next((row for row in found if text_at(row, "status") in _BROKEN), None)
        if broken is not None:
            return Checked(done=True, failed=_words(rows_at(broken, "errors")))
        if not found or any(text_at(row, "status") != _DONE for row in found):
            return Checked(done=False)
        reasons = {text_at(one, "id"): text_at(one, "message") for row in found for one in rows_at(row, "errors")}
        for row in found:
            for invalid in list_at(row, "ids_of_invalid_requests"):
                reasons.setdefault(str(invalid), _NAMELESS)
        counts = [count for row in found if isinstance(count := member(row, "errors_total_count"), int)]
        listed = sum(len(rows_at(row, "errors")) for row in found)
        refused = [RowFault(retailer_id=name, detail=reason or _NAMELESS) for name, reason in reasons.items() if name]
        return Checked(done=True, refused=tuple(refused), unnamed=sum(counts) > max(listed, len(refused)))

    async def delete(self, held: AccountCredentials, catalog_id: str, retailer_id: str) -> str | None:
        api = self._graph.of(held)
        name = urlsafe_b64encode(retailer_id.encode()).decode().rstrip("=")
        async with known(api):
            await api.do("DELETE", f"catalog:{checked(catalog_id)}:{name}")
        return None


def _filter(query: ProductQuery) -> Any:
    if query.retailer_ids:
        return {"retailer_id": {"is_any": [*query.retailer_ids]}}
    return None if query.filter is None else to_meta(query.filter)


def _data(product: Product, method: Method) -> dict[str, Any]:
    """Write a product with the names of feeds. If there is a list of images, Meta ignores the single one."""
    if method is Method.DELETE:
        return {"id": product.retailer_id}
    pictures, first = [*product.additional_image_urls], product.image_url
    images: dict[str, Any] = {"image_link": first}
    if pictures:
        together = {"image": [{"url": one} for one in (first, *pictures)]}
        images = together if first is not None else {"additional_image_link": pictures}
    return given(
        {
            "id": product.retailer_id,
            **{name: getattr(product, ours) for ours, name in _FEED.items()},
            "availability": AVAILABILITIES.get(product.availability or ""),
            "price": None if product.price is None else feed(product.price),
            "sale_price": None if product.sale_price is None else feed(product.sale_price),
            **images,
        }
    )


def _item(row: Any) -> ProductItem:
    ours = {theirs: word for word, theirs in AVAILABILITIES.items()}
    said = text_at(row, "availability")
    product = Product(
        retailer_id=text_at(row, "retailer_id"),
        title=text_at(row, "name") or None,
        description=text_at(row, "description") or None,
        price=_money(row, "price"),
        sale_price=_money(row, "sale_price"),
        availability=ours.get(said, said) or None,
        condition=text_at(row, "condition") or None,
        brand=text_at(row, "brand") or None,
        url=text_at(row, "url") or None,
        image_url=text_at(row, "image_url") or None,
        additional_image_urls=tuple(str(one) for one in list_at(row, "additional_image_urls")),
        group=text_at(row, "retailer_product_group_id") or None,
        category=text_at(row, "category") or None,
    )
    return ProductItem(
        id=text_at(row, "id"),
        product=product,
        status=text_at(row, "review_status") or None,
        issues=tuple(_issues(row)),
    )


def _issues(row: Any) -> Iterator[str]:
    for one in rows_at(row, "errors"):
        yield ": ".join(filter(None, (text_at(one, "title"), text_at(one, "description"))))


def _money(row: Any, name: str) -> Price | None:
    money = shown(text_at(row, name), text_at(row, "currency"))
    return None if money is None else Price.of(money)


def _words(errors: Sequence[Any]) -> str:
    return " ".join(filter(None, (text_at(one, "message") for one in errors))) or _NAMELESS
