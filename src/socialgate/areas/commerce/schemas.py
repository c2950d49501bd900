from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from socialgate.areas.accounts.reading import LiveQuery
from socialgate.contracts.commerce import Availability, Condition, Field, Operator
from socialgate.contracts.money import MOST
from socialgate.core.fields import IsDeleted
from socialgate.web.faults import HINT
from socialgate.web.schema import Body, Query, Shape, View, Visible

AD_ACCOUNT = "adacc_01h455vb4pex5vsknk084sn02q"
CATALOG = "7390000000000000001"
_PRODUCT = "6990000000000000001"
_WHOSE = (
    "The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to "
    "that business."
)
_UNIT = "Amounts are integers in the currency's smallest unit: 9.99 USD is 999."

AdAccountId = Annotated[str, Meta(min_length=1, max_length=40, description=_WHOSE)]
PlatformId = Annotated[str, Meta(min_length=1, max_length=100)]
RetailerId = Annotated[Visible, Meta(max_length=100, description="Your own product id, such as a SKU.")]
Address = Annotated[str, Meta(max_length=2000, pattern=r"^https?://[^\s/?#]+\S*$")]
Title = Annotated[Visible, Meta(max_length=500)]
Description = Annotated[Visible, Meta(max_length=10_000)]
Word = Annotated[Visible, Meta(max_length=300)]


class Price(Shape, frozen=True, kw_only=True):
    """Money: an integer in the currency's smallest unit. 9.99 USD is 999, 500 JPY is 500, 1.250 KWD is 1250."""

    amount: Annotated[int, Meta(ge=0, le=MOST, extra={HINT: _UNIT})]
    """An integer in the currency's smallest unit: 9.99 USD is 999."""
    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$", description="ISO 4217 code, such as `USD`.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"amount": 1990, "currency": "SEK"}


class CatalogsQuery(LiveQuery, frozen=True, kw_only=True):
    """Whose catalogs or shops to list."""

    ad_account_id: AdAccountId | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": AD_ACCOUNT}


