"""Catalogs of products: what is sold, sets of it for advertising, and the shops that sell it.

A product is known by the retailer's own id of it. Changes go in chunks that the platform takes at once and works off
later: `submit` gives a handle, and `check` what became of each change once the platform is done. Sending a chunk twice
has the effect of sending it once, since each change says how the product is to be afterwards.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Capability
from socialgate.core.errors import Fault


class Availability(StrEnum):
    IN_STOCK = "inStock"
    OUT_OF_STOCK = "outOfStock"
    PREORDER = "preorder"
    AVAILABLE_FOR_ORDER = "availableForOrder"
    DISCONTINUED = "discontinued"


class Condition(StrEnum):
    NEW = "new"
    REFURBISHED = "refurbished"
    USED = "used"


class Method(StrEnum):
    """`upsert` creates the product or replaces what is said of it; `update` changes one that is there."""

    UPSERT = "upsert"
    UPDATE = "update"
    DELETE = "delete"


class CatalogItem(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    name: str
    vertical: str | None = None
    currency: str | None = None
    country: str | None = None
    product_count: int | None = None


class CatalogPage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[CatalogItem]
    cursor: str | None


class NewCatalog(msgspec.Struct, frozen=True, kw_only=True):
    """`currency` and `country` are for platforms whose catalogs have one of each."""

    name: str
    vertical: str | None = None
    currency: str | None = None
    country: str | None = None
    # The catalogs of this name that there were before: none of them is the new one.
    before: tuple[str, ...] = ()


class Product(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is said of a product. What is None is not said."""

    retailer_id: str
    title: str | None = None
    description: str | None = None
    price: Money | None = None
    sale_price: Money | None = None
    availability: str | None = None
    condition: str | None = None
    brand: str | None = None
    url: str | None = None
    image_url: str | None = None
    additional_image_urls: tuple[str, ...] = ()
    group: str | None = None
    category: str | None = None


class ProductItem(msgspec.Struct, frozen=True, kw_only=True):
    """A product as the platform has it. `status` says how its review stands, `issues` what it finds wrong."""

    id: str | None
    product: Product
    status: str | None = None
    issues: tuple[str, ...] = ()


class ProductPage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[ProductItem]
    cursor: str | None


Field = Literal[
    "title", "description", "brand", "availability", "condition", "price", "salePrice", "group", "category"
]  # fmt: skip
Operator = Literal[
    "is", "isNot", "contains", "notContains", "startsWith", "isAny", "isNotAny", "lessThan", "atMost", "greaterThan",
    "atLeast",
]  # fmt: skip


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One test of a product. Prices are compared with `price`, all else with `values`."""

    field: Field
    operator: Operator
    values: tuple[str, ...] = ()
    price: Money | None = None


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Tests of which all hold (`all`), or at least one."""

    join: Literal["all", "any"] = "all"
    rules: tuple[Rule, ...]


class ProductQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which products to list: these ids of the retailer, or those that pass the filter, of a set or of all."""

    retailer_ids: tuple[str, ...] = ()
    filter: Filter | None = None
    set_id: str | None = None
    limit: int
    cursor: str | None = None


class SetItem(msgspec.Struct, frozen=True, kw_only=True):
    """`filter` is None where the platform's own, `platform_filter`, says more than ours can."""

    id: str
    name: str
    filter: Filter | None = None
    platform_filter: Any = None
    product_count: int | None = None


class SetPage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[SetItem]
    cursor: str | None


class NewSet(msgspec.Struct, frozen=True, kw_only=True):
    catalog_id: str
    name: str
    filter: Filter | None = None
    # The sets of this name that there were before: none of them is the new one.
    before: tuple[str, ...] = ()


