"""Brings what callers give into the form of the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO, Any
from urllib.parse import quote

from ._models import Model, Omit, is_collection, is_object, to_plain
from ._names import NAMES, SHORT_FORMS


def pack(kind: str, fields: Mapping[str, Any], without_none: Sequence[str] = ()) -> dict[str, Any]:
    """Make the body of a request: with the names of the API, and without what was not given."""
    sent = {name: value for name, value in fields.items() if value is not None or name not in without_none}
    packed: dict[str, Any] = _to_wire(kind, sent)
    return packed


def read_rows(source: bytes | str | IO[bytes]) -> bytes:
    """Read a file of rows."""
    if isinstance(source, str):
        return source.encode()
    return source if isinstance(source, bytes) else source.read()


def pack_query(fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Make the query of a URL. What is None is left out, and a list is repeated."""
    pairs: list[tuple[str, str]] = []
    for name, value in fields.items():
        values = value if is_collection(value) else [value]
        pairs += [(name, _in_query(part)) for part in values if part is not None]
    return pairs


def fill(template: str, *values: str) -> str:
    """Fill in the parameters of a path, which may contain anything."""
    for value in values:
        if not value:
            raise ValueError(f"An id in {template} is empty.")
    return template.format(*(quote(value, safe="") for value in values))


def _in_query(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(to_plain(value))


def _to_wire(kind: str | None, value: Any) -> Any:
    """Rename the fields of an object of a known type. What is in other objects belongs to the caller."""
    if kind is not None and kind in SHORT_FORMS:
        value = _expand(value, SHORT_FORMS[kind])
    if isinstance(value, Model):
        return value.to_dict()
    if kind is not None and is_object(value):
        names = NAMES[kind]
        return {
            names.get(key, (key, None))[0]: _to_wire(names.get(key, (key, None))[1], part)
            for key, part in value.items()
            if not isinstance(part, Omit)
        }
    if is_collection(value):
        return [_to_wire(kind, part) for part in value]
    return to_plain(value)


def _expand(value: Any, name: str) -> Any:
    """Make an object of an id alone, or of what the API returned: `acc_…`, or an account."""
    if isinstance(value, str):
        return {"url": value} if name == "media_id" and "://" in value else {name: value}
    value_id = getattr(value, "id", None)
    return {name: value_id} if isinstance(value, Model) and isinstance(value_id, str) else value
