"""Nodes of the graph and how `fields` selects from them."""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from socialgate_sandbox.dialects.graph.errors import OAUTH, unknown_field
from socialgate_sandbox.dialects.graph.fields import Field, parse
from socialgate_sandbox.kit import Call, Thing

T = TypeVar("T", bound=Thing)
Resolver: TypeAlias = Callable[[Call, Any, Field], Any]
"""Returns the value of a thing's field. None omits it; a `Node` is expanded to its own fields."""

Expander: TypeAlias = Callable[[Call, "Node", Field], dict[str, Any] | None]
# How the API that is being called lists an edge given among the fields; None if there is no such edge.
EXPANDER: ContextVar[Expander] = ContextVar("EXPANDER")


def _read_declared() -> dict[tuple[str, str], frozenset[str]]:
    lines = Path(__file__).with_name("declared.txt").read_text().splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    return {(name, what): frozenset(words) for name, what, *words in rows}


_DECLARED = _read_declared()


@dataclass(frozen=True)
class NodeType:
    """`name` is what error messages call it. `default` is returned to callers that ask for no fields."""

    name: str
    fields: Mapping[str, Resolver]
    default: tuple[str, ...] = ("id",)
    error_kind: str = OAUTH


class Node(NamedTuple):
    type: NodeType
    thing: Any


def own(*names: str) -> dict[str, Resolver]:
    """Create resolvers that return the attributes of the same names."""
    return {name: _own(name) for name in names}


def _own(name: str) -> Resolver:
    return lambda _call, thing, _field: getattr(thing, name)


def always(**values: Any) -> dict[str, Resolver]:
    """Create resolvers of what is the same for everything in the sandbox; None is what nothing there has."""
    return {name: _always(value) for name, value in values.items()}


def _always(value: Any) -> Resolver:
    return lambda _call, _thing, _field: value


def optional(*names: str, of: str = "") -> dict[str, Resolver]:
    """Create resolvers of the attributes of a thing, or of what it has as `of`; empty ones are omitted."""
    return {name: _optional(f"{of}.{name}".lstrip(".")) for name in names}


def _optional(path: str) -> Resolver:
    read = attrgetter(path)
    return lambda _call, thing, _field: read(thing) or None


def wanted(call: Call) -> tuple[Field, ...]:
    """Read the `fields` of a call, a string or the JSON list that the SDKs write."""
    given = call.params.get("fields") or ""
    if isinstance(given, list):
        given = ",".join(map(str, given))
    return parse(_unlisted(str(given))) if given else ()


def declares(node: NodeType, what: str, name: str) -> bool:
    """Whether Meta documents a field or edge (`what`), even if the sandbox has nothing of the kind."""
    return name in declared(node.name, what)


def declared(node: str, what: str) -> frozenset[str]:
    """Return the fields or edges that Meta documents, or the values of a parameter."""
    return _DECLARED.get((node, what), frozenset())


def render(call: Call, node: Node, fields: Sequence[Field] = ()) -> dict[str, Any]:
    """Return a node. Its id is always included, whether it was requested or not."""
    written: dict[str, Any] = {}
    for field in fields or [Field(name) for name in node.type.default]:
        value = _value(call, node, field)
        if value is not None:
            written[field.name] = value
    if "id" in node.type.fields:
        written.setdefault("id", node.type.fields["id"](call, node.thing, Field("id")))
    return written


def _value(call: Call, node: Node, field: Field) -> Any:
    resolver = node.type.fields.get(field.name)
    if resolver is None:
        return _expanded(call, node, field)
    value = resolver(call, node.thing, field)
    return render(call, value, field.fields) if isinstance(value, Node) else projected(value, field.fields)


def _expanded(call: Call, node: Node, field: Field) -> dict[str, Any] | None:
    """List an edge within its node. An empty one is omitted, unless its count was requested."""
    rows = EXPANDER.get()(call, node, field)
    if rows is None and not declares(node.type, "fields", field.name):
        raise unknown_field(field.name, node.type.name, node.type.error_kind)
    return rows if rows is not None and (rows["data"] or "summary" in rows) else None


def finder(
    kind: type[T], node: NodeType, reaches: Callable[[Call, T], bool], require: Callable[[Call], None] | None = None
) -> Callable[[Call, str], Node | None]:
    """Return a function that finds things of a kind by their id, as far as the caller's token `reaches` them.

    `require` refuses callers that may not read what they reach.
    """

    def find(call: Call, key: str) -> Node | None:
        thing = call.world.store.get(kind, key)
        if thing is None or not reaches(call, thing):
            return None
        if require is not None:
            require(call)
        return Node(node, thing)

    return find


def cursor(node: Node) -> str:
    return b64encode(node.thing.id.encode(), altchars=b"-_").decode()


def projected(value: Any, fields: Sequence[Field]) -> Any:
    """Keep of plain data what was requested; the rows of an edge are in its `data`."""
    if not fields or not isinstance(value, dict):
        return value
    if isinstance(value.get("data"), list):
        return {**value, "data": [projected(row, fields) for row in value["data"]]}
    return {field.name: projected(value[field.name], field.fields) for field in fields if field.name in value}


def _unlisted(given: str) -> str:
    return given.strip("[]").replace('"', "") if given.startswith("[") else given
