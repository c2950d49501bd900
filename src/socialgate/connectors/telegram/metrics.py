"""The metrics of Telegram bots: only the members of the chats that a bot posts to."""

from socialgate.contracts.metrics import Metric, MetricTable

METRICS = MetricTable(
    account=(Metric(name="followers", vendor="getChatMemberCount", form="level", daily=False),),
    history_days=0,
    settled_after=0,
)
