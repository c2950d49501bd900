"""What Facebook counts of Pages and of what they post, under its own names."""

from socialgate_sandbox.society.platform_metrics import (
    CompositeMetric,
    PlatformMetrics,
    RatioMetric,
    declare_counts,
    declare_shares,
)
from socialgate_sandbox.vendors.meta.pages.page_audience import PAGE_AUDIENCE_READER

_REACTION_SHARES = {"like": 70, "love": 18, "wow": 4, "haha": 4, "sorry": 2, "anger": 2}
_METRICS_BY_REACTION = {name: f"post_reactions_{name}_total" for name in _REACTION_SHARES}
PAGE_METRICS = PlatformMetrics(
    PAGE_AUDIENCE_READER,
    {
        **declare_counts(
            page_media_view="views", page_total_media_view_unique="reach", page_views_total="profile_views"
        ),
        **declare_counts(page_post_engagements="likes comments shares clicks", page_total_actions="clicks"),
        **declare_counts(
            page_daily_follows="follows", page_daily_follows_unique="follows", page_video_views="viral_views"
        ),
        **declare_counts(page_daily_unfollows="unfollows", page_daily_unfollows_unique="unfollows"),
        **declare_counts(page_lifetime_engaged_followers_unique="likes comments"),
        **declare_shares(
            "likes", **{f"page_actions_{by}": _REACTION_SHARES[name] for name, by in _METRICS_BY_REACTION.items()}
        ),
    },
    {
        **declare_counts(post_media_view="views", post_total_media_view_unique="reach", post_clicks="clicks"),
        **declare_counts(post_video_views="viral_views", reactions="likes", comments="comments", shares="shares"),
        **declare_counts(total_video_views="views", total_video_views_unique="reach", post_impressions_unique="reach"),
        **declare_counts(blue_reels_play_count="views", fb_reels_total_plays="views"),
        # In milliseconds.
        **declare_counts(total_video_view_total_time="watch_seconds", post_video_view_time="watch_seconds", times=1000),
        **declare_shares("likes", **{by: _REACTION_SHARES[name] for name, by in _METRICS_BY_REACTION.items()}),
    },
    # The values of these are objects.
    derived_metrics={
        "page_actions_post_reactions_total": CompositeMetric(
            {name: f"page_actions_{by}" for name, by in _METRICS_BY_REACTION.items()}
        ),
        "page_fan_adds_by_paid_non_paid_unique": CompositeMetric(
            {"total": "page_daily_follows", "unpaid": "page_daily_follows"}
        ),
        "post_reactions_by_type_total": CompositeMetric(_METRICS_BY_REACTION, omits_zeros=True),
        "post_clicks_by_type": CompositeMetric({"other clicks": "post_clicks"}, omits_zeros=True),
        "post_activity_by_action_type": CompositeMetric(
            {"like": "reactions", "comment": "comments", "share": "shares"}, omits_zeros=True
        ),
        "total_video_reactions_by_type_total": CompositeMetric(_METRICS_BY_REACTION, omits_zeros=True),
        "post_video_likes_by_reaction_type": CompositeMetric(
            {f"REACTION_{name.upper()}": by for name, by in _METRICS_BY_REACTION.items()}, omits_zeros=True
        ),
        "post_video_social_actions": CompositeMetric({"COMMENT": "comments", "SHARE": "shares"}, omits_zeros=True),
        "total_video_avg_time_watched": RatioMetric("post_video_view_time", "post_media_view"),
        "post_video_avg_time_watched": RatioMetric("post_video_view_time", "post_media_view"),
    },
    level="page_follows",
    delay_days=1,
)
PAGE_METRIC_NAMES = {
    *PAGE_METRICS.account_metrics,
    *(name for name in PAGE_METRICS.derived_metrics if name.startswith("page_")),
    "page_follows",
}
POST_METRIC_NAMES = [
    *(
        "post_media_view",
        "post_total_media_view_unique",
        "post_clicks",
        "post_video_views",
        *_METRICS_BY_REACTION.values(),
    ),
    *("post_reactions_by_type_total", "post_clicks_by_type", "post_activity_by_action_type"),
]
VIDEO_METRIC_NAMES = [
    *("total_video_views", "total_video_views_unique", "total_video_view_total_time", "total_video_avg_time_watched"),
    "total_video_reactions_by_type_total",
]
REEL_METRIC_NAMES = [
    *("blue_reels_play_count", "fb_reels_total_plays", "post_impressions_unique", "post_video_view_time"),
    *("post_video_avg_time_watched", "post_video_likes_by_reaction_type", "post_video_social_actions"),
]
