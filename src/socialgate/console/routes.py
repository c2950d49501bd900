"""The routes of all pages, and of addresses that people get by shortening others."""

from urllib.parse import quote

from litestar.handlers import HTTPRouteHandler

from socialgate.console.assets import send_asset
from socialgate.console.hosted.pages import routes as hosted_routes
from socialgate.console.pages import PAGES
from socialgate.console.pages.media import routes as media_routes
from socialgate.console.rendering import AnyRequest, HtmlResponse, build_redirect, page_route
from socialgate.console.sessions import routes as session_routes

_PAGES = [*session_routes, *(handler for page in PAGES for handler in page.routes), *media_routes]


def _build_redirect_to_parent(path: str) -> HTTPRouteHandler:
    """Redirect somebody who opens the URL of a button to the page with that button."""

    @page_route("GET", path)
    async def lead_back(request: AnyRequest) -> HtmlResponse:
        # Rebuilt, because a path that starts with two slashes would lead to another site.
        parts = [quote(part, safe="") for part in request.scope["path"].split("/") if part]
        return build_redirect("/" + "/".join(parts[:-1]))

    return lead_back


def _paths(method: str) -> set[str]:
    return {path for handler in _PAGES if method in handler.http_methods for path in handler.paths}


def _list_shortened() -> set[str]:
    """List the paths that lead nowhere themselves: those of buttons, and all between a page and the console."""
    known = _paths("GET")
    above = {
        "/".join(path.split("/")[:length])
        for path in known | _paths("POST")
        for length in range(3, path.count("/") + 1)
    }
    return (_paths("POST") | above) - known


_REDIRECTS = [_build_redirect_to_parent(path) for path in sorted(_list_shortened())]

routes = [*_PAGES, *_REDIRECTS, send_asset, *hosted_routes]
