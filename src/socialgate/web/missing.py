"""The page at an address that does not exist, for people in a browser. Programs get the usual problem."""

from functools import cache
from http import HTTPStatus
from importlib import resources
from typing import TYPE_CHECKING, Any

import msgspec
from litestar import Request, Response

if TYPE_CHECKING:
    import jinja2

_HTML_MEDIA_TYPE = "text/html"
_PAGE_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:"}


class _ProblemResponse(msgspec.Struct, frozen=True):
    status: int
    detail: str


def render_not_found_page_for_browser(request: Request[Any, Any, Any], answer: Response[bytes]) -> Response[Any]:
    """Turn a problem into a page if nothing was found and a browser asked."""
    if answer.status_code != HTTPStatus.NOT_FOUND or _HTML_MEDIA_TYPE not in request.headers.get("accept", ""):
        return answer
    problem = msgspec.json.decode(answer.content, type=_ProblemResponse)
    text = _load_not_found_template().render(detail=problem.detail)
    return Response(text, status_code=problem.status, media_type=_HTML_MEDIA_TYPE, headers=_PAGE_HEADERS)


def handle_page_not_found(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Show what a page for people cannot find."""
    return render_not_found_page_for_browser(request, request.app.exception_handlers[Exception](request, error))


@cache
def _load_not_found_template() -> "jinja2.Template":
    import jinja2  # noqa: PLC0415 - takes a while, and not every process shows a page

    loader = jinja2.FileSystemLoader(str(resources.files("socialgate.web") / "templates"))
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.get_template("missing.html")
