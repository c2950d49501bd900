"""The metrics of TikTok, with our names and its own: only current values, nothing per day."""

from socialgate.contracts.metrics import MetricTable, PlatformMetric

METRICS = MetricTable(
    account_metrics=(
        PlatformMetric(name="followers", vendor="follower_count", form="level", daily=False),
        PlatformMetric(name="following", vendor="following_count", form="level", daily=False),
        PlatformMetric(name="totalLikes", vendor="likes_count", form="level", daily=False),
        PlatformMetric(name="posts", vendor="video_count", form="level", daily=False),
    ),
    post_metrics=(
        PlatformMetric(name="views", vendor="view_count"),
        PlatformMetric(name="likes", vendor="like_count"),
        PlatformMetric(name="comments", vendor="comment_count"),
        PlatformMetric(name="shares", vendor="share_count"),
    ),
    history_days=0,
    settles_after_days=0,
)
