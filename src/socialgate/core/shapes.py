"""Base types of requests and responses. JSON names are camelCase, unknown fields are rejected.

They are here, and not in `web`, because contracts use them for objects that the API and the connectors share.
"""

from typing import Annotated, Any, ClassVar

import msgspec

# A name or a text that people read, and see: spaces alone are rejected. Add a limit with `Annotated[Visible, Meta(…)]`.
Visible = Annotated[str, msgspec.Meta(min_length=1, pattern=r"\S")]


class Shape(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A JSON object of the API. Each has an example, which the documentation uses and a test validates."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        """Return the example as plain JSON values."""
        raise AssertionError(f"{cls.__name__} has no example")


class Body(Shape, frozen=True, kw_only=True):
    """A request body."""


class Query(Shape, frozen=True, kw_only=True):
    """The query parameters of a request."""


class View(Shape, frozen=True, kw_only=True):
    """A response. Fields listed in `once_only` are shown in the first response and not stored."""

    once_only: ClassVar[tuple[str, ...]] = ()
