"""What a person sees after a redirect: the customer's own page, or one of ours if the customer specified none."""

from functools import cache
from http import HTTPStatus
from importlib import resources
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec
from litestar import Request, Response
from litestar.datastructures import Cookie

from socialgate.areas.accounts.account_selection import AccountSelectionForm
from socialgate.areas.accounts.connect_outcome import PLAN_LIMIT_MESSAGE, ConnectOutcome
from socialgate.areas.accounts.redirect_connect import CONNECT_STATE_LIFETIME, PlatformRedirect
from socialgate.contracts.connect_links import LINK_RETURN_PATH
from socialgate.core.errors import PlanLimitReached
from socialgate.web.problems import Problem

if TYPE_CHECKING:
    import jinja2

_HTML_MEDIA_TYPE = "text/html"
_NOT_CONNECTED_TITLE = "Not connected"
_PAGE_HEADERS = {
    # The URL contains the platform's code: it is not sent to anybody, and the page is not cached.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    # The accounts' pictures come from the platform, and a choice is posted to us.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src https: http: data:; "
    "form-action 'self'; frame-ancestors 'none'",
}


def build_outcome_response(
    platform: str, outcome: ConnectOutcome, offer: AccountSelectionForm | None = None
) -> Response[str]:
    location = (
        outcome.build_redirect_location() if outcome.visit is None else _build_link_return(platform, outcome, offer)
    )
    if location is not None:
        headers = {**_PAGE_HEADERS, "Location": location}
        return Response("", status_code=HTTPStatus.SEE_OTHER, headers=headers, media_type=_HTML_MEDIA_TYPE)
    if outcome.error is not None:
        text = PLAN_LIMIT_MESSAGE if outcome.error == PlanLimitReached.code else outcome.detail
        return _render_page(HTTPStatus.OK, title=_NOT_CONNECTED_TITLE, text=text, error=outcome.error)
    if offer is not None:
        title, text = "Choose what to connect", _build_selection_text(outcome, offer)
        return _render_page(HTTPStatus.OK, title=title, text=text, offer=offer, at=platform)
    # The foot of the page says that it can be closed.
    text = "" if outcome.accounts else "There was nothing to connect."
    return _render_page(HTTPStatus.OK, title="Connected", text=text, accounts=outcome.accounts)


def _build_link_return(platform: str, outcome: ConnectOutcome, offer: AccountSelectionForm | None) -> str:
    """Return where the page of a connect link goes on. Only the browser that came from it knows the rest of its URL."""
    assert outcome.visit is not None, "only people who came from such a page go back to it"
    result = {"platform": platform}
    if outcome.error is not None:
        result["error"] = outcome.error
    elif offer is not None:
        result["ticket"] = offer.ticket
    return f"{LINK_RETURN_PATH}/{outcome.visit.link_id}?{urlencode(result)}"


def _build_selection_text(outcome: ConnectOutcome, offer: AccountSelectionForm) -> str:
    if offer.missing is not None:
        return offer.missing
    if outcome.accounts:
        before = f"You are signed in to {offer.platform}, and what was connected before works."
        return f"{before} Choose what to add, or close this page."
    return f"You are signed in to {offer.platform}. Nothing is connected yet."


def build_redirect_response(departure: PlatformRedirect) -> Response[str]:
    cookie = Cookie(
        departure.cookie_name,
        value=departure.ticket,
        path=departure.path,
        max_age=int(CONNECT_STATE_LIFETIME.total_seconds()),
        httponly=True,
        # A platform sends the browser back with a link, and such a cookie is sent with it.
        samesite="lax",
        secure=departure.secure,
    )
    headers = {**_PAGE_HEADERS, "Location": departure.url}
    return Response(
        "", status_code=HTTPStatus.SEE_OTHER, headers=headers, cookies=[cookie], media_type=_HTML_MEDIA_TYPE
    )


def build_failure_response(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Show an error as a page to a person, and as the usual problem to a program."""
    answer: Response[bytes] = request.app.exception_handlers[Exception](request, error)
    if _HTML_MEDIA_TYPE not in request.headers.get("accept", ""):
        return answer
    problem = msgspec.json.decode(answer.content, type=Problem)
    return _render_page(problem.status, title=_NOT_CONNECTED_TITLE, text=problem.detail, error=problem.code)


def _render_page(status: int, *, title: str, text: str, **context: Any) -> Response[str]:
    page = _load_page_template().render(
        {"title": title, "text": text, "error": None, "accounts": (), "offer": None} | context
    )
    return Response(page, status_code=status, headers=_PAGE_HEADERS, media_type=_HTML_MEDIA_TYPE)


@cache
def _load_page_template() -> "jinja2.Template":
    import jinja2  # noqa: PLC0415 - takes a while, and not every process shows a page

    loader = jinja2.FileSystemLoader(str(resources.files("socialgate.web") / "templates"))
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.get_template("connected.html")
