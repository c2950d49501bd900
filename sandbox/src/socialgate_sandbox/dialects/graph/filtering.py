"""The `filtering` parameter: `[{"field": "campaign.name", "operator": "CONTAIN", "value": "buns"}]`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from socialgate_sandbox.dialects.graph.errors import wrong
from socialgate_sandbox.dialects.graph.given import parsed
from socialgate_sandbox.kit import Call

T = TypeVar("T")
Keep: TypeAlias = Callable[[Any], bool]


def _words(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise wrong(f"Filtering value {value!r} must be a number") from error


_TESTS: Mapping[str, Callable[[Any, Any], bool]] = {
    "EQUAL": lambda value, wanted: str(value) in _words(wanted),
    "NOT_EQUAL": lambda value, wanted: str(value) not in _words(wanted),
    "IN": lambda value, wanted: str(value) in _words(wanted),
    "NOT_IN": lambda value, wanted: str(value) not in _words(wanted),
    "CONTAIN": lambda value, wanted: any(word.lower() in str(value).lower() for word in _words(wanted)),
    "NOT_CONTAIN": lambda value, wanted: not any(word.lower() in str(value).lower() for word in _words(wanted)),
    "GREATER_THAN": lambda value, wanted: _number(value) > _number(wanted),
    "GREATER_THAN_OR_EQUAL": lambda value, wanted: _number(value) >= _number(wanted),
    "LESS_THAN": lambda value, wanted: _number(value) < _number(wanted),
    "LESS_THAN_OR_EQUAL": lambda value, wanted: _number(value) <= _number(wanted),
    "IN_RANGE": lambda value, wanted: _number(wanted[0]) <= _number(value) <= _number(wanted[1]),
    "NOT_IN_RANGE": lambda value, wanted: not _number(wanted[0]) <= _number(value) <= _number(wanted[1]),
}


def filters_of(call: Call) -> list[dict[str, Any]]:
    given = parsed(call.params.get("filtering")) or []
    if not isinstance(given, list) or not all(
        isinstance(one, dict) and one.keys() >= {"field", "operator", "value"} for one in given
    ):
        raise wrong("Param filtering must be an array of objects with field, operator and value")
    for one in given:
        ranged = one["operator"] in {"IN_RANGE", "NOT_IN_RANGE"}
        if one["operator"] not in _TESTS or (ranged and not (isinstance(one["value"], list) and len(one["value"]) > 1)):
            raise wrong(f"Filtering operator {one['operator']} must be one of {{{', '.join(_TESTS)}}}")
    return given


def filtered(
    rows: Sequence[T], filters: Sequence[Mapping[str, Any]], readers: Mapping[str, Callable[[T], Any]]
) -> list[T]:
    """Keep the rows that pass all filters. A field may be written with the name of its object before it."""
    found = list(rows)
    for one in filters:
        read = readers.get(str(one["field"])) or readers.get(str(one["field"]).rpartition(".")[2])
        if read is None:
            raise wrong(f"Filtering field {one['field']} with operation {one['operator'].lower()} is not supported")
        test = _TESTS[one["operator"]]
        found = [row for row in found if test(read(row), one["value"])]
    return found
