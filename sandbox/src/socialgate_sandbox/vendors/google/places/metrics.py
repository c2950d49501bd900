"""What Business Profiles count, under their own names."""

from socialgate_sandbox.society.metrics import Metrics, counts
from socialgate_sandbox.vendors.google.places.audiences import PLACES

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
