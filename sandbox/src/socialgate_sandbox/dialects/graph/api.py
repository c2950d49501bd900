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
    bad_parameter,
    failure,
    unknown_field,
    unknown_object,
    unknown_path,
    wrong,
)
from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.given import flag
from socialgate_sandbox.dialects.graph.nodes import EXPANDER, Node, declares, render, wanted
from socialgate_sandbox.kit import Call, Method, Refused, Route, Unreadable, reply

_VERSION = re.compile(r"v\d+\.\d+")
# A step of a batch refers to the response of an earlier one: {result=posts:$.data.*.id}.
_RESULT = re.compile(r"\{result=([^:}]+):\$([^}]*)\}")
_STEP_OF_PATH = re.compile(r"\.\.?(\*|\w+)|\[(\*|\d+)\]")
_METHODS: tuple[Method, ...] = ("GET", "POST", "DELETE")
_MOST_IN_BATCH = 50
NODE_ONLY = 1
NODE_AND_EDGE = 2
Finder: TypeAlias = Callable[[Call, str], Node | None]
Edges: TypeAlias = Mapping[str, Callable[[Call, Any], Any]]


@dataclass(frozen=True)
class Api:
    """The calls of one host.

    `roots` do not start at a node (`GET debug_token`) and take the call. `edges` are named by the type of the node
    (`GET Page/picture`, `DELETE Post`) and take the call and the thing. `find` returns the node with an id, or refuses.
    """

    host: str
    versions: tuple[str, ...]
    find: Callable[[Call, str], Node]
    roots: Mapping[str, Callable[[Call], Any]]
    edges: Edges
    # Added to every response that does not set it itself: an error about a limit reports its own usage.
    headers: Callable[[Call], Mapping[str, str]]

    def routes(self, *others: str) -> list[Route]:
        """Create the routes of the host, and of others that serve the same."""
        return [
            Route(method, f"/{host}/{{rest:path}}", self.serve, stands_for=self._paths(method, host))
            for host in (self.host, *others)
            for method in _METHODS
        ]

    def _paths(self, method: Method, host: str) -> list[str]:
        """List the calls of a method. A node is named by its type: `/{version}/{Page}/feed`."""
        start = f"/{host}/{{version}}"
        calls = [call.partition(" ")[2] for call in self.roots if call.startswith(f"{method} ")]
        for name in (call.partition(" ")[2] for call in self.edges if call.startswith(f"{method} ")):
            node, _, edge = name.partition("/")
            calls.append(f"{{{node}}}/{edge}".rstrip("/"))
        # Any node can be read, alone or with others, and a batch can contain any call.
        calls += {"GET": ["{id}", "?ids={ids}"], "POST": ["?batch={calls}"]}.get(method, [])
        return [f"{start}/{call}" for call in calls]

    async def serve(self, call: Call) -> Response:
        EXPANDER.set(self._expand)
        answer = await self._answer(call)
        for name, value in self.headers(call).items():
            answer.headers.setdefault(name, value)
        return answer

    async def _answer(self, call: Call) -> Response:
        path = self.path_of(call)
        if path is None:
            return unknown_path(call.path.split("/", 2)[2])
        try:
            if not path and call.params.get("batch"):
                return reply(await self._batch(call))
            answer = await self._serve(call, path)
        except Refused as refused:
            return refused.response(call)
        except Unreadable as error:
            return bad_parameter(str(error))
        return answer if isinstance(answer, Response) else reply(answer)

    def path_of(self, call: Call) -> list[str] | None:
        """Split what follows host and version. A retired version is served as the oldest supported one."""
        parts = [part for part in call.path.split("/")[2:] if part]
        if not parts or not _VERSION.fullmatch(parts[0]):
            return parts
        newest = max(self.versions, key=_number)
        return parts[1:] if _number(parts[0]) <= _number(newest) else None

    async def _serve(self, call: Call, path: list[str]) -> Any:
        method = str(call.query.get("method") or call.method).upper()
        handler = self.roots.get(f"{method} {'/'.join(path)}")
        if handler is not None:
            return await _run(call, handler)
        if not path and call.params.get("ids"):
            keys = str(call.params["ids"]).split(",")
            return {key: render(call, self.find(call, key), wanted(call)) for key in keys}
        if len(path) not in {NODE_ONLY, NODE_AND_EDGE}:
            return unknown_path("/".join(path))
        node = self.find(call, path[0])
        edge = path[1] if len(path) == NODE_AND_EDGE else ""
        return await self._serve_node(call, method, node, edge)

    async def _serve_node(self, call: Call, method: str, node: Node, edge: str) -> Any:
        handler = self.edges.get(f"{method} {node.type.name}/{edge}".rstrip("/"))
        if handler is not None:
            return await _run(call, handler, node.thing)
        if method == "GET" and not edge:
            with call.world.store.transaction():
                return render(call, node, wanted(call))
        if method == "GET" and declares(node.type, "edges", edge):
            return {"data": []}
        if method == "GET":
            raise unknown_field(edge, node.type.name, node.type.error_kind)
        raise unknown_object(method, str(node.thing.id))

    def _expand(self, call: Call, node: Node, field: Field) -> dict[str, Any] | None:
        """List an edge given among the fields of its node, with links to the edge itself."""
        handler = self.edges.get(f"GET {node.type.name}/{field.name}")
        if handler is None:
            return {"data": []} if declares(node.type, "edges", field.name) else None
        version = next((part for part in call.path.split("/")[2:3] if _VERSION.fullmatch(part)), "")
        path = "/".join(part for part in (self.host, version, node.thing.id, field.name) if part)
        query = {**field.args, **({"fields": ",".join(map(str, field.fields))} if field.fields else {})}
        found = handler(_inner(call, "GET", f"/{path}", [*query.items()]), node.thing)
        if isinstance(found, Response):
            raise Refused(found)
        return dict(found)

    async def _batch(self, call: Call) -> list[Any]:
        try:
            steps = msgspec.convert(_decoded(call.params["batch"]), list[_Step])
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise wrong("batch parameter must be a JSON array") from error
        if len(steps) > _MOST_IN_BATCH:
            message = "(#100) Too many requests in batch message. Maximum batch size is 50"
            raise Refused(failure(message, 100))
        answers: dict[str, Response] = {}
        return [await self._step(call, step, answers) for step in steps]

    async def _step(self, call: Call, step: "_Step", answers: dict[str, Response]) -> Any:
        """Make one call of a batch. It may depend on earlier ones, which must then have succeeded."""
        needed = {name for text in (step.relative_url, step.body) for name, _ in _RESULT.findall(unquote(text))}
        needed |= {step.depends_on} - {""}
        if any(name not in answers or answers[name].status_code >= 400 for name in needed):  # noqa: PLR2004 - as below
            return None
        answer = await self._answer(step.call(call, self.host, answers))
        answers[step.name] = answer
        if step.omit_response_on_success and step.name and answer.status_code < 400:  # noqa: PLR2004 - as HTTP has it
            return None
        headers = [{"name": name, "value": value} for name, value in answer.headers.items()]
        shown = {"headers": headers} if flag(call, "include_headers", default=True) else {}
        return {"code": answer.status_code, **shown, "body": bytes(answer.body).decode()}


