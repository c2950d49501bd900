"""Billing: plans that owners pay for through Stripe."""

from collections.abc import Sequence

from socialgate.areas.billing.jobs import (
    SubscriptionFactHandlers,
    build_close_checkout_job_type,
    build_subscription_refresh_job_type,
    build_subscription_sync_job_type,
)
from socialgate.areas.billing.routes import routes
from socialgate.areas.billing.service import BillingService
from socialgate.contracts.billing import PlanLookup, SubscriptionMoved
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _build_listeners(reports: SubscriptionFactHandlers) -> Sequence[FactListener]:
    return [SubscriptionMoved.build_listener(reports.handle_subscription_changed)]


AREA = Area(
    routes=routes,
    services={PlanLookup: BillingService},
    jobs=[build_subscription_sync_job_type, build_close_checkout_job_type, build_subscription_refresh_job_type],
    fact_listeners=_build_listeners,
)
