"""Options that depend on the kind of account: checked against its JSON Schema, which `GET /platforms` shows."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain, islice
from typing import Any

import msgspec

from socialgate.core.errors import Fault
from socialgate.web.option_messages import build_option_error_message
from socialgate.web.similar import end_sentence, format_allowed_values, suggest_name

# A list of half a million wrong items would otherwise return as many errors.
_MAX_FIELD_ERRORS = 20
_MAX_OPTION_VALUES = 1_000
_MAX_NAME_LENGTH = 100
# Selects the type of the options in generated clients. The account says which kind it is, so callers may omit it.
KIND_FIELD = "kind"


def remove_kind_field(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a platform gets."""
    return {name: value for name, value in options.items() if name != KIND_FIELD}


def validate_options(
    schema: Mapping[str, Any], options: Mapping[str, Any], schema_field: str, kind: str
) -> list[Fault]:
    """Find what is wrong with the `options` of a request. `schema_field` is the field of GET /platforms with the
    schema.
    """
    if options.get(KIND_FIELD, kind) != kind:
        detail = f"These are the options of another kind of account. This one is of the kind {kind}."
        return [Fault(f"/options/{KIND_FIELD}", "invalid_option", detail)]
    params = remove_kind_field(options)
    if _has_too_many_values(params):
        detail = f"The options have more than {_MAX_OPTION_VALUES:,} values. No platform accepts that many."
        return [Fault("/options", "too_many", detail)]
    known = schema.get("properties", {})
    errors = _get_validator(msgspec.json.encode(dict(schema))).iter_errors(dict(params))
    return list(
        islice(chain.from_iterable(_to_field_errors(error, known, schema_field) for error in errors), _MAX_FIELD_ERRORS)
    )


def _to_field_errors(error: Any, options: Mapping[str, Any], schema_field: str) -> Iterator[Fault]:
    at = "/options" + "".join(f"/{part}" for part in error.absolute_path)
    see = f"See `{schema_field}` in GET /platforms."
    if error.validator != "additionalProperties":
        yield Fault(at, "invalid_option", end_sentence(build_option_error_message(error, options), see))
        return
    known = list(error.schema.get("properties", ()))
    remedy = format_allowed_values(known) if known else " This kind of account has none here."
    for name in (name for name in error.instance if name not in known):
        # A name that is longer than any option is not repeated.
        pointer = f"/{name.replace('~', '~0').replace('/', '~1')}" if len(name) <= _MAX_NAME_LENGTH else ""
        shown = name[:_MAX_NAME_LENGTH]
        yield Fault(
            at + pointer, "invalid_option", f"There is no option {shown}.{suggest_name(shown, known)}{remedy} {see}"
        )


def _has_too_many_values(options: Any) -> bool:
    """Whether validating the options would take long: that depends on the number of values in them."""
    waiting, count = [options], 0
    while waiting and count <= _MAX_OPTION_VALUES:
        value = waiting.pop()
        inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
        count += len(inside)
        waiting += inside
    return count > _MAX_OPTION_VALUES


@cache
def _get_validator(schema: bytes) -> Any:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - a tenth of a second that no start needs

    return Draft202012Validator(msgspec.json.decode(schema))
