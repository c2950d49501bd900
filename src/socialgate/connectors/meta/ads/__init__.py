"""Advertising at Meta: one file for each type of object."""

from socialgate.connectors.meta.ads.ad_units import AdUnits
from socialgate.connectors.meta.ads.adsets import AdSets
from socialgate.connectors.meta.ads.audiences import MetaAudiences
from socialgate.connectors.meta.ads.campaigns import MetaCampaigns
from socialgate.connectors.meta.ads.conversions import MetaConversions
from socialgate.connectors.meta.ads.creatives import MetaCreatives
from socialgate.connectors.meta.ads.insights import MetaAdInsights
from socialgate.connectors.meta.ads.media_library import MetaAdAccountAdapter, MetaMediaLibrary
from socialgate.connectors.meta.ads.pixels import MetaPixels
from socialgate.connectors.meta.ads.targeting import MetaTargeting
from socialgate.connectors.meta.api import MetaApi
from socialgate.contracts.ad_audiences import AUDIENCES_CAPABILITY, CUSTOM_CONVERSIONS_CAPABILITY, PIXELS_CAPABILITY
from socialgate.contracts.ad_insights import AD_INSIGHTS_CAPABILITY
from socialgate.contracts.ads import AD_TARGETING_CAPABILITY, ADVERTISING_CAPABILITY, AdAdapters
from socialgate.contracts.platforms import CapabilityAdapter

__all__ = ["build_ad_parts"]


def build_ad_parts(graph: MetaApi) -> tuple[CapabilityAdapter, ...]:
    ads = AdAdapters(
        campaigns=MetaCampaigns(graph),
        adsets=AdSets(graph),
        ads=AdUnits(graph),
        creatives=MetaCreatives(graph),
        library=MetaMediaLibrary(graph),
        account_adapter=MetaAdAccountAdapter(graph),
    )
    return (
        ADVERTISING_CAPABILITY.bind(ads),
        AD_TARGETING_CAPABILITY.bind(MetaTargeting(graph)),
        AD_INSIGHTS_CAPABILITY.bind(MetaAdInsights(graph)),
        AUDIENCES_CAPABILITY.bind(MetaAudiences(graph)),
        PIXELS_CAPABILITY.bind(MetaPixels(graph)),
        CUSTOM_CONVERSIONS_CAPABILITY.bind(MetaConversions(graph)),
    )
