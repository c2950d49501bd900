"""What OpenAI refuses although it is well-formed: schemas that are not strict, and settings that a model lacks."""

from collections.abc import Iterator, Mapping
from typing import Any

from socialgate_sandbox.kit.schema_values import validate_schema
from socialgate_sandbox.vendors.openai.errors import require

REASONING_MODEL_PREFIXES = ("gpt-5", "gpt-6", "o3")
# These always reason. Newer models take a temperature as long as they do not, which is the default of some.
_ALWAYS_REASONING_MODELS = {"gpt-5", "gpt-5-mini", "gpt-5-nano", "o3"}
_OPTIONAL_REASONING_MODEL_PREFIXES = ("gpt-5.1", "gpt-5.2", "gpt-5.4")


def require_valid_schema(schema: Mapping[str, Any], owner_noun: str, name: str, param: str, *, is_strict: bool) -> None:
    """Refuse a schema that is not valid or, if it must be strict, leaves anything open."""
    fault = validate_schema(schema)
    if fault is None and is_strict:
        fault = next(_iterate_strictness_errors(schema, ()), None)
    code = "invalid_function_parameters" if owner_noun == "function" else "invalid_json_schema"
    require(fault is None, f"Invalid schema for {owner_noun} '{name}': {fault}", param, code)


def supports_sampling(model: str, effort: str | None) -> bool:
    """Whether a model takes `temperature` and `top_p`."""
    if not model.startswith(REASONING_MODEL_PREFIXES):
        return True
    is_off = effort == "none" or (effort is None and model.startswith(_OPTIONAL_REASONING_MODEL_PREFIXES))
    return is_off and model not in _ALWAYS_REASONING_MODELS


def _iterate_strictness_errors(schema: Any, context: tuple[str, ...]) -> Iterator[str]:
    """Say what a strict schema lacks: every object lists all its properties as required, and allows no others."""
    if not isinstance(schema, Mapping):
        return
    where = f"In context={context}"
    properties = schema.get("properties") or {}
    if schema.get("type") == "object" or properties:
        if schema.get("additionalProperties") is not False:
            yield f"{where}, 'additionalProperties' is required to be supplied and to be false."
        missing = next((name for name in properties if name not in (schema.get("required") or ())), None)
        if missing is not None:
            yield (
                f"{where}, 'required' is required to be supplied and to be an array including every key in "
                f"properties. Missing '{missing}'."
            )
    for name in ("properties", "$defs", "definitions"):
        for key, inner in (schema.get(name) or {}).items():
            yield from _iterate_strictness_errors(inner, (*context, name, str(key)))
    yield from _iterate_strictness_errors(schema.get("items"), (*context, "items"))
    for place, inner in enumerate(schema.get("anyOf") or ()):
        yield from _iterate_strictness_errors(inner, (*context, "anyOf", str(place)))
