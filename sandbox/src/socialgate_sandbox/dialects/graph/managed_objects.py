"""Objects that callers create, change and delete, described by a table of their parameters.

    CONVERSIONS = Objects(
        node=CONVERSION,
        kind=Conversion,
        params={"name": string, "custom_event_type": choice("CustomConversion", "custom_event_type")},
        guard=require_advertiser,
        write=check_rule,
    )
    EDGES = {**CONVERSIONS.edges("customconversions")}

What was given is stored as it was read. `write` then checks it as a whole, and sets what follows from it. Unknown
parameters are ignored, as the real API ignores them.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from socialgate_sandbox.dialects.graph.api import EdgeHandlers, NodeFinder
from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.dialects.graph.nodes import FieldResolver, Node, NodeType, get_documented_names
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import parse_json_text, parse_time, parse_words
from socialgate_sandbox.dialects.graph.times import format_time
from socialgate_sandbox.kit import Call, CallRefusedError, StoredObject, build_json_response, generate_digits
from socialgate_sandbox.society.campaigns import AdAccountObject

K = TypeVar("K", bound=AdAccountObject)
ParameterParser: TypeAlias = Callable[[str, Any], Any]
"""Converts what was given for the parameter of this name, or refuses it."""


def build_blame_error(
    parameter_name: str, advice: str, *, subcode: int | None = None, title: str | None = None, code: int = 100
) -> CallRefusedError:
    """Refuse a parameter, which is named for programs and explained for people.

    What programs read is an object or its JSON in a string, depending on where the real check is made.
    """
    fields = {"blame_field_specs": [[parameter_name]]}
    return CallRefusedError(
        build_error_response(
            "Invalid parameter",
            code,
            subcode=subcode,
            transient=False,
            title=title or "Invalid parameter",
            advice=advice,
            data=json.dumps(fields) if subcode is None else fields,
        )
    )


def _build_type_error(name: str, expected: str) -> CallRefusedError:
    return CallRefusedError(build_error_response(f"(#100) Param {name} must be {expected}", 100))


def parse_string(_name: str, value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def parse_any(_name: str, value: Any) -> Any:
    return parse_json_text(value)


def parse_whole_number(name: str, value: Any) -> int:
    if not str(value).isdecimal():
        raise _build_type_error(name, "an integer greater than or equal to 0")
    return int(value)


def parse_number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise _build_type_error(name, "a number") from error


def parse_boolean(name: str, value: Any) -> bool:
    message = str(value).lower()
    if message not in {"true", "false", "1", "0"}:
        raise _build_type_error(name, "a boolean")
    return message in {"true", "1"}


def parse_time_text(name: str, value: Any) -> str:
    time = parse_time(value)
    if time is None:
        raise _build_type_error(name, "a valid datetime")
    return format_time(time)


def parse_object(name: str, value: Any) -> dict[str, Any]:
    result = parse_json_text(value)
    if not isinstance(result, dict):
        raise _build_type_error(name, "a JSON object")
    return result


def parse_list(name: str, value: Any) -> list[Any]:
    items = parse_json_text(value)
    if not isinstance(items, list):
        raise _build_type_error(name, "an array")
    return items


def build_choice_parser(node: str, parameter_name: str) -> ParameterParser:
    """Accept one of the values that Meta documents."""
    known = get_documented_names(node, parameter_name)

    def read(name: str, value: Any) -> str:
        if value not in known:
            raise _build_type_error(name, f"one of {{{', '.join(sorted(known))}}}")
        return str(value)

    return read


def build_choices_parser(node: str, parameter_name: str) -> ParameterParser:
    function = build_choice_parser(node, parameter_name)
    return lambda name, value: [
        function(f"{name}[{place}]", word) for place, word in enumerate(parse_list(name, value))
    ]


def resolve_stored(*names: str) -> dict[str, FieldResolver]:
    """Create resolvers of what was given; what was not is omitted."""
    return {name: _resolve_stored(name) for name in names}


def _resolve_stored(name: str) -> FieldResolver:
    return lambda _call, thing, _field: thing.fields.get(name)


def resolve_amounts(*names: str) -> dict[str, FieldResolver]:
    """Create resolvers of numbers that are returned as strings."""
    return {name: _resolve_amount(name) for name in names}


def _resolve_amount(name: str) -> FieldResolver:
    return lambda _call, thing, _field: str(thing.fields[name]) if name in thing.fields else None


def resolve_times(created: str, changed: str) -> dict[str, FieldResolver]:
    return {
        created: lambda _call, thing, _field: format_time(thing.created_at),
        changed: lambda _call, thing, _field: format_time(thing.changed),
    }


def _write_nothing(_call: Call, _thing: Any, _given: dict[str, Any]) -> None:
    pass


@dataclass(frozen=True)
class ManagedObjects(Generic[K]):
    """`require_access` refuses callers who may not change what belongs to an owner, by its id.

    `changeable_params` are the parameters that can be changed later, all of them if it is None. `remove` deletes an
    object otherwise than by deleting it from the store, such as by marking it. `extra_fields` are what a new thing has
    besides.
    """

    node: NodeType
    kind: type[K]
    parameter_parsers: Mapping[str, ParameterParser]
    require_access: Callable[[Call, str], None]
    validate_and_complete: Callable[[Call, K, dict[str, Any]], None] = _write_nothing
    required: Sequence[str] = ("name",)
    changeable_params: Collection[str] | None = None
    remove: Callable[[Call, K], None] | None = None
    extra_fields: Mapping[str, Any] = field(default_factory=dict)

    def create(self, call: Call, owner: StoredObject) -> Any:
        item = self.create_object(call, owner.id, call.params)
        self._stop_if_validate_only(call)
        return {"id": item.id}

    def create_object(self, call: Call, owner: str, value: Mapping[str, Any]) -> K:
        self.require_access(call, owner)
        read = self._parse_params(value, self.parameter_parsers)
        for name in self.required:
            if name not in read or read[name] == "":
                raise CallRefusedError(build_error_response(f"(#100) The parameter {name} is required", 100))
        now = call.context.clock.now()
        return self._apply(
            call,
            self.kind(id=generate_digits(17), parent=owner, created_at=now, changed=now, **self.extra_fields),
            read,
        )

    def change(self, call: Call, thing: K) -> Any:
        self.require_access(call, thing.parent)
        kept = (
            self.parameter_parsers
            if self.changeable_params is None
            else {name: self.parameter_parsers[name] for name in self.changeable_params}
        )
        self._apply(call, thing, self._parse_params(call.params, kept))
        self._stop_if_validate_only(call)
        return {"success": True}

    def delete(self, call: Call, thing: K) -> Any:
        self.require_access(call, thing.parent)
        if self.remove is None:
            call.context.store.delete(self.kind, thing.id)
        else:
            self.remove(call, thing)
        return {"success": True}

    def list_objects(self, call: Call, owner: StoredObject) -> Any:
        items = call.context.store.find(self.kind, parent=owner.id, newest_first=True)
        return build_page(call, [Node(self.node, item) for item in items])

    def build_edges(self, edge: str, owner: str = "AdAccount") -> EdgeHandlers:
        return {
            f"GET {owner}/{edge}": self.list_objects,
            f"POST {owner}/{edge}": self.create,
            f"POST {self.node.name}": self.change,
            f"DELETE {self.node.name}": self.delete,
        }

    def build_finder(self, reaches: Callable[[Call, str], object | None]) -> NodeFinder:
        """Find objects by their ids, as far as the caller reaches their owners."""

        def find(call: Call, key: str) -> Node | None:
            thing = call.context.store.get(self.kind, key)
            return Node(self.node, thing) if thing is not None and reaches(call, thing.parent) is not None else None

        return find

    def _apply(self, call: Call, thing: K, value: dict[str, Any]) -> K:
        thing.fields = {**thing.fields, **value}
        thing.name = str(thing.fields.get("name", ""))
        thing.changed = call.context.clock.now()
        self.validate_and_complete(call, thing, value)
        return call.context.store.put(thing)

    def _parse_params(self, value: Mapping[str, Any], params: Mapping[str, ParameterParser]) -> dict[str, Any]:
        return {name: read(name, value[name]) for name, read in params.items() if value.get(name) is not None}

    def _stop_if_validate_only(self, call: Call) -> None:
        if "validate_only" in parse_words(call.params.get("execution_options")):
            raise CallRefusedError(build_json_response({"success": True}))
