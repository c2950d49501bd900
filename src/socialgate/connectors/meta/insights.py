"""Insights of Pages, Instagram accounts and their posts."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from socialgate.connectors.graph.dialect import GraphCaller
from socialgate.connectors.graph.insights import request_insights
from socialgate.connectors.insights import (
    InsightsAdapterBase,
    build_not_offered_reading,
    build_single_reading,
    request_individually,
)
from socialgate.connectors.meta.api import MetaApi, raise_not_found_if_missing, require_object_id
from socialgate.connectors.meta.metrics import INSTAGRAM_METRICS, PAGE_METRICS
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PermissionMissingError, PlatformFailure, PlatformRejectedError
from socialgate.contracts.insights import DateRange, MetricReading, MetricReadings
from socialgate.contracts.metrics import PlatformMetric

_POST_FIELDS = "id,shares,comments.summary(true).limit(0),reactions.summary(total_count).limit(0)"
_DAILY_FOLLOWS_METRIC = "page_follows"
_NON_FOLLOWER_VALUE = "NON_FOLLOWER"
_FEED_MEDIA_TYPE = "FEED"
_DAILY_PARAMS = {"period": "day"}
_TOTAL_PARAMS = {**_DAILY_PARAMS, "metric_type": "total_value"}
# The id of a Page post is the Page's id and a number. A number alone is a video or a reel: some of their metrics have
# other names, and reactions to them are counted on their post.
_VIDEO_METRIC_NAMES = {"views": "total_video_views", "reach": "total_video_views_unique"}
_REEL_METRIC_NAMES = {"views": "fb_reels_total_plays", "reach": "post_impressions_unique"}


class _ObjectCounts(msgspec.Struct, kw_only=True):
    followers_count: int | None = None
    fan_count: int | None = None
    media_product_type: str | None = None
    permalink_url: str | None = None
    post_id: str | int | None = None
    shares: dict[str, Any] | None = None
    comments: dict[str, Any] | None = None
    reactions: dict[str, Any] | None = None

    def get_count(self, name: str) -> Any:
        """Return a count. A post that nobody has shared has no `shares` at all."""
        if name == "shares":
            return (self.shares or {}).get("count", 0)
        edges = {"comments": self.comments, "reactions": self.reactions}
        return ((edges[name] or {}).get("summary") or {}).get("total_count")


class _MetaInsights(InsightsAdapterBase):
    def __init__(self, graph: MetaApi) -> None:
        super().__init__(graph.wire.clock)
        self._graph = graph

    def is_too_few_viewers_error(self, failure: PlatformFailure) -> bool:
        """Meta uses the same code as for a missing permission, without a subcode: only the message differs."""
        platform_error = failure.platform_error
        return (
            platform_error is not None
            and platform_error.code == "10"
            and "not enough viewers" in (platform_error.message or "").lower()
        )

    async def fetch_post_metrics(
        self, credentials: AccountCredentials, posts: Sequence[str], metrics: Sequence[PlatformMetric]
    ) -> Mapping[str, MetricReadings]:
        api = self._graph.for_account(credentials)
        async with raise_not_found_if_missing(api):
            return {post: await self._fetch_post_metrics(api, require_object_id(post), metrics) for post in posts}

    @abstractmethod
    async def _fetch_post_metrics(
        self, api: GraphCaller, post: str, metrics: Sequence[PlatformMetric]
    ) -> MetricReadings:
        """Read metrics of one post."""


class PageInsights(_MetaInsights):
    table = PAGE_METRICS

    async def fetch_account_metrics(
        self, credentials: AccountCredentials, metrics: Sequence[PlatformMetric], days: DateRange
    ) -> MetricReadings:
        api = self._graph.for_account(credentials)
        if metrics[0].request_group == "fields":
            return {metrics[0].name: await self._fetch_followers(api, metrics[0], days)}
        return await request_insights(api, _get_insights_path(api), metrics, days, **_DAILY_PARAMS)

    async def _fetch_followers(self, api: GraphCaller, metric: PlatformMetric, days: DateRange) -> MetricReading:
        """Read the followers of the Page: by day if Facebook has it, and the current count if today is requested."""
        by_day = replace(metric, vendor=_DAILY_FOLLOWS_METRIC, request_group="")
        metric_reading = MetricReading()
        if days.first < self.requester.get_today():
            try:
                metric_reading = (
                    await request_insights(api, _get_insights_path(api), [by_day], days, **_DAILY_PARAMS)
                ).get(metric.name, metric_reading)
            except (PermissionMissingError, PlatformRejectedError):
                # The current count needs fewer permissions.
                metric_reading = MetricReading()
        if days.last < self.requester.get_today():
            return metric_reading
        now = build_single_reading(
            metric, (await api.get(api.budget, _ObjectCounts, fields="followers_count,fan_count")).followers_count
        )
        return replace(now, series=metric_reading.series)

    async def _fetch_post_metrics(
        self, api: GraphCaller, post: str, metrics: Sequence[PlatformMetric]
    ) -> MetricReadings:
        if "_" in post:
            return await self._fetch_page_post_metrics(api, post, metrics)
        video = await api.get(post, _ObjectCounts, fields="permalink_url,post_id")
        kind, names = (
            ("reel", _REEL_METRIC_NAMES) if "/reel/" in (video.permalink_url or "") else ("video", _VIDEO_METRIC_NAMES)
        )
        if metrics[0].request_group == "fields" and video.post_id:
            return await self._fetch_page_post_metrics(api, f"{api.budget}_{video.post_id}", metrics)
        fitting = [replace(metric, vendor=names[metric.name]) for metric in metrics if metric.name in names]
        read = await request_individually(partial(request_insights, api, f"{post}/video_insights"), fitting)
        named = {
            platform_metric.name: replace(read[platform_metric.name], name=platform_metric.vendor)
            for platform_metric in fitting
            if platform_metric.name in read
        }
        return {
            **{metric.name: build_not_offered_reading(kind) for metric in metrics if metric.name not in names},
            **named,
        }

    async def _fetch_page_post_metrics(
        self, api: GraphCaller, post: str, metrics: Sequence[PlatformMetric]
    ) -> MetricReadings:
        if metrics[0].request_group != "fields":
            return await request_insights(api, f"{post}/insights", metrics)
        counts = await api.get(post, _ObjectCounts, fields=_POST_FIELDS)
        return {metric.name: build_single_reading(metric, counts.get_count(metric.vendor)) for metric in metrics}


class InstagramInsights(_MetaInsights):
    table = INSTAGRAM_METRICS

    async def fetch_account_metrics(
        self, credentials: AccountCredentials, metrics: Sequence[PlatformMetric], days: DateRange
    ) -> MetricReadings:
        api = self._graph.for_account(credentials)
        request = metrics[0].request_group
        if request == "fields":
            counts = await api.get(api.budget, _ObjectCounts, fields="followers_count")
            return {metrics[0].name: build_single_reading(metrics[0], counts.followers_count)}
        if request == "leaving":
            return await request_insights(
                api,
                _get_insights_path(api),
                metrics,
                days,
                breakdown_value=_NON_FOLLOWER_VALUE,
                **_TOTAL_PARAMS,
                breakdown="follow_type",
            )
        if request != "series":
            return await request_insights(api, _get_insights_path(api), metrics, days, **_TOTAL_PARAMS)
        return await self._add_total_reach(
            api, metrics, days, await request_insights(api, _get_insights_path(api), metrics, days, **_DAILY_PARAMS)
        )

    async def _add_total_reach(
        self, api: GraphCaller, metrics: Sequence[PlatformMetric], days: DateRange, read: MetricReadings
    ) -> MetricReadings:
        """Request the reach over the whole range: a sum of days would count the same people repeatedly."""
        reach = [metric for metric in metrics if metric.form == "unique" and metric.name in read]
        if days.count == 1:
            return read
        whole = await request_insights(api, _get_insights_path(api), reach, days, **_TOTAL_PARAMS)
        return {
            **read,
            **{
                name: replace(read[name], total=metric_reading.total, value=metric_reading.value)
                for name, metric_reading in whole.items()
            },
        }

    async def _fetch_post_metrics(
        self, api: GraphCaller, post: str, metrics: Sequence[PlatformMetric]
    ) -> MetricReadings:
        """Request only metrics of this media type: a metric of another type fails the whole call."""
        media = await api.get(post, _ObjectCounts, fields="media_product_type")
        kind = media.media_product_type or _FEED_MEDIA_TYPE
        fitting = [metric for metric in metrics if not metric.only or kind in metric.only]
        others = {metric.name: build_not_offered_reading(kind.lower()) for metric in metrics if metric not in fitting}
        return {**others, **await request_insights(api, f"{post}/insights", fitting)}


def _get_insights_path(api: GraphCaller) -> str:
    return f"{api.budget}/insights"
