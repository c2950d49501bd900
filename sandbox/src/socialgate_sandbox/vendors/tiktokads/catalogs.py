"""Catalogs of a Business Center, the product sets in them, and the shops of ad accounts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, CatalogView, VendorContext, generate_digits
from socialgate_sandbox.society.catalogs import CURRENCIES, Catalog, CatalogRules, Product, ProductSet
from socialgate_sandbox.society.product_filters import (
    FieldReader,
    InvalidFilterError,
    ProductFilter,
    build_product_filter,
)
from socialgate_sandbox.vendors.tiktokads.access import CATALOGS_SCOPE, STORES_SCOPE, authenticate, require_advertiser
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, select_page
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.errors import (
    INVALID_PARAMETER_CODE,
    NO_PERMISSION_CODE,
    NOT_FOUND_CODE,
    build_error,
    build_error_response,
    build_success_response,
    require,
)
from socialgate_sandbox.vendors.tiktokads.state import Advertiser, BusinessCenter, CenterMember, Store

_CATALOG_TYPES = ("ECOM", "HOTEL", "FLIGHT", "DESTINATION", "ENTERTAINMENT", "AUTO")
_MAX_NAME_LENGTH, _MAX_SET_NAME_LENGTH, _MAX_SETS = 128, 28, 10
CATALOG_RULES = CatalogRules(
    required=("title", "description", "availability", "brand", "price", "link", "image_link"),
    allowed_values={
        "availability": ("IN_STOCK", "AVAILABLE_FOR_ORDER", "PREORDER", "OUT_OF_STOCK", "DISCONTINUED"),
        "condition": ("NEW", "REFURBISHED", "USED"),
    },
    max_lengths={"id": 100, "title": 500, "description": 10_000, "brand": 150},
    id_length=19,
)
# The operators of sets. Most take several values, of which one must match or none may.
_TESTS_BY_SET_OPERATION = {
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
_SINGLE_VALUE_OPERATIONS = {"EQUAL", "NOT_EQUAL", "GT", "LT", "GTE", "LTE"}
_CHOICE_OPERATIONS = ("EQUAL", "NOT_EQUAL")
_AMOUNT_OPERATIONS = ("GT", "GTE", "LT", "LTE", "EQUAL")
_SUBSTRING_OPERATIONS = tuple(f"{fold}{word}" for word in ("WILDCARD", "NOT_WILDCARD", "PREFIX") for fold in ("", "I_"))
_LIST_OPERATIONS = ("CONTAIN", "I_CONTAIN", "EXCLUDE", "I_EXCLUDE", *_SUBSTRING_OPERATIONS)
# The operators that each field of a set supports.
_OPERATIONS_BY_FIELD: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("title", "description", "color", "size"), (*_CHOICE_OPERATIONS, *_SUBSTRING_OPERATIONS)),
    **dict.fromkeys(("availability", "condition", "gender"), _CHOICE_OPERATIONS),
    **dict.fromkeys(("brand", "item_group_id", "google_product_category", "product_type"), _LIST_OPERATIONS),
    **dict.fromkeys((f"custom_label_{number}" for number in range(5)), _LIST_OPERATIONS),
    **dict.fromkeys(("price", "sale_price"), _AMOUNT_OPERATIONS),
}
# Product lists have different operators.
_TESTS_BY_LIST_OPERATOR = {
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
_FILTERABLE_FIELDS = (
    "sku_id", "product_id", "title", "description", "brand", "item_group_id", "google_product_category", "condition",
    "color", "gender", "size", "sale_price", *(f"custom_label_{number}" for number in range(5)),
)  # fmt: skip


def _build_field_reader(name: str) -> FieldReader:
    return lambda product: product.fields.get(name)


_FIELD_READERS: Mapping[str, FieldReader] = {
    **{
        name: _build_field_reader(name)
        for name in ("title", "description", "brand", "availability", "condition", "price", "sale_price", "currency",
                     "item_group_id", "google_product_category", "color", "size", "gender",
                     *(f"custom_label_{number}" for number in range(5)))
    },
    "sku_id": lambda product: product.sku,
    "product_id": lambda product: product.id,
}  # fmt: skip


class CatalogParams(msgspec.Struct):
    bc_id: str
    catalog_id: str = ""
    name: str = ""
    catalog_type: str = ""
    catalog_conf: dict[str, Any] = {}
    product_set_id: str = ""
    product_set_ids: list[str] = []
    product_set_name: str = ""
    conditions: dict[str, Any] | None = None


def authorize_center_call(call: Call) -> CatalogParams:
    """Read the request of a member of the Business Center."""
    token, catalog_params = authenticate(call, CATALOGS_SCOPE), call.parse_params(CatalogParams)
    if call.context.store.get(CenterMember, f"{token.parent} {catalog_params.bc_id}") is None:
        raise build_error(call, NO_PERMISSION_CODE, f"No permission to operate bc {catalog_params.bc_id}.")
    return catalog_params


def require_catalog(call: Call) -> tuple[Catalog, CatalogParams]:
    catalog_params = authorize_center_call(call)
    catalog = call.context.store.get(Catalog, catalog_params.catalog_id)
    if catalog is None or catalog.parent != catalog_params.bc_id:
        raise build_error(call, NOT_FOUND_CODE, f"The catalog {catalog_params.catalog_id} does not exist.")
    return catalog, catalog_params


def list_catalogs(call: Call) -> Response:
    catalog_params = authorize_center_call(call)
    every = call.context.store.find(Catalog, parent=catalog_params.bc_id)
    catalogs = [catalog for catalog in every if catalog_params.catalog_id in {"", catalog.id}]
    shown, info = select_page(call, call.parse_params(PageQuery), catalogs, max_page_size=500)
    center = call.context.store.get(BusinessCenter, catalog_params.bc_id)
    about = {"bc_id": catalog_params.bc_id, "bc_name": center.name if center is not None else ""}
    return build_success_response(
        call, {"list": [_build_catalog_json(catalog) | {"bc_info": about} for catalog in shown], "page_info": info}
    )


def create_catalog(call: Call) -> Response:
    catalog_params = authorize_center_call(call)
    conf = catalog_params.catalog_conf
    require(0 < len(catalog_params.name) <= _MAX_NAME_LENGTH, f"name: Length must be between 1 and {_MAX_NAME_LENGTH}.")
    require(catalog_params.catalog_type in _CATALOG_TYPES, "catalog_type: not a valid choice.")
    if conf.get("currency") not in CURRENCIES or not conf.get("region_code"):
        return build_error_response(
            call, INVALID_PARAMETER_CODE, "catalog_conf: currency and region_code are required and must be valid."
        )
    catalog = Catalog(
        id=generate_digits(19),
        parent=catalog_params.bc_id,
        name=catalog_params.name,
        kind=catalog_params.catalog_type,
        created_at=call.context.clock.now(),
        currency=str(conf["currency"]),
        country=str(conf["region_code"]),
    )
    return build_success_response(call, {"catalog_id": call.context.store.put(catalog).id})


def update_catalog(call: Call) -> Response:
    catalog, catalog_params = require_catalog(call)
    catalog.name = catalog_params.name[:_MAX_NAME_LENGTH] or catalog.name
    call.context.store.put(catalog)
    return build_success_response(call, {"catalog_id": catalog.id})


def delete_catalog(call: Call) -> Response:
    catalog, _given = require_catalog(call)
    call.context.store.delete_all(Product, parent=catalog.id)
    call.context.store.delete_all(ProductSet, parent=catalog.id)
    call.context.store.delete(Catalog, catalog.id)
    return build_success_response(call, {"catalog_id": catalog.id})


def build_set_filter(call: Call, conditions: Any) -> ProductFilter:
    """Build a predicate on products from the conditions of a set: `{"and": [{"field", "operation", "value"}]}`."""
    return _build_filter(call, conditions, _parse_set_condition)


def build_list_filter(call: Call, conditions: Any) -> ProductFilter:
    """Build one from the conditions of a list: `{"and": [{"field", "operator", "values"}]}`."""
    return _build_filter(call, conditions, _parse_list_condition)


def _build_filter(call: Call, conditions: Any, parse_condition: Callable[[Any], dict[str, Any]]) -> ProductFilter:
    try:
        join, rows = _split_conditions(conditions)
        return build_product_filter({join: [parse_condition(row) for row in rows]}, _FIELD_READERS)
    except InvalidFilterError as error:
        raise build_error(call, INVALID_PARAMETER_CODE, f"conditions: {error}.") from error


def _split_conditions(conditions: Any) -> tuple[str, list[Any]]:
    if not isinstance(conditions, dict) or len(conditions) != 1 or not set(conditions) <= {"and", "or"}:
        raise InvalidFilterError("take either and or or")
    ((join, rows),) = conditions.items()
    if not isinstance(rows, list) or not rows:
        raise InvalidFilterError(f"{join} takes a list")
    return join, rows


def _parse_set_condition(condition: Any) -> dict[str, Any]:
    name, word = (
        (str(condition.get(value)) for value in ("field", "operation")) if isinstance(condition, dict) else ("", "")
    )
    if name not in _OPERATIONS_BY_FIELD:
        raise InvalidFilterError(f"{name} is not a field of sets")
    if word not in _OPERATIONS_BY_FIELD[name]:
        raise InvalidFilterError(f"the operation of {name} must be one of {', '.join(_OPERATIONS_BY_FIELD[name])}")
    value = condition.get("value")
    if isinstance(value, list) and word in _SINGLE_VALUE_OPERATIONS:
        raise InvalidFilterError(f"{word} takes a single value")
    values: Sequence[Any] = value if isinstance(value, list) else [value]
    join = "and" if "NOT" in word or "EXCLUDE" in word else "or"
    return {join: [{name: {_TESTS_BY_SET_OPERATION[word]: item}} for item in values]}


def _parse_list_condition(condition: Any) -> dict[str, Any]:
    name, word = (
        (str(condition.get(value)) for value in ("field", "operator")) if isinstance(condition, dict) else ("", "")
    )
    values = condition.get("values") if isinstance(condition, dict) else None
    if name not in _FILTERABLE_FIELDS or word not in _TESTS_BY_LIST_OPERATOR:
        raise InvalidFilterError(f"{name} {word} is not supported")
    if not isinstance(values, list) or not values or (len(values) > 1 and word not in {"IN", "NOT_IN"}):
        raise InvalidFilterError(f"values of {name} must be a list that fits {word}")
    test = _TESTS_BY_LIST_OPERATOR[word]
    if test in {"is_any", "is_not_any"}:
        return {name: {test: values}}
    fold = test in {"eq", "neq", "contains", "not_contains", "starts_with"} and not condition.get("case_sensitive")
    return {name: {f"i_{test}" if fold else test: values[0]}}


def require_set(call: Call, catalog: Catalog, key: str) -> ProductSet:
    product_set = call.context.store.get(ProductSet, key)
    if product_set is None or product_set.parent != catalog.id:
        raise build_error(call, NOT_FOUND_CODE, f"The product set {key} does not exist.")
    return product_set


def select_set_products(call: Call, product_set: ProductSet) -> list[Product]:
    test = build_set_filter(call, product_set.filter)
    return [product for product in CATALOG_RULES.products(call.context, product_set.parent) if test(product)]


def list_sets(call: Call) -> Response:
    catalog, catalog_params = require_catalog(call)
    product_sets = call.context.store.find(ProductSet, parent=catalog.id)
    shown = [
        _build_set_json(call, product_set)
        for product_set in product_sets
        if catalog_params.product_set_id in {"", product_set.id}
    ]
    return build_success_response(call, {"product_set": shown})


def create_set(call: Call) -> Response:
    catalog, catalog_params = require_catalog(call)
    require(catalog_params.conditions, "conditions: Missing data for required field.")
    product_set = ProductSet(id=generate_digits(19), parent=catalog.id, name="", filter={})
    return _store_set(call, product_set, catalog_params)


def update_set(call: Call) -> Response:
    catalog, catalog_params = require_catalog(call)
    return _store_set(call, require_set(call, catalog, catalog_params.product_set_id), catalog_params)


def _store_set(call: Call, product_set: ProductSet, params: CatalogParams) -> Response:
    product_set.name = params.product_set_name or product_set.name
    if not 0 < len(product_set.name) <= _MAX_SET_NAME_LENGTH:
        return build_error_response(
            call, INVALID_PARAMETER_CODE, f"product_set_name: Length must be between 1 and {_MAX_SET_NAME_LENGTH}."
        )
    if params.conditions:
        build_set_filter(call, params.conditions)
        product_set.filter = params.conditions
    call.context.store.put(product_set)
    return build_success_response(
        call, {name: _build_set_json(call, product_set)[name] for name in _SET_RESPONSE_FIELDS}
    )


_SET_RESPONSE_FIELDS = ("product_set_id", "product_set_name", "product_count")


def delete_sets(call: Call) -> Response:
    catalog, catalog_params = require_catalog(call)
    if not 0 < len(catalog_params.product_set_ids) <= _MAX_SETS:
        return build_error_response(
            call, INVALID_PARAMETER_CODE, f"product_set_ids: between 1 and {_MAX_SETS} ids are allowed."
        )
    for product_set in [require_set(call, catalog, key) for key in catalog_params.product_set_ids]:
        call.context.store.delete(ProductSet, product_set.id)
    return build_success_response(call, {"product_set_ids": catalog_params.product_set_ids})


def list_stores(call: Call) -> Response:
    token = authenticate(call, STORES_SCOPE)
    advertiser, _role = require_advertiser(call, token, call.query.get("advertiser_id", ""))
    existing_stores = call.context.store.find(Store, parent=advertiser.id)
    stores = [
        {
            "store_id": store.id,
            "store_name": store.name,
            "store_type": "TIKTOK_SHOP",
            "store_code": store.code,
            "store_authorized_bc_id": advertiser.parent,
            "catalog_id": store.catalog,
            "targeting_region_codes": [advertiser.country],
        }
        for store in existing_stores
    ]
    return build_success_response(call, {"stores": stores})


def _build_catalog_json(catalog: Catalog) -> dict[str, Any]:
    conf = {"region_code": catalog.country, "currency": catalog.currency}
    return {
        "catalog_id": catalog.id,
        "catalog_name": catalog.name,
        "catalog_type": catalog.kind,
        "ad_creation_eligible": "AVAILABLE",
        "catalog_conf": conf,
    }


def _build_set_json(call: Call, product_set: ProductSet) -> dict[str, Any]:
    return {
        "product_set_id": product_set.id,
        "catalog_id": product_set.parent,
        "product_set_name": product_set.name,
        "conditions": product_set.filter,
        "product_count": len(select_set_products(call, product_set)),
    }


def build_catalog_views(context: VendorContext, account: str) -> list[CatalogView]:
    """Return the catalogs of the Business Center that owns an ad account."""
    advertiser = context.store.get(Advertiser, account)
    return (
        []
        if advertiser is None or not advertiser.parent
        else CATALOG_RULES.build_catalog_views(context, advertiser.parent)
    )


ROUTES = [
    *build_api_routes("GET", "catalog/get", list_catalogs),
    *build_api_routes("POST", "catalog/create", create_catalog),
    *build_api_routes("POST", "catalog/update", update_catalog),
    *build_api_routes("POST", "catalog/delete", delete_catalog),
    *build_api_routes("GET", "catalog/set/get", list_sets),
    *build_api_routes("POST", "catalog/set/create", create_set),
    *build_api_routes("POST", "catalog/set/update", update_set),
    *build_api_routes("POST", "catalog/set/delete", delete_sets),
    *build_api_routes("GET", "store/list", list_stores),
]
