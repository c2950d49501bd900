"""Finding the handler of a call: `GET /v26.0/{node}/{edge}`, several in a batch, or several nodes by `ids`."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any, TypeAlias
from urllib.parse import unquote

import msgspec
from starlette.datastructures import ImmutableMultiDict, QueryParams
from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import (
    build_error_response,
    build_parameter_error,
    build_parameter_response,
    build_unknown_field_error,
    build_unknown_object_error,
    build_unknown_path_response,
)
from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.nodes import (
    EDGE_EXPANDER,
    Node,
    documents_name,
    parse_requested_fields,
    render_node,
)
from socialgate_sandbox.dialects.graph.parameters import get_flag
from socialgate_sandbox.kit import Call, CallRefusedError, Method, Route, UnreadableInputError, build_json_response

_VERSION_PATTERN = re.compile(r"v\d+\.\d+")
# A step of a batch refers to the response of an earlier one: {result=posts:$.data.*.id}.
_RESULT_REFERENCE_PATTERN = re.compile(r"\{result=([^:}]+):\$([^}]*)\}")
_PATH_STEP_PATTERN = re.compile(r"\.\.?(\*|\w+)|\[(\*|\d+)\]")
_METHODS: tuple[Method, ...] = ("GET", "POST", "DELETE")
_MAX_IN_BATCH = 50
NODE_PATH_LENGTH = 1
EDGE_PATH_LENGTH = 2
NodeFinder: TypeAlias = Callable[[Call, str], Node | None]
EdgeHandlers: TypeAlias = Mapping[str, Callable[[Call, Any], Any]]


@dataclass(frozen=True)
class GraphApi:
    """The calls of one host.

    `root_handlers` do not start at a node (`GET debug_token`) and take the call. `edge_handlers` are named by the type
    of the node (`GET Page/picture`, `DELETE Post`) and take the call and the thing. `find_node` returns the node with
    an id, or refuses.
    """

    host: str
    versions: tuple[str, ...]
    find_node: Callable[[Call, str], Node]
    root_handlers: Mapping[str, Callable[[Call], Any]]
    edge_handlers: EdgeHandlers
    # Added to every response that does not set it itself: an error about a limit reports its own usage.
    headers: Callable[[Call], Mapping[str, str]]

    def build_routes(self, *others: str) -> list[Route]:
        """Create the routes of the host, and of others that serve the same."""
        return [
            Route(method, f"/{host}/{{rest:path}}", self.serve, listed_paths=self._list_paths(method, host))
            for host in (self.host, *others)
            for method in _METHODS
        ]

    def _list_paths(self, method: Method, host: str) -> list[str]:
        """List the calls of a method. A node is named by its type: `/{version}/{Page}/feed`."""
        start = f"/{host}/{{version}}"
        calls = [call.partition(" ")[2] for call in self.root_handlers if call.startswith(f"{method} ")]
        for name in (call.partition(" ")[2] for call in self.edge_handlers if call.startswith(f"{method} ")):
            node, _, edge = name.partition("/")
            calls.append(f"{{{node}}}/{edge}".rstrip("/"))
        # Any node can be read, alone or with others, and a batch can contain any call.
        calls += {"GET": ["{id}", "?ids={ids}"], "POST": ["?batch={calls}"]}.get(method, [])
        return [f"{start}/{call}" for call in calls]

    async def serve(self, call: Call) -> Response:
        EDGE_EXPANDER.set(self._expand_edge)
        answer = await self._respond(call)
        for name, value in self.headers(call).items():
            answer.headers.setdefault(name, value)
        return answer

    async def _respond(self, call: Call) -> Response:
        path = self.split_path(call)
        if path is None:
            return build_unknown_path_response(call.path.split("/", 2)[2])
        try:
            if not path and call.params.get("batch"):
                return build_json_response(await self._run_batch(call))
            answer = await self._serve_path(call, path)
        except CallRefusedError as refused:
            return refused.response(call)
        except UnreadableInputError as error:
            return build_parameter_response(str(error))
        return answer if isinstance(answer, Response) else build_json_response(answer)

    def split_path(self, call: Call) -> list[str] | None:
        """Split what follows host and version. A retired version is served as the oldest supported one."""
        parts = [part for part in call.path.split("/")[2:] if part]
        if not parts or not _VERSION_PATTERN.fullmatch(parts[0]):
            return parts
        newest = max(self.versions, key=_parse_version)
        return parts[1:] if _parse_version(parts[0]) <= _parse_version(newest) else None

    async def _serve_path(self, call: Call, path: list[str]) -> Any:
        method = str(call.query.get("method") or call.method).upper()
        handler = self.root_handlers.get(f"{method} {'/'.join(path)}")
        if handler is not None:
            return await _run_handler(call, handler)
        if not path and call.params.get("ids"):
            keys = str(call.params["ids"]).split(",")
            return {key: render_node(call, self.find_node(call, key), parse_requested_fields(call)) for key in keys}
        if len(path) not in {NODE_PATH_LENGTH, EDGE_PATH_LENGTH}:
            return build_unknown_path_response("/".join(path))
        node = self.find_node(call, path[0])
        edge = path[1] if len(path) == EDGE_PATH_LENGTH else ""
        return await self._serve_node(call, method, node, edge)

    async def _serve_node(self, call: Call, method: str, node: Node, edge: str) -> Any:
        handler = self.edge_handlers.get(f"{method} {node.type.name}/{edge}".rstrip("/"))
        if handler is not None:
            return await _run_handler(call, handler, node.stored_object)
        if method == "GET" and not edge:
            with call.context.store.transaction():
                return render_node(call, node, parse_requested_fields(call))
        if method == "GET" and documents_name(node.type, "edges", edge):
            return {"data": []}
        if method == "GET":
            raise build_unknown_field_error(edge, node.type.name, node.type.error_kind)
        raise build_unknown_object_error(method, str(node.stored_object.id))

    def _expand_edge(self, call: Call, node: Node, field: RequestedField) -> dict[str, Any] | None:
        """List an edge given among the fields of its node, with links to the edge itself."""
        handler = self.edge_handlers.get(f"GET {node.type.name}/{field.name}")
        if handler is None:
            return {"data": []} if documents_name(node.type, "edges", field.name) else None
        version = next((part for part in call.path.split("/")[2:3] if _VERSION_PATTERN.fullmatch(part)), "")
        path = "/".join(part for part in (self.host, version, node.stored_object.id, field.name) if part)
        query = {**field.args, **({"fields": ",".join(map(str, field.fields))} if field.fields else {})}
        response = handler(_build_inner_call(call, "GET", f"/{path}", [*query.items()]), node.stored_object)
        if isinstance(response, Response):
            raise CallRefusedError(response)
        return dict(response)

    async def _run_batch(self, call: Call) -> list[Any]:
        try:
            steps = msgspec.convert(_decode_if_text(call.params["batch"]), list[_BatchStep])
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise build_parameter_error("batch parameter must be a JSON array") from error
        if len(steps) > _MAX_IN_BATCH:
            message = "(#100) Too many requests in batch message. Maximum batch size is 50"
            raise CallRefusedError(build_error_response(message, 100))
        answers: dict[str, Response] = {}
        return [await self._run_batch_step(call, step, answers) for step in steps]

    async def _run_batch_step(self, call: Call, step: "_BatchStep", responses: dict[str, Response]) -> Any:
        """Make one call of a batch. It may depend on earlier ones, which must then have succeeded."""
        needed = {
            name
            for text in (step.relative_url, step.body)
            for name, _ in _RESULT_REFERENCE_PATTERN.findall(unquote(text))
        }
        needed |= {step.depends_on} - {""}
        if any(name not in responses or responses[name].status_code >= 400 for name in needed):  # noqa: PLR2004 - as below
            return None
        answer = await self._respond(step.build_call(call, self.host, responses))
        responses[step.name] = answer
        if step.omit_response_on_success and step.name and answer.status_code < 400:  # noqa: PLR2004 - as HTTP has it
            return None
        headers = [{"name": name, "value": value} for name, value in answer.headers.items()]
        shown = {"headers": headers} if get_flag(call, "include_headers", default=True) else {}
        return {"code": answer.status_code, **shown, "body": bytes(answer.body).decode()}


class _BatchStep(msgspec.Struct):
    method: str
    relative_url: str
    body: str = ""
    name: str = ""
    depends_on: str = ""
    attached_files: str = ""
    omit_response_on_success: bool = True
    access_token: str = ""

    def build_call(self, outer_call: Call, host: str, responses: Mapping[str, Response]) -> Call:
        path, _, query = self.relative_url.lstrip("/").partition("?")
        value = _fill_pairs(query, responses)
        if self.access_token and "access_token" not in dict(value):
            value.append(("access_token", self.access_token))
        form = _fill_pairs(self.body, responses)
        call = _build_inner_call(
            outer_call, self.method.upper(), f"/{host}/{_fill_references(unquote(path), responses)}", value, form
        )
        call.files = {
            name: outer_call.files[name] for name in self.attached_files.split(",") if name in outer_call.files
        }
        return call


def _build_inner_call(
    outer_call: Call, method: str, path: str, query: list[tuple[str, str]], form: Sequence[tuple[str, str]] = ()
) -> Call:
    """Make a call within another one, whose token is used unless it has its own."""
    token = outer_call.params.get("access_token") or outer_call.bearer_token or ""
    own = [] if any(name == "access_token" for name, _ in query) else [("access_token", str(token))]
    return Call(
        context=outer_call.context,
        method=method,
        path=path,
        query=QueryParams([*query, *own]),
        headers=outer_call.headers,
        form=ImmutableMultiDict(form),
        files={},
        raw_body=b"",
    )


def _fill_pairs(text: str, responses: Mapping[str, Response]) -> list[tuple[str, str]]:
    return [(name, _fill_references(value, responses)) for name, value in QueryParams(text).multi_items()]


def _fill_references(text: str, responses: Mapping[str, Response]) -> str:
    """Insert the responses of earlier steps; several values are separated by commas."""

    def value(match: re.Match[str]) -> str:
        values = [msgspec.json.decode(bytes(responses[match[1]].body))]
        for name, place in _PATH_STEP_PATTERN.findall(match[2]):
            values = [inner for outer in values for inner in _select_members(outer, name or place)]
        return ",".join(value if isinstance(value, str) else msgspec.json.encode(value).decode() for value in values)

    return _RESULT_REFERENCE_PATTERN.sub(value, text)


def _select_members(value: Any, name: str) -> list[Any]:
    if name == "*":
        return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if isinstance(value, list):
        return [value[int(name)]] if name.isdecimal() and int(name) < len(value) else []
    return [value[name]] if isinstance(value, dict) and name in value else []


async def _run_handler(call: Call, handler: Callable[..., Any], *things: Any) -> Any:
    if iscoroutinefunction(handler):
        return await handler(call, *things)
    with call.context.store.transaction():
        return handler(call, *things)


def _parse_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version[1:].split("."))


def _decode_if_text(value: Any) -> Any:
    return msgspec.json.decode(value) if isinstance(value, str) else value
