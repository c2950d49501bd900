"""What TikTok Ads is, and its permissions."""

from socialgate.connectors.advertising import supported
from socialgate.connectors.tiktokads.ads.audiences import AUDIENCE_KINDS, IDENTIFIERS
from socialgate.connectors.tiktokads.ads.conversions import RULE_FIELDS, RULE_OPERATORS
from socialgate.connectors.tiktokads.ads.insights import BREAKDOWNS
from socialgate.connectors.tiktokads.ads.library import IMAGE, VIDEO
from socialgate.connectors.tiktokads.ads.words import BIDS, BUTTONS, CATEGORIES, EVENTS, GOALS, OPTIMIZATIONS, SWITCHES
from socialgate.contracts import leads
from socialgate.contracts.ad_audiences import AUDIENCES, CUSTOM_CONVERSIONS, PIXELS
from socialgate.contracts.ad_insights import AD_INSIGHTS, Granularity
from socialgate.contracts.ads import AD_TARGETING
from socialgate.contracts.ads import ADS as ADVERTISING
from socialgate.contracts.commerce import COMMERCE, PRODUCTS
from socialgate.contracts.connecting import ABOUT, HEALTH, REVOKE
from socialgate.contracts.inbound import INBOUND
from socialgate.contracts.platforms import Kind, KindManifest, Limits, Manifest, Platform, PublisherKind, Quota

# TikTok's numbers for the permissions of an app. Parts of a permission have numbers that start with it.
ACCOUNT, ADS, AUDIENCE, REPORTING, PIXEL, CATALOG = "1", "2", "3", "4", "8", "9"
LEADS, STORES = "12000000", "19000000"

_ADVERTISING = (ADVERTISING, AD_TARGETING, AD_INSIGHTS, AUDIENCES, PIXELS, CUSTOM_CONVERSIONS)

_TIKTOK_ADS = KindManifest(
    kind=Kind.TIKTOK_ADS,
    name="TikTok ad account",
    capabilities=(ABOUT, HEALTH, REVOKE, INBOUND, leads.LEADS, COMMERCE, PRODUCTS, *_ADVERTISING),
    permissions={
        "ads": (ACCOUNT, ADS),
        "adInsights": (REPORTING,),
        "adTargeting": (ADS,),
        "audiences": (AUDIENCE,),
        "pixels": (PIXEL,),
        "customConversions": (PIXEL,),
        "readLeads": (LEADS,),
        "commerce": (CATALOG,),
        "products": (CATALOG,),
        "shops": (STORES,),
    },
    # At the basic tier.
    limits=Limits(
        quotas=(
            Quota("calls", 10, 1, per="endpoint"),
            Quota("calls", 600, 60, per="endpoint"),
            Quota("calls", 864_000, 86_400, per="endpoint", resets="UTC"),
            Quota("adCreations", 5, 1, per="app"),
            Quota("adCreations", 150, 60, per="app"),
            Quota("adCreations", 86_400, 86_400, per="app", resets="UTC"),
        )
    ),
    media={"image": IMAGE, "video": VIDEO},
    publishers={Kind.TIKTOK: PublisherKind(name="a TikTok account", matched_by_name=True)},
    advertising=supported(
        goals=GOALS,
        optimizations=OPTIMIZATIONS,
        bid_strategies=BIDS,
        budgets=("daily", "lifetime"),
        statuses=SWITCHES,
        special_categories=CATEGORIES,
        calls_to_action=BUTTONS,
        events=EVENTS,
        breakdowns=BREAKDOWNS,
        granularities=Granularity,
        audiences=AUDIENCE_KINDS,
        identifiers=IDENTIFIERS,
        conversion_fields=RULE_FIELDS,
        conversion_operators=RULE_OPERATORS,
    ),
)

MANIFEST = Manifest(
    platform=Platform.TIKTOKADS,
    name="TikTok Ads",
    kinds=(_TIKTOK_ADS,),
    settings=("app_id", "app_secret"),
    how_to_set_up=(
        "Register a developer app at business-api.tiktok.com, select the scopes it needs, enter this service's "
        "callback as its advertiser redirect URL, then set SOCIALGATE_TIKTOKADS_APP_ID to the app id and "
        "SOCIALGATE_TIKTOKADS_APP_SECRET to the secret. It is not the same app as for TikTok itself."
    ),
)
