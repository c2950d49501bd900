"""What Instagram counts, under its own names, and which metrics can be combined with what."""

from socialgate_sandbox.society.audience_growth import DEMOGRAPHICS
from socialgate_sandbox.society.platform_metrics import CompositeMetric, PlatformMetrics, RatioMetric, declare_counts
from socialgate_sandbox.vendors.meta.instagram.instagram_audience import INSTAGRAM_AUDIENCE_READER

FOLLOWS_AND_UNFOLLOWS = "follows_and_unfollows"
INSTAGRAM_METRICS = PlatformMetrics(
    INSTAGRAM_AUDIENCE_READER,
    {
        **declare_counts(views="views", reach="reach", follower_count="follows", unfollows="unfollows", likes="likes"),
        **declare_counts(comments="comments", shares="shares", saves="saves", replies="replies", reposts="reposts"),
        **declare_counts(accounts_engaged="likes", total_interactions="likes comments shares saves replies"),
        **declare_counts(profile_links_taps="clicks"),
    },
    {
        **declare_counts(
            views="views", reach="reach", likes="likes", comments="comments", saved="saves", shares="shares"
        ),
        **declare_counts(
            total_interactions="likes comments saves shares replies", follows="follows", replies="replies"
        ),
        **declare_counts(
            profile_visits="profile_views", profile_activity="clicks", link_clicks="clicks", reposts="reposts"
        ),
        **declare_counts(total_likes="likes", total_comments="comments", total_views="views", navigation="views"),
        # In milliseconds.
        **declare_counts(ig_reels_video_view_total_time="watch_seconds", times=1000),
    },
    derived_metrics={
        "ig_reels_avg_watch_time": RatioMetric("ig_reels_video_view_total_time", "views"),
        # People who do not stay for three seconds, in percent.
        "reels_skip_rate": RatioMetric("views", "views", 31),
        FOLLOWS_AND_UNFOLLOWS: CompositeMetric({"FOLLOWER": "follower_count", "NON_FOLLOWER": "unfollows"}),
    },
    online_metric="online_followers",
    delay_days=1,
)
TOO_OLD_MESSAGE = "(follower_count) metric only supports querying data for the last 30 days excluding the current day"
DEMOGRAPHIC_METRICS = ("follower_demographics", "engaged_audience_demographics", "reached_audience_demographics")
ACCOUNT_METRIC_NAMES = [
    *(set(INSTAGRAM_METRICS.account_metrics) - {"unfollows"}),
    "online_followers",
    FOLLOWS_AND_UNFOLLOWS,
    *DEMOGRAPHIC_METRICS,
]
# Metrics that small accounts do not get, and metrics that are served as a series.
MIN_FOLLOWER_METRICS = {"follower_count", "online_followers", FOLLOWS_AND_UNFOLLOWS, *DEMOGRAPHIC_METRICS}
SERIES_METRICS = {"reach", "follower_count", "online_followers"}
PERIODS_BY_METRIC = {
    "online_followers": {"lifetime"},
    **{name: {"lifetime"} for name in DEMOGRAPHIC_METRICS},
    "reach": {"day", "week", "days_28"},
}
TIMEFRAMES = {"last_14_days", "last_30_days", "last_90_days", "prev_month", "this_month", "this_week"}
BREAKDOWN_SHARES = {
    **DEMOGRAPHICS,
    "media_product_type": {"POST": 55, "REEL": 35, "STORY": 10},
    "follow_type": {"FOLLOWER": 64, "NON_FOLLOWER": 36},
    "follower_type": {"FOLLOWER": 64, "NON_FOLLOWER": 36},
    "contact_button_type": {"CALL": 30, "DIRECTION": 45, "EMAIL": 25},
    "story_navigation_action_type": {"tap_forward": 70, "tap_back": 8, "tap_exit": 15, "swipe_forward": 7},
    "action_type": {"bio_link_clicked": 70, "direction": 20, "call": 10},
}
_MEDIA_TYPE_METRICS = ("reach", "total_interactions", "likes", "comments", "saves", "shares", "reposts")
BREAKDOWNS_BY_METRIC = {
    **{name: {"media_product_type"} for name in _MEDIA_TYPE_METRICS},
    **{name: set(DEMOGRAPHICS) for name in DEMOGRAPHIC_METRICS},
    "reach": {"media_product_type", "follow_type"},
    "views": {"media_product_type", "follower_type"},
    "profile_links_taps": {"contact_button_type"},
    FOLLOWS_AND_UNFOLLOWS: {"follow_type"},
    "navigation": {"story_navigation_action_type"},
    "profile_activity": {"action_type"},
}
_COMMON_METRICS = ["views", "reach", "shares", "total_interactions"]
_BASE_FEED_METRICS = [
    *_COMMON_METRICS,
    "likes",
    "comments",
    "saved",
    "reposts",
    "total_likes",
    "total_comments",
    "total_views",
]
_VISIT_METRICS = ["follows", "profile_visits", "profile_activity"]
_REEL_METRICS = ["ig_reels_avg_watch_time", "ig_reels_video_view_total_time", "reels_skip_rate"]
FEED_METRIC_NAMES = [*_BASE_FEED_METRICS, *_VISIT_METRICS]
METRIC_NAMES_BY_TYPE = {
    "FEED": FEED_METRIC_NAMES,
    "REELS": [*_BASE_FEED_METRICS, *_REEL_METRICS],
    "STORY": [*_COMMON_METRICS, *_VISIT_METRICS, "replies", "navigation", "link_clicks", "reposts"],
}
MEDIA_METRIC_NAMES = list(dict.fromkeys(name for names in METRIC_NAMES_BY_TYPE.values() for name in names))
UNSUPPORTED_METRIC_MESSAGE = "The Media Insights API does not support the {} metric for this media product type."
