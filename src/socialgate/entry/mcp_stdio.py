"""The tools over standard input and output, with the Python client as their connection to the service."""

from typing import Any

import msgspec

from socialgate.core.settings import SettingsError
from socialgate.mcp.api import ApiRequest, ApiResponse, ToolError
from socialgate.mcp.server import McpServer
from socialgate.mcp.toolbox import ToolAccess, Toolbox
from socialgate_client import ApiError, AsyncSocialgate, Call, SocialgateError
from socialgate_client import ConnectionError as ServiceUnreachable


class HttpClient:
    """Sends requests with the Python client, which repeats what may be repeated."""

    def __init__(self, client: AsyncSocialgate) -> None:
        self._client = client

    async def send(self, request: ApiRequest) -> ApiResponse:
        call: Call[Any] = Call(
            method=request.method,
            path=request.path,
            query=request.query,
            body=request.body,
            idempotency_key=request.idempotency_key,
        )
        try:
            response = await self._client.fetch(call)
        except ApiError as error:
            return ApiResponse(
                status=error.status, headers=error.headers, content=msgspec.json.encode(error.problem.to_dict())
            )
        except ServiceUnreachable as error:
            raise ToolError("unreachable", f"The service could not be reached: {error}. Call again.") from error
        return ApiResponse(status=response.status_code, headers=response.headers, content=response.content)


async def serve_stdio(url: str, key: str) -> None:
    async with AsyncSocialgate(base_url=url, api_key=key) as client:
        api = HttpClient(client)
        try:
            document = await client.fetch(Call(method="GET", path="/openapi.json"))
            access = _describe_access(await client.fetch(Call(method="GET", path="/auth/me")))
        except SocialgateError as error:
            raise SettingsError(f"Cannot use {url}: {error}") from error
        toolbox = Toolbox(document.content)
        toolbox.prepare()
        await McpServer(toolbox, api, access).run_stdio()


def _describe_access(response: Any) -> ToolAccess:
    caller = msgspec.json.decode(response.content)
    key = caller["key"]
    if key is None:
        return ToolAccess(can_write=True, is_session=True, profile_ids=None)
    return ToolAccess(
        can_write=key["permission"] == "read-write",
        is_session=False,
        profile_ids=key["profileIds"] if key["scope"] == "profiles" else None,
    )
