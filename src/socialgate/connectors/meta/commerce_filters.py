"""Product filters in Meta's format: `{"and": [{"brand": {"eq": "Oak"}}]}`."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.products import only
from socialgate.contracts.commerce import Field, FilterRule, Operator, Price, ProductFilter
from socialgate.contracts.money import BadMoney, counted, from_counted

# An amount is the price multiplied by 100, in all currencies: 490 yen is 49000.
_PARTS = 100
_FIELDS: Mapping[Field, str] = {
    "title": "name",
    "brand": "brand",
    "availability": "availability",
    "condition": "condition",
    "group": "retailer_product_group_id",
    "category": "category",
    "price": "price_amount",
    "salePrice": "sale_price_amount",
}
_OPERATORS: Mapping[Operator, str] = {
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
AVAILABILITIES = {
    "inStock": "in stock",
    "outOfStock": "out of stock",
    "preorder": "preorder",
    "availableForOrder": "available for order",
    "discontinued": "discontinued",
}
_AMOUNTS = ("is", "lessThan", "atMost", "greaterThan", "atLeast")
_CHOICES = ("is", "isNot", "isAny", "isNotAny")
_TEXTS = (*_CHOICES, "contains", "notContains")
# Only the category supports `startsWith`.
CAN: Mapping[str, Sequence[str]] = {
    "title": _TEXTS,
    "brand": _TEXTS,
    "group": _TEXTS,
    "category": (*_TEXTS, "startsWith"),
    "availability": _CHOICES,
    "condition": _CHOICES,
    "price": _AMOUNTS,
    "salePrice": _AMOUNTS,
}


def to_meta(wanted: ProductFilter) -> dict[str, Any]:
    rules = [_rule(rule) for rule in wanted.rules]
    return rules[0] if len(rules) == 1 else {"and" if wanted.join == "all" else "or": rules}


def decoded(given: Any) -> Any:
    """Return a filter as an object: Meta writes it as JSON in a string."""
    try:
        return msgspec.json.decode(given) if isinstance(given, str) else given
    except msgspec.DecodeError:
        return given


def from_meta(given: Any) -> ProductFilter | None:
    """Read a filter; None if ours cannot express it."""
    read = decoded(given)
    if not isinstance(read, dict) or len(read) != 1:
        return None
    ((name, inner),) = read.items()
    is_list = name in {"and", "or"} and isinstance(inner, list)
    if is_list and (amount := _amount(read)) is not None:
        return only([amount], "all")
    return (
        only([_read(one) for one in inner], "all" if name == "and" else "any")
        if is_list
        else only([_read(read)], "all")
    )


def _rule(rule: FilterRule) -> dict[str, Any]:
    name, operator = _FIELDS[rule.field], _OPERATORS[rule.operator]
    if rule.price is not None:
        amount = {name: {operator: counted(rule.price, _PARTS)}}
        return {"and": [{"currency": {"eq": rule.price.currency}}, amount]}
    values = [AVAILABILITIES.get(one, one) if rule.field == "availability" else one for one in rule.values]
    return {name: {operator: values if rule.operator in {"isAny", "isNotAny"} else values[0]}}


def _read(given: Any) -> FilterRule | None:
    if not isinstance(given, dict) or len(given) != 1:
        return None
    if (amount := _amount(given)) is not None:
        return amount
    ((name, test),) = given.items()
    field = next((ours for ours, theirs in _FIELDS.items() if theirs == name), None)
    if field is None or field in {"price", "salePrice"} or not isinstance(test, dict) or len(test) != 1:
        return None
    ((word, value),) = test.items()
    operator = next((ours for ours, theirs in _OPERATORS.items() if theirs == word), None)
    if operator is None:
        return None
    values = [str(one) for one in (value if isinstance(value, list) else [value])]
    if field == "availability":
        ours = {theirs: word for word, theirs in AVAILABILITIES.items()}
        values = [ours.get(one, one) for one in values]
    return FilterRule(field=field, operator=operator, values=tuple(values))


def _amount(given: Any) -> FilterRule | None:
    """Read a pair of currency and amount, which is a single rule of ours."""
    pair = given.get("and")
    if not isinstance(pair, list) or len(pair) != 2:  # noqa: PLR2004 - a pair
        return None
    try:
        currency = str(pair[0]["currency"]["eq"])
        ((name, test),) = pair[1].items()
        ((word, value),) = test.items()
        field = {"price_amount": "price", "sale_price_amount": "salePrice"}[name]
        operator = next(ours for ours, theirs in _OPERATORS.items() if theirs == word)
        price = Price.of(from_counted(int(value), _PARTS, currency))
    except (KeyError, TypeError, ValueError, AttributeError, StopIteration, BadMoney):
        return None
    return msgspec.convert({"field": field, "operator": operator, "price": price}, FilterRule)
