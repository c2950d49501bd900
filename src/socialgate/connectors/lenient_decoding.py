"""Responses that are parsed as far as possible: the proof of a success must not be lost over an optional field."""

from typing import Any, TypeVar, get_args, get_origin

import msgspec

T = TypeVar("T")


class LenientStruct(msgspec.Struct, frozen=True):
    """A struct whose fields without a default are the proof. Any other field that cannot be read gets its default."""


def decode_leniently(body: bytes | msgspec.Raw, shape: type[T]) -> T:
    """Decode JSON into a type. Only `LenientStruct` structs, and lists of them, are read in part."""
    try:
        return msgspec.json.decode(body, type=shape, strict=False)
    except msgspec.ValidationError:
        item: T | None = _decode_partially(body, shape)
        if item is None:
            raise
        return item


def decode_leniently_or_none(body: bytes | msgspec.Raw, shape: type[T]) -> T | None:
    """Read as far as possible; None if it is something else, or its proof is missing."""
    try:
        return decode_leniently(body, shape)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _decode_partially(body: bytes | msgspec.Raw, shape: Any) -> Any:
    if get_origin(shape) is list:
        (item,) = get_args(shape)
        return [decode_leniently(part, item) for part in msgspec.json.decode(body, type=list[msgspec.Raw])]
    if not (isinstance(shape, type) and issubclass(shape, LenientStruct)):
        return None
    parts = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    result: dict[str, Any] = {}
    for field in msgspec.structs.fields(shape):
        if field.encode_name in parts:
            try:
                result[field.name] = decode_leniently(parts[field.encode_name], field.type)
            except msgspec.ValidationError:
                if field.required:
                    raise
        elif field.required:
            return None
    return shape(**result)
