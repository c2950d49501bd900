"""All pages of the console."""

from urllib.parse import quote

from litestar.handlers import HTTPRouteHandler

from socialgate.console.home import routes as home_routes
from socialgate.console.hooks import routes as hook_routes
from socialgate.console.media import routes as media_routes
from socialgate.console.pages import AnyRequest, HtmlResponse, build_redirect, page
from socialgate.console.sessions import routes as session_routes

_PAGE_HANDLERS = [*session_routes, *home_routes, *hook_routes, *media_routes]
# URLs that people get by shortening another.
_SHORTENED_PATHS = ["/console/keys/{key_id:str}", "/console/hooks/{hook_id:str}/deliveries"]


def _build_redirect_to_parent(path: str) -> HTTPRouteHandler:
    """Redirect somebody who opens the URL of a button to the page with that button."""

    @page("GET", path)
    async def lead_back(request: AnyRequest) -> HtmlResponse:
        # Rebuilt, because a path that starts with two slashes would lead to another site.
        parts = [quote(part, safe="") for part in request.scope["path"].split("/") if part]
        return build_redirect("/" + "/".join(parts[:-1]))

    return lead_back


def _list_paths(method: str) -> set[str]:
    return {path for handler in _PAGE_HANDLERS if method in handler.http_methods for path in handler.paths}


_REDIRECT_HANDLERS = [
    _build_redirect_to_parent(path) for path in sorted(_list_paths("POST") - _list_paths("GET")) + _SHORTENED_PATHS
]

routes = [*_PAGE_HANDLERS, *_REDIRECT_HANDLERS]
