"""The URL of a request: its path parameters and its query."""

from typing import Any

from litestar.types import ASGIApp, Receive, Scope, Send

from socialgate.core.errors import NotFound
from socialgate.web.request import parse_query
from socialgate.web.route import get_route_spec


class UrlMiddleware:
    """Rejects paths that no id can have and unknown query parameters, and decodes the query for the handler."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        spec = get_route_spec(scope["route_handler"])
        if spec is not None:
            _require_printable_path(scope["path_params"])
            if not spec.accepts_any_query:
                scope["state"]["query"] = parse_query(scope["query_string"], spec.query, ignores_unknown=spec.is_page)
        await self._app(scope, receive, send)


def _require_printable_path(parameters: dict[str, Any]) -> None:
    """No id, ours or a platform's, contains control characters, and PostgreSQL cannot even compare some of them."""
    for value in parameters.values():
        if isinstance(value, str) and not value.isprintable():
            raise NotFound("This path does not exist. GET /llms.txt lists every route.")
