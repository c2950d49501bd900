"""Insights of Pages, Instagram accounts and their posts."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from socialgate.connectors.graph.dialect import Caller
from socialgate.connectors.graph.insights import counted
from socialgate.connectors.insights import InsightsPart, each_alone, not_of, single
from socialgate.connectors.meta.metrics import INSTAGRAM, PAGE
from socialgate.connectors.meta.wire import Graph, checked, known
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PermissionMissing, PlatformFailure, Rejected
from socialgate.contracts.insights import Days, Reading, Readings
from socialgate.contracts.metrics import Metric

_POST_FIELDS = "id,shares,comments.summary(true).limit(0),reactions.summary(total_count).limit(0)"
_FOLLOWS_BY_DAY = "page_follows"
_LEFT = "NON_FOLLOWER"
_FEED = "FEED"
_DAILY = {"period": "day"}
_WHOLE = {**_DAILY, "metric_type": "total_value"}
# The id of a Page post is the Page's id and a number. A number alone is a video or a reel: some of their metrics have
# other names, and reactions to them are counted on their post.
_VIDEO = {"views": "total_video_views", "reach": "total_video_views_unique"}
_REEL = {"views": "fb_reels_total_plays", "reach": "post_impressions_unique"}


class _Counts(msgspec.Struct, kw_only=True):
    followers_count: int | None = None
    fan_count: int | None = None
    media_product_type: str | None = None
    permalink_url: str | None = None
    post_id: str | int | None = None
    shares: dict[str, Any] | None = None
    comments: dict[str, Any] | None = None
    reactions: dict[str, Any] | None = None

    def of(self, name: str) -> Any:
        """Return a count. A post that nobody has shared has no `shares` at all."""
        if name == "shares":
            return (self.shares or {}).get("count", 0)
        edges = {"comments": self.comments, "reactions": self.reactions}
        return ((edges[name] or {}).get("summary") or {}).get("total_count")


class _MetaInsights(InsightsPart):
    def __init__(self, graph: Graph) -> None:
        super().__init__(graph.wire.clock)
        self._graph = graph

    def is_small(self, failure: PlatformFailure) -> bool:
        """Meta uses the same code as for a missing permission, without a subcode: only the message differs."""
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
        return await counted(api, _path(api), metrics, days, **_DAILY)

    async def _followers(self, api: Caller, metric: Metric, days: Days) -> Reading:
        """Read the followers of the Page: by day if Facebook has it, and the current count if today is requested."""
        by_day = replace(metric, vendor=_FOLLOWS_BY_DAY, asked="")
        found = Reading()
        if days.first < self.asking.today():
            try:
                found = (await counted(api, _path(api), [by_day], days, **_DAILY)).get(metric.name, found)
            except (PermissionMissing, Rejected):
                # The current count needs fewer permissions.
                found = Reading()
        if days.last < self.asking.today():
            return found
        now = single(metric, (await api.get(api.budget, _Counts, fields="followers_count,fan_count")).followers_count)
        return replace(now, series=found.series)

    async def _post(self, api: Caller, post: str, metrics: Sequence[Metric]) -> Readings:
        if "_" in post:
            return await self._of_post(api, post, metrics)
        video = await api.get(post, _Counts, fields="permalink_url,post_id")
        kind, names = ("reel", _REEL) if "/reel/" in (video.permalink_url or "") else ("video", _VIDEO)
        if metrics[0].asked == "fields" and video.post_id:
            return await self._of_post(api, f"{api.budget}_{video.post_id}", metrics)
        fitting = [replace(metric, vendor=names[metric.name]) for metric in metrics if metric.name in names]
        read = await each_alone(partial(counted, api, f"{post}/video_insights"), fitting)
        named = {one.name: replace(read[one.name], name=one.vendor) for one in fitting if one.name in read}
        return {**{one.name: not_of(kind) for one in metrics if one.name not in names}, **named}

    async def _of_post(self, api: Caller, post: str, metrics: Sequence[Metric]) -> Readings:
        if metrics[0].asked != "fields":
            return await counted(api, f"{post}/insights", metrics)
        counts = await api.get(post, _Counts, fields=_POST_FIELDS)
        return {metric.name: single(metric, counts.of(metric.vendor)) for metric in metrics}


class InstagramInsights(_MetaInsights):
    table = INSTAGRAM

    async def ask(self, held: AccountCredentials, metrics: Sequence[Metric], days: Days) -> Readings:
        api = self._graph.of(held)
        asked = metrics[0].asked
        if asked == "fields":
            counts = await api.get(api.budget, _Counts, fields="followers_count")
            return {metrics[0].name: single(metrics[0], counts.followers_count)}
        if asked == "leaving":
            return await counted(api, _path(api), metrics, days, part=_LEFT, **_WHOLE, breakdown="follow_type")
        if asked != "series":
            return await counted(api, _path(api), metrics, days, **_WHOLE)
        return await self._reached(api, metrics, days, await counted(api, _path(api), metrics, days, **_DAILY))

    async def _reached(self, api: Caller, metrics: Sequence[Metric], days: Days, read: Readings) -> Readings:
        """Request the reach over the whole range: a sum of days would count the same people repeatedly."""
        reach = [metric for metric in metrics if metric.form == "unique" and metric.name in read]
        if days.count == 1:
            return read
        whole = await counted(api, _path(api), reach, days, **_WHOLE)
        return {**read, **{name: replace(read[name], total=one.total, value=one.value) for name, one in whole.items()}}

    async def _post(self, api: Caller, post: str, metrics: Sequence[Metric]) -> Readings:
        """Request only metrics of this media type: a metric of another type fails the whole call."""
        media = await api.get(post, _Counts, fields="media_product_type")
        kind = media.media_product_type or _FEED
        fitting = [metric for metric in metrics if not metric.only or kind in metric.only]
        others = {metric.name: not_of(kind.lower()) for metric in metrics if metric not in fitting}
        return {**others, **await counted(api, f"{post}/insights", fitting)}


def _path(api: Caller) -> str:
    return f"{api.budget}/insights"
