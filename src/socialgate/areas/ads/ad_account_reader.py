"""Finding ad accounts, and reading what they contain on the platform."""

from collections.abc import Awaitable, Callable, Hashable
from typing import TypeVar

import msgspec

from socialgate.areas.accounts.live_reads import ListRead, LiveRead, LiveReads
from socialgate.areas.accounts.service import AccountService
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_objects import AdItem
from socialgate.contracts.ads import AdObjectReader, AdPage, AdQuery
from socialgate.contracts.platforms import Capability
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import unwrap_platform_cursor, wrap_platform_cursor
from socialgate.web.schemas import Page

_FILTER_FIELDS = ("campaign_id", "adset_id", "pixel_id", "statuses", "name")
P = TypeVar("P")
I = TypeVar("I", bound=AdItem)  # noqa: E741 - an item of some type
T = TypeVar("T")
V = TypeVar("V")


class AdAccountReader:
    """Finds ad accounts, and lists their objects."""

    def __init__(self, reads: LiveReads, of_accounts: AccountService) -> None:
        self.reads = reads
        self._accounts = of_accounts

    async def find_account(self, work: UnitOfWork, account_id: str) -> AccountRow:
        return await work.read(self._accounts.find, work.caller, account_id, is_ad_account=True)

    async def read_live(
        self,
        account: AccountRow,
        name: str,
        capability: Capability[P],
        lacks: str,
        call: Callable[[P, AccountCredentials], Awaitable[T]],
        *params: Hashable,
        keep: float = 0,
    ) -> T:
        read = LiveRead(
            name=f"ads {name}",
            params=params,
            capability=capability,
            unsupported_phrase=lacks,
            call=call,
            cache_seconds=keep,
        )
        return (await self.reads.read(account, read)).value

    async def list_page(
        self,
        account: AccountRow,
        name: str,
        capability: Capability[P],
        lacks: str,
        pick: Callable[[P], AdObjectReader[I]],
        query: AdQuery,
        show: Callable[[AccountRow, I], V],
    ) -> Page[V]:
        """List objects of one type, one page."""
        values = (f"ads {name}", account.id, *(str(getattr(query, value)) for value in _FILTER_FIELDS))
        query = msgspec.structs.replace(query, cursor=unwrap_platform_cursor(query.cursor, *values))
        read: ListRead[P, AdPage[I]] = ListRead(
            name=f"ads {name}",
            params=msgspec.structs.astuple(query),
            limit=query.limit,
            capability=capability,
            lacks=lacks,
            call=lambda part, credentials, rows: pick(part).list(
                credentials, msgspec.structs.replace(query, limit=rows)
            ),
        )
        ad_page = (await self.reads.list(account, read)).value
        return Page(
            data=[show(account, item) for item in ad_page.items],
            next_cursor=wrap_platform_cursor(ad_page.cursor, *values),
        )


def get_currency(account: AccountRow) -> str | None:
    result = account.details.get("currency")
    return None if not result else str(result)
