"""Lists: rows one after the other, fetched page by page as they are needed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import msgspec

if TYPE_CHECKING:
    from ._call import Call
    from ._client import AsyncSender, Sender

T = TypeVar("T")
P = TypeVar("P")


def continue_after(call: Call[P], parameter: str, page: Any) -> Call[P] | None:
    """Return the call for the page after one; None after the last."""
    cursor = page.next_cursor
    # A feed of events has no last page, but there is nothing more for now.
    if cursor is None or (parameter == "after" and not page.data):
        return None
    query = [pair for pair in call.query if pair[0] != parameter]
    return msgspec.structs.replace(call, query=[*query, (parameter, cursor)])


class Pages(Generic[T, P]):
    """A list. Iterate over it to get all rows; `pages()` returns them page by page, and `first_page()` only the first.

    Nothing is fetched before that.
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


class AsyncPages(Generic[T, P]):
    """A list. Iterate over it with `async for`; `pages()` returns page by page, and `first_page()` only the first."""

    def __init__(self, sender: AsyncSender, call: Call[P], parameter: str) -> None:
        self._sender = sender
        self._call = call
        self._parameter = parameter

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for row in cast("Any", page).data:
                yield row

    async def pages(self) -> AsyncIterator[P]:
        """Return page by page, with what else they contain."""
        call: Call[P] | None = self._call
        while call is not None:
            page = await self._sender.send(call)
            yield page
            call = continue_after(call, self._parameter, page)

    async def first_page(self) -> P:
        """Fetch the first page only. Its `next_cursor` says where the next one starts."""
        return await self._sender.send(self._call)
