"""The accounts that a page can be about: those of the chosen profile that can do something."""

from collections.abc import Sequence
from typing import Any, get_args

from socialgate.areas.accounts.schemas import Account, AccountsQuery
from socialgate.areas.accounts.service import AccountService
from socialgate.console.visit import Visit
from socialgate.contracts.platforms import AccountKind, Capability
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.web.pagination import MAX_PAGE_LIMIT


async def list_able_accounts(visit: Visit, accounts: AccountService, capability: Capability[Any]) -> Sequence[Account]:
    """List as many accounts of each kind as the API lists at once.

    Of an owner with thousands of accounts, the newest of all kinds together are often of a single one.
    """
    kinds = [kind for kind in get_args(AccountKind) if visit.supports(kind, capability)]
    return await visit.work.read(_list, visit.caller, accounts, kinds, visit.query.profile)


async def _list(
    tx: Tx, caller: Caller, accounts: AccountService, kinds: Sequence[AccountKind], profile_id: str | None
) -> Sequence[Account]:
    queries = [AccountsQuery(limit=MAX_PAGE_LIMIT, profile_id=profile_id, kind=kind) for kind in kinds]
    return [account for query in queries for account in (await accounts.list(tx, caller, query)).data]
