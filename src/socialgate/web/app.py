"""Combines the shared machinery with the routes of all areas."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from copy import copy
from datetime import datetime
from http import HTTPStatus
from typing import Any

from litestar import Litestar, Request, Response
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from litestar.middleware import DefineMiddleware
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin
from litestar.types import ASGIApp

from socialgate.core.caller import Caller
from socialgate.core.db import Database
from socialgate.core.metrics import Metrics
from socialgate.core.settings import Settings
from socialgate.core.work import Work
from socialgate.web.auth import AuthenticationMiddleware, Credentials
from socialgate.web.calls import ApiCalls, CallCountMiddleware
from socialgate.web.context import RequestContext
from socialgate.web.edits import Expected, etag_of
from socialgate.web.idempotency import Idempotency, abandoned_claims
from socialgate.web.limits import RateLimiter, RateLimitMiddleware
from socialgate.web.permissions import PermissionMiddleware
from socialgate.web.problems import ProblemRenderer
from socialgate.web.request import MAX_JSON_BYTES, StrictRequest, refuse_unexpected_body
from socialgate.web.route import asked_by
from socialgate.web.schema import Query
from socialgate.web.uploads import UploadMiddleware, Uploads
from socialgate.web.urls import UrlMiddleware

Lifespan = Callable[[Litestar], AbstractAsyncContextManager[None]]


def build_app(
    *,
    routes: Sequence[HTTPRouteHandler],
    provided: Mapping[str, Any],
    db: Database,
    settings: Settings,
    credentials: Credentials,
    limiter: RateLimiter,
    calls: ApiCalls,
    metrics: Metrics,
    lifespan: Sequence[Lifespan],
) -> tuple[Litestar, ASGIApp]:
    """Build the framework's app, and the application that a server runs (the app in its request context).

    `provided` are the objects that handlers request by name, in addition to what is always available: `work`, `caller`,
    `params` (the query string) and `expected`.
    """
    render = ProblemRenderer(settings.public_url)
    # Shared by all routes: the framework would create a separate middleware for each.
    abandoned, uploads = abandoned_claims(db), Uploads()
    services = {name: Provide(_constant(value)) for name, value in provided.items()}
    app = _App(
        route_handlers=[*_options(routes), *(_with_services(one, services) for one in routes)],
        dependencies=_of_request(db),
        middleware=[
            DefineMiddleware(
                AuthenticationMiddleware,
                credentials=credentials,
                metrics=metrics,
                metrics_token=settings.metrics_token,
                public_url=settings.public_url,
            ),
            DefineMiddleware(RateLimitMiddleware, limiter=limiter),
            DefineMiddleware(CallCountMiddleware, calls=calls),
            PermissionMiddleware,
            UrlMiddleware,
            DefineMiddleware(UploadMiddleware, uploads=uploads),
            DefineMiddleware(Idempotency, db=db, metrics=metrics, abandoned=abandoned),
        ],
        exception_handlers={Exception: render},
        request_class=StrictRequest,
        request_max_body_size=MAX_JSON_BYTES,
        before_request=refuse_unexpected_body,
        after_request=_name_version,
        lifespan=[*lifespan, abandoned.lifespan],
        openapi_config=None,
        logging_config=None,
    )
    _provide_in_turn(app)
    return app, RequestContext(app, metrics)


class _App(Litestar):
    """The framework without its plugins for pydantic and attrs, which it loads if they are installed: no route has
    such types, and loading them takes a tenth of a second.
    """

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        return [*plugins, MsgspecDIPlugin()]


def _provide_in_turn(app: Litestar) -> None:
    """Resolve the dependencies of handlers one after the other. The framework creates a task group if there is more
    than one, although nothing here ever waits.
    """
    for route in app.routes:
        for _, arguments in getattr(route, "route_handler_map", {}).values():
            arguments.dependency_batches = [{one} for batch in arguments.dependency_batches for one in batch]


def _with_services(handler: HTTPRouteHandler, services: Mapping[str, Provide]) -> HTTPRouteHandler:
    """Provide a handler with the services that it asks for, and no others: the framework compares all dependencies of a
    handler with each other, which took a sixth of the startup time when every handler had all of them.
    """
    own = copy(handler)
    own.dependencies = {name: services[name] for name in asked_by(handler)}
    return own


def _options(routes: Sequence[HTTPRouteHandler]) -> Iterator[HTTPRouteHandler]:
    """Answer OPTIONS for every path. The framework adds handlers for paths without one, which only name the method of
    the first handler of a path; so these must come first.
    """
    methods: dict[str, set[str]] = {}
    for one in routes:
        for path in one.paths:
            methods.setdefault(path, {"OPTIONS"}).update(one.http_methods)
    for path, names in methods.items():
        allowed = {"Allow": ", ".join(sorted(names))}
        handler = HTTPRouteHandler(path, http_method="OPTIONS", status_code=HTTPStatus.NO_CONTENT)
        yield handler(_nothing(allowed))


def _nothing(headers: dict[str, str]) -> Callable[[], Any]:
    async def get() -> Response[None]:
        return Response(None, headers=headers)

    return get


def _of_request(db: Database) -> dict[str, Provide]:
    async def work(request: Request[Any, Any, Any]) -> Work:
        return Work(db, request.scope["auth"], request.scope["state"].get("recorder"))

    async def caller(request: Request[Any, Any, Any]) -> Caller:
        found: Caller = request.scope["auth"]
        return found

    async def params(request: Request[Any, Any, Any]) -> Query | None:
        found: Query | None = request.scope["state"]["query"]
        return found

    async def expected(request: Request[Any, Any, Any]) -> Expected:
        return Expected(request.headers.get("if-match"))

    own: dict[str, Callable[..., Any]] = {"work": work, "caller": caller, "params": params, "expected": expected}
    return {name: Provide(get) for name, get in own.items()}


def _constant(value: Any) -> Callable[[], Any]:
    async def get() -> Any:
        return value

    return get


async def _name_version(response: Response[Any]) -> Response[Any]:
    """Add an ETag to every response that is one editable resource. Resources on a platform have the platform's ETag."""
    updated_at, etag = (getattr(response.content, name, None) for name in ("updated_at", "etag"))
    if isinstance(etag, str):
        response.headers["ETag"] = etag
    elif isinstance(updated_at, datetime):
        response.headers["ETag"] = etag_of(updated_at)
    return response
