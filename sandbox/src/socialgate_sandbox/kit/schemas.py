"""Values that fit a JSON schema, filled with copy: what a model answers if it must answer with an object."""

from collections.abc import Mapping, Sequence
from typing import Any

from socialgate_sandbox.kit.copywriting import Brief, compose, hashtags_of, headline, language_of

_USUAL_ITEMS, _MOST_ITEMS = 3, 100
_SHORT = ("title", "headline", "subject", "name", "heading")
# Lists and references that may be inside one another. A schema that contains itself has no end.
_DEEPEST = 6


def fault_of(schema: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a schema. Only a valid one can be filled."""
    from jsonschema import Draft202012Validator, SchemaError  # noqa: PLC0415 - few prompts come with a schema

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return str(error.message)
    return None


def fill(schema: Mapping[str, Any], brief: Brief) -> Any:
    """Return a value that the schema allows. Every property is there, as strict schemas want it."""
    return _value(schema, schema, brief, "", 0)


def _value(root: Mapping[str, Any], given: Any, brief: Brief, name: str, depth: int) -> Any:
    schema = _resolved(root, given if isinstance(given, Mapping) else {})
    depth += schema is not given
    fixed = [schema["const"]] if "const" in schema else schema.get("enum")
    if fixed:
        return fixed[brief.seed[4] % len(fixed)]
    kind = _kind(schema)
    if depth > _DEEPEST or kind == "null":
        return None
    if kind == "object":
        properties = schema.get("properties", {})
        return {key: _value(root, inner, brief, key, depth) for key, inner in properties.items()}
    if kind == "array":
        return _items(root, schema, brief, name, depth)
    if kind in {"integer", "number"}:
        return schema.get("minimum", min(1, schema.get("maximum", 1)))
    return True if kind == "boolean" else _text(schema, brief, name)


def _resolved(root: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow references, and choose the first alternative that is not null."""
    for _ in range(_DEEPEST):
        if "$ref" in schema:
            found: Any = root
            for part in filter(None, str(schema["$ref"]).lstrip("#/").split("/")):
                found = found.get(part) if isinstance(found, Mapping) else None
            schema = found if isinstance(found, Mapping) else {}
        elif alternatives := schema.get("anyOf") or schema.get("oneOf"):
            real = (one for one in alternatives if isinstance(one, Mapping) and one.get("type") != "null")
            schema = next(real, {})
        else:
            break
    return schema


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, Sequence) and not isinstance(kind, str):
        return next((one for one in kind if one != "null"), "null")
    return str(kind)


def _items(root: Mapping[str, Any], schema: Mapping[str, Any], brief: Brief, name: str, depth: int) -> list[Any]:
    usual = _USUAL_ITEMS if depth == 0 else 1
    count = min(_MOST_ITEMS, max(schema.get("minItems", 0), min(usual, schema.get("maxItems", usual))))
    inner = schema.get("items", {})
    if "tag" in name.lower() and isinstance(inner, Mapping) and _kind(_resolved(root, inner)) == "string":
        return hashtags_of(brief, count)
    return [_value(root, inner, brief.choice(number), name, depth + 1) for number in range(count)]


def _text(schema: Mapping[str, Any], brief: Brief, name: str) -> str:
    most, lower = schema.get("maxLength"), name.lower()
    if "tag" in lower:
        return hashtags_of(brief, 1)[0]
    if "language" in lower or "locale" in lower:
        return language_of(brief)
    if any(word in lower for word in _SHORT):
        return headline(brief)[:most]
    return compose(brief, about=str(schema.get("description", "")), most=most)
