"""Advertising at TikTok: one file for each type of object."""

from socialgate.connectors.tiktokads.ads.ad_units import AdUnits
from socialgate.connectors.tiktokads.ads.adgroups import AdGroups
from socialgate.connectors.tiktokads.ads.audiences import TikTokAudiences
from socialgate.connectors.tiktokads.ads.campaigns import TikTokCampaigns
from socialgate.connectors.tiktokads.ads.conversions import TikTokConversions
from socialgate.connectors.tiktokads.ads.insights import TikTokAdInsights
from socialgate.connectors.tiktokads.ads.media_library import TikTokAdAccountAdapter, TikTokMediaLibrary
from socialgate.connectors.tiktokads.ads.pixels import TikTokPixels
from socialgate.connectors.tiktokads.ads.targeting import TikTokTargeting
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.contracts.ad_audiences import AUDIENCES_CAPABILITY, CUSTOM_CONVERSIONS_CAPABILITY, PIXELS_CAPABILITY
from socialgate.contracts.ad_insights import AD_INSIGHTS_CAPABILITY
from socialgate.contracts.ads import AD_TARGETING_CAPABILITY, ADVERTISING_CAPABILITY, AdAdapters
from socialgate.contracts.platforms import CapabilityAdapter

__all__ = ["build_ad_parts"]


def build_ad_parts(api: TikTokAdsApi) -> tuple[CapabilityAdapter, ...]:
    ads = AdAdapters(
        campaigns=TikTokCampaigns(api),
        adsets=AdGroups(api),
        ads=AdUnits(api),
        creatives=None,
        library=TikTokMediaLibrary(api),
        account_adapter=TikTokAdAccountAdapter(api),
    )
    return (
        ADVERTISING_CAPABILITY.bind(ads),
        AD_TARGETING_CAPABILITY.bind(TikTokTargeting(api)),
        AD_INSIGHTS_CAPABILITY.bind(TikTokAdInsights(api)),
        AUDIENCES_CAPABILITY.bind(TikTokAudiences(api)),
        PIXELS_CAPABILITY.bind(TikTokPixels(api)),
        CUSTOM_CONVERSIONS_CAPABILITY.bind(TikTokConversions(api)),
    )
