"""What YouTube counts, under its own names."""

from socialgate_sandbox.society.audience_growth import DEMOGRAPHICS
from socialgate_sandbox.society.platform_metrics import CountedMetric, PlatformMetrics, RatioMetric, declare_counts
from socialgate_sandbox.society.reports import ReportTable
from socialgate_sandbox.vendors.google.youtube.audiences import CHANNEL_AUDIENCES, get_channel_counts

REVENUE_METRICS = (
    "estimatedRevenue",
    "estimatedAdRevenue",
    "grossRevenue",
    "cpm",
    "adImpressions",
    "monetizedPlaybacks",
)
_COUNTED_METRICS = {
    **declare_counts(
        views="views", engagedViews="reach", redViews="", likes="likes", comments="comments", shares="shares"
    ),
    **declare_counts(subscribersGained="follows", subscribersLost="unfollows", estimatedMinutesWatched="watch_minutes"),
    **declare_counts(videosAddedToPlaylists="saves", videosRemovedFromPlaylists=""),
    **dict.fromkeys(REVENUE_METRICS, CountedMetric(())),
    "dislikes": CountedMetric(("likes",), (96, 100)),
}
CHANNEL_METRICS = PlatformMetrics(
    CHANNEL_AUDIENCES,
    _COUNTED_METRICS,
    _COUNTED_METRICS,
    derived_metrics={
        "averageViewDuration": RatioMetric("estimatedMinutesWatched", "views", 60),
        # Videos are half a minute long.
        "averageViewPercentage": RatioMetric("estimatedMinutesWatched", "views", 200, 2),
    },
    read_current_values=get_channel_counts,
    delay_days=3,
)
DEMOGRAPHIC_SHARES = {
    "ageGroup": {f"age{age}": share for age, share in DEMOGRAPHICS["age"].items()},
    "gender": {"female": 58, "male": 42},
}
SHARE_METRIC = "viewerPercentage"
REPORT_TABLE = ReportTable(
    CHANNEL_METRICS,
    "video",
    {"country": DEMOGRAPHICS["country"], **DEMOGRAPHIC_SHARES},
    DEMOGRAPHIC_SHARES,
    SHARE_METRIC,
    most=200,
)
FLOAT_METRICS = {*REVENUE_METRICS, "averageViewPercentage", SHARE_METRIC}
