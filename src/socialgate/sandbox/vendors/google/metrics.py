"""What YouTube and Business Profiles count, under their own names."""

from socialgate.sandbox.society.growth import DEMOGRAPHICS
from socialgate.sandbox.society.metrics import Count, Metrics, Ratio, counts
from socialgate.sandbox.society.reports import Table
from socialgate.sandbox.vendors.google.audiences import CHANNELS, PLACES, channel_counts

MONEY = ("estimatedRevenue", "estimatedAdRevenue", "grossRevenue", "cpm", "adImpressions", "monetizedPlaybacks")
_COUNTED = {
    **counts(views="views", engagedViews="reach", redViews="", likes="likes", comments="comments", shares="shares"),
    **counts(subscribersGained="follows", subscribersLost="unfollows", estimatedMinutesWatched="watch_minutes"),
    **counts(videosAddedToPlaylists="saves", videosRemovedFromPlaylists=""),
    **dict.fromkeys(MONEY, Count(())),
    "dislikes": Count(("likes",), (96, 100)),
}
CHANNEL_METRICS = Metrics(
    CHANNELS,
    _COUNTED,
    _COUNTED,
    derived={
        "averageViewDuration": Ratio("estimatedMinutesWatched", "views", 60),
        # Videos are half a minute long.
        "averageViewPercentage": Ratio("estimatedMinutesWatched", "views", 200, 2),
    },
    levels=channel_counts,
    late=3,
)
PEOPLE = {
    "ageGroup": {f"age{age}": share for age, share in DEMOGRAPHICS["age"].items()},
    "gender": {"female": 58, "male": 42},
}
SHARE = "viewerPercentage"
REPORT = Table(CHANNEL_METRICS, "video", {"country": DEMOGRAPHICS["country"], **PEOPLE}, PEOPLE, SHARE, most=200)
FLOATS = {*MONEY, "averageViewPercentage", SHARE}
PLACE_METRICS = Metrics(
    PLACES,
    {
        **counts(
            BUSINESS_IMPRESSIONS_DESKTOP_MAPS="desktop_maps", BUSINESS_IMPRESSIONS_DESKTOP_SEARCH="desktop_search"
        ),
        **counts(BUSINESS_IMPRESSIONS_MOBILE_MAPS="mobile_maps", BUSINESS_IMPRESSIONS_MOBILE_SEARCH="mobile_search"),
        **counts(BUSINESS_DIRECTION_REQUESTS="directions", CALL_CLICKS="calls", WEBSITE_CLICKS="clicks"),
        **counts(BUSINESS_BOOKINGS="bookings", BUSINESS_FOOD_MENU_CLICKS="saves", MESSAGING_CLICKS="chats"),
        # Google no longer counts these but still accepts their names.
        **counts(BUSINESS_CONVERSATIONS="", BUSINESS_FOOD_ORDERS=""),
    },
    followers=False,
    late=4,
    kept=548,
)
SEARCHES = ("BUSINESS_IMPRESSIONS_DESKTOP_SEARCH", "BUSINESS_IMPRESSIONS_MOBILE_SEARCH")
# How many of a hundred thousand searches.
KEYWORDS = {"bakery": 42_000, "bakery near me": 23_000, "cardamom buns": 12_000, "sourdough": 6_000, "semla": 30}
