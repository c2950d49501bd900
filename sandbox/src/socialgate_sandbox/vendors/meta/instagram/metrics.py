"""What Instagram counts, under its own names, and which metrics can be combined with what."""

from socialgate_sandbox.society.growth import DEMOGRAPHICS
from socialgate_sandbox.society.metrics import Metrics, Parts, Ratio, counts
from socialgate_sandbox.vendors.meta.instagram.audiences import ON_INSTAGRAM

BOTH = "follows_and_unfollows"
INSTAGRAM_METRICS = Metrics(
    ON_INSTAGRAM,
    {
        **counts(views="views", reach="reach", follower_count="follows", unfollows="unfollows", likes="likes"),
        **counts(comments="comments", shares="shares", saves="saves", replies="replies", reposts="reposts"),
        **counts(accounts_engaged="likes", total_interactions="likes comments shares saves replies"),
        **counts(profile_links_taps="clicks"),
    },
    {
        **counts(views="views", reach="reach", likes="likes", comments="comments", saved="saves", shares="shares"),
        **counts(total_interactions="likes comments saves shares replies", follows="follows", replies="replies"),
        **counts(profile_visits="profile_views", profile_activity="clicks", link_clicks="clicks", reposts="reposts"),
        **counts(total_likes="likes", total_comments="comments", total_views="views", navigation="views"),
        # In milliseconds.
        **counts(ig_reels_video_view_total_time="watch_seconds", times=1000),
    },
    derived={
        "ig_reels_avg_watch_time": Ratio("ig_reels_video_view_total_time", "views"),
        # People who do not stay for three seconds, in percent.
        "reels_skip_rate": Ratio("views", "views", 31),
        BOTH: Parts({"FOLLOWER": "follower_count", "NON_FOLLOWER": "unfollows"}),
    },
    online="online_followers",
    late=1,
)
TOO_OLD = "(follower_count) metric only supports querying data for the last 30 days excluding the current day"
PEOPLE = ("follower_demographics", "engaged_audience_demographics", "reached_audience_demographics")
OF_INSTAGRAM = [*(set(INSTAGRAM_METRICS.account) - {"unfollows"}), "online_followers", BOTH, *PEOPLE]
# Metrics that small accounts do not get, and metrics that are served as a series.
GUARDED = {"follower_count", "online_followers", BOTH, *PEOPLE}
SERIES = {"reach", "follower_count", "online_followers"}
PERIODS = {
    "online_followers": {"lifetime"},
    **{name: {"lifetime"} for name in PEOPLE},
    "reach": {"day", "week", "days_28"},
}
TIMEFRAMES = {"last_14_days", "last_30_days", "last_90_days", "prev_month", "this_month", "this_week"}
SHARES = {
    **DEMOGRAPHICS,
    "media_product_type": {"POST": 55, "REEL": 35, "STORY": 10},
    "follow_type": {"FOLLOWER": 64, "NON_FOLLOWER": 36},
    "follower_type": {"FOLLOWER": 64, "NON_FOLLOWER": 36},
    "contact_button_type": {"CALL": 30, "DIRECTION": 45, "EMAIL": 25},
    "story_navigation_action_type": {"tap_forward": 70, "tap_back": 8, "tap_exit": 15, "swipe_forward": 7},
    "action_type": {"bio_link_clicked": 70, "direction": 20, "call": 10},
}
_BY_MEDIA = ("reach", "total_interactions", "likes", "comments", "saves", "shares", "reposts")
BREAKDOWNS = {
    **{name: {"media_product_type"} for name in _BY_MEDIA},
    **{name: set(DEMOGRAPHICS) for name in PEOPLE},
    "reach": {"media_product_type", "follow_type"},
    "views": {"media_product_type", "follower_type"},
    "profile_links_taps": {"contact_button_type"},
    BOTH: {"follow_type"},
    "navigation": {"story_navigation_action_type"},
    "profile_activity": {"action_type"},
}
_EVERYWHERE = ["views", "reach", "shares", "total_interactions"]
_FEED = [*_EVERYWHERE, "likes", "comments", "saved", "reposts", "total_likes", "total_comments", "total_views"]
_VISITS = ["follows", "profile_visits", "profile_activity"]
_REELS = ["ig_reels_avg_watch_time", "ig_reels_video_view_total_time", "reels_skip_rate"]
OF_FEED = [*_FEED, *_VISITS]
OF_TYPE = {
    "FEED": OF_FEED,
    "REELS": [*_FEED, *_REELS],
    "STORY": [*_EVERYWHERE, *_VISITS, "replies", "navigation", "link_clicks", "reposts"],
}
OF_MEDIA = list(dict.fromkeys(name for names in OF_TYPE.values() for name in names))
NOT_OF_TYPE = "The Media Insights API does not support the {} metric for this media product type."
