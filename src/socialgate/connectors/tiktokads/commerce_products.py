"""Products of TikTok catalogs: sent in chunks and processed later, with a log that reports the results."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.client import APP_BUDGET
from socialgate.connectors.json_paths import get_path, get_text_or_number
from socialgate.connectors.post_options import drop_none
from socialgate.connectors.products import validate_product
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.connectors.tiktokads.commerce import api_for_account, build_business_center_params
from socialgate.connectors.tiktokads.commerce_filters import (
    PRODUCT_LIST_OPERATORS_BY_FIELD,
    VENDOR_NAMES_BY_AVAILABILITY,
    VENDOR_NAMES_BY_CONDITION,
    encode_product_list_filter,
)
from socialgate.connectors.tiktokads.paging import PageInfo, parse_page_cursor
from socialgate.connectors.transport import VendorTransport
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
from socialgate.contracts.failures import PlatformFailure, PlatformNotFoundError
from socialgate.contracts.money import InvalidAmountError, parse_amount, to_float
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_MAX_LENGTHS = {"retailer_id": 100, "title": 500, "description": 10_000, "brand": 150}
_ACTIONS_BY_METHOD = {
    ProductChangeMethod.UPSERT: "upload",
    ProductChangeMethod.UPDATE: "update",
    ProductChangeMethod.DELETE: "delete",
}
_MAX_PAGE_SIZE, _MAX_IMAGES, _OK = 500, 10, 200
_PROCESSING_FAILED_DETAIL = "TikTok could not process the products. Send them again later."


class _ProductRows(msgspec.Struct, frozen=True):
    list: Sequence[Any] = ()
    page_info: PageInfo = PageInfo()


class _BatchResponse(msgspec.Struct, frozen=True):
    feed_log_id: int | str


class _FeedIssue(msgspec.Struct, frozen=True):
    field: str | None = None
    issue: str | None = None
    suggestion: str | None = None
    affected_product_count: int = 0
    affected_product_item_list: Sequence[Any] | None = ()

    @property
    def reason(self) -> str:
        return ". ".join(filter(None, ((self.issue or "").rstrip("."), self.suggestion))) or _PROCESSING_FAILED_DETAIL


class _FeedLogData(msgspec.Struct, frozen=True):
    download_path: Mapping[str, str] | None = None
    error_affected_products: Sequence[_FeedIssue] | None = ()


class _FeedLog(msgspec.Struct, frozen=True):
    process_status: str = ""
    error_count: int = 0
    feed_log_data: _FeedLogData | None = None


class _FeedLogResponse(msgspec.Struct, frozen=True):
    product_feed_log: _FeedLog


class CatalogProducts:
    # TikTok accepts uploads of 5,000 and deletions of 1,000, one request at a time for a catalog.
    limits = ChunkLimits(
        max_changes_by_method={
            ProductChangeMethod.UPSERT: 5000,
            ProductChangeMethod.UPDATE: 5000,
            ProductChangeMethod.DELETE: 1000,
        },
        max_bytes=4_000_000,
    )

    def __init__(self, api: TikTokAdsApi, wire: VendorTransport) -> None:
        self._api = api
        self._wire = wire

    def validate_product_change(self, product: Product, method: ProductChangeMethod) -> Sequence[Fault]:
        return [*validate_product("TikTok", product, method, _MAX_LENGTHS, ("brand",), _MAX_IMAGES)]

    def query_faults(self, query: ProductQuery) -> Sequence[Fault]:
        rules = query.filter.rules if query.filter is not None else ()
        return [
            Fault(
                f"?{rule.field}",
                "not_supported",
                f"TikTok can filter products by: {', '.join(sorted(PRODUCT_LIST_OPERATORS_BY_FIELD))}.",
            )
            for rule in rules
            if rule.field not in PRODUCT_LIST_OPERATORS_BY_FIELD
        ]

    async def list(self, credentials: AccountCredentials, catalog_id: str, query: ProductQuery) -> ProductPage:
        request = {
            "sku_ids": [*query.retailer_ids] or None,
            "product_set_ids": None if query.set_id is None else [query.set_id],
            "conditions": None if query.filter is None else encode_product_list_filter(query.filter),
        }
        page, size = parse_page_cursor(query.cursor, min(query.limit, _MAX_PAGE_SIZE))
        rows = await self._fetch_rows(credentials, catalog_id, request, page, size)
        return ProductPage(
            items=[_parse_product(row) for row in rows.list], cursor=rows.page_info.get_next_cursor(size)
        )

    async def find(
        self, credentials: AccountCredentials, catalog_id: str, retailer_ids: Sequence[str]
    ) -> Sequence[ProductItem]:
        rows = await self._fetch_rows(credentials, catalog_id, {"sku_ids": [*retailer_ids]})
        return [_parse_product(row) for row in rows.list]

    async def get_retailer_id(self, credentials: AccountCredentials, catalog_id: str, product_id: str) -> str:
        rows = await self._fetch_rows(credentials, catalog_id, {"product_ids": [product_id]})
        result = [
            get_text_or_number(row, "sku_id")
            for row in rows.list
            if get_text_or_number(row, "product_id") == product_id
        ]
        if not result:
            raise _build_not_found_error()
        return result[0]

    async def submit_batch(
        self,
        credentials: AccountCredentials,
        catalog_id: str,
        method: ProductChangeMethod,
        changes: Sequence[Product],
        *,
        repeatable: bool = True,
    ) -> ChunkSubmission:
        """Send a chunk. Uploading a product again replaces it, so this can safely be repeated."""
        key, values = (
            ("sku_ids", [change.retailer_id for change in changes])
            if method is ProductChangeMethod.DELETE
            else (
                "products",
                [_encode_product(change) for change in changes],
            )
        )
        body = {**build_business_center_params(credentials), "catalog_id": catalog_id, key: values}
        path = f"catalog/product/{_ACTIONS_BY_METHOD[method]}/"
        taken = await api_for_account(self._api, credentials).post(path, _BatchResponse, body, repeatable=repeatable)
        return ChunkSubmission(handle=str(taken.feed_log_id))

    async def get_chunk_result(self, credentials: AccountCredentials, catalog_id: str, handle: str) -> ChunkResult:
        query = {
            **build_business_center_params(credentials),
            "catalog_id": catalog_id,
            "feed_log_id": handle,
            "language": "en",
        }
        log = (
            await api_for_account(self._api, credentials).get("catalog/product/log/", _FeedLogResponse, **query)
        ).product_feed_log
        if log.process_status not in {"SUCCESS", "FAILED"}:
            return ChunkResult(done=False)
        data = log.feed_log_data or _FeedLogData()
        affected = data.error_affected_products or ()
        reasons = {sku: feed_issue.reason for feed_issue in affected for sku in _list_skus(feed_issue)}
        # The response contains the first five products of each issue; a file contains them all.
        if any(
            feed_issue.affected_product_count > len(feed_issue.affected_product_item_list or ())
            for feed_issue in affected
        ):
            reasons = {**dict(await self._download_reasons(data)), **reasons}
        if log.process_status == "FAILED" and not reasons:
            return ChunkResult(
                done=True,
                failure_reason=" ".join(feed_issue.reason for feed_issue in affected) or _PROCESSING_FAILED_DETAIL,
            )
        refused = tuple(RejectedChange(retailer_id=sku, detail=reason) for sku, reason in reasons.items())
        return ChunkResult(done=True, rejected_changes=refused, has_unnamed_rejections=len(refused) < log.error_count)

    async def delete(self, credentials: AccountCredentials, catalog_id: str, retailer_id: str) -> str | None:
        if not await self.find(credentials, catalog_id, [retailer_id]):
            raise _build_not_found_error()
        return (
            await self.submit_batch(
                credentials, catalog_id, ProductChangeMethod.DELETE, [Product(retailer_id=retailer_id)]
            )
        ).handle

    async def _fetch_rows(
        self,
        credentials: AccountCredentials,
        catalog_id: str,
        filters: Mapping[str, Any],
        page: int = 1,
        size: int = _MAX_PAGE_SIZE,
    ) -> _ProductRows:
        """Read products. Lists and objects in the query are JSON."""
        query = {name: msgspec.json.encode(value).decode() for name, value in drop_none(filters).items()}
        query |= {
            **build_business_center_params(credentials),
            "catalog_id": catalog_id,
            "page": str(page),
            "page_size": str(size),
        }
        return await api_for_account(self._api, credentials).get("catalog/product/get/", _ProductRows, **query)

    async def _download_reasons(self, data: _FeedLogData) -> Iterator[tuple[str, str]]:
        """Read the file of a log. Without it, `unnamed` indicates that some products are missing."""
        paths = data.download_path or {}
        url = paths.get("en") or next(iter(paths.values()), None)
        if url is None:
            return iter(())
        try:
            await self._wire.limits.require_not_paused(APP_BUDGET)
            answer = await self._wire.send("GET", url)
        except PlatformFailure:
            return iter(())
        return _parse_reasons(answer.body.decode("utf-8-sig", "replace")) if answer.status == _OK else iter(())


def _build_not_found_error() -> PlatformNotFoundError:
    return PlatformNotFoundError("The catalog has no such product.", platform=Platform.TIKTOKADS)


def _list_skus(affected: _FeedIssue) -> Iterator[str]:
    for item in affected.affected_product_item_list or ():
        if sku := get_text_or_number(item, "sku_id"):
            yield sku


def _parse_reasons(text: str) -> Iterator[tuple[str, str]]:
    for row in csv.DictReader(io.StringIO(text, newline="")):
        named = {(name or "").strip().lower().replace(" ", "_"): value for name, value in row.items()}
        sku, reason = named.get("sku_id"), named.get("issue") or named.get("error") or named.get("reason")
        if sku:
            yield sku, reason or _PROCESSING_FAILED_DETAIL


def _encode_product(product: Product) -> dict[str, Any]:
    prices = {"price": product.price, "sale_price": product.sale_price}
    info: dict[str, Any] = {name: to_float(money) for name, money in prices.items() if money is not None}
    currency = next((money.currency for money in prices.values() if money is not None), None)
    data = {
        "sku_id": product.retailer_id,
        "title": product.title,
        "description": product.description,
        "availability": VENDOR_NAMES_BY_AVAILABILITY.get(product.availability or ""),
        "brand": product.brand,
        "image_url": product.image_url,
        # A comma would split one URL into two.
        "additional_image_urls": [
            additional_image_url.replace(",", "%2C") for additional_image_url in product.additional_image_urls
        ]
        or None,
        "item_group_id": product.group,
        "google_product_category": product.category,
        "product_detail": drop_none({"condition": VENDOR_NAMES_BY_CONDITION.get(product.condition or "")}) or None,
        "price_info": {**info, "currency": currency} if info else None,
        "landing_page": drop_none({"landing_page_url": product.url}) or None,
    }
    return drop_none(data)


def _parse_product(row: Any) -> ProductItem:
    ours = {theirs: word for word, theirs in {**VENDOR_NAMES_BY_AVAILABILITY, **VENDOR_NAMES_BY_CONDITION}.items()}
    availability, condition = (
        get_text_or_number(row, "availability"),
        get_text_or_number(row, "product_detail", "condition"),
    )
    images = get_path(row, "additional_image_urls")
    product = Product(
        retailer_id=get_text_or_number(row, "sku_id"),
        title=get_text_or_number(row, "title") or None,
        description=get_text_or_number(row, "description") or None,
        price=_parse_money(row, "price"),
        sale_price=_parse_money(row, "sale_price"),
        availability=ours.get(availability, availability.lower()) or None,
        condition=ours.get(condition, condition.lower()) or None,
        brand=get_text_or_number(row, "brand") or None,
        url=get_text_or_number(row, "landing_page", "landing_page_url") or None,
        image_url=get_text_or_number(row, "image_url") or None,
        additional_image_urls=tuple(str(image) for image in images) if isinstance(images, list) else (),
        group=get_text_or_number(row, "item_group_id") or None,
        category=get_text_or_number(row, "google_product_category") or None,
    )
    rejected = get_path(row, "audit", "rejected_info")
    issues = [get_text_or_number(item, "reason") for item in rejected] if isinstance(rejected, list) else []
    status = get_text_or_number(row, "audit", "audit_status") or None
    return ProductItem(
        id=get_text_or_number(row, "product_id") or None, product=product, status=status, issues=tuple(issues)
    )


def _parse_money(row: Any, name: str) -> Price | None:
    amount, currency = get_path(row, "price_info", name), get_text_or_number(row, "price_info", "currency")
    try:
        return (
            Price.from_money(parse_amount(amount, currency))
            if isinstance(amount, int | float | str) and amount != ""
            else None
        )
    except InvalidAmountError:
        return None
