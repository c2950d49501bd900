"""The metrics of Facebook and Instagram, with our names and Meta's."""

from socialgate.contracts.metrics import PACIFIC, Metric, MetricTable, UnavailableCode

# A Page with fewer than 100 likes has empty responses.
_SMALL: UnavailableCode = "too_few_viewers"
# Meta rejects ranges that begin more than two years ago. A day is left out, because it may already be half over there.
_TWO_YEARS = 2 * 365 - 1

PAGE = MetricTable(
    account=(
        Metric(name="followers", vendor="followers_count", form="level", asked="fields"),
        Metric(name="views", vendor="page_media_view", absent=_SMALL),
        Metric(name="reach", vendor="page_total_media_view_unique", form="unique", absent=_SMALL),
        Metric(name="engagement", vendor="page_post_engagements", absent=_SMALL),
        Metric(name="likes", vendor="page_actions_post_reactions_like_total", absent=_SMALL),
        Metric(name="follows", vendor="page_daily_follows_unique", absent=_SMALL),
        Metric(name="unfollows", vendor="page_daily_unfollows_unique", absent=_SMALL),
        Metric(name="profileViews", vendor="page_views_total", absent=_SMALL),
        Metric(name="actions", vendor="page_total_actions", absent=_SMALL),
        Metric(name="videoViews", vendor="page_video_views", absent=_SMALL),
    ),
    post=(
        Metric(name="views", vendor="post_media_view"),
        Metric(name="reach", vendor="post_total_media_view_unique", form="unique"),
        Metric(name="clicks", vendor="post_clicks"),
        Metric(name="likes", vendor="reactions", asked="fields"),
        Metric(name="comments", vendor="comments", asked="fields"),
        Metric(name="shares", vendor="shares", asked="fields"),
    ),
    zone=PACIFIC,
    history_days=180,
    days_back=_TWO_YEARS,
)

_REELS = ("REELS",)
_NOT_REELS = ("FEED", "STORY")
_NOT_STORIES = ("FEED", "REELS")
INSTAGRAM = MetricTable(
    account=(
        Metric(name="followers", vendor="followers_count", form="level", daily=False, asked="fields"),
        Metric(name="reach", vendor="reach", form="unique", asked="series"),
        Metric(name="follows", vendor="follower_count", asked="series", absent=_SMALL, days_back=30),
        Metric(name="unfollows", vendor="follows_and_unfollows", daily=False, asked="leaving", absent=_SMALL),
        Metric(name="views", vendor="views", daily=False, asked="totals"),
        Metric(name="engagement", vendor="total_interactions", daily=False, asked="totals"),
        Metric(name="accountsEngaged", vendor="accounts_engaged", form="unique", daily=False, asked="totals"),
        Metric(name="likes", vendor="likes", daily=False, asked="totals"),
        Metric(name="comments", vendor="comments", daily=False, asked="totals"),
        Metric(name="shares", vendor="shares", daily=False, asked="totals"),
        Metric(name="saves", vendor="saves", daily=False, asked="totals"),
        Metric(name="replies", vendor="replies", daily=False, asked="totals"),
        Metric(name="clicks", vendor="profile_links_taps", daily=False, asked="totals"),
    ),
    post=(
        Metric(name="views", vendor="views"),
        Metric(name="reach", vendor="reach", form="unique"),
        Metric(name="likes", vendor="likes", only=_NOT_STORIES),
        Metric(name="comments", vendor="comments", only=_NOT_STORIES),
        Metric(name="saves", vendor="saved", only=_NOT_STORIES),
        Metric(name="shares", vendor="shares"),
        Metric(name="engagement", vendor="total_interactions"),
        Metric(name="follows", vendor="follows", only=_NOT_REELS),
        Metric(name="profileViews", vendor="profile_visits", only=_NOT_REELS),
        Metric(name="replies", vendor="replies", only=("STORY",)),
        # Instagram has these in milliseconds.
        Metric(name="watchTime", vendor="ig_reels_video_view_total_time", unit="seconds", scale=0.001, only=_REELS),
        Metric(
            name="averageWatchTime",
            vendor="ig_reels_avg_watch_time",
            unit="seconds",
            form="unique",
            scale=0.001,
            only=_REELS,
        ),
        Metric(name="skipRate", vendor="reels_skip_rate", unit="percent", form="unique", only=_REELS),
    ),
    zone=PACIFIC,
    days_per_call=30,
    history_days=30,
    days_back=_TWO_YEARS,
)
