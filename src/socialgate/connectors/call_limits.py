"""When a vendor may be called: not during a pause that it asked for, and not beyond its quotas.

Both hold across all nodes.
"""

import asyncio
from collections.abc import Mapping, Sequence
from math import ceil
from types import MappingProxyType

from socialgate.contracts.failures import PlatformRateLimitError
from socialgate.contracts.platforms import PlatformManifest, Quota
from socialgate.core.pauses import PlatformPauses
from socialgate.core.quotas import QuotaExceededError, Quotas, SpentUnits

_MAX_QUOTA_ATTEMPTS = 4
_NO_QUOTAS: Mapping[str, Sequence[Quota]] = MappingProxyType({})


class CallLimits:
    def __init__(
        self,
        platform: str,
        pauses: PlatformPauses,
        quotas: Quotas | None,
        *,
        name: str | None = None,
        quotas_by_name: Mapping[str, Sequence[Quota]] = _NO_QUOTAS,
    ) -> None:
        """Take the quota counter (None if there is none), the display name of the vendor, and its declared quotas."""
        self._platform = platform
        self._pauses = pauses
        self._quotas = quotas
        self._name = name or str(platform)
        self._quotas_by_name = quotas_by_name

    def with_manifest_quotas(self, manifest: PlatformManifest) -> "CallLimits":
        """Return the same limits with the quotas of a platform."""
        declared = dict.fromkeys(quota for kind in manifest.kinds for quota in kind.limits.quotas)
        by_name = {
            current_quota.name: [quota for quota in declared if quota.name == current_quota.name]
            for current_quota in declared
        }
        return CallLimits(self._platform, self._pauses, self._quotas, name=manifest.name, quotas_by_name=by_name)

    async def require_not_paused(self, *budgets: str) -> None:
        """Reject a call whose account or app has to wait, whichever node learned of that."""
        wait = await self._pauses.get_remaining_seconds(*(f"{self._platform}:{budget}" for budget in budgets))
        if wait:
            raise PlatformRateLimitError(
                f"{self._name} asked this service to wait. Try again in {_format_duration(wait)}.",
                platform=self._platform,
                retry_after=wait,
            )

    async def reserve_quota(
        self, units: Mapping[str, int], whose: Mapping[str, str], *, wait_for_quota: bool = False
    ) -> Sequence[SpentUnits]:
        """Take units of each named quota, counted across all nodes, or reject the call.

        `whose` says for whom the call is made, by what a quota can be `per`. With `wait_for_quota`, a quota that allows
        it again within a second is waited for.
        """
        if self._quotas is None or not units:
            return ()
        limits = [(quota, number) for name, number in units.items() for quota in self._quotas_by_name[name]]
        budgets = [(quota.build_budget(self._platform, whose[quota.per]), number) for quota, number in limits]
        for left in reversed(range(_MAX_QUOTA_ATTEMPTS if wait_for_quota else 1)):
            try:
                return await self._quotas.spend(budgets)
            except QuotaExceededError as refused:
                if not left or refused.budget.window_seconds > 1:
                    raise self._build_quota_error(refused) from None
                await asyncio.sleep(refused.wait_seconds)
        raise AssertionError("unreachable")

    async def return_reserved_units(self, spent: Sequence[SpentUnits]) -> None:
        """Return what was reserved for a call that was certainly never sent."""
        if spent and self._quotas is not None:
            await self._quotas.refund(spent)

    async def pause(self, budget: str, seconds: int) -> None:
        """Hold back every further call on this budget: `app`, or the id of an account on the platform."""
        await self._pauses.pause_for(f"{self._platform}:{budget}", seconds)

    def _build_quota_error(self, refused: QuotaExceededError) -> PlatformRateLimitError:
        budget = refused.budget
        moment = refused.frees_at.isoformat(timespec="seconds").replace("+00:00", "Z")
        return PlatformRateLimitError(
            f"{refused.used} of {budget.limit} `{budget.quota}` that {self._platform} allows within "
            f"{budget.window_seconds} s "
            f"are used, so the call was not made. The quota allows it again in {refused.wait_seconds} s, at {moment}.",
            platform=self._platform,
            category="quota_exhausted",
            retry_after=refused.wait_seconds,
        )


def _format_duration(seconds: float) -> str:
    """Write a duration as people do, rounded up."""
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds > length:
            return f"{ceil(seconds / length)} {unit}"
    return f"{ceil(seconds)} seconds"
