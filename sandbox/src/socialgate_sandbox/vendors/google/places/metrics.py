"""What Business Profiles count, under their own names."""

from socialgate_sandbox.society.platform_metrics import PlatformMetrics, declare_counts
from socialgate_sandbox.vendors.google.places.audiences import LOCATION_AUDIENCES

LOCATION_METRICS = PlatformMetrics(
    LOCATION_AUDIENCES,
    {
        **declare_counts(
            BUSINESS_IMPRESSIONS_DESKTOP_MAPS="desktop_maps", BUSINESS_IMPRESSIONS_DESKTOP_SEARCH="desktop_search"
        ),
        **declare_counts(
            BUSINESS_IMPRESSIONS_MOBILE_MAPS="mobile_maps", BUSINESS_IMPRESSIONS_MOBILE_SEARCH="mobile_search"
        ),
        **declare_counts(BUSINESS_DIRECTION_REQUESTS="directions", CALL_CLICKS="calls", WEBSITE_CLICKS="clicks"),
        **declare_counts(BUSINESS_BOOKINGS="bookings", BUSINESS_FOOD_MENU_CLICKS="saves", MESSAGING_CLICKS="chats"),
        # Google no longer counts these but still accepts their names.
        **declare_counts(BUSINESS_CONVERSATIONS="", BUSINESS_FOOD_ORDERS=""),
    },
    has_followers=False,
    delay_days=4,
    retention_days=548,
)
SEARCH_METRICS = ("BUSINESS_IMPRESSIONS_DESKTOP_SEARCH", "BUSINESS_IMPRESSIONS_MOBILE_SEARCH")
# How many of a hundred thousand searches.
KEYWORD_SHARES = {"bakery": 42_000, "bakery near me": 23_000, "cardamom buns": 12_000, "sourdough": 6_000, "semla": 30}
