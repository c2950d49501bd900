"""Signing in and out."""

from socialgate.areas.identity.cookies import session_cookie
from socialgate.areas.identity.credentials import TokenBook
from socialgate.areas.identity.schemas import Login
from socialgate.areas.identity.service import Identity
from socialgate.areas.identity.throttle import LoginThrottle
from socialgate.console.forms import Form, Nothing, read_form
from socialgate.console.pages import CONSOLE, HOME, HTML, LOGIN, AnyRequest, Page, go_to, page, show
from socialgate.core.errors import NotFound, RateLimited, ServiceError
from socialgate.core.settings import Settings
from socialgate.core.work import Work
from socialgate.web.auth import SESSION_COOKIE
from socialgate.web.route import Access, route


@route("GET", "/", tag=CONSOLE, access=Access.OPEN_PAGE, answers=HTML)
async def find_console(request: AnyRequest) -> Page:
    """Redirect people to the console. A program gets a 404, as for any unknown path."""
    if HTML not in request.headers.get("accept", ""):
        raise NotFound("This path does not exist. GET /llms.txt lists every route.")
    found = go_to(HOME)
    found.headers["Vary"] = "Accept"
    return found


@page("GET", LOGIN, access=Access.OPEN_PAGE)
async def show_login() -> Page:
    return show("login.html", form=Form())


@page("POST", LOGIN, access=Access.OPEN_PAGE)
async def sign_in(request: AnyRequest, identity: Identity, throttle: LoginThrottle, settings: Settings) -> Page:
    form = await read_form(request)
    try:
        given = form.into(Login)
        await throttle.check(request, given.email)
        opened = await identity.login(given)
    except ServiceError as failure:
        return show("login.html", failure.status, _wait(failure), form=form.failed(failure))
    signed_in = go_to(HOME)
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


def _wait(failure: ServiceError) -> dict[str, str]:
    return {"Retry-After": str(failure.retry_after)} if isinstance(failure, RateLimited) else {}


routes = [find_console, show_login, sign_in, sign_out, show_nothing]
