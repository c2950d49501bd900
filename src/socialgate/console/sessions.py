"""Signing in and out."""

from typing import Annotated

from msgspec import Meta

from socialgate.areas.identity.authentication import TokenAuthenticator
from socialgate.areas.identity.cookies import session_cookie
from socialgate.areas.identity.schemas import Login
from socialgate.areas.identity.service import IdentityService
from socialgate.areas.identity.throttle import LoginThrottle
from socialgate.console.forms import EmptyForm, FormData, read_form
from socialgate.console.pages import (
    CONSOLE_TAG,
    HOME_PATH,
    HTML_MEDIA_TYPE,
    LOGIN_PATH,
    AnyRequest,
    HtmlResponse,
    build_redirect,
    is_own_page,
    page,
    render_page,
)
from socialgate.core.errors import NotFound, RateLimited, ServiceError
from socialgate.core.settings import Settings
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.auth import SESSION_COOKIE
from socialgate.web.route import Access, route
from socialgate.web.schemas import Query

MAX_NEXT_LENGTH = 2000


class SignInQuery(Query, frozen=True, kw_only=True):
    """The page to open after signing in."""

    next: str | None = None


class SignIn(Login, frozen=True, kw_only=True):
    """What the form sends: the credentials, and the page that the person wanted to open."""

    next: Annotated[str, Meta(max_length=MAX_NEXT_LENGTH)] = HOME_PATH


@route("GET", "/", tag=CONSOLE_TAG, access=Access.OPEN_PAGE, answers=HTML_MEDIA_TYPE)
async def redirect_to_console(request: AnyRequest) -> HtmlResponse:
    """Redirect people to the console. A program gets a 404, as for any unknown path."""
    if HTML_MEDIA_TYPE not in request.headers.get("accept", ""):
        raise NotFound("This path does not exist. GET /llms.txt lists every route.")
    response = build_redirect(HOME_PATH)
    response.headers["Vary"] = "Accept"
    return response


@page("GET", LOGIN_PATH, access=Access.OPEN_PAGE, query=SignInQuery)
async def show_login(params: SignInQuery) -> HtmlResponse:
    return render_page("login.html", form=FormData({"next": [_get_next_page(params.next)]}))


@page("POST", LOGIN_PATH, access=Access.OPEN_PAGE)
async def sign_in(
    request: AnyRequest, identity: IdentityService, throttle: LoginThrottle, settings: Settings
) -> HtmlResponse:
    form = await read_form(request)
    try:
        credentials = form.decode_as(SignIn)
        await throttle.check(request, credentials.email)
        opened = await identity.login(credentials)
    except ServiceError as failure:
        return render_page("login.html", failure.status, _build_retry_headers(failure), form=form.failed(failure))
    signed_in = build_redirect(_get_next_page(credentials.next))
    signed_in.cookies = [session_cookie(opened, settings)]
    return signed_in


@page("POST", "/console/logout")
async def sign_out(
    request: AnyRequest, work: UnitOfWork, identity: IdentityService, tokens: TokenAuthenticator
) -> HtmlResponse:
    (await read_form(request)).decode_as(EmptyForm)
    await work.write(identity.logout, work.caller)
    tokens.invalidate_owner(work.caller.owner_id)
    signed_out = build_redirect(LOGIN_PATH)
    signed_out.delete_cookie(SESSION_COOKIE, path="/")
    return signed_out


@page("GET", "/console/{rest:path}")
async def reject_unknown_page(rest: str) -> HtmlResponse:
    raise NotFound(f"There is no page {rest}.")


def _get_next_page(page: str | None) -> str:
    """Return the page to open after signing in. A link from elsewhere must not lead people to another site."""
    return page if page and len(page) <= MAX_NEXT_LENGTH and is_own_page(page) else HOME_PATH


def _build_retry_headers(failure: ServiceError) -> dict[str, str]:
    return {"Retry-After": str(failure.retry_after)} if isinstance(failure, RateLimited) else {}


routes = [redirect_to_console, show_login, sign_in, sign_out, reject_unknown_page]
