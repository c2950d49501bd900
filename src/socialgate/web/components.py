"""The named schemas of the OpenAPI document, in the form that client generators can use.

Generators differ in what they support. What all of them do support: every name is one word, every enum has a type,
every union of objects is a named component that a discriminator selects from, and an enum in a response is open, so
that a value which a later version adds does not break an older client.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from socialgate.web.json_schema import REF_TEMPLATE

Schema: TypeAlias = dict[str, Any]
Components: TypeAlias = dict[str, Schema]

OPEN_ENUM = "x-extensible-enum"
# Selects the member of an open union for what this version does not know. No event and no task has this name.
UNKNOWN_MEMBER = "unknown"
# What the name of an enum ends with where it lists what is accepted, if responses have it too.
_INPUT = "Input"
# Parts of a schema that are not schemas themselves.
_NOT_SCHEMAS = frozenset({"example", "examples", "enum", "default", "mapping", "discriminator"})
_REF_PREFIX = REF_TEMPLATE.removesuffix("{name}")
_COMPONENT_NAME_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}
_NULL_SCHEMA = {"type": "null"}
# Rules between fields. The service checks them; a generator would make a type of each.
_CONDITION_KEYWORDS = frozenset({"if", "then", "else", "not", "dependentSchemas"})


class FieldVariants(NamedTuple):
    """An object whose field `field` has a type that depends on the value of its field `by`."""

    by: str
    field: str
    # The type of the field for each value, as a schema; None if there is nothing in it.
    members: Mapping[str, Schema]
    # What the names of the members end with.
    suffix: str
    # The field is null until there is something to show.
    nullable: bool = False


def build_reference(name: str) -> Schema:
    return {"$ref": REF_TEMPLATE.format(name=name)}


def format_type_name(name: str) -> str:
    """Return the name of a type for a name in the API: `post.platform.failed` becomes `PostPlatformFailed`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))


