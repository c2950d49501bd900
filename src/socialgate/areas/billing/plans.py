"""The plans of this deployment, with what they allow and cost."""

from collections.abc import Mapping

from socialgate.areas.billing.schemas import PlanForSale, PlanLimit, PlanPrice
from socialgate.areas.billing.service import BillingService
from socialgate.contracts.billing import LIMITABLE_METRICS, BillingConfig, BillingInterval, Plans, PriceAmount
from socialgate.contracts.failures import PlatformFailure
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.schemas import Page


class PlanCatalog:
    def __init__(self, shop: BillingConfig, plans: Plans, billing: BillingService) -> None:
        self._shop = shop
        self._plans = plans
        self._billing = billing

    async def list(self, work: UnitOfWork) -> Page[PlanForSale]:
        standing = await work.read(self._billing.get_plan_state, work.caller.owner_id)
        costs = await self._fetch_price_amounts()
        shown = [
            self._build_plan_view(name, costs, is_current=name == standing.plan) for name in self._plans.plan_names
        ]
        return Page(data=shown, next_cursor=None)

    async def _fetch_price_amounts(self) -> Mapping[str, PriceAmount]:
        """Read what the prices cost. While the payment provider is away, plans are listed without amounts."""
        if self._shop.payments is None or not self._billing.can_buy_plans:
            return {}
        try:
            return await self._shop.payments().fetch_price_amounts(list(self._shop.prices.values()))
        except PlatformFailure:
            return {}

    def _build_plan_view(self, name: str, costs: Mapping[str, PriceAmount], *, is_current: bool) -> PlanForSale:
        for_sale = self._shop.prices.items() if self._billing.can_buy_plans else ()
        prices = [
            _build_price(price.interval, costs.get(price_id)) for price, price_id in for_sale if price.plan == name
        ]
        limits = [PlanLimit(name=metric, limit=self._plans.get_limit(name, metric)) for metric in LIMITABLE_METRICS]
        return PlanForSale(name=name, is_current=is_current, limits=limits, prices=prices)


def _build_price(interval: BillingInterval, cost: PriceAmount | None) -> PlanPrice:
    if cost is None:
        return PlanPrice(interval=interval, amount=None, currency=None)
    return PlanPrice(interval=interval, amount=cost.amount, currency=cost.currency)
