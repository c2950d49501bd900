"""Lists with cursors."""

from base64 import b64decode
from binascii import Error
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from socialgate_sandbox.dialects.graph.errors import failure, wrong
from socialgate_sandbox.dialects.graph.nodes import Node, cursor, render, wanted
from socialgate_sandbox.kit import Call, Refused

MOST = 100


def listing(call: Call, nodes: Sequence[Node], *, usual: int = 25, links: bool = True) -> dict[str, Any]:
    """Return one page of nodes. Without `links` there are only cursors, as on Threads."""
    limit = _limit(call, usual)
    start = _position(call, nodes, "after") + 1
    if call.params.get("before"):
        end = _position(call, nodes, "before")
        start = max(0, end - limit)
        limit = end - start
    page = nodes[start : start + limit]
    found: dict[str, Any] = {"data": [render(call, node, wanted(call)) for node in page]}
    if page:
        before, after = cursor(page[0]), cursor(page[-1])
        found["paging"] = {"cursors": {"before": before, "after": after}}
        if links and start + limit < len(nodes):
            found["paging"]["next"] = _link(call, after=after)
        if links and start > 0:
            found["paging"]["previous"] = _link(call, before=before)
    if str(call.params.get("summary", "")).lower() in {"true", "1", "total_count"}:
        found["summary"] = {"total_count": len(nodes)}
    return found


def _limit(call: Call, usual: int) -> int:
    given = str(call.params.get("limit") or usual)
    if not given.isdecimal():
        raise wrong("Param limit must be a nonnegative integer")
    return min(int(given), MOST)


def _position(call: Call, nodes: Sequence[Node], name: str) -> int:
    """Find the row that a cursor names; -1 is before the first one."""
    given = str(call.params.get(name) or "")
    if not given:
        return -1
    try:
        key = b64decode(given, altchars=b"-_", validate=True).decode()
        return [node.thing.id for node in nodes].index(key)
    except (Error, ValueError) as error:
        raise Refused(failure("(#100) Invalid cursors values", 100)) from error


def _link(call: Call, **place: str) -> str:
    # The real links contain the token as well: anyone who logs or forwards them leaks it.
    given = {**call.query, "access_token": call.query.get("access_token") or call.bearer or ""}
    kept = {name: value for name, value in given.items() if name not in {"after", "before", "appsecret_proof"}}
    return f"{call.world.url}{call.path}?{urlencode({**kept, **place})}"
