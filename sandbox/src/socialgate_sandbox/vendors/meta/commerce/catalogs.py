"""Product catalogs of businesses, the product sets in them, and the shops that sell them."""

from typing import Any

from socialgate_sandbox.dialects.graph.errors import bad_parameter, failure, require, wrong
from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.given import flag, one_of, parsed, text
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, always, finder, own
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.kit import Call, Refused, ShownCatalog, Thing, World, digits
from socialgate_sandbox.society.catalogs import Catalog, Product, ProductSet
from socialgate_sandbox.society.product_filters import BadFilter, Keep, keep
from socialgate_sandbox.vendors.meta.accounts import BUSINESS, PAGE
from socialgate_sandbox.vendors.meta.commerce.product_nodes import PRODUCT, READERS, RULES
from socialgate_sandbox.vendors.meta.state import AdAccount, Business, Page
from socialgate_sandbox.vendors.meta.viewer import require_scope, viewer

_SCOPE, _SHOP_SCOPE = "catalog_management", "commerce_account_read_settings"
_KINDS = (
    "commerce", "adoptable_pets", "apps_and_software", "articles_and_publications", "destinations", "flights",
    "generic", "home_listings", "hotels", "local_service_businesses", "media_titles", "offer_items",
    "offline_commerce", "services", "transactable_items", "vehicles",
)  # fmt: skip


class Shop(Thing, kw_only=True):
    """A commerce account of a business, which is its parent, with its only shop."""

    name: str
    email: str
    catalog: str
    page: str
    status: str = "ENABLED"


def _business(call: Call, thing: Catalog | Shop, _field: Field) -> Node | None:
    business = call.world.store.get(Business, thing.parent)
    return Node(BUSINESS, business) if business is not None else None


CATALOG = NodeType(
    "ProductCatalog",
    {
        **own("id", "name"),
        "vertical": lambda _call, catalog, _field: catalog.kind,
        "product_count": lambda call, catalog, _field: RULES.count(call.world, catalog.id),
        **always(feed_count=0, is_catalog_segment=False),
        "business": _business,
        "owner_business": _business,
    },
    ("id", "name"),
)


def _set_catalog(call: Call, found: ProductSet, _field: Field) -> Node:
    return Node(CATALOG, call.world.store.get(Catalog, found.parent))


PRODUCT_SET = NodeType(
    "ProductSet",
    {
        **own("id", "name"),
        "filter": lambda _call, found, _field: found.filter,
        "retailer_id": lambda _call, found, _field: found.retailer_id or None,
        "product_count": lambda call, found, _field: len(_in_set(call, found)),
        "product_catalog": _set_catalog,
    },
    ("id", "name"),
)
COMMERCE_ACCOUNT = NodeType(
    "CommerceMerchantSettings",
    {
        **own("id"),
        "display_name": lambda _call, shop, _field: shop.name,
        "contact_email": lambda _call, shop, _field: shop.email,
        "merchant_status": lambda _call, shop, _field: shop.status,
        "merchant_page": lambda call, shop, _field: Node(PAGE, call.world.store.get(Page, shop.page)),
        "facebook_channel": lambda _call, shop, _field: {"pages": {"data": [{"id": shop.page}]}},
        **always(instagram_channel=None, checkout_config=None),
    },
    ("id",),
)
SHOP = NodeType(
    "Shop",
    {
        "id": lambda _call, shop, _field: f"{shop.id}1",
        **always(shop_status="LIVE", fb_sales_channel={"status": "ENABLED"}, ig_sales_channel={"status": "DISABLED"}),
        "commerce_merchant_settings": lambda _call, shop, _field: Node(COMMERCE_ACCOUNT, shop),
    },
    ("id", "shop_status"),
)


def require_catalogs(call: Call) -> None:
    require_scope(call, _SCOPE)


def _require_shops(call: Call) -> None:
    require_scope(call, _SHOP_SCOPE, 10)


def is_member(call: Call, business: str) -> bool:
    found = call.world.store.get(Business, business)
    return found is not None and viewer(call).parent in found.members


catalog_node = finder(Catalog, CATALOG, lambda call, catalog: is_member(call, catalog.parent), require_catalogs)
set_node = finder(ProductSet, PRODUCT_SET, lambda call, found: catalog_node(call, found.parent) is not None)
shop_node = finder(Shop, COMMERCE_ACCOUNT, lambda call, shop: is_member(call, shop.parent), _require_shops)


