"""The counters of TikTok accounts and of their public videos."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from socialgate.connectors.insights import InsightsPart, single
from socialgate.connectors.tiktok.metrics import METRICS
from socialgate.connectors.tiktok.wire import TikTokApi
from socialgate.connectors.wire import Wire
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.insights import Days, Readings
from socialgate.contracts.metrics import Metric

T = TypeVar("T")


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
        user = (await self._call("user/info/", _User, held, metrics)).user
        return {metric.name: single(metric, user.get(metric.vendor)) for metric in metrics}

    async def ask_posts(
        self, held: AccountCredentials, posts: Sequence[str], metrics: Sequence[Metric]
    ) -> Mapping[str, Readings]:
        # A draft has an id of another form until it is public.
        ids = [one for one in posts if one.isascii() and one.isdecimal()]
        if not ids:
            return {}
        body = {"filters": {"video_ids": ids}}
        videos = (await self._call("video/query/", _Videos, held, metrics, "id", body=body)).videos
        return {
            str(video.get("id")): {metric.name: single(metric, video.get(metric.vendor)) for metric in metrics}
            for video in videos
        }

    async def _call(
        self, path: str, shape: type[T], held: AccountCredentials, metrics: Sequence[Metric], *fields: str, **rest: Any
    ) -> T:
        query = {"fields": ",".join((*fields, *(metric.vendor for metric in metrics)))}
        token, account = held.grant.access_token, held.platform_account_id
        return await self._api.call(path, shape, token, account, query=query, repeatable=True, **rest)
