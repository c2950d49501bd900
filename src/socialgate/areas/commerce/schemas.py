from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.areas.accounts.live_reads import LiveQuery
from socialgate.contracts.commerce import (
    EXAMPLE_AD_ACCOUNT_ID,
    EXAMPLE_CATALOG_ID,
    Price,
    ProductAvailability,
    ProductCondition,
    ProductFilter,
    ShortText,
)
from socialgate.core.fields import IsDeleted
from socialgate.web.schemas import NonBlankText, QueryParameters, RequestBody, ResponseModel

_EXAMPLE_PRODUCT_ID = "6990000000000000001"
_AD_ACCOUNT_DESCRIPTION = (
    "The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to "
    "that business."
)

AdAccountId = Annotated[str, Meta(min_length=1, max_length=40, description=_AD_ACCOUNT_DESCRIPTION)]
PlatformId = Annotated[str, Meta(min_length=1, max_length=100)]
RetailerId = Annotated[NonBlankText, Meta(max_length=100, description="Your own product id, such as a SKU.")]
HttpUrl = Annotated[str, Meta(max_length=2000, pattern=r"^https?://[^\s/?#]+\S*$")]
Title = Annotated[NonBlankText, Meta(max_length=500)]
Description = Annotated[NonBlankText, Meta(max_length=10_000)]


class CatalogsQuery(LiveQuery, frozen=True, kw_only=True):
    """Whose catalogs or shops to list."""

    ad_account_id: AdAccountId | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": EXAMPLE_AD_ACCOUNT_ID}


class NewCatalogBody(RequestBody, frozen=True, kw_only=True):
    """A catalog to create. TikTok catalogs have a currency and a country, Meta catalogs have neither."""

    ad_account_id: AdAccountId | None = None
    name: Annotated[NonBlankText, Meta(max_length=200)]
    """The name of the catalog."""
    vertical: Annotated[str, Meta(max_length=40, description="What it contains; `commerce` by default.")] | None = None
    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$", description="ISO 4217 code, such as `USD`.")] | None = None
    country: Annotated[str, Meta(pattern="^[A-Z]{2}$", description="ISO 3166 code, such as `SE`.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": EXAMPLE_AD_ACCOUNT_ID, "name": "Cakes", "currency": "SEK", "country": "SE"}


class ProductsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which products to list. `retailerId` and `productSetId` cannot be combined with other filters."""

    ad_account_id: AdAccountId | None = None
    catalog_id: PlatformId
    """The platform's id of the catalog."""
    retailer_id: RetailerId | None = None
    product_set_id: PlatformId | None = None
    """Only products of this product set, by the platform's id."""
    q: Annotated[str, Meta(min_length=1, max_length=200, description="Text to find in the title.")] | None = None
    brand: ShortText | None = None
    """Only products of this brand."""
    group: ShortText | None = None
    """Only variants with this `group`."""
    availability: ProductAvailability | None = None
    """Only products with this availability. Not on TikTok."""
    condition: ProductCondition | None = None
    """Only products in this condition."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": EXAMPLE_AD_ACCOUNT_ID, "catalogId": EXAMPLE_CATALOG_ID, "brand": "Ada"}


class ProductFields(RequestBody, frozen=True, kw_only=True):
    """The fields of a product."""

    title: Title | None = None
    """The title that people see."""
    description: Description | None = None
    """The description that people see."""
    price: Price | None = None
    """The regular price."""
    sale_price: Price | None = None
    """The reduced price, in the same currency and not higher than `price`. Null: none."""
    availability: ProductAvailability | None = None
    """Whether it can be bought."""
    condition: ProductCondition | None = None
    """Whether it is new, refurbished or used."""
    brand: ShortText | None = None
    """The brand. TikTok requires it."""
    url: Annotated[HttpUrl, Meta(description="The page where people can see and buy it.")] | None = None
    image_url: HttpUrl | None = None
    """The URL of the main image, which the platform fetches."""
    additional_image_urls: Annotated[tuple[HttpUrl, ...], Meta(max_length=20)] = ()
    """The URLs of more images."""
    group: Annotated[ShortText, Meta(description="An id that the variants of one product share.")] | None = None
    category: Annotated[ShortText, Meta(description="A category of Google's product taxonomy.")] | None = None


EXAMPLE_PRODUCT = {
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


# Unlike `ProductItem`, it has the fields of the product and of its review side by side.
class Product(ResponseModel, frozen=True, kw_only=True):
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
    additional_image_urls: tuple[str, ...]
    """The URLs of more images."""
    group: str | None
    """An id that the variants of one product share. Null if there are none."""
    category: str | None
    """A category of Google's product taxonomy. Null if there is none."""
    status: str | None
    """The result of the platform's review, or `processing`. Null before a review."""
    issues: tuple[str, ...]
    """The problems that the review found."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        more: dict[str, Any] = {"salePrice": None, "additionalImageUrls": [], "group": None, "category": None}
        return {
            "id": _EXAMPLE_PRODUCT_ID,
            "catalogId": EXAMPLE_CATALOG_ID,
            **EXAMPLE_PRODUCT,
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
    availability: ProductAvailability = ProductAvailability.IN_STOCK
    """Whether it can be bought."""
    condition: ProductCondition = ProductCondition.NEW
    """Whether it is new, refurbished or used."""
    url: HttpUrl
    """The page where people can see and buy it."""
    image_url: HttpUrl
    """The URL of the main image, which the platform fetches."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": EXAMPLE_AD_ACCOUNT_ID, "catalogId": EXAMPLE_CATALOG_ID, **EXAMPLE_PRODUCT}


class ProductDeletionQuery(QueryParameters, frozen=True, kw_only=True):
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
        return {"adAccountId": EXAMPLE_AD_ACCOUNT_ID, "catalogId": EXAMPLE_CATALOG_ID, "retailerId": "cake-1"}


class ProductDeleted(ResponseModel, frozen=True, kw_only=True):
    """The product that was deleted on the platform. `id` is the id that the request used."""

    id: str
    """The id that the request used."""
    catalog_id: str
    """The platform's id of the catalog."""
    deleted: IsDeleted = True

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "cake-1", "catalogId": EXAMPLE_CATALOG_ID, "deleted": True}


class ProductSetsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which product sets to list."""

    ad_account_id: AdAccountId | None = None
    catalog_id: PlatformId
    """The platform's id of the catalog."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": EXAMPLE_AD_ACCOUNT_ID, "catalogId": EXAMPLE_CATALOG_ID}


class NewProductSetBody(RequestBody, frozen=True, kw_only=True):
    """A set to create. Without a filter it contains every product, on platforms that allow that."""

    ad_account_id: AdAccountId | None = None
    catalog_id: PlatformId
    """The platform's id of the catalog."""
    name: Annotated[NonBlankText, Meta(max_length=100)]
    """The name of the set. At most 28 characters on TikTok."""
    filter: ProductFilter | None = None
    """Which products it contains. By default all; TikTok requires at least one rule."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "adAccountId": EXAMPLE_AD_ACCOUNT_ID,
            "catalogId": EXAMPLE_CATALOG_ID,
            "name": "Ada's cakes",
            "filter": ProductFilter.example(),
        }
