"""Usage: what owners use, and the limits of their plans."""

from collections.abc import Mapping

from socialgate.areas.usage.limits import PlanLimits
from socialgate.areas.usage.routes import routes
from socialgate.areas.usage.store import purge_days, purge_months
from socialgate.core.facts import Listener
from socialgate.core.metering import Counted
from socialgate.web.area import Area


def _listens(limits: PlanLimits) -> Mapping[type, Listener]:
    return {Counted: limits.check}


AREA = Area(routes=routes, listens=_listens, purges={"usage_days": purge_days, "usage_months": purge_months})
