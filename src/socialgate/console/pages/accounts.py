"""Accounts: the list with health and limits, and one account with what it can do and how to fix it."""

from collections.abc import Sequence
from typing import Any, Literal

from socialgate.areas.accounts.health import AccountHealthService
from socialgate.areas.accounts.schemas import (
    Account,
    AccountChanges,
    AccountHealth,
    AccountsQuery,
    AdAccount,
    AdAccountsQuery,
    HealthQuery,
    HealthSummary,
    ListedAccountStatus,
)
from socialgate.areas.accounts.service import AccountService
from socialgate.console.formatting import count, list_uses
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.visit import ListPageQuery, PageQuery, Visit
from socialgate.contracts.account_connection import LimitUse
from socialgate.contracts.platforms import AD_KINDS, Platform
from socialgate.core.errors import ServiceError

ACCOUNTS_PATH = "/console/accounts"
_ACCOUNTS_PER_PAGE = 50
_HOUR_SECONDS = 3600


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
    summary = (await health.build_report(visit.work, HealthQuery(limit=1, profile_id=params.profile))).summary
    states = await visit.work.read(health.describe, visit.caller, [account.id for account in listed])
    return {
        "accounts": listed,
        "next_cursor": next_cursor,
        "health": states,
        "limits": {account_id: choose_limits(state) for account_id, state in states.items()},
        "summary": summary,
        "counts": _list_counts(summary),
        "platform_names": [(platform.value, name) for platform, name in visit.platform_names.items()],
    }


def choose_limits(state: AccountHealth) -> Sequence[LimitUse]:
    """Return what a line has room for: one limit of each name, the one of which most is used, or else the longest.

    Those of less than an hour only slow things down for a moment.
    """
    chosen: dict[str, LimitUse] = {}
    for limit in sorted(state.limits, key=lambda limit: (_get_share(limit), limit.window_seconds or 0)):
        if limit.used is not None and limit.limit and (limit.window_seconds or _HOUR_SECONDS) >= _HOUR_SECONDS:
            chosen[limit.name] = limit
    return [limit for limit in state.limits if chosen.get(limit.name) is limit]


def _get_share(limit: LimitUse) -> float:
    return (limit.used or 0) / limit.limit if limit.limit else 0.0


def _list_counts(summary: HealthSummary) -> Sequence[tuple[int, str, str]]:
    """List how many accounts are in each state, with its word and tone. Together they are all accounts."""
    counts = [
        (summary.healthy, "healthy", ""),
        (summary.needs_reconnection, "to reconnect", "bad"),
        (summary.error - summary.needs_reconnection, "broken", "bad"),
        (summary.warning, "limited", ""),
        (summary.connecting, "connecting", ""),
        (summary.expired, "expired", ""),
        (summary.unknown - summary.connecting - summary.expired, "not checked yet", ""),
    ]
    return [(number, word, tone) for number, word, tone in counts if number or word == "healthy"]


@accounts_page.form("check")
async def check_accounts(visit: Visit, params: AccountsPageQuery, health: AccountHealthService) -> Outcome:
    query = HealthQuery(limit=_ACCOUNTS_PER_PAGE, profile_id=params.profile, refresh=True)
    report = await health.build_report(visit.work, query)
    return Done(f"Checked {count(len(report.data), 'account')}.")


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
        "uses": list_uses(account.capabilities),
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
