"""The limits of plans: what exceeds one is rejected before it is committed."""

from datetime import date, datetime

from socialgate.contracts.billing import PlanLookup, Plans, PlanState
from socialgate.core.db import Tx
from socialgate.core.errors import PlanLimitReached
from socialgate.core.metering import UsageCounted, UsageMetric
from socialgate.core.metrics import Metrics

_METRIC_NAMES = {
    UsageMetric.POSTS: "posts",
    UsageMetric.MESSAGES_SENT: "sent messages",
    UsageMetric.AI_GENERATIONS: "AI generations",
    UsageMetric.UPLOAD_BYTES: "bytes of uploaded files",
    UsageMetric.CONNECTED_ACCOUNTS: "connected accounts",
}


class PlanLimits:
    def __init__(self, plans: Plans, owner_plans: PlanLookup, metrics: Metrics) -> None:
        self._plans = plans
        self._book = owner_plans
        self._metrics = metrics
        # Most deployments limit nothing, and then nothing is looked up.
        self._limited = frozenset(metric for limits in plans.limits.values() for metric in limits)

    async def require_within_plan(self, tx: Tx, fact: UsageCounted, owner_id: str) -> None:
        """Reject what exceeds the plan of the owner. The whole transaction is rolled back."""
        if fact.metric not in self._limited:
            return
        standing = await self._book.get_plan_state(tx, owner_id)
        limit = self._plans.get_limit(standing.plan, fact.metric)
        if limit is None or fact.used <= limit:
            return
        self._metrics.plan_refusals.labels(fact.metric).inc()
        raise PlanLimitReached(self._explain_limit(standing, fact, limit, tx.now))

    def _explain_limit(self, standing: PlanState, fact: UsageCounted, limit: int, now: datetime) -> str:
        plan, before, words = standing.plan, fact.used - fact.amount, _METRIC_NAMES[fact.metric]
        another = "ask the operator for a larger plan"
        if self._book.can_buy_plans and not standing.is_assigned:
            another = "choose a larger plan with POST /billing/checkout"
        if fact.metric is UsageMetric.CONNECTED_ACCOUNTS:
            over = fact.used - limit
            return (
                f"The plan {plan} allows {limit:,} {words}, and {before:,} are connected. Disconnect "
                f"{'one' if over == 1 else f'{over:,}'} with DELETE /accounts/{{accountId}}, or {another}."
            )
        request = "" if fact.amount == 1 else f" This needs {fact.amount:,} more."
        return (
            f"The plan {plan} allows {limit:,} {words} a month, and {before:,} are used.{request} The count resets at "
            f"{get_next_month_start(now.date()).isoformat()}T00:00:00Z; until then, {another}."
        )


def get_next_month_start(day: date) -> date:
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)
