"""The pages of a connect link: the choice of a platform, its form or code, the choice of accounts, and the result."""

from http import HTTPStatus
from typing import Annotated, Any

from litestar.types import Method
from msgspec import Meta, field

from socialgate.areas.accounts.account_selection import AccountSelectionForm, AccountSelectionService
from socialgate.areas.accounts.credential_connect import PairingEndedError
from socialgate.areas.accounts.schemas import Account
from socialgate.areas.connect_links.connecting import LinkConnectService
from socialgate.console.forms import FormData, read_form
from socialgate.console.hosted.visit import HostedVisit, HostedVisits, build_policy, find_visit
from socialgate.console.hosted.wording import DENIED_CODE, UNKNOWN_LINK, describe_code, describe_failure
from socialgate.console.rendering import (
    AnyRequest,
    HtmlResponse,
    build_problem,
    page_route,
    render_template,
)
from socialgate.console.sign_in_fields import find_sign_in_form, list_form_fields
from socialgate.contracts.connect_links import LINK_PATH, LINK_RETURN_PATH, LinkEndedError
from socialgate.contracts.platforms import ConnectMethod, Kind, Platform
from socialgate.core.errors import Forbidden, InvalidRequest, NotFound, ServiceError
from socialgate.web.route import RouteAccess, RouteDecorator
from socialgate.web.schemas import QueryParameters, RequestBody

# A code is valid for about 20 seconds. The page looks whether it was scanned, and gets a new one when it is due.
_PAIRING_RELOAD_SECONDS = 4
# Long enough to read that it worked.
_RETURN_SECONDS = 5
_MAX_CHOSEN = 200


class CookieRefusedError(Forbidden):
    """The browser did not keep the cookie of the page, as some do in frames. Open the link in a tab of its own."""

    code = "cookie_refused"
    title = "The browser refused a cookie"


class KindForm(RequestBody, frozen=True, kw_only=True):
    """What to sign in for."""

    kind: Kind


class ChoiceForm(RequestBody, frozen=True, kw_only=True):
    """The accounts that a person chose, by the platform's own ids."""

    id: Annotated[list[str], Meta(max_length=_MAX_CHOSEN)] = field(default_factory=list)


class FailedQuery(QueryParameters, frozen=True, kw_only=True):
    """Why nothing was connected."""

    platform: Platform | None = None
    error: str = ""


class ReturnQuery(QueryParameters, frozen=True, kw_only=True):
    """How a sign-in ended: with an error, with a choice that is due, or with connected accounts."""

    platform: Platform
    error: str | None = None
    ticket: str | None = None


