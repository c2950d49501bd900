"""Advertising at TikTok: one file for each type of object."""

from socialgate.connectors.tiktokads.ads.adgroups import AdGroups
from socialgate.connectors.tiktokads.ads.audiences import TikTokAudiences
from socialgate.connectors.tiktokads.ads.campaigns import Campaigns
from socialgate.connectors.tiktokads.ads.conversions import TikTokConversions
from socialgate.connectors.tiktokads.ads.insights import TikTokAdInsights
from socialgate.connectors.tiktokads.ads.library import TikTokAccount, TikTokLibrary
from socialgate.connectors.tiktokads.ads.pixels import TikTokPixels
from socialgate.connectors.tiktokads.ads.targeting import TikTokTargeting
from socialgate.connectors.tiktokads.ads.units import AdUnits
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.contracts.ad_audiences import AUDIENCES, CUSTOM_CONVERSIONS, PIXELS
from socialgate.contracts.ad_insights import AD_INSIGHTS
from socialgate.contracts.ads import AD_TARGETING, ADS, Ads
from socialgate.contracts.platforms import Part

__all__ = ["advertising_by"]


def advertising_by(api: TikTokAdsApi) -> tuple[Part, ...]:
    ads = Ads(
        campaigns=Campaigns(api),
        adsets=AdGroups(api),
        ads=AdUnits(api),
        creatives=None,
        library=TikTokLibrary(api),
        account=TikTokAccount(api),
    )
    return (
        ADS.by(ads),
        AD_TARGETING.by(TikTokTargeting(api)),
        AD_INSIGHTS.by(TikTokAdInsights(api)),
        AUDIENCES.by(TikTokAudiences(api)),
        PIXELS.by(TikTokPixels(api)),
        CUSTOM_CONVERSIONS.by(TikTokConversions(api)),
    )
