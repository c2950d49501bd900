"""The metrics of TikTok, with our names and its own: only current values, nothing per day."""

from socialgate.contracts.metrics import Metric, MetricTable

METRICS = MetricTable(
    account=(
        Metric(name="followers", vendor="follower_count", form="level", daily=False),
        Metric(name="following", vendor="following_count", form="level", daily=False),
        Metric(name="totalLikes", vendor="likes_count", form="level", daily=False),
        Metric(name="posts", vendor="video_count", form="level", daily=False),
    ),
    post=(
        Metric(name="views", vendor="view_count"),
        Metric(name="likes", vendor="like_count"),
        Metric(name="comments", vendor="comment_count"),
        Metric(name="shares", vendor="share_count"),
    ),
    history_days=0,
    settled_after=0,
)
