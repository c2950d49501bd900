"""All tools together: which of them a caller sees, with which arguments, and what happens when one is called."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import msgspec

from socialgate.mcp.api import ApiClient, ApiSession, ToolError
from socialgate.mcp.arguments import read_arguments
from socialgate.mcp.composing import Composer
from socialgate.mcp.confirmations import may_need_confirmation
from socialgate.mcp.documentation import show_documentation
from socialgate.mcp.input_schemas import (
    AGAIN,
    CONFIRM,
    JsonSchema,
    build_action_schema,
    build_object,
    describe_list,
)
from socialgate.mcp.operations import ApiOperations, Operation
from socialgate.mcp.overview import build_overview
from socialgate.mcp.reading import DEFAULT_ROWS, Reader, name_topics
from socialgate.mcp.results import encode
from socialgate.mcp.tokens import estimate_tokens
from socialgate.mcp.tools import MAX_SCHEMA_TOKENS, TOOLS, Tool, ToolOperations
from socialgate.mcp.waiting import wait_for
from socialgate.mcp.writing import Writer

_TEXT: JsonSchema = {"type": "string"}
_OBJECT: JsonSchema = {"type": "object"}
_CURSOR: JsonSchema = {"type": "string", "description": "From the previous page."}
_DEFAULT_WAIT_SECONDS = 20
# Tried in this order: routes that are added later shorten the descriptions of all arguments.
_DESCRIPTION_LENGTHS = (56, 40, 24)
# A key that is limited to profiles cannot do this.
_FOR_ALL_PROFILES = frozenset({"profiles.create"})
# What of the arguments is for the tool, not for the operation.
_OWN = frozenset({"action", "confirm", "again"})
# What these tools read themselves in addition, before they call an operation.
_OWN_OF_TOOL: Mapping[str, frozenset[str]] = {
    "find": frozenset({"what", "filters", "limit", "cursor"}),
    "get": frozenset({"what", "id", "filters", "part"}),
    "wait": frozenset({"id", "seconds"}),
    "docs": frozenset({"query", "guide", "operation", "cursor"}),
    "call": frozenset({"operation", "arguments"}),
}


class ToolAccess(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller may do, as the API knows it."""

    can_write: bool
    is_session: bool
    # The profiles that the key is limited to; None without a limit.
    profile_ids: Sequence[str] | None

    def allows(self, operation: Operation) -> bool:
        if operation.needs_session and not self.is_session:
            return False
        if operation.name in _FOR_ALL_PROFILES and self.profile_ids is not None:
            return False
        return self.can_write or not operation.writes


_EVERYTHING = ToolAccess(can_write=True, is_session=True, profile_ids=None)


class VisibleTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as a caller sees it."""

    tool: Tool
    schema: JsonSchema

    def count_tokens(self) -> int:
        """Estimate what it costs in each conversation."""
        return estimate_tokens(encode(self.describe()))

    def describe(self) -> dict[str, Any]:
        """Return what a model reads of it."""
        return {"name": self.tool.name, "description": self.tool.description, "inputSchema": self.schema}


class Toolbox:
    """The tools over one version of the API. The document is read once, when they are first needed."""

    def __init__(self, document: bytes) -> None:
        self._document = document

    @cached_property
    def operations(self) -> ApiOperations:
        return ApiOperations(msgspec.json.decode(self._document))

    @cached_property
    def tools(self) -> ToolOperations:
        return ToolOperations(self.operations)

    def prepare(self) -> None:
        """Read the document, which takes a moment, and let go of it."""
        assert self.tools is not None
        assert self.description_length >= 0
        self._document = b""

    def list_tools(self, access: ToolAccess) -> Sequence[VisibleTool]:
        """List the tools that a caller may use, with the arguments that it may give."""
        visible = []
        for tool in TOOLS:
            if tool.writes and not access.can_write:
                continue
            schema = self._build_schema(tool, access)
            if schema is not None:
                visible.append(VisibleTool(tool=tool, schema=_limit_to_profiles(schema, access)))
        return visible

    async def call(self, name: str, arguments: Mapping[str, Any], client: ApiClient, access: ToolAccess) -> Any:
        """Call a tool. Raises `ToolError` with what went wrong, and how to fix it."""
        tool = next((tool for tool in TOOLS if tool.name == name), None)
        if tool is None or (tool.writes and not access.can_write):
            names = ", ".join(visible.tool.name for visible in self.list_tools(access))
            raise ToolError("not_found", f"There is no tool {name} for this key. There are: {names}.")
        own = _OWN | _OWN_OF_TOOL.get(name, frozenset())
        call = _ToolCall(self, tool, read_arguments(arguments, own), client, access)
        return await call.run()

    def _build_schema(self, tool: Tool, access: ToolAccess) -> JsonSchema | None:
        handmade = _HANDMADE.get(tool.name)
        if handmade is not None:
            return handmade(self, access)
        actions = self.list_actions(tool.name, access)
        if not actions:
            return None
        extra: dict[str, JsonSchema] = {}
        if any(may_need_confirmation(operation) for operation in actions.values()):
            extra["confirm"] = CONFIRM
        if any(operation.is_idempotent and operation.writes for operation in actions.values()):
            extra["again"] = AGAIN
        return build_action_schema(self.operations, actions, extra, self.description_length)

    @cached_property
    def description_length(self) -> int:
        """How long descriptions of arguments may be, so that everything together is short enough."""
        for length in _DESCRIPTION_LENGTHS:
            self.__dict__["description_length"] = length
            if sum(tool.count_tokens() for tool in self.list_tools(_EVERYTHING)) <= MAX_SCHEMA_TOKENS:
                return length
        return 0

    def list_actions(self, tool: str, access: ToolAccess) -> Mapping[str, Operation]:
        """List what a caller may do with a tool."""
        actions = self.tools.list_actions(tool)
        return {name: operation for name, operation in actions.items() if access.allows(operation)}


class _ToolCall:
    """One call of a tool."""

    def __init__(
        self, toolbox: Toolbox, tool: Tool, arguments: Mapping[str, Any], client: ApiClient, access: ToolAccess
    ) -> None:
        self._toolbox = toolbox
        self._tool = tool
        self._access = access
        self._arguments = arguments
        self._session = ApiSession(client, toolbox.operations)
        self._reader = Reader(self._session, toolbox.tools)
        self._writer = Writer(self._session, toolbox.tools)

    async def run(self) -> Any:
        handler = self._handlers.get(self._tool.name, self._run_action)
        return await handler()

    @property
    def _handlers(self) -> Mapping[str, Callable[[], Awaitable[Any]]]:
        arguments, composer = self._arguments, Composer(self._session, self._writer)
        content = self._add_profile({name: value for name, value in arguments.items() if name not in _OWN})
        return {
            "overview": lambda: build_overview(self._session, arguments.get("profileId")),
            "find": lambda: self._reader.find(arguments),
            "get": lambda: self._reader.get(arguments),
            "wait": lambda: wait_for(
                self._session, arguments.get("id", ""), arguments.get("seconds") or _DEFAULT_WAIT_SECONDS
            ),
            "docs": lambda: show_documentation(self._session, arguments),
            "draft_post": lambda: composer.draft(content, self._again),
            "publish_post": lambda: composer.publish(arguments),
            "call": self._call_operation,
        }

    @property
    def _again(self) -> int:
        return self._arguments.get("again") or 1

    async def _run_action(self) -> Any:
        actions = self._toolbox.list_actions(self._tool.name, self._access)
        rest = {name: value for name, value in self._arguments.items() if name not in _OWN}
        return await self._run_operation(_choose_action(actions, self._arguments.get("action")), rest)

    async def _call_operation(self) -> Any:
        known = self._toolbox.operations.by_name
        operation = known.get(self._arguments.get("operation", ""))
        if operation is None or self._toolbox.tools.get_tool(operation) is None or not self._access.allows(operation):
            raise ToolError("not_found", "There is no such operation for tools. docs without arguments lists them.")
        return await self._run_operation(operation, self._arguments.get("arguments") or {})

    async def _run_operation(self, operation: Operation, arguments: Mapping[str, Any]) -> Any:
        if not operation.writes:
            return await self._reader.read(operation, arguments)
        if any(argument.name == "profileId" and argument.required for argument in operation.arguments):
            arguments = self._add_profile(arguments)
        return await self._writer.run(
            self._tool.name, operation, arguments, self._arguments.get("confirm"), self._again
        )

    def _add_profile(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Fill in the profile where the key has only one."""
        profiles = self._access.profile_ids
        if profiles is None or len(profiles) != 1:
            return arguments
        return {"profileId": profiles[0], **arguments}


