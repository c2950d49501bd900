"""Product catalogs, shared by all platforms. What a platform requires of a product is in its `CatalogRules`.

A batch is accepted immediately and processed a little later: `settle` processes what is due, and every read of a
catalog calls it first. Product fields have the names that are usual in product feeds; the price is a decimal string in
the main unit of its currency.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import urlsplit

import msgspec

from socialgate_sandbox.kit import CatalogView, ProductView, StoredObject, VendorContext

PROCESSED_AFTER_SECONDS = 1.0
_STARTED_AFTER_SECONDS = 0.3
_REVIEWED_AFTER_SECONDS = 60.0
_AMOUNT_PATTERN = re.compile(r"\d{1,12}(\.\d{1,6})?")
_NO_DECIMAL_CURRENCIES = set("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split())  # noqa: SIM905 - easier to read
_THREE_DECIMAL_CURRENCIES = {"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"}
_TWO_DECIMAL_CURRENCIES = (
    "AED ARS AUD BDT BOB BRL CAD CHF CNY COP CRC CZK DKK DZD EGP EUR GBP GEL GTQ HKD HNL HUF IDR ILS INR KES KZT LKR "
    "MAD MOP MXN MYR NGN NIO NOK NZD PEN PHP PKR PLN QAR RON RSD SAR SEK SGD THB TRY TWD UAH USD UYU ZAR"
)
CURRENCIES = frozenset({*_NO_DECIMAL_CURRENCIES, *_THREE_DECIMAL_CURRENCIES, *_TWO_DECIMAL_CURRENCIES.split()})

RowMethod: TypeAlias = Literal["create", "update", "delete"]


class FieldError(NamedTuple):
    field: str
    message: str


class InvalidPriceError(ValueError):
    """The text says what is wrong with a price."""


class Catalog(StoredObject, kw_only=True):
    """A catalog of a business, which is its parent. `kind` is the platform's word for its contents."""

    name: str
    kind: str
    created_at: datetime = msgspec.field(name="made")
    currency: str = ""
    country: str = ""


class Product(StoredObject, kw_only=True):
    """A product of a catalog, which is its parent. The id is derived from both, so that it is found by its SKU."""

    sku: str
    fields: dict[str, Any]
    created_at: datetime = msgspec.field(name="made")


class ProductSet(StoredObject, kw_only=True):
    """The products of a catalog (its parent) that match a filter, in the platform's syntax."""

    name: str
    filter: Any
    retailer_id: str = ""


class BatchRow(msgspec.Struct, kw_only=True):
    """One row of a batch. With `upsert`, an update of a missing product creates it."""

    line: int
    method: RowMethod
    sku: str
    fields: dict[str, Any] = {}
    upsert: bool = True


class BatchRowError(msgspec.Struct, frozen=True, kw_only=True):
    line: int
    sku: str
    field: str
    message: str
    title: str = ""


class Batch(StoredObject, kw_only=True):
    """Work on a catalog. Its parent is the catalog, with a prefix until it is done."""

    catalog: str
    created_at: datetime = msgspec.field(name="made")
    rows: list[BatchRow]
    faults: list[BatchRowError] = []
    created: int = 0
    updated: int = 0
    deleted: int = 0


