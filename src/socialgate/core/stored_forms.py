"""Structs as they are stored: every `StoredValue` in them by the names of its attributes, the rest as in JSON."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypeVar, get_origin

import msgspec
from msgspec import UNSET, inspect

from socialgate.core.shapes import StoredValue

T = TypeVar("T")


def encode_stored(value: Any, *, order: Literal["deterministic"] | None = None) -> bytes:
    """Encode a struct to store it. `order` is that of free-form objects, as in msgspec."""
    return msgspec.json.encode(_build_stored_form(value, order))


def decode_stored(encoded: bytes | str, kind: type[T]) -> T:
    """Decode what `encode_stored` returned."""
    return msgspec.convert(_build_json_form(msgspec.json.decode(encoded), inspect.type_info(kind)), kind, str_keys=True)


def _build_stored_form(value: Any, order: Literal["deterministic"] | None) -> Any:
    match value:
        case msgspec.Struct() if _has_custom_stored_form(type(value)):
            return {
                name: _build_stored_form(part, order) for name, part in _list_stored_fields(value) if part is not UNSET
            }
        case list() | tuple():
            return [_build_stored_form(item, order) for item in value]
        case Mapping():
            return {
                name: _build_stored_form(value[name], order) for name in (value if order is None else sorted(value))
            }
        case _:
            return msgspec.Raw(msgspec.json.encode(value, order=order))


def _list_stored_fields(value: msgspec.Struct) -> Iterator[tuple[str, Any]]:
    config = value.__struct_config__
    if config.tag_field is not None:
        yield config.tag_field, config.tag
    if isinstance(value, StoredValue):
        yield from value.to_stored().items()
    else:
        names = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
        yield from ((name, getattr(value, field)) for name, field in names)


@cache
def _has_custom_stored_form(kind: type[msgspec.Struct]) -> bool:
    """Whether the stored form of a struct is not simply its JSON: thousands of people are encoded at once."""
    types: set[type] = set()
    _collect_struct_types(inspect.type_info(kind), types)
    return any(
        issubclass(type_, StoredValue)
        and (type_.__struct_fields__ != type_.__struct_encode_fields__ or type_.to_stored is not StoredValue.to_stored)
        for type_ in types
    )


def _collect_struct_types(info: inspect.Type, types: set[type]) -> None:
    """Collect the structs that a type consists of."""
    match info:
        case inspect.Metadata(type=inner):
            _collect_struct_types(inner, types)
        case inspect.UnionType(types=members):
            for member in members:
                _collect_struct_types(member, types)
        case inspect.ListType(item_type=inner) | inspect.VarTupleType(item_type=inner):
            _collect_struct_types(inner, types)
        case inspect.DictType(value_type=inner):
            _collect_struct_types(inner, types)
        case inspect.StructType() if (struct := _class_of(info)) not in types:
            types.add(struct)
            for field in info.fields:
                _collect_struct_types(field.type, types)


def _class_of(info: inspect.StructType) -> type[msgspec.Struct]:
    return get_origin(info.cls) or info.cls


def _build_json_form(stored: Any, info: inspect.Type) -> Any:
    match info:
        case inspect.Metadata(type=inner):
            return _build_json_form(stored, inner)
        case inspect.UnionType(types=members):
            return _build_json_form(stored, _find_union_member(stored, members))
        case inspect.ListType(item_type=inner) | inspect.VarTupleType(item_type=inner) if isinstance(stored, list):
            return [_build_json_form(item, inner) for item in stored]
        case inspect.DictType(value_type=inner) if isinstance(stored, dict):
            return {name: _build_json_form(value, inner) for name, value in stored.items()}
        case inspect.StructType() if isinstance(stored, dict) and _has_custom_stored_form(_class_of(info)):
            return _restored_fields(stored, info)
        case _:
            return stored


def _restored_fields(stored: Mapping[str, Any], info: inspect.StructType) -> dict[str, Any]:
    struct = _class_of(info)
    if issubclass(struct, StoredValue):
        params, names = struct.from_stored(stored), [(field, field.name) for field in info.fields]
    else:
        params, names = stored, [(field, field.encode_name) for field in info.fields]
    result = {field.encode_name: _build_json_form(params[name], field.type) for field, name in names if name in params}
    tag = {name: value for name, value in stored.items() if name == info.tag_field}
    return {**tag, **result}


def _find_union_member(stored: Any, types: Sequence[inspect.Type]) -> inspect.Type:
    """Return the alternative of a union that was stored."""
    for info in types:
        inner = info.type if isinstance(info, inspect.Metadata) else info
        match inner:
            case inspect.StructType(tag_field=field, tag=tag) if isinstance(stored, dict):
                if field is None or stored.get(field) == tag:
                    return inner
            case inspect.ListType() | inspect.VarTupleType() if isinstance(stored, list):
                return inner
            case inspect.DictType() if isinstance(stored, dict):
                return inner
    return inspect.AnyType()
