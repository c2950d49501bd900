"""Filters over products: `{"and": [{"brand": {"i_contains": "oak"}}, {"price": {"lt": 1000}}]}`."""

import operator
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

from socialgate_sandbox.society.catalogs import Product

Keep: TypeAlias = Callable[[Product], bool]
Reader: TypeAlias = Callable[[Product], Any]
_DEEPEST = 5


class BadFilter(ValueError):
    """The text says what is wrong with a filter."""


def _text(check: Callable[[str, str], bool], *, fold: bool) -> Callable[[Any, Any], bool]:
    def test(value: Any, wanted: Any) -> bool:
        said, looked_for = str(value if value is not None else ""), str(wanted)
        return check(said.lower(), looked_for.lower()) if fold else check(said, looked_for)

    return test


def _number(check: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def test(value: Any, wanted: Any) -> bool:
        said, bound = _decimal(value), _decimal(wanted)
        return said is not None and bound is not None and check(said, bound)

    return test


def _decimal(given: Any) -> Decimal | None:
    try:
        found = Decimal(str(given))
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def _any(value: Any, wanted: Any) -> bool:
    return str(value) in [str(one) for one in (wanted if isinstance(wanted, list) else [wanted])]


_PLAIN: Mapping[str, Callable[[str, str], bool]] = {
    "eq": operator.eq,
    "neq": operator.ne,
    "contains": operator.contains,
    "not_contains": lambda said, wanted: wanted not in said,
    "starts_with": str.startswith,
}
_NUMBERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "lt": operator.lt,
    "lte": operator.le,
    "gt": operator.gt,
    "gte": operator.ge,
}
TESTS: Mapping[str, Callable[[Any, Any], bool]] = {
    **{name: _text(check, fold=False) for name, check in _PLAIN.items()},
    **{f"i_{name}": _text(check, fold=True) for name, check in _PLAIN.items()},
    **{name: _number(check) for name, check in _NUMBERS.items()},
    "is_any": _any,
    "is_not_any": lambda value, wanted: not _any(value, wanted),
}


def keep(given: Any, readers: Mapping[str, Reader], depth: int = 0) -> Keep:
    """Build a predicate on products from a filter. `readers` define the fields."""
    if not isinstance(given, dict) or depth > _DEEPEST:
        raise BadFilter("A filter is an object, at most five deep")
    tests: list[Keep] = []
    for name, inner in given.items():
        if name in {"and", "or"}:
            if not isinstance(inner, list):
                raise BadFilter(f"{name} takes a list")
            parts = [keep(one, readers, depth + 1) for one in inner]
            tests.append(_joined(all if name == "and" else any, parts))
        else:
            tests.append(_leaf(name, inner, readers))
    return _joined(all, tests)


def _joined(how: Callable[..., bool], tests: list[Keep]) -> Keep:
    return lambda product: how(test(product) for test in tests)


def _leaf(name: str, given: Any, readers: Mapping[str, Reader]) -> Keep:
    reader = readers.get(name)
    if reader is None:
        raise BadFilter(f"{name} is not a field to filter by")
    if not isinstance(given, dict) or not given or not set(given) <= set(TESTS):
        raise BadFilter(f"{name} takes one of: {', '.join(TESTS)}")
    for word, wanted in given.items():
        if word in _NUMBERS and _decimal(wanted) is None:
            raise BadFilter(f"{wanted!r} is not a number")
    checks = [(TESTS[word], wanted) for word, wanted in given.items()]
    return lambda product: all(check(reader(product), wanted) for check, wanted in checks)
