"""Insights of Threads profiles and their posts."""

from collections.abc import Mapping, Sequence
from datetime import date

from socialgate.connectors.graph.dialect import GraphCaller
from socialgate.connectors.graph.insights import request_insights
from socialgate.connectors.insights import InsightsAdapterBase
from socialgate.connectors.threads.api import ThreadsApi, fetch_post, require_post_id
from socialgate.connectors.threads.metrics import METRICS
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.insights import DateRange, MetricReadings
from socialgate.contracts.metrics import PlatformMetric

# Threads has no data from before this day, and rejects requests for it.
_FIRST_INSIGHTS_DAY = date(2024, 4, 13)


class ThreadsInsights(InsightsAdapterBase):
    table = METRICS

    def __init__(self, threads: ThreadsApi) -> None:
        super().__init__(threads.wire.clock)
        self._threads = threads

    async def fetch_account_metrics(
        self, credentials: AccountCredentials, metrics: Sequence[PlatformMetric], days: DateRange
    ) -> MetricReadings:
        api, path = self._threads.for_account(credentials), "me/threads_insights"
        if metrics[0].request_group == "now":
            return await request_insights(api, path, metrics)
        if days.last < _FIRST_INSIGHTS_DAY:
            return {}
        return await request_insights(api, path, metrics, DateRange(max(days.first, _FIRST_INSIGHTS_DAY), days.last))

    async def fetch_post_metrics(
        self, credentials: AccountCredentials, posts: Sequence[str], metrics: Sequence[PlatformMetric]
    ) -> Mapping[str, MetricReadings]:
        return {
            post: await self._fetch_post_metrics(self._threads.for_account(credentials), require_post_id(post), metrics)
            for post in posts
        }

    async def _fetch_post_metrics(
        self, api: GraphCaller, post: str, metrics: Sequence[PlatformMetric]
    ) -> MetricReadings:
        try:
            return await request_insights(api, f"{post}/insights", metrics)
        except PlatformRejectedError:
            # Threads has no error for deleted posts: check whether the post itself can be read.
            await fetch_post(api, post, "id")
            raise
