"""How many rows of a platform's list fit on one page.

Platforms count rows and not bytes. If a page is too large, fewer rows are requested from the same position, so that the
platform's own cursor continues exactly after the last row that is shown.
"""

from collections.abc import Awaitable, Callable, Hashable, Sized
from typing import Protocol, TypeVar

import msgspec

from socialgate.contracts.failures import AnswerTooLarge
from socialgate.web.pagination import MAX_PAGE_BYTES

_MAX_REMEMBERED_LISTS = 1_000


class PlatformPage(Protocol):
    """A page as a connector returns it. Together with its items it has the position of the next page."""

    @property
    def items(self) -> Sized: ...


L = TypeVar("L", bound=PlatformPage)


class PageSizes:
    """Remembers the lists with large rows, so that not every page of them is read twice."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}

    async def read_fitting_page(self, key: Hashable, limit: int, ask: Callable[[int], Awaitable[L]]) -> L:
        """Read up to `limit` rows with `ask`, or as many as fit on a page, and at least one."""
        rows = first = min(limit, self._known.get(key, limit))
        while True:
            try:
                page = await ask(rows)
            except AnswerTooLarge:
                if rows == 1:
                    raise
                rows //= 2
                continue
            # Only its length counts, so whatever has no form in JSON is measured as text.
            size = len(msgspec.json.encode(page, enc_hook=str))
            fewer = _reduce_row_count(rows, len(page.items), size)
            if fewer is None:
                break
            rows = fewer
        if rows < first:
            self._remember_row_count(key, rows)
        elif rows < limit and 2 * size < MAX_PAGE_BYTES:
            # The large rows may have been only a few.
            self._remember_row_count(key, 2 * rows)
        return page

    def _remember_row_count(self, key: Hashable, rows: int) -> None:
        self._known.pop(key, None)
        if len(self._known) >= _MAX_REMEMBERED_LISTS:
            # The oldest.
            del self._known[next(iter(self._known))]
        self._known[key] = rows


def _reduce_row_count(rows: int, count: int, size: int) -> int | None:
    """Return how many rows to request instead; None if the page fits, or cannot be made smaller."""
    # Some lists are read as a whole, whatever number of rows is requested.
    if size <= MAX_PAGE_BYTES or count <= 1 or count > rows:
        return None
    return max(1, min(count - 1, count * MAX_PAGE_BYTES // size))
