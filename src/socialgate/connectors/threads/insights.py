"""Insights of Threads profiles and their posts."""

from collections.abc import Mapping, Sequence
from datetime import date

from socialgate.connectors.graph.dialect import Caller
from socialgate.connectors.graph.insights import counted
from socialgate.connectors.insights import InsightsPart
from socialgate.connectors.threads.metrics import METRICS
from socialgate.connectors.threads.wire import Threads, checked, find
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected
from socialgate.contracts.insights import Days, Readings
from socialgate.contracts.metrics import Metric

# Threads has no data from before this day, and rejects requests for it.
_FIRST = date(2024, 4, 13)


class ThreadsInsights(InsightsPart):
    table = METRICS

    def __init__(self, threads: Threads) -> None:
        super().__init__(threads.wire.clock)
        self._threads = threads

    async def ask(self, held: AccountCredentials, metrics: Sequence[Metric], days: Days) -> Readings:
        api, path = self._threads.of(held), "me/threads_insights"
        if metrics[0].asked == "now":
            return await counted(api, path, metrics)
        if days.last < _FIRST:
            return {}
        return await counted(api, path, metrics, Days(max(days.first, _FIRST), days.last))

    async def ask_posts(
        self, held: AccountCredentials, posts: Sequence[str], metrics: Sequence[Metric]
    ) -> Mapping[str, Readings]:
        return {post: await self._post(self._threads.of(held), checked(post), metrics) for post in posts}

    async def _post(self, api: Caller, post: str, metrics: Sequence[Metric]) -> Readings:
        try:
            return await counted(api, f"{post}/insights", metrics)
        except Rejected:
            # Threads has no error for deleted posts: check whether the post itself can be read.
            await find(api, post, "id")
            raise
