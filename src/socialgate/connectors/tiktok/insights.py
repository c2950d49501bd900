"""The counters of TikTok accounts and of their public videos."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.insights import InsightsPart, single
from socialgate.connectors.tiktok.metrics import METRICS
from socialgate.connectors.tiktok.wire import TikTokApi
from socialgate.connectors.wire import Wire
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.insights import Days, Readings
from socialgate.contracts.metrics import Metric


class _User(msgspec.Struct):
    user: dict[str, Any] = {}


class _Videos(msgspec.Struct):
    videos: list[dict[str, Any]] = []


class TikTokInsights(InsightsPart):
    table = METRICS
    posts_per_call = 20

    def __init__(self, api: TikTokApi, wire: Wire) -> None:
        super().__init__(wire.clock)
        self._api = api

    async def ask(self, held: AccountCredentials, metrics: Sequence[Metric], days: Days) -> Readings:
        del days
        user = (await self._api.of(held).get("/user/info/", _User, fields=_fields(metrics))).user
        return {metric.name: single(metric, user.get(metric.vendor)) for metric in metrics}

    async def ask_posts(
        self, held: AccountCredentials, posts: Sequence[str], metrics: Sequence[Metric]
    ) -> Mapping[str, Readings]:
        # The id of a draft has another format until it is public.
        ids = [one for one in posts if one.isascii() and one.isdecimal()]
        if not ids:
            return {}
        body, query = {"filters": {"video_ids": ids}}, {"fields": _fields(metrics, "id")}
        videos = (await self._api.of(held).post("/video/query/", _Videos, body, repeatable=True, query=query)).videos
        return {
            str(video.get("id")): {metric.name: single(metric, video.get(metric.vendor)) for metric in metrics}
            for video in videos
        }


def _fields(metrics: Sequence[Metric], *more: str) -> str:
    return ",".join((*more, *(metric.vendor for metric in metrics)))
