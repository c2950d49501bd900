"""Accounts and how they are connected.

More than 400 lines: every route of a connection is here, each with the errors that it can return.
"""

from typing import Any
from urllib.parse import parse_qs

from litestar import Request, Response
from litestar.handlers import HTTPRouteHandler

from socialgate.areas.accounts.account_selection import AccountSelectionService
from socialgate.areas.accounts.connect_operations import AlreadyPairedError, CredentialInputError
from socialgate.areas.accounts.connect_schemas import (
    AccountSelectionBody,
    AdAccountChoice,
    ConnectableAccounts,
    ConnectedAccounts,
    ConnectedAdAccounts,
    ConnectQuery,
    ConnectStarted,
    ConnectStartQuery,
    PairingQrCode,
)
from socialgate.areas.accounts.credential_connect import CredentialConnectService, PairingEndedError
from socialgate.areas.accounts.health import AccountHealthService
from socialgate.areas.accounts.lifecycle import ConnectedElsewhereError
from socialgate.areas.accounts.pages import build_failure_response, build_outcome_response, build_redirect_response
from socialgate.areas.accounts.redirect_connect import (
    BrowserMismatchError,
    ConnectStateInvalidError,
    RedirectConnectService,
    SignInRequiredError,
)
from socialgate.areas.accounts.schemas import (
    Account,
    AccountChanges,
    AccountsQuery,
    AdAccount,
    AdAccountsQuery,
    HealthQuery,
    HealthReport,
    PlatformAccountProfile,
    ProfileDeletionQuery,
)
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.accounts.session import PlatformNotConfiguredError
from socialgate.contracts.failures import (
    NeedsReconnectionError,
    OutcomeUnknownError,
    PermissionMissingError,
    PlatformNotFoundError,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.contracts.platforms import ConnectMethod, Platform
from socialgate.contracts.profiles import LastProfileError, ProfileNotEmptyError
from socialgate.contracts.sign_in_forms import CONNECT_FORMS_BY_PLATFORM, REDIRECT_PLATFORMS, ConnectBody, SignInForm
from socialgate.core.errors import BodyTooLarge, NotFound
from socialgate.core.metering import UsageMetric
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.route import RouteAccess, RouteTag, route
from socialgate.web.schemas import DeletionConfirmation, Page
from socialgate.web.tags import PROFILES_TAG

ACCOUNTS_TAG = RouteTag(
    "Accounts", "Connected accounts and ad accounts: their status, their health, and how to disconnect them."
)
CONNECT_TAG = RouteTag("Connect", "Connect accounts: by consent in a browser, by a credential, or by scanning a code.")

# The platforms that a person signs in to, in a browser.
_REDIRECT_PLATFORM_CHOICES = {"platform": REDIRECT_PLATFORMS}
# What it counts for the plan of the owner to connect an account.
_METERED_METRICS = (UsageMetric.CONNECTED_ACCOUNTS,)
# How large the form of a choice can be.
_MAX_SELECTION_BODY_BYTES = 64 * 1024

# How a read from a platform can fail, and how a change can fail.
LIVE_READ_ERRORS = (
    NeedsReconnectionError,
    PermissionMissingError,
    PlatformRateLimitError,
    PlatformNotFoundError,
    PlatformRejectedError,
    PlatformUnavailableError,
    PlatformNotConfiguredError,
)
OPERATION_ERRORS = (*LIVE_READ_ERRORS, OutcomeUnknownError)


@route("GET", "/accounts", sdk="accounts.list", tag=ACCOUNTS_TAG, query=AccountsQuery)
async def list_accounts(params: AccountsQuery, work: UnitOfWork, accounts: AccountService) -> Page[Account]:
    """List the connected accounts, newest first. Ad accounts have a separate list."""
    return await work.read(accounts.list, work.caller, params)


@route("GET", "/accounts/health", sdk="accounts.health", tag=ACCOUNTS_TAG, query=HealthQuery)
async def accounts_health(params: HealthQuery, work: UnitOfWork, health: AccountHealthService) -> HealthReport:
    """Return the health of accounts and ad accounts: tokens, permissions, limits, and how to fix problems.

    Every account is checked once an hour, and immediately when its platform reports a problem. `refresh=true` checks
    now. If a platform does not respond, the account is `unknown`, never disconnected.
    """
    return await health.build_report(work, params)


@route("GET", "/accounts/{account_id:str}/about", sdk="accounts.about", tag=ACCOUNTS_TAG, raises=LIVE_READ_ERRORS)
async def about_account(account_id: str, work: UnitOfWork, accounts: AccountService) -> PlatformAccountProfile:
    """Read the current profile of an account or ad account from its platform."""
    return await accounts.read_platform_profile(work, account_id)


@route("GET", "/accounts/{account_id:str}", sdk="accounts.get", tag=ACCOUNTS_TAG)
async def show_account(account_id: str, work: UnitOfWork, accounts: AccountService) -> Account:
    """Return one connected account."""
    return await work.read(accounts.get, work.caller, account_id)


@route("PATCH", "/accounts/{account_id:str}", sdk="accounts.update", tag=ACCOUNTS_TAG, raises=(NotFound,))
async def move_account(account_id: str, data: AccountChanges, work: UnitOfWork, accounts: AccountService) -> Account:
    """Move an account to another profile.

    Its conversations move with it, and its events have the new profile from now on. Posts that are already scheduled
    for it stay in the profile in which they were created, and are published as planned.
    """
    return await work.write(accounts.move, work.caller, account_id, data.profile_id)


@route(
    "DELETE",
    "/accounts/{account_id:str}",
    sdk="accounts.disconnect",
    tag=ACCOUNTS_TAG,
    example=DeletionConfirmation.example_of("acc"),
)
async def disconnect_account(account_id: str, work: UnitOfWork, accounts: AccountService) -> DeletionConfirmation:
    """Disconnect an account. Its tokens are deleted, its history stays, and `account.disconnected` is sent.

    If possible, the permission is also revoked on the platform, unless other accounts need it. The event is sent for
    every account that leaves the list, including a number whose code was never scanned.
    """
    return await accounts.disconnect(work, account_id, is_ad_account=False)


@route("GET", "/adaccounts", sdk="ad_accounts.list", tag=ACCOUNTS_TAG, query=AdAccountsQuery)
async def list_ad_accounts(params: AdAccountsQuery, work: UnitOfWork, accounts: AccountService) -> Page[AdAccount]:
    """List the connected ad accounts, newest first."""
    return await work.read(accounts.list_ad_accounts, work.caller, params)


@route(
    "DELETE",
    "/adaccounts/{ad_account_id:str}",
    sdk="ad_accounts.disconnect",
    tag=ACCOUNTS_TAG,
    example=DeletionConfirmation.example_of("adacc"),
)
async def disconnect_ad_account(ad_account_id: str, work: UnitOfWork, accounts: AccountService) -> DeletionConfirmation:
    """Disconnect an ad account, like `DELETE /accounts/{accountId}`."""
    return await accounts.disconnect(work, ad_account_id, is_ad_account=True)


@route(
    "DELETE",
    "/profiles/{profile_id:str}",
    sdk="profiles.delete",
    tag=PROFILES_TAG,
    query=ProfileDeletionQuery,
    raises=(ProfileNotEmptyError, LastProfileError),
    example=DeletionConfirmation.example_of("prf"),
)
async def delete_profile(
    profile_id: str, params: ProfileDeletionQuery, work: UnitOfWork, accounts: AccountService
) -> DeletionConfirmation:
    """Delete a profile that has no accounts. With `force=true` its accounts are disconnected first.

    Its drafts and scheduled posts are cancelled and its queue slots deleted. The record of published posts stays.
    """
    return await accounts.delete_profile(work, profile_id, force=params.force)


@route(
    "GET",
    "/connect/{platform:str}",
    sdk="connect.start",
    tag=CONNECT_TAG,
    choices=_REDIRECT_PLATFORM_CHOICES,
    query=ConnectQuery,
    writes=True,
    raises=(PlatformNotConfiguredError,),
)
async def begin_connect(
    platform: str, params: ConnectQuery, work: UnitOfWork, connect: RedirectConnectService
) -> ConnectStarted:
    """Start connecting accounts of `meta`, `threads`, `tiktok`, `tiktokads` or `google`.

    Send the person's browser to `authUrl`. Afterwards it is redirected to `redirectUrl` with `connected=1`, `profileId`
    and `accountId`, or with `error`. If several accounts were connected, `accountIds` lists all of them. On `meta`,
    then choose the person's accounts with `POST /profiles/{profileId}/connect/meta`, and ad accounts with `POST
    /profiles/{profileId}/connect/meta/adaccounts`.

    Without a `redirectUrl` the person sees what was connected. On `meta`, and on `google` if there are several
    accounts, they first choose what to connect on that page.
    """
    return await connect.begin_connect(work, platform, params)


@route(
    "GET",
    "/connect/{platform:str}/start",
    sdk="connect.open",
    in_clients=False,
    tag=CONNECT_TAG,
    choices=_REDIRECT_PLATFORM_CHOICES,
    access=RouteAccess.PUBLIC,
    query=ConnectStartQuery,
    answers="text/html",
    raises=(ConnectStateInvalidError, PlatformNotConfiguredError),
    redirects=True,
    render_error=build_failure_response,
)
async def start_connect(platform: str, params: ConnectStartQuery, connect: RedirectConnectService) -> Response[str]:
    """Redirect a browser to the platform. This is the `authUrl` of an attempt with `sameBrowser=true`."""
    return build_redirect_response(await connect.build_platform_redirect(platform, params.ticket))


@route(
    "GET",
    "/connect/{platform:str}/callback",
    sdk="connect.finish",
    in_clients=False,
    tag=CONNECT_TAG,
    choices=_REDIRECT_PLATFORM_CHOICES,
    access=RouteAccess.PUBLIC,
    answers="text/html",
    raises=(ConnectStateInvalidError, BrowserMismatchError, PlatformNotConfiguredError),
    open_query=True,
    redirects=True,
    render_error=build_failure_response,
)
async def finish_connect(
    platform: str, request: Request[Any, Any, Any], connect: RedirectConnectService, choosing: AccountSelectionService
) -> Response[str]:
    """Receive the browser that comes back from a platform. Called by platforms, not by customers.

    Without a `redirectUrl` the person sees what was connected, and chooses accounts if the platform offers a choice.
    """
    outcome = await connect.handle_callback(platform, dict(request.query_params.items()), request.cookies)
    return build_outcome_response(platform, outcome, await choosing.start_selection(platform, outcome))


@route(
    "POST",
    "/connect/{platform:str}/choose",
    sdk="connect.choose",
    in_clients=False,
    tag=CONNECT_TAG,
    choices=_REDIRECT_PLATFORM_CHOICES,
    access=RouteAccess.PUBLIC,
    status=200,
    answers="text/html",
    raises=(NotFound, ConnectStateInvalidError, BodyTooLarge, *LIVE_READ_ERRORS),
    takes_json=False,
    most_bytes=_MAX_SELECTION_BODY_BYTES,
    render_error=build_failure_response,
)
async def choose_accounts(
    platform: str, request: Request[Any, Any, Any], choosing: AccountSelectionService
) -> Response[str]:
    """Connect what a person selected on our own page.

    Programs use `POST /profiles/{profileId}/connect/meta`, or a `redirectUrl` on `google`.
    """
    form = parse_qs((await request.body()).decode("ascii", "replace"))
    ticket, ids = form.get("ticket", [""])[0], form.get("id", [])
    return build_outcome_response(
        platform, *await choosing.connect_selected(platform, ticket, ids, select_all="all" in form)
    )


@route(
    "GET",
    "/profiles/{profile_id:str}/connect/meta/available",
    sdk="connect.available",
    tag=CONNECT_TAG,
    raises=(SignInRequiredError, *LIVE_READ_ERRORS),
)
async def available_meta_accounts(
    profile_id: str, work: UnitOfWork, connect: RedirectConnectService
) -> ConnectableAccounts:
    """List the Pages and Instagram accounts that the person who signed in last can connect."""
    return await connect.list_connectable_accounts(work, profile_id, Platform.META, ads=False)


@route(
    "POST",
    "/profiles/{profile_id:str}/connect/meta",
    sdk="connect.attach",
    tag=CONNECT_TAG,
    raises=(SignInRequiredError, ConnectedElsewhereError, *LIVE_READ_ERRORS),
    meters=_METERED_METRICS,
)
async def connect_meta_accounts(
    profile_id: str,
    data: AccountSelectionBody,
    work: UnitOfWork,
    connect: RedirectConnectService,
    accounts: AccountService,
) -> ConnectedAccounts:
    """Connect some of the available Pages and Instagram accounts: all of them, or none if one fails."""
    return await connect.connect_selected(
        work,
        profile_id,
        Platform.META,
        data.ids,
        ads=False,
        build_view=lambda rows: ConnectedAccounts(data=[accounts.build_view(row) for row in rows]),
    )


@route(
    "GET",
    "/profiles/{profile_id:str}/connect/meta/adaccounts/available",
    sdk="connect.available_ad_accounts",
    tag=CONNECT_TAG,
    raises=(SignInRequiredError, *LIVE_READ_ERRORS),
    example=ConnectableAccounts.example_of_ads(),
)
async def available_meta_ad_accounts(
    profile_id: str, work: UnitOfWork, connect: RedirectConnectService
) -> ConnectableAccounts:
    """List the ad accounts that the person who signed in last can connect."""
    return await connect.list_connectable_accounts(work, profile_id, Platform.META, ads=True)


@route(
    "POST",
    "/profiles/{profile_id:str}/connect/meta/adaccounts",
    sdk="connect.attach_ad_accounts",
    tag=CONNECT_TAG,
    raises=(SignInRequiredError, ConnectedElsewhereError, *LIVE_READ_ERRORS),
    meters=_METERED_METRICS,
)
async def connect_meta_ad_accounts(
    profile_id: str, data: AdAccountChoice, work: UnitOfWork, connect: RedirectConnectService, accounts: AccountService
) -> ConnectedAdAccounts:
    """Connect some of the available ad accounts: all of them, or none if one fails."""
    return await connect.connect_selected(
        work,
        profile_id,
        Platform.META,
        data.ids,
        ads=True,
        build_view=lambda rows: ConnectedAdAccounts(data=[accounts.build_ad_account_view(row) for row in rows]),
    )


def _build_connect_route(form: SignInForm) -> HTTPRouteHandler:
    """Declare the route that connects accounts with a form."""
    is_pairing = form.method is ConnectMethod.QR

    async def connect(data: ConnectBody, work: UnitOfWork, connecting: CredentialConnectService) -> Account:
        run = connecting.start_pairing if is_pairing else connecting.connect_with_credential
        return await run(work, form.platform, data.profile_id, data.form_values)

    connect.__name__ = f"connect_{form.platform.replace('-', '_')}"
    connect.__doc__ = form.documentation
    connect.__annotations__["data"] = form.body
    declare = route(
        "POST",
        form.path,
        sdk=f"connect.{form.platform.replace('-', '_')}",
        tag=CONNECT_TAG,
        raises=(
            CredentialInputError,
            ConnectedElsewhereError,
            *((AlreadyPairedError,) if is_pairing else ()),
            *OPERATION_ERRORS,
        ),
        meters=_METERED_METRICS,
        example=Account.example() | {"platform": form.platform.value, "kind": form.kind.value, **form.account},
    )
    return declare(connect)


@route(
    "GET",
    "/accounts/{account_id:str}/wasender/qr",
    sdk="connect.wasender_qr",
    tag=CONNECT_TAG,
    raises=(PairingEndedError, *LIVE_READ_ERRORS),
)
async def wasender_qr(account_id: str, work: UnitOfWork, connecting: CredentialConnectService) -> PairingQrCode:
    """Return a new code to scan, as text, PNG and SVG, or report that the phone is paired."""
    return await connecting.get_qr_code(work, account_id)


routes = [
    list_accounts,
    accounts_health,
    about_account,
    show_account,
    move_account,
    disconnect_account,
    list_ad_accounts,
    disconnect_ad_account,
    delete_profile,
    begin_connect,
    start_connect,
    finish_connect,
    choose_accounts,
    available_meta_accounts,
    connect_meta_accounts,
    available_meta_ad_accounts,
    connect_meta_ad_accounts,
    *(_build_connect_route(form) for form in CONNECT_FORMS_BY_PLATFORM.values() if form.method is ConnectMethod.QR),
    wasender_qr,
    *(
        _build_connect_route(form)
        for form in CONNECT_FORMS_BY_PLATFORM.values()
        if form.method is ConnectMethod.CREDENTIAL
    ),
]
