"""Product filters in Meta's format: `{"and": [{"brand": {"eq": "Oak"}}]}`."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.products import build_complete_filter
from socialgate.contracts.commerce import FilterField, FilterOperator, FilterRule, Price, ProductFilter
from socialgate.contracts.money import InvalidAmountError, from_vendor_subunits, to_vendor_subunits

# An amount is the price multiplied by 100, in all currencies: 490 yen is 49000.
_MINOR_UNITS_PER_UNIT = 100
_VENDOR_NAMES_BY_FIELD: Mapping[FilterField, str] = {
    "title": "name",
    "brand": "brand",
    "availability": "availability",
    "condition": "condition",
    "group": "retailer_product_group_id",
    "category": "category",
    "price": "price_amount",
    "salePrice": "sale_price_amount",
}
_VENDOR_NAMES_BY_OPERATOR: Mapping[FilterOperator, str] = {
    "is": "eq",
    "isNot": "neq",
    "contains": "i_contains",
    "notContains": "i_not_contains",
    "startsWith": "i_starts_with",
    "isAny": "is_any",
    "isNotAny": "is_not_any",
    "lessThan": "lt",
    "atMost": "lte",
    "greaterThan": "gt",
    "atLeast": "gte",
}
VENDOR_NAMES_BY_AVAILABILITY = {
    "inStock": "in stock",
    "outOfStock": "out of stock",
    "preorder": "preorder",
    "availableForOrder": "available for order",
    "discontinued": "discontinued",
}
_AMOUNT_OPERATORS = ("is", "lessThan", "atMost", "greaterThan", "atLeast")
_CHOICE_OPERATORS = ("is", "isNot", "isAny", "isNotAny")
_TEXT_OPERATORS = (*_CHOICE_OPERATORS, "contains", "notContains")
# Only the category supports `startsWith`.
SUPPORTED_OPERATORS_BY_FIELD: Mapping[str, Sequence[str]] = {
    "title": _TEXT_OPERATORS,
    "brand": _TEXT_OPERATORS,
    "group": _TEXT_OPERATORS,
    "category": (*_TEXT_OPERATORS, "startsWith"),
    "availability": _CHOICE_OPERATORS,
    "condition": _CHOICE_OPERATORS,
    "price": _AMOUNT_OPERATORS,
    "salePrice": _AMOUNT_OPERATORS,
}


def encode_filter(product_filter: ProductFilter) -> dict[str, Any]:
    rules = [_encode_rule(rule) for rule in product_filter.rules]
    return rules[0] if len(rules) == 1 else {"and" if product_filter.join == "all" else "or": rules}


def decode_filter(vendor_filter: Any) -> Any:
    """Return a filter as an object: Meta writes it as JSON in a string."""
    try:
        return msgspec.json.decode(vendor_filter) if isinstance(vendor_filter, str) else vendor_filter
    except msgspec.DecodeError:
        return vendor_filter


def parse_filter(vendor_filter: Any) -> ProductFilter | None:
    """Read a filter; None if ours cannot express it."""
    read = decode_filter(vendor_filter)
    if not isinstance(read, dict) or len(read) != 1:
        return None
    ((name, inner),) = read.items()
    is_list = name in {"and", "or"} and isinstance(inner, list)
    if is_list and (amount := _parse_price_rule(read)) is not None:
        return build_complete_filter([amount], "all")
    return (
        build_complete_filter([_parse_rule(item) for item in inner], "all" if name == "and" else "any")
        if is_list
        else build_complete_filter([_parse_rule(read)], "all")
    )


def _encode_rule(rule: FilterRule) -> dict[str, Any]:
    name, operator = _VENDOR_NAMES_BY_FIELD[rule.field], _VENDOR_NAMES_BY_OPERATOR[rule.operator]
    if rule.price is not None:
        amount = {name: {operator: to_vendor_subunits(rule.price, _MINOR_UNITS_PER_UNIT)}}
        return {"and": [{"currency": {"eq": rule.price.currency}}, amount]}
    values = [
        VENDOR_NAMES_BY_AVAILABILITY.get(value, value) if rule.field == "availability" else value
        for value in rule.values
    ]
    return {name: {operator: values if rule.operator in {"isAny", "isNotAny"} else values[0]}}


def _parse_rule(vendor_filter: Any) -> FilterRule | None:
    if not isinstance(vendor_filter, dict) or len(vendor_filter) != 1:
        return None
    if (amount := _parse_price_rule(vendor_filter)) is not None:
        return amount
    ((name, test),) = vendor_filter.items()
    field = next((ours for ours, theirs in _VENDOR_NAMES_BY_FIELD.items() if theirs == name), None)
    if field is None or field in {"price", "salePrice"} or not isinstance(test, dict) or len(test) != 1:
        return None
    ((word, value),) = test.items()
    operator = next((ours for ours, theirs in _VENDOR_NAMES_BY_OPERATOR.items() if theirs == word), None)
    if operator is None:
        return None
    values = [str(item) for item in (value if isinstance(value, list) else [value])]
    if field == "availability":
        ours = {theirs: word for word, theirs in VENDOR_NAMES_BY_AVAILABILITY.items()}
        values = [ours.get(value, value) for value in values]
    return FilterRule(field=field, operator=operator, values=tuple(values))


def _parse_price_rule(vendor_filter: Any) -> FilterRule | None:
    """Read a pair of currency and amount, which is a single rule of ours."""
    pair = vendor_filter.get("and")
    if not isinstance(pair, list) or len(pair) != 2:  # noqa: PLR2004 - a pair
        return None
    try:
        currency = str(pair[0]["currency"]["eq"])
        ((name, test),) = pair[1].items()
        ((word, value),) = test.items()
        field = {"price_amount": "price", "sale_price_amount": "salePrice"}[name]
        operator = next(ours for ours, theirs in _VENDOR_NAMES_BY_OPERATOR.items() if theirs == word)
        price = Price.from_money(from_vendor_subunits(int(value), _MINOR_UNITS_PER_UNIT, currency))
    except (KeyError, TypeError, ValueError, AttributeError, StopIteration, InvalidAmountError):
        return None
    return msgspec.convert({"field": field, "operator": operator, "price": price}, FilterRule)
