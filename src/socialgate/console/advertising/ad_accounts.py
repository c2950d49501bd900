"""The ad accounts that a page is about, and the accounts that ads can come from."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from socialgate.areas.accounts.schemas import Account, AccountsQuery, AdAccount, AdAccountsQuery
from socialgate.areas.accounts.service import AccountService
from socialgate.console.visit import Visit
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.platforms import AccountKind
from socialgate.core.errors import NotFound
from socialgate.web.pagination import MAX_PAGE_LIMIT

A = TypeVar("A", Account, AdAccount)


async def list_ad_accounts(visit: Visit, accounts: AccountService, capability: str) -> Sequence[AdAccount]:
    """List the ad accounts of the chosen profile that can do something."""
    query = AdAccountsQuery(limit=MAX_PAGE_LIMIT, profile_id=visit.query.profile)
    listed = (await visit.work.read(accounts.list_ad_accounts, visit.caller, query)).data
    return [account for account in listed if capability in account.capabilities]


def choose_account(accounts: Sequence[A], account_id: str | None) -> A | None:
    """Return the account in the address, or else the first one. An unknown id is not found, rather than ignored."""
    if account_id is None:
        return accounts[0] if accounts else None
    chosen = next((account for account in accounts if account.id == account_id), None)
    if chosen is None:
        raise NotFound("There is no ad account with this id here. Choose one of the list.")
    return chosen


async def list_publishers(
    visit: Visit, accounts: AccountService, catalogue: ConnectorRegistry, ad_accounts: Sequence[AdAccount]
) -> Sequence[Account]:
    """List the accounts that ads of these ad accounts can come from."""
    able = {
        kind
        for ad_account in ad_accounts
        for kind in catalogue.manifests[ad_account.platform].get_kind_manifest(ad_account.kind).publishers
    }
    # One list of all kinds would end with the newest accounts, which may all be of others.
    queries = [
        AccountsQuery(
            limit=MAX_PAGE_LIMIT, profile_id=visit.query.profile, kind=msgspec.convert(kind.value, AccountKind)
        )
        for kind in sorted(able)
    ]
    return [
        account for query in queries for account in (await visit.work.read(accounts.list, visit.caller, query)).data
    ]
