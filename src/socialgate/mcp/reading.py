"""Runs operations that read: lists as short pages, and single things, complete or in part."""

from collections.abc import Mapping, Sequence
from typing import Any

from socialgate.mcp.api import ApiSession, ToolError
from socialgate.mcp.arguments import read_integer
from socialgate.mcp.operations import Operation
from socialgate.mcp.results import encode, is_short, shorten, shorten_rows, take_part
from socialgate.mcp.tools import ToolOperations

DEFAULT_ROWS = 10
_LISTS, _SINGLES = "list", "get"


class Reader:
    """Runs reads for one caller."""

    def __init__(self, session: ApiSession, tools: ToolOperations) -> None:
        self._session = session
        self._tools = tools

    async def find(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return a page of a list. Fewer rows than requested if they would be too long."""
        topics = name_topics(self._tools.list_operations("find"), _LISTS)
        rest = dict(arguments)
        operation = _choose(topics, rest.pop("what", None))
        rest |= rest.pop("filters", None) or {}
        return await self.read_page(operation, rest)

    async def read_page(self, operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
        rest = dict(arguments)
        cursor = rest.pop("cursor", None)
        if cursor is not None and operation.cursor is not None:
            rest[operation.cursor] = cursor
        has_limit = any(argument.name == "limit" for argument in operation.query)
        limit = read_integer("limit", rest.pop("limit", None) or DEFAULT_ROWS)
        while True:
            page = (await self._session.run(operation, {**rest, "limit": limit} if has_limit else rest)).value
            rows, fits = shorten_rows(page["data"])
            if fits or limit == 1 or not has_limit:
                break
            limit = max(1, limit // 2)
        return _build_page(page, rows if fits else shorten(list(rows)))

    async def get(self, arguments: Mapping[str, Any]) -> Any:
        """Return one thing by its id. What its id starts with says what it is."""
        topics = name_topics(self._tools.list_operations("get"), _SINGLES)
        rest = dict(arguments)
        thing_id, topic, part = rest.pop("id", None), rest.pop("what", None), rest.pop("part", None)
        rest |= rest.pop("filters", None) or {}
        operation = _choose(topics, topic or _find_topic(topics, thing_id))
        if operation.path_arguments and thing_id is not None:
            rest.setdefault(operation.path_arguments[-1].name, thing_id)
        return _cut((await self._session.run(operation, rest)).value, part)

    async def read(self, operation: Operation, arguments: Mapping[str, Any]) -> Any:
        """Run any operation that reads."""
        if operation.is_list:
            return await self.read_page(operation, arguments)
        return _cut((await self._session.run(operation, arguments)).value, None)


def name_topics(operations: Sequence[Operation], method: str) -> Mapping[str, Operation]:
    """Name what can be found: `posts` for `posts.list`, and `accounts.history` as it is."""
    return {operation.name.removesuffix(f".{method}"): operation for operation in operations}


def _choose(topics: Mapping[str, Operation], topic: str | None) -> Operation:
    if topic is None or topic not in topics:
        raise ToolError("invalid", f"`what` must be one of {', '.join(sorted(topics))}.")
    return topics[topic]


def _find_topic(topics: Mapping[str, Operation], thing_id: str | None) -> str | None:
    prefix = (thing_id or "").partition("_")[0]
    return next((name for name, operation in topics.items() if prefix and operation.id_prefix == prefix), None)


def _build_page(page: Mapping[str, Any], rows: Any) -> dict[str, Any]:
    cursor = page.get("nextCursor") or page.get("next")
    shown: dict[str, Any] = {"data": rows}
    shown |= {name: value for name, value in page.items() if name not in {"data", "nextCursor"} and is_short(value)}
    if cursor:
        shown["cursor"] = cursor
        shown["next"] = "There is more: call again with this cursor."
    elif not rows:
        shown["next"] = "There is nothing here."
    return shown


def _cut(value: Any, part: str | None) -> Any:
    if part:
        value = take_part(value, part)
        if value is None:
            raise ToolError("not_found", f"There is no {part} in it. Leave `part` out to see what there is.")
    shortened = shorten(value)
    if len(encode(shortened)) < len(encode(value)) and isinstance(shortened, dict) and not is_short(value):
        shortened["next"] = "Long texts and lists were cut (…). Call get with `part`, such as /targets/0, for the rest."
    return shortened
