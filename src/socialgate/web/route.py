"""How an area declares a route. The declaration is the single source of access rules, limits and documentation."""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any, Self, get_type_hints

import msgspec
from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, SkipValidation
from litestar.types import Method

from socialgate.core.errors import ServiceError
from socialgate.core.metering import UsageMetric
from socialgate.web.schemas import QueryParameters
from socialgate.web.sdk_names import SdkName

_READ_METHODS = {"GET", "HEAD"}
# Anyone can send a body to a public route, on every connection at once. A login has a hundredth of this.
_MAX_PUBLIC_BODY_BYTES = 16 * 1024
_EMPTY_MAPPING: Mapping[str, Any] = MappingProxyType({})
# What every request provides; anything else that a handler asks for is a service.
REQUEST_DEPENDENCIES = frozenset({"work", "caller", "params", "expected"})


class RouteTag(str):
    """The group of a route in the documentation, and what the group is about."""

    __slots__ = ("description",)
    description: str

    def __new__(cls, name: str, about: str) -> Self:
        tag = super().__new__(cls, name)
        tag.description = about
        return tag


class RouteAccess(Enum):
    """Who may call a route."""

    PUBLIC = "no credential required"
    KEY = "an API key or a user session"
    SESSION = "a user session only"
    OPERATOR = "the operator, with the token of the deployment"
    PAGE = "a signed-in person in a browser"
    OPEN_PAGE = "a person in a browser who may not be signed in yet"

    @property
    def is_page(self) -> bool:
        """Distinguish pages from endpoints: pages are not part of the API documentation."""
        return self in {RouteAccess.PAGE, RouteAccess.OPEN_PAGE}


class HeaderDescription(msgspec.Struct, frozen=True, kw_only=True):
    """A header of a request or of a successful response, for the documentation."""

    name: str
    description: str
    example: str
    required: bool = False
    pattern: str | None = None


# Where to find what a request created.
LOCATION_HEADER = HeaderDescription(
    name="Location", description="The path of what was created.", example="/tasks/task_01h455vb4pex5vsknk084sn02q"
)


class RouteSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What the shared machinery and the documentation need to know about a route."""

    tag: RouteTag
    # Its name in clients, from which the id of the operation follows. Pages for people have none.
    sdk: SdkName | None
    # Clients have a method for it. Browsers, platforms and the parts of an upload are the exceptions.
    in_clients: bool
    access: RouteAccess
    writes: bool
    idempotent: bool
    query: type[QueryParameters] | None
    error_types: tuple[type[ServiceError], ...]
    answers: str
    # Other formats of the same response, which callers choose with `Accept`.
    other_media_types: tuple[str, ...]
    # A route that reads its body itself (a raw webhook, an upload) bypasses the JSON machinery.
    takes_json: bool
    # The accepted formats of such a body, by media type: a struct, an example as text, or `bytes` for any file.
    body_formats: Mapping[str, Any]
    # The headers that it reads and returns, beside those that every route has.
    takes: tuple[HeaderDescription, ...]
    sends: tuple[HeaderDescription, ...]
    # The type of the `data` in the frames of a stream that are events.
    streams: Any
    # What it counts for the plan of the owner: it returns 402 where the plan allows no more.
    meters: tuple[UsageMetric, ...]
    # The values of parameters of the path that are not ids.
    choices: Mapping[str, Sequence[str]]
    # A platform sends any parameters it likes, which the handler reads itself; documents have none and ignore them.
    accepts_any_query: bool
    # It may redirect a browser instead of responding.
    may_redirect: bool
    # Successful responses with another status, which platforms require.
    other_statuses: tuple[int, ...]
    # The largest body that it reads, if that is not the common limit.
    max_body_bytes: int | None
    # The example response, if the example of the type shows something that this route never returns.
    example: Mapping[str, Any] | None

    @property
    def is_page(self) -> bool:
        """Whether people open it in a browser: a page of the console, or of the documentation."""
        return self.answers == "text/html"


# Annotations that are computed, which a type checker cannot follow.
_FROM_PATH: Any = FromPath
_FROM_BODY: Any = JSONBody
_NAMED_DEPENDENCY: Any = NamedDependency
_SKIP_VALIDATION: Any = SkipValidation

RouteDecorator = Callable[[Callable[..., Any]], HTTPRouteHandler]
ErrorRenderer = Callable[[Request[Any, Any, Any], Exception], Response[Any]]


def route(
    method: Method,
    path: str,
    *,
    tag: RouteTag,
    sdk: str | None = None,
    in_clients: bool = True,
    access: RouteAccess = RouteAccess.KEY,
    status: int | None = None,
    query: type[QueryParameters] | None = None,
    raises: tuple[type[ServiceError], ...] = (),
    answers: str = "application/json",
    also_as: tuple[str, ...] = (),
    writes: bool | None = None,
    idempotent: bool | None = None,
    takes_json: bool = True,
    bodies: Mapping[str, Any] = _EMPTY_MAPPING,
    takes: tuple[HeaderDescription, ...] = (),
    sends: tuple[HeaderDescription, ...] = (),
    streams: Any = None,
    meters: tuple[UsageMetric, ...] = (),
    choices: Mapping[str, Sequence[str]] = _EMPTY_MAPPING,
    open_query: bool = False,
    redirects: bool = False,
    also: tuple[int, ...] = (),
    most_bytes: int | None = None,
    example: Mapping[str, Any] | None = None,
    render_error: ErrorRenderer | None = None,
) -> RouteDecorator:
    """Declare a route.

    Every method except GET and HEAD writes (a read-only key is rejected), and every POST supports `Idempotency-Key`.
    Errors become problems, unless the route shows them in another way.
    """
    if sdk is None and not access.is_page:
        raise TypeError(f'{method} {path} needs a name in clients, such as sdk="posts.create"')
    spec = RouteSpec(
        tag=tag,
        sdk=None if sdk is None else SdkName.parse(sdk),
        in_clients=in_clients,
        access=access,
        writes=method not in _READ_METHODS if writes is None else writes,
        idempotent=(method == "POST" and access in {RouteAccess.KEY, RouteAccess.SESSION})
        if idempotent is None
        else idempotent,
        query=query,
        error_types=raises,
        answers=answers,
        other_media_types=also_as,
        takes_json=takes_json,
        body_formats=bodies,
        takes=takes,
        sends=sends,
        streams=streams,
        meters=meters,
        choices=choices,
        accepts_any_query=open_query,
        may_redirect=redirects,
        other_statuses=also,
        max_body_bytes=most_bytes,
        example=example,
    )
    if most_bytes is None and access in {RouteAccess.PUBLIC, RouteAccess.OPEN_PAGE}:
        most_bytes = _MAX_PUBLIC_BODY_BYTES
    limits: Any = {} if most_bytes is None else {"request_max_body_size": most_bytes}
    default_status = 201 if method == "POST" else 200
    handler = HTTPRouteHandler(
        path,
        http_method=method,
        status_code=default_status if status is None else status,
        media_type=answers,
        exception_handlers=None if render_error is None else {Exception: render_error},
        opt={"spec": spec},
        **limits,
    )
    return lambda function: handler(_annotate_arguments(function, path, handler.opt))


def _annotate_arguments(function: Callable[..., Any], path: str, opt: dict[str, Any]) -> Callable[..., Any]:
    """Mark where each argument comes from, as the framework requires, so that handlers do not have to."""
    in_path = set(re.findall(r"{(\w+):", path))
    request = opt["asked"] = {}
    for name, kind in get_type_hints(function, include_extras=True).items():
        if name in in_path:
            function.__annotations__[name] = _FROM_PATH[kind]
        elif name == "data":
            function.__annotations__[name] = _FROM_BODY[kind]
        elif name not in {"request", "return"}:
            function.__annotations__[name] = _NAMED_DEPENDENCY[_SKIP_VALIDATION[kind]]
            if name not in REQUEST_DEPENDENCIES:
                request[name] = kind
    return function


def get_requested_services(handler: HTTPRouteHandler) -> Mapping[str, type]:
    """Find the services that a handler asks for, by the names and types of its arguments."""
    types: Mapping[str, type] = handler.opt["asked"]
    return types


def get_route_spec(handler: Any) -> RouteSpec | None:
    """Find the declaration of a handler. OPTIONS handlers have none."""
    route_spec = handler.opt.get("spec")
    return route_spec if isinstance(route_spec, RouteSpec) else None


def to_camel_case(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def public_path(path: str) -> str:
    """Return a path as callers know it: `/posts/{postId}`."""
    return re.sub(r"{(\w+)(:\w+)?}", lambda match: "{" + to_camel_case(match[1]) + "}", path)
