"""Product filters in TikTok's format, which differs between sets and lists."""

from collections.abc import Mapping, Sequence
from typing import Any

from socialgate.connectors.products import only
from socialgate.contracts.commerce import Field, FilterRule, Operator, Price, ProductFilter
from socialgate.contracts.money import number, read

_FIELDS: Mapping[Field, str] = {
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
AVAILABILITIES = {
    "inStock": "IN_STOCK",
    "outOfStock": "OUT_OF_STOCK",
    "preorder": "PREORDER",
    "availableForOrder": "AVAILABLE_FOR_ORDER",
    "discontinued": "DISCONTINUED",
}
CONDITIONS = {"new": "NEW", "refurbished": "REFURBISHED", "used": "USED"}
_CHOICES: Mapping[Operator, str] = {"is": "EQUAL", "isNot": "NOT_EQUAL"}
_PARTS: Mapping[Operator, str] = {"contains": "I_WILDCARD", "notContains": "I_NOT_WILDCARD", "startsWith": "I_PREFIX"}
_TEXTS: Mapping[Operator, str] = {**_CHOICES, **_PARTS}
# TikTok compares whole values of these only with lists.
_WORDS: Mapping[Operator, str] = {
    "isAny": "CONTAIN",
    "isNotAny": "EXCLUDE",
    "is": "CONTAIN",
    "isNot": "EXCLUDE",
    **_PARTS,
}
_AMOUNTS: Mapping[Operator, str] = {
    "is": "EQUAL",
    "lessThan": "LT",
    "atMost": "LTE",
    "greaterThan": "GT",
    "atLeast": "GTE",
}
IN_SETS: Mapping[str, Mapping[Operator, str]] = {
    "title": _TEXTS,
    "description": _TEXTS,
    "availability": _CHOICES,
    "condition": _CHOICES,
    "brand": _WORDS,
    "group": _WORDS,
    "category": _WORDS,
    "price": _AMOUNTS,
    "salePrice": _AMOUNTS,
}
_LISTED: Mapping[Operator, str] = {
    "is": "EQ",
    "isNot": "NE",
    "contains": "WILDCARD",
    "notContains": "NOT_WILDCARD",
    "startsWith": "PREFIX",
    "isAny": "IN",
    "isNotAny": "NOT_IN",
}
IN_LISTS: Mapping[str, Mapping[Operator, str]] = dict.fromkeys(
    ("title", "description", "brand", "condition", "group", "category"), _LISTED
)


def to_conditions(wanted: ProductFilter) -> dict[str, Any]:
    """Write the conditions of a set."""
    return {_join(wanted): [_condition(rule) for rule in wanted.rules]}


def to_query(wanted: ProductFilter) -> dict[str, Any]:
    """Write the conditions of a list of products."""
    return {
        _join(wanted): [
            {"field": _FIELDS[rule.field], "operator": _LISTED[rule.operator], "values": _theirs(rule)}
            for rule in wanted.rules
        ]
    }


def from_conditions(given: Any, currency: str | None) -> ProductFilter | None:
    """Read the conditions of a set; None if our filters cannot express them."""
    if not isinstance(given, dict) or len(given) != 1:
        return None
    ((join, rules),) = given.items()
    if join not in {"and", "or"} or not isinstance(rules, list):
        return None
    return only([_read(one, currency) for one in rules], "all" if join == "and" else "any")


def _join(wanted: ProductFilter) -> str:
    return "and" if wanted.join == "all" else "or"


def _condition(rule: FilterRule) -> dict[str, Any]:
    word = IN_SETS[rule.field][rule.operator]
    if rule.price is not None:
        value: Any = number(rule.price)
    else:
        values = _theirs(rule)
        value = values if word in {"CONTAIN", "EXCLUDE"} else values[0]
    return {"field": _FIELDS[rule.field], "operation": word, "value": value}


def _theirs(rule: FilterRule) -> list[str]:
    words = {"availability": AVAILABILITIES, "condition": CONDITIONS}.get(rule.field, {})
    return [words.get(one, one) for one in rule.values]


def _read(given: Any, currency: str | None) -> FilterRule | None:
    if not isinstance(given, dict):
        return None
    field = next((ours for ours, theirs in _FIELDS.items() if theirs == given.get("field")), None)
    value = given.get("value")
    values: Sequence[Any] = value if isinstance(value, list) else [value]
    if field is None:
        return None
    words = [ours for ours, theirs in IN_SETS[field].items() if theirs == given.get("operation")]
    if not words or not values:
        return None
    if field in {"price", "salePrice"}:
        try:
            price = Price.of(read(values[0], currency or ""))
        except (ValueError, AttributeError):
            return None
        return FilterRule(field=field, operator=words[0], price=price)
    # A list with one value is shown as a single value.
    operator = words[-1] if len(values) == 1 else words[0]
    ours = {theirs: word for word, theirs in {**AVAILABILITIES, **CONDITIONS}.items()}
    known = field in {"availability", "condition"}
    return FilterRule(
        field=field,
        operator=operator,
        values=tuple(ours.get(str(one), str(one)) if known else str(one) for one in values),
    )
