"""The counters of TikTok accounts and of their public videos."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.insights import InsightsAdapterBase, build_single_reading
from socialgate.connectors.tiktok.api import TikTokApi
from socialgate.connectors.tiktok.metrics import METRICS
from socialgate.connectors.transport import VendorTransport
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.insights import DateRange, MetricReadings
from socialgate.contracts.metrics import PlatformMetric


class _UserData(msgspec.Struct):
    user: dict[str, Any] = {}


class _VideosResponse(msgspec.Struct):
    videos: list[dict[str, Any]] = []


class TikTokInsights(InsightsAdapterBase):
    table = METRICS
    posts_per_call = 20

    def __init__(self, api: TikTokApi, wire: VendorTransport) -> None:
        super().__init__(wire.clock)
        self._api = api

    async def fetch_account_metrics(
        self, credentials: AccountCredentials, metrics: Sequence[PlatformMetric], days: DateRange
    ) -> MetricReadings:
        del days
        user = (
            await self._api.for_account(credentials).get("/user/info/", _UserData, fields=_join_field_names(metrics))
        ).user
        return {metric.name: build_single_reading(metric, user.get(metric.vendor)) for metric in metrics}

    async def fetch_post_metrics(
        self, credentials: AccountCredentials, posts: Sequence[str], metrics: Sequence[PlatformMetric]
    ) -> Mapping[str, MetricReadings]:
        # The id of a draft has another format until it is public.
        ids = [post for post in posts if post.isascii() and post.isdecimal()]
        if not ids:
            return {}
        body, query = {"filters": {"video_ids": ids}}, {"fields": _join_field_names(metrics, "id")}
        videos = (
            await self._api.for_account(credentials).post(
                "/video/query/", _VideosResponse, body, repeatable=True, query=query
            )
        ).videos
        return {
            str(video.get("id")): {
                metric.name: build_single_reading(metric, video.get(metric.vendor)) for metric in metrics
            }
            for video in videos
        }


def _join_field_names(metrics: Sequence[PlatformMetric], *more: str) -> str:
    return ",".join((*more, *(metric.vendor for metric in metrics)))
