"""Catalogs, product sets, products and shops at Meta."""

from base64 import urlsafe_b64encode

from parity.operations import Operation, Walk, account
from parity.vendors.meta_sdk import Business, ProductCatalog, ProductItem, ProductSet, Shop, names
from socialgate.connectors.meta import commerce, commerce_products
from socialgate.contracts.commerce import (
    COMMERCE_CAPABILITY,
    PRODUCTS_CAPABILITY,
    FilterRule,
    NewCatalog,
    NewProductSet,
    Price,
    Product,
    ProductChangeMethod,
    ProductFilter,
    ProductQuery,
)
from socialgate.contracts.platforms import Kind

BUSINESS, CATALOG, SET, SHOP, ITEM = "1400000001", "2700000001", "2700000002", "2700000003", "2700000004"
ADS = account(Kind.META_ADS, "act_2000000001", details={"businessId": BUSINESS, "currency": "SEK"})
RYE = ProductFilter(rules=(FilterRule(field="brand", operator="is", values=("Rye",)),))
BUN = Product(
    retailer_id="bun-1",
    title="Bun",
    description="Warm",
    price=Price(2500, "SEK"),
    availability="inStock",
    condition="new",
    brand="Rye",
    url="https://bakery.example.com/bun",
    image_url="https://bakery.example.com/bun.jpg",
)
NEW_SET = NewProductSet(catalog_id=CATALOG, name="Rye", filter=RYE)
_SOLD = {r"GET .*/commerce_merchant_settings": {"data": [{"id": SHOP, "display_name": "Bakery"}]}}
_NAME = urlsafe_b64encode(b"bun-1").decode().rstrip("=")

