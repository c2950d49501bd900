"""Signing in and out."""

from typing import Annotated

from msgspec import Meta

from socialgate.areas.identity.cookies import session_cookie
from socialgate.areas.identity.credentials import TokenBook
from socialgate.areas.identity.schemas import Login
from socialgate.areas.identity.service import Identity
from socialgate.areas.identity.throttle import LoginThrottle
from socialgate.console.forms import Form, Nothing, read_form
from socialgate.console.pages import CONSOLE, HOME, HTML, LOGIN, AnyRequest, Page, go_to, is_own_page, page, show
from socialgate.core.errors import NotFound, RateLimited, ServiceError
from socialgate.core.settings import Settings
from socialgate.core.work import Work
from socialgate.web.auth import SESSION_COOKIE
from socialgate.web.route import Access, route
from socialgate.web.schema import Query

MAX_NEXT_LENGTH = 2000


class SignInQuery(Query, frozen=True, kw_only=True):
    """The page to open after signing in."""

    next: str | None = None


class SignIn(Login, frozen=True, kw_only=True):
    """What the form sends: the credentials, and the page that the person wanted to open."""

    next: Annotated[str, Meta(max_length=MAX_NEXT_LENGTH)] = HOME


@route("GET", "/", tag=CONSOLE, access=Access.OPEN_PAGE, answers=HTML)
async def find_console(request: AnyRequest) -> Page:
    """Redirect people to the console. A program gets a 404, as for any unknown path."""
    if HTML not in request.headers.get("accept", ""):
        raise NotFound("This path does not exist. GET /llms.txt lists every route.")
    found = go_to(HOME)
    found.headers["Vary"] = "Accept"
    return found


@page("GET", LOGIN, access=Access.OPEN_PAGE, query=SignInQuery)
async def show_login(params: SignInQuery) -> Page:
    return show("login.html", form=Form({"next": [_destination(params.next)]}))


@page("POST", LOGIN, access=Access.OPEN_PAGE)
async def sign_in(request: AnyRequest, identity: Identity, throttle: LoginThrottle, settings: Settings) -> Page:
    form = await read_form(request)
    try:
        credentials = form.into(SignIn)
        await throttle.check(request, credentials.email)
        opened = await identity.login(credentials)
    except ServiceError as failure:
        return show("login.html", failure.status, _wait(failure), form=form.failed(failure))
    signed_in = go_to(_destination(credentials.next))
    signed_in.cookies = [session_cookie(opened, settings)]
    return signed_in


@page("POST", "/console/logout")
async def sign_out(request: AnyRequest, work: Work, identity: Identity, tokens: TokenBook) -> Page:
    (await read_form(request)).into(Nothing)
    await work.write(identity.logout, work.caller)
    tokens.forget(work.caller.owner_id)
    signed_out = go_to(LOGIN)
    signed_out.delete_cookie(SESSION_COOKIE, path="/")
    return signed_out


@page("GET", "/console/{rest:path}")
async def show_nothing(rest: str) -> Page:
    raise NotFound(f"There is no page {rest}.")


def _destination(page: str | None) -> str:
    """Return the page to open after signing in. A link from elsewhere must not lead people to another site."""
    return page if page and len(page) <= MAX_NEXT_LENGTH and is_own_page(page) else HOME


def _wait(failure: ServiceError) -> dict[str, str]:
    return {"Retry-After": str(failure.retry_after)} if isinstance(failure, RateLimited) else {}


routes = [find_console, show_login, sign_in, sign_out, show_nothing]
