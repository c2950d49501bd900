from http import HTTPStatus
from typing import Any

from litestar import Request, Response

from socialgate.areas.mcp.schemas import McpMessage, McpReply
from socialgate.areas.mcp.service import ForeignOrigin, McpNotInstalled, McpService
from socialgate.core.caller import Caller
from socialgate.web.route import RouteTag, route

TAG = RouteTag("MCP", "Tools for language models, over the Model Context Protocol.")


@route(
    "POST",
    "/mcp",
    sdk="mcp.send",
    in_clients=False,
    tag=TAG,
    status=HTTPStatus.OK,
    writes=False,
    idempotent=False,
    also=(HTTPStatus.ACCEPTED,),
    raises=(McpNotInstalled, ForeignOrigin),
)
async def answer_message(
    data: McpMessage, request: Request[Any, Any, Any], caller: Caller, mcp: McpService
) -> Response[McpReply]:
    """Answer a message of an MCP client (Streamable HTTP). Any client works with this URL and an API key.

    Tools do what the key may do: they call the routes of this API with it, so that its rate limit, its profiles and its
    permission hold, and nothing happens twice. Each of these calls counts like one of your own. The service keeps no
    session and sends nothing by itself: there is no stream to open with GET, and nothing to end with DELETE. The guide
    is docs/mcp.md.
    """
    return await mcp.answer(caller, request, data)


routes = [answer_message]
