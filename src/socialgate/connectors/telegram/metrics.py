"""The metrics of Telegram bots: only the members of the chats that a bot posts to."""

from socialgate.contracts.metrics import MetricTable, PlatformMetric

METRICS = MetricTable(
    account_metrics=(PlatformMetric(name="followers", vendor="getChatMemberCount", form="level", daily=False),),
    history_days=0,
    settles_after_days=0,
)
