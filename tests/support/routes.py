"""Calling any route by its own description, with things that really exist."""

from collections.abc import Callable
from typing import Any

import httpx

from socialgate.web.describe import Operation, example_of, operations_of, parameters_of
from socialgate.web.route import Access
from support.service import OwnerOf, RunningService
from support.things import FACTORIES, thing_of, with_real_things


def routes(running: RunningService, rule: Callable[[Operation], bool] = lambda _: True) -> list[Operation]:
    """List the routes that a rule picks. A rule that picks none tests nothing, and is refused."""
    picked = [operation for operation in operations_of(running.service.app) if rule(operation)]
    assert picked, "the rule picks no route at all"
    return picked


def takes_credential(operation: Operation) -> bool:
    return operation.spec.access in {Access.KEY, Access.SESSION}


def takes_body(operation: Operation) -> bool:
    """Tell whether the route reads JSON. One that reads its body itself (a raw webhook, an upload) does not."""
    return operation.body is not None and operation.spec.takes_json


def is_open_to_callers(operation: Operation) -> bool:
    return operation.spec.access is not Access.OPERATOR


def owned_parameters(operation: Operation) -> list[str]:
    return [name for name in operation.path_parameters if name in FACTORIES]


def label(operation: Operation) -> str:
    return f"{operation.method} {operation.path}"


def path_of(operation: Operation, owner: OwnerOf, **ids: str) -> str:
    """Fill the path with things of the owner, or with the ids that are given by name."""
    path = operation.path
    for name in operation.path_parameters:
        path = path.replace(f"{{{name}}}", ids.get(name) or thing_of(owner, name))
    return path


def body_of(operation: Operation, owner: OwnerOf) -> Any:
    return with_real_things(example_of(operation.body), owner) if takes_body(operation) else None


def query_of(operation: Operation, owner: OwnerOf) -> dict[str, Any]:
    """Give the parameters that the route cannot do without."""
    required = {field.name for field in parameters_of(operation.spec.query) if field.required}
    example = example_of(operation.spec.query) or {}
    return {name: with_real_things(example[name], owner, name) for name in required}


def call(
    client: httpx.Client, operation: Operation, owner: OwnerOf, ids: dict[str, str] | None = None, **changes: Any
) -> httpx.Response:
    """Call a route as its example shows it, with some of the request changed."""
    request: dict[str, Any] = {"params": query_of(operation, owner), **changes}
    if not request.keys() & {"json", "content", "data"} and (body := body_of(operation, owner)) is not None:
        request["json"] = body
    path = path_of(operation, owner, **(ids or {}))
    with client.stream(operation.method, path, **request) as answer:
        # A stream of events has no end to wait for; its head is all that is asked for here.
        if not answer.headers.get("content-type", "").startswith("text/event-stream"):
            answer.read()
        return answer
