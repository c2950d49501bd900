"""Types of the OpenAPI document as trees of fields, which pages show one inside the other."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

Schema: TypeAlias = Mapping[str, Any]

_COMPONENTS = "#/components/schemas/"
_PAGE = re.compile(r"Page_(\w+?)_")
_NULL = {"type": "null"}
# What is deeper is named only: nobody unfolds that far, and pages would grow without end.
_MAX_DEPTH = 6
# Longer lists of values are cut: the rest is in the OpenAPI document.
_MAX_VALUES = 40
_LIMITS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
}


class FieldNode(msgspec.Struct, frozen=True, kw_only=True):
    """A field, and what is inside of it: fields of its own, or the fields of each form that it can have."""

    name: str
    type_name: str
    required: bool
    description: str
    notes: Sequence[str]
    values: Sequence[str]
    fields: Sequence["FieldNode"]
    variants: Mapping[str, Sequence["FieldNode"]]


class _TypeView(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    values: Sequence[str] = ()
    fields: Sequence[FieldNode] = ()
    variants: Mapping[str, Sequence[FieldNode]] = {}


class SchemaTrees:
    """Reads the components of a document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._schemas: Mapping[str, Schema] = document["components"]["schemas"]

    def get_name(self, schema: Schema) -> str:
        """Return the name of a type: of a page of accounts, `AccountPage`."""
        return _get_name(schema["$ref"]) if "$ref" in schema else str(schema.get("title", schema.get("type", "object")))

    def list_fields(self, schema: Schema) -> Sequence[FieldNode]:
        """List the fields of an object, each with all that is in it."""
        return self._view(schema, frozenset(), _MAX_DEPTH).fields

    def list_variants(self, schema: Schema) -> Mapping[str, Sequence[FieldNode]]:
        """List the forms of a type that has several, each with its fields."""
        return self._view(schema, frozenset(), _MAX_DEPTH).variants

    def resolve(self, schema: Schema) -> Schema:
        """Return what a reference refers to."""
        while "$ref" in schema:
            schema = self._schemas[schema["$ref"].removeprefix(_COMPONENTS)]
        return schema

    def _view(self, schema: Schema, enclosing: frozenset[str], depth: int) -> _TypeView:
        if "$ref" in schema:
            name = _get_name(schema["$ref"])
            target = self.resolve(schema)
            if _is_scalar(target):
                return self._view(target, enclosing, depth)
            if name in enclosing or depth == 0:
                return _TypeView(name=name)
            view = self._view(target, enclosing | {name}, depth - 1)
            return msgspec.structs.replace(view, name=name)
        alternatives = schema.get("oneOf") or schema.get("anyOf")
        if alternatives:
            return self._view_alternatives(schema, alternatives, enclosing, depth)
        if schema.get("type") == "array":
            items = self._view(schema.get("items", {}), enclosing, depth)
            return msgspec.structs.replace(items, name=f"array of {items.name}")
        return self._view_plain(schema, enclosing, depth)

    def _view_plain(self, schema: Schema, enclosing: frozenset[str], depth: int) -> _TypeView:
        values = (
            schema.get("enum") or schema.get("x-extensible-enum") or ([schema["const"]] if "const" in schema else [])
        )
        if values:
            return _TypeView(name="string" if isinstance(values[0], str) else "integer", values=_format_values(values))
        if "properties" in schema:
            return _TypeView(name="object", fields=list(self._list_nodes(schema, enclosing, depth)))
        kinds = schema.get("type", "any")
        name = kinds if isinstance(kinds, str) else " or ".join(kinds)
        return _TypeView(name=f"{name}, {schema['format']}" if "format" in schema else name)

    def _view_alternatives(
        self, schema: Schema, members: Sequence[Schema], enclosing: frozenset[str], depth: int
    ) -> _TypeView:
        rest = [member for member in members if member != _NULL]
        null = "" if len(rest) == len(members) else " or null"
        if len(rest) == 1:
            view = self._view(rest[0], enclosing, depth)
            return msgspec.structs.replace(view, name=view.name + null)
        views = [self._view(member, enclosing, depth) for member in rest]
        if not all(view.fields for view in views):
            names = list(dict.fromkeys(view.name for view in views))
            fields = next((view.fields for view in views if view.fields), ())
            values = [value for view in views for value in view.values]
            return _TypeView(name=" or ".join(names) + null, fields=fields, values=values)
        labels = _list_labels(schema) or [view.name for view in views]
        return _TypeView(
            name=f"one of {len(views)} types{null}",
            variants={label: view.fields for label, view in zip(labels, views, strict=True)},
        )

    def _list_nodes(self, schema: Schema, enclosing: frozenset[str], depth: int) -> Iterator[FieldNode]:
        required = set(schema.get("required", ()))
        for name, part in schema["properties"].items():
            view = self._view(part, enclosing, depth)
            yield FieldNode(
                name=name,
                type_name=view.name,
                required=name in required and not part.get("x-may-be-omitted", False),
                description=part.get("description", ""),
                notes=list(list_notes(part)),
                values=view.values,
                fields=view.fields,
                variants=view.variants,
            )


def list_notes(schema: Schema) -> Iterator[str]:
    """List the limits and the default of a value."""
    for part in (schema, *schema.get("anyOf", ())):
        for name, phrase in _LIMITS.items():
            if name in part:
                yield phrase.format(f"{part[name]:,}").removesuffix("s" if part[name] == 1 else "")
    if schema.get("default") is not None:
        yield f"default {msgspec.json.encode(schema['default']).decode()}"


def _is_scalar(schema: Schema) -> bool:
    return not any(key in schema for key in ("properties", "oneOf", "anyOf"))


def _list_labels(schema: Schema) -> list[str]:
    """Name forms by the value that selects them."""
    mapping: Mapping[str, str] = schema.get("discriminator", {}).get("mapping", {})
    labels = {reference: value for value, reference in reversed(list(mapping.items()))}
    members = [member.get("$ref", "") for member in schema.get("oneOf") or schema.get("anyOf") or ()]
    return [labels[member] for member in members] if all(member in labels for member in members) else []


def _format_values(values: Sequence[Any]) -> list[str]:
    shown = [str(value) if isinstance(value, str) else msgspec.json.encode(value).decode() for value in values]
    return shown if len(shown) <= _MAX_VALUES else [*shown[:_MAX_VALUES], "…"]


def _get_name(reference: str) -> str:
    name = reference.removeprefix(_COMPONENTS)
    page = _PAGE.fullmatch(name)
    return f"{page[1]}Page" if page else name
