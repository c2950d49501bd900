"""What the platform of an ad account requires of an ad set, read from the platform itself."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads.ad_account_reader import AdAccountReader
from socialgate.areas.ads.object_operations import NO_ADS_PHRASE
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_values import AdBudget, AdTargeting
from socialgate.contracts.ads import ADVERTISING_CAPABILITY, MinBudgets
from socialgate.core.errors import Fault

# The minimum budgets of an account rarely change.
_LIMITS_CACHE_SECONDS = 60.0


class AdPlatformRules:
    def __init__(self, reader: AdAccountReader, session: AccountSession) -> None:
        self._reader = reader
        self._session = session

    async def read_budget_limits(
        self, account: AccountRow, level: Literal["campaign", "adset"], budget: AdBudget | None
    ) -> MinBudgets | None:
        """Read the smallest budgets that the platform accepts, if there is a budget to compare."""
        if budget is None:
            return None
        result: MinBudgets = await self._reader.read_live(
            account,
            "limits",
            ADVERTISING_CAPABILITY,
            NO_ADS_PHRASE,
            lambda part, credentials: part.account_adapter.get_min_budgets(credentials, level),
            level,
            keep=_LIMITS_CACHE_SECONDS,
        )
        return result

    async def validate_targeting(
        self, account: AccountRow, targeting: AdTargeting, options: Mapping[str, Any]
    ) -> Sequence[Fault]:
        """Report what the platform requires for such a targeting."""
        rules = self._session.get_adapter(account, ADVERTISING_CAPABILITY, NO_ADS_PHRASE).account_adapter
        return await self._session.call_for_account(
            account, lambda credentials: rules.validate_adset(credentials, targeting, options)
        )
