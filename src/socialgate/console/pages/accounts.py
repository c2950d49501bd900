"""Accounts: the list with health and limits, and one account with what it can do and how to fix it."""

from typing import Any, Literal

from socialgate.areas.accounts.health import AccountHealthService
from socialgate.areas.accounts.schemas import (
    Account,
    AccountChanges,
    AccountsQuery,
    AdAccount,
    AdAccountsQuery,
    HealthQuery,
    ListedAccountStatus,
)
from socialgate.areas.accounts.service import AccountService
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.visit import ListPageQuery, PageQuery, Visit
from socialgate.contracts.platforms import AD_KINDS, Platform
from socialgate.core.errors import ServiceError

ACCOUNTS_PATH = "/console/accounts"
_ACCOUNTS_PER_PAGE = 50


class AccountsPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Which accounts to show."""

    show: Literal["accounts", "ads"] = "accounts"
    platform: Platform | None = None
    status: ListedAccountStatus | None = None


class AccountPageQuery(PageQuery, frozen=True, kw_only=True):
    """Whether to read the current profile of the account from its platform."""

    about: bool = False


@console_page(
    ACCOUNTS_PATH,
    "accounts.html",
    query=AccountsPageQuery,
    entry=Entry(label="Accounts", icon="plug", group=Group.CONNECTIONS, key="a"),
)
async def accounts_page(
    visit: Visit, params: AccountsPageQuery, accounts: AccountService, health: AccountHealthService
) -> Values:
    filters: dict[str, Any] = {
        "limit": _ACCOUNTS_PER_PAGE,
        "cursor": params.cursor,
        "profile_id": params.profile,
        "platform": params.platform,
        "status": params.status,
    }
    listed: list[Account] | list[AdAccount]
    if params.show == "ads":
        ads = await visit.work.read(accounts.list_ad_accounts, visit.caller, AdAccountsQuery(**filters))
        listed, next_cursor = ads.data, ads.next_cursor
    else:
        page = await visit.work.read(accounts.list, visit.caller, AccountsQuery(**filters))
        listed, next_cursor = page.data, page.next_cursor
    summary = await health.build_report(visit.work, HealthQuery(limit=1, profile_id=params.profile))
    return {
        "accounts": listed,
        "next_cursor": next_cursor,
        "health": await visit.work.read(health.describe, visit.caller, [account.id for account in listed]),
        "summary": summary.summary,
        "platform_names": [(platform.value, name) for platform, name in visit.platform_names.items()],
    }


@accounts_page.form("check")
async def check_accounts(visit: Visit, params: AccountsPageQuery, health: AccountHealthService) -> Outcome:
    query = HealthQuery(limit=_ACCOUNTS_PER_PAGE, profile_id=params.profile, refresh=True)
    report = await health.build_report(visit.work, query)
    return Done(f"{len(report.data):,} accounts were checked.")


@console_page(ACCOUNTS_PATH + "/{account_id:str}", "account.html", query=AccountPageQuery)
async def account_page(
    visit: Visit,
    account_id: str,
    params: AccountPageQuery,
    accounts: AccountService,
    health: AccountHealthService,
) -> Values:
    account = await visit.work.read(accounts.get_any, visit.caller, account_id)
    stored = await visit.work.read(health.describe, visit.caller, [account_id])
    about, failure = None, None
    if params.about:
        try:
            about = await accounts.read_platform_profile(visit.work, account_id)
        except ServiceError as error:
            failure = error.detail
    return {
        "account": account,
        "is_ad_account": account.kind in AD_KINDS,
        "health": stored[account_id],
        "about": about,
        "about_failure": failure,
    }


@account_page.form("move", AccountChanges)
async def move_account(visit: Visit, account_id: str, data: AccountChanges, accounts: AccountService) -> Outcome:
    moved = await visit.work.write(accounts.move, visit.caller, account_id, data.profile_id)
    return Done(f"{moved.name} was moved to {visit.profile_name(moved.profile_id)}.")


@account_page.form("disconnect")
async def disconnect_account(visit: Visit, account_id: str, accounts: AccountService) -> Outcome:
    account = await visit.work.read(accounts.get_any, visit.caller, account_id)
    await accounts.disconnect(visit.work, account_id, is_ad_account=account.kind in AD_KINDS)
    return Done(f"{account.name} was disconnected.", to=visit.link(ACCOUNTS_PATH))
