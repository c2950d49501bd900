"""Insights of Threads profiles and their posts."""

from collections.abc import Mapping, Sequence
from datetime import date

from socialgate.connectors.dialects.graph import Caller, Rows
from socialgate.connectors.graph.insights import Insight, names_of, range_of, readings_of
from socialgate.connectors.insights import InsightsPart
from socialgate.connectors.threads.metrics import METRICS
from socialgate.connectors.threads.wire import Threads, checked, find
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected
from socialgate.contracts.insights import Days, Readings
from socialgate.contracts.metrics import Metric

# Threads has counted nothing before, and refuses to be asked.
_FIRST = date(2024, 4, 13)


class ThreadsInsights(InsightsPart):
    table = METRICS

    def __init__(self, threads: Threads) -> None:
        super().__init__(threads.wire.clock)
        self._threads = threads

    async def ask(self, held: AccountCredentials, metrics: Sequence[Metric], days: Days) -> Readings:
        api, path = self._threads.of(held), "me/threads_insights"
        if metrics[0].asked == "now":
            return readings_of(metrics, (await api.get(path, Rows[Insight], metric=names_of(metrics))).data)
        if days.last < _FIRST:
            return {}
        counted = Days(max(days.first, _FIRST), days.last)
        rows = await api.get(path, Rows[Insight], metric=names_of(metrics), **range_of(counted))
        return readings_of(metrics, rows.data, days)

    async def ask_posts(
        self, held: AccountCredentials, posts: Sequence[str], metrics: Sequence[Metric]
    ) -> Mapping[str, Readings]:
        return {post: await self._post(self._threads.of(held), checked(post), metrics) for post in posts}

    async def _post(self, api: Caller, post: str, metrics: Sequence[Metric]) -> Readings:
        try:
            rows = await api.get(f"{post}/insights", Rows[Insight], metric=names_of(metrics))
        except Rejected:
            # Threads has no word for what is gone: a post that cannot be read either is.
            await find(api, post, "id")
            raise
        return readings_of(metrics, rows.data)