OPERATIONS = [
    Operation(
        "list the catalogs of a business",
        lambda sdk: Business(BUSINESS, api=sdk).get_owned_product_catalogs(
            fields=names(commerce._CATALOG_FIELDS), params={"limit": 25}
        ),
        lambda ours: ours.find_adapter(Kind.META_ADS, COMMERCE_CAPABILITY).list_catalogs(ADS, 25, None),
    ),
    Operation(
        "list the catalogs that others share",
        lambda sdk: Business(BUSINESS, api=sdk).get_client_product_catalogs(
            fields=names(commerce._CATALOG_FIELDS), params={"limit": 25}
        ),
        lambda ours: ours.find_adapter(Kind.META_ADS, COMMERCE_CAPABILITY).list_catalogs(ADS, 25, None),
    ),
    Operation(
        "read a catalog",
        lambda sdk: ProductCatalog(CATALOG, api=sdk).api_get(fields=[*names(commerce._CATALOG_FIELDS), "business"]),
        lambda ours: ours.find_adapter(Kind.META_ADS, COMMERCE_CAPABILITY).fetch_catalog(ADS, CATALOG),
    ),
    Operation(
        "create a catalog",
        lambda sdk: Business(BUSINESS, api=sdk).create_owned_product_catalog(
            params={"name": "Bread", "vertical": "commerce"}
        ),
        lambda ours: ours.find_adapter(Kind.META_ADS, COMMERCE_CAPABILITY).create_catalog(
            ADS, NewCatalog(name="Bread")
        ),
    ),
    Operation(
        "list the product sets of a catalog",
        lambda sdk: ProductCatalog(CATALOG, api=sdk).get_product_sets(
            fields=names(commerce._PRODUCT_SET_FIELDS), params={"limit": 25}
        ),
        lambda ours: ours.find_adapter(Kind.META_ADS, COMMERCE_CAPABILITY).list_product_sets(ADS, CATALOG, 25, None),
    ),
    Operation(
        "create a product set",
        lambda sdk: ProductCatalog(CATALOG, api=sdk).create_product_set(
            params={"name": "Rye", "filter": {"brand": {"eq": "Rye"}}}
        ),
        lambda ours: ours.find_adapter(Kind.META_ADS, COMMERCE_CAPABILITY).create_product_set(ADS, NEW_SET),
    ),
    Operation(
        "read which catalog a product set belongs to",
        lambda sdk: ProductSet(SET, api=sdk).api_get(fields=["product_catalog"]),
        lambda ours: ours.find_adapter(Kind.META_ADS, PRODUCTS_CAPABILITY).list(
            ADS, CATALOG, ProductQuery(set_id=SET, limit=25)
        ),
    ),
    Operation(
        "list the products of a set",
        lambda sdk: ProductSet(SET, api=sdk).get_products(
            fields=names(commerce_products._PRODUCT_FIELDS), params={"limit": 25, "locale": "en_US"}
        ),
        lambda ours: ours.find_adapter(Kind.META_ADS, PRODUCTS_CAPABILITY).list(
            ADS, CATALOG, ProductQuery(set_id=SET, limit=25)
        ),
    ),
    Operation(
        "list the products of a catalog",
        lambda sdk: ProductCatalog(CATALOG, api=sdk).get_products(
            fields=names(commerce_products._PRODUCT_FIELDS),
            params={"limit": 25, "locale": "en_US", "filter": {"brand": {"eq": "Rye"}}},
        ),
        lambda ours: ours.find_adapter(Kind.META_ADS, PRODUCTS_CAPABILITY).list(
            ADS, CATALOG, ProductQuery(filter=RYE, limit=25)
        ),
    ),
    Operation(
        "read a product",
        lambda sdk: ProductItem(ITEM, api=sdk).api_get(fields=["retailer_id", "product_catalog"]),
        lambda ours: ours.find_adapter(Kind.META_ADS, PRODUCTS_CAPABILITY).get_retailer_id(ADS, CATALOG, ITEM),
    ),
    Operation(
        "create or replace products",
        lambda sdk: ProductCatalog(CATALOG, api=sdk).create_items_batch(
            params={
                "item_type": "PRODUCT_ITEM",
                "allow_upsert": True,
                "requests": [
                    {
                        "method": "UPDATE",
                        "data": {
                            "id": "bun-1",
                            "title": "Bun",
                            "description": "Warm",
                            "price": "25.00 SEK",
                            "availability": "in stock",
                            "condition": "new",
                            "brand": "Rye",
                            "link": "https://bakery.example.com/bun",
                            "image_link": "https://bakery.example.com/bun.jpg",
                        },
                    }
                ],
            }
        ),
        lambda ours: ours.find_adapter(Kind.META_ADS, PRODUCTS_CAPABILITY).submit_batch(
            ADS, CATALOG, ProductChangeMethod.UPSERT, [BUN]
        ),
    ),
    Operation(
        "delete products",
        lambda sdk: ProductCatalog(CATALOG, api=sdk).create_items_batch(
            params={
                "item_type": "PRODUCT_ITEM",
                "allow_upsert": False,
                "requests": [{"method": "DELETE", "data": {"id": "bun-1"}}],
            }
        ),
        lambda ours: ours.find_adapter(Kind.META_ADS, PRODUCTS_CAPABILITY).submit_batch(
            ADS, CATALOG, ProductChangeMethod.DELETE, [BUN]
        ),
    ),
    Operation(
        "read what became of products",
        lambda sdk: ProductCatalog(CATALOG, api=sdk).get_check_batch_request_status(
            params={"handle": "h1", "load_ids_of_invalid_requests": True}
        ),
        lambda ours: ours.find_adapter(Kind.META_ADS, PRODUCTS_CAPABILITY).get_chunk_result(ADS, CATALOG, "h1"),
    ),
    Operation(
        "delete a product",
        lambda sdk: ProductItem(f"catalog:{CATALOG}:{_NAME}", api=sdk).api_delete(),
        lambda ours: ours.find_adapter(Kind.META_ADS, PRODUCTS_CAPABILITY).delete(ADS, CATALOG, "bun-1"),
    ),
    Operation(
        "list the shops of a business",
        lambda sdk: Business(BUSINESS, api=sdk).get_commerce_merchant_settings(
            fields=["id", "display_name", "merchant_status"], params={"limit": 25}
        ),
        lambda ours: ours.find_adapter(Kind.META_ADS, COMMERCE_CAPABILITY).list_shops(ADS, 25, None),
    ),
    Operation(
        "list the catalogs of a shop",
        lambda sdk: Shop(SHOP, api=sdk).get_product_catalogs(fields=["id"], params={"limit": 100}),
        lambda ours: ours.find_adapter(Kind.META_ADS, COMMERCE_CAPABILITY).list_shops(ADS, 25, None),
        answers=_SOLD,
    ),
    Operation(
        "read whether a shop is open",
        lambda sdk: Shop(SHOP, api=sdk).get_shops(fields=["id", "shop_status"]),
        lambda ours: ours.find_adapter(Kind.META_ADS, COMMERCE_CAPABILITY).list_shops(ADS, 25, None),
        answers=_SOLD,
    ),
]

_STRANGE = {rf"GET .*/{CATALOG}$": {"id": CATALOG, "business": {"id": "1"}}}
_LENT = {r"GET .*/client_product_catalogs": {"data": [{"id": CATALOG}]}}
WALKS = [
    Walk(
        "read a catalog that others share",
        lambda ours: ours.find_adapter(Kind.META_ADS, COMMERCE_CAPABILITY).fetch_catalog(ADS, CATALOG),
        answers=_STRANGE | _LENT,
    ),
    Walk(
        "find a catalog",
        lambda ours: ours.find_adapter(Kind.META_ADS, COMMERCE_CAPABILITY).find_catalogs_by_name(ADS, "Bread"),
    ),
    Walk(
        "find a product set",
        lambda ours: ours.find_adapter(Kind.META_ADS, COMMERCE_CAPABILITY).find_product_sets_by_name(
            ADS, CATALOG, "Rye"
        ),
    ),
]
