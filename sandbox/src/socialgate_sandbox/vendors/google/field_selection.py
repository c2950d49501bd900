"""What callers want of a response: `fields=items(id,snippet/title)`, `readMask=title,metadata.placeId`, `filter=`."""

import re
from collections.abc import Mapping
from inspect import iscoroutinefunction
from typing import Any, TypeAlias

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, CallRefusedError, Handler, build_json_response
from socialgate_sandbox.vendors.google.errors import build_api_error, build_field_violation

FieldSelection: TypeAlias = dict[str, Any]
"""The selected members by name, each with its own selection; a member without a selection is wanted whole."""

_TOKEN_PATTERN = re.compile(r"\s*([A-Za-z0-9_\-$*:]+|[(),/])\s*")
_MAX_DEPTH = 50
_UNDERSCORE_PATTERN = re.compile(r"_([a-z])")
_FILTER_TERM_PATTERN = re.compile(r'\s*([A-Za-z_.]+)\s*(!=|=|:)\s*("(?:[^"\\]|\\.)*"|[^\s"]+)\s*')
_AND_OR_PATTERN = re.compile(r"\s+(AND|OR)\s+")


def add_field_selection(handler: Handler) -> Handler:
    """Let callers select with `fields` what a JSON response contains."""

    def chosen(call: Call, answer: Any) -> Any:
        value = call.query.get("fields") or call.query.get("$fields")
        response = answer if isinstance(answer, Response) else build_json_response(answer)
        if not value or not response.body or not 200 <= response.status_code < 300:  # noqa: PLR2004 - as HTTP has it
            return answer
        return build_json_response(
            select_fields(msgspec.json.decode(response.body), parse_fields(value)), response.status_code
        )

    if iscoroutinefunction(handler):

        async def wait(call: Call) -> Any:
            return chosen(call, await handler(call))

        return wait
    return lambda call: chosen(call, handler(call))


def parse_fields(expression: str) -> FieldSelection:
    tokens = _TOKEN_PATTERN.findall(expression)
    tree, rest = _parse_members(tokens) if tokens.count("(") <= _MAX_DEPTH else ({}, tokens)
    if rest or "".join(tokens) != re.sub(r"\s", "", expression) or not tree:
        message = f"Invalid field selection {expression}"
        raise CallRefusedError(build_api_error(400, "invalidParameter", message, place=("parameter", "fields")))
    return tree


def _parse_members(tokens: list[str]) -> tuple[FieldSelection, list[str]]:
    """Read names separated by commas, up to anything that is not a name."""
    tree: FieldSelection = {}
    while tokens and tokens[0] not in "(),/":
        place, name, tokens = tree, tokens[0], tokens[1:]
        while tokens[:1] == ["/"] and len(tokens) > 1:
            place, name, tokens = place.setdefault(name, {}), tokens[1], tokens[2:]
        inner: FieldSelection = {}
        if tokens[:1] == ["("]:
            inner, tokens = _parse_members(tokens[1:])
            tokens = tokens[1:] if inner and tokens[:1] == [")"] else ["("]
        place.setdefault(name, {}).update(inner)
        if tokens[:1] != [","]:
            break
        tokens = tokens[1:] or [","]
    return tree, tokens


def parse_mask(expression: str, known_names: set[str]) -> FieldSelection:
    """Read a mask of dotted paths, in either naming style. Raises a `KeyError` with the first unknown name."""
    tree: FieldSelection = {}
    for path in filter(None, (path.strip() for path in expression.split(","))):
        names = convert_to_camel_case(path).split(".")
        if names[0] not in known_names | {"*"}:
            raise KeyError(path)
        place = tree
        for name in names:
            place = place.setdefault(name, {})
    return tree


def select_fields(value: Any, selection: FieldSelection) -> Any:
    if isinstance(value, list):
        return [select_fields(row, selection) for row in value]
    if not selection or not isinstance(value, dict):
        return value
    return {
        name: select_fields(inner, selection.get(name) or selection.get("*") or {})
        for name, inner in value.items()
        if name in selection or "*" in selection
    }


def convert_to_camel_case(name: str) -> str:
    return _UNDERSCORE_PATTERN.sub(lambda match: match[1].upper(), name)


def matches_filter(resource: Mapping[str, Any], expression: str, known_names: set[str]) -> bool:
    """Check a resource against `storeCode="1" AND openInfo.status=OPEN`; AND takes precedence over OR."""
    parts = _AND_OR_PATTERN.split(expression.strip())
    flags = [_matches_term(resource, term, known_names) for term in parts[::2]]
    groups: list[list[bool]] = [[flags[0]]]
    for word, holds in zip(parts[1::2], flags[1:], strict=True):
        if word == "AND":
            groups[-1].append(holds)
        else:
            groups.append([holds])
    return any(all(group) for group in groups)


def _matches_term(resource: Mapping[str, Any], term: str, known_names: set[str]) -> bool:
    read = _FILTER_TERM_PATTERN.fullmatch(term)
    path = convert_to_camel_case(read[1]).split(".") if read is not None else [""]
    if read is None or path[0] not in known_names:
        raise CallRefusedError(build_field_violation("filter", f"Invalid filter: {term}"))
    value = read[3].strip('"').replace('\\"', '"').casefold()
    values = [str(item).casefold() for item in _collect_values(resource, path)]
    if read[2] == ":":
        return any(value in current_value for current_value in values)
    return (value in values) == (read[2] == "=")


def _collect_values(value: Any, path: list[str]) -> list[Any]:
    if isinstance(value, list):
        return [result for row in value for result in _collect_values(row, path)]
    if not path:
        return [value]
    return _collect_values(value[path[0]], path[1:]) if isinstance(value, Mapping) and path[0] in value else []
