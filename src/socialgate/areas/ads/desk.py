"""What all services of this area share: finding ad accounts, listing their objects, and rejecting what is wrong."""

import secrets
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Any, Literal, TypeVar

import msgspec

from socialgate.areas.accounts.reading import ListRead, LiveReads, Read
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads.changes import LACKS
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_objects import AdItem
from socialgate.contracts.ad_values import AdBudget, AdTargeting
from socialgate.contracts.ads import ADS, AdPage, AdQuery, BudgetLimits, Readable
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.platforms import Capability
from socialgate.core.errors import Fault
from socialgate.core.work import Work
from socialgate.web.paging import opaque, plain
from socialgate.web.schema import Page

# The minimum budgets of an account rarely change.
_KEPT_SECONDS = 60.0
_REFERENCE_BITS = 63
_FILTERS = ("campaign_id", "adset_id", "pixel_id", "statuses", "name")
P = TypeVar("P")
I = TypeVar("I", bound=AdItem)  # noqa: E741 - an item of some type
T = TypeVar("T")
V = TypeVar("V")


class AdDesk:
    """Finds ad accounts, and lists their objects."""

    def __init__(self, reads: LiveReads, session: AccountSession, of_accounts: Accounts) -> None:
        self.reads = reads
        self.session = session
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

    def new(self, work: Work, name: str) -> dict[str, Any]:
        """Return what everything that is created has: when, and a number that identifies the request."""
        return {"name": name, "asked_at": work.db.clock.now(), "reference": str(secrets.randbits(_REFERENCE_BITS))}

    async def limits(
        self, account: AccountRow, level: Literal["campaign", "adset"], budget: AdBudget | None
    ) -> BudgetLimits | None:
        """Read the smallest budgets that the platform accepts, if there is a budget to compare."""
        if budget is None:
            return None
        return await self.read(
            account,
            "limits",
            ADS,
            LACKS,
            lambda part, held: part.account.limits(held, level),
            level,
            keep=_KEPT_SECONDS,
        )

    async def adset_faults(
        self, account: AccountRow, targeting: AdTargeting, options: Mapping[str, Any]
    ) -> Sequence[Fault]:
        """Report what the platform requires for such a targeting."""
        rules = self.session.part(account, ADS, LACKS).account
        return await self.session.call_as(account, lambda held: rules.adset_faults(held, targeting, options))


def currency_of(account: AccountRow) -> str | None:
    found = account.details.get("currency")
    return None if not found else str(found)
