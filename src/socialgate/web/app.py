"""Combines the shared machinery with the routes of all areas."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from copy import copy
from datetime import datetime
from http import HTTPStatus
from typing import Any, cast

from litestar import Litestar, Request, Response
from litestar._asgi.routing_trie.mapping import add_route_to_trie, build_route_middleware_stack
from litestar._asgi.routing_trie.types import ASGIHandlerTuple
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from litestar.middleware import DefineMiddleware
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin
from litestar.routes import HTTPRoute
from litestar.types import ASGIApp, HTTPScope, Method, Receive, Send

from socialgate.core.caller import Caller
from socialgate.core.db import Database
from socialgate.core.metrics import Metrics
from socialgate.core.settings import Settings
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.api_call_counter import ApiCallCounter, CallCountMiddleware
from socialgate.web.auth import AuthenticationMiddleware, CredentialFinder
from socialgate.web.context import RequestContextMiddleware
from socialgate.web.etags import ExpectedVersion, build_etag
from socialgate.web.idempotency import IdempotencyMiddleware, build_claim_releaser
from socialgate.web.permissions import PermissionMiddleware
from socialgate.web.problems import ProblemRenderer
from socialgate.web.rate_limits import RateLimiter, RateLimitMiddleware
from socialgate.web.request import MAX_JSON_BYTES, StrictRequest, reject_unexpected_body
from socialgate.web.route import get_requested_services
from socialgate.web.schemas import QueryParameters
from socialgate.web.upload_limiter import UploadLimiter, UploadMiddleware
from socialgate.web.urls import UrlMiddleware

Lifespan = Callable[[Litestar], AbstractAsyncContextManager[None]]


def build_app(
    *,
    routes: Sequence[HTTPRouteHandler],
    services_by_name: Mapping[str, Any],
    db: Database,
    settings: Settings,
    credentials: CredentialFinder,
    limiter: RateLimiter,
    calls: ApiCallCounter,
    uploads: UploadLimiter,
    metrics: Metrics,
    lifespan: Sequence[Lifespan],
) -> tuple[Litestar, ASGIApp]:
    """Build the framework's app, and the application that a server runs (the app in its request context).

    `services_by_name` are the objects that handlers request by name, in addition to what is always available: `work`,
    `caller`, `params` (the query string) and `expected`.
    """
    render = ProblemRenderer(settings.public_url)
    # Shared by all routes: the framework would create a separate middleware for each.
    abandoned = build_claim_releaser(db)
    services = {name: Provide(_build_constant_provider(value)) for name, value in services_by_name.items()}
    app = _LitestarApp(
        dependencies=_build_request_dependencies(db),
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
            DefineMiddleware(IdempotencyMiddleware, db=db, metrics=metrics, abandoned=abandoned),
        ],
        exception_handlers={Exception: render},
        request_class=StrictRequest,
        request_max_body_size=MAX_JSON_BYTES,
        before_request=reject_unexpected_body,
        after_request=_add_etag,
        lifespan=[*lifespan, abandoned.lifespan],
        openapi_config=None,
        logging_config=None,
    )
    app.register_all([_with_services(route, services) for route in routes])
    return app, RequestContextMiddleware(app, metrics)


class _LitestarApp(Litestar):
    """The framework without its plugins for pydantic and attrs, which it loads if they are installed: no route has
    such types, and loading them takes a tenth of a second.
    """

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        return [*plugins, MsgspecDIPlugin()]

    def register_all(self, handlers: Sequence[HTTPRouteHandler]) -> None:
        """Register every handler, and one that answers OPTIONS for every path.

        `Litestar.register` takes one handler at a time, prepares each at once, and builds all middleware for each. That
        was nearly all of the startup time.
        """
        allowed: dict[str, str] = {}
        options = HTTPRouteHandler("/", http_method="OPTIONS", status_code=HTTPStatus.NO_CONTENT)(
            _build_options_handler(allowed)
        )
        by_path: dict[str, list[HTTPRouteHandler]] = {}
        for handler in handlers:
            handler.owner = self
            for path in handler.paths:
                by_path.setdefault(path, [options]).append(handler)
        options.owner = self
        dispatcher = _Dispatcher()
        # No handler has middleware of its own, so all share what is built for one of them.
        stack = build_route_middleware_stack(self, cast("HTTPRoute", dispatcher), options)
        for path, of_path in by_path.items():
            route = _LazyRoute(self, path, of_path)
            allowed[route.path_format] = ", ".join(sorted(route.methods))
            dispatcher.routes[route.path_format] = route
            self._add_route(route, stack)

    def _add_route(self, route: HTTPRoute, stack: ASGIApp) -> None:
        self.routes.append(route)
        router = self.asgi_router
        mounted, plain = router._mount_routes, router._plain_routes  # noqa: SLF001 - the framework registers routes so
        node = add_route_to_trie(self, mounted, plain, router.root_route_map_node, route)
        for handler in route.route_handlers:
            for method in handler.http_methods:
                node.asgi_handlers[method] = ASGIHandlerTuple(asgi_app=stack, handler=handler)
                node.path_parameters[method] = tuple(route.path_parameters.values())


class _LazyRoute(HTTPRoute):
    """A path whose handlers are prepared when they are first requested.

    The framework inspects the parameters of a handler and creates types for them, which takes a millisecond each:
    several hundred handlers would be half of the startup time, and most processes are asked for few of them.
    """

    def __init__(self, app: Litestar, path: str, handlers: list[HTTPRouteHandler]) -> None:
        super().__init__(path=path, route_handlers=handlers)
        self._app = app

    async def handle(self, scope: HTTPScope, receive: Receive, send: Send) -> None:  # type: ignore[override]  # as its
        # base class, which takes narrower types than its own
        if scope["method"] not in self.route_handler_map:
            self._prepare(scope["method"])
        await super().handle(scope, receive, send)

    def _prepare(self, method: Method) -> None:
        handler = next(handler for handler in self.route_handlers if method in handler.http_methods)
        handler.on_registration(self._app)
        arguments = handler.create_kwargs_model(self.path_parameters)
        # Resolve dependencies one after the other. The framework creates a task group if there is more than one,
        # although nothing here ever waits.
        arguments.dependency_batches = [{item} for batch in arguments.dependency_batches for item in batch]
        self.route_handler_map[method] = (handler, arguments)


class _Dispatcher:
    """Hands a request, once it has passed the middleware, to the route that the router found for it."""

    def __init__(self) -> None:
        self.routes: dict[str, HTTPRoute] = {}

    async def handle(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        await self.routes[scope["path_template"]].handle(scope, receive, send)


def _with_services(handler: HTTPRouteHandler, services: Mapping[str, Provide]) -> HTTPRouteHandler:
    """Provide a handler with the services that it asks for, and no others: the framework compares all dependencies of a
    handler with each other, which took a sixth of the startup time when every handler had all of them.
    """
    own = copy(handler)
    own.dependencies = {name: services[name] for name in get_requested_services(handler)}
    return own


def _build_options_handler(allowed_by_path: Mapping[str, str]) -> Callable[..., Any]:
    """Name the methods of a path. The framework would only name that of its first handler."""

    async def get(request: Request[Any, Any, Any]) -> Response[None]:
        return Response(None, headers={"Allow": allowed_by_path[request.scope["path_template"]]})

    return get


def _build_request_dependencies(db: Database) -> dict[str, Provide]:
    async def work(request: Request[Any, Any, Any]) -> UnitOfWork:
        return UnitOfWork(db, request.scope["auth"], request.scope["state"].get("recorder"))

    async def caller(request: Request[Any, Any, Any]) -> Caller:
        caller: Caller = request.scope["auth"]
        return caller

    async def params(request: Request[Any, Any, Any]) -> QueryParameters | None:
        query: QueryParameters | None = request.scope["state"]["query"]
        return query

    async def expected(request: Request[Any, Any, Any]) -> ExpectedVersion:
        return ExpectedVersion(request.headers.get("if-match"))

    own: dict[str, Callable[..., Any]] = {"work": work, "caller": caller, "params": params, "expected": expected}
    return {name: Provide(get) for name, get in own.items()}


def _build_constant_provider(value: Any) -> Callable[[], Any]:
    async def get() -> Any:
        return value

    return get


async def _add_etag(response: Response[Any]) -> Response[Any]:
    """Add an ETag to every response that is one editable resource. Resources on a platform have the platform's ETag."""
    updated_at, etag = (getattr(response.content, name, None) for name in ("updated_at", "etag"))
    if isinstance(etag, str):
        response.headers["ETag"] = etag
    elif isinstance(updated_at, datetime):
        response.headers["ETag"] = build_etag(updated_at)
    return response
