"""The metrics of YouTube and Business Profiles, with our names and Google's."""

from socialgate.contracts.metrics import PACIFIC, Metric, MetricTable, UnavailableCode

_HIDDEN: UnavailableCode = "not_offered"

YOUTUBE = MetricTable(
    account=(
        # A channel can hide its subscriber count. Google rounds the number to three digits.
        Metric(
            name="followers", vendor="subscriberCount", form="level", daily=False, asked="statistics", absent=_HIDDEN
        ),
        Metric(name="totalViews", vendor="viewCount", form="level", daily=False, asked="statistics"),
        Metric(name="posts", vendor="videoCount", form="level", daily=False, asked="statistics"),
        Metric(name="views", vendor="views"),
        Metric(name="likes", vendor="likes"),
        Metric(name="comments", vendor="comments"),
        Metric(name="shares", vendor="shares"),
        Metric(name="follows", vendor="subscribersGained"),
        Metric(name="unfollows", vendor="subscribersLost"),
        Metric(name="watchTime", vendor="estimatedMinutesWatched", unit="seconds", scale=60),
        Metric(name="averageWatchTime", vendor="averageViewDuration", unit="seconds", form="unique"),
    ),
    post=(
        Metric(name="views", vendor="viewCount", asked="statistics"),
        Metric(name="likes", vendor="likeCount", asked="statistics", absent=_HIDDEN),
        Metric(name="comments", vendor="commentCount", asked="statistics", absent=_HIDDEN),
        Metric(name="shares", vendor="shares"),
        Metric(name="follows", vendor="subscribersGained"),
        Metric(name="watchTime", vendor="estimatedMinutesWatched", unit="seconds", scale=60),
        Metric(name="averageWatchTime", vendor="averageViewDuration", unit="seconds", form="unique"),
    ),
    zone=PACIFIC,
    days_per_call=366,
    history_days=365,
    settled_after=5,
    spends=(("units", 1),),
)

_SHOWN = "BUSINESS_IMPRESSIONS_"
_PLACES = ("DESKTOP_MAPS", "DESKTOP_SEARCH", "MOBILE_MAPS", "MOBILE_SEARCH")
BUSINESS = MetricTable(
    account=(
        # A location that is not verified has no numbers, however old the days are.
        Metric(name="impressions", vendor="+".join(f"{_SHOWN}{place}" for place in _PLACES), absent="not_offered"),
        Metric(name="clicks", vendor="WEBSITE_CLICKS", absent="not_offered"),
        Metric(name="calls", vendor="CALL_CLICKS", absent="not_offered"),
        Metric(name="directions", vendor="BUSINESS_DIRECTION_REQUESTS", absent="not_offered"),
        Metric(name="conversations", vendor="BUSINESS_CONVERSATIONS", absent="not_offered"),
        Metric(name="bookings", vendor="BUSINESS_BOOKINGS", absent="not_offered"),
        Metric(name="foodOrders", vendor="BUSINESS_FOOD_ORDERS", absent="not_offered"),
        Metric(name="menuClicks", vendor="BUSINESS_FOOD_MENU_CLICKS", absent="not_offered"),
    ),
    zone=PACIFIC,
    days_per_call=180,
    history_days=180,
    settled_after=5,
)
