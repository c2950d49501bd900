"""Insights of Pages, of Instagram accounts, and of their posts."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from socialgate.connectors.dialects.graph import Caller, Rows
from socialgate.connectors.graph.insights import Insight, names_of, range_of, readings_of
from socialgate.connectors.insights import InsightsPart, not_of, single
from socialgate.connectors.meta.metrics import INSTAGRAM, PAGE
from socialgate.connectors.meta.wire import Graph, checked, known
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformFailure, Rejected
from socialgate.contracts.insights import Days, Reading, Readings
from socialgate.contracts.metrics import Metric

_POST_FIELDS = "id,shares,comments.summary(true).limit(0),reactions.summary(total_count).limit(0)"
_FOLLOWS_BY_DAY = "page_follows"
_LEFT = "NON_FOLLOWER"
_FEED = "FEED"
# A post of a Page is named by the Page and a number. A number alone is a video, or a reel, which have other names for
# some metrics and lack the rest.
_VIDEO = {"views": "total_video_views", "reach": "total_video_views_unique"}
_REEL = {"views": "fb_reels_total_plays", "reach": "post_impressions_unique"}


class _Counts(msgspec.Struct, kw_only=True):
    followers_count: int | None = None
    fan_count: int | None = None
    media_product_type: str | None = None
    permalink_url: str | None = None
    shares: dict[str, Any] | None = None
    comments: dict[str, Any] | None = None
    reactions: dict[str, Any] | None = None

    def of(self, name: str) -> Any:
        """Give how many of something there are. A post that nobody has shared has no `shares` at all."""
        found = getattr(self, name) or {}
        return (found.get("summary") or {}).get("total_count") if name != "shares" else found.get("count", 0)


class _MetaInsights(InsightsPart):
    def __init__(self, graph: Graph) -> None:
        super().__init__(graph.wire.clock)
        self._graph = graph

    def is_small(self, failure: PlatformFailure) -> bool:
        """Meta has the same code for this as for a permission, and no subcode: only its words tell."""
        said = failure.platform_error
        return said is not None and said.code == "10" and "not enough viewers" in (said.message or "").lower()

    async def ask_posts(
        self, held: AccountCredentials, posts: Sequence[str], metrics: Sequence[Metric]
    ) -> Mapping[str, Readings]:
        api = self._graph.of(held)
        async with known(api):
            return {post: await self._post(api, checked(post), metrics) for post in posts}

    @abstractmethod
    async def _post(self, api: Caller, post: str, metrics: Sequence[Metric]) -> Readings:
        """Read metrics of one post."""


class PageInsights(_MetaInsights):
    table = PAGE

    async def ask(self, held: AccountCredentials, metrics: Sequence[Metric], days: Days) -> Readings:
        api = self._graph.of(held)
        if metrics[0].asked == "fields":
            return {metrics[0].name: await self._followers(api, metrics[0], days)}
        return await self._by_day(api, metrics, days)

    async def _by_day(self, api: Caller, metrics: Sequence[Metric], days: Days) -> Readings:
        path, query = f"{api.budget}/insights", {"metric": names_of(metrics), "period": "day", **range_of(days)}
        return readings_of(metrics, (await api.get(path, Rows[Insight], **query)).data, days)

    async def _followers(self, api: Caller, metric: Metric, days: Days) -> Reading:
        """Read how many follow the Page: by day where Facebook has it, and now if today is asked for."""
        by_day = replace(metric, vendor=_FOLLOWS_BY_DAY, asked="")
        found = Reading()
        if days.first < self.asking.today():
            try:
                found = (await self._by_day(api, [by_day], days)).get(metric.name, found)
            except Rejected:
                found = Reading()
        if days.last < self.asking.today():
            return found
        now = single(metric, (await api.get(api.budget, _Counts, fields="followers_count,fan_count")).followers_count)
        return replace(now, series=found.series)

    async def _post(self, api: Caller, post: str, metrics: Sequence[Metric]) -> Readings:
        if metrics[0].asked == "fields":
            counts = await api.get(post, _Counts, fields=_POST_FIELDS)
            return {metric.name: single(metric, counts.of(metric.vendor)) for metric in metrics}
        if "_" not in post:
            return await self._video(api, post, metrics)
        return readings_of(metrics, (await api.get(f"{post}/insights", Rows[Insight], metric=names_of(metrics))).data)

    async def _video(self, api: Caller, video: str, metrics: Sequence[Metric]) -> Readings:
        shown = (await api.get(video, _Counts, fields="permalink_url")).permalink_url or ""
        kind, names = ("reel", _REEL) if "/reel/" in shown else ("video", _VIDEO)
        fitting = [replace(metric, vendor=names[metric.name]) for metric in metrics if metric.name in names]
        rows = Rows[Insight]()
        if fitting:
            rows = await api.get(f"{video}/video_insights", Rows[Insight], metric=names_of(fitting))
        read = readings_of(fitting, rows.data)
        named = {one.name: replace(read[one.name], name=one.vendor) for one in fitting if one.name in read}
        return {**{one.name: not_of(kind) for one in metrics if one.name not in names}, **named}


class InstagramInsights(_MetaInsights):
    table = INSTAGRAM

    async def ask(self, held: AccountCredentials, metrics: Sequence[Metric], days: Days) -> Readings:
        api = self._graph.of(held)
        asked, path = metrics[0].asked, f"{api.budget}/insights"
        if asked == "fields":
            counts = await api.get(api.budget, _Counts, fields="followers_count")
            return {metrics[0].name: single(metrics[0], counts.followers_count)}
        query: dict[str, Any] = {"metric": names_of(metrics), "period": "day", **range_of(days)}
        if asked != "series":
            query["metric_type"] = "total_value"
        if asked != "leaving":
            read = readings_of(metrics, (await api.get(path, Rows[Insight], **query)).data, days)
            return await self._reached(api, metrics, days, read) if asked == "series" else read
        rows = (await api.get(path, Rows[Insight], **query, breakdown="follow_type")).data
        total = rows[0].total_value if rows else None
        return {} if total is None else {metrics[0].name: single(metrics[0], total.of(_LEFT))}

    async def _reached(self, api: Caller, metrics: Sequence[Metric], days: Days, read: Readings) -> Readings:
        """Ask how many were reached in all of the days: a sum would count the same people again."""
        reach = [metric for metric in metrics if metric.form == "unique" and metric.name in read]
        if days.count == 1 or not reach:
            return read
        query = {"metric": names_of(reach), "period": "day", "metric_type": "total_value", **range_of(days)}
        whole = readings_of(reach, (await api.get(f"{api.budget}/insights", Rows[Insight], **query)).data)
        return {**read, **{name: replace(read[name], total=one.total, value=one.value) for name, one in whole.items()}}

    async def _post(self, api: Caller, post: str, metrics: Sequence[Metric]) -> Readings:
        """Ask for what the type of the media has: one name of another type fails the whole call."""
        media = await api.get(post, _Counts, fields="media_product_type")
        kind = media.media_product_type or _FEED
        fitting = [metric for metric in metrics if not metric.only or kind in metric.only]
        others = {metric.name: not_of(kind.lower()) for metric in metrics if metric not in fitting}
        rows = Rows[Insight]()
        if fitting:
            rows = await api.get(f"{post}/insights", Rows[Insight], metric=names_of(fitting))
        return {**others, **readings_of(fitting, rows.data)}
