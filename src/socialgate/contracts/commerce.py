"""Product catalogs: what is sold, product sets for advertising, and the shops that sell the products.

A product is identified by the retailer's own id. Changes are sent in chunks that the platform accepts at once and
processes later: `submit` returns a handle, and `check` the result of each change once the platform is done. Sending a
chunk twice has the same effect as sending it once, since each change describes the state that the product should have.
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
    """`upsert` creates or replaces the product; `update` changes an existing one."""

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
    # The catalogs that already had this name: none of them is the new one.
    before: tuple[str, ...] = ()


class Product(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The fields of a product. None means not given."""

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
    """A product on the platform. `status` is the result of its review, `issues` lists the problems found."""

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
    """A condition on a product. Prices are compared with `price`, everything else with `values`."""

    field: Field
    operator: Operator
    values: tuple[str, ...] = ()
    price: Money | None = None


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Rules of which all must match (`all`), or at least one (`any`)."""

    join: Literal["all", "any"] = "all"
    rules: tuple[Rule, ...]


class ProductQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which products to list: these retailer ids, those that match the filter, those of a set, or all."""

    retailer_ids: tuple[str, ...] = ()
    filter: Filter | None = None
    set_id: str | None = None
    limit: int
    cursor: str | None = None


class SetItem(msgspec.Struct, frozen=True, kw_only=True):
    """`filter` is None if it cannot express the platform's own filter, `platform_filter`."""

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
    # The sets that already had this name: none of them is the new one.
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
    """How many changes of each method fit into one chunk, and about how many bytes."""

    rows: Mapping[Method, int]
    most_bytes: int


class RowFault(msgspec.Struct, frozen=True, kw_only=True):
    """Why the platform rejected a change, by the retailer's id of the product."""

    retailer_id: str
    detail: str


class Submitted(msgspec.Struct, frozen=True, kw_only=True):
    """The immediate result of a chunk. Without a handle, the platform accepted none of it."""

    handle: str | None
    refused: tuple[RowFault, ...] = ()


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """`failed` is the reason why the platform dropped the whole chunk. `unnamed` means that it rejected more changes
    than it names: only reading the products shows which.
    """

    done: bool
    refused: tuple[RowFault, ...] = ()
    unnamed: bool = False
    failed: str | None = None


class Commerce(Protocol):
    """Catalogs, product sets and shops of the business that an ad account belongs to."""

    def catalog_faults(self, new: NewCatalog) -> Sequence[Fault]:
        """Report what the platform would reject, with pointers into the request: `/name`, `/currency`."""

    def set_faults(self, new: NewSet) -> Sequence[Fault]:
        """The same for a set: `/name`, `/filter/rules/0/operator`."""

    async def catalogs(self, held: AccountCredentials, limit: int, cursor: str | None) -> CatalogPage:
        """List the catalogs of the business."""

    async def catalog(self, held: AccountCredentials, catalog_id: str) -> CatalogItem:
        """Read one. PlatformNotFound if it belongs to another business, even if the person can access it."""

    async def catalogs_named(self, held: AccountCredentials, name: str) -> Sequence[CatalogItem]:
        """Find catalogs by name."""

    async def create_catalog(self, held: AccountCredentials, new: NewCatalog) -> CatalogItem:
        """Create one, with a single call."""

    async def sets(self, held: AccountCredentials, catalog_id: str, limit: int, cursor: str | None) -> SetPage:
        """List the sets of a catalog."""

    async def sets_named(self, held: AccountCredentials, catalog_id: str, name: str) -> Sequence[SetItem]:
        """Find sets by name."""

    async def create_set(self, held: AccountCredentials, new: NewSet) -> SetItem:
        """Create one, with a single call."""

    async def shops(self, held: AccountCredentials, limit: int, cursor: str | None) -> ShopPage:
        """List the shops."""


class Products(Protocol):
    """The products of a catalog."""

    limits: ChunkLimits

    def faults(self, product: Product, method: Method) -> Sequence[Fault]:
        """Report what the platform would reject in a product, with pointers into the product: `/brand`."""

    def query_faults(self, query: ProductQuery) -> Sequence[Fault]:
        """Report what the platform cannot filter by: `?availability`."""

    async def list(self, held: AccountCredentials, catalog_id: str, query: ProductQuery) -> ProductPage:
        """List products."""

    async def find(
        self, held: AccountCredentials, catalog_id: str, retailer_ids: Sequence[str]
    ) -> Sequence[ProductItem]:
        """Find products by retailer id, at most 50."""

    async def known_as(self, held: AccountCredentials, catalog_id: str, product_id: str) -> str:
        """Return the retailer's id of a product. PlatformNotFound if the catalog does not have it."""

    async def submit(
        self,
        held: AccountCredentials,
        catalog_id: str,
        method: Method,
        changes: Sequence[Product],
        *,
        repeatable: bool = True,
    ) -> Submitted:
        """Send a chunk. For a deletion only the ids matter.

        Sending it again has no further effect. If it is not `repeatable`, it is still sent only once: a lost response
        is OutcomeUnknown.
        """

    async def check(self, held: AccountCredentials, catalog_id: str, handle: str) -> Checked:
        """Get the result of a chunk."""

    async def delete(self, held: AccountCredentials, catalog_id: str, retailer_id: str) -> str | None:
        """Delete one. PlatformNotFound if it does not exist. Returns the handle to wait for, None if already done."""


COMMERCE: Capability[Commerce] = Capability("commerce")
PRODUCTS: Capability[Products] = Capability("products")
MOST_FOUND = 50
