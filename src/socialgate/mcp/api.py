"""How tools reach the API: in the same process, or over HTTP. Both are requests to its routes."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import quote

import msgspec

from socialgate.mcp.operations import ApiOperations, Operation


class ApiRequest(msgspec.Struct, frozen=True, kw_only=True):
    method: str
    path: str
    query: Sequence[tuple[str, str]] = ()
    body: Any = None
    idempotency_key: str | None = None


class ApiResponse(msgspec.Struct, frozen=True, kw_only=True):
    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def is_success(self) -> bool:
        return self.status < HTTPStatus.BAD_REQUEST

    @property
    def was_replayed(self) -> bool:
        """Whether the service did nothing, because it had done the same before."""
        return self.headers.get("idempotent-replayed") == "true"

    @property
    def value(self) -> Any:
        return msgspec.json.decode(self.content) if self.content else None

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")


class ApiClient(Protocol):
    """Sends requests with the credential of whoever calls a tool."""

    async def send(self, request: ApiRequest) -> ApiResponse: ...


class ToolError(Exception):
    """A tool could not do what it was called for. The details are for the model, and say how to fix it."""

    def __init__(self, code: str, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.details = {"code": code, "detail": detail, **{name: value for name, value in more.items() if value}}


class ApiSession:
    """Calls operations for one caller, and raises what the API refused."""

    def __init__(self, client: ApiClient, operations: ApiOperations) -> None:
        self._client = client
        self.operations = operations

    async def call(self, name: str, **arguments: Any) -> Any:
        """Call an operation that reads, by its name."""
        return (await self.run(self.operations.by_name[name], arguments)).value

    async def run(
        self, operation: Operation, arguments: Mapping[str, Any], idempotency_key: str | None = None
    ) -> ApiResponse:
        request = build_request(self.operations, operation, arguments)
        return await self.send(msgspec.structs.replace(request, idempotency_key=idempotency_key))

    async def send(self, request: ApiRequest) -> ApiResponse:
        response = await self._client.send(request)
        if not response.is_success:
            raise _read_problem(response)
        return response


class ProblemError(ToolError):
    """A problem of the API."""

    def __init__(self, response: ApiResponse, problem: Mapping[str, Any]) -> None:
        super().__init__(
            str(problem.get("code", response.status)),
            str(problem.get("detail", "The service returned an error without an explanation.")),
            errors=problem.get("errors"),
            retryAfterSeconds=problem.get("retryAfter"),
            platform=problem.get("platform"),
            explained=problem.get("type"),
            requestId=problem.get("requestId"),
        )
        self.response = response


def build_request(operations: ApiOperations, operation: Operation, arguments: Mapping[str, Any]) -> ApiRequest:
    """Put arguments where their operation expects them. What it does not know goes along: the API says what it is."""
    rest = {name: value for name, value in arguments.items() if value is not None}
    path = operation.path
    for argument in operation.path_arguments:
        value = rest.pop(argument.name, None)
        if not isinstance(value, str) or not value:
            raise ToolError("invalid", f"{operation.name} needs {argument.name}: {argument.description}")
        path = path.replace(f"{{{argument.name}}}", quote(value, safe=""))
    in_query = {argument.name for argument in operation.query} - {argument.name for argument in operation.body}
    has_body = bool(operation.body)
    query = [(name, value) for name, value in rest.items() if name in in_query or not has_body]
    body = {name: value for name, value in rest.items() if name not in in_query} if has_body else None
    return ApiRequest(
        method=operation.http,
        path=path,
        query=[(name, text) for name, value in query for text in _to_query(value)],
        body=None if body is None else _decode_nested(operations, operation, body),
    )


def _to_query(value: Any) -> Sequence[str]:
    if isinstance(value, list):
        return [text for item in value for text in _to_query(item)]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [value if isinstance(value, str) else msgspec.json.encode(value).decode()]


def _decode_nested(operations: ApiOperations, operation: Operation, body: Mapping[str, Any]) -> dict[str, Any]:
    """Decode objects and lists that came as text: some clients send every argument so."""
    kinds = {argument.name: operations.resolve(argument.schema).get("type") for argument in operation.body}
    return {
        name: _decode(value) if isinstance(value, str) and kinds.get(name) in {"object", "array"} else value
        for name, value in body.items()
    }


def _decode(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _read_problem(response: ApiResponse) -> ProblemError:
    try:
        problem = response.value
    except msgspec.DecodeError:
        problem = None
    return ProblemError(response, problem if isinstance(problem, dict) else {})
