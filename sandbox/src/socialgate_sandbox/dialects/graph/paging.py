"""Lists with cursors."""

from base64 import b64decode
from binascii import Error
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from socialgate_sandbox.dialects.graph.errors import build_error_response, build_parameter_error
from socialgate_sandbox.dialects.graph.nodes import Node, encode_cursor, parse_requested_fields, render_node
from socialgate_sandbox.kit import Call, CallRefusedError

MAX_PAGE_SIZE = 100


def build_page(call: Call, nodes: Sequence[Node], *, default_limit: int = 25, links: bool = True) -> dict[str, Any]:
    """Return one page of nodes. Without `links` there are only cursors, as on Threads."""
    limit = _parse_limit(call, default_limit)
    start = _find_position(call, nodes, "after") + 1
    if call.params.get("before"):
        end = _find_position(call, nodes, "before")
        start = max(0, end - limit)
        limit = end - start
    page = nodes[start : start + limit]
    result: dict[str, Any] = {"data": [render_node(call, node, parse_requested_fields(call)) for node in page]}
    if page:
        before, after = encode_cursor(page[0]), encode_cursor(page[-1])
        result["paging"] = {"cursors": {"before": before, "after": after}}
        if links and start + limit < len(nodes):
            result["paging"]["next"] = _build_link(call, after=after)
        if links and start > 0:
            result["paging"]["previous"] = _build_link(call, before=before)
    if str(call.params.get("summary", "")).lower() in {"true", "1", "total_count"}:
        result["summary"] = {"total_count": len(nodes)}
    return result


def _parse_limit(call: Call, default_limit: int) -> int:
    value = str(call.params.get("limit") or default_limit)
    if not value.isdecimal():
        raise build_parameter_error("Param limit must be a nonnegative integer")
    return min(int(value), MAX_PAGE_SIZE)


def _find_position(call: Call, nodes: Sequence[Node], name: str) -> int:
    """Find the row that a cursor names; -1 is before the first one."""
    value = str(call.params.get(name) or "")
    if not value:
        return -1
    try:
        key = b64decode(value, altchars=b"-_", validate=True).decode()
        return [node.stored_object.id for node in nodes].index(key)
    except (Error, ValueError) as error:
        raise CallRefusedError(build_error_response("(#100) Invalid cursors values", 100)) from error


def _build_link(call: Call, **place: str) -> str:
    # The real links contain the token as well: anyone who logs or forwards them leaks it.
    params = {**call.query, "access_token": call.query.get("access_token") or call.bearer_token or ""}
    kept = {name: value for name, value in params.items() if name not in {"after", "before", "appsecret_proof"}}
    return f"{call.context.url}{call.path}?{urlencode({**kept, **place})}"
