"""What an owner used in a month, by metric and by day."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

from socialgate.areas.usage import store
from socialgate.areas.usage.limits import get_next_month_start
from socialgate.areas.usage.schemas import BillingState, DayUse, MetricUse, Usage, UsageQuery
from socialgate.contracts.billing import PlanLookup, Plans, PlanState
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import InvalidRequest
from socialgate.core.metering import UsageMetric
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.api_call_counter import ApiCallCounter

# Beyond them a month can have no usage, and near the ends of the calendar no month before or after it.
_VALID_YEARS = range(2000, 2200)
_DAY_USE_FIELDS = {
    UsageMetric.POSTS: "posts",
    UsageMetric.DELIVERIES: "deliveries",
    UsageMetric.MESSAGES_SENT: "messages_sent",
    UsageMetric.MESSAGES_RECEIVED: "messages_received",
    UsageMetric.AI_GENERATIONS: "ai_generations",
    UsageMetric.UPLOAD_BYTES: "upload_bytes",
    UsageMetric.CONNECTED_ACCOUNTS: "connected_accounts",
    UsageMetric.API_CALLS: "api_calls",
}


class UsageService:
    def __init__(self, plans: Plans, book: PlanLookup, calls: ApiCallCounter) -> None:
        self._plans = plans
        self._book = book
        self._calls = calls

    async def show(self, work: UnitOfWork, query: UsageQuery) -> Usage:
        # So that the calls of this process are shown, this one included.
        await self._calls.flush()
        return await work.read(self._show, work.caller, query)

    async def _show(self, tx: Tx, caller: Caller, query: UsageQuery) -> Usage:
        today = tx.now.date()
        first = _parse_month(query.period) if query.period else today.replace(day=1)
        last = min(get_next_month_start(first) - timedelta(days=1), today)
        standing = await self._book.get_plan_state(tx, caller.owner_id)
        days = await self._list_days(tx, caller, first, last) if first <= last else []
        return Usage(
            period=f"{first.year:04}-{first.month:02}",
            plan=standing.plan,
            billing=None if caller.allowed_profile_ids is not None else _build_billing_state(standing),
            resets_at=datetime.combine(get_next_month_start(first), datetime.min.time(), UTC),
            metrics=[self._build_metric_use(metric, days, standing.plan) for metric in UsageMetric],
            daily=[_build_day_use(day, used) for day, used in days],
        )

    async def _list_days(
        self, tx: Tx, caller: Caller, first: date, last: date
    ) -> list[tuple[date, Mapping[UsageMetric, int]]]:
        """Read each day. A key that is limited to some profiles sees what they used, and the calls made with it."""
        profiles = caller.allowed_profile_ids
        parts = None if profiles is None else {*profiles, caller.credential_id}
        counted = await store.sum_daily_counts(tx, caller.owner_id, parts, first, last)
        levels = await store.list_daily_levels(tx, caller.owner_id, profiles, first, last)
        return [(day, {**counted.get(day, {}), UsageMetric.CONNECTED_ACCOUNTS: level}) for day, level in levels.items()]

    def _build_metric_use(
        self, metric: UsageMetric, days: list[tuple[date, Mapping[UsageMetric, int]]], plan: str
    ) -> MetricUse:
        used = [of_day.get(metric, 0) for _, of_day in days]
        total = max(used, default=0) if metric is UsageMetric.CONNECTED_ACCOUNTS else sum(used)
        return MetricUse(name=metric, used=total, limit=self._plans.get_limit(plan, metric))


def _parse_month(period: str) -> date:
    year, _, month = period.partition("-")
    if int(year) not in _VALID_YEARS:
        detail = f"The year must be from {_VALID_YEARS[0]} to {_VALID_YEARS[-1]}. Send a month such as 2026-11."
        raise InvalidRequest.for_field("?period", "invalid", detail)
    return date(int(year), int(month), 1)


def _build_billing_state(plan_status: PlanState) -> BillingState | None:
    if plan_status.status is None:
        return None
    return BillingState(
        status=plan_status.status,
        interval=plan_status.interval,
        renews_at=plan_status.renews_at,
        ends_at=plan_status.ends_at,
        grace_until=plan_status.grace_until,
    )


def _build_day_use(day: date, used: Mapping[UsageMetric, int]) -> DayUse:
    return DayUse(date=day, **{_DAY_USE_FIELDS[metric]: number for metric, number in used.items()})
