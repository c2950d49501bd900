"""The metrics of YouTube and Business Profiles, with our names and Google's."""

from socialgate.contracts.metrics import PACIFIC_TIMEZONE, MetricTable, PlatformMetric, UnavailableCode

_NOT_OFFERED: UnavailableCode = "not_offered"

YOUTUBE_METRICS = MetricTable(
    account_metrics=(
        # A channel can hide its subscriber count. Google rounds the number to three digits.
        PlatformMetric(
            name="followers",
            vendor="subscriberCount",
            form="level",
            daily=False,
            request_group="statistics",
            absent=_NOT_OFFERED,
        ),
        PlatformMetric(name="totalViews", vendor="viewCount", form="level", daily=False, request_group="statistics"),
        PlatformMetric(name="posts", vendor="videoCount", form="level", daily=False, request_group="statistics"),
        PlatformMetric(name="views", vendor="views"),
        PlatformMetric(name="likes", vendor="likes"),
        PlatformMetric(name="comments", vendor="comments"),
        PlatformMetric(name="shares", vendor="shares"),
        PlatformMetric(name="follows", vendor="subscribersGained"),
        PlatformMetric(name="unfollows", vendor="subscribersLost", lower_is_better=True),
        PlatformMetric(name="watchTime", vendor="estimatedMinutesWatched", unit="seconds", scale=60),
        PlatformMetric(name="averageWatchTime", vendor="averageViewDuration", unit="seconds", form="unique"),
    ),
    post_metrics=(
        PlatformMetric(name="views", vendor="viewCount", request_group="statistics"),
        PlatformMetric(name="likes", vendor="likeCount", request_group="statistics", absent=_NOT_OFFERED),
        PlatformMetric(name="comments", vendor="commentCount", request_group="statistics", absent=_NOT_OFFERED),
        PlatformMetric(name="shares", vendor="shares"),
        PlatformMetric(name="follows", vendor="subscribersGained"),
        PlatformMetric(name="watchTime", vendor="estimatedMinutesWatched", unit="seconds", scale=60),
        PlatformMetric(name="averageWatchTime", vendor="averageViewDuration", unit="seconds", form="unique"),
    ),
    zone=PACIFIC_TIMEZONE,
    days_per_call=366,
    history_days=365,
    settles_after_days=5,
    snapshot_quota_costs=(("units", 1),),
)

_IMPRESSIONS_PREFIX = "BUSINESS_IMPRESSIONS_"
_IMPRESSION_SURFACES = ("DESKTOP_MAPS", "DESKTOP_SEARCH", "MOBILE_MAPS", "MOBILE_SEARCH")
BUSINESS_METRICS = MetricTable(
    account_metrics=(
        # A location that is not verified has no numbers, however old the days are.
        PlatformMetric(
            name="impressions",
            vendor="+".join(f"{_IMPRESSIONS_PREFIX}{place}" for place in _IMPRESSION_SURFACES),
            absent="not_offered",
        ),
        PlatformMetric(name="clicks", vendor="WEBSITE_CLICKS", absent="not_offered"),
        PlatformMetric(name="calls", vendor="CALL_CLICKS", absent="not_offered"),
        PlatformMetric(name="directions", vendor="BUSINESS_DIRECTION_REQUESTS", absent="not_offered"),
        PlatformMetric(name="conversations", vendor="BUSINESS_CONVERSATIONS", absent="not_offered"),
        PlatformMetric(name="bookings", vendor="BUSINESS_BOOKINGS", absent="not_offered"),
        PlatformMetric(name="foodOrders", vendor="BUSINESS_FOOD_ORDERS", absent="not_offered"),
        PlatformMetric(name="menuClicks", vendor="BUSINESS_FOOD_MENU_CLICKS", absent="not_offered"),
    ),
    zone=PACIFIC_TIMEZONE,
    days_per_call=180,
    history_days=180,
    settles_after_days=5,
)
