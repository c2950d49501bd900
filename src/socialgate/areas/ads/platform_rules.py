"""What the platform of an ad account requires of an ad set, read from the platform itself."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads.changes import LACKS
from socialgate.areas.ads.desk import AdDesk
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_values import AdBudget, AdTargeting
from socialgate.contracts.ads import ADS, BudgetLimits
from socialgate.core.errors import Fault

# The minimum budgets of an account rarely change.
_LIMITS_CACHE_SECONDS = 60.0


class PlatformRules:
    def __init__(self, reader: AdDesk, session: AccountSession) -> None:
        self._reader = reader
        self._session = session

    async def read_budget_limits(
        self, account: AccountRow, level: Literal["campaign", "adset"], budget: AdBudget | None
    ) -> BudgetLimits | None:
        """Read the smallest budgets that the platform accepts, if there is a budget to compare."""
        if budget is None:
            return None
        found: BudgetLimits = await self._reader.read(
            account,
            "limits",
            ADS,
            LACKS,
            lambda part, held: part.account.limits(held, level),
            level,
            keep=_LIMITS_CACHE_SECONDS,
        )
        return found

    async def validate_targeting(
        self, account: AccountRow, targeting: AdTargeting, options: Mapping[str, Any]
    ) -> Sequence[Fault]:
        """Report what the platform requires for such a targeting."""
        rules = self._session.part(account, ADS, LACKS).account
        return await self._session.call_as(account, lambda held: rules.adset_faults(held, targeting, options))
