"""Values that fit a JSON schema, filled with copy: what a model answers if it must answer with an object."""

from collections.abc import Mapping, Sequence
from typing import Any

from socialgate_sandbox.kit.text_generation import (
    TextRequest,
    build_hashtags,
    build_headline,
    detect_language,
    generate_text,
)

_DEFAULT_ITEMS, _MAX_ITEMS = 3, 100
_HEADLINE_NAMES = ("title", "headline", "subject", "name", "heading")
# Lists and references that may be inside one another. A schema that contains itself has no end.
_MAX_DEPTH = 6


def validate_schema(schema: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a schema. Only a valid one can be filled."""
    from jsonschema import Draft202012Validator, SchemaError  # noqa: PLC0415 - few prompts come with a schema

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return str(error.message)
    return None


def generate_value(schema: Mapping[str, Any], text_request: TextRequest) -> Any:
    """Return a value that the schema allows. Every property is there, as strict schemas want it."""
    return _generate(schema, schema, text_request, "", 0)


def _generate(root: Mapping[str, Any], subschema: Any, text_request: TextRequest, name: str, depth: int) -> Any:
    schema = _resolve_references(root, subschema if isinstance(subschema, Mapping) else {})
    depth += schema is not subschema
    fixed = [schema["const"]] if "const" in schema else schema.get("enum")
    if fixed:
        return fixed[text_request.seed[4] % len(fixed)]
    kind = _get_type(schema)
    if depth > _MAX_DEPTH or kind == "null":
        return None
    if kind == "object":
        properties = schema.get("properties", {})
        return {key: _generate(root, inner, text_request, key, depth) for key, inner in properties.items()}
    if kind == "array":
        return _generate_items(root, schema, text_request, name, depth)
    if kind in {"integer", "number"}:
        return schema.get("minimum", min(1, schema.get("maximum", 1)))
    return True if kind == "boolean" else _generate_string(schema, text_request, name)


def _resolve_references(root: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow references, and choose the first alternative that is not null."""
    for _ in range(_MAX_DEPTH):
        if "$ref" in schema:
            result: Any = root
            for part in filter(None, str(schema["$ref"]).lstrip("#/").split("/")):
                result = result.get(part) if isinstance(result, Mapping) else None
            schema = result if isinstance(result, Mapping) else {}
        elif alternatives := schema.get("anyOf") or schema.get("oneOf"):
            real = (
                alternative
                for alternative in alternatives
                if isinstance(alternative, Mapping) and alternative.get("type") != "null"
            )
            schema = next(real, {})
        else:
            break
    return schema


def _get_type(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, Sequence) and not isinstance(kind, str):
        return next((item for item in kind if item != "null"), "null")
    return str(kind)


def _generate_items(
    root: Mapping[str, Any], schema: Mapping[str, Any], text_request: TextRequest, name: str, depth: int
) -> list[Any]:
    usual = _DEFAULT_ITEMS if depth == 0 else 1
    count = min(_MAX_ITEMS, max(schema.get("minItems", 0), min(usual, schema.get("maxItems", usual))))
    inner = schema.get("items", {})
    if "tag" in name.lower() and isinstance(inner, Mapping) and _get_type(_resolve_references(root, inner)) == "string":
        return build_hashtags(text_request, count)
    return [_generate(root, inner, text_request.with_choice_seed(number), name, depth + 1) for number in range(count)]


def _generate_string(schema: Mapping[str, Any], text_request: TextRequest, name: str) -> str:
    most, lower = schema.get("maxLength"), name.lower()
    if "tag" in lower:
        return build_hashtags(text_request, 1)[0]
    if "language" in lower or "locale" in lower:
        return detect_language(text_request)
    if any(word in lower for word in _HEADLINE_NAMES):
        return build_headline(text_request)[:most]
    return generate_text(text_request, about=str(schema.get("description", "")), max_length=most)
