"""The page docs/reference/mcp.md: every tool, what it calls, and what the tools cost in a conversation."""

from collections.abc import Sequence

from socialgate.areas.description.api_documents import ApiDocuments
from socialgate.entry.deployment import Deployment
from socialgate.mcp.toolbox import ToolAccess, Toolbox, VisibleTool
from socialgate.mcp.tools import MAX_SCHEMA_TOKENS, MAX_TOOLS, NOT_FOR_TOOLS

_INTRODUCTION = """\
# MCP tools

The tools that a language model gets at `/mcp` and from `socialgate mcp`; [the guide](../mcp.md) explains how to use
them. A key with read permission gets those that write nothing. Arguments have the names of the API, and `docs` shows
those of an operation in full.
"""


def render_mcp_page(deployment: Deployment) -> str:
    # The documents describe an app that exists.
    assert deployment.app is not None
    toolbox = Toolbox(deployment.container.get(ApiDocuments).openapi)
    access = {
        "A session": ToolAccess(can_write=True, is_session=True, profile_ids=None),
        "A key": ToolAccess(can_write=True, is_session=False, profile_ids=None),
        "A key with read permission": ToolAccess(can_write=False, is_session=False, profile_ids=None),
    }
    visible = {caller: toolbox.list_tools(allowed) for caller, allowed in access.items()}
    sizes = [f"| {caller} | {len(tools)} | {_count(tools)} |" for caller, tools in visible.items()]
    limits = f"At most {MAX_TOOLS} tools and {MAX_SCHEMA_TOKENS:,} tokens. Tokens are estimated, rather too many."
    rows = [_build_row(toolbox, tool) for tool in visible["A session"]]
    others = [f"| `{name}` | {why} |" for name, why in NOT_FOR_TOOLS.items()]
    return "\n".join(
        [
            _INTRODUCTION,
            *(limits, "", "| Caller | Tools | Tokens |", "| --- | --- | --- |", *sizes, ""),
            *("| Tool | For | Writes | Operations |", "| --- | --- | --- | --- |", *rows, ""),
            *("## Operations without a tool", "", "| Operation | Why |", "| --- | --- |", *others),
        ]
    )


def _count(tools: Sequence[VisibleTool]) -> int:
    return sum(tool.count_tokens() for tool in tools)


def _build_row(toolbox: Toolbox, visible: VisibleTool) -> str:
    tool = visible.tool
    operations = toolbox.tools.list_operations(tool.name)
    names = ", ".join(f"`{operation.name}`" for operation in operations)
    return f"| `{tool.name}` | {tool.description} | {'yes' if tool.writes else ''} | {names} |"
