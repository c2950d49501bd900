"""Product catalogs, shared by all platforms. What a platform requires of a product is in its `Rules`.

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

from socialgate_sandbox.kit import ShownCatalog, ShownProduct, Thing, World

RIPE_AFTER = 1.0
_STARTED_AFTER = 0.3
_REVIEWED_AFTER = 60.0
_AMOUNT = re.compile(r"\d{1,12}(\.\d{1,6})?")
_WHOLE = set("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split())  # noqa: SIM905 - easier to read
_THREE = {"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"}
_TWO = (
    "AED ARS AUD BDT BOB BRL CAD CHF CNY COP CRC CZK DKK DZD EGP EUR GBP GEL GTQ HKD HNL HUF IDR ILS INR KES KZT LKR "
    "MAD MOP MXN MYR NGN NIO NOK NZD PEN PHP PKR PLN QAR RON RSD SAR SEK SGD THB TRY TWD UAH USD UYU ZAR"
)
CURRENCIES = frozenset({*_WHOLE, *_THREE, *_TWO.split()})

Method: TypeAlias = Literal["create", "update", "delete"]


class Fault(NamedTuple):
    field: str
    message: str


class BadMoney(ValueError):
    """The text says what is wrong with a price."""


class Catalog(Thing, kw_only=True):
    """A catalog of a business, which is its parent. `kind` is the platform's word for its contents."""

    name: str
    kind: str
    made: datetime
    currency: str = ""
    country: str = ""


class Product(Thing, kw_only=True):
    """A product of a catalog, which is its parent. The id is derived from both, so that it is found by its SKU."""

    sku: str
    fields: dict[str, Any]
    made: datetime


class ProductSet(Thing, kw_only=True):
    """The products of a catalog (its parent) that match a filter, in the platform's syntax."""

    name: str
    filter: Any
    retailer_id: str = ""


class Row(msgspec.Struct, kw_only=True):
    """One row of a batch. With `upsert`, an update of a missing product creates it."""

    line: int
    method: Method
    sku: str
    fields: dict[str, Any] = {}
    upsert: bool = True


class RowFault(msgspec.Struct, frozen=True, kw_only=True):
    line: int
    sku: str
    field: str
    message: str
    title: str = ""


