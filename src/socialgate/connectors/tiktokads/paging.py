"""Lists of TikTok API for Business, which are numbered pages."""

import re

import msgspec

from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.platforms import Platform

_CURSOR = re.compile(r"\d{1,9}", re.ASCII)


class Pages(msgspec.Struct, frozen=True):
    page: int = 1
    total_page: int = 1

    def after(self, size: int) -> str | None:
        """Return the cursor of the next page of this size: how many rows come before it."""
        return str(self.page * size) if self.page < self.total_page else None


def page_of(cursor: str | None, most: int) -> tuple[int, int]:
    """Return the number of the page that begins at a cursor, and its size.

    The caller may want another number of rows than before. Pages are then made smaller, until one begins exactly there.
    """
    if cursor is None:
        return 1, most
    if not _CURSOR.fullmatch(cursor):
        raise PlatformNotFound("The list has no such page. Start again without a cursor.", platform=Platform.TIKTOKADS)
    before = int(cursor)
    size = next(one for one in range(most, 0, -1) if before % one == 0)
    return before // size + 1, size
