"""What requests and responses are made of: their base types, pages of lists, and deletions."""

from typing import Any, Generic, TypeVar

import msgspec

from socialgate.core.fields import IsDeleted, NextCursor
from socialgate.core.shapes import ApiModel, NonBlankText, QueryParameters, RequestBody, ResponseModel

__all__ = [
    "UNION_KEY",
    "ApiModel",
    "DeletionConfirmation",
    "NonBlankText",
    "Page",
    "QueryParameters",
    "RequestBody",
    "ResponseModel",
    "build_open_union_annotation",
]

T = TypeVar("T")

# Marks a field whose types areas add; the documentation puts the union there.
UNION_KEY = "x-union"


def build_open_union_annotation(name: str, description: str) -> msgspec.Meta:
    """Describe an object whose fields depend on its `type`, where areas define the types."""
    return msgspec.Meta(description=description, extra_json_schema={UNION_KEY: name})


class Page(ResponseModel, Generic[T], frozen=True, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[T]
    """The rows of this page, at most `limit`."""
    next_cursor: NextCursor


class DeletionConfirmation(ResponseModel, frozen=True, kw_only=True):
    """Confirms a deletion."""

    id: str
    """The id of what was deleted."""
    deleted: IsDeleted = True

    @classmethod
    def example(cls) -> dict[str, Any]:
        return cls.example_of("prf")

    @classmethod
    def example_of(cls, prefix: str) -> dict[str, Any]:
        """Return the example of a deletion for ids with this prefix."""
        return {"id": f"{prefix}_01h455vb4pex5vsknk084sn02q", "deleted": True}
