"""Usage: what owners use, and the limits of their plans."""

from collections.abc import Sequence

from socialgate.areas.usage.limits import PlanLimits
from socialgate.areas.usage.routes import routes
from socialgate.areas.usage.store import purge_daily_usage, purge_monthly_usage
from socialgate.core.facts import FactListener
from socialgate.core.metering import UsageCounted
from socialgate.web.area import Area


def _build_listeners(limits: PlanLimits) -> Sequence[FactListener]:
    return [UsageCounted.build_listener(limits.require_within_plan)]


AREA = Area(
    routes=routes,
    fact_listeners=_build_listeners,
    purges={"usage_days": purge_daily_usage, "usage_months": purge_monthly_usage},
)