class _Step(msgspec.Struct):
    method: str
    relative_url: str
    body: str = ""
    name: str = ""
    depends_on: str = ""
    attached_files: str = ""
    omit_response_on_success: bool = True
    access_token: str = ""

    def call(self, outer: Call, host: str, answers: Mapping[str, Response]) -> Call:
        path, _, query = self.relative_url.lstrip("/").partition("?")
        given = _filled_pairs(query, answers)
        if self.access_token and "access_token" not in dict(given):
            given.append(("access_token", self.access_token))
        form = _filled_pairs(self.body, answers)
        call = _inner(outer, self.method.upper(), f"/{host}/{_filled(unquote(path), answers)}", given, form)
        call.files = {name: outer.files[name] for name in self.attached_files.split(",") if name in outer.files}
        return call


def _inner(
    outer: Call, method: str, path: str, query: list[tuple[str, str]], form: Sequence[tuple[str, str]] = ()
) -> Call:
    """Make a call within another one, whose token is used unless it has its own."""
    token = outer.params.get("access_token") or outer.bearer or ""
    own = [] if any(name == "access_token" for name, _ in query) else [("access_token", str(token))]
    return Call(
        world=outer.world,
        method=method,
        path=path,
        query=QueryParams([*query, *own]),
        headers=outer.headers,
        form=ImmutableMultiDict(form),
        files={},
        raw=b"",
    )


def _filled_pairs(text: str, answers: Mapping[str, Response]) -> list[tuple[str, str]]:
    return [(name, _filled(value, answers)) for name, value in QueryParams(text).multi_items()]


def _filled(text: str, answers: Mapping[str, Response]) -> str:
    """Insert the responses of earlier steps; several values are separated by commas."""

    def value(found: re.Match[str]) -> str:
        values = [msgspec.json.decode(bytes(answers[found[1]].body))]
        for name, place in _STEP_OF_PATH.findall(found[2]):
            values = [inner for outer in values for inner in _members(outer, name or place)]
        return ",".join(one if isinstance(one, str) else msgspec.json.encode(one).decode() for one in values)

    return _RESULT.sub(value, text)


def _members(value: Any, name: str) -> list[Any]:
    if name == "*":
        return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if isinstance(value, list):
        return [value[int(name)]] if name.isdecimal() and int(name) < len(value) else []
    return [value[name]] if isinstance(value, dict) and name in value else []


async def _run(call: Call, handler: Callable[..., Any], *things: Any) -> Any:
    if iscoroutinefunction(handler):
        return await handler(call, *things)
    with call.world.store.transaction():
        return handler(call, *things)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version[1:].split("."))


def _decoded(value: Any) -> Any:
    return msgspec.json.decode(value) if isinstance(value, str) else value
