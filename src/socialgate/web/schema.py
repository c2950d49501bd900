"""Base types of what comes in and what goes out. JSON names are camelCase, unknown fields are refused."""

from typing import Any, ClassVar, Generic, Literal, TypeVar

import msgspec

T = TypeVar("T")

# Marks a field whose members areas bring; the documents put the union there.
UNION = "x-union"


def open_union(name: str, description: str) -> msgspec.Meta:
    """Describe an object whose shape its `type` decides, where areas say which types there are."""
    return msgspec.Meta(description=description, extra_json_schema={UNION: name})


class Shape(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A JSON object of the API. Every one shows an example, which the documents use and a test validates."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        """Show one, as plain JSON values."""
        raise AssertionError(f"{cls.__name__} has no example")


class Body(Shape, frozen=True, kw_only=True):
    """What a caller sends."""


class Query(Shape, frozen=True, kw_only=True):
    """What a caller asks for in the query string."""


class View(Shape, frozen=True, kw_only=True):
    """What a caller gets. Fields named in `once_only` are shown in the first answer and stored nowhere."""

    once_only: ClassVar[tuple[str, ...]] = ()


class Page(View, Generic[T], frozen=True, kw_only=True):
    """A part of a list. `nextCursor` is null on the last page."""

    data: list[T]
    next_cursor: str | None


class Deleted(View, frozen=True, kw_only=True):
    """What was deleted."""

    id: str
    deleted: Literal[True] = True

    @classmethod
    def example(cls) -> dict[str, Any]:
        return cls.example_of("prf")

    @classmethod
    def example_of(cls, prefix: str) -> dict[str, Any]:
        """Show the deletion of something whose ids begin so."""
        return {"id": f"{prefix}_01h455vb4pex5vsknk084sn02q", "deleted": True}
