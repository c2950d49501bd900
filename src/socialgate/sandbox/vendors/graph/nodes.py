"""Nodes of the graph and how `fields` selects from them."""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlencode

from socialgate.sandbox.kit import Call
from socialgate.sandbox.vendors.graph.errors import OAUTH, unknown_field
from socialgate.sandbox.vendors.graph.fields import Field, parse

Resolver: TypeAlias = Callable[[Call, Any, Field], Any]
"""Gives the value of a thing's field. None leaves it out; a `Node`, a list of them or an `Edge` is written by its own
fields.
"""


@dataclass(frozen=True)
class NodeType:
    """`name` is what error messages call it. `default` is what a caller gets who asks for no fields."""

    name: str
    fields: Mapping[str, Resolver]
    default: tuple[str, ...] = ("id",)
    error_kind: str = OAUTH


class Node(NamedTuple):
    type: NodeType
    thing: Any


class Edge(NamedTuple):
    """Nodes inside of another one, with the way to more of them: `path` is where the same list stands by itself."""

    nodes: Sequence[Node]
    path: str
    summary: dict[str, Any] | None = None


def own(*names: str) -> dict[str, Resolver]:
    """Make resolvers that give the attributes of the same names."""
    return {name: _own(name) for name in names}


def _own(name: str) -> Resolver:
    return lambda _call, thing, _field: getattr(thing, name)


def wanted(call: Call) -> tuple[Field, ...]:
    """Read the `fields` of a call, a text or the JSON list that the SDKs write."""
    given = call.params.get("fields") or ""
    if isinstance(given, list):
        given = ",".join(map(str, given))
    return parse(_unlisted(str(given))) if given else ()


def render(call: Call, node: Node, fields: Sequence[Field] = ()) -> dict[str, Any]:
    """Write a node. Its id is always there, whether it was asked for or not."""
    written: dict[str, Any] = {}
    for field in fields or [Field(name) for name in node.type.default]:
        resolver = node.type.fields.get(field.name)
        if resolver is None:
            raise unknown_field(field.name, node.type.name, node.type.error_kind)
        value = _written(call, resolver(call, node.thing, field), field)
        if value is not None:
            written[field.name] = value
    if "id" in node.type.fields:
        written.setdefault("id", node.type.fields["id"](call, node.thing, Field("id")))
    return written


def _written(call: Call, value: Any, field: Field) -> Any:
    if isinstance(value, Node):
        return render(call, value, field.fields)
    if isinstance(value, Edge):
        return _edge(call, value, field)
    if isinstance(value, list) and value and isinstance(value[0], Node):
        return {"data": [render(call, row, field.fields) for row in value[: _most(field)]]}
    return projected(value, field.fields)


def _most(field: Field) -> int:
    given = field.args.get("limit", "")
    return int(given) if given.isdecimal() else 25


def _edge(call: Call, edge: Edge, field: Field) -> dict[str, Any]:
    page = edge.nodes[: _most(field)]
    found: dict[str, Any] = {"data": [render(call, node, field.fields) for node in page]}
    if page:
        found["paging"] = {"cursors": {"before": cursor(page[0]), "after": cursor(page[-1])}}
    if 0 < len(page) < len(edge.nodes):
        root = "/".join(call.path.split("/")[:3])
        inner = {name: value for name, value in field.args.items() if name != "limit"}
        given = {**inner, "access_token": call.params.get("access_token") or call.bearer or "", "limit": len(page)}
        fields = {"fields": ",".join(map(str, field.fields))} if field.fields else {}
        query = urlencode({**given, **fields, "after": cursor(page[-1])})
        found["paging"]["next"] = f"{call.world.url}{root}/{edge.path}?{query}"
    return found | ({"summary": edge.summary} if edge.summary is not None else {})


def cursor(node: Node) -> str:
    return b64encode(node.thing.id.encode(), altchars=b"-_").decode()


def projected(value: Any, fields: Sequence[Field]) -> Any:
    """Leave of plain data what was asked for; an edge's rows stand in its `data`."""
    if not fields or not isinstance(value, dict):
        return value
    if isinstance(value.get("data"), list):
        return {**value, "data": [projected(row, fields) for row in value["data"]]}
    return {field.name: projected(value[field.name], field.fields) for field in fields if field.name in value}


def _unlisted(given: str) -> str:
    return given.strip("[]").replace('"', "") if given.startswith("[") else given
