"""Product catalogs: what is sold, product sets for advertising, and the shops that sell the products.

A product is identified by the retailer's own id. Changes are sent in chunks that the platform accepts at once and
processes later: `submit` returns a handle, and `check` the result of each change once the platform is done. Sending a
chunk twice has the same effect as sending it once, since each change describes the state that the product should have.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple, Protocol

import msgspec
from msgspec import Meta

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Capability
from socialgate.core.errors import Fault
from socialgate.core.shapes import EMPTY_TUPLE_FIELD, UNREPORTED_FIELD, NonBlankText, ResponseModel, StoredValue

EXAMPLE_AD_ACCOUNT_ID = "adacc_01h455vb4pex5vsknk084sn02q"
EXAMPLE_CATALOG_ID = "7390000000000000001"

ShortText = Annotated[NonBlankText, Meta(max_length=300)]


class ProductAvailability(StrEnum):
    IN_STOCK = "inStock"
    OUT_OF_STOCK = "outOfStock"
    PREORDER = "preorder"
    AVAILABLE_FOR_ORDER = "availableForOrder"
    DISCONTINUED = "discontinued"


class ProductCondition(StrEnum):
    NEW = "new"
    REFURBISHED = "refurbished"
    USED = "used"


class ProductChangeMethod(StrEnum):
    """`upsert` creates or replaces the product; `update` changes an existing one."""

    UPSERT = "upsert"
    UPDATE = "update"
    DELETE = "delete"


class Catalog(ResponseModel, frozen=True, kw_only=True):
    """A catalog of products. Fields that the platform does not provide are null."""

    id: str
    """The platform's own id."""
    ad_account_id: str = msgspec.field(default_factory=str)
    """The ad account of the business that has the catalog, `adacc_…`."""
    name: str
    """The name of the catalog."""
    vertical: str | None = UNREPORTED_FIELD
    """What it contains, in the platform's words, such as `commerce`."""
    currency: str | None = UNREPORTED_FIELD
    """The currency of its prices, as an ISO 4217 code. Null on Meta."""
    country: str | None = UNREPORTED_FIELD
    """The country that it is for, as an ISO 3166 code. Null on Meta."""
    product_count: int | None = UNREPORTED_FIELD
    """How many products it has. Null if the platform does not report it."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": EXAMPLE_CATALOG_ID,
            "adAccountId": EXAMPLE_AD_ACCOUNT_ID,
            "name": "Bakery goods",
            "vertical": "commerce",
            "currency": "SEK",
            "country": "SE",
            "productCount": None,
        }


class CatalogPage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[Catalog]
    cursor: str | None


class NewCatalog(msgspec.Struct, frozen=True, kw_only=True):
    """`currency` and `country` are for platforms whose catalogs have one of each."""

    name: str
    vertical: str | None = None
    currency: str | None = None
    country: str | None = None
    # The catalogs that already had this name: none of them is the new one.
    known_ids_with_name: tuple[str, ...] = msgspec.field(default=(), name="before")


class Price(Money, frozen=True):
    """Money: an integer in the currency's smallest unit. 9.99 USD is 999, 500 JPY is 500, 1.250 KWD is 1250."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"amount": 1990, "currency": "SEK"}

    @classmethod
    def from_money(cls, money: Money) -> "Price":
        return cls(money.amount, money.currency)


class Product(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The fields of a product. None means not given."""

    retailer_id: str
    title: str | None = None
    description: str | None = None
    price: Price | None = None
    sale_price: Price | None = None
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


FilterField = Literal[
    "title", "description", "brand", "availability", "condition", "price", "salePrice", "group", "category"
]  # fmt: skip
FilterOperator = Literal[
    "is", "isNot", "contains", "notContains", "startsWith", "isAny", "isNotAny", "lessThan", "atMost", "greaterThan",
    "atLeast",
]  # fmt: skip


class FilterRule(StoredValue, frozen=True, kw_only=True):
    """A condition on a product. `price` and `salePrice` are compared with `price`, everything else with `values`:
    `isAny` and `isNotAny` with several, the others with one. Only `is` and `isNot` are case-sensitive.
    """

    field: FilterField
    """What of the product is compared."""
    operator: FilterOperator
    """How it is compared. Platforms support different ones for each field."""
    values: Annotated[tuple[ShortText, ...], Meta(max_length=1000)] = ()
    """What it is compared with; several only for `isAny` and `isNotAny`."""
    price: Price | None = None
    """For `price` and `salePrice`: what it is compared with, instead of `values`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"field": "brand", "operator": "is", "values": ["Ada"]}


