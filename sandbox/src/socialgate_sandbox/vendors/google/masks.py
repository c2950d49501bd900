"""What callers want of a response: `fields=items(id,snippet/title)`, `readMask=title,metadata.placeId`, `filter=`."""

import re
from collections.abc import Mapping
from inspect import iscoroutinefunction
from typing import Any, TypeAlias

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Handler, Refused, reply
from socialgate_sandbox.vendors.google.errors import api_error, field_violation

Tree: TypeAlias = dict[str, Any]
"""The selected members by name, each with its own selection; a member without a selection is wanted whole."""

_TOKEN = re.compile(r"\s*([A-Za-z0-9_\-$*:]+|[(),/])\s*")
_DEEPEST = 50
_UNDERSCORE = re.compile(r"_([a-z])")
_TERM = re.compile(r'\s*([A-Za-z_.]+)\s*(!=|=|:)\s*("(?:[^"\\]|\\.)*"|[^\s"]+)\s*')
_AND_OR = re.compile(r"\s+(AND|OR)\s+")


def partial(handler: Handler) -> Handler:
    """Let callers select with `fields` what a JSON response contains."""

    def chosen(call: Call, answer: Any) -> Any:
        given = call.query.get("fields") or call.query.get("$fields")
        response = answer if isinstance(answer, Response) else reply(answer)
        if not given or not response.body or not 200 <= response.status_code < 300:  # noqa: PLR2004 - as HTTP has it
            return answer
        return reply(select(msgspec.json.decode(response.body), read_fields(given)), response.status_code)

    if iscoroutinefunction(handler):

        async def wait(call: Call) -> Any:
            return chosen(call, await handler(call))

        return wait
    return lambda call: chosen(call, handler(call))


def read_fields(given: str) -> Tree:
    tokens = _TOKEN.findall(given)
    tree, rest = _members(tokens) if tokens.count("(") <= _DEEPEST else ({}, tokens)
    if rest or "".join(tokens) != re.sub(r"\s", "", given) or not tree:
        message = f"Invalid field selection {given}"
        raise Refused(api_error(400, "invalidParameter", message, place=("parameter", "fields")))
    return tree


def _members(tokens: list[str]) -> tuple[Tree, list[str]]:
    """Read names separated by commas, up to anything that is not a name."""
    tree: Tree = {}
    while tokens and tokens[0] not in "(),/":
        place, name, tokens = tree, tokens[0], tokens[1:]
        while tokens[:1] == ["/"] and len(tokens) > 1:
            place, name, tokens = place.setdefault(name, {}), tokens[1], tokens[2:]
        inner: Tree = {}
        if tokens[:1] == ["("]:
            inner, tokens = _members(tokens[1:])
            tokens = tokens[1:] if inner and tokens[:1] == [")"] else ["("]
        place.setdefault(name, {}).update(inner)
        if tokens[:1] != [","]:
            break
        tokens = tokens[1:] or [","]
    return tree, tokens


def read_mask(given: str, known: set[str]) -> Tree:
    """Read a mask of dotted paths, in either naming style. Raises a `KeyError` with the first unknown name."""
    tree: Tree = {}
    for path in filter(None, (path.strip() for path in given.split(","))):
        names = camel(path).split(".")
        if names[0] not in known | {"*"}:
            raise KeyError(path)
        place = tree
        for name in names:
            place = place.setdefault(name, {})
    return tree


def select(value: Any, tree: Tree) -> Any:
    if isinstance(value, list):
        return [select(row, tree) for row in value]
    if not tree or not isinstance(value, dict):
        return value
    return {
        name: select(inner, tree.get(name) or tree.get("*") or {})
        for name, inner in value.items()
        if name in tree or "*" in tree
    }


def camel(name: str) -> str:
    return _UNDERSCORE.sub(lambda found: found[1].upper(), name)


def matches(row: Mapping[str, Any], given: str, known: set[str]) -> bool:
    """Check a resource against `storeCode="1" AND openInfo.status=OPEN`; AND takes precedence over OR."""
    parts = _AND_OR.split(given.strip())
    found = [_holds(row, term, known) for term in parts[::2]]
    groups: list[list[bool]] = [[found[0]]]
    for word, holds in zip(parts[1::2], found[1:], strict=True):
        if word == "AND":
            groups[-1].append(holds)
        else:
            groups.append([holds])
    return any(all(group) for group in groups)


def _holds(row: Mapping[str, Any], term: str, known: set[str]) -> bool:
    read = _TERM.fullmatch(term)
    path = camel(read[1]).split(".") if read is not None else [""]
    if read is None or path[0] not in known:
        raise Refused(field_violation("filter", f"Invalid filter: {term}"))
    value = read[3].strip('"').replace('\\"', '"').casefold()
    values = [str(one).casefold() for one in _values(row, path)]
    if read[2] == ":":
        return any(value in one for one in values)
    return (value in values) == (read[2] == "=")


def _values(value: Any, path: list[str]) -> list[Any]:
    if isinstance(value, list):
        return [found for row in value for found in _values(row, path)]
    if not path:
        return [value]
    return _values(value[path[0]], path[1:]) if isinstance(value, Mapping) and path[0] in value else []
