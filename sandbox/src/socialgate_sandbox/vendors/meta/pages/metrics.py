"""What Facebook counts of Pages and of what they post, under its own names."""

from socialgate_sandbox.society.metrics import Metrics, Parts, Ratio, counts, split
from socialgate_sandbox.vendors.meta.pages.audiences import ON_FACEBOOK

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
