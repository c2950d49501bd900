"""TikTok API for Business, for advertisers: another portal, app, host and token than TikTok itself."""

from socialgate.connectors.tiktokads.accounts import TikTokAdsAccounts
from socialgate.connectors.tiktokads.ads import advertising_by
from socialgate.connectors.tiktokads.auth import TikTokAdsAuth
from socialgate.connectors.tiktokads.commerce import CenterCommerce
from socialgate.connectors.tiktokads.commerce_products import CenterProducts
from socialgate.connectors.tiktokads.inbound import TikTokAdsInbound
from socialgate.connectors.tiktokads.leads import AdvertiserLeads
from socialgate.connectors.tiktokads.manifest import MANIFEST
from socialgate.connectors.tiktokads.subscribing import TikTokAdsSubscribing
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.commerce import COMMERCE, PRODUCTS
from socialgate.contracts.connecting import accounts_by
from socialgate.contracts.leads import LEADS
from socialgate.contracts.platforms import Kind

__all__ = ["connector"]


def connector(app: App, wire: Wire) -> Connector:
    api = TikTokAdsApi(app, wire)
    auth = TikTokAdsAuth(app, wire, api)
    return Connector(
        manifest=MANIFEST,
        parts={
            Kind.TIKTOK_ADS: (
                *accounts_by(TikTokAdsAccounts(api)),
                LEADS.by(AdvertiserLeads(api)),
                COMMERCE.by(CenterCommerce(api)),
                PRODUCTS.by(CenterProducts(api, wire)),
                *advertising_by(api),
            )
        },
        inbound=TikTokAdsInbound(app),
        redirect=auth,
        revoking=auth,
        subscribing=TikTokAdsSubscribing(api),
    )
