"""Finding the handler of a call: `GET /v26.0/{node}/{edge}`, many of them in a batch, or many nodes by `ids`."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any

import msgspec
from starlette.datastructures import ImmutableMultiDict, QueryParams
from starlette.responses import Response

from socialgate.sandbox.kit import Call, Refused, Unreadable, reply
from socialgate.sandbox.vendors.graph.errors import bad_parameter, failure, unknown_field, unknown_object, unknown_path
from socialgate.sandbox.vendors.graph.nodes import Node, render, wanted

_VERSION = re.compile(r"v\d+\.\d+")
_MOST_IN_BATCH = 50
NODE_ONLY = 1
NODE_AND_EDGE = 2


@dataclass(frozen=True)
class Api:
    """The calls of one host.

    `roots` are those that begin at no node (`GET debug_token`) and take the call. `edges` are named by what the node
    is (`GET Page/picture`, `DELETE Post`) and take the call and the thing. `find` gives the node of an id or refuses.
    """

    host: str
    versions: tuple[str, ...]
    find: Callable[[Call, str], Node]
    roots: Mapping[str, Callable[[Call], Any]]
    edges: Mapping[str, Callable[[Call, Any], Any]]
    # Stands on every answer that does not say otherwise: an error about a limit tells its own usage.
    headers: Callable[[Call], Mapping[str, str]]

    async def serve(self, call: Call) -> Response:
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
            return refused.response
        except Unreadable as error:
            return bad_parameter(str(error))
        return answer if isinstance(answer, Response) else reply(answer)

    def path_of(self, call: Call) -> list[str] | None:
        """Split what stands behind host and version. An ended version is served as the oldest living one."""
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
        if method == "GET":
            raise unknown_field(edge, node.type.name, node.type.error_kind)
        raise unknown_object(method, str(node.thing.id))

    async def _batch(self, call: Call) -> list[Any]:
        try:
            steps = msgspec.convert(_decoded(call.params["batch"]), list[_Step])
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise Refused(bad_parameter("batch parameter must be a JSON array")) from error
        if len(steps) > _MOST_IN_BATCH:
            message = "(#100) Too many requests in batch message. Maximum batch size is 50"
            raise Refused(failure(message, 100))
        return [await self._step(call, step) for step in steps]

    async def _step(self, call: Call, step: "_Step") -> Any:
        answer = await self._answer(step.call(call, self.host))
        if step.omit_response_on_success and step.name and answer.status_code < 400:  # noqa: PLR2004 - as HTTP has it
            return None
        headers = [{"name": name, "value": value} for name, value in answer.headers.items()]
        return {"code": answer.status_code, "headers": headers, "body": bytes(answer.body).decode()}


class _Step(msgspec.Struct):
    method: str
    relative_url: str
    body: str = ""
    name: str = ""
    omit_response_on_success: bool = True
    access_token: str = ""

    def call(self, outer: Call, host: str) -> Call:
        path, _, query = self.relative_url.lstrip("/").partition("?")
        given = QueryParams(query)
        token = given.get("access_token") or self.access_token or outer.params.get("access_token") or outer.bearer or ""
        return Call(
            world=outer.world,
            method=self.method.upper(),
            path=f"/{host}/{path}",
            query=QueryParams([*given.multi_items(), ("access_token", token)]),
            headers=outer.headers,
            form=ImmutableMultiDict(QueryParams(self.body).multi_items()),
            files={},
            raw=b"",
        )


async def _run(call: Call, handler: Callable[..., Any], *things: Any) -> Any:
    if iscoroutinefunction(handler):
        return await handler(call, *things)
    with call.world.store.transaction():
        return handler(call, *things)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version[1:].split("."))


def _decoded(value: Any) -> Any:
    return msgspec.json.decode(value) if isinstance(value, str) else value