def render_failure(request: AnyRequest, error: Exception) -> HtmlResponse:
    """Show an error in plain words, in the colors of the link if there is one."""
    visit = find_visit(request)
    problem = build_problem(request, error)
    headers = {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
    values: dict[str, Any] = {
        "text": UNKNOWN_LINK
        if visit is None and isinstance(error, NotFound)
        else describe_failure(error, "the company that sent it" if visit is None else visit.sender),
        "is_link_ended": isinstance(error, LinkEndedError),
        "is_cookie_refused": isinstance(error, CookieRefusedError),
    }
    if visit is None:
        policy = {"Content-Security-Policy": build_policy(()), "X-Robots-Tag": "noindex"}
        return render_template("hosted_failure.html", problem.status, {**policy, **headers}, hosted=None, **values)
    back = visit.result_url("failed", error=problem.code)
    return visit.render_prepared("hosted_failure.html", problem.status, headers=headers, back=back, **values)


def link_route(method: Method, path: str, query: type[QueryParameters] | None = None) -> RouteDecorator:
    """Declare a page of a link. Nobody is signed in, and a form must come from the page itself."""
    return page_route(method, path, access=RouteAccess.OPEN_PAGE, query=query, failures=render_failure)


_OWN_PATH = LINK_PATH + "/{token:str}"


@link_route("GET", _OWN_PATH)
async def show_platforms(
    token: str, request: AnyRequest, hosted_visits: HostedVisits, link_connecting: LinkConnectService
) -> HtmlResponse:
    visit = await hosted_visits.open(request, token)
    return await _show_platforms(visit, link_connecting)


@link_route("POST", _OWN_PATH + "/begin")
async def begin_sign_in(
    token: str, request: AnyRequest, hosted_visits: HostedVisits, link_connecting: LinkConnectService
) -> HtmlResponse:
    """Send the person to the platform. No platform can be shown in a frame, so that continues in a tab of its own."""
    visit = await hosted_visits.open(request, token)
    if visit.is_framed:
        raise CookieRefusedError("Sign-ins cannot be shown in a frame.")
    chosen = (await read_form(request)).decode_as(KindForm)
    shown = link_connecting.require_offered(visit.link, chosen.kind)
    started = await link_connecting.begin_sign_in(visit.link, visit.visit, chosen.kind)
    headers = {"Refresh": f"0; url={started.auth_url}"}
    return await visit.render("hosted_leaving.html", headers=headers, url=started.auth_url, name=shown.name)


@link_route("GET", _OWN_PATH + "/form/{kind:str}")
async def show_form(
    kind: str, token: str, request: AnyRequest, hosted_visits: HostedVisits, link_connecting: LinkConnectService
) -> HtmlResponse:
    visit = await hosted_visits.open(request, token)
    return await _show_form(visit, link_connecting, kind, FormData())


@link_route("POST", _OWN_PATH + "/form/{kind:str}")
async def connect_with_form(
    kind: str, token: str, request: AnyRequest, hosted_visits: HostedVisits, link_connecting: LinkConnectService
) -> HtmlResponse:
    visit = await hosted_visits.open(request, token)
    _require_cookie(visit)
    form, filled = find_sign_in_form(kind), await read_form(request)
    try:
        # The profile is that of the link, whatever was sent.
        body = filled.replaced(profileId=[visit.link.profile_id]).decode_as(form.body)
        account = await link_connecting.connect_with_form(visit.link, visit.visit, form, body)
    except (NotFound, LinkEndedError):
        raise
    except ServiceError as failure:
        return await _show_form(visit, link_connecting, kind, filled.failed(failure))
    if form.method is ConnectMethod.QR:
        return visit.redirect(visit.path("code", account.id))
    return visit.redirect(visit.path("done"))


@link_route("GET", _OWN_PATH + "/code/{account_id:str}")
async def show_code(
    account_id: str, token: str, request: AnyRequest, hosted_visits: HostedVisits, link_connecting: LinkConnectService
) -> HtmlResponse:
    """Show a code that renews itself, and say when it was scanned."""
    visit = await hosted_visits.open(request, token)
    _require_cookie(visit)
    try:
        account, code = await link_connecting.get_code(visit.link, visit.visit, account_id)
    except PairingEndedError as failure:
        text = describe_failure(failure, visit.sender)
        back = visit.result_url("failed", error=failure.code)
        return await visit.render(
            "hosted_failed.html", failure.status, text=text, back=back, title="No phone was linked"
        )
    if code.image is None:
        return visit.redirect(visit.path("done"))
    headers = {"Refresh": f"{_PAIRING_RELOAD_SECONDS}; url={visit.path('code', account_id)}"}
    return await visit.render("hosted_code.html", headers=headers, account=account, code=code)


@link_route("GET", _OWN_PATH + "/choose/{platform:str}/{ticket:str}")
async def show_choice(
    platform: str,
    ticket: str,
    token: str,
    request: AnyRequest,
    hosted_visits: HostedVisits,
    choosing: AccountSelectionService,
) -> HtmlResponse:
    visit = await hosted_visits.open(request, token)
    _require_cookie(visit)
    return await _show_choice(visit, platform, await choosing.load_selection(platform, ticket, visit.visit))


@link_route("POST", _OWN_PATH + "/choose/{platform:str}/{ticket:str}")
async def choose_accounts(
    platform: str,
    ticket: str,
    token: str,
    request: AnyRequest,
    hosted_visits: HostedVisits,
    choosing: AccountSelectionService,
) -> HtmlResponse:
    visit = await hosted_visits.open(request, token)
    _require_cookie(visit)
    chosen = (await read_form(request)).decode_as(ChoiceForm)
    _, again = await choosing.connect_selected(platform, ticket, chosen.id, visit=visit.visit)
    if again is not None:
        return await _show_choice(visit, platform, again, chosen.id)
    return visit.redirect(visit.path("done"))


@link_route("GET", _OWN_PATH + "/done")
async def show_result(
    token: str, request: AnyRequest, hosted_visits: HostedVisits, link_connecting: LinkConnectService
) -> HtmlResponse:
    """Show what this person has connected, and lead on."""
    visit = await hosted_visits.open(request, token)
    accounts = await link_connecting.list_connected(visit.link, visit.visit)
    if not accounts:
        return visit.redirect(visit.path())
    offers = await link_connecting.list_offers(visit.link)
    back = visit.result_url("connected", accounts[-1].platform, [account.id for account in accounts])
    goes_on = all(offer.is_full for offer in offers) and back is not None and not visit.is_framed
    return await visit.render(
        "hosted_done.html",
        headers={"Refresh": f"{_RETURN_SECONDS}; url={back}"} if goes_on else {},
        pictures=[account.avatar_url for account in accounts if isinstance(account, Account)],
        accounts=accounts,
        names={offer.kind: offer.name for offer in offers},
        can_add=not all(offer.is_full for offer in offers),
        back=back,
        goes_on=goes_on,
    )


@link_route("GET", _OWN_PATH + "/failed", query=FailedQuery)
async def show_failure(
    params: FailedQuery, token: str, request: AnyRequest, hosted_visits: HostedVisits
) -> HtmlResponse:
    visit = await hosted_visits.open(request, token)
    is_denied = params.error == DENIED_CODE
    return await visit.render(
        "hosted_failed.html",
        title="Not connected",
        text=describe_code(params.error, visit.sender),
        back=visit.result_url("denied" if is_denied else "failed", params.platform, error=params.error),
    )


@link_route("GET", LINK_RETURN_PATH + "/{link_id:str}", query=ReturnQuery)
async def come_back(
    link_id: str, params: ReturnQuery, request: AnyRequest, hosted_visits: HostedVisits
) -> HtmlResponse:
    """Lead a person who comes back from a platform to the page of the link in the same browser."""
    visit = await hosted_visits.open_by_cookie(request, link_id)
    if params.error is not None:
        return visit.redirect(visit.path("failed", platform=params.platform, error=params.error))
    if params.ticket is not None:
        return visit.redirect(visit.path("choose", params.platform, params.ticket))
    return visit.redirect(visit.path("done"))


def _require_cookie(visit: HostedVisit) -> None:
    if not visit.has_cookie:
        raise CookieRefusedError("The browser did not send the cookie of this page.")


async def _show_platforms(visit: HostedVisit, link_connecting: LinkConnectService) -> HtmlResponse:
    offers = await link_connecting.list_offers(visit.link)
    return await visit.render("hosted_platforms.html", offers=offers, back=visit.result_url("denied"))


async def _show_form(
    visit: HostedVisit, link_connecting: LinkConnectService, kind: str, form: FormData
) -> HtmlResponse:
    sign_in_form = find_sign_in_form(kind)
    return await visit.render(
        "hosted_form.html",
        form.status,
        kind=link_connecting.require_offered(visit.link, kind),
        fields=list_form_fields(sign_in_form),
        is_pairing=sign_in_form.method is ConnectMethod.QR,
        form=form,
        sentence=_describe_form_failure(form, visit.sender),
    )


def _describe_form_failure(form: FormData, sender: str) -> str | None:
    """Explain what is wrong, unless it is shown next to a field."""
    if form.failure is None or (isinstance(form.failure, InvalidRequest) and form.failure.errors):
        return None
    return describe_failure(form.failure, sender)


async def _show_choice(
    visit: HostedVisit, platform: str, selection: AccountSelectionForm, chosen: list[str] | None = None
) -> HtmlResponse:
    return await visit.render(
        "hosted_choose.html",
        HTTPStatus.OK if selection.missing is None else HTTPStatus.UNPROCESSABLE_ENTITY,
        pictures=[account.avatar_url for account in selection.accounts],
        selection=selection,
        platform=platform,
        chosen=chosen or [],
    )


routes = [
    show_platforms,
    begin_sign_in,
    show_form,
    connect_with_form,
    show_code,
    show_choice,
    choose_accounts,
    show_result,
    show_failure,
    come_back,
]
