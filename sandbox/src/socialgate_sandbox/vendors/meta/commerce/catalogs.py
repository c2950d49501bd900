"""Product catalogs of businesses, the product sets in them, and the shops that sell them."""

from typing import Any

from socialgate_sandbox.dialects.graph.errors import (
    build_error_response,
    build_parameter_error,
    build_parameter_response,
    require,
)
from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, build_finder, resolve_attributes, resolve_constants
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import get_flag, get_text, parse_json_text, validate_choice
from socialgate_sandbox.kit import Call, CallRefusedError, CatalogView, StoredObject, VendorContext, generate_digits
from socialgate_sandbox.society.catalogs import Catalog, Product, ProductSet
from socialgate_sandbox.society.product_filters import InvalidFilterError, ProductFilter, build_product_filter
from socialgate_sandbox.vendors.meta.account_nodes import BUSINESS_NODE_TYPE, PAGE_NODE_TYPE
from socialgate_sandbox.vendors.meta.commerce.product_nodes import FILTER_READERS, PRODUCT_NODE_TYPE, PRODUCT_RULES
from socialgate_sandbox.vendors.meta.stored_objects import AdAccount, Business, Page
from socialgate_sandbox.vendors.meta.token_access import require_scope, require_token

_CATALOG_SCOPE, _SHOP_SCOPE = "catalog_management", "commerce_account_read_settings"
_VERTICALS = (
    "commerce", "adoptable_pets", "apps_and_software", "articles_and_publications", "destinations", "flights",
    "generic", "home_listings", "hotels", "local_service_businesses", "media_titles", "offer_items",
    "offline_commerce", "services", "transactable_items", "vehicles",
)  # fmt: skip


class Shop(StoredObject, kw_only=True):
    """A commerce account of a business, which is its parent, with its only shop."""

    name: str
    email: str
    catalog: str
    page: str
    status: str = "ENABLED"


def _resolve_business(call: Call, stored_object: Catalog | Shop, _field: RequestedField) -> Node | None:
    business = call.context.store.get(Business, stored_object.parent)
    return Node(BUSINESS_NODE_TYPE, business) if business is not None else None


CATALOG_NODE_TYPE = NodeType(
    "ProductCatalog",
    {
        **resolve_attributes("id", "name"),
        "vertical": lambda _call, catalog, _field: catalog.kind,
        "product_count": lambda call, catalog, _field: PRODUCT_RULES.count_products(call.context, catalog.id),
        **resolve_constants(feed_count=0, is_catalog_segment=False),
        "business": _resolve_business,
        "owner_business": _resolve_business,
    },
    ("id", "name"),
)


def _resolve_set_catalog(call: Call, product_set: ProductSet, _field: RequestedField) -> Node:
    return Node(CATALOG_NODE_TYPE, call.context.store.get(Catalog, product_set.parent))


PRODUCT_SET_NODE_TYPE = NodeType(
    "ProductSet",
    {
        **resolve_attributes("id", "name"),
        "filter": lambda _call, result, _field: result.filter,
        "retailer_id": lambda _call, result, _field: result.retailer_id or None,
        "product_count": lambda call, result, _field: len(_list_products_of_set(call, result)),
        "product_catalog": _resolve_set_catalog,
    },
    ("id", "name"),
)
COMMERCE_ACCOUNT_NODE_TYPE = NodeType(
    "CommerceMerchantSettings",
    {
        **resolve_attributes("id"),
        "display_name": lambda _call, shop, _field: shop.name,
        "contact_email": lambda _call, shop, _field: shop.email,
        "merchant_status": lambda _call, shop, _field: shop.status,
        "merchant_page": lambda call, shop, _field: Node(PAGE_NODE_TYPE, call.context.store.get(Page, shop.page)),
        "facebook_channel": lambda _call, shop, _field: {"pages": {"data": [{"id": shop.page}]}},
        **resolve_constants(instagram_channel=None, checkout_config=None),
    },
    ("id",),
)
SHOP_NODE_TYPE = NodeType(
    "Shop",
    {
        "id": lambda _call, shop, _field: f"{shop.id}1",
        **resolve_constants(
            shop_status="LIVE", fb_sales_channel={"status": "ENABLED"}, ig_sales_channel={"status": "DISABLED"}
        ),
        "commerce_merchant_settings": lambda _call, shop, _field: Node(COMMERCE_ACCOUNT_NODE_TYPE, shop),
    },
    ("id", "shop_status"),
)


def require_catalog_scope(call: Call) -> None:
    require_scope(call, _CATALOG_SCOPE)


def _require_shop_scope(call: Call) -> None:
    require_scope(call, _SHOP_SCOPE, 10)


def is_member(call: Call, business: str) -> bool:
    existing_business = call.context.store.get(Business, business)
    return existing_business is not None and require_token(call).parent in existing_business.members


find_catalog_node = build_finder(
    Catalog, CATALOG_NODE_TYPE, lambda call, catalog: is_member(call, catalog.parent), require_catalog_scope
)
find_product_set_node = build_finder(
    ProductSet, PRODUCT_SET_NODE_TYPE, lambda call, product_set: find_catalog_node(call, product_set.parent) is not None
)
find_shop_node = build_finder(
    Shop, COMMERCE_ACCOUNT_NODE_TYPE, lambda call, shop: is_member(call, shop.parent), _require_shop_scope
)


