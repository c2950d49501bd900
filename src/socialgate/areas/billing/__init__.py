"""Billing: plans that owners pay for through Stripe."""

from collections.abc import Mapping

from socialgate.areas.billing.jobs import SubscriptionReports, closing, refreshing, syncing
from socialgate.areas.billing.routes import routes
from socialgate.areas.billing.service import Billing
from socialgate.contracts.billing import PlanBook, SubscriptionMoved
from socialgate.core.facts import Listener
from socialgate.web.area import Area


def _listens(reports: SubscriptionReports) -> Mapping[type, Listener]:
    return {SubscriptionMoved: reports.moved}


AREA = Area(routes=routes, services={PlanBook: Billing}, jobs=[syncing, closing, refreshing], listens=_listens)
