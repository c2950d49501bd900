"""How a list continues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    from ._call import Call

P = TypeVar("P")


def continue_after(call: Call[P], parameter: str, page: Any) -> Call[P] | None:
    """Return the call for the page after one; None after the last."""
    cursor = page.next_cursor
    # A feed of events has no last page, but there is nothing more for now.
    if cursor is None or (parameter == "after" and not page.data):
        return None
    query = [pair for pair in call.query if pair[0] != parameter]
    return msgspec.structs.replace(call, query=[*query, (parameter, cursor)])
