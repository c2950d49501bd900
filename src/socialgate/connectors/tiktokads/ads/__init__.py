"""Advertising at TikTok: one file for each type of object."""

from socialgate.connectors.tiktokads.ads.ad_units import AdUnits
from socialgate.connectors.tiktokads.ads.adgroups import AdGroups
from socialgate.connectors.tiktokads.ads.audiences import TikTokAudiences
from socialgate.connectors.tiktokads.ads.campaigns import TikTokCampaigns
from socialgate.connectors.tiktokads.ads.conversions import TikTokConversions
from socialgate.connectors.tiktokads.ads.insights import TikTokAdInsights
from socialgate.connectors.tiktokads.ads.media_library import TikTokAdAccountRules, TikTokMediaLibrary
from socialgate.connectors.tiktokads.ads.pixels import TikTokPixels
from socialgate.connectors.tiktokads.ads.targeting import TikTokTargeting
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.contracts.ad_audiences import AUDIENCES, CUSTOM_CONVERSIONS, PIXELS
from socialgate.contracts.ad_insights import AD_INSIGHTS
from socialgate.contracts.ads import AD_TARGETING, ADVERTISING, AdAdapters
from socialgate.contracts.platforms import CapabilityAdapter

__all__ = ["build_ad_parts"]


def build_ad_parts(api: TikTokAdsApi) -> tuple[CapabilityAdapter, ...]:
    ads = AdAdapters(
        campaigns=TikTokCampaigns(api),
        adsets=AdGroups(api),
        ads=AdUnits(api),
        creatives=None,
        library=TikTokMediaLibrary(api),
        account_adapter=TikTokAdAccountRules(api),
    )
    return (
        ADVERTISING.bind(ads),
        AD_TARGETING.bind(TikTokTargeting(api)),
        AD_INSIGHTS.bind(TikTokAdInsights(api)),
        AUDIENCES.bind(TikTokAudiences(api)),
        PIXELS.bind(TikTokPixels(api)),
        CUSTOM_CONVERSIONS.bind(TikTokConversions(api)),
    )