class Batch(Thing, kw_only=True):
    """Work on a catalog. Its parent is the catalog, with a prefix until it is done."""

    catalog: str
    made: datetime
    rows: list[Row]
    faults: list[RowFault] = []
    created: int = 0
    updated: int = 0
    deleted: int = 0


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What a platform requires of a product: which fields, which values, and how long they may be."""

    required: Sequence[str]
    words: Mapping[str, Sequence[str]]
    longest: Mapping[str, int]
    id_length: int
    addresses: Sequence[str] = field(default=("link", "image_link"))

    def faults(self, row: Row) -> list[Fault]:
        """Return what is wrong with a row on its own."""
        if not row.sku or len(row.sku) > self.longest["id"]:
            return [Fault("id", f"id is required and must have at most {self.longest['id']} characters.")]
        if row.method == "delete":
            return []
        found = self.missing(row.fields) if row.method == "create" else []
        for name, words in self.words.items():
            if name in row.fields and row.fields[name] not in words:
                found.append(Fault(name, f"{name} must be one of: {', '.join(words)}."))
        for name, most in self.longest.items():
            if len(str(row.fields.get(name, ""))) > most:
                found.append(Fault(name, f"{name} must have at most {most} characters."))
        for name in self.addresses:
            if row.fields.get(name) and not _is_address(row.fields[name]):
                found.append(Fault(name, f"{name} must be a valid URL that begins with http:// or https://."))
        return found

    def missing(self, fields: Mapping[str, Any]) -> list[Fault]:
        return [Fault(name, f"{name} is a required field.") for name in self.required if not fields.get(name)]

    def product_id(self, catalog: str, sku: str) -> str:
        number = int.from_bytes(sha256(f"{catalog}:{sku}".encode()).digest()[:6])
        return str(6 * 10 ** (self.id_length - 1) + number)

    def find(self, world: World, catalog: str, sku: str) -> Product | None:
        return world.store.get(Product, self.product_id(catalog, sku))

    def put(self, world: World, catalog: str, sku: str, fields: Mapping[str, Any]) -> Product:
        """Create a product, or replace the one with this SKU."""
        key = self.product_id(catalog, sku)
        return world.store.put(Product(id=key, parent=catalog, sku=sku, fields=dict(fields), made=world.clock.now()))

    def settle(self, world: World, catalog: str) -> None:
        """Process the batches that are due, in the order in which they arrived."""
        for batch in world.store.find(Batch, parent=f"waiting {catalog}"):
            if world.clock.since(batch.made) < RIPE_AFTER:
                break
            for row in batch.rows:
                self._land(world, batch, row)
            batch.parent, batch.rows = catalog, []
            world.store.put(batch)

    def products(self, world: World, catalog: str) -> list[Product]:
        self.settle(world, catalog)
        return world.store.find(Product, parent=catalog)

    def shown(self, world: World, business: str) -> list[ShownCatalog]:
        """Return the catalogs of a business with their products, as people see them."""
        return [
            ShownCatalog(
                id=catalog.id,
                name=catalog.name,
                products=[_shown(product) for product in self.products(world, catalog.id)],
            )
            for catalog in world.store.find(Catalog, parent=business)
        ]

    def count(self, world: World, catalog: str) -> int:
        self.settle(world, catalog)
        return world.store.count(Product, parent=catalog)

    def _land(self, world: World, batch: Batch, row: Row) -> None:
        found = self.find(world, batch.catalog, row.sku)
        if row.method == "delete":
            if found is None:
                batch.faults.append(_fault(row, Fault("id", "The product does not exist.")))
            else:
                world.store.delete(Product, found.id)
                batch.deleted += 1
            return
        if row.method == "update" and found is None and not row.upsert:
            batch.faults.append(_fault(row, Fault("id", "The product does not exist and upsert is not allowed.")))
            return
        fields = {**found.fields, **row.fields} if found is not None and row.method == "update" else row.fields
        wrong = [*self.missing(fields), *_unreachable(fields)]
        batch.faults += [_fault(row, one) for one in wrong]
        if not wrong:
            self.put(world, batch.catalog, row.sku, fields)
            batch.updated, batch.created = batch.updated + (found is not None), batch.created + (found is None)


def begin_batch(world: World, key: str, catalog: str, rows: Sequence[Row], faults: Iterable[RowFault] = ()) -> Batch:
    """Accept rows to be processed a little later. `faults` are those of rows that were rejected immediately."""
    made = world.clock.now()
    batch = Batch(id=key, parent=f"waiting {catalog}", catalog=catalog, made=made, rows=list(rows), faults=list(faults))
    return world.store.put(batch)


def stage_of(world: World, batch: Batch) -> Literal["waiting", "working", "done"]:
    """Return the progress of a batch. Settle its catalog first."""
    if not batch.parent.startswith("waiting "):
        return "done"
    return "working" if world.clock.since(batch.made) >= _STARTED_AFTER else "waiting"


def is_reviewed(world: World, product: Product) -> bool:
    return world.clock.since(product.made) >= _REVIEWED_AFTER


def places_of(currency: str) -> int:
    """Return how many decimal digits a currency has."""
    return 0 if currency in _WHOLE else 3 if currency in _THREE else 2


def money(amount: Any, currency: str) -> str:
    """Check a price and format it with all the digits of its currency."""
    if currency not in CURRENCIES:
        raise BadMoney(f"{currency or 'The currency'} is not a currency of ISO 4217.")
    text = format(Decimal(repr(amount)), "f") if isinstance(amount, int | float) else str(amount)
    if not _AMOUNT.fullmatch(text):
        raise BadMoney("The price must be a number with a point before its decimals.")
    value, step = Decimal(text), Decimal(1).scaleb(-places_of(currency))
    if value != value.quantize(step):
        raise BadMoney(f"A price in {currency} has at most {places_of(currency)} decimals.")
    return str(value.quantize(step))


def _is_address(given: Any) -> bool:
    try:
        parts = urlsplit(str(given))
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def _unreachable(fields: Mapping[str, Any]) -> list[Fault]:
    """Report images that do not exist: names under `.invalid` never resolve."""
    host = urlsplit(str(fields.get("image_link", ""))).hostname or ""
    return [Fault("image_link", "The image could not be downloaded.")] if host.endswith(".invalid") else []


def _fault(row: Row, fault: Fault) -> RowFault:
    return RowFault(
        line=row.line, sku=row.sku, field=fault.field, message=fault.message, title=str(row.fields.get("title", ""))
    )


def _shown(product: Product) -> ShownProduct:
    said = product.fields
    return ShownProduct(
        sku=product.sku,
        title=str(said.get("title", "")),
        price=f"{said.get('price', '')} {said.get('currency', '')}".strip(),
        availability=str(said.get("availability", "")),
    )
