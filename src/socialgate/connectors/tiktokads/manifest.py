"""What TikTok Ads is, and its permissions."""

from socialgate.connectors.advertising import build_supported_values
from socialgate.connectors.tiktokads.ads.audiences import AUDIENCE_KINDS, VENDOR_NAMES_BY_IDENTIFIER
from socialgate.connectors.tiktokads.ads.conversions import RULE_FIELDS, RULE_OPERATORS
from socialgate.connectors.tiktokads.ads.insights import VENDOR_NAMES_BY_BREAKDOWN
from socialgate.connectors.tiktokads.ads.mappings import (
    VENDOR_NAMES_BY_BID_STRATEGY,
    VENDOR_NAMES_BY_CALL_TO_ACTION,
    VENDOR_NAMES_BY_CONFIGURED_STATUS,
    VENDOR_NAMES_BY_EVENT,
    VENDOR_NAMES_BY_GOAL,
    VENDOR_NAMES_BY_OPTIMIZATION,
    VENDOR_NAMES_BY_SPECIAL_CATEGORY,
)
from socialgate.connectors.tiktokads.ads.media_library import IMAGE_RULE, VIDEO_RULE
from socialgate.contracts import leads
from socialgate.contracts.account_connection import (
    ACCOUNT_HEALTH_CAPABILITY,
    ACCOUNT_PROFILE_CAPABILITY,
    GRANT_REVOCATION_CAPABILITY,
)
from socialgate.contracts.ad_audiences import AUDIENCES_CAPABILITY, CUSTOM_CONVERSIONS_CAPABILITY, PIXELS_CAPABILITY
from socialgate.contracts.ad_insights import AD_INSIGHTS_CAPABILITY, Granularity
from socialgate.contracts.ads import AD_TARGETING_CAPABILITY, ADVERTISING_CAPABILITY
from socialgate.contracts.commerce import COMMERCE_CAPABILITY, PRODUCTS_CAPABILITY
from socialgate.contracts.platforms import (
    Kind,
    KindManifest,
    Platform,
    PlatformLimits,
    PlatformManifest,
    PublisherKind,
    Quota,
)
from socialgate.contracts.webhooks import INBOUND_WEBHOOKS_CAPABILITY

# TikTok's numbers for the permissions of an app. Parts of a permission have numbers that start with it.
ACCOUNT_SCOPE, ADS_SCOPE, AUDIENCE_SCOPE, REPORTING_SCOPE, PIXEL_SCOPE, CATALOG_SCOPE = "1", "2", "3", "4", "8", "9"
LEADS_SCOPE, STORES_SCOPE = "12000000", "19000000"

_ADVERTISING_CAPABILITIES = (
    ADVERTISING_CAPABILITY,
    AD_TARGETING_CAPABILITY,
    AD_INSIGHTS_CAPABILITY,
    AUDIENCES_CAPABILITY,
    PIXELS_CAPABILITY,
    CUSTOM_CONVERSIONS_CAPABILITY,
)

_TIKTOK_ADS_KIND_MANIFEST = KindManifest(
    kind=Kind.TIKTOK_ADS,
    name="TikTok ad account",
    capabilities=(
        ACCOUNT_PROFILE_CAPABILITY,
        ACCOUNT_HEALTH_CAPABILITY,
        GRANT_REVOCATION_CAPABILITY,
        INBOUND_WEBHOOKS_CAPABILITY,
        leads.LEADS_CAPABILITY,
        COMMERCE_CAPABILITY,
        PRODUCTS_CAPABILITY,
        *_ADVERTISING_CAPABILITIES,
    ),
    permissions={
        "ads": (ACCOUNT_SCOPE, ADS_SCOPE),
        "adInsights": (REPORTING_SCOPE,),
        "adTargeting": (ADS_SCOPE,),
        "audiences": (AUDIENCE_SCOPE,),
        "pixels": (PIXEL_SCOPE,),
        "customConversions": (PIXEL_SCOPE,),
        "readLeads": (LEADS_SCOPE,),
        "commerce": (CATALOG_SCOPE,),
        "products": (CATALOG_SCOPE,),
        "shops": (STORES_SCOPE,),
    },
    # At the basic tier.
    limits=PlatformLimits(
        quotas=(
            Quota("calls", 10, 1, per="endpoint"),
            Quota("calls", 600, 60, per="endpoint"),
            Quota("calls", 864_000, 86_400, per="endpoint", resets="UTC"),
            Quota("adCreations", 5, 1, per="app"),
            Quota("adCreations", 150, 60, per="app"),
            Quota("adCreations", 86_400, 86_400, per="app", resets="UTC"),
        )
    ),
    media={"image": IMAGE_RULE, "video": VIDEO_RULE},
    publishers={Kind.TIKTOK: PublisherKind(name="a TikTok account", matched_by_name=True)},
    advertising=build_supported_values(
        goals=VENDOR_NAMES_BY_GOAL,
        optimizations=VENDOR_NAMES_BY_OPTIMIZATION,
        bid_strategies=VENDOR_NAMES_BY_BID_STRATEGY,
        budgets=("daily", "lifetime"),
        statuses=VENDOR_NAMES_BY_CONFIGURED_STATUS,
        special_categories=VENDOR_NAMES_BY_SPECIAL_CATEGORY,
        calls_to_action=VENDOR_NAMES_BY_CALL_TO_ACTION,
        events=VENDOR_NAMES_BY_EVENT,
        breakdowns=VENDOR_NAMES_BY_BREAKDOWN,
        granularities=Granularity,
        audiences=AUDIENCE_KINDS,
        identifiers=VENDOR_NAMES_BY_IDENTIFIER,
        conversion_fields=RULE_FIELDS,
        conversion_operators=RULE_OPERATORS,
    ),
)

MANIFEST = PlatformManifest(
    platform=Platform.TIKTOKADS,
    name="TikTok Ads",
    kinds=(_TIKTOK_ADS_KIND_MANIFEST,),
    settings=("app_id", "app_secret"),
    how_to_set_up=(
        "Register a developer app at business-api.tiktok.com, select the scopes it needs, enter this service's "
        "callback as its advertiser redirect URL, then set SOCIALGATE_TIKTOKADS_APP_ID to the app id and "
        "SOCIALGATE_TIKTOKADS_APP_SECRET to the secret. It is not the same app as for TikTok itself."
    ),
)
