"""The number of members of the channels and groups that a bot posts to. The Bot API has no other metrics.

A bot cannot list its chats, so the chats of its posts are counted.
"""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from socialgate.connectors.insights import InsightsAdapterBase, build_single_reading
from socialgate.connectors.telegram.api import BotApi
from socialgate.connectors.telegram.metrics import METRICS
from socialgate.connectors.transport import VendorTransport
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PermissionMissingError, PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.insights import DateRange, MetricReading, MetricReadings, MissingMetricReason
from socialgate.contracts.metrics import PlatformMetric

_NO_KNOWN_CHAT_REASON = MissingMetricReason(
    "not_counted_yet", "A bot cannot list its chats: this is counted from its first post to a channel or group."
)
_LEFT_ALL_CHATS_REASON = MissingMetricReason(
    "permission_missing", "The bot is no longer in any chat that it posted to. Add it to one again."
)


class BotInsights(InsightsAdapterBase):
    table = METRICS

    def __init__(self, api: BotApi, wire: VendorTransport) -> None:
        super().__init__(wire.clock)
        self._api = api

    async def read_account_metrics(
        self,
        credentials: AccountCredentials,
        metrics: Sequence[PlatformMetric],
        days: DateRange,
        post_ids: Sequence[str],
    ) -> MetricReadings:
        chats = sorted({value.partition(":")[0] for value in post_ids})
        return await self.requester.request_account_metrics(
            metrics, days, partial(self._count_members, credentials, chats)
        )

    async def fetch_account_metrics(
        self, credentials: AccountCredentials, metrics: Sequence[PlatformMetric], days: DateRange
    ) -> MetricReadings:
        return await self._count_members(credentials, (), metrics, days)

    async def _count_members(
        self, credentials: AccountCredentials, chats: Sequence[str], metrics: Sequence[PlatformMetric], days: DateRange
    ) -> MetricReadings:
        """Add up the members of all chats. Chats that the bot has left are not counted."""
        del days
        members: dict[str, int] = {}
        for chat in chats:
            try:
                body = {"chat_id": chat}
                members[chat] = await self._api.for_account(credentials, chat).post(
                    "getChatMemberCount", int, body, repeatable=True
                )
            except (PermissionMissingError, PlatformNotFoundError, PlatformRejectedError):
                continue
        if not members:
            return {
                metric.name: MetricReading(unavailable=_LEFT_ALL_CHATS_REASON if chats else _NO_KNOWN_CHAT_REASON)
                for metric in metrics
            }
        return {
            metric.name: replace(build_single_reading(metric, sum(members.values())), value=members)
            for metric in metrics
        }
