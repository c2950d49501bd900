"""Product filters in TikTok's format, which differs between sets and lists."""

from collections.abc import Mapping, Sequence
from typing import Any

from socialgate.connectors.products import build_complete_filter
from socialgate.contracts.commerce import FilterField, FilterOperator, FilterRule, Price, ProductFilter
from socialgate.contracts.money import parse_amount, to_float

_VENDOR_NAMES_BY_FIELD: Mapping[FilterField, str] = {
    "title": "title",
    "description": "description",
    "brand": "brand",
    "availability": "availability",
    "condition": "condition",
    "group": "item_group_id",
    "category": "google_product_category",
    "price": "price",
    "salePrice": "sale_price",
}
VENDOR_NAMES_BY_AVAILABILITY = {
    "inStock": "IN_STOCK",
    "outOfStock": "OUT_OF_STOCK",
    "preorder": "PREORDER",
    "availableForOrder": "AVAILABLE_FOR_ORDER",
    "discontinued": "DISCONTINUED",
}
VENDOR_NAMES_BY_CONDITION = {"new": "NEW", "refurbished": "REFURBISHED", "used": "USED"}
_CHOICE_OPERATORS: Mapping[FilterOperator, str] = {"is": "EQUAL", "isNot": "NOT_EQUAL"}
_SUBSTRING_OPERATORS: Mapping[FilterOperator, str] = {
    "contains": "I_WILDCARD",
    "notContains": "I_NOT_WILDCARD",
    "startsWith": "I_PREFIX",
}
_TEXT_OPERATORS: Mapping[FilterOperator, str] = {**_CHOICE_OPERATORS, **_SUBSTRING_OPERATORS}
# TikTok compares whole values of these only with lists.
_KEYWORD_OPERATORS: Mapping[FilterOperator, str] = {
    "isAny": "CONTAIN",
    "isNotAny": "EXCLUDE",
    "is": "CONTAIN",
    "isNot": "EXCLUDE",
    **_SUBSTRING_OPERATORS,
}
_AMOUNT_OPERATORS: Mapping[FilterOperator, str] = {
    "is": "EQUAL",
    "lessThan": "LT",
    "atMost": "LTE",
    "greaterThan": "GT",
    "atLeast": "GTE",
}
PRODUCT_SET_OPERATORS_BY_FIELD: Mapping[str, Mapping[FilterOperator, str]] = {
    "title": _TEXT_OPERATORS,
    "description": _TEXT_OPERATORS,
    "availability": _CHOICE_OPERATORS,
    "condition": _CHOICE_OPERATORS,
    "brand": _KEYWORD_OPERATORS,
    "group": _KEYWORD_OPERATORS,
    "category": _KEYWORD_OPERATORS,
    "price": _AMOUNT_OPERATORS,
    "salePrice": _AMOUNT_OPERATORS,
}
_PRODUCT_LIST_OPERATORS: Mapping[FilterOperator, str] = {
    "is": "EQ",
    "isNot": "NE",
    "contains": "WILDCARD",
    "notContains": "NOT_WILDCARD",
    "startsWith": "PREFIX",
    "isAny": "IN",
    "isNotAny": "NOT_IN",
}
PRODUCT_LIST_OPERATORS_BY_FIELD: Mapping[str, Mapping[FilterOperator, str]] = dict.fromkeys(
    ("title", "description", "brand", "condition", "group", "category"), _PRODUCT_LIST_OPERATORS
)


def encode_product_set_filter(product_filter: ProductFilter) -> dict[str, Any]:
    """Write the conditions of a set."""
    return {_encode_join(product_filter): [_encode_rule(rule) for rule in product_filter.rules]}


def encode_product_list_filter(product_filter: ProductFilter) -> dict[str, Any]:
    """Write the conditions of a list of products."""
    return {
        _encode_join(product_filter): [
            {
                "field": _VENDOR_NAMES_BY_FIELD[rule.field],
                "operator": _PRODUCT_LIST_OPERATORS[rule.operator],
                "values": _encode_values(rule),
            }
            for rule in product_filter.rules
        ]
    }


def parse_product_set_filter(conditions: Any, currency: str | None) -> ProductFilter | None:
    """Read the conditions of a set; None if our filters cannot express them."""
    if not isinstance(conditions, dict) or len(conditions) != 1:
        return None
    ((join, rules),) = conditions.items()
    if join not in {"and", "or"} or not isinstance(rules, list):
        return None
    return build_complete_filter([_parse_rule(rule, currency) for rule in rules], "all" if join == "and" else "any")


def _encode_join(product_filter: ProductFilter) -> str:
    return "and" if product_filter.join == "all" else "or"


def _encode_rule(rule: FilterRule) -> dict[str, Any]:
    word = PRODUCT_SET_OPERATORS_BY_FIELD[rule.field][rule.operator]
    if rule.price is not None:
        value: Any = to_float(rule.price)
    else:
        values = _encode_values(rule)
        value = values if word in {"CONTAIN", "EXCLUDE"} else values[0]
    return {"field": _VENDOR_NAMES_BY_FIELD[rule.field], "operation": word, "value": value}


def _encode_values(rule: FilterRule) -> list[str]:
    words = {"availability": VENDOR_NAMES_BY_AVAILABILITY, "condition": VENDOR_NAMES_BY_CONDITION}.get(rule.field, {})
    return [words.get(value, value) for value in rule.values]


def _parse_rule(conditions: Any, currency: str | None) -> FilterRule | None:
    if not isinstance(conditions, dict):
        return None
    field = next((ours for ours, theirs in _VENDOR_NAMES_BY_FIELD.items() if theirs == conditions.get("field")), None)
    value = conditions.get("value")
    values: Sequence[Any] = value if isinstance(value, list) else [value]
    if field is None:
        return None
    words = [
        ours for ours, theirs in PRODUCT_SET_OPERATORS_BY_FIELD[field].items() if theirs == conditions.get("operation")
    ]
    if not words or not values:
        return None
    if field in {"price", "salePrice"}:
        try:
            price = Price.from_money(parse_amount(values[0], currency or ""))
        except (ValueError, AttributeError):
            return None
        return FilterRule(field=field, operator=words[0], price=price)
    # A list with one value is shown as a single value.
    operator = words[-1] if len(values) == 1 else words[0]
    ours = {theirs: word for word, theirs in {**VENDOR_NAMES_BY_AVAILABILITY, **VENDOR_NAMES_BY_CONDITION}.items()}
    known = field in {"availability", "condition"}
    return FilterRule(
        field=field,
        operator=operator,
        values=tuple(ours.get(str(item), str(item)) if known else str(item) for item in values),
    )