def list_owned_catalogs(call: Call, owner: Business | Page) -> Any:
    require_catalog_scope(call)
    business = owner.id if isinstance(owner, Business) else owner.parent
    catalogs = call.context.store.find(Catalog, parent=business) if business else []
    return build_page(call, [Node(CATALOG_NODE_TYPE, catalog) for catalog in catalogs])


def list_client_catalogs(call: Call, _business: Business) -> Any:
    require_catalog_scope(call)
    return {"data": []}


def create_catalog(call: Call, business: Business) -> Any:
    require_catalog_scope(call)
    name = get_text(call, "name")
    require(name, "The parameter name is required")
    if any(catalog.name == name for catalog in call.context.store.find(Catalog, parent=business.id)):
        raise CallRefusedError(build_error_response("(#804) An object with the specified name already exists", 804))
    kind = validate_choice("vertical", get_text(call, "vertical"), _VERTICALS)
    catalog = Catalog(
        id=generate_digits(16), parent=business.id, name=name, kind=kind, created_at=call.context.clock.now()
    )
    return {"id": call.context.store.put(catalog).id}


def update_catalog(call: Call, catalog: Catalog) -> Any:
    catalog.name = get_text(call, "name") or catalog.name
    call.context.store.put(catalog)
    return {"success": True}


def delete_catalog(call: Call, catalog: Catalog) -> Any:
    store = call.context.store
    if store.count(ProductSet, parent=catalog.id) and not get_flag(call, "allow_delete_catalog_with_live_product_set"):
        return build_parameter_response("The catalog has live product sets")
    store.delete_all(ProductSet, parent=catalog.id)
    store.delete_all(Product, parent=catalog.id)
    store.delete(Catalog, catalog.id)
    return {"success": True}


def parse_filter(value: Any) -> ProductFilter:
    try:
        return build_product_filter(parse_json_text(value) or {}, FILTER_READERS)
    except InvalidFilterError as error:
        raise build_parameter_error(f"Param filter is invalid: {error}") from error


def _list_products_of_set(call: Call, product_set: ProductSet) -> list[Product]:
    test = parse_filter(product_set.filter)
    return [product for product in PRODUCT_RULES.products(call.context, product_set.parent) if test(product)]


def list_product_sets(call: Call, catalog: Catalog) -> Any:
    return build_page(
        call,
        [
            Node(PRODUCT_SET_NODE_TYPE, product_set)
            for product_set in call.context.store.find(ProductSet, parent=catalog.id)
        ],
    )


def create_product_set(call: Call, catalog: Catalog) -> Any:
    require(get_text(call, "name"), "The parameter name is required")
    return {
        "id": _update_and_store_set(
            call, ProductSet(id=generate_digits(16), parent=catalog.id, name="", filter="{}")
        ).id
    }


def update_product_set(call: Call, product_set: ProductSet) -> Any:
    _update_and_store_set(call, product_set)
    return {"success": True}


def _update_and_store_set(call: Call, product_set: ProductSet) -> ProductSet:
    """Apply what was given. A filter is stored as the JSON string that it is."""
    value = parse_json_text(call.params.get("filter"))
    if value is not None:
        parse_filter(value)
        product_set.filter = str(call.params["filter"]) if isinstance(call.params["filter"], str) else value
    product_set.name, product_set.retailer_id = (
        get_text(call, "name") or product_set.name,
        get_text(call, "retailer_id") or product_set.retailer_id,
    )
    return call.context.store.put(product_set)


def delete_product_set(call: Call, product_set: ProductSet) -> Any:
    call.context.store.delete(ProductSet, product_set.id)
    return {"success": True}


def list_set_products(call: Call, product_set: ProductSet) -> Any:
    return build_page(call, [Node(PRODUCT_NODE_TYPE, product) for product in _list_products_of_set(call, product_set)])


def list_commerce_accounts(call: Call, owner: Business | Page) -> Any:
    _require_shop_scope(call)
    shops = [shop for shop in call.context.store.find(Shop) if owner.id in {shop.parent, shop.page}]
    return build_page(call, [Node(COMMERCE_ACCOUNT_NODE_TYPE, shop) for shop in shops])


def list_shops(call: Call, shop: Shop) -> Any:
    return build_page(call, [Node(SHOP_NODE_TYPE, shop)])


def list_shop_catalogs(call: Call, shop: Shop) -> Any:
    catalog = call.context.store.get(Catalog, shop.catalog)
    return build_page(call, [Node(CATALOG_NODE_TYPE, catalog)] if catalog is not None else [])


def get_setup_status(_call: Call, _shop: Shop) -> Any:
    return {"data": [{"shop_setup": "SETUP", "payment_setup": "SETUP", "marketplace_approval_status": "APPROVED"}]}


def read_catalogs(context: VendorContext, account_id: str) -> list[CatalogView]:
    """Return the catalogs of the business that owns a Page or an ad account."""
    owned = context.store.get(Page, account_id) or context.store.get(AdAccount, account_id)
    return [] if owned is None or not owned.parent else PRODUCT_RULES.build_catalog_views(context, owned.parent)
