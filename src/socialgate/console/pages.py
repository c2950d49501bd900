"""Making pages: their declaration, their headers, and what is shown when something fails."""

from functools import cache
from http import HTTPStatus
from importlib import resources
from typing import Any

import jinja2
import msgspec
from litestar import Request, Response
from litestar.types import Method

from socialgate import __version__
from socialgate.areas.identity.service import Identity
from socialgate.console import words
from socialgate.core.errors import Unauthenticated
from socialgate.core.work import Work
from socialgate.web.problems import Problem, ProblemRenderer
from socialgate.web.route import Access, Decorator, route
from socialgate.web.schema import Query

AnyRequest = Request[Any, Any, Any]
Page = Response[str]

HOME = "/console"
LOGIN = "/console/login"
HTML = "text/html"
HEADERS = {
    # Nothing can run, nothing is loaded, nothing is sent elsewhere, and no other page can hold ours in a frame.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    # Not `no-referrer`: browsers then send `Origin: null` with our own forms too.
    "Referrer-Policy": "same-origin",
    # Some pages show a secret once, and the button "back" must not show it to the next person.
    "Cache-Control": "no-store",
}

# Only what it says is used here, not the address of the explanation.
_problem_of = ProblemRenderer("")


def page(method: Method, path: str, *, access: Access = Access.PAGE, query: type[Query] | None = None) -> Decorator:
    """Declare a page."""
    return route(
        method,
        path,
        tag="Console",
        access=access,
        status=HTTPStatus.OK,
        query=query,
        answers=HTML,
        takes_json=False,
        failures=show_failure,
    )


def show(template: str, status: int = HTTPStatus.OK, headers: dict[str, str] | None = None, **values: Any) -> Page:
    text = _templates().get_template(template).render(version=__version__, **values)
    return Response(text, status_code=status, media_type=HTML, headers={**HEADERS, **(headers or {})})


async def for_person(work: Work, identity: Identity) -> dict[str, Any]:
    """Give what every page shows to whoever is signed in."""
    return {"me": await work.read(identity.me, work.caller), "now": work.db.clock.now()}


def go_to(path: str) -> Page:
    """Send the browser on, so that loading the page again does not repeat what was done."""
    return Response("", status_code=HTTPStatus.SEE_OTHER, media_type=HTML, headers={**HEADERS, "Location": path})


def show_failure(request: AnyRequest, error: Exception) -> Page:
    """Show a failure as a page. Without a session there is but one page to show."""
    if isinstance(error, Unauthenticated):
        return go_to(LOGIN)
    answer = _problem_of(request, error)
    problem = msgspec.json.decode(answer.content, type=Problem)
    wait = {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
    return show("failure.html", problem.status, wait, problem=problem)


@cache
def _templates() -> jinja2.Environment:
    folders = [resources.files(f"socialgate.{ring}") / "templates" for ring in ("console", "web")]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([str(folder) for folder in folders]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    shown = (words.ago, words.count, words.first_sentence, words.indented, words.outcome, words.when)
    environment.filters |= {function.__name__: function for function in shown}
    return environment