@dataclass(frozen=True, kw_only=True)
class CatalogRules:
    """What a platform requires of a product: which fields, which values, and how long they may be."""

    required: Sequence[str]
    allowed_values: Mapping[str, Sequence[str]]
    max_lengths: Mapping[str, int]
    id_length: int
    url_fields: Sequence[str] = field(default=("link", "image_link"))

    def faults(self, row: BatchRow) -> list[FieldError]:
        """Return what is wrong with a row on its own."""
        if not row.sku or len(row.sku) > self.max_lengths["id"]:
            return [FieldError("id", f"id is required and must have at most {self.max_lengths['id']} characters.")]
        if row.method == "delete":
            return []
        result = self.find_missing_fields(row.fields) if row.method == "create" else []
        for name, words in self.allowed_values.items():
            if name in row.fields and row.fields[name] not in words:
                result.append(FieldError(name, f"{name} must be one of: {', '.join(words)}."))
        for name, most in self.max_lengths.items():
            if len(str(row.fields.get(name, ""))) > most:
                result.append(FieldError(name, f"{name} must have at most {most} characters."))
        for name in self.url_fields:
            if row.fields.get(name) and not _is_web_url(row.fields[name]):
                result.append(FieldError(name, f"{name} must be a valid URL that begins with http:// or https://."))
        return result

    def find_missing_fields(self, fields: Mapping[str, Any]) -> list[FieldError]:
        return [FieldError(name, f"{name} is a required field.") for name in self.required if not fields.get(name)]

    def build_product_id(self, catalog: str, sku: str) -> str:
        number = int.from_bytes(sha256(f"{catalog}:{sku}".encode()).digest()[:6])
        return str(6 * 10 ** (self.id_length - 1) + number)

    def find_product(self, context: VendorContext, catalog: str, sku: str) -> Product | None:
        return context.store.get(Product, self.build_product_id(catalog, sku))

    def put_product(self, context: VendorContext, catalog: str, sku: str, fields: Mapping[str, Any]) -> Product:
        """Create a product, or replace the one with this SKU."""
        key = self.build_product_id(catalog, sku)
        return context.store.put(
            Product(id=key, parent=catalog, sku=sku, fields=dict(fields), created_at=context.clock.now())
        )

    def process_due_batches(self, context: VendorContext, catalog: str) -> None:
        """Process the batches that are due, in the order in which they arrived."""
        for batch in context.store.find(Batch, parent=f"waiting {catalog}"):
            if context.clock.get_seconds_since(batch.created_at) < PROCESSED_AFTER_SECONDS:
                break
            for row in batch.rows:
                self._process_row(context, batch, row)
            batch.parent, batch.rows = catalog, []
            context.store.put(batch)

    def products(self, context: VendorContext, catalog: str) -> list[Product]:
        self.process_due_batches(context, catalog)
        return context.store.find(Product, parent=catalog)

    def build_catalog_views(self, context: VendorContext, business: str) -> list[CatalogView]:
        """Return the catalogs of a business with their products, as people see them."""
        return [
            CatalogView(
                id=catalog.id,
                name=catalog.name,
                products=[_build_product_view(product) for product in self.products(context, catalog.id)],
            )
            for catalog in context.store.find(Catalog, parent=business)
        ]

    def count_products(self, context: VendorContext, catalog: str) -> int:
        self.process_due_batches(context, catalog)
        return context.store.count(Product, parent=catalog)

    def _process_row(self, context: VendorContext, batch: Batch, row: BatchRow) -> None:
        product = self.find_product(context, batch.catalog, row.sku)
        if row.method == "delete":
            if product is None:
                batch.faults.append(_build_row_error(row, FieldError("id", "The product does not exist.")))
            else:
                context.store.delete(Product, product.id)
                batch.deleted += 1
            return
        if row.method == "update" and product is None and not row.upsert:
            batch.faults.append(
                _build_row_error(row, FieldError("id", "The product does not exist and upsert is not allowed."))
            )
            return
        fields = {**product.fields, **row.fields} if product is not None and row.method == "update" else row.fields
        wrong = [*self.find_missing_fields(fields), *_find_unreachable_images(fields)]
        batch.faults += [_build_row_error(row, item) for item in wrong]
        if not wrong:
            self.put_product(context, batch.catalog, row.sku, fields)
            batch.updated, batch.created = batch.updated + (product is not None), batch.created + (product is None)


def create_batch(
    context: VendorContext, key: str, catalog: str, rows: Sequence[BatchRow], faults: Iterable[BatchRowError] = ()
) -> Batch:
    """Accept rows to be processed a little later. `faults` are those of rows that were rejected immediately."""
    time = context.clock.now()
    batch = Batch(
        id=key, parent=f"waiting {catalog}", catalog=catalog, created_at=time, rows=list(rows), faults=list(faults)
    )
    return context.store.put(batch)


def get_batch_stage(context: VendorContext, batch: Batch) -> Literal["waiting", "working", "done"]:
    """Return the progress of a batch. Settle its catalog first."""
    if not batch.parent.startswith("waiting "):
        return "done"
    return "working" if context.clock.get_seconds_since(batch.created_at) >= _STARTED_AFTER_SECONDS else "waiting"


def is_reviewed(context: VendorContext, product: Product) -> bool:
    return context.clock.get_seconds_since(product.created_at) >= _REVIEWED_AFTER_SECONDS


def count_decimals(currency: str) -> int:
    """Return how many decimal digits a currency has."""
    return 0 if currency in _NO_DECIMAL_CURRENCIES else 3 if currency in _THREE_DECIMAL_CURRENCIES else 2


def format_price(amount: Any, currency: str) -> str:
    """Check a price and format it with all the digits of its currency."""
    if currency not in CURRENCIES:
        raise InvalidPriceError(f"{currency or 'The currency'} is not a currency of ISO 4217.")
    text = format(Decimal(repr(amount)), "f") if isinstance(amount, int | float) else str(amount)
    if not _AMOUNT_PATTERN.fullmatch(text):
        raise InvalidPriceError("The price must be a number with a point before its decimals.")
    value, step = Decimal(text), Decimal(1).scaleb(-count_decimals(currency))
    if value != value.quantize(step):
        raise InvalidPriceError(f"A price in {currency} has at most {count_decimals(currency)} decimals.")
    return str(value.quantize(step))


def _is_web_url(value: Any) -> bool:
    try:
        parts = urlsplit(str(value))
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def _find_unreachable_images(fields: Mapping[str, Any]) -> list[FieldError]:
    """Report images that do not exist: names under `.invalid` never resolve."""
    host = urlsplit(str(fields.get("image_link", ""))).hostname or ""
    return [FieldError("image_link", "The image could not be downloaded.")] if host.endswith(".invalid") else []


def _build_row_error(row: BatchRow, fault: FieldError) -> BatchRowError:
    return BatchRowError(
        line=row.line, sku=row.sku, field=fault.field, message=fault.message, title=str(row.fields.get("title", ""))
    )


def _build_product_view(product: Product) -> ProductView:
    payload = product.fields
    return ProductView(
        sku=product.sku,
        title=str(payload.get("title", "")),
        price=f"{payload.get('price', '')} {payload.get('currency', '')}".strip(),
        availability=str(payload.get("availability", "")),
    )
