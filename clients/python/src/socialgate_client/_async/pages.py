"""Lists: rows one after the other, fetched page by page as they are needed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._pages import continue_after

if TYPE_CHECKING:
    from .._call import Call
    from .client import AsyncSender

T = TypeVar("T")
P = TypeVar("P")


class AsyncPages(Generic[T, P]):
    """A list. Iterate over it with `async for` to get all rows; `pages()` returns them page by page.

    `first_page()` returns only the first. Nothing is fetched before that.
    """

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
