"""Rendering pages: templates, headers, redirects and error pages."""

import asyncio
import re
from functools import cache
from http import HTTPStatus
from importlib import resources
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec
from litestar import Request, Response
from litestar.types import Method

from socialgate import __version__
from socialgate.console import charts, formatting
from socialgate.console.assets import build_asset_url
from socialgate.console.navigation import HOME_PATH
from socialgate.core.errors import Unauthenticated
from socialgate.web.problems import Problem, ProblemRenderer
from socialgate.web.route import ErrorRenderer, RouteAccess, RouteDecorator, RouteTag, route
from socialgate.web.schemas import QueryParameters

if TYPE_CHECKING:
    import jinja2

AnyRequest = Request[Any, Any, Any]
HtmlResponse = Response[str]

CONSOLE_TAG = RouteTag("Console", "Web pages.")
LOGIN_PATH = "/console/login"
HTML_MEDIA_TYPE = "text/html"
THEME_COOKIE = "sg_theme"
THEMES = ("light", "dark")

_POLICY_TEMPLATE = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src {frames}; form-action 'self'; base-uri 'none'; frame-ancestors {holders}"
)
PAGE_HEADERS = {
    # Only our own files are loaded, nothing in the page itself runs, and no other page can put ours in a frame.
    "Content-Security-Policy": _POLICY_TEMPLATE.format(frames="'none'", holders="'none'"),
    # Not `no-referrer`: browsers would then send `Origin: null` with our own forms too.
    "Referrer-Policy": "same-origin",
    # Some pages show a secret once, and the Back button must not show it to the next person.
    "Cache-Control": "no-store",
}
# A page that contains a frame of our own, and the content of such a frame.
HOLDER_HEADERS = {"Content-Security-Policy": _POLICY_TEMPLATE.format(frames="'self'", holders="'none'")}
FRAME_HEADERS = {"Content-Security-Policy": _POLICY_TEMPLATE.format(frames="'none'", holders="'self'")}

# Printable ASCII without backslashes, which browsers read as slashes.
_OWN_PAGE = re.compile(r"/console(?:[/?](?!/)[!-\[\]-~]*)?")
# What all pages are made of, and the templates that were compiled already.
_SHARED_TEMPLATES = frozenset(
    {
        "document.html",
        "console.html",
        "sidebar.html",
        "shortcuts.html",
        "ui.html",
        "account_parts.html",
        "post_parts.html",
        "hook_parts.html",
        "ad_parts.html",
    }
)
_prepared: set[str] = set()
# Only its text is used here, not the URL of the explanation.
_render = ProblemRenderer("")


def page_route(
    method: Method,
    path: str,
    *,
    access: RouteAccess = RouteAccess.PAGE,
    query: type[QueryParameters] | None = None,
    most_bytes: int | None = None,
    failures: ErrorRenderer | None = None,
) -> RouteDecorator:
    """Declare a route that answers with a page. Pages that people open are declared with `console_page`."""
    return route(
        method,
        path,
        tag=CONSOLE_TAG,
        access=access,
        status=HTTPStatus.OK,
        query=query,
        answers=HTML_MEDIA_TYPE,
        takes_json=False,
        most_bytes=most_bytes,
        render_error=failures or render_error_page,
    )


def render_template(
    template: str,
    status: int = HTTPStatus.OK,
    headers: dict[str, str] | None = None,
    *,
    theme: str | None = None,
    **values: Any,
) -> HtmlResponse:
    text = _templates().get_template(template).render(version=__version__, theme=theme, **values)
    return Response(text, status_code=status, media_type=HTML_MEDIA_TYPE, headers={**PAGE_HEADERS, **(headers or {})})


async def prepare_template(name: str) -> None:
    """Compile a template, and those that it is made of, before it is rendered for the first time.

    That takes a tenth of a second or two, so it is done in a thread, and nobody else waits for it.
    """
    if name not in _prepared:
        await asyncio.to_thread(_compile, name)
        _prepared.add(name)


def get_theme(request: AnyRequest) -> str | None:
    """Return the theme that the person chose; None if it follows the device."""
    theme = request.cookies.get(THEME_COOKIE)
    return theme if theme in THEMES else None


def build_redirect(path: str) -> HtmlResponse:
    """Redirect the browser, so that reloading the page does not repeat the action."""
    return Response(
        "", status_code=HTTPStatus.SEE_OTHER, media_type=HTML_MEDIA_TYPE, headers={**PAGE_HEADERS, "Location": path}
    )


def render_error_page(request: AnyRequest, error: Exception) -> HtmlResponse:
    """Show an error as a page. Without a session there is only one page to show."""
    if isinstance(error, Unauthenticated):
        return build_redirect(sign_in_for(request))
    problem = build_problem(request, error)
    wait = {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
    return render_template("failure.html", problem.status, wait, theme=get_theme(request), problem=problem)


def sign_in_for(request: AnyRequest) -> str:
    """Return the URL of the sign-in that comes back to the requested page. A form that was sent is not sent again."""
    query = request.url.query
    path = request.url.path + (f"?{query}" if query else "")
    if request.method != "GET" or path == HOME_PATH or not is_own_page(path):
        return LOGIN_PATH
    return f"{LOGIN_PATH}?next={quote(path, safe='')}"


def is_own_page(path: str) -> bool:
    """Whether a path leads to a page of the console, and not to another site in one of the spellings of a browser."""
    return _OWN_PAGE.fullmatch(path) is not None


def build_problem(request: AnyRequest, error: Exception) -> Problem:
    """Return what a program would get."""
    return msgspec.json.decode(_render(request, error).content, type=Problem)


def _compile(name: str) -> None:
    environment = _templates()
    for template in (*_SHARED_TEMPLATES, name):
        environment.get_template(template)


@cache
def _templates() -> "jinja2.Environment":
    import jinja2  # noqa: PLC0415 - takes a while, and not every process shows a page

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(resources.files("socialgate.console") / "templates")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {function.__name__: function for function in formatting.FILTERS}
    environment.globals |= {
        "asset": build_asset_url,
        "sparkline": charts.build_sparkline,
        "line_chart": charts.build_line_chart,
        "heat_map": charts.build_heat_map,
        "meter_width": charts.get_meter_width,
    }
    return environment