class Catalog(View, frozen=True, kw_only=True):
    """A catalog of products. Fields that the platform does not provide are null."""

    id: str
    """The platform's own id."""
    ad_account_id: str
    """The ad account of the business that has the catalog, `adacc_…`."""
    name: str
    """The name of the catalog."""
    vertical: str | None
    """What it contains, in the platform's words, such as `commerce`."""
    currency: str | None
    """The currency of its prices, as an ISO 4217 code. Null on Meta."""
    country: str | None
    """The country that it is for, as an ISO 3166 code. Null on Meta."""
    product_count: int | None
    """How many products it has. Null if the platform does not report it."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": CATALOG,
            "adAccountId": AD_ACCOUNT,
            "name": "Bakery goods",
            "vertical": "commerce",
            "currency": "SEK",
            "country": "SE",
            "productCount": None,
        }


class NewCatalogBody(Body, frozen=True, kw_only=True):
    """A catalog to create. TikTok catalogs have a currency and a country, Meta catalogs have neither."""

    ad_account_id: AdAccountId | None = None
    name: Annotated[Visible, Meta(max_length=200)]
    """The name of the catalog."""
    vertical: Annotated[str, Meta(max_length=40, description="What it contains; `commerce` by default.")] | None = None
    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$", description="ISO 4217 code, such as `USD`.")] | None = None
    country: Annotated[str, Meta(pattern="^[A-Z]{2}$", description="ISO 3166 code, such as `SE`.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": AD_ACCOUNT, "name": "Cakes", "currency": "SEK", "country": "SE"}


class ProductsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which products to list. `retailerId` and `productSetId` cannot be combined with other filters."""

    ad_account_id: AdAccountId | None = None
    catalog_id: PlatformId
    """The platform's id of the catalog."""
    retailer_id: RetailerId | None = None
    product_set_id: PlatformId | None = None
    """Only products of this product set, by the platform's id."""
    q: Annotated[str, Meta(min_length=1, max_length=200, description="Text to find in the title.")] | None = None
    brand: Word | None = None
    """Only products of this brand."""
    group: Word | None = None
    """Only variants with this `group`."""
    availability: Availability | None = None
    """Only products with this availability. Not on TikTok."""
    condition: Condition | None = None
    """Only products in this condition."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": AD_ACCOUNT, "catalogId": CATALOG, "brand": "Ada"}


class ProductFields(Body, frozen=True, kw_only=True):
    """The fields of a product."""

    title: Title | None = None
    """The title that people see."""
    description: Description | None = None
    """The description that people see."""
    price: Price | None = None
    """The regular price."""
    sale_price: Price | None = None
    """The reduced price, in the same currency and not higher than `price`. Null: none."""
    availability: Availability | None = None
    """Whether it can be bought."""
    condition: Condition | None = None
    """Whether it is new, refurbished or used."""
    brand: Word | None = None
    """The brand. TikTok requires it."""
    url: Annotated[Address, Meta(description="The page where people can see and buy it.")] | None = None
    image_url: Address | None = None
    """The URL of the main image, which the platform fetches."""
    additional_image_urls: Annotated[list[Address], Meta(max_length=20)] = msgspec.field(default_factory=list)
    """The URLs of more images."""
    group: Annotated[Word, Meta(description="An id that the variants of one product share.")] | None = None
    category: Annotated[Word, Meta(description="A category of Google's product taxonomy.")] | None = None


SHOWN = {
    "retailerId": "cake-1",
    "title": "Princess cake",
    "description": "For eight people.",
    "price": {"amount": 34900, "currency": "SEK"},
    "availability": "inStock",
    "condition": "new",
    "brand": "Ada",
    "url": "https://bakery.example.com/cake-1",
    "imageUrl": "https://bakery.example.com/cake-1.jpg",
}


class Product(View, frozen=True, kw_only=True):
    """A product on the platform. `id` is null until the platform has created it.

    `status` is the result of the platform's review, `issues` lists the problems it found.
    """

    id: str | None
    """The platform's own id. Null until the platform has created the product."""
    catalog_id: str
    """The platform's id of the catalog."""
    retailer_id: str
    """Your own product id."""
    title: str | None
    """The title that people see."""
    description: str | None
    """The description that people see."""
    price: Price | None
    """The regular price."""
    sale_price: Price | None
    """The reduced price, in the same currency and not higher than `price`. Null: none."""
    availability: str | None
    """Whether it can be bought. Null if the platform does not report it."""
    condition: str | None
    """Whether it is new. Null if the platform does not report it."""
    brand: str | None
    """The brand. TikTok requires it."""
    url: str | None
    """The page where people can see and buy it."""
    image_url: str | None
    """The URL of the main image, which the platform fetches."""
    additional_image_urls: list[str]
    """The URLs of more images."""
    group: str | None
    """An id that the variants of one product share. Null if there are none."""
    category: str | None
    """A category of Google's product taxonomy. Null if there is none."""
    status: str | None
    """The result of the platform's review, or `processing`. Null before a review."""
    issues: list[str]
    """The problems that the review found."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        more: dict[str, Any] = {"salePrice": None, "additionalImageUrls": [], "group": None, "category": None}
        return {
            "id": _PRODUCT,
            "catalogId": CATALOG,
            **SHOWN,
            **more,
            "status": "approved",
            "issues": [],
        }


class NewProductBody(ProductFields, frozen=True, kw_only=True):
    """A product to create. It replaces the product with the same `retailerId`."""

    ad_account_id: AdAccountId | None = None
    catalog_id: PlatformId
    """The platform's id of the catalog to create it in."""
    retailer_id: RetailerId
    title: Title
    """The title that people see."""
    description: Description
    """The description that people see."""
    price: Price
    """The regular price."""
    availability: Availability = Availability.IN_STOCK
    """Whether it can be bought."""
    condition: Condition = Condition.NEW
    """Whether it is new, refurbished or used."""
    url: Address
    """The page where people can see and buy it."""
    image_url: Address
    """The URL of the main image, which the platform fetches."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": AD_ACCOUNT, "catalogId": CATALOG, **SHOWN}


class ProductDeletionQuery(Query, frozen=True, kw_only=True):
    """Which product to delete: by the platform's `id`, or by your own `retailerId`."""

    ad_account_id: AdAccountId | None = None
    catalog_id: PlatformId
    """The platform's id of the catalog."""
    id: PlatformId | None = None
    """The platform's own id of the product."""
    retailer_id: RetailerId | None = None
    type: Literal["product"] = "product"
    """Always `product`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": AD_ACCOUNT, "catalogId": CATALOG, "retailerId": "cake-1"}


class ProductDeleted(View, frozen=True, kw_only=True):
    """The product that was deleted on the platform. `id` is the id that the request used."""

    id: str
    """The id that the request used."""
    catalog_id: str
    """The platform's id of the catalog."""
    deleted: IsDeleted = True

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "cake-1", "catalogId": CATALOG, "deleted": True}


