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
from socialgate.core.metering import Metric
from socialgate.web.schema import Query

_READING = {"GET", "HEAD"}
# Anyone can send a body to a public route, on every connection at once. A login has a hundredth of this.
_MOST_BYTES_OF_STRANGERS = 16 * 1024
_NOTHING: Mapping[str, Any] = MappingProxyType({})
# What every request provides; anything else that a handler asks for is a service.
OF_REQUEST = frozenset({"work", "caller", "params", "expected"})


class Tag(str):
    """The group of a route in the documentation, and what the group is about."""

    __slots__ = ("about",)
    about: str

    def __new__(cls, name: str, about: str) -> Self:
        tag = super().__new__(cls, name)
        tag.about = about
        return tag


class Access(Enum):
    """Who may call a route."""

    PUBLIC = "no credential required"
    KEY = "an API key or a user session"
    SESSION = "a user session only"
    OPERATOR = "the operator, with the token of the deployment"
    PAGE = "a signed-in person in a browser"
    OPEN_PAGE = "a person in a browser who may not be signed in yet"

    @property
    def is_for_people(self) -> bool:
        """Distinguish pages from endpoints: pages are not part of the API documentation."""
        return self in {Access.PAGE, Access.OPEN_PAGE}


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """A header of a request or of a successful response, for the documentation."""

    name: str
    about: str
    example: str
    required: bool = False
    pattern: str | None = None


# Where to find what a request created.
LOCATION = Header(
    name="Location", about="The path of what was created.", example="/tasks/task_01h455vb4pex5vsknk084sn02q"
)


class RouteSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What the shared machinery and the documentation need to know about a route."""

    tag: Tag
    access: Access
    writes: bool
    idempotent: bool
    query: type[Query] | None
    raises: tuple[type[ServiceError], ...]
    answers: str
    # Other formats of the same response, which callers choose with `Accept`.
    also_as: tuple[str, ...]
    # A route that reads its body itself (a raw webhook, an upload) bypasses the JSON machinery.
    takes_json: bool
    # The accepted formats of such a body, by media type: a struct, an example as text, or `bytes` for any file.
    bodies: Mapping[str, Any]
    # The headers that it reads and returns, beside those that every route has.
    takes: tuple[Header, ...]
    sends: tuple[Header, ...]
    # The type of the `data` in the frames of a stream that are events.
    streams: Any
    # What it counts for the plan of the owner: it returns 402 where the plan allows no more.
    meters: tuple[Metric, ...]
    # The values of parameters of the path that are not ids.
    choices: Mapping[str, Sequence[str]]
    # A platform sends any parameters it likes, which the handler reads itself; documents have none and ignore them.
    open_query: bool
    # It may redirect a browser instead of responding.
    redirects: bool
    # Successful responses with another status, which platforms require.
    also: tuple[int, ...]
    # The largest body that it reads, if that is not the common limit.
    most_bytes: int | None
    # The example response, if the example of the type shows something that this route never returns.
    example: Mapping[str, Any] | None

    @property
    def is_page(self) -> bool:
        """Whether people open it in a browser: a page of the console, or of the documentation."""
        return self.answers == "text/html"


# Annotations that are computed, which a type checker cannot follow.
_FROM_PATH: Any = FromPath
_FROM_BODY: Any = JSONBody
_PROVIDED: Any = NamedDependency
_AS_IT_IS: Any = SkipValidation

Decorator = Callable[[Callable[..., Any]], HTTPRouteHandler]
ShowFailure = Callable[[Request[Any, Any, Any], Exception], Response[Any]]


def route(
    method: Method,
    path: str,
    *,
    tag: Tag,
    access: Access = Access.KEY,
    status: int | None = None,
    query: type[Query] | None = None,
    raises: tuple[type[ServiceError], ...] = (),
    answers: str = "application/json",
    also_as: tuple[str, ...] = (),
    writes: bool | None = None,
    idempotent: bool | None = None,
    takes_json: bool = True,
    bodies: Mapping[str, Any] = _NOTHING,
    takes: tuple[Header, ...] = (),
    sends: tuple[Header, ...] = (),
    streams: Any = None,
    meters: tuple[Metric, ...] = (),
    choices: Mapping[str, Sequence[str]] = _NOTHING,
    open_query: bool = False,
    redirects: bool = False,
    also: tuple[int, ...] = (),
    most_bytes: int | None = None,
    example: Mapping[str, Any] | None = None,
    failures: ShowFailure | None = None,
) -> Decorator:
    """Declare a route.

    Every method except GET and HEAD writes (a read-only key is rejected), and every POST supports `Idempotency-Key`.
    Errors become problems, unless the route shows them in another way.
    """
    spec = RouteSpec(
        tag=tag,
        access=access,
        writes=method not in _READING if writes is None else writes,
        idempotent=(method == "POST" and access in {Access.KEY, Access.SESSION}) if idempotent is None else idempotent,
        query=query,
        raises=raises,
        answers=answers,
        also_as=also_as,
        takes_json=takes_json,
        bodies=bodies,
        takes=takes,
        sends=sends,
        streams=streams,
        meters=meters,
        choices=choices,
        open_query=open_query,
        redirects=redirects,
        also=also,
        most_bytes=most_bytes,
        example=example,
    )
    if most_bytes is None and access in {Access.PUBLIC, Access.OPEN_PAGE}:
        most_bytes = _MOST_BYTES_OF_STRANGERS
    limits: Any = {} if most_bytes is None else {"request_max_body_size": most_bytes}
    default_status = 201 if method == "POST" else 200
    handler = HTTPRouteHandler(
        path,
        http_method=method,
        status_code=default_status if status is None else status,
        media_type=answers,
        exception_handlers=None if failures is None else {Exception: failures},
        opt={"spec": spec},
        **limits,
    )
    return lambda function: handler(_spell_out(function, path, handler.opt))


def _spell_out(function: Callable[..., Any], path: str, opt: dict[str, Any]) -> Callable[..., Any]:
    """Mark where each argument comes from, as the framework requires, so that handlers do not have to."""
    in_path = set(re.findall(r"{(\w+):", path))
    asked = opt["asked"] = {}
    for name, kind in get_type_hints(function, include_extras=True).items():
        if name in in_path:
            function.__annotations__[name] = _FROM_PATH[kind]
        elif name == "data":
            function.__annotations__[name] = _FROM_BODY[kind]
        elif name not in {"request", "return"}:
            function.__annotations__[name] = _PROVIDED[_AS_IT_IS[kind]]
            if name not in OF_REQUEST:
                asked[name] = kind
    return function


def asked_by(handler: HTTPRouteHandler) -> Mapping[str, type]:
    """Find the services that a handler asks for, by the names and types of its arguments."""
    found: Mapping[str, type] = handler.opt["asked"]
    return found


def spec_of(handler: Any) -> RouteSpec | None:
    """Find the declaration of a handler. OPTIONS handlers have none."""
    found = handler.opt.get("spec")
    return found if isinstance(found, RouteSpec) else None


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def public_path(path: str) -> str:
    """Return a path as callers know it: `/posts/{postId}`."""
    return re.sub(r"{(\w+)(:\w+)?}", lambda found: "{" + camel(found[1]) + "}", path)
