# Generated from `_async` by `make reference`. Do not edit: change it there and run it again.
"""Lists: rows one after the other, fetched page by page as they are needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._pages import continue_after

if TYPE_CHECKING:
    from .._call import Call
    from .client import Sender

T = TypeVar("T")
P = TypeVar("P")


class Pages(Generic[T, P]):
    """A list. Iterate over it with `for` to get all rows; `pages()` returns them page by page.

    `first_page()` returns only the first. Nothing is fetched before that.
    """

    def __init__(self, sender: Sender, call: Call[P], parameter: str) -> None:
        self._sender = sender
        self._call = call
        self._parameter = parameter

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from cast("Any", page).data

    def pages(self) -> Iterator[P]:
        """Return page by page, with what else they contain."""
        call: Call[P] | None = self._call
        while call is not None:
            page = self._sender.send(call)
            yield page
            call = continue_after(call, self._parameter, page)

    def first_page(self) -> P:
        """Fetch the first page only. Its `next_cursor` says where the next one starts."""
        return self._sender.send(self._call)