def owned_catalogs(call: Call, owner: Business | Page) -> Any:
    require_catalogs(call)
    business = owner.id if isinstance(owner, Business) else owner.parent
    found = call.world.store.find(Catalog, parent=business) if business else []
    return listing(call, [Node(CATALOG, catalog) for catalog in found])


def client_catalogs(call: Call, _business: Business) -> Any:
    require_catalogs(call)
    return {"data": []}


def create_catalog(call: Call, business: Business) -> Any:
    require_catalogs(call)
    name = text(call, "name")
    require(name, "The parameter name is required")
    if any(one.name == name for one in call.world.store.find(Catalog, parent=business.id)):
        raise Refused(failure("(#804) An object with the specified name already exists", 804))
    kind = one_of("vertical", text(call, "vertical"), _KINDS)
    made = Catalog(id=digits(16), parent=business.id, name=name, kind=kind, made=call.world.clock.now())
    return {"id": call.world.store.put(made).id}


def change_catalog(call: Call, catalog: Catalog) -> Any:
    catalog.name = text(call, "name") or catalog.name
    call.world.store.put(catalog)
    return {"success": True}


def delete_catalog(call: Call, catalog: Catalog) -> Any:
    store = call.world.store
    if store.count(ProductSet, parent=catalog.id) and not flag(call, "allow_delete_catalog_with_live_product_set"):
        return bad_parameter("The catalog has live product sets")
    store.clear(ProductSet, parent=catalog.id)
    store.clear(Product, parent=catalog.id)
    store.delete(Catalog, catalog.id)
    return {"success": True}


def filter_of(given: Any) -> Keep:
    try:
        return keep(parsed(given) or {}, READERS)
    except BadFilter as error:
        raise wrong(f"Param filter is invalid: {error}") from error


def _in_set(call: Call, found: ProductSet) -> list[Product]:
    test = filter_of(found.filter)
    return [product for product in RULES.products(call.world, found.parent) if test(product)]


def list_sets(call: Call, catalog: Catalog) -> Any:
    return listing(call, [Node(PRODUCT_SET, one) for one in call.world.store.find(ProductSet, parent=catalog.id)])


def create_set(call: Call, catalog: Catalog) -> Any:
    require(text(call, "name"), "The parameter name is required")
    return {"id": _written(call, ProductSet(id=digits(16), parent=catalog.id, name="", filter="{}")).id}


def change_set(call: Call, found: ProductSet) -> Any:
    _written(call, found)
    return {"success": True}


def _written(call: Call, found: ProductSet) -> ProductSet:
    """Apply what was given. A filter is stored as the JSON string that it is."""
    given = parsed(call.params.get("filter"))
    if given is not None:
        filter_of(given)
        found.filter = str(call.params["filter"]) if isinstance(call.params["filter"], str) else given
    found.name, found.retailer_id = text(call, "name") or found.name, text(call, "retailer_id") or found.retailer_id
    return call.world.store.put(found)


def delete_set(call: Call, found: ProductSet) -> Any:
    call.world.store.delete(ProductSet, found.id)
    return {"success": True}


def set_products(call: Call, found: ProductSet) -> Any:
    return listing(call, [Node(PRODUCT, product) for product in _in_set(call, found)])


def commerce_accounts(call: Call, owner: Business | Page) -> Any:
    _require_shops(call)
    found = [shop for shop in call.world.store.find(Shop) if owner.id in {shop.parent, shop.page}]
    return listing(call, [Node(COMMERCE_ACCOUNT, shop) for shop in found])


def shops(call: Call, shop: Shop) -> Any:
    return listing(call, [Node(SHOP, shop)])


def shop_catalogs(call: Call, shop: Shop) -> Any:
    catalog = call.world.store.get(Catalog, shop.catalog)
    return listing(call, [Node(CATALOG, catalog)] if catalog is not None else [])


def setup_status(_call: Call, _shop: Shop) -> Any:
    return {"data": [{"shop_setup": "SETUP", "payment_setup": "SETUP", "marketplace_approval_status": "APPROVED"}]}


def shown_catalogs(world: World, account: str) -> list[ShownCatalog]:
    """Return the catalogs of the business that owns a Page or an ad account."""
    owned = world.store.get(Page, account) or world.store.get(AdAccount, account)
    return [] if owned is None or not owned.parent else RULES.shown(world, owned.parent)
