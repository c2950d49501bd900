"""Nodes of the graph and how `fields` selects from them."""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from socialgate_sandbox.dialects.graph.errors import OAUTH_EXCEPTION, build_unknown_field_error
from socialgate_sandbox.dialects.graph.fields import RequestedField, parse_fields
from socialgate_sandbox.kit import Call, StoredObject

T = TypeVar("T", bound=StoredObject)
FieldResolver: TypeAlias = Callable[[Call, Any, RequestedField], Any]
"""Returns the value of a thing's field. None omits it; a `Node` is expanded to its own fields."""

EdgeExpander: TypeAlias = Callable[[Call, "Node", RequestedField], dict[str, Any] | None]
# How the API that is being called lists an edge given among the fields; None if there is no such edge.
EDGE_EXPANDER: ContextVar[EdgeExpander] = ContextVar("EXPANDER")


def _read_documented_names() -> dict[tuple[str, str], frozenset[str]]:
    lines = Path(__file__).with_name("declared.txt").read_text().splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    return {(name, label): frozenset(words) for name, label, *words in rows}


_DOCUMENTED_NAMES = _read_documented_names()


@dataclass(frozen=True)
class NodeType:
    """`name` is what error messages call it. `default_fields` is returned to callers that ask for no fields."""

    name: str
    fields: Mapping[str, FieldResolver]
    default_fields: tuple[str, ...] = ("id",)
    error_kind: str = OAUTH_EXCEPTION


class Node(NamedTuple):
    type: NodeType
    stored_object: Any


def resolve_attributes(*names: str) -> dict[str, FieldResolver]:
    """Create resolvers that return the attributes of the same names."""
    return {name: _resolve_attribute(name) for name in names}


def _resolve_attribute(name: str) -> FieldResolver:
    return lambda _call, thing, _field: getattr(thing, name)


def resolve_constants(**values: Any) -> dict[str, FieldResolver]:
    """Create resolvers of what is the same for everything in the sandbox; None is what nothing there has."""
    return {name: _resolve_constant(value) for name, value in values.items()}


def _resolve_constant(value: Any) -> FieldResolver:
    return lambda _call, _thing, _field: value


def resolve_optional_attributes(*names: str, parent_path: str = "") -> dict[str, FieldResolver]:
    """Create resolvers of the attributes of a thing, or of what it has as `parent_path`; empty ones are omitted."""
    return {name: _resolve_optional_attribute(f"{parent_path}.{name}".lstrip(".")) for name in names}


def _resolve_optional_attribute(path: str) -> FieldResolver:
    read = attrgetter(path)
    return lambda _call, thing, _field: read(thing) or None


def parse_requested_fields(call: Call) -> tuple[RequestedField, ...]:
    """Read the `fields` of a call, a string or the JSON list that the SDKs write."""
    value = call.params.get("fields") or ""
    if isinstance(value, list):
        value = ",".join(map(str, value))
    return parse_fields(_strip_list_syntax(str(value))) if value else ()


def documents_name(node: NodeType, category: str, name: str) -> bool:
    """Whether Meta documents a field or edge (`category`), even if the sandbox has nothing of the kind."""
    return name in get_documented_names(node.name, category)


def get_documented_names(node: str, category: str) -> frozenset[str]:
    """Return the fields or edges that Meta documents, or the values of a parameter."""
    return _DOCUMENTED_NAMES.get((node, category), frozenset())


def render_node(call: Call, node: Node, fields: Sequence[RequestedField] = ()) -> dict[str, Any]:
    """Return a node. Its id is always included, whether it was requested or not."""
    written: dict[str, Any] = {}
    for field in fields or [RequestedField(name) for name in node.type.default_fields]:
        value = _resolve_field(call, node, field)
        if value is not None:
            written[field.name] = value
    if "id" in node.type.fields:
        written.setdefault("id", node.type.fields["id"](call, node.stored_object, RequestedField("id")))
    return written


def _resolve_field(call: Call, node: Node, field: RequestedField) -> Any:
    resolver = node.type.fields.get(field.name)
    if resolver is None:
        return _expand_edge(call, node, field)
    value = resolver(call, node.stored_object, field)
    return render_node(call, value, field.fields) if isinstance(value, Node) else select_fields(value, field.fields)


def _expand_edge(call: Call, node: Node, field: RequestedField) -> dict[str, Any] | None:
    """List an edge within its node. An empty one is omitted, unless its count was requested."""
    rows = EDGE_EXPANDER.get()(call, node, field)
    if rows is None and not documents_name(node.type, "fields", field.name):
        raise build_unknown_field_error(field.name, node.type.name, node.type.error_kind)
    return rows if rows is not None and (rows["data"] or "summary" in rows) else None


def build_finder(
    kind: type[T], node: NodeType, can_access: Callable[[Call, T], bool], require: Callable[[Call], None] | None = None
) -> Callable[[Call, str], Node | None]:
    """Return a function that finds things of a kind by their id, as far as the caller's token `can_access` them.

    `require` refuses callers that may not read what they reach.
    """

    def find(call: Call, key: str) -> Node | None:
        thing = call.context.store.get(kind, key)
        if thing is None or not can_access(call, thing):
            return None
        if require is not None:
            require(call)
        return Node(node, thing)

    return find


def encode_cursor(node: Node) -> str:
    return b64encode(node.stored_object.id.encode(), altchars=b"-_").decode()


def select_fields(value: Any, fields: Sequence[RequestedField]) -> Any:
    """Keep of plain data what was requested; the rows of an edge are in its `data`."""
    if not fields or not isinstance(value, dict):
        return value
    if isinstance(value.get("data"), list):
        return {**value, "data": [select_fields(row, fields) for row in value["data"]]}
    return {field.name: select_fields(value[field.name], field.fields) for field in fields if field.name in value}


def _strip_list_syntax(value: str) -> str:
    return value.strip("[]").replace('"', "") if value.startswith("[") else value
