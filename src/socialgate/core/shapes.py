"""Base types of JSON objects. JSON names are camelCase, unknown fields are rejected.

An object that connectors, areas and the API know alike is one struct, in `contracts`: a `StoredValue` if requests have
it, a `ResponseModel` if only responses do. The string below a field is its documentation (`web/field_words.py`).
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import msgspec

# A name or a text that people read, and see: spaces alone are rejected. Add a limit with `Annotated[Visible, Meta(…)]`.
NonBlankText = Annotated[str, msgspec.Meta(min_length=1, pattern=r"\S")]

# The key of a sentence that a field adds to its errors: `Meta(extra={HINT: "…"})`.
HINT_KEY = "hint"


def _get_none() -> None:
    """Return what is known of a field that a platform does not report."""


def _no_items() -> tuple[Any, ...]:
    return ()


# The defaults of fields in responses that a connector may leave out. A response always contains the field, so the
# documentation shows no default, which it would for a plain one.
UNREPORTED_FIELD: Any = msgspec.field(default_factory=_get_none)
EMPTY_TUPLE_FIELD: Any = msgspec.field(default_factory=_no_items)
FALSE_BY_DEFAULT: Any = msgspec.field(default_factory=bool)


def build_unreported_field(name: str) -> Any:
    """Return `UNREPORTED_FIELD` for a field with a name of its own in JSON."""
    return msgspec.field(name=name, default_factory=_get_none)


class ApiModel(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A JSON object of the API. Each has an example, which the documentation uses and a test validates."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        """Return the example as plain JSON values."""
        raise AssertionError(f"{cls.__name__} has no example")


class RequestBody(ApiModel, frozen=True, kw_only=True):
    """A request body."""


class QueryParameters(ApiModel, frozen=True, kw_only=True):
    """The query parameters of a request."""


class ResponseModel(ApiModel, frozen=True, kw_only=True):
    """A response. Fields listed in `once_only` are shown in the first response and not stored."""

    once_only: ClassVar[tuple[str, ...]] = ()


class StoredValue(ApiModel, frozen=True, kw_only=True):
    """A part of requests and responses that connectors get as it is. Stored by the names of its attributes, so that a
    name in the API and a stored one do not depend on each other (`core/stored_forms.py`).
    """

    def to_stored(self) -> Mapping[str, Any]:
        """Return what is stored, by the stored names."""
        return {name: getattr(self, name) for name in self.__struct_fields__}

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what was stored by the names of the attributes."""
        return stored
