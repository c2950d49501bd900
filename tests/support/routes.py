"""Calling any route by its own description, with things that really exist."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx

from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.platforms import AccountChoice, Platform
from socialgate.web.api_description import ApiOperation, describe_query_parameters, get_example, list_operations
from socialgate.web.route import RouteAccess
from support.factories import (
    FACTORIES,
    account_on,
    batch_of,
    calendar_of,
    fill_example,
    generation_of,
    get_or_create_id,
    known_to_platform,
    signed_in,
)
from support.service import OwnerFixture, RunningService


def routes(running: RunningService, rule: Callable[[ApiOperation], bool] = lambda _: True) -> list[ApiOperation]:
    """List the routes that a rule picks. A rule that picks none tests nothing, and is refused."""
    picked = [operation for operation in list_operations(running.service.app) if rule(operation)]
    assert picked, "the rule picks no route at all"
    return picked


def takes_credential(operation: ApiOperation) -> bool:
    return operation.spec.access in {RouteAccess.KEY, RouteAccess.SESSION}


def takes_body(operation: ApiOperation) -> bool:
    """Return whether the route reads JSON. One that reads its body itself (a raw webhook, an upload) does not."""
    return operation.body is not None and operation.spec.takes_json


def is_open_to_callers(operation: ApiOperation) -> bool:
    return operation.spec.access is not RouteAccess.OPERATOR


def owned_parameters(operation: ApiOperation) -> list[str]:
    return [name for name in operation.path_parameters if name in FACTORIES]


def label(operation: ApiOperation) -> str:
    return f"{operation.method} {operation.path}"


# Words of paths for what only some kinds of accounts can do.
_BY_WORD = {
    "conversations": Platform.META,
    "messages": Platform.META,
    "leads": Platform.META,
    "lead-forms": Platform.META,
    "lead-states": Platform.META,
    "whatsapp": Platform.WHATSAPP_CLOUD,
}


def platform_of(operation: ApiOperation) -> Platform | None:
    """Return the platform that a route is for: its name is a word of the path."""
    words = operation.path.split("/")
    return next((platform for platform in Platform if platform in words), None)


def _able(operation: ApiOperation) -> Platform | None:
    """Return a platform whose accounts can do what a route is for, where not all can."""
    words = operation.path.split("/")
    return next((platform for word, platform in _BY_WORD.items() if word in words), None)


def part_of_path(operation: ApiOperation, owner: OwnerFixture, name: str) -> str:
    """Give what stands for a parameter of the path. What a route of one platform names must exist there."""
    platform = platform_of(operation)
    if name == "accountId" and "calendar" in operation.path.split("/"):
        return calendar_of(owner)
    if name == "taskId" and "commerce" in operation.path.split("/"):
        return batch_of(owner)
    if name == "taskId" and "ai" in operation.path.split("/"):
        return generation_of(owner)
    if name == "accountId" and (able := platform or _able(operation)) is not None:
        return account_on(owner, able)
    if platform is not None and name == "profileId" and MANIFESTS[platform].choice is AccountChoice.ALWAYS:
        signed_in(owner, platform)
    return get_or_create_id(owner, name)


def path_of(operation: ApiOperation, owner: OwnerFixture, **ids: str) -> str:
    """Fill the path with things of the owner, or with the ids that are given by name."""
    path = operation.path
    for name in operation.path_parameters:
        path = path.replace(f"{{{name}}}", ids.get(name) or part_of_path(operation, owner, name))
    return path


def body_of(operation: ApiOperation, owner: OwnerFixture) -> Any:
    if not takes_body(operation):
        return None
    body = fill_example(get_example(operation.body), owner)
    if operation.path.endswith(("/lead-forms", "/catalogs", "/product-sets")):
        # All owners share a Page, which has one form of a name, and a business.
        body["name"] = uuid4().hex[:28]
    platform = platform_of(operation)
    if platform is None:
        return body
    known = known_to_platform(owner, platform, path_of(operation, owner))
    return {name: known.get(name, value) for name, value in body.items()}


_BY_KIND = {"postId", "adAccountId", "retailerId", "pixelId"}


def query_of(operation: ApiOperation, owner: OwnerFixture) -> dict[str, Any]:
    """Give the parameters that the route cannot do without, or not for every kind of account."""
    required = {field.name for field in describe_query_parameters(operation.spec.query) if field.required}
    example = get_example(operation.spec.query) or {}
    return {name: fill_example(example[name], owner, name) for name in required | (_BY_KIND & example.keys())}


def call(
    client: httpx.Client,
    operation: ApiOperation,
    owner: OwnerFixture,
    ids: dict[str, str] | None = None,
    **changes: Any,
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


def resolve_parameter(parameter: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    """Return a parameter of the OpenAPI document: itself, or the shared one that it refers to."""
    reference: str | None = parameter.get("$ref")
    return parameter if reference is None else shared[reference.rpartition("/")[2]]