class ShopItem(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    name: str | None
    status: str | None
    catalog_ids: tuple[str, ...] = ()


class ShopPage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[ShopItem]
    cursor: str | None


class ChunkLimits(NamedTuple):
    """How many changes of each method go into one chunk, and about how many bytes of them."""

    rows: Mapping[Method, int]
    most_bytes: int


class RowFault(msgspec.Struct, frozen=True, kw_only=True):
    """Why the platform refused a change, by the retailer's id of the product."""

    retailer_id: str
    detail: str


class Submitted(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a chunk at once. Without a handle the platform took nothing of it."""

    handle: str | None
    refused: tuple[RowFault, ...] = ()


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """`failed` is the reason why the platform dropped the whole chunk. `unnamed` tells that it refused more changes
    than it names: which, only a look at the products shows.
    """

    done: bool
    refused: tuple[RowFault, ...] = ()
    unnamed: bool = False
    failed: str | None = None


class Commerce(Protocol):
    """Catalogs, sets of products and shops of the business that an ad account belongs to."""

    def catalog_faults(self, new: NewCatalog) -> Sequence[Fault]:
        """Name what the platform would refuse. Pointers are those of the request: `/name`, `/currency`."""

    def set_faults(self, new: NewSet) -> Sequence[Fault]:
        """The same for a set: `/name`, `/filter/rules/0/operator`."""

    async def catalogs(self, held: AccountCredentials, limit: int, cursor: str | None) -> CatalogPage:
        """List the catalogs of the business."""

    async def catalog(self, held: AccountCredentials, catalog_id: str) -> CatalogItem:
        """Read one. PlatformNotFound where it is none of this business, even if the person could reach it."""

    async def catalogs_named(self, held: AccountCredentials, name: str) -> Sequence[CatalogItem]:
        """Find catalogs by their name."""

    async def create_catalog(self, held: AccountCredentials, new: NewCatalog) -> CatalogItem:
        """Create one, by one call."""

    async def sets(self, held: AccountCredentials, catalog_id: str, limit: int, cursor: str | None) -> SetPage:
        """List the sets of a catalog."""

    async def sets_named(self, held: AccountCredentials, catalog_id: str, name: str) -> Sequence[SetItem]:
        """Find sets by their name."""

    async def create_set(self, held: AccountCredentials, new: NewSet) -> SetItem:
        """Create one, by one call."""

    async def shops(self, held: AccountCredentials, limit: int, cursor: str | None) -> ShopPage:
        """List the shops."""


class Products(Protocol):
    """The products of a catalog."""

    limits: ChunkLimits

    def faults(self, product: Product, method: Method) -> Sequence[Fault]:
        """Name what the platform would refuse of a product. Pointers are those of a product: `/brand`."""

    def query_faults(self, query: ProductQuery) -> Sequence[Fault]:
        """Name what the platform cannot filter by: `?availability`."""

    async def list(self, held: AccountCredentials, catalog_id: str, query: ProductQuery) -> ProductPage:
        """List products."""

    async def find(
        self, held: AccountCredentials, catalog_id: str, retailer_ids: Sequence[str]
    ) -> Sequence[ProductItem]:
        """Find products by the ids of the retailer, 50 at most."""

    async def known_as(self, held: AccountCredentials, catalog_id: str, product_id: str) -> str:
        """Give the retailer's id of a product. PlatformNotFound where the catalog does not have it."""

    async def submit(
        self,
        held: AccountCredentials,
        catalog_id: str,
        method: Method,
        changes: Sequence[Product],
        *,
        repeatable: bool = True,
    ) -> Submitted:
        """Send a chunk. Of a deletion only the ids count.

        To send it again has no further effect. Where it is not `repeatable` all the same, nobody will: a lost answer
        is OutcomeUnknown.
        """

    async def check(self, held: AccountCredentials, catalog_id: str, handle: str) -> Checked:
        """Ask what became of a chunk."""

    async def delete(self, held: AccountCredentials, catalog_id: str, retailer_id: str) -> str | None:
        """Delete one. PlatformNotFound where it is not there. Gives the handle to wait for; None once it is deleted."""


COMMERCE: Capability[Commerce] = Capability("commerce")
PRODUCTS: Capability[Products] = Capability("products")
MOST_FOUND = 50
