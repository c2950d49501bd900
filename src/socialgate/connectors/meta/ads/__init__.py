"""Advertising at Meta: one file for each type of object."""

from socialgate.connectors.meta.ads.adsets import AdSets
from socialgate.connectors.meta.ads.audiences import MetaAudiences
from socialgate.connectors.meta.ads.campaigns import Campaigns
from socialgate.connectors.meta.ads.conversions import MetaConversions
from socialgate.connectors.meta.ads.creatives import Creatives
from socialgate.connectors.meta.ads.insights import MetaAdInsights
from socialgate.connectors.meta.ads.library import MetaAccount, MetaLibrary
from socialgate.connectors.meta.ads.pixels import MetaPixels
from socialgate.connectors.meta.ads.targeting import MetaTargeting
from socialgate.connectors.meta.ads.units import AdUnits
from socialgate.connectors.meta.wire import Graph
from socialgate.contracts.ad_audiences import AUDIENCES, CUSTOM_CONVERSIONS, PIXELS
from socialgate.contracts.ad_insights import AD_INSIGHTS
from socialgate.contracts.ads import AD_TARGETING, ADS, Ads
from socialgate.contracts.platforms import Part

__all__ = ["advertising_by"]


def advertising_by(graph: Graph) -> tuple[Part, ...]:
    ads = Ads(
        campaigns=Campaigns(graph),
        adsets=AdSets(graph),
        ads=AdUnits(graph),
        creatives=Creatives(graph),
        library=MetaLibrary(graph),
        account=MetaAccount(graph),
    )
    return (
        ADS.by(ads),
        AD_TARGETING.by(MetaTargeting(graph)),
        AD_INSIGHTS.by(MetaAdInsights(graph)),
        AUDIENCES.by(MetaAudiences(graph)),
        PIXELS.by(MetaPixels(graph)),
        CUSTOM_CONVERSIONS.by(MetaConversions(graph)),
    )
