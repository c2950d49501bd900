"""The tool `docs`: guides by words, and operations with all their arguments."""

from collections.abc import Mapping
from typing import Any

from socialgate.mcp.api import ApiRequest, ApiSession, ToolError
from socialgate.mcp.guides import load_guides, search_guides
from socialgate.mcp.results import shorten

_FULL_TEXT = "/llms-full.txt"
_UNSEEN = ("Errors:", "Response:")
_MAX_TEXT_CHARACTERS = 5_500


async def show_documentation(session: ApiSession, arguments: Mapping[str, Any]) -> Any:
    """Answer with an operation, a guide, or what the guides say about some words."""
    operation, guide, words = arguments.get("operation"), arguments.get("guide"), arguments.get("query")
    if operation:
        text = await _describe_operation(session, operation)
        return {"operation": operation, **_take_page(text, arguments.get("cursor"))}
    if guide:
        known = load_guides()
        if guide not in known:
            raise ToolError("not_found", f"There is no such guide. There are: {', '.join(known)}.")
        return {"guide": guide, "uri": known[guide].uri, **_take_page(known[guide].text, arguments.get("cursor"))}
    if words:
        sections = search_guides(words)
        return shorten({"sections": sections, "next": "docs with `guide` returns a whole guide."})
    return {"guides": list(load_guides()), "operations": sorted(session.operations.by_name)}


def _take_page(text: str, cursor: str | None) -> dict[str, str]:
    """Return as much of a text as fits, up to the end of a line. The cursor is where the rest starts."""
    start = int(cursor) if cursor and cursor.isdecimal() else 0
    end = start + _MAX_TEXT_CHARACTERS
    if end >= len(text):
        return {"text": text[start:]}
    end = max(text.rfind("\n", start, end) + 1, start + 1)
    return {"text": text[start:end], "cursor": str(end), "next": "There is more: call again with this cursor."}


async def _describe_operation(session: ApiSession, name: str) -> str:
    """Return what the documentation for language models says about an operation, without what it returns."""
    operation = session.operations.by_name.get(name)
    if operation is None:
        known = session.operations.by_name
        same = [other for other in known if other.partition(".")[0] == name.partition(".")[0]]
        raise ToolError("not_found", f"There is no such operation. There are: {', '.join(same or known)}.")
    full = (await session.send(ApiRequest(method="GET", path=_FULL_TEXT))).text
    _, _, rest = full.partition(f"\n{operation.http} {operation.path}\n")
    lines: list[str] = []
    hidden = False
    for line in rest.partition("\n\n")[0].splitlines():
        if not line.startswith(("-", " ")):
            hidden = line.startswith(_UNSEEN)
        if not hidden and not line.lstrip().startswith("→"):
            lines.append(line)
    return "\n".join(lines)
