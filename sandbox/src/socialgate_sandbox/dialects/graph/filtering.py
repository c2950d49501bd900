"""The `filtering` parameter: `[{"field": "campaign.name", "operator": "CONTAIN", "value": "buns"}]`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from socialgate_sandbox.dialects.graph.errors import build_parameter_error
from socialgate_sandbox.dialects.graph.parameters import parse_json_text
from socialgate_sandbox.kit import Call

T = TypeVar("T")
RowFilter: TypeAlias = Callable[[Any], bool]


def _to_texts(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _parse_number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise build_parameter_error(f"Filtering value {value!r} must be a number") from error


_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "EQUAL": lambda value, requested: str(value) in _to_texts(requested),
    "NOT_EQUAL": lambda value, requested: str(value) not in _to_texts(requested),
    "IN": lambda value, requested: str(value) in _to_texts(requested),
    "NOT_IN": lambda value, requested: str(value) not in _to_texts(requested),
    "CONTAIN": lambda value, requested: any(word.lower() in str(value).lower() for word in _to_texts(requested)),
    "NOT_CONTAIN": lambda value, requested: (
        not any(word.lower() in str(value).lower() for word in _to_texts(requested))
    ),
    "GREATER_THAN": lambda value, requested: _parse_number(value) > _parse_number(requested),
    "GREATER_THAN_OR_EQUAL": lambda value, requested: _parse_number(value) >= _parse_number(requested),
    "LESS_THAN": lambda value, requested: _parse_number(value) < _parse_number(requested),
    "LESS_THAN_OR_EQUAL": lambda value, requested: _parse_number(value) <= _parse_number(requested),
    "IN_RANGE": lambda value, requested: (
        _parse_number(requested[0]) <= _parse_number(value) <= _parse_number(requested[1])
    ),
    "NOT_IN_RANGE": lambda value, requested: (
        not _parse_number(requested[0]) <= _parse_number(value) <= _parse_number(requested[1])
    ),
}


def parse_filters(call: Call) -> list[dict[str, Any]]:
    items = parse_json_text(call.params.get("filtering")) or []
    if not isinstance(items, list) or not all(
        isinstance(item, dict) and item.keys() >= {"field", "operator", "value"} for item in items
    ):
        raise build_parameter_error("Param filtering must be an array of objects with field, operator and value")
    for item in items:
        ranged = item["operator"] in {"IN_RANGE", "NOT_IN_RANGE"}
        if item["operator"] not in _OPERATORS or (
            ranged and not (isinstance(item["value"], list) and len(item["value"]) > 1)
        ):
            raise build_parameter_error(
                f"Filtering operator {item['operator']} must be one of {{{', '.join(_OPERATORS)}}}"
            )
    return items


def filter_rows(
    rows: Sequence[T], filters: Sequence[Mapping[str, Any]], readers: Mapping[str, Callable[[T], Any]]
) -> list[T]:
    """Keep the rows that pass all filters. A field may be written with the name of its object before it."""
    items = list(rows)
    for item in filters:
        read = readers.get(str(item["field"])) or readers.get(str(item["field"]).rpartition(".")[2])
        if read is None:
            raise build_parameter_error(
                f"Filtering field {item['field']} with operation {item['operator'].lower()} is not supported"
            )
        test = _OPERATORS[item["operator"]]
        items = [row for row in items if test(read(row), item["value"])]
    return items
