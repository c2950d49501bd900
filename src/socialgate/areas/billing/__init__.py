"""Billing: plans that owners pay for through Stripe."""

from collections.abc import Sequence

from socialgate.areas.billing.jobs import SubscriptionReports, closing, refreshing, syncing
from socialgate.areas.billing.routes import routes
from socialgate.areas.billing.service import Billing
from socialgate.contracts.billing import PlanBook, SubscriptionMoved
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _listens(reports: SubscriptionReports) -> Sequence[FactListener]:
    return [SubscriptionMoved.heard_by(reports.moved)]


AREA = Area(routes=routes, services={PlanBook: Billing}, jobs=[syncing, closing, refreshing], listens=_listens)
