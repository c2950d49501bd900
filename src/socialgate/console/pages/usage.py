"""Usage: what was used in a month, the plan with its limits, and buying another one."""

from datetime import date, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta

from socialgate.areas.billing.plans import PlanCatalog
from socialgate.areas.billing.purchases import PurchaseService
from socialgate.areas.billing.schemas import NewCheckout
from socialgate.areas.billing.service import BillingService
from socialgate.areas.usage.limits import get_next_month_start
from socialgate.areas.usage.schemas import UsageQuery
from socialgate.areas.usage.service import UsageService
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Leaving, Outcome, Values, console_page
from socialgate.console.visit import PageQuery, Visit

_PROVIDER = "Stripe"


class UsagePageQuery(PageQuery, frozen=True, kw_only=True):
    """Which month to show."""

    period: Annotated[str, Meta(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$(?!\n)")] | None = None


@console_page(
    "/console/usage",
    "usage.html",
    query=UsagePageQuery,
    entry=Entry(label="Usage", icon="gauge", group=Group.DEVELOPERS, key="u"),
)
async def usage_page(
    visit: Visit,
    params: UsagePageQuery,
    usage: UsageService,
    purchases: PurchaseService,
    plan_catalog: PlanCatalog,
    billing: BillingService,
) -> Values:
    used = await usage.show(visit.work, UsageQuery(period=params.period))
    first = date.fromisoformat(f"{used.period}-01")
    following = get_next_month_start(first)
    return {
        "usage": used,
        "days": {str(metric.name): _list_days(used.daily, str(metric.name)) for metric in used.metrics},
        "standing": await visit.work.read(purchases.find_plan_state, visit.owner_id),
        "plans": (await plan_catalog.list(visit.work)).data if billing.can_buy_plans else [],
        "previous": f"{first - timedelta(days=1):%Y-%m}",
        "following": f"{following:%Y-%m}" if following <= visit.now.date() else None,
        "month": f"{first:%B %Y}",
    }


@usage_page.form("checkout", NewCheckout)
async def start_checkout(visit: Visit, data: NewCheckout, billing: BillingService) -> Outcome:
    page = await billing.start_checkout(visit.work, data)
    return Leaving(page.url, _PROVIDER)


@usage_page.form("portal")
async def open_portal(visit: Visit, billing: BillingService) -> Outcome:
    portal = await billing.open_portal(visit.work)
    return Leaving(portal.url, _PROVIDER)


def _list_days(daily: object, name: str) -> list[float]:
    return [float(day[name]) for day in msgspec.to_builtins(daily)]
