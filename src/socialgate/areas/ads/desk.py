"""Finding ad accounts, and reading what they contain on the platform."""

from collections.abc import Awaitable, Callable, Hashable
from typing import TypeVar

import msgspec

from socialgate.areas.accounts.reading import ListRead, LiveReads, Read
from socialgate.areas.accounts.service import Accounts
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_objects import AdItem
from socialgate.contracts.ads import AdPage, AdQuery, Readable
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.platforms import Capability
from socialgate.core.work import Work
from socialgate.web.paging import opaque, plain
from socialgate.web.schema import Page

_FILTERS = ("campaign_id", "adset_id", "pixel_id", "statuses", "name")
P = TypeVar("P")
I = TypeVar("I", bound=AdItem)  # noqa: E741 - an item of some type
T = TypeVar("T")
V = TypeVar("V")


class AdDesk:
    """Finds ad accounts, and lists their objects."""

    def __init__(self, reads: LiveReads, of_accounts: Accounts) -> None:
        self.reads = reads
        self._accounts = of_accounts

    async def account(self, work: Work, account_id: str) -> AccountRow:
        return await work.read(self._accounts.find, work.caller, account_id, ads=True)

    async def read(
        self,
        account: AccountRow,
        name: str,
        capability: Capability[P],
        lacks: str,
        call: Callable[[P, AccountCredentials], Awaitable[T]],
        *params: Hashable,
        keep: float = 0,
    ) -> T:
        read = Read(name=f"ads {name}", params=params, capability=capability, lacks=lacks, call=call, keep=keep)
        return (await self.reads.read(account, read)).value

    async def page(
        self,
        account: AccountRow,
        name: str,
        capability: Capability[P],
        lacks: str,
        pick: Callable[[P], Readable[I]],
        asked: AdQuery,
        show: Callable[[AccountRow, I], V],
    ) -> Page[V]:
        """List objects of one type, one page."""
        of = (f"ads {name}", account.id, *(str(getattr(asked, one)) for one in _FILTERS))
        asked = msgspec.structs.replace(asked, cursor=plain(asked.cursor, *of))
        read: ListRead[P, AdPage[I]] = ListRead(
            name=f"ads {name}",
            params=msgspec.structs.astuple(asked),
            limit=asked.limit,
            capability=capability,
            lacks=lacks,
            call=lambda part, held, rows: pick(part).list(held, msgspec.structs.replace(asked, limit=rows)),
        )
        found = (await self.reads.list(account, read)).value
        return Page(data=[show(account, item) for item in found.items], next_cursor=opaque(found.cursor, *of))


def currency_of(account: AccountRow) -> str | None:
    found = account.details.get("currency")
    return None if not found else str(found)
