"""What the API returns: objects with attributes, which newer versions of the service never break.

Fields that this version of the client does not know are kept in `extra_fields`, a new value of an enum is a string like
any other, and a new member of a union becomes its `Other…` type.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeGuard, Union, get_args, get_origin, get_type_hints

import msgspec

Convert = Callable[[Any], Any]
_EXTRA = "_extra_fields"


class Model(msgspec.Struct, kw_only=True, rename="camel", dict=True):
    """An object that the API returned."""

    @property
    def extra_fields(self) -> Mapping[str, Any]:
        """The fields that this version of the client does not know, by their names in the API."""
        fields: Mapping[str, Any] = self.__dict__.get(_EXTRA, {})
        return fields

    def to_dict(self) -> dict[str, Any]:
        """Return it as the API does: with the names of the API, and times as text."""
        known = {field.encode_name: to_plain(getattr(self, field.name)) for field in msgspec.structs.fields(type(self))}
        return {**known, **self.extra_fields}


class By:
    """Marks a union of objects with the field that tells them apart."""

    def __init__(self, field: str) -> None:
        self.field = field


def is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Return whether a value is an object of JSON."""
    return isinstance(value, Mapping)


def is_collection(value: Any) -> TypeGuard[Collection[Any]]:
    """Return whether a value is written as a list."""
    return isinstance(value, (list, tuple, set, frozenset))


def to_plain(value: Any) -> Any:
    """Return a value as it is written in JSON."""
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, datetime):
        return _write_time(value)
    if isinstance(value, date):
        return value.isoformat()
    if is_object(value):
        return {key: to_plain(part) for key, part in value.items()}
    if is_collection(value):
        return [to_plain(part) for part in value]
    return value


def _write_time(value: datetime) -> str:
    """Write a time. One without a time zone stays without: the API reads it in the time zone of the request."""
    text = value.isoformat()
    return f"{text.removesuffix('+00:00')}Z" if text.endswith("+00:00") else text


def build(kind: Any, value: Any) -> Any:
    """Make an object of what was decoded from JSON."""
    return _converter(kind)(value)


def _same(value: Any) -> Any:
    return value


@cache
def _converter(kind: Any) -> Convert:  # noqa: PLR0911 - a table, one line a case
    """Find how values of a type are made. Each type is looked at once."""
    origin = get_origin(kind)
    if isinstance(kind, type) and issubclass(kind, Model):
        return _Struct(kind)
    if kind in {datetime, date}:
        return _Time(kind)
    if origin is Annotated:
        inner, *marks = get_args(kind)
        by = next((mark for mark in marks if isinstance(mark, By)), None)
        return _converter(inner) if by is None else _OneOf(by.field, get_args(inner))
    if origin in {Union, types.UnionType}:
        members = [member for member in get_args(kind) if member is not type(None)]
        return _converter(members[0]) if len(members) == 1 else _same
    if origin is list:
        return _Each(get_args(kind)[0])
    if origin is dict:
        return _Values(get_args(kind)[1])
    return _same


class _Time:
    def __init__(self, kind: Any) -> None:
        self._kind = kind

    def __call__(self, value: Any) -> Any:
        try:
            return msgspec.convert(value, self._kind)
        except msgspec.ValidationError:
            # Something that no version so far returns: better a text than no response at all.
            return value


class _Each:
    def __init__(self, item: Any) -> None:
        self._convert = _converter(item)

    def __call__(self, value: Any) -> Any:
        return [self._convert(part) for part in value] if is_collection(value) else value


class _Values:
    def __init__(self, item: Any) -> None:
        self._convert = _converter(item)

    def __call__(self, value: Any) -> Any:
        return {key: self._convert(part) for key, part in value.items()} if is_object(value) else value


class _Struct:
    """Makes objects of one class. Their fields are looked at when the first is made: types refer to each other."""

    def __init__(self, kind: type[Model]) -> None:
        self._kind = kind
        self._fields: list[tuple[str, str, Convert]] | None = None
        self._known: frozenset[str] = frozenset()

    def __call__(self, value: Any) -> Any:
        if not is_object(value):
            return value
        fields = self._fields if self._fields is not None else self._look()
        model = self._kind(
            **{
                name: None if (field := value.get(encoded)) is None else convert(field)
                for name, encoded, convert in fields
            }
        )
        extra = value.keys() - self._known
        if extra:
            setattr(model, _EXTRA, {key: value[key] for key in value if key in extra})
        return model

    def _look(self) -> list[tuple[str, str, Convert]]:
        hints = get_type_hints(self._kind, include_extras=True)
        self._fields = [
            (field.name, field.encode_name, _converter(hints[field.name]))
            for field in msgspec.structs.fields(self._kind)
        ]
        self._known = frozenset(encoded for _, encoded, _ in self._fields)
        return self._fields


class _OneOf:
    """Makes objects of several classes, which one field tells apart. The class without a value is for all others."""

    def __init__(self, field: str, members: tuple[type[Model], ...]) -> None:
        self._field = field
        self._members = members
        self._by_value: dict[Any, Convert] | None = None
        self._other: Convert = _same

    def __call__(self, value: Any) -> Any:
        if not is_object(value):
            return value
        by_value = self._by_value if self._by_value is not None else self._look()
        return by_value.get(value.get(self._field), self._other)(value)

    def _look(self) -> dict[Any, Convert]:
        self._by_value = {}
        for member in self._members:
            names = {field.encode_name: field.name for field in msgspec.structs.fields(member)}
            hint = get_type_hints(member)[names[self._field]]
            if get_origin(hint) is Literal:
                self._by_value |= dict.fromkeys(get_args(hint), _converter(member))
            else:
                self._other = _converter(member)
        return self._by_value


class Omit:
    """The type of `OMIT`."""

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "OMIT"


# The default of what is only sent if it is given: in a change, None means to remove something.
OMIT: Final = Omit()
