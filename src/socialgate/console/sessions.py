"""Signing in and out."""

from typing import Annotated, Literal

from msgspec import Meta

from socialgate.areas.identity.authentication import TokenAuthenticator
from socialgate.areas.identity.cookies import build_session_cookie
from socialgate.areas.identity.schemas import Login
from socialgate.areas.identity.service import IdentityService
from socialgate.areas.identity.throttle import LoginThrottle
from socialgate.console.forms import EmptyForm, FormData, read_form
from socialgate.console.navigation import HOME_PATH
from socialgate.console.rendering import (
    CONSOLE_TAG,
    HTML_MEDIA_TYPE,
    LOGIN_PATH,
    THEME_COOKIE,
    AnyRequest,
    HtmlResponse,
    build_redirect,
    get_theme,
    is_own_page,
    page_route,
    render_template,
)
from socialgate.console.visit import VisitFactory
from socialgate.core.errors import NotFound, RateLimited, ServiceError
from socialgate.core.settings import Settings
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.auth import SESSION_COOKIE
from socialgate.web.route import RouteAccess, route
from socialgate.web.schemas import QueryParameters, RequestBody

MAX_NEXT_LENGTH = 2000
_THEME_SECONDS = 365 * 24 * 3600


class SignInQuery(QueryParameters, frozen=True, kw_only=True):
    """The page to open after signing in."""

    next: str | None = None


class SignIn(Login, frozen=True, kw_only=True):
    """What the form sends: the credentials, and the page that the person wanted to open."""

    next: Annotated[str, Meta(max_length=MAX_NEXT_LENGTH)] = HOME_PATH


class ThemeChoice(RequestBody, frozen=True, kw_only=True):
    """The theme of the console in this browser, and the page where it was chosen."""

    theme: Literal["system", "light", "dark"]
    next: Annotated[str, Meta(max_length=MAX_NEXT_LENGTH)] = HOME_PATH


@route("GET", "/", tag=CONSOLE_TAG, access=RouteAccess.OPEN_PAGE, answers=HTML_MEDIA_TYPE)
async def redirect_to_console(request: AnyRequest) -> HtmlResponse:
    """Redirect people to the console. A program gets a 404, as for any unknown path."""
    if HTML_MEDIA_TYPE not in request.headers.get("accept", ""):
        raise NotFound("This path does not exist. GET /llms.txt lists every route.")
    response = build_redirect(HOME_PATH)
    response.headers["Vary"] = "Accept"
    return response


@page_route("GET", LOGIN_PATH, access=RouteAccess.OPEN_PAGE, query=SignInQuery)
async def show_login(params: SignInQuery, request: AnyRequest, settings: Settings) -> HtmlResponse:
    return _render_login(request, settings, FormData({"next": [_destination(params.next)]}))


@page_route("POST", LOGIN_PATH, access=RouteAccess.OPEN_PAGE)
async def sign_in(
    request: AnyRequest, identity: IdentityService, throttle: LoginThrottle, settings: Settings
) -> HtmlResponse:
    form = await read_form(request)
    try:
        credentials = form.decode_as(SignIn)
        await throttle.check(request, credentials.email)
        opened = await identity.login(credentials)
    except ServiceError as failure:
        return _render_login(request, settings, form.failed(failure))
    signed_in = build_redirect(_destination(credentials.next))
    signed_in.cookies = [build_session_cookie(opened, settings)]
    return signed_in


@page_route("POST", "/console/logout")
async def sign_out(
    request: AnyRequest, work: UnitOfWork, identity: IdentityService, tokens: TokenAuthenticator
) -> HtmlResponse:
    (await read_form(request)).decode_as(EmptyForm)
    await work.write(identity.logout, work.caller)
    tokens.invalidate_owner(work.caller.owner_id)
    signed_out = build_redirect(LOGIN_PATH)
    signed_out.delete_cookie(SESSION_COOKIE, path="/")
    return signed_out


@page_route("POST", "/console/theme")
async def choose_theme(request: AnyRequest, work: UnitOfWork, visits: VisitFactory) -> HtmlResponse:
    """Remember the theme in this browser, and go back to the page where it was chosen."""
    del work  # it only shows that somebody is signed in
    chosen = (await read_form(request)).decode_as(ThemeChoice)
    is_fixed = chosen.theme != "system"
    response = build_redirect(_destination(chosen.next))
    response.cookies = [
        visits.build_cookie(THEME_COOKIE, chosen.theme if is_fixed else "", max_age=_THEME_SECONDS if is_fixed else 0)
    ]
    return response


@page_route("GET", "/console/{rest:path}")
async def reject_unknown_page(rest: str) -> HtmlResponse:
    raise NotFound(f"There is no page {rest}.")


def _destination(page: str | None) -> str:
    """Return the page to open after signing in. A link from elsewhere must not lead people to another site."""
    return page if page and len(page) <= MAX_NEXT_LENGTH and is_own_page(page) else HOME_PATH


def _render_login(request: AnyRequest, settings: Settings, form: FormData) -> HtmlResponse:
    """Show the form. Whoever tries the service on their own machine is told where the first password is."""
    failure = form.failure
    headers = {"Retry-After": str(failure.retry_after)} if isinstance(failure, RateLimited) else {}
    is_trial = settings.simulates_platforms and settings.is_local_only
    return render_template("login.html", form.status, headers, theme=get_theme(request), form=form, is_trial=is_trial)


routes = [redirect_to_console, show_login, sign_in, sign_out, choose_theme, reject_unknown_page]
