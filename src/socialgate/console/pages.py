"""Rendering pages: their declaration, their headers, and error pages."""

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
from socialgate.areas.identity.service import IdentityService
from socialgate.console import formatting
from socialgate.core.errors import Unauthenticated
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.problems import Problem, ProblemRenderer
from socialgate.web.route import Access, Decorator, ErrorRenderer, Tag, route
from socialgate.web.schemas import Query

if TYPE_CHECKING:
    import jinja2

AnyRequest = Request[Any, Any, Any]
HtmlResponse = Response[str]

CONSOLE_TAG = Tag("Console", "Web pages.")
HOME_PATH = "/console"
LOGIN_PATH = "/console/login"
HTML_MEDIA_TYPE = "text/html"
_CSP_TEMPLATE = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src {images}; form-action 'self'; frame-ancestors {holders}"
)
PAGE_HEADERS = {
    # Nothing can run, nothing is loaded, nothing is sent elsewhere, and no other page can put ours in a frame.
    "Content-Security-Policy": _CSP_TEMPLATE.format(images="data:", holders="'none'"),
    # Not `no-referrer`: browsers would then send `Origin: null` with our own forms too.
    "Referrer-Policy": "same-origin",
    # Some pages show a secret once, and the Back button must not show it to the next person.
    "Cache-Control": "no-store",
}

# A page that shows our own files, and contains a frame.
MEDIA_PAGE_HEADERS = {
    "Content-Security-Policy": _CSP_TEMPLATE.format(images="'self' data:", holders="'none'") + "; frame-src 'self'"
}
# The content of that frame.
FRAME_HEADERS = {"Content-Security-Policy": _CSP_TEMPLATE.format(images="data:", holders="'self'")}

# Printable ASCII without backslashes, which browsers read as slashes.
_OWN_PAGE = re.compile(r"/console(?:[/?](?!/)[!-\[\]-~]*)?")
# Only its text is used here, not the URL of the explanation.
_render = ProblemRenderer("")


def page(
    method: Method,
    path: str,
    *,
    access: Access = Access.PAGE,
    query: type[Query] | None = None,
    most_bytes: int | None = None,
    failures: ErrorRenderer | None = None,
) -> Decorator:
    """Declare a page."""
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


def render_page(
    template: str, status: int = HTTPStatus.OK, headers: dict[str, str] | None = None, **values: Any
) -> HtmlResponse:
    text = _templates().get_template(template).render(version=__version__, **values)
    return Response(text, status_code=status, media_type=HTML_MEDIA_TYPE, headers={**PAGE_HEADERS, **(headers or {})})


async def build_person_values(work: UnitOfWork, identity: IdentityService) -> dict[str, Any]:
    """Return what every page shows to a signed-in person."""
    return {"me": await work.read(identity.describe_caller, work.caller), "now": work.db.clock.now()}


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
    return render_page("failure.html", problem.status, wait, problem=problem)


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


@cache
def _templates() -> "jinja2.Environment":
    import jinja2  # noqa: PLC0415 - takes a while, and not every process shows a page

    folders = [resources.files(f"socialgate.{ring}") / "templates" for ring in ("console", "web")]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([str(folder) for folder in folders]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    shown = (
        formatting.ago,
        formatting.bytes_in_words,
        formatting.count,
        formatting.first_sentence,
        formatting.indented,
        formatting.outcome,
        formatting.when,
    )
    environment.filters |= {function.__name__: function for function in shown}
    return environment
