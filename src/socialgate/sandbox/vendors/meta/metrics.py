"""What Facebook and Instagram count, under their own names, and which metrics can be combined with what."""

from socialgate.sandbox.society.growth import DEMOGRAPHICS
from socialgate.sandbox.society.metrics import Metrics, Parts, Ratio, counts, split
from socialgate.sandbox.vendors.meta.audiences import ON_FACEBOOK, ON_INSTAGRAM

_REACTIONS = {"like": 70, "love": 18, "wow": 4, "haha": 4, "sorry": 2, "anger": 2}
_BY_REACTION = {name: f"post_reactions_{name}_total" for name in _REACTIONS}
PAGE_METRICS = Metrics(
    ON_FACEBOOK,
    {
        **counts(page_media_view="views", page_total_media_view_unique="reach", page_views_total="profile_views"),
        **counts(page_post_engagements="likes comments shares clicks", page_total_actions="clicks"),
        **counts(page_daily_follows="follows", page_daily_follows_unique="follows", page_video_views="viral_views"),
        **counts(page_daily_unfollows="unfollows", page_daily_unfollows_unique="unfollows"),
        **counts(page_lifetime_engaged_followers_unique="likes comments"),
        **split("likes", **{f"page_actions_{by}": _REACTIONS[name] for name, by in _BY_REACTION.items()}),
    },
    {
        **counts(post_media_view="views", post_total_media_view_unique="reach", post_clicks="clicks"),
        **counts(post_video_views="viral_views", reactions="likes", comments="comments", shares="shares"),
        **counts(total_video_views="views", total_video_views_unique="reach", post_impressions_unique="reach"),
        **counts(blue_reels_play_count="views", fb_reels_total_plays="views"),
        # In milliseconds.
        **counts(total_video_view_total_time="watch_seconds", post_video_view_time="watch_seconds", times=1000),
        **split("likes", **{by: _REACTIONS[name] for name, by in _BY_REACTION.items()}),
    },
    # The values of these are objects.
    derived={
        "page_actions_post_reactions_total": Parts({name: f"page_actions_{by}" for name, by in _BY_REACTION.items()}),
        "page_fan_adds_by_paid_non_paid_unique": Parts({"total": "page_daily_follows", "unpaid": "page_daily_follows"}),
        "post_reactions_by_type_total": Parts(_BY_REACTION, sparse=True),
        "post_clicks_by_type": Parts({"other clicks": "post_clicks"}, sparse=True),
        "post_activity_by_action_type": Parts(
            {"like": "reactions", "comment": "comments", "share": "shares"}, sparse=True
        ),
        "total_video_reactions_by_type_total": Parts(_BY_REACTION, sparse=True),
        "post_video_likes_by_reaction_type": Parts(
            {f"REACTION_{name.upper()}": by for name, by in _BY_REACTION.items()}, sparse=True
        ),
        "post_video_social_actions": Parts({"COMMENT": "comments", "SHARE": "shares"}, sparse=True),
        "total_video_avg_time_watched": Ratio("post_video_view_time", "post_media_view"),
        "post_video_avg_time_watched": Ratio("post_video_view_time", "post_media_view"),
    },
    level="page_follows",
    late=1,
)
OF_PAGE = {*PAGE_METRICS.account, *(name for name in PAGE_METRICS.derived if name.startswith("page_")), "page_follows"}
OF_POST = [
    *("post_media_view", "post_total_media_view_unique", "post_clicks", "post_video_views", *_BY_REACTION.values()),
    *("post_reactions_by_type_total", "post_clicks_by_type", "post_activity_by_action_type"),
]
OF_VIDEO = [
    *("total_video_views", "total_video_views_unique", "total_video_view_total_time", "total_video_avg_time_watched"),
    "total_video_reactions_by_type_total",
]
OF_REEL = [
    *("blue_reels_play_count", "fb_reels_total_plays", "post_impressions_unique", "post_video_view_time"),
    *("post_video_avg_time_watched", "post_video_likes_by_reaction_type", "post_video_social_actions"),
]
BOTH = "follows_and_unfollows"
INSTAGRAM_METRICS = Metrics(
    ON_INSTAGRAM,
    {
        **counts(views="views", reach="reach", follower_count="follows", unfollows="unfollows", likes="likes"),
        **counts(comments="comments", shares="shares", saves="saves", replies="replies", reposts="reposts"),
        **counts(accounts_engaged="likes", total_interactions="likes comments shares saves replies"),
        **counts(profile_links_taps="clicks", website_clicks="clicks", profile_views="profile_views"),
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
