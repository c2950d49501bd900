"""Catalogs of a Business Center, the product sets in them, and the shops of ad accounts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, ShownCatalog, World, digits
from socialgate_sandbox.society.catalogs import CURRENCIES, Catalog, Product, ProductSet, Rules
from socialgate_sandbox.society.product_filters import BadFilter, Keep, Reader, keep
from socialgate_sandbox.vendors.tiktokads.access import CATALOGS, STORES, advertiser_of, signed_in
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, paged
from socialgate_sandbox.vendors.tiktokads.errors import (
    NO_PERMISSION,
    NOT_FOUND,
    WRONG_PARAMETER,
    answered,
    failed,
    refused,
    require,
)
from socialgate_sandbox.vendors.tiktokads.hosts import api
from socialgate_sandbox.vendors.tiktokads.state import Advertiser, BusinessCenter, CenterMember, Store

_KINDS = ("ECOM", "HOTEL", "FLIGHT", "DESTINATION", "ENTERTAINMENT", "AUTO")
_LONGEST_NAME, _LONGEST_SET_NAME, _MOST_SETS = 128, 28, 10
RULES = Rules(
    required=("title", "description", "availability", "brand", "price", "link", "image_link"),
    words={
        "availability": ("IN_STOCK", "AVAILABLE_FOR_ORDER", "PREORDER", "OUT_OF_STOCK", "DISCONTINUED"),
        "condition": ("NEW", "REFURBISHED", "USED"),
    },
    longest={"id": 100, "title": 500, "description": 10_000, "brand": 150},
    id_length=19,
)
# The operators of sets. Most take several values, of which one must match or none may.
_OPERATIONS = {
    "EQUAL": "eq",
    "NOT_EQUAL": "neq",
    "GT": "gt",
    "LT": "lt",
    "GTE": "gte",
    "LTE": "lte",
    "CONTAIN": "eq",
    "I_CONTAIN": "i_eq",
    "EXCLUDE": "neq",
    "I_EXCLUDE": "i_neq",
    "WILDCARD": "contains",
    "I_WILDCARD": "i_contains",
    "NOT_WILDCARD": "not_contains",
    "I_NOT_WILDCARD": "i_not_contains",
    "PREFIX": "starts_with",
    "I_PREFIX": "i_starts_with",
}
_SINGLE = {"EQUAL", "NOT_EQUAL", "GT", "LT", "GTE", "LTE"}
_CHOICES = ("EQUAL", "NOT_EQUAL")
_AMOUNTS = ("GT", "GTE", "LT", "LTE", "EQUAL")
_PARTS = tuple(f"{fold}{word}" for word in ("WILDCARD", "NOT_WILDCARD", "PREFIX") for fold in ("", "I_"))
_LISTS = ("CONTAIN", "I_CONTAIN", "EXCLUDE", "I_EXCLUDE", *_PARTS)
# The operators that each field of a set supports.
_TAKES: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("title", "description", "color", "size"), (*_CHOICES, *_PARTS)),
    **dict.fromkeys(("availability", "condition", "gender"), _CHOICES),
    **dict.fromkeys(("brand", "item_group_id", "google_product_category", "product_type"), _LISTS),
    **dict.fromkeys((f"custom_label_{number}" for number in range(5)), _LISTS),
    **dict.fromkeys(("price", "sale_price"), _AMOUNTS),
}
# Product lists have different operators.
_OPERATORS = {
    "EQ": "eq",
    "NE": "neq",
    "GT": "gt",
    "GTE": "gte",
    "LT": "lt",
    "LTE": "lte",
    "WILDCARD": "contains",
    "NOT_WILDCARD": "not_contains",
    "PREFIX": "starts_with",
    "IN": "is_any",
    "NOT_IN": "is_not_any",
}
_FILTERED = (
    "sku_id", "product_id", "title", "description", "brand", "item_group_id", "google_product_category", "condition",
    "color", "gender", "size", "sale_price", *(f"custom_label_{number}" for number in range(5)),
)  # fmt: skip


def _read(name: str) -> Reader:
    return lambda product: product.fields.get(name)


_READERS: Mapping[str, Reader] = {
    **{
        name: _read(name)
        for name in ("title", "description", "brand", "availability", "condition", "price", "sale_price", "currency",
                     "item_group_id", "google_product_category", "color", "size", "gender",
                     *(f"custom_label_{number}" for number in range(5)))
    },
    "sku_id": lambda product: product.sku,
    "product_id": lambda product: product.id,
}  # fmt: skip


class Asked(msgspec.Struct):
    bc_id: str
    catalog_id: str = ""
    name: str = ""
    catalog_type: str = ""
    catalog_conf: dict[str, Any] = {}
    product_set_id: str = ""
    product_set_ids: list[str] = []
    product_set_name: str = ""
    conditions: dict[str, Any] | None = None


def in_center(call: Call) -> Asked:
    """Read the request of a member of the Business Center."""
    token, given = signed_in(call, CATALOGS), call.read(Asked)
    if call.world.store.get(CenterMember, f"{token.parent} {given.bc_id}") is None:
        raise refused(call, NO_PERMISSION, f"No permission to operate bc {given.bc_id}.")
    return given


def catalog_of(call: Call) -> tuple[Catalog, Asked]:
    given = in_center(call)
    catalog = call.world.store.get(Catalog, given.catalog_id)
    if catalog is None or catalog.parent != given.bc_id:
        raise refused(call, NOT_FOUND, f"The catalog {given.catalog_id} does not exist.")
    return catalog, given


def list_catalogs(call: Call) -> Response:
    given = in_center(call)
    every = call.world.store.find(Catalog, parent=given.bc_id)
    found = [one for one in every if given.catalog_id in {"", one.id}]
    shown, info = paged(call, call.read(PageQuery), found, most=500)
    center = call.world.store.get(BusinessCenter, given.bc_id)
    about = {"bc_id": given.bc_id, "bc_name": center.name if center is not None else ""}
    return answered(call, {"list": [_catalog(one) | {"bc_info": about} for one in shown], "page_info": info})


def create_catalog(call: Call) -> Response:
    given = in_center(call)
    conf = given.catalog_conf
    require(0 < len(given.name) <= _LONGEST_NAME, f"name: Length must be between 1 and {_LONGEST_NAME}.")
    require(given.catalog_type in _KINDS, "catalog_type: not a valid choice.")
    if conf.get("currency") not in CURRENCIES or not conf.get("region_code"):
        return failed(call, WRONG_PARAMETER, "catalog_conf: currency and region_code are required and must be valid.")
    made = Catalog(
        id=digits(19),
        parent=given.bc_id,
        name=given.name,
        kind=given.catalog_type,
        made=call.world.clock.now(),
        currency=str(conf["currency"]),
        country=str(conf["region_code"]),
    )
    return answered(call, {"catalog_id": call.world.store.put(made).id})


def change_catalog(call: Call) -> Response:
    catalog, given = catalog_of(call)
    catalog.name = given.name[:_LONGEST_NAME] or catalog.name
    call.world.store.put(catalog)
    return answered(call, {"catalog_id": catalog.id})


def delete_catalog(call: Call) -> Response:
    catalog, _given = catalog_of(call)
    call.world.store.clear(Product, parent=catalog.id)
    call.world.store.clear(ProductSet, parent=catalog.id)
    call.world.store.delete(Catalog, catalog.id)
    return answered(call, {"catalog_id": catalog.id})


def filter_of(call: Call, conditions: Any) -> Keep:
    """Build a predicate on products from the conditions of a set: `{"and": [{"field", "operation", "value"}]}`."""
    return _kept(call, conditions, _condition)


def list_filter(call: Call, conditions: Any) -> Keep:
    """Build one from the conditions of a list: `{"and": [{"field", "operator", "values"}]}`."""
    return _kept(call, conditions, _list_condition)


def _kept(call: Call, conditions: Any, read: Callable[[Any], dict[str, Any]]) -> Keep:
    try:
        join, rows = _joined(conditions)
        return keep({join: [read(one) for one in rows]}, _READERS)
    except BadFilter as error:
        raise refused(call, WRONG_PARAMETER, f"conditions: {error}.") from error


def _joined(conditions: Any) -> tuple[str, list[Any]]:
    if not isinstance(conditions, dict) or len(conditions) != 1 or not set(conditions) <= {"and", "or"}:
        raise BadFilter("take either and or or")
    ((join, rows),) = conditions.items()
    if not isinstance(rows, list) or not rows:
        raise BadFilter(f"{join} takes a list")
    return join, rows


def _condition(given: Any) -> dict[str, Any]:
    name, word = (str(given.get(one)) for one in ("field", "operation")) if isinstance(given, dict) else ("", "")
    if name not in _TAKES:
        raise BadFilter(f"{name} is not a field of sets")
    if word not in _TAKES[name]:
        raise BadFilter(f"the operation of {name} must be one of {', '.join(_TAKES[name])}")
    value = given.get("value")
    if isinstance(value, list) and word in _SINGLE:
        raise BadFilter(f"{word} takes a single value")
    values: Sequence[Any] = value if isinstance(value, list) else [value]
    join = "and" if "NOT" in word or "EXCLUDE" in word else "or"
    return {join: [{name: {_OPERATIONS[word]: one}} for one in values]}


def _list_condition(given: Any) -> dict[str, Any]:
    name, word = (str(given.get(one)) for one in ("field", "operator")) if isinstance(given, dict) else ("", "")
    values = given.get("values") if isinstance(given, dict) else None
    if name not in _FILTERED or word not in _OPERATORS:
        raise BadFilter(f"{name} {word} is not supported")
    if not isinstance(values, list) or not values or (len(values) > 1 and word not in {"IN", "NOT_IN"}):
        raise BadFilter(f"values of {name} must be a list that fits {word}")
    test = _OPERATORS[word]
    if test in {"is_any", "is_not_any"}:
        return {name: {test: values}}
    fold = test in {"eq", "neq", "contains", "not_contains", "starts_with"} and not given.get("case_sensitive")
    return {name: {f"i_{test}" if fold else test: values[0]}}


def set_of(call: Call, catalog: Catalog, key: str) -> ProductSet:
    found = call.world.store.get(ProductSet, key)
    if found is None or found.parent != catalog.id:
        raise refused(call, NOT_FOUND, f"The product set {key} does not exist.")
    return found


def in_set(call: Call, found: ProductSet) -> list[Product]:
    test = filter_of(call, found.filter)
    return [product for product in RULES.products(call.world, found.parent) if test(product)]


def list_sets(call: Call) -> Response:
    catalog, given = catalog_of(call)
    found = call.world.store.find(ProductSet, parent=catalog.id)
    shown = [_set(call, one) for one in found if given.product_set_id in {"", one.id}]
    return answered(call, {"product_set": shown})


def create_set(call: Call) -> Response:
    catalog, given = catalog_of(call)
    require(given.conditions, "conditions: Missing data for required field.")
    made = ProductSet(id=digits(19), parent=catalog.id, name="", filter={})
    return _written(call, made, given)


def change_set(call: Call) -> Response:
    catalog, given = catalog_of(call)
    return _written(call, set_of(call, catalog, given.product_set_id), given)


def _written(call: Call, found: ProductSet, given: Asked) -> Response:
    found.name = given.product_set_name or found.name
    if not 0 < len(found.name) <= _LONGEST_SET_NAME:
        return failed(call, WRONG_PARAMETER, f"product_set_name: Length must be between 1 and {_LONGEST_SET_NAME}.")
    if given.conditions:
        filter_of(call, given.conditions)
        found.filter = given.conditions
    call.world.store.put(found)
    return answered(call, {name: _set(call, found)[name] for name in _MADE_SET})


_MADE_SET = ("product_set_id", "product_set_name", "product_count")


def delete_sets(call: Call) -> Response:
    catalog, given = catalog_of(call)
    if not 0 < len(given.product_set_ids) <= _MOST_SETS:
        return failed(call, WRONG_PARAMETER, f"product_set_ids: between 1 and {_MOST_SETS} ids are allowed.")
    for found in [set_of(call, catalog, key) for key in given.product_set_ids]:
        call.world.store.delete(ProductSet, found.id)
    return answered(call, {"product_set_ids": given.product_set_ids})


def list_stores(call: Call) -> Response:
    token = signed_in(call, STORES)
    advertiser, _role = advertiser_of(call, token, call.query.get("advertiser_id", ""))
    found = call.world.store.find(Store, parent=advertiser.id)
    stores = [
        {
            "store_id": one.id,
            "store_name": one.name,
            "store_type": "TIKTOK_SHOP",
            "store_code": one.code,
            "store_authorized_bc_id": advertiser.parent,
            "catalog_id": one.catalog,
            "targeting_region_codes": [advertiser.country],
        }
        for one in found
    ]
    return answered(call, {"stores": stores})


def _catalog(one: Catalog) -> dict[str, Any]:
    conf = {"region_code": one.country, "currency": one.currency}
    return {
        "catalog_id": one.id,
        "catalog_name": one.name,
        "catalog_type": one.kind,
        "ad_creation_eligible": "AVAILABLE",
        "catalog_conf": conf,
    }


def _set(call: Call, one: ProductSet) -> dict[str, Any]:
    return {
        "product_set_id": one.id,
        "catalog_id": one.parent,
        "product_set_name": one.name,
        "conditions": one.filter,
        "product_count": len(in_set(call, one)),
    }


def shown_catalogs(world: World, account: str) -> list[ShownCatalog]:
    """Return the catalogs of the Business Center that owns an ad account."""
    advertiser = world.store.get(Advertiser, account)
    return [] if advertiser is None or not advertiser.parent else RULES.shown(world, advertiser.parent)


ROUTES = [
    *api("GET", "catalog/get", list_catalogs),
    *api("POST", "catalog/create", create_catalog),
    *api("POST", "catalog/update", change_catalog),
    *api("POST", "catalog/delete", delete_catalog),
    *api("GET", "catalog/set/get", list_sets),
    *api("POST", "catalog/set/create", create_set),
    *api("POST", "catalog/set/update", change_set),
    *api("POST", "catalog/set/delete", delete_sets),
    *api("GET", "store/list", list_stores),
]
