"""The number of members of the channels and groups that a bot posts to. The Bot API has no other metrics.

A bot cannot list its chats, so the chats of its posts are counted.
"""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from socialgate.connectors.insights import InsightsPart, single
from socialgate.connectors.telegram.metrics import METRICS
from socialgate.connectors.telegram.wire import BotApi
from socialgate.connectors.wire import Wire
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PermissionMissing, PlatformNotFound, Rejected
from socialgate.contracts.insights import Days, Missing, Reading, Readings
from socialgate.contracts.metrics import Metric

_NO_CHAT = Missing(
    "not_counted_yet", "A bot cannot list its chats: this is counted from its first post to a channel or group."
)
_LEFT = Missing("permission_missing", "The bot is no longer in any chat that it posted to. Add it to one again.")


class BotInsights(InsightsPart):
    table = METRICS

    def __init__(self, api: BotApi, wire: Wire) -> None:
        super().__init__(wire.clock)
        self._api = api

    async def of_account(
        self, held: AccountCredentials, metrics: Sequence[Metric], days: Days, objects: Sequence[str]
    ) -> Readings:
        chats = sorted({one.partition(":")[0] for one in objects})
        return await self.asking.account(metrics, days, partial(self._count, held, chats))

    async def ask(self, held: AccountCredentials, metrics: Sequence[Metric], days: Days) -> Readings:
        return await self._count(held, (), metrics, days)

    async def _count(
        self, held: AccountCredentials, chats: Sequence[str], metrics: Sequence[Metric], days: Days
    ) -> Readings:
        """Add up the members of all chats. Chats that the bot has left are not counted."""
        del days
        members: dict[str, int] = {}
        for chat in chats:
            try:
                body = {"chat_id": chat}
                members[chat] = await self._api.of(held, chat).post("getChatMemberCount", int, body, repeatable=True)
            except (PermissionMissing, PlatformNotFound, Rejected):
                continue
        if not members:
            return {metric.name: Reading(unavailable=_LEFT if chats else _NO_CHAT) for metric in metrics}
        return {metric.name: replace(single(metric, sum(members.values())), value=members) for metric in metrics}
