"""Products of Meta catalogs: read with prices formatted for display, written in batches with prices as in feeds."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.graph.dialect import GraphPage, build_cursor_params, extract_cursor
from socialgate.connectors.json_paths import get_list, get_objects, get_path, get_text_or_number
from socialgate.connectors.meta.api import MetaApi, raise_not_found_if_missing, require_object_id
from socialgate.connectors.meta.commerce_filters import (
    SUPPORTED_OPERATORS_BY_FIELD,
    VENDOR_NAMES_BY_AVAILABILITY,
    encode_filter,
)
from socialgate.connectors.post_options import drop_none
from socialgate.connectors.products import validate_filter, validate_product
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.commerce import (
    ChunkLimits,
    ChunkResult,
    ChunkSubmission,
    Price,
    Product,
    ProductChangeMethod,
    ProductItem,
    ProductPage,
    ProductQuery,
    RejectedChange,
)
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.contracts.money import format_feed_price, parse_display_price
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_PRODUCT_FIELDS = (
    "id,retailer_id,name,description,price,sale_price,currency,availability,condition,brand,url,image_url,"
    "additional_image_urls,retailer_product_group_id,category,review_status,errors"
)
# The names of fields in a batch, which are those of feeds.
_FEED_FIELDS: Mapping[str, str] = {
    "title": "title",
    "description": "description",
    "condition": "condition",
    "brand": "brand",
    "url": "link",
    "group": "item_group_id",
    "category": "google_product_category",
}
_MAX_LENGTHS = {"retailer_id": 100, "title": 200, "description": 9999, "brand": 100}
_FINISHED_STATUS, _FAILED_STATUSES = "finished", frozenset({"error", "fatal", "failed"})
_NO_REASON_DETAIL = "Meta rejected this product without a reason. Commerce Manager shows more."
_MAX_PAGE_SIZE = 100


class _BatchResponse(msgspec.Struct):
    handles: list[str] = []
    validation_status: list[Any] = []


class CatalogProducts:
    # Meta accepts 5,000 and recommends 3,000; 28 MB would be allowed.
    limits = ChunkLimits(max_changes_by_method=dict.fromkeys(ProductChangeMethod, 3000), max_bytes=4_000_000)

    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    def validate_product_change(self, product: Product, method: ProductChangeMethod) -> Sequence[Fault]:
        return [*validate_product("Meta", product, method, _MAX_LENGTHS)]

    def query_faults(self, query: ProductQuery) -> Sequence[Fault]:
        return [*validate_filter("Meta", query.filter, SUPPORTED_OPERATORS_BY_FIELD)]

    async def list(self, credentials: AccountCredentials, catalog_id: str, query: ProductQuery) -> ProductPage:
        api, path, requested = (
            self._graph.for_account(credentials),
            f"{require_object_id(catalog_id)}/products",
            _build_filter(query),
        )
        async with raise_not_found_if_missing(api):
            if query.set_id is not None:
                result = await api.get(require_object_id(query.set_id), dict[str, Any], fields="product_catalog")
                if get_text_or_number(result, "product_catalog", "id") != catalog_id:
                    raise PlatformNotFoundError("The catalog has no such product set.", platform=Platform.META)
                path = f"{query.set_id}/products"
            # Prices are formatted for this locale.
            params = {"fields": _PRODUCT_FIELDS, "locale": "en_US", "limit": min(query.limit, _MAX_PAGE_SIZE)}
            text = None if requested is None else msgspec.json.encode(requested).decode()
            rows = await api.get(path, GraphPage[Any], **params, filter=text, **build_cursor_params(query.cursor))
        return ProductPage(items=[_parse_product(row) for row in rows.data], cursor=extract_cursor(rows))

    async def find(
        self, credentials: AccountCredentials, catalog_id: str, retailer_ids: Sequence[str]
    ) -> Sequence[ProductItem]:
        query = ProductQuery(retailer_ids=tuple(retailer_ids), limit=_MAX_PAGE_SIZE)
        return [*(await self.list(credentials, catalog_id, query)).items]

    async def get_retailer_id(self, credentials: AccountCredentials, catalog_id: str, product_id: str) -> str:
        api = self._graph.for_account(credentials)
        async with raise_not_found_if_missing(api):
            row = await api.get(require_object_id(product_id), dict[str, Any], fields="retailer_id,product_catalog")
        if get_text_or_number(row, "product_catalog", "id") != catalog_id:
            raise PlatformNotFoundError("The catalog has no such product.", platform=Platform.META)
        return get_text_or_number(row, "retailer_id")

    async def submit_batch(
        self,
        credentials: AccountCredentials,
        catalog_id: str,
        method: ProductChangeMethod,
        changes: Sequence[Product],
        *,
        repeatable: bool = True,
    ) -> ChunkSubmission:
        """Send a batch. An update with `allow_upsert` creates missing products, and can safely be repeated."""
        word = "DELETE" if method is ProductChangeMethod.DELETE else "UPDATE"
        params = {
            "item_type": "PRODUCT_ITEM",
            "allow_upsert": str(method is ProductChangeMethod.UPSERT).lower(),
            "requests": [{"method": word, "data": _encode_product(change, method)} for change in changes],
        }
        api, path = self._graph.for_account(credentials), f"{require_object_id(catalog_id)}/items_batch"
        async with raise_not_found_if_missing(api):
            taken = await api.post(path, _BatchResponse, params, repeatable=repeatable)
        refused = [
            RejectedChange(
                retailer_id=get_text_or_number(row, "retailer_id"), detail=_join_messages(get_objects(row, "errors"))
            )
            for row in taken.validation_status
            if get_objects(row, "errors")
        ]
        return ChunkSubmission(handle=",".join(taken.handles) or None, rejected_changes=tuple(refused))

    async def get_chunk_result(self, credentials: AccountCredentials, catalog_id: str, handle: str) -> ChunkResult:
        api, path = self._graph.for_account(credentials), f"{require_object_id(catalog_id)}/check_batch_request_status"
        async with raise_not_found_if_missing(api):
            items = [
                row
                for value in handle.split(",")
                for row in (await api.get(path, GraphPage[Any], handle=value, load_ids_of_invalid_requests="true")).data
            ]
        broken = next((row for row in items if get_text_or_number(row, "status") in _FAILED_STATUSES), None)
        if broken is not None:
            return ChunkResult(done=True, failure_reason=_join_messages(get_objects(broken, "errors")))
        if not items or any(get_text_or_number(row, "status") != _FINISHED_STATUS for row in items):
            return ChunkResult(done=False)
        reasons = {
            get_text_or_number(item, "id"): get_text_or_number(item, "message")
            for row in items
            for item in get_objects(row, "errors")
        }
        for row in items:
            for invalid in get_list(row, "ids_of_invalid_requests"):
                reasons.setdefault(str(invalid), _NO_REASON_DETAIL)
        counts = [count for row in items if isinstance(count := get_path(row, "errors_total_count"), int)]
        listed = sum(len(get_objects(row, "errors")) for row in items)
        refused = [
            RejectedChange(retailer_id=name, detail=reason or _NO_REASON_DETAIL)
            for name, reason in reasons.items()
            if name
        ]
        return ChunkResult(
            done=True, rejected_changes=tuple(refused), has_unnamed_rejections=sum(counts) > max(listed, len(refused))
        )

    async def delete(self, credentials: AccountCredentials, catalog_id: str, retailer_id: str) -> str | None:
        api = self._graph.for_account(credentials)
        name = urlsafe_b64encode(retailer_id.encode()).decode().rstrip("=")
        async with raise_not_found_if_missing(api):
            await api.call_for_success("DELETE", f"catalog:{require_object_id(catalog_id)}:{name}")
        return None


def _build_filter(query: ProductQuery) -> Any:
    if query.retailer_ids:
        return {"retailer_id": {"is_any": [*query.retailer_ids]}}
    return None if query.filter is None else encode_filter(query.filter)


def _encode_product(product: Product, method: ProductChangeMethod) -> dict[str, Any]:
    """Write a product with the names of feeds. If there is a list of images, Meta ignores the single one."""
    if method is ProductChangeMethod.DELETE:
        return {"id": product.retailer_id}
    pictures, first = [*product.additional_image_urls], product.image_url
    images: dict[str, Any] = {"image_link": first}
    if pictures:
        together = {"image": [{"url": value} for value in (first, *pictures)]}
        images = together if first is not None else {"additional_image_link": pictures}
    return drop_none(
        {
            "id": product.retailer_id,
            **{name: getattr(product, ours) for ours, name in _FEED_FIELDS.items()},
            "availability": VENDOR_NAMES_BY_AVAILABILITY.get(product.availability or ""),
            "price": None if product.price is None else format_feed_price(product.price),
            "sale_price": None if product.sale_price is None else format_feed_price(product.sale_price),
            **images,
        }
    )


def _parse_product(row: Any) -> ProductItem:
    ours = {theirs: word for word, theirs in VENDOR_NAMES_BY_AVAILABILITY.items()}
    message = get_text_or_number(row, "availability")
    product = Product(
        retailer_id=get_text_or_number(row, "retailer_id"),
        title=get_text_or_number(row, "name") or None,
        description=get_text_or_number(row, "description") or None,
        price=_parse_money(row, "price"),
        sale_price=_parse_money(row, "sale_price"),
        availability=ours.get(message, message) or None,
        condition=get_text_or_number(row, "condition") or None,
        brand=get_text_or_number(row, "brand") or None,
        url=get_text_or_number(row, "url") or None,
        image_url=get_text_or_number(row, "image_url") or None,
        additional_image_urls=tuple(str(item) for item in get_list(row, "additional_image_urls")),
        group=get_text_or_number(row, "retailer_product_group_id") or None,
        category=get_text_or_number(row, "category") or None,
    )
    return ProductItem(
        id=get_text_or_number(row, "id"),
        product=product,
        status=get_text_or_number(row, "review_status") or None,
        issues=tuple(_parse_issues(row)),
    )


def _parse_issues(row: Any) -> Iterator[str]:
    for item in get_objects(row, "errors"):
        yield ": ".join(filter(None, (get_text_or_number(item, "title"), get_text_or_number(item, "description"))))


def _parse_money(row: Any, name: str) -> Price | None:
    money = parse_display_price(get_text_or_number(row, name), get_text_or_number(row, "currency"))
    return None if money is None else Price.from_money(money)


def _join_messages(errors: Sequence[Any]) -> str:
    return " ".join(filter(None, (get_text_or_number(error, "message") for error in errors))) or _NO_REASON_DETAIL
