"""Connecting accounts: choosing a platform, signing in there, choosing what to connect, a form, or a code to scan."""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta, field

from socialgate.areas.accounts.capability_matrix import CapabilityMatrix
from socialgate.areas.accounts.connect_schemas import (
    ConnectableAccount,
    ConnectedAccounts,
    ConnectedAdAccounts,
    ConnectQuery,
)
from socialgate.areas.accounts.credential_connect import CredentialConnectService
from socialgate.areas.accounts.redirect_connect import RedirectConnectService
from socialgate.areas.accounts.schemas import Account, AdAccount
from socialgate.areas.accounts.service import AccountService
from socialgate.console.forms import read_form
from socialgate.console.page import Done, Leaving, Outcome, Values, console_page
from socialgate.console.pages.accounts import ACCOUNTS_PATH
from socialgate.console.rendering import AnyRequest, build_redirect
from socialgate.console.sign_in_fields import find_sign_in_form, list_form_fields
from socialgate.console.visit import PageQuery, Visit, build_address
from socialgate.contracts.platforms import AccountChoice, ConnectMethod, Kind, Platform
from socialgate.core.errors import InvalidRequest, NotFound, ServiceError
from socialgate.core.settings import Settings
from socialgate.web.schemas import RequestBody

CONNECT_PATH = f"{ACCOUNTS_PATH}/connect"
CONNECTED_PATH = f"{ACCOUNTS_PATH}/connected"
# A code is valid for about 20 seconds. The page looks whether it was scanned, and gets a new one when it is due.
_PAIRING_RELOAD_SECONDS = 4
_MAX_ACCOUNTS_SHOWN = 100

# Why a sign-in connected nothing. The text of the address is not shown: anybody could have written the link.
_FAILURES = {
    "oauth_denied": "The permission was not given, so nothing was connected.",
    "no_accounts_found": (
        "The person who signed in has no account that can be connected, or did not grant the required permissions."
    ),
    "connected_elsewhere": "This account is already connected by somebody else. They have to disconnect it first.",
    "plan_limit_reached": "Your plan allows no more accounts. Disconnect one, or choose a larger plan under Usage.",
}
_UNKNOWN_FAILURE = "The platform did not let us in. Nothing was connected; try again."


class ConnectForm(RequestBody, frozen=True, kw_only=True):
    """The kind of account to connect by signing in, the profile that gets it, and the account to connect again."""

    kind: Kind
    profile_id: Annotated[str, Meta(max_length=40)]
    account_id: Annotated[str, Meta(max_length=40)] | None = None


class CodeQuery(PageQuery, frozen=True, kw_only=True):
    """How often the page was loaded to see whether the code was scanned."""

    looked: Annotated[int, Meta(ge=0)] = 0


class ConnectedQuery(PageQuery, frozen=True, kw_only=True):
    """What the sign-in returns: the profile with the accounts that were connected, or the code of the error.

    `again` is the account that the sign-in is to connect again.
    """

    platform: Platform | None = None
    kind: Kind | None = None
    again: Annotated[str, Meta(max_length=40)] | None = None
    connected: str | None = None
    profile_id: Annotated[str, Meta(max_length=40)] | None = None
    account_id: str | None = None
    account_ids: str | None = None
    error: str | None = None


class SelectionForm(RequestBody, frozen=True, kw_only=True):
    """The accounts and ad accounts that a person chose, by the platform's own ids."""

    ids: list[str] = field(default_factory=list)
    ad_ids: list[str] = field(default_factory=list)


@console_page(CONNECT_PATH, "connect.html")
async def connect_page(visit: Visit, params: PageQuery, matrix: CapabilityMatrix) -> Values:
    del visit, params  # the template has both
    return {"kinds": matrix.build().data, "redirect": ConnectMethod.REDIRECT}


@connect_page.form("begin", ConnectForm, path="")
async def begin_connect(
    visit: Visit, data: ConnectForm, matrix: CapabilityMatrix, connect: RedirectConnectService, settings: Settings
) -> Outcome:
    shown = matrix.show_kind(data.kind)
    back = build_address(
        f"{settings.public_url}{CONNECTED_PATH}",
        {"platform": shown.platform, "kind": data.kind, "profile": data.profile_id, "again": data.account_id},
    )
    query = ConnectQuery(
        profile_id=data.profile_id,
        redirect_url=back,
        kind=connect.list_sign_in_kinds(shown.platform, data.kind),
        same_browser=True,
    )
    started = await connect.begin_connect(visit.work, shown.platform, query)
    return Leaving(started.auth_url, shown.name)


@console_page(CONNECT_PATH + "/{kind:str}", "connect_form.html")
async def connect_form_page(visit: Visit, kind: str, params: PageQuery, matrix: CapabilityMatrix) -> Values:
    del visit, params  # the template has both
    form = find_sign_in_form(kind)
    return {
        "kind": matrix.show_kind(kind),
        "fields": list_form_fields(form),
        "is_pairing": form.method is ConnectMethod.QR,
    }


