"""The official MCP client, as a model uses it: it lists tools and calls them."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

T = TypeVar("T")
_SECONDS = 120


class McpTools:
    """Calls tools, and reads what they return."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool that must succeed."""
        is_error, result = await self.try_call(name, **arguments)
        assert not is_error, result
        return result

    async def refuse(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool that must be refused, and return why."""
        is_error, result = await self.try_call(name, **arguments)
        assert is_error, result
        return result

    async def try_call(self, name: str, /, **arguments: Any) -> tuple[bool, Any]:
        result = await self.client.call_tool(name, arguments)
        (content,) = result.content
        assert content.type == "text"
        return result.is_error, json.loads(content.text)

    async def confirm(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool that returns a preview, and then do what it shows."""
        preview = await self.call(name, **arguments)
        assert preview["done"] is False
        return await self.call(name, **arguments, confirm=preview["confirm"])

    async def list_names(self) -> list[str]:
        return [tool.name for tool in (await self.client.list_tools()).tools]


def use_http(url: str, key: str, task: Callable[[McpTools], Awaitable[T]], mode: str = "auto", **headers: str) -> T:
    """Do something with the tools of a service over HTTP."""
    return asyncio.run(_use(_open_http(url, key, mode, headers), task))


def use_stdio(url: str, key: str, task: Callable[[McpTools], Awaitable[T]]) -> T:
    """Do something with the tools of a service through the command."""
    return asyncio.run(_use(_open_stdio(url, key), task))


async def _use(opening: Any, task: Callable[[McpTools], Awaitable[T]]) -> T:
    async with opening as client:
        return await task(McpTools(client))


@asynccontextmanager
async def _open_http(url: str, key: str, mode: str, headers: dict[str, str]) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key}", **headers}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=_SECONDS) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def _open_stdio(url: str, key: str) -> AsyncIterator[Client]:
    program = str(Path(sys.executable).parent / "socialgate")
    environment = {**os.environ, "SOCIALGATE_URL": url, "SOCIALGATE_API_KEY": key}
    server = StdioServerParameters(command=program, args=["mcp"], env=environment)
    async with Client(stdio_client(server, errlog=sys.stderr)) as client:
        yield client