class FilterRule(Shape, frozen=True, kw_only=True):
    """A condition on a product. `price` and `salePrice` are compared with `price`, everything else with `values`:
    `isAny` and `isNotAny` with several, the others with one. Only `is` and `isNot` are case-sensitive.
    """

    field: Field
    """What of the product is compared."""
    operator: Operator
    """How it is compared. Platforms support different ones for each field."""
    values: Annotated[list[Word], Meta(max_length=1000)] = msgspec.field(default_factory=list)
    """What it is compared with; several only for `isAny` and `isNotAny`."""
    price: Price | None = None
    """For `price` and `salePrice`: what it is compared with, instead of `values`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"field": "brand", "operator": "is", "values": ["Ada"]}


class ProductFilter(Shape, frozen=True, kw_only=True):
    """Rules: either `all` of them must match, or `any`."""

    join: Literal["all", "any"] = "all"
    """Whether `all` rules must match, or `any` of them."""
    rules: Annotated[list[FilterRule], Meta(min_length=1, max_length=50)]
    """The conditions that select products."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"join": "all", "rules": [FilterRule.example()]}


class ProductSetsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which product sets to list."""

    ad_account_id: AdAccountId | None = None
    catalog_id: PlatformId
    """The platform's id of the catalog."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": AD_ACCOUNT, "catalogId": CATALOG}


class ProductSet(View, frozen=True, kw_only=True):
    """Products of a catalog, selected by a filter.

    `filter` is null if the platform's own filter, `platformFilter`, cannot be expressed here. `productCount` is null if
    the platform has not counted yet.
    """

    id: str
    """The platform's own id."""
    catalog_id: str
    """The platform's id of the catalog."""
    name: str
    """The name of the set."""
    filter: ProductFilter | None
    """Which products it contains. Null if this cannot express the platform's own filter."""
    platform_filter: Any
    """The platform's own filter, in its own format."""
    product_count: int | None
    """How many products it has. Null if the platform has not counted yet."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "7590000000000000001",
            "catalogId": CATALOG,
            "name": "Ada's cakes",
            "filter": ProductFilter.example(),
            "platformFilter": {"and": [{"field": "brand", "operation": "CONTAIN", "value": ["Ada"]}]},
            "productCount": 12,
        }


class NewProductSetBody(Body, frozen=True, kw_only=True):
    """A set to create. Without a filter it contains every product, on platforms that allow that."""

    ad_account_id: AdAccountId | None = None
    catalog_id: PlatformId
    """The platform's id of the catalog."""
    name: Annotated[Visible, Meta(max_length=100)]
    """The name of the set. At most 28 characters on TikTok."""
    filter: ProductFilter | None = None
    """Which products it contains. By default all; TikTok requires at least one rule."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "adAccountId": AD_ACCOUNT,
            "catalogId": CATALOG,
            "name": "Ada's cakes",
            "filter": ProductFilter.example(),
        }


class Shop(View, frozen=True, kw_only=True):
    """A shop of the business, and the catalogs that it sells from."""

    id: str
    """The platform's own id."""
    ad_account_id: str
    """The ad account of the business that has the shop, `adacc_…`."""
    name: str | None
    """The name of the shop. Null if the platform does not report it."""
    status: str | None
    """The platform's own status. Null if it does not report one."""
    catalog_ids: list[str]
    """The platform's ids of the catalogs that it sells from."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "7490000000000000001",
            "adAccountId": AD_ACCOUNT,
            "name": "Ada's Bakery",
            "status": None,
            "catalogIds": [CATALOG],
        }
