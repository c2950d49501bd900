"""Products of TikTok catalogs: sent in chunks and processed later, with a log that reports the results."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.client import APP
from socialgate.connectors.forms import given
from socialgate.connectors.json_paths import member, text_at
from socialgate.connectors.products import faults_of
from socialgate.connectors.tiktokads.commerce import access, center
from socialgate.connectors.tiktokads.commerce_filters import AVAILABILITIES, CONDITIONS, IN_LISTS, to_query
from socialgate.connectors.tiktokads.paging import Pages, page_of
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.connectors.wire import Wire
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
from socialgate.contracts.failures import PlatformFailure, PlatformNotFound
from socialgate.contracts.money import BadMoney, number, read
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_LONGEST = {"retailer_id": 100, "title": 500, "description": 10_000, "brand": 150}
_PATHS = {Method.UPSERT: "upload", Method.UPDATE: "update", Method.DELETE: "delete"}
_MOST, _MOST_IMAGES, _OK = 500, 10, 200
_FAILED = "TikTok could not process the products. Send them again later."


class _Rows(msgspec.Struct, frozen=True):
    list: Sequence[Any] = ()
    page_info: Pages = Pages()


class _Taken(msgspec.Struct, frozen=True):
    feed_log_id: int | str


class _Affected(msgspec.Struct, frozen=True):
    field: str | None = None
    issue: str | None = None
    suggestion: str | None = None
    affected_product_count: int = 0
    affected_product_item_list: Sequence[Any] | None = ()

    @property
    def reason(self) -> str:
        return ". ".join(filter(None, ((self.issue or "").rstrip("."), self.suggestion))) or _FAILED


class _Data(msgspec.Struct, frozen=True):
    download_path: Mapping[str, str] | None = None
    error_affected_products: Sequence[_Affected] | None = ()


class _Log(msgspec.Struct, frozen=True):
    process_status: str = ""
    error_count: int = 0
    feed_log_data: _Data | None = None


class _Logged(msgspec.Struct, frozen=True):
    product_feed_log: _Log


class CenterProducts:
    # TikTok accepts uploads of 5,000 and deletions of 1,000, one request at a time for a catalog.
    limits = ChunkLimits(rows={Method.UPSERT: 5000, Method.UPDATE: 5000, Method.DELETE: 1000}, most_bytes=4_000_000)

    def __init__(self, api: TikTokAdsApi, wire: Wire) -> None:
        self._api = api
        self._wire = wire

    def faults(self, product: Product, method: Method) -> Sequence[Fault]:
        return [*faults_of("TikTok", product, method, _LONGEST, ("brand",), _MOST_IMAGES)]

    def query_faults(self, query: ProductQuery) -> Sequence[Fault]:
        rules = query.filter.rules if query.filter is not None else ()
        return [
            Fault(f"?{rule.field}", "not_supported", f"TikTok can filter products by: {', '.join(sorted(IN_LISTS))}.")
            for rule in rules
            if rule.field not in IN_LISTS
        ]

    async def list(self, held: AccountCredentials, catalog_id: str, query: ProductQuery) -> ProductPage:
        asked = {
            "sku_ids": [*query.retailer_ids] or None,
            "product_set_ids": None if query.set_id is None else [query.set_id],
            "conditions": None if query.filter is None else to_query(query.filter),
        }
        page, size = page_of(query.cursor, min(query.limit, _MOST))
        rows = await self._rows(held, catalog_id, asked, page, size)
        return ProductPage(items=[_item(row) for row in rows.list], cursor=rows.page_info.after(size))

    async def find(
        self, held: AccountCredentials, catalog_id: str, retailer_ids: Sequence[str]
    ) -> Sequence[ProductItem]:
        rows = await self._rows(held, catalog_id, {"sku_ids": [*retailer_ids]})
        return [_item(row) for row in rows.list]

    async def known_as(self, held: AccountCredentials, catalog_id: str, product_id: str) -> str:
        rows = await self._rows(held, catalog_id, {"product_ids": [product_id]})
        found = [text_at(row, "sku_id") for row in rows.list if text_at(row, "product_id") == product_id]
        if not found:
            raise _missing()
        return found[0]

    async def submit(
        self,
        held: AccountCredentials,
        catalog_id: str,
        method: Method,
        changes: Sequence[Product],
        *,
        repeatable: bool = True,
    ) -> Submitted:
        """Send a chunk. Uploading a product again replaces it, so this can safely be repeated."""
        key, what = (
            ("sku_ids", [one.retailer_id for one in changes])
            if method is Method.DELETE
            else (
                "products",
                [_data(one) for one in changes],
            )
        )
        body = {**center(held), "catalog_id": catalog_id, key: what}
        path = f"catalog/product/{_PATHS[method]}/"
        taken = await access(self._api, held).post(path, _Taken, body, repeatable=repeatable)
        return Submitted(handle=str(taken.feed_log_id))

    async def check(self, held: AccountCredentials, catalog_id: str, handle: str) -> Checked:
        query = {**center(held), "catalog_id": catalog_id, "feed_log_id": handle, "language": "en"}
        log = (await access(self._api, held).get("catalog/product/log/", _Logged, **query)).product_feed_log
        if log.process_status not in {"SUCCESS", "FAILED"}:
            return Checked(done=False)
        data = log.feed_log_data or _Data()
        affected = data.error_affected_products or ()
        reasons = {sku: one.reason for one in affected for sku in _skus(one)}
        # The response contains the first five products of each issue; a file contains them all.
        if any(one.affected_product_count > len(one.affected_product_item_list or ()) for one in affected):
            reasons = {**dict(await self._from_file(data)), **reasons}
        if log.process_status == "FAILED" and not reasons:
            return Checked(done=True, failed=" ".join(one.reason for one in affected) or _FAILED)
        refused = tuple(RowFault(retailer_id=sku, detail=reason) for sku, reason in reasons.items())
        return Checked(done=True, refused=refused, unnamed=len(refused) < log.error_count)

    async def delete(self, held: AccountCredentials, catalog_id: str, retailer_id: str) -> str | None:
        if not await self.find(held, catalog_id, [retailer_id]):
            raise _missing()
        return (await self.submit(held, catalog_id, Method.DELETE, [Product(retailer_id=retailer_id)])).handle

    async def _rows(
        self, held: AccountCredentials, catalog_id: str, asked: Mapping[str, Any], page: int = 1, size: int = _MOST
    ) -> _Rows:
        """Read products. Lists and objects in the query are JSON."""
        query = {name: msgspec.json.encode(value).decode() for name, value in given(asked).items()}
        query |= {**center(held), "catalog_id": catalog_id, "page": str(page), "page_size": str(size)}
        return await access(self._api, held).get("catalog/product/get/", _Rows, **query)

    async def _from_file(self, data: _Data) -> Iterator[tuple[str, str]]:
        """Read the file of a log. Without it, `unnamed` indicates that some products are missing."""
        paths = data.download_path or {}
        url = paths.get("en") or next(iter(paths.values()), None)
        if url is None:
            return iter(())
        try:
            await self._wire.limits.require_not_paused(APP)
            answer = await self._wire.send("GET", url)
        except PlatformFailure:
            return iter(())
        return _reasons(answer.body.decode("utf-8-sig", "replace")) if answer.status == _OK else iter(())


def _missing() -> PlatformNotFound:
    return PlatformNotFound("The catalog has no such product.", platform=Platform.TIKTOKADS)


def _skus(affected: _Affected) -> Iterator[str]:
    for one in affected.affected_product_item_list or ():
        if sku := text_at(one, "sku_id"):
            yield sku


def _reasons(text: str) -> Iterator[tuple[str, str]]:
    for row in csv.DictReader(io.StringIO(text, newline="")):
        named = {(name or "").strip().lower().replace(" ", "_"): value for name, value in row.items()}
        sku, reason = named.get("sku_id"), named.get("issue") or named.get("error") or named.get("reason")
        if sku:
            yield sku, reason or _FAILED


def _data(product: Product) -> dict[str, Any]:
    prices = {"price": product.price, "sale_price": product.sale_price}
    info: dict[str, Any] = {name: number(money) for name, money in prices.items() if money is not None}
    currency = next((money.currency for money in prices.values() if money is not None), None)
    data = {
        "sku_id": product.retailer_id,
        "title": product.title,
        "description": product.description,
        "availability": AVAILABILITIES.get(product.availability or ""),
        "brand": product.brand,
        "image_url": product.image_url,
        # A comma would split one URL into two.
        "additional_image_urls": [one.replace(",", "%2C") for one in product.additional_image_urls] or None,
        "item_group_id": product.group,
        "google_product_category": product.category,
        "product_detail": given({"condition": CONDITIONS.get(product.condition or "")}) or None,
        "price_info": {**info, "currency": currency} if info else None,
        "landing_page": given({"landing_page_url": product.url}) or None,
    }
    return given(data)


def _item(row: Any) -> ProductItem:
    ours = {theirs: word for word, theirs in {**AVAILABILITIES, **CONDITIONS}.items()}
    availability, condition = text_at(row, "availability"), text_at(row, "product_detail", "condition")
    images = member(row, "additional_image_urls")
    product = Product(
        retailer_id=text_at(row, "sku_id"),
        title=text_at(row, "title") or None,
        description=text_at(row, "description") or None,
        price=_money(row, "price"),
        sale_price=_money(row, "sale_price"),
        availability=ours.get(availability, availability.lower()) or None,
        condition=ours.get(condition, condition.lower()) or None,
        brand=text_at(row, "brand") or None,
        url=text_at(row, "landing_page", "landing_page_url") or None,
        image_url=text_at(row, "image_url") or None,
        additional_image_urls=tuple(str(one) for one in images) if isinstance(images, list) else (),
        group=text_at(row, "item_group_id") or None,
        category=text_at(row, "google_product_category") or None,
    )
    rejected = member(row, "audit", "rejected_info")
    issues = [text_at(one, "reason") for one in rejected] if isinstance(rejected, list) else []
    status = text_at(row, "audit", "audit_status") or None
    return ProductItem(id=text_at(row, "product_id") or None, product=product, status=status, issues=tuple(issues))


def _money(row: Any, name: str) -> Price | None:
    amount, currency = member(row, "price_info", name), text_at(row, "price_info", "currency")
    try:
        return Price.of(read(amount, currency)) if isinstance(amount, int | float | str) and amount != "" else None
    except BadMoney:
        return None