def _choose_action(actions: Mapping[str, Operation], action: str | None) -> Operation:
    if action is None and len(actions) == 1:
        return next(iter(actions.values()))
    by_full_name = {operation.name: operation for operation in actions.values()}
    operation = None if action is None else actions.get(action) or by_full_name.get(action)
    if operation is None:
        raise ToolError("invalid", f"`action` must be one of {', '.join(actions)}.")
    return operation


def _limit_to_profiles(schema: JsonSchema, access: ToolAccess) -> JsonSchema:
    """Show the profiles of a limited key where one can be given."""
    if access.profile_ids is None or "profileId" not in schema["properties"]:
        return schema
    limited = {**schema["properties"], "profileId": {"type": "string", "enum": list(access.profile_ids)}}
    return {**schema, "properties": limited}


def _build_overview_schema(toolbox: Toolbox, access: ToolAccess) -> JsonSchema:
    del toolbox, access
    return build_object({"profileId": _TEXT})


def _build_find_schema(toolbox: Toolbox, access: ToolAccess) -> JsonSchema:
    operations = [operation for operation in toolbox.tools.list_operations("find") if access.allows(operation)]
    topics = name_topics(operations, "list")
    lists = "; ".join(f"{name}({describe_list(operation)})" for name, operation in topics.items())
    return build_object(
        {
            "what": {"type": "string", "description": f"With its filters, * is required: {lists}"},
            "filters": _OBJECT,
            "limit": {"type": "integer", "description": f"Default {DEFAULT_ROWS}"},
            "cursor": _CURSOR,
        },
        ["what"],
    )


def _build_get_schema(toolbox: Toolbox, access: ToolAccess) -> JsonSchema:
    operations = [operation for operation in toolbox.tools.list_operations("get") if access.allows(operation)]
    topics = name_topics(operations, "get")
    return build_object(
        {
            "what": {
                "type": "string",
                "enum": list(topics),
                "description": "Not needed for an id whose start says it: acc_, post_, hook_, task_, prf_, aut_",
            },
            "id": _TEXT,
            "accountId": {"type": "string", "description": "Of a conversation, lead or lead form"},
            "filters": {
                "type": "object",
                "description": "hookId of a delivery, automationId of a run, kind of a platform",
            },
            "part": {"type": "string", "description": "JSON pointer"},
        }
    )


def _build_wait_schema(toolbox: Toolbox, access: ToolAccess) -> JsonSchema:
    del toolbox, access
    return build_object(
        {"id": {"type": "string", "description": "task_, gen_ or post_"}, "seconds": {"type": "integer"}}, ["id"]
    )


def _build_docs_schema(toolbox: Toolbox, access: ToolAccess) -> JsonSchema:
    del toolbox, access
    return build_object(
        {
            "query": {"type": "string", "description": "Words"},
            "guide": _TEXT,
            "operation": {"type": "string", "description": "Such as posts.create"},
            "cursor": _CURSOR,
        }
    )


def _build_draft_schema(toolbox: Toolbox, access: ToolAccess) -> JsonSchema:
    del access
    create = toolbox.operations.by_name["posts.create"]
    schema = build_action_schema(toolbox.operations, {"create": create}, {"again": AGAIN}, toolbox.description_length)
    return {**schema, "required": ["content"]}


def _build_publish_schema(toolbox: Toolbox, access: ToolAccess) -> JsonSchema:
    del toolbox, access
    when = "now, next_slot, or RFC 3339; without offset in `timezone`"
    return build_object(
        {"postId": _TEXT, "when": {"type": "string", "description": when}, "timezone": _TEXT}, ["postId", "when"]
    )


def _build_call_schema(toolbox: Toolbox, access: ToolAccess) -> JsonSchema:
    names = [operation.name for operation in toolbox.tools.list_operations("call") if access.allows(operation)]
    return build_object(
        {
            "operation": {"type": "string", "description": f"Such as {', '.join(names)}"},
            "arguments": _OBJECT,
            "confirm": CONFIRM,
        },
        ["operation"],
    )


SchemaBuilder: TypeAlias = Callable[[Toolbox, ToolAccess], JsonSchema]
_HANDMADE: Mapping[str, SchemaBuilder] = {
    "overview": _build_overview_schema,
    "find": _build_find_schema,
    "get": _build_get_schema,
    "wait": _build_wait_schema,
    "docs": _build_docs_schema,
    "draft_post": _build_draft_schema,
    "publish_post": _build_publish_schema,
    "call": _build_call_schema,
}
