"""Options that depend on the kind of account: checked against its JSON Schema, which `GET /platforms` shows."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain, islice
from typing import Any

import msgspec

from socialgate.core.errors import Fault
from socialgate.web.option_words import sentence_of
from socialgate.web.similar import listed, meant, sentence

# A list of half a million wrong items would otherwise return as many errors.
_MOST_FAULTS = 20
_MOST_VALUES = 1_000
_LONGEST_NAME = 100
# Selects the type of the options in generated clients. The account says which kind it is, so callers may omit it.
KIND = "kind"


def without_kind(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a platform gets."""
    return {name: value for name, value in given.items() if name != KIND}


def option_faults(schema: Mapping[str, Any], options: Mapping[str, Any], shown_as: str, kind: str) -> list[Fault]:
    """Find what is wrong with the `options` of a request. `shown_as` is the field of GET /platforms with the schema."""
    if options.get(KIND, kind) != kind:
        detail = f"These are the options of another kind of account. This one is of the kind {kind}."
        return [Fault(f"/options/{KIND}", "invalid_option", detail)]
    given = without_kind(options)
    if _has_many(given):
        detail = f"The options have more than {_MOST_VALUES:,} values. No platform accepts that many."
        return [Fault("/options", "too_many", detail)]
    known = schema.get("properties", {})
    errors = _validator_of(msgspec.json.encode(dict(schema))).iter_errors(dict(given))
    return list(islice(chain.from_iterable(_faults_of(error, known, shown_as) for error in errors), _MOST_FAULTS))


def _faults_of(error: Any, options: Mapping[str, Any], shown_as: str) -> Iterator[Fault]:
    at = "/options" + "".join(f"/{part}" for part in error.absolute_path)
    see = f"See `{shown_as}` in GET /platforms."
    if error.validator != "additionalProperties":
        yield Fault(at, "invalid_option", sentence(sentence_of(error, options), see))
        return
    known = list(error.schema.get("properties", ()))
    remedy = listed(known) if known else " This kind of account has none here."
    for name in (name for name in error.instance if name not in known):
        # A name that is longer than any option is not repeated.
        pointer = f"/{name.replace('~', '~0').replace('/', '~1')}" if len(name) <= _LONGEST_NAME else ""
        shown = name[:_LONGEST_NAME]
        yield Fault(at + pointer, "invalid_option", f"There is no option {shown}.{meant(shown, known)}{remedy} {see}")


def _has_many(options: Any) -> bool:
    """Whether validating the options would take long: that depends on the number of values in them."""
    waiting, count = [options], 0
    while waiting and count <= _MOST_VALUES:
        value = waiting.pop()
        inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
        count += len(inside)
        waiting += inside
    return count > _MOST_VALUES


@cache
def _validator_of(schema: bytes) -> Any:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - a tenth of a second that no start needs

    return Draft202012Validator(msgspec.json.decode(schema))