def remove_conditional_rules(schema: Any) -> Any:
    """Remove rules between fields from the schema of options."""
    if isinstance(schema, list):
        return [remove_conditional_rules(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {
        name: part
        for name, part in schema.items()
        if name not in _CONDITION_KEYWORDS and not _is_only_required_rules(part)
    }
    return {name: remove_conditional_rules(part) for name, part in parts.items()}


def _is_only_required_rules(part: Any) -> bool:
    return (
        isinstance(part, list)
        and bool(part)
        and all(isinstance(item, dict) and set(item) == {"required"} for item in part)
    )


def with_variants(components: Components, name: str, variants: FieldVariants) -> Components:
    """Replace an object by a union, with one member for each value of the field that selects it, and one for values
    that are added later.
    """
    base = components[name]
    mapping: dict[str, str] = {}
    members: Components = {}
    for value, schema in variants.members.items():
        title = format_type_name(value) + variants.suffix
        content = {"anyOf": [schema, _NULL_SCHEMA]} if variants.nullable else schema
        by = {"type": "string", "enum": [value]}
        members[title] = {**_build_variant(base, variants, by, content), "title": title}
        mapping[value] = REF_TEMPLATE.format(name=title)
    known = "|".join(re.escape(value).replace("\\.", "[.]") for value in variants.members)
    other = f"Other{variants.suffix}"
    # Generated validators ignore `not`, but every one of them knows patterns.
    by = {"type": "string", "pattern": f"^(?!({known})$)"}
    about = f"One with a `{variants.by}` that this version of the document does not know."
    anything = base["properties"][variants.field]
    members[other] = {**_build_variant(base, variants, by, anything), "title": other, "description": about}
    mapping[UNKNOWN_MEMBER] = REF_TEMPLATE.format(name=other)
    union = {
        "description": base["description"],
        "oneOf": [build_reference(member) for member in members],
        "discriminator": {"propertyName": variants.by, "mapping": mapping},
    }
    return {**components, **members, name: union}


def _build_variant(base: Schema, variants: FieldVariants, by: Schema, content: Schema) -> Schema:
    properties = dict(base["properties"])
    for name, schema in ((variants.by, by), (variants.field, content)):
        description = {key: properties[name][key] for key in ("description",) if key in properties[name]}
        properties[name] = {**schema, **description}
    return {**base, "properties": properties}


def name_unions(components: Components) -> Components:
    """Make a component of every union inside of another schema, named after the place where it is."""
    named: Components = {}
    for name, schema in components.items():
        walked = _walk_schema(schema, name, named)
        assert name not in named, f"a union has the name of the class {name}"
        named[name] = walked
    return named


def _named_inside(part: Any, at: str, key: str, named: Components) -> Any:
    """Walk through a schema. `at` is the name that a union found here would get."""
    match part:
        case dict() if key == "properties":
            return {name: _hoist_union(field, at + format_type_name(name), named) for name, field in part.items()}
        case dict() if key in {"items", "additionalProperties"}:
            return _hoist_union(part, f"{at}Item", named)
        case list() if key in {"anyOf", "oneOf"}:
            return [_walk_schema(item, at, named) for item in part]
        case _:
            return part


def _walk_schema(schema: Schema, at: str, named: Components) -> Schema:
    return {key: _named_inside(part, at, key, named) for key, part in schema.items()}


def _hoist_union(schema: Schema, at: str, named: Components) -> Schema:
    schema = _walk_schema(schema, at, named)
    keyword = next((keyword for keyword in ("anyOf", "oneOf") if keyword in schema), None)
    if keyword is None:
        return schema
    members = [member for member in schema[keyword] if member != _NULL_SCHEMA]
    if len(members) == 1:
        return schema
    assert at not in named, f"two unions are named {at}"
    about = {key: part for key, part in schema.items() if key in {"description", "default"}}
    union = {key: part for key, part in schema.items() if key not in {*about, keyword}}
    # Some generators make one object with all fields of `anyOf`.
    named[at] = {**union, "oneOf": members}
    if len(members) == len(schema[keyword]):
        return {**build_reference(at), **about}
    return {"anyOf": [build_reference(at), _NULL_SCHEMA], **about}


def simplify_schema(schema: Any) -> Any:
    """Give every enum its type, and make one schema of alternatives that are not types of their own: an integer is a
    number, and two enums are one.
    """
    if isinstance(schema, list):
        return [simplify_schema(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: part if name in _NOT_SCHEMAS else simplify_schema(part) for name, part in schema.items()}
    if isinstance(parts.get("enum"), list) and "type" not in parts:
        parts = {"type": _get_json_type(parts["enum"]), **parts}
    if "const" in parts and "type" not in parts and not isinstance(parts["const"], dict):
        parts = {"type": _get_json_type([parts["const"]]), **parts}
    return _merge_alternatives(parts) if isinstance(parts.get("anyOf"), list) else parts


def _get_json_type(values: Sequence[Any]) -> str:
    (kind,) = {type(value) for value in values}
    return _JSON_TYPES[kind]


def _merge_alternatives(schema: Schema) -> Schema:
    members: list[Schema] = []
    words = [value for item in schema["anyOf"] if _is_enum(item) for value in item["enum"]]
    for item in schema["anyOf"]:
        if _is_enum(item):
            merged = {"type": "string", "enum": words}
            members += [merged] if merged not in members else []
        elif not (item.get("type") == "integer" and {"type": "number"} in schema["anyOf"]):
            members.append(item)
    rest = {name: part for name, part in schema.items() if name != "anyOf"}
    return {**members[0], **rest} if len(members) == 1 else {**rest, "anyOf": members}


def _is_enum(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string" and "enum" in schema


def name_enums(components: Components) -> Components:
    """Make a component of every enum inside of another schema, named after the place where it is."""
    named: Components = {}
    for name, schema in components.items():
        walked = schema if "enum" in schema else _with_named_enums(schema, name, named)
        assert name not in named, f"an enum has the name of the class {name}"
        named[name] = walked
    return named


def _with_named_enums(schema: Any, at: str, named: Components) -> Any:
    """Walk through a schema. `at` is the name that an enum found here would get."""
    if isinstance(schema, list):
        return [_with_named_enums(part, at, named) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if is_choice(schema):
        assert at not in named, f"two enums are named {at}"
        about = {key: part for key, part in schema.items() if key in {"description", "default"}}
        named[at] = {key: part for key, part in schema.items() if key not in about}
        return {**build_reference(at), **about}
    return {
        key: {name: _with_named_enums(field, at + format_type_name(name), named) for name, field in part.items()}
        if key == "properties"
        else part
        if key in _NOT_SCHEMAS
        else _with_named_enums(part, at, named)
        for key, part in schema.items()
    }


def is_choice(schema: Mapping[str, Any]) -> bool:
    """Tell an enum from one value alone, which tells the members of a union apart."""
    return isinstance(schema.get("enum"), list) and len(schema["enum"]) > 1


def make_enums_extensible(components: Components, closed: Iterable[str]) -> Components:
    """Let every enum accept new values, except in what is sent to us: there it lists what is accepted.

    An enum that is both sent and received becomes two components: `Platform`, and `PlatformInput` for what is sent.
    """
    sent = find_reachable_components(components, closed)
    received = {
        name for name, schema in components.items() if name not in sent for name in list_referenced_names(schema)
    }
    both = {name for name in sent & received if is_choice(components[name])}
    result = {
        name: _make_enum_extensible(schema) if is_choice(schema) and (name in received or name not in sent) else schema
        for name, schema in components.items()
    }
    for name in sent - both:
        result[name] = _with_inputs(result[name], both)
    return result | {
        f"{name}{_INPUT}": {key: part for key, part in components[name].items() if key != "title"}
        for name in sorted(both)
    }


def _with_inputs(schema: Any, names: Iterable[str]) -> Any:
    if isinstance(schema, list):
        return [_with_inputs(part, names) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: _with_inputs(part, names) for key, part in schema.items()}
    name = str(parts.get("$ref", "")).removeprefix(_REF_PREFIX)
    return {**parts, **build_reference(f"{name}{_INPUT}")} if name in names else parts


def _make_enum_extensible(schema: Schema) -> Schema:
    return {OPEN_ENUM if name == "enum" else name: part for name, part in schema.items()}


def find_reachable_components(components: Components, starts: Iterable[str]) -> set[str]:
    """Find the components that some of them refer to, directly or not, including these."""
    result: set[str] = set()
    waiting = list(starts)
    while waiting:
        name = waiting.pop()
        if name not in result:
            result.add(name)
            waiting += list_referenced_names(components[name])
    return result


def list_referenced_names(schema: Any) -> Iterator[str]:
    """List the components that a schema refers to."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str) and schema["$ref"].startswith(_REF_PREFIX):
            yield schema["$ref"].removeprefix(_REF_PREFIX)
        for part in schema.values():
            yield from list_referenced_names(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from list_referenced_names(part)


def validate_component_names(components: Components) -> None:
    """Two classes of the same name would get module paths as names, of which generators keep one."""
    wrong = [name for name in components if not _COMPONENT_NAME_PATTERN.fullmatch(name)]
    assert not wrong, f"rename one of the classes: {wrong}"
