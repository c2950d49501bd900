"""What TikTok Ads is, and its permissions."""

from socialgate.contracts import leads
from socialgate.contracts.commerce import COMMERCE, PRODUCTS
from socialgate.contracts.connecting import ABOUT, HEALTH, REVOKE
from socialgate.contracts.inbound import INBOUND
from socialgate.contracts.platforms import Kind, KindManifest, Limits, Manifest, Platform, Quota

# TikTok's numbers for the permissions of an app. Parts of a permission have numbers that start with it.
ACCOUNT, ADS, REPORTING, CATALOG, LEADS, COMMENTS, STORES = "1", "2", "4", "9", "12000000", "15000000", "19000000"

_TIKTOK_ADS = KindManifest(
    kind=Kind.TIKTOK_ADS,
    name="TikTok ad account",
    capabilities=(ABOUT, HEALTH, REVOKE, INBOUND, leads.LEADS, COMMERCE, PRODUCTS),
    permissions={
        "ads": (ACCOUNT, ADS),
        "readInsights": (REPORTING,),
        "readLeads": (LEADS,),
        "commerce": (CATALOG,),
        "products": (CATALOG,),
        "shops": (STORES,),
        "comment": (COMMENTS,),
    },
    # At the basic tier.
    limits=Limits(
        quotas=(
            Quota("calls", 10, 1, per="endpoint"),
            Quota("calls", 600, 60, per="endpoint"),
            Quota("calls", 864_000, 86_400, per="endpoint", resets="UTC"),
        )
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
