from typing import Annotated, Any, Literal

import msgspec

from socialgate.web.schemas import RequestBody, ResponseModel

MessageId = Annotated[str | int, msgspec.Meta(description="Chosen by the client; the response has the same.")]


class McpMessage(RequestBody, frozen=True, kw_only=True):
    """A message of a client: a request with an `id`, or a notification without."""

    jsonrpc: Literal["2.0"]
    """The version of JSON-RPC."""
    method: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    """What to do: `tools/list`, `tools/call`, `resources/read`."""
    id: MessageId | msgspec.UnsetType = msgspec.UNSET
    params: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    """The arguments of the method."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


class McpReply(ResponseModel, frozen=True, kw_only=True):
    """The response to a message: a result, or an error of the protocol. What a tool was refused is a result."""

    jsonrpc: Literal["2.0"]
    """The version of JSON-RPC."""
    id: Annotated[str | int | None, msgspec.Meta(description="The id of the message that this answers.")]
    result: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    """What the method returned."""
    error: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    """Why the message was not understood: `code`, `message` and perhaps `data`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "jsonrpc": "2.0",
            "id": 1,
            "result": {"tools": [{"name": "overview", "inputSchema": {"type": "object"}}]},
        }
