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

from socialgate_sandbox.dialects.graph.api import Edges, Finder
from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.dialects.graph.given import moment, parsed, words
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, Resolver, declared
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.dialects.graph.times import written
from socialgate_sandbox.kit import Call, Refused, Thing, digits, reply
from socialgate_sandbox.society.campaigns import Kept

K = TypeVar("K", bound=Kept)
Reader: TypeAlias = Callable[[str, Any], Any]
"""Converts what was given for the parameter of this name, or refuses it."""


def invalid(
    blamed: str, advice: str, *, subcode: int | None = None, title: str | None = None, code: int = 100
) -> Refused:
    """Refuse a parameter, which is named for programs and explained for people.

    What programs read is an object or its JSON in a string, depending on where the real check is made.
    """
    fields = {"blame_field_specs": [[blamed]]}
    return Refused(
        failure(
            "Invalid parameter",
            code,
            subcode=subcode,
            transient=False,
            title=title or "Invalid parameter",
            advice=advice,
            data=json.dumps(fields) if subcode is None else fields,
        )
    )


def _plainly_wrong(name: str, expected: str) -> Refused:
    return Refused(failure(f"(#100) Param {name} must be {expected}", 100))


def string(_name: str, given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given)


def anything(_name: str, given: Any) -> Any:
    return parsed(given)


def whole(name: str, given: Any) -> int:
    if not str(given).isdecimal():
        raise _plainly_wrong(name, "an integer greater than or equal to 0")
    return int(given)


def number(name: str, given: Any) -> float:
    try:
        return float(given)
    except (TypeError, ValueError) as error:
        raise _plainly_wrong(name, "a number") from error


def truth(name: str, given: Any) -> bool:
    said = str(given).lower()
    if said not in {"true", "false", "1", "0"}:
        raise _plainly_wrong(name, "a boolean")
    return said in {"true", "1"}


def time(name: str, given: Any) -> str:
    found = moment(given)
    if found is None:
        raise _plainly_wrong(name, "a valid datetime")
    return written(found)


def mapping(name: str, given: Any) -> dict[str, Any]:
    found = parsed(given)
    if not isinstance(found, dict):
        raise _plainly_wrong(name, "a JSON object")
    return found


def items(name: str, given: Any) -> list[Any]:
    found = parsed(given)
    if not isinstance(found, list):
        raise _plainly_wrong(name, "an array")
    return found


def choice(node: str, what: str) -> Reader:
    """Accept one of the values that Meta documents."""
    known = declared(node, what)

    def read(name: str, given: Any) -> str:
        if given not in known:
            raise _plainly_wrong(name, f"one of {{{', '.join(sorted(known))}}}")
        return str(given)

    return read


def choices(node: str, what: str) -> Reader:
    one = choice(node, what)
    return lambda name, given: [one(f"{name}[{place}]", word) for place, word in enumerate(items(name, given))]


def stored(*names: str) -> dict[str, Resolver]:
    """Create resolvers of what was given; what was not is omitted."""
    return {name: _stored(name) for name in names}


def _stored(name: str) -> Resolver:
    return lambda _call, thing, _field: thing.fields.get(name)


def amounts(*names: str) -> dict[str, Resolver]:
    """Create resolvers of numbers that are returned as strings."""
    return {name: _amount(name) for name in names}


def _amount(name: str) -> Resolver:
    return lambda _call, thing, _field: str(thing.fields[name]) if name in thing.fields else None


def times(created: str, changed: str) -> dict[str, Resolver]:
    return {
        created: lambda _call, thing, _field: written(thing.made),
        changed: lambda _call, thing, _field: written(thing.changed),
    }


def _nothing(_call: Call, _thing: Any, _given: dict[str, Any]) -> None:
    pass


@dataclass(frozen=True)
class Objects(Generic[K]):
    """`guard` refuses callers who may not change what belongs to an owner, by its id.

    `changes` are the parameters that can be changed later, all of them if it is None. `remove` deletes an object
    otherwise than by deleting it from the store, such as by marking it. `more` are what a new thing has besides.
    """

    node: NodeType
    kind: type[K]
    params: Mapping[str, Reader]
    guard: Callable[[Call, str], None]
    write: Callable[[Call, K, dict[str, Any]], None] = _nothing
    required: Sequence[str] = ("name",)
    changes: Collection[str] | None = None
    remove: Callable[[Call, K], None] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    def create(self, call: Call, owner: Thing) -> Any:
        made = self.make(call, owner.id, call.params)
        self._only_validate(call)
        return {"id": made.id}

    def make(self, call: Call, owner: str, given: Mapping[str, Any]) -> K:
        self.guard(call, owner)
        read = self._read(given, self.params)
        for name in self.required:
            if name not in read or read[name] == "":
                raise Refused(failure(f"(#100) The parameter {name} is required", 100))
        now = call.world.clock.now()
        return self._apply(call, self.kind(id=digits(17), parent=owner, made=now, changed=now, **self.more), read)

    def change(self, call: Call, thing: K) -> Any:
        self.guard(call, thing.parent)
        kept = self.params if self.changes is None else {name: self.params[name] for name in self.changes}
        self._apply(call, thing, self._read(call.params, kept))
        self._only_validate(call)
        return {"success": True}

    def delete(self, call: Call, thing: K) -> Any:
        self.guard(call, thing.parent)
        if self.remove is None:
            call.world.store.delete(self.kind, thing.id)
        else:
            self.remove(call, thing)
        return {"success": True}

    def listed(self, call: Call, owner: Thing) -> Any:
        found = call.world.store.find(self.kind, parent=owner.id, newest_first=True)
        return listing(call, [Node(self.node, one) for one in found])

    def edges(self, edge: str, owner: str = "AdAccount") -> Edges:
        return {
            f"GET {owner}/{edge}": self.listed,
            f"POST {owner}/{edge}": self.create,
            f"POST {self.node.name}": self.change,
            f"DELETE {self.node.name}": self.delete,
        }

    def finder(self, reaches: Callable[[Call, str], object | None]) -> Finder:
        """Find objects by their ids, as far as the caller reaches their owners."""

        def find(call: Call, key: str) -> Node | None:
            thing = call.world.store.get(self.kind, key)
            return Node(self.node, thing) if thing is not None and reaches(call, thing.parent) is not None else None

        return find

    def _apply(self, call: Call, thing: K, given: dict[str, Any]) -> K:
        thing.fields = {**thing.fields, **given}
        thing.name = str(thing.fields.get("name", ""))
        thing.changed = call.world.clock.now()
        self.write(call, thing, given)
        return call.world.store.put(thing)

    def _read(self, given: Mapping[str, Any], params: Mapping[str, Reader]) -> dict[str, Any]:
        return {name: read(name, given[name]) for name, read in params.items() if given.get(name) is not None}

    def _only_validate(self, call: Call) -> None:
        if "validate_only" in words(call.params.get("execution_options")):
            raise Refused(reply({"success": True}))
