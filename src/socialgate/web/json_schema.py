"""JSON Schemas of types, in the form that client generators need.

msgspec omits the format of times, shows a literal true as an enum, indents the second paragraph of a description, does
not know the strings that describe fields, does not say that a free-form object is open nor that a field with a default
value is always in a response, and closes responses to fields that later versions add. Types and schemas are walked in
parallel, and what is missing is added to the schemas.
"""

from collections.abc import Mapping, Sequence
from inspect import cleandoc
from typing import Any, get_origin

import msgspec
from msgspec import inspect

from socialgate.web.field_words import describe_fields
from socialgate.web.schemas import QueryParameters, RequestBody, ResponseModel

REF_TEMPLATE = "#/components/schemas/{name}"
_REF_PREFIX = REF_TEMPLATE.removesuffix("{name}")
# The names of the union members in a schema, for those that need a description.
_SCHEMA_TYPE_BY_INFO: Mapping[type, str] = {
    inspect.DateTimeType: "string",
    inspect.ListType: "array",
    inspect.VarTupleType: "array",
    inspect.DictType: "object",
}


def build_schemas(kinds: Sequence[Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return a schema for each type, and the components that they refer to.

    All at once: two types of the same name get longer names, and the references must match the components.
    """
    schemas, components = msgspec.json.schema_components(kinds, ref_template=REF_TEMPLATE)
    walk = _SchemaCompleter(components)
    for info, schema in zip(inspect.multi_type_info(kinds), schemas, strict=True):
        walk.complete_schema(info, schema)
    return list(schemas), components


class _SchemaCompleter:
    def __init__(self, components: dict[str, Any]) -> None:
        self._components = components
        self._seen: set[str] = set()

    def complete_schema(self, info: inspect.Type, schema: dict[str, Any]) -> None:
        match info:
            case inspect.Metadata(type=inner):
                self.complete_schema(inner, schema)
            case inspect.DateTimeType():
                schema["format"] = "date-time"
            case inspect.LiteralType(values=(True,)):
                del schema["enum"]
                schema.pop("default", None)
                schema |= {"type": "boolean", "const": True}
            case inspect.UnionType(types=types):
                self._visit_union(types, schema)
            case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
                self.complete_schema(item, schema.get("items", {}))
            case inspect.DictType(value_type=inspect.AnyType()):
                # Else TypeScript gets an object that cannot have any field.
                schema["additionalProperties"] = True
            case inspect.DictType(value_type=value) if isinstance(schema.get("additionalProperties"), dict):
                self.complete_schema(value, schema["additionalProperties"])
            case inspect.StructType():
                self._visit_struct(info, schema)

    def _visit_union(self, types: Sequence[inspect.Type], schema: dict[str, Any]) -> None:
        parts = schema.get("anyOf", [])
        bare = [info.type if isinstance(info, inspect.Metadata) else info for info in types]
        structs = [info for info in bare if isinstance(info, inspect.StructType)]
        for struct, part in zip(structs, (part for part in parts if "$ref" in part), strict=False):
            self._visit_struct(struct, part)
        for info in bare:
            word = _SCHEMA_TYPE_BY_INFO.get(type(info))
            for part in (part for part in parts if word and part.get("type") == word):
                self.complete_schema(info, part)

    def _visit_struct(self, info: inspect.StructType, schema: dict[str, Any]) -> None:
        name = schema.get("$ref", "").removeprefix(_REF_PREFIX)
        component = self._components.get(name)
        if component is None or name in self._seen:
            return
        self._seen.add(name)
        if "description" in component:
            component["description"] = cleandoc(component["description"])
        kind = get_origin(info.cls) or info.cls
        if not issubclass(kind, RequestBody | QueryParameters):
            component.pop("additionalProperties", None)
        if issubclass(kind, ResponseModel) and not kind.__struct_config__.omit_defaults:
            component["required"] = [field.encode_name for field in info.fields if _is_always_sent(field)]
        properties = component.get("properties", {})
        describe_fields(kind, properties)
        for field in info.fields:
            self.complete_schema(field.type, properties.get(field.encode_name, {}))


def _is_always_sent(field: inspect.Field) -> bool:
    """Tell a default value from UNSET, which leaves a field out."""
    return field.required or (field.default, field.default_factory) != (msgspec.NODEFAULT, msgspec.NODEFAULT)
