"""Answers messages of MCP clients: finds out what the caller may do, and lets the SDK and the tools do the rest."""

import asyncio
from http import HTTPStatus
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

import msgspec
from litestar import Request, Response
from litestar.types import ASGIApp

from socialgate.areas.mcp.in_process import InProcessClient
from socialgate.areas.mcp.schemas import McpMessage, McpReply
from socialgate.core.caller import Caller
from socialgate.core.errors import Forbidden, NotFound, Unauthenticated
from socialgate.core.settings import Settings
from socialgate.mcp.api import ApiRequest
from socialgate.mcp.toolbox import ToolAccess, Toolbox

_SDK_PACKAGE = "mcp"
_LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
_OPENAPI_PATH = "/openapi.json"


class McpNotInstalled(NotFound):
    """This deployment has no MCP server.

    Its operator installs it with `pip install 'socialgate[mcp]'` and restarts the service. `socialgate mcp` works with
    any deployment.
    """

    code = "mcp_not_installed"
    title = "The MCP server is not installed"


class ForeignOrigin(Forbidden):
    """A page of another site sent a message to the MCP server.

    Use an MCP client that is not a page in a browser, or open it from the URL of this service.
    """

    code = "foreign_origin"
    title = "Pages of other sites cannot use the MCP server"


class McpService:
    def __init__(self, settings: Settings) -> None:
        self._public_url = settings.public_url
        self._app: ASGIApp | None = None
        self._toolbox: Toolbox | None = None
        self._loading = asyncio.Lock()

    def attach_app(self, app: ASGIApp) -> None:
        self._app = app

    async def answer(self, caller: Caller, request: Request[Any, Any, Any], message: McpMessage) -> Response[McpReply]:
        self._require_own_origin(request)
        authorization = request.headers.get("authorization")
        if authorization is None:
            raise Unauthenticated("The cookie of a browser is not enough here. Send Authorization: Bearer <API key>.")
        if find_spec(_SDK_PACKAGE) is None:
            raise McpNotInstalled("This deployment has no MCP server. Its operator installs the extra `mcp`.")
        client = self._build_client(request, authorization)
        toolbox = await self._load_toolbox(client)
        server = (await _load_server_module()).McpServer(toolbox, client, _describe_access(caller))
        reply = await server.answer(msgspec.json.encode(message), request.scope["headers"])
        media_type = "application/json"
        return Response(reply.body, status_code=reply.status, media_type=media_type if reply.body else None)

    def _require_own_origin(self, request: Request[Any, Any, Any]) -> None:
        """Refuse pages of other sites, also those whose name leads to this machine (DNS rebinding): what `Host` says
        counts only if no name had to be resolved for it.
        """
        origin = request.headers.get("origin")
        if origin is None:
            return
        host = request.headers.get("host", "")
        allowed = {_get_origin(self._public_url)}
        if urlsplit(f"//{host}").hostname in _LOOPBACK_NAMES:
            allowed |= {f"http://{host}", f"https://{host}"}
        if origin not in allowed:
            raise ForeignOrigin(f"The Origin {origin} is not that of this service, {_get_origin(self._public_url)}.")

    def _build_client(self, request: Request[Any, Any, Any], authorization: str) -> InProcessClient:
        assert self._app is not None, "requests come to an app that exists"
        return InProcessClient(self._app, request.scope, authorization, request.scope["state"]["request_id"])

    async def _load_toolbox(self, client: InProcessClient) -> Toolbox:
        """Make the tools from the document when they are first needed, in a thread: it takes a moment."""
        async with self._loading:
            if self._toolbox is None:
                document = await client.send(ApiRequest(method="GET", path=_OPENAPI_PATH))
                assert document.status == HTTPStatus.OK, "everybody may read the document"
                toolbox = Toolbox(document.content)
                await asyncio.to_thread(toolbox.prepare)
                self._toolbox = toolbox
            return self._toolbox


async def _load_server_module() -> Any:
    """Load the SDK with the first message, in a thread: it takes a second."""
    return await asyncio.to_thread(import_module, "socialgate.mcp.server")


def _describe_access(caller: Caller) -> ToolAccess:
    profile_ids = caller.allowed_profile_ids
    return ToolAccess(
        can_write=caller.permission == "read-write",
        is_session=caller.is_session,
        profile_ids=None if profile_ids is None else sorted(profile_ids),
    )


def _get_origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