@connect_form_page.form("connect", None, path="")
async def connect_with_form(
    visit: Visit, kind: str, request: AnyRequest, connecting: CredentialConnectService
) -> Outcome:
    form = find_sign_in_form(kind)
    filled = await read_form(request)
    visit.keep_form("connect", filled)
    body = filled.decode_as(form.body)
    if form.method is ConnectMethod.QR:
        account = await connecting.start_pairing(visit.work, form.platform, body.profile_id, body.form_values)
        # The page says what to do. A message above it would go when the page looks for the scan, and move the rest.
        return build_redirect(visit.link(f"{ACCOUNTS_PATH}/{account.id}/code"))
    account = await connecting.connect_with_credential(visit.work, form.platform, body.profile_id, body.form_values)
    return Done(f"{account.name} was connected.", to=visit.link(f"{ACCOUNTS_PATH}/{account.id}"))


@console_page(ACCOUNTS_PATH + "/{account_id:str}/code", "connect_code.html", query=CodeQuery)
async def code_page(
    visit: Visit, account_id: str, params: CodeQuery, accounts: AccountService, connecting: CredentialConnectService
) -> Values:
    account = await visit.work.read(accounts.get, visit.caller, account_id)
    try:
        code = await connecting.get_qr_code(visit.work, account_id)
    except NotFound:
        raise
    except ServiceError as failure:
        return {"account": account, "code": None, "failure": failure.detail}
    if code.image is not None:
        visit.headers["Refresh"] = f"{_PAIRING_RELOAD_SECONDS}; url={visit.here(looked=params.looked + 1)}"
    return {"account": account, "code": code, "failure": None}


@console_page(CONNECTED_PATH, "connected.html", query=ConnectedQuery)
async def connected_page(
    visit: Visit, params: ConnectedQuery, connect: RedirectConnectService, accounts: AccountService
) -> Values:
    if params.platform is None or params.profile_id is None:
        raise NotFound("There is nothing to choose here.")
    manifest = connect.get_manifest(params.platform)
    values: dict[str, Any] = {"name": manifest.name, "failure": None, "available": [], "ads": [], "accounts": []}
    if params.error is not None:
        return {**values, "failure": _FAILURES.get(params.error, _UNKNOWN_FAILURE)}
    ids = (params.account_ids or params.account_id or "").split(",")[:_MAX_ACCOUNTS_SHOWN]
    values["accounts"] = await _list_accounts(visit, accounts, ids)
    if manifest.choice is AccountChoice.ALWAYS:
        values["available"] = await _list_available(visit, connect, params, ads=False)
        values["ads"] = await _list_available(visit, connect, params, ads=True)
    return values


@connected_page.form("choose", SelectionForm)
async def choose_accounts(
    visit: Visit,
    params: ConnectedQuery,
    data: SelectionForm,
    connect: RedirectConnectService,
    accounts: AccountService,
) -> Outcome:
    if params.platform is None or params.profile_id is None:
        raise NotFound("There is nothing to choose here.")
    if not data.ids and not data.ad_ids:
        raise InvalidRequest.for_field("/ids", "required", "Choose at least one account.")
    names: list[str] = []
    if data.ids:
        connected = await connect.connect_selected(
            visit.work,
            params.profile_id,
            params.platform,
            data.ids,
            ads=False,
            build_view=lambda rows: ConnectedAccounts(data=[accounts.build_view(row) for row in rows]),
        )
        names += [account.name for account in connected.data]
    if data.ad_ids:
        connected_ads = await connect.connect_selected(
            visit.work,
            params.profile_id,
            params.platform,
            data.ad_ids,
            ads=True,
            build_view=lambda rows: ConnectedAdAccounts(data=[accounts.build_ad_account_view(row) for row in rows]),
        )
        names += [account.name for account in connected_ads.data]
    shown = {"profile": visit.query.profile, "show": None if data.ids else "ads"}
    return Done(f"Connected: {', '.join(names)}.", to=build_address(ACCOUNTS_PATH, shown))


async def _list_available(
    visit: Visit, connect: RedirectConnectService, params: ConnectedQuery, *, ads: bool
) -> Sequence[ConnectableAccount]:
    """List what can be chosen; nothing if the person did not grant what is needed to list it."""
    assert params.platform is not None
    assert params.profile_id is not None
    try:
        available = await connect.list_connectable_accounts(visit.work, params.profile_id, params.platform, ads=ads)
    except ServiceError:
        return []
    return available.data


async def _list_accounts(visit: Visit, accounts: AccountService, ids: Sequence[str]) -> list[Account | AdAccount]:
    """Find the accounts that the address names, as far as they exist: anybody could have written it."""
    shown = []
    for account_id in filter(None, ids):
        try:
            shown.append(await visit.work.read(accounts.get_any, visit.caller, account_id))
        except ServiceError:
            continue
    return shown