class ProductFilter(StoredValue, frozen=True, kw_only=True):
    """Rules: either `all` of them must match, or `any`."""

    join: Literal["all", "any"] = "all"
    """Whether `all` rules must match, or `any` of them."""
    rules: Annotated[tuple[FilterRule, ...], Meta(min_length=1, max_length=50)]
    """The conditions that select products."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"join": "all", "rules": [FilterRule.example()]}


class ProductQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which products to list: these retailer ids, those that match the filter, those of a set, or all."""

    retailer_ids: tuple[str, ...] = ()
    filter: ProductFilter | None = None
    set_id: str | None = None
    limit: int
    cursor: str | None = None


class ProductSet(ResponseModel, frozen=True, kw_only=True):
    """Products of a catalog, selected by a filter.

    `filter` is null if the platform's own filter, `platformFilter`, cannot be expressed here. `productCount` is null if
    the platform has not counted yet.
    """

    id: str
    """The platform's own id."""
    catalog_id: str = msgspec.field(default_factory=str)
    """The platform's id of the catalog."""
    name: str
    """The name of the set."""
    filter: ProductFilter | None = UNREPORTED_FIELD
    """Which products it contains. Null if this cannot express the platform's own filter."""
    platform_filter: Any = UNREPORTED_FIELD
    """The platform's own filter, in its own format."""
    product_count: int | None = UNREPORTED_FIELD
    """How many products it has. Null if the platform has not counted yet."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "7590000000000000001",
            "catalogId": EXAMPLE_CATALOG_ID,
            "name": "Ada's cakes",
            "filter": ProductFilter.example(),
            "platformFilter": {"and": [{"field": "brand", "operation": "CONTAIN", "value": ["Ada"]}]},
            "productCount": 12,
        }


class ProductSetPage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[ProductSet]
    cursor: str | None


class NewProductSet(msgspec.Struct, frozen=True, kw_only=True):
    catalog_id: str
    name: str
    filter: ProductFilter | None = None
    # The sets that already had this name: none of them is the new one.
    known_ids_with_name: tuple[str, ...] = msgspec.field(default=(), name="before")


class Shop(ResponseModel, frozen=True, kw_only=True):
    """A shop of the business, and the catalogs that it sells from."""

    id: str
    """The platform's own id."""
    ad_account_id: str = msgspec.field(default_factory=str)
    """The ad account of the business that has the shop, `adacc_…`."""
    name: str | None = UNREPORTED_FIELD
    """The name of the shop. Null if the platform does not report it."""
    status: str | None = UNREPORTED_FIELD
    """The platform's own status. Null if it does not report one."""
    catalog_ids: tuple[str, ...] = EMPTY_TUPLE_FIELD
    """The platform's ids of the catalogs that it sells from."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "7490000000000000001",
            "adAccountId": EXAMPLE_AD_ACCOUNT_ID,
            "name": "Ada's Bakery",
            "status": None,
            "catalogIds": [EXAMPLE_CATALOG_ID],
        }


class ShopPage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[Shop]
    cursor: str | None


class ChunkLimits(NamedTuple):
    """How many changes of each method fit into one chunk, and about how many bytes."""

    max_changes_by_method: Mapping[ProductChangeMethod, int]
    max_bytes: int


class RejectedChange(msgspec.Struct, frozen=True, kw_only=True):
    """Why the platform rejected a change, by the retailer's id of the product."""

    retailer_id: str
    detail: str


class ChunkSubmission(msgspec.Struct, frozen=True, kw_only=True):
    """The immediate result of a chunk. Without a handle, the platform accepted none of it."""

    handle: str | None
    rejected_changes: tuple[RejectedChange, ...] = msgspec.field(default=(), name="refused")


