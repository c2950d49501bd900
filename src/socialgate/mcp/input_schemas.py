"""The schemas of tools' arguments, short enough for a model to read all of them in every conversation.

The arguments of a tool are those of its operations together, with the names of the API. What is nested is described in
words; `docs` shows it in full.
"""

import re
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from socialgate.mcp.operations import ApiOperations, Argument, Operation, Schema

JsonSchema: TypeAlias = dict[str, Any]

_MAX_ENUM_VALUES = 8
_SENTENCE_END = re.compile(r"(?<=[.:;,]) ")
_LINK = re.compile(r"`[A-Z]+ /[^`]*`")
# Names that say what they are, or that results explain.
_SELF_EXPLANATORY = frozenset({
    *("name", "text", "content", "description", "title", "url", "limit", "cursor", "since", "until", "status"),
    *("timezone", "currency", "country", "language", "brand", "email", "phone", "location", "condition", "price"),
})  # fmt: skip
# Accepted, and shown by `docs` only: rarely needed, or done by a tool of its own.
_HIDDEN = frozenset({
    *("metadata", "platformOptions", "adsetOptions", "publishNow", "draft", "queue", "adAccountOptions"),
})  # fmt: skip
# In the schemas of all tools that need them. A result says what to do with them.
CONFIRM: JsonSchema = {"type": "string", "description": "From the preview of the same call."}
AGAIN: JsonSchema = {"type": "integer", "description": "2, 3, … repeats on purpose."}


def build_action_schema(
    operations: ApiOperations, actions: Mapping[str, Operation], extra: Mapping[str, JsonSchema], length: int
) -> JsonSchema:
    """Build the schema of a tool that calls one of several operations."""
    shared = _list_shared_required(actions.values())
    properties: JsonSchema = {}
    if len(actions) > 1:
        needed = "; ".join(filter(None, (_describe_action(*action, shared) for action in actions.items())))
        properties["action"] = {"type": "string", "enum": list(actions)}
        if needed:
            properties["action"]["description"] = f"Needs: {needed}"
    for operation in actions.values():
        for argument in operation.arguments:
            if argument.name in _HIDDEN:
                continue
            merged = _build_property(operations, argument, length)
            known = properties.setdefault(argument.name, merged)
            if known.get("type") != merged.get("type"):
                known.pop("type", None)
            if "enum" in known and known.get("enum") != merged.get("enum"):
                known.pop("enum")
    properties |= extra
    required = [*(["action"] if len(actions) > 1 else []), *shared]
    return build_object(properties, required)


def build_object(properties: Mapping[str, JsonSchema], required: Iterable[str] = ()) -> JsonSchema:
    names = list(required)
    return {"type": "object", "properties": dict(properties)} | ({"required": names} if names else {})


def describe_list(operation: Operation) -> str:
    """List the filters of a list: `status,accountId`. Those that it needs have an asterisk."""
    filters = [
        f"{argument.name}*" if argument.required else argument.name
        for argument in (*operation.path_arguments, *operation.query)
        if argument.name not in {"limit", operation.cursor}
    ]
    return ",".join(filters)


def _list_shared_required(operations: Iterable[Operation]) -> Sequence[str]:
    """List the arguments that every action needs."""
    needed = [[argument.name for argument in operation.arguments if argument.required] for operation in operations]
    return [name for name in needed[0] if all(name in names for names in needed)]


def _describe_action(action: str, operation: Operation, shared: Collection[str]) -> str:
    """Describe what only this action needs."""
    own = [argument.name for argument in operation.arguments if argument.required and argument.name not in shared]
    return f"{action}({','.join(own)})" if own else ""


def _build_property(operations: ApiOperations, argument: Argument, length: int) -> JsonSchema:
    schema = operations.resolve(argument.schema)
    kind = schema.get("type")
    built: JsonSchema = {} if kind is None else {"type": kind}
    values = schema.get("enum", ())
    if values and len(values) <= _MAX_ENUM_VALUES:
        built["enum"] = list(values)
    if kind == "array":
        items = operations.resolve(schema.get("items", {}))
        if items.get("type") in {"string", "integer", "number"}:
            built["items"] = {"type": items["type"]}
    description = _describe(operations, argument, schema, length)
    if description:
        built["description"] = description
    return built


def _describe(operations: ApiOperations, argument: Argument, schema: Schema, length: int) -> str:
    shape = _describe_shape(operations, schema)
    if shape:
        return shape
    if argument.name in _SELF_EXPLANATORY or schema.get("enum") or argument.name.endswith(("Id", "Ids")):
        return ""
    return _shorten(argument.description, length)


def _describe_shape(operations: ApiOperations, schema: Schema) -> str:
    """Describe the fields of an object, or of the objects in a list: `[{accountId*, content}]`."""
    if schema.get("type") == "array":
        inner = _describe_shape(operations, operations.resolve(schema.get("items", {})))
        return f"[{inner}]" if inner else ""
    fields: Sequence[str] = list(schema.get("properties", {}))
    if not fields:
        return ""
    required = schema.get("required", ())
    return "{" + ",".join(f"{name}*" if name in required else name for name in fields) + "}"


def _shorten(description: str, length: int) -> str:
    """Take as much of the beginning of a description as there is room for, in whole words."""
    text = _LINK.sub("", description).replace("`", "")
    first, *rest = _SENTENCE_END.split(text)
    for part in rest:
        if len(first) + len(part) > length:
            break
        first = f"{first} {part}"
    return textwrap.shorten(first, max(length, 4), placeholder="").rstrip(" ,:;.")
