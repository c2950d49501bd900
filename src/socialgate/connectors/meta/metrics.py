"""The metrics of Facebook and Instagram, with our names and Meta's."""

from socialgate.contracts.metrics import PACIFIC_TIMEZONE, MetricTable, PlatformMetric, UnavailableCode

# A Page with fewer than 100 likes has empty responses.
_TOO_FEW_VIEWERS_CODE: UnavailableCode = "too_few_viewers"
# Meta rejects ranges that begin more than two years ago. A day is left out, because it may already be half over there.
_MAX_DAYS_BACK = 2 * 365 - 1

PAGE_METRICS = MetricTable(
    account_metrics=(
        PlatformMetric(name="followers", vendor="followers_count", form="level", request_group="fields"),
        PlatformMetric(name="views", vendor="page_media_view", absent=_TOO_FEW_VIEWERS_CODE),
        PlatformMetric(
            name="reach", vendor="page_total_media_view_unique", form="unique", absent=_TOO_FEW_VIEWERS_CODE
        ),
        PlatformMetric(name="engagement", vendor="page_post_engagements", absent=_TOO_FEW_VIEWERS_CODE),
        PlatformMetric(name="likes", vendor="page_actions_post_reactions_like_total", absent=_TOO_FEW_VIEWERS_CODE),
        PlatformMetric(name="follows", vendor="page_daily_follows_unique", absent=_TOO_FEW_VIEWERS_CODE),
        PlatformMetric(
            name="unfollows", vendor="page_daily_unfollows_unique", absent=_TOO_FEW_VIEWERS_CODE, lower_is_better=True
        ),
        PlatformMetric(name="profileViews", vendor="page_views_total", absent=_TOO_FEW_VIEWERS_CODE),
        PlatformMetric(name="actions", vendor="page_total_actions", absent=_TOO_FEW_VIEWERS_CODE),
        PlatformMetric(name="videoViews", vendor="page_video_views", absent=_TOO_FEW_VIEWERS_CODE),
    ),
    post_metrics=(
        PlatformMetric(name="views", vendor="post_media_view"),
        PlatformMetric(name="reach", vendor="post_total_media_view_unique", form="unique"),
        PlatformMetric(name="clicks", vendor="post_clicks"),
        PlatformMetric(name="likes", vendor="reactions", request_group="fields"),
        PlatformMetric(name="comments", vendor="comments", request_group="fields"),
        PlatformMetric(name="shares", vendor="shares", request_group="fields"),
    ),
    zone=PACIFIC_TIMEZONE,
    history_days=180,
    max_days_back=_MAX_DAYS_BACK,
)

_REEL_MEDIA_TYPES = ("REELS",)
_NON_REEL_MEDIA_TYPES = ("FEED", "STORY")
_NON_STORY_MEDIA_TYPES = ("FEED", "REELS")
INSTAGRAM_METRICS = MetricTable(
    account_metrics=(
        PlatformMetric(name="followers", vendor="followers_count", form="level", daily=False, request_group="fields"),
        PlatformMetric(name="reach", vendor="reach", form="unique", request_group="series"),
        PlatformMetric(
            name="follows", vendor="follower_count", request_group="series", absent=_TOO_FEW_VIEWERS_CODE, days_back=30
        ),
        PlatformMetric(
            name="unfollows",
            vendor="follows_and_unfollows",
            daily=False,
            request_group="leaving",
            absent=_TOO_FEW_VIEWERS_CODE,
            lower_is_better=True,
        ),
        PlatformMetric(name="views", vendor="views", daily=False, request_group="totals"),
        PlatformMetric(name="engagement", vendor="total_interactions", daily=False, request_group="totals"),
        PlatformMetric(
            name="accountsEngaged", vendor="accounts_engaged", form="unique", daily=False, request_group="totals"
        ),
        PlatformMetric(name="likes", vendor="likes", daily=False, request_group="totals"),
        PlatformMetric(name="comments", vendor="comments", daily=False, request_group="totals"),
        PlatformMetric(name="shares", vendor="shares", daily=False, request_group="totals"),
        PlatformMetric(name="saves", vendor="saves", daily=False, request_group="totals"),
        PlatformMetric(name="replies", vendor="replies", daily=False, request_group="totals"),
        PlatformMetric(name="clicks", vendor="profile_links_taps", daily=False, request_group="totals"),
    ),
    post_metrics=(
        PlatformMetric(name="views", vendor="views"),
        PlatformMetric(name="reach", vendor="reach", form="unique"),
        PlatformMetric(name="likes", vendor="likes", only=_NON_STORY_MEDIA_TYPES),
        PlatformMetric(name="comments", vendor="comments", only=_NON_STORY_MEDIA_TYPES),
        PlatformMetric(name="saves", vendor="saved", only=_NON_STORY_MEDIA_TYPES),
        PlatformMetric(name="shares", vendor="shares"),
        PlatformMetric(name="engagement", vendor="total_interactions"),
        PlatformMetric(name="follows", vendor="follows", only=_NON_REEL_MEDIA_TYPES),
        PlatformMetric(name="profileViews", vendor="profile_visits", only=_NON_REEL_MEDIA_TYPES),
        PlatformMetric(name="replies", vendor="replies", only=("STORY",)),
        # Instagram has these in milliseconds.
        PlatformMetric(
            name="watchTime",
            vendor="ig_reels_video_view_total_time",
            unit="seconds",
            scale=0.001,
            only=_REEL_MEDIA_TYPES,
        ),
        PlatformMetric(
            name="averageWatchTime",
            vendor="ig_reels_avg_watch_time",
            unit="seconds",
            form="unique",
            scale=0.001,
            only=_REEL_MEDIA_TYPES,
        ),
        PlatformMetric(
            name="skipRate",
            vendor="reels_skip_rate",
            unit="percent",
            form="unique",
            only=_REEL_MEDIA_TYPES,
            lower_is_better=True,
        ),
    ),
    zone=PACIFIC_TIMEZONE,
    days_per_call=30,
    history_days=30,
    max_days_back=_MAX_DAYS_BACK,
)
