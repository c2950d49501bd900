"""Filters over products: `{"and": [{"brand": {"i_contains": "oak"}}, {"price": {"lt": 1000}}]}`."""

import operator
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

from socialgate_sandbox.society.catalogs import Product

ProductFilter: TypeAlias = Callable[[Product], bool]
FieldReader: TypeAlias = Callable[[Product], Any]
_MAX_DEPTH = 5


class InvalidFilterError(ValueError):
    """The text says what is wrong with a filter."""


def _build_text_comparison(check: Callable[[str, str], bool], *, ignores_case: bool) -> Callable[[Any, Any], bool]:
    def test(value: Any, requested: Any) -> bool:
        message, looked_for = str(value if value is not None else ""), str(requested)
        return check(message.lower(), looked_for.lower()) if ignores_case else check(message, looked_for)

    return test


def _build_number_comparison(check: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def test(value: Any, requested: Any) -> bool:
        amount, bound = _parse_decimal(value), _parse_decimal(requested)
        return amount is not None and bound is not None and check(amount, bound)

    return test


def _parse_decimal(value: Any) -> Decimal | None:
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def _is_any(value: Any, requested: Any) -> bool:
    return str(value) in [str(item) for item in (requested if isinstance(requested, list) else [requested])]


_TEXT_COMPARISONS: Mapping[str, Callable[[str, str], bool]] = {
    "eq": operator.eq,
    "neq": operator.ne,
    "contains": operator.contains,
    "not_contains": lambda message, expected: expected not in message,
    "starts_with": str.startswith,
}
_NUMBER_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "lt": operator.lt,
    "lte": operator.le,
    "gt": operator.gt,
    "gte": operator.ge,
}
COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    **{name: _build_text_comparison(check, ignores_case=False) for name, check in _TEXT_COMPARISONS.items()},
    **{f"i_{name}": _build_text_comparison(check, ignores_case=True) for name, check in _TEXT_COMPARISONS.items()},
    **{name: _build_number_comparison(check) for name, check in _NUMBER_COMPARISONS.items()},
    "is_any": _is_any,
    "is_not_any": lambda value, requested: not _is_any(value, requested),
}


def build_product_filter(value: Any, readers: Mapping[str, FieldReader], depth: int = 0) -> ProductFilter:
    """Build a predicate on products from a filter. `readers` define the fields."""
    if not isinstance(value, dict) or depth > _MAX_DEPTH:
        raise InvalidFilterError("A filter is an object, at most five deep")
    tests: list[ProductFilter] = []
    for name, inner in value.items():
        if name in {"and", "or"}:
            if not isinstance(inner, list):
                raise InvalidFilterError(f"{name} takes a list")
            parts = [build_product_filter(item, readers, depth + 1) for item in inner]
            tests.append(_combine_filters(all if name == "and" else any, parts))
        else:
            tests.append(_build_field_filter(name, inner, readers))
    return _combine_filters(all, tests)


def _combine_filters(combine: Callable[..., bool], tests: list[ProductFilter]) -> ProductFilter:
    return lambda product: combine(test(product) for test in tests)


def _build_field_filter(name: str, value: Any, readers: Mapping[str, FieldReader]) -> ProductFilter:
    reader = readers.get(name)
    if reader is None:
        raise InvalidFilterError(f"{name} is not a field to filter by")
    if not isinstance(value, dict) or not value or not set(value) <= set(COMPARISONS):
        raise InvalidFilterError(f"{name} takes one of: {', '.join(COMPARISONS)}")
    for word, expected in value.items():
        if word in _NUMBER_COMPARISONS and _parse_decimal(expected) is None:
            raise InvalidFilterError(f"{expected!r} is not a number")
    checks = [(COMPARISONS[word], requested) for word, requested in value.items()]
    return lambda product: all(check(reader(product), requested) for check, requested in checks)
