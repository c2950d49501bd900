"""Usage: what owners use, and the limits of their plans."""

from collections.abc import Sequence

from socialgate.areas.usage.limits import PlanLimits
from socialgate.areas.usage.routes import routes
from socialgate.areas.usage.store import purge_days, purge_months
from socialgate.core.facts import FactListener
from socialgate.core.metering import Counted
from socialgate.web.area import Area


def _listens(limits: PlanLimits) -> Sequence[FactListener]:
    return [Counted.heard_by(limits.check)]


AREA = Area(routes=routes, listens=_listens, purges={"usage_days": purge_days, "usage_months": purge_months})