class ChunkResult(msgspec.Struct, frozen=True, kw_only=True):
    """`failure_reason` is the reason why the platform dropped the whole chunk. `has_unnamed_rejections` means that it
    rejected more changes than it names: only reading the products shows which.
    """

    done: bool
    rejected_changes: tuple[RejectedChange, ...] = msgspec.field(default=(), name="refused")
    has_unnamed_rejections: bool = msgspec.field(default=False, name="unnamed")
    failure_reason: str | None = msgspec.field(default=None, name="failed")


class CatalogAdapter(Protocol):
    """Catalogs, product sets and shops of the business that an ad account belongs to."""

    def validate_catalog(self, new: NewCatalog) -> Sequence[Fault]:
        """Report what the platform would reject, with pointers into the request: `/name`, `/currency`."""

    def validate_product_set(self, new: NewProductSet) -> Sequence[Fault]:
        """The same for a set: `/name`, `/filter/rules/0/operator`."""

    async def list_catalogs(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> CatalogPage:
        """List the catalogs of the business."""

    async def fetch_catalog(self, credentials: AccountCredentials, catalog_id: str) -> Catalog:
        """Read one. PlatformNotFound if it belongs to another business, even if the person can access it."""

    async def find_catalogs_by_name(self, credentials: AccountCredentials, name: str) -> Sequence[Catalog]:
        """Find catalogs by name."""

    async def create_catalog(self, credentials: AccountCredentials, new: NewCatalog) -> Catalog:
        """Create one, with a single call."""

    async def list_product_sets(
        self, credentials: AccountCredentials, catalog_id: str, limit: int, cursor: str | None
    ) -> ProductSetPage:
        """List the sets of a catalog."""

    async def find_product_sets_by_name(
        self, credentials: AccountCredentials, catalog_id: str, name: str
    ) -> Sequence[ProductSet]:
        """Find sets by name."""

    async def create_product_set(self, credentials: AccountCredentials, new: NewProductSet) -> ProductSet:
        """Create one, with a single call."""

    async def list_shops(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> ShopPage:
        """List the shops."""


class ProductAdapter(Protocol):
    """The products of a catalog."""

    limits: ChunkLimits

    def validate_product_change(self, product: Product, method: ProductChangeMethod) -> Sequence[Fault]:
        """Report what the platform would reject in a product, with pointers into the product: `/brand`."""

    def query_faults(self, query: ProductQuery) -> Sequence[Fault]:
        """Report what the platform cannot filter by: `?availability`."""

    async def list(self, credentials: AccountCredentials, catalog_id: str, query: ProductQuery) -> ProductPage:
        """List products."""

    async def find(
        self, credentials: AccountCredentials, catalog_id: str, retailer_ids: Sequence[str]
    ) -> Sequence[ProductItem]:
        """Find products by retailer id, at most 50."""

    async def get_retailer_id(self, credentials: AccountCredentials, catalog_id: str, product_id: str) -> str:
        """Return the retailer's id of a product. PlatformNotFound if the catalog does not have it."""

    async def submit_batch(
        self,
        credentials: AccountCredentials,
        catalog_id: str,
        method: ProductChangeMethod,
        changes: Sequence[Product],
        *,
        repeatable: bool = True,
    ) -> ChunkSubmission:
        """Send a chunk. For a deletion only the ids matter.

        Sending it again has no further effect. If it is not `repeatable`, it is still sent only once: a lost response
        is OutcomeUnknown.
        """

    async def get_chunk_result(self, credentials: AccountCredentials, catalog_id: str, handle: str) -> ChunkResult:
        """Get the result of a chunk."""

    async def delete(self, credentials: AccountCredentials, catalog_id: str, retailer_id: str) -> str | None:
        """Delete one. PlatformNotFound if it does not exist. Returns the handle to wait for, None if already done."""


COMMERCE_CAPABILITY: Capability[CatalogAdapter] = Capability("commerce")
PRODUCTS_CAPABILITY: Capability[ProductAdapter] = Capability("products")
MAX_RETAILER_IDS_PER_FIND = 50
