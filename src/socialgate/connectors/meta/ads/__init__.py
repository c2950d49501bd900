"""Advertising at Meta: one file for each type of object."""

from socialgate.connectors.meta.ads.ad_units import AdUnits
from socialgate.connectors.meta.ads.adsets import AdSets
from socialgate.connectors.meta.ads.audiences import MetaAudiences
from socialgate.connectors.meta.ads.campaigns import MetaCampaigns
from socialgate.connectors.meta.ads.conversions import MetaConversions
from socialgate.connectors.meta.ads.creatives import MetaCreatives
from socialgate.connectors.meta.ads.insights import MetaAdInsights
from socialgate.connectors.meta.ads.media_library import MetaAdAccountRules, MetaMediaLibrary
from socialgate.connectors.meta.ads.pixels import MetaPixels
from socialgate.connectors.meta.ads.targeting import MetaTargeting
from socialgate.connectors.meta.api import MetaApi
from socialgate.contracts.ad_audiences import AUDIENCES, CUSTOM_CONVERSIONS, PIXELS
from socialgate.contracts.ad_insights import AD_INSIGHTS
from socialgate.contracts.ads import AD_TARGETING, ADVERTISING, AdAdapters
from socialgate.contracts.platforms import CapabilityAdapter

__all__ = ["build_ad_parts"]


def build_ad_parts(graph: MetaApi) -> tuple[CapabilityAdapter, ...]:
    ads = AdAdapters(
        campaigns=MetaCampaigns(graph),
        adsets=AdSets(graph),
        ads=AdUnits(graph),
        creatives=MetaCreatives(graph),
        library=MetaMediaLibrary(graph),
        account_adapter=MetaAdAccountRules(graph),
    )
    return (
        ADVERTISING.bind(ads),
        AD_TARGETING.bind(MetaTargeting(graph)),
        AD_INSIGHTS.bind(MetaAdInsights(graph)),
        AUDIENCES.bind(MetaAudiences(graph)),
        PIXELS.bind(MetaPixels(graph)),
        CUSTOM_CONVERSIONS.bind(MetaConversions(graph)),
    )
