"""Lists of TikTok API for Business, which are numbered pages."""

import re

import msgspec

from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.contracts.platforms import Platform

_CURSOR_PATTERN = re.compile(r"\d{1,9}", re.ASCII)


class PageInfo(msgspec.Struct, frozen=True):
    page: int = 1
    total_page: int = 1

    def get_next_cursor(self, size: int) -> str | None:
        """Return the cursor of the next page of this size: how many rows come before it."""
        return str(self.page * size) if self.page < self.total_page else None


def parse_page_cursor(cursor: str | None, max_size: int) -> tuple[int, int]:
    """Return the number of the page that begins at a cursor, and its size.

    The caller may want another number of rows than before. Pages are then made smaller, until one begins exactly there.
    """
    if cursor is None:
        return 1, max_size
    if not _CURSOR_PATTERN.fullmatch(cursor):
        raise PlatformNotFoundError(
            "The list has no such page. Start again without a cursor.", platform=Platform.TIKTOKADS
        )
    before = int(cursor)
    size = next(number for number in range(max_size, 0, -1) if before % number == 0)
    return before // size + 1, size
