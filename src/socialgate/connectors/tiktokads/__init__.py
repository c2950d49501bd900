"""TikTok API for Business, for advertisers: another portal, app, host and token than TikTok itself."""

from socialgate.connectors.tiktokads.accounts import TikTokAdsAccounts
from socialgate.connectors.tiktokads.ads import build_ad_parts
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.connectors.tiktokads.auth import TikTokAdsAuth
from socialgate.connectors.tiktokads.commerce import BusinessCenterCommerce
from socialgate.connectors.tiktokads.commerce_products import CatalogProducts
from socialgate.connectors.tiktokads.leads import AdAccountLeads
from socialgate.connectors.tiktokads.manifest import MANIFEST
from socialgate.connectors.tiktokads.webhook_subscriptions import TikTokAdsWebhookSubscriber
from socialgate.connectors.tiktokads.webhooks import TikTokAdsInbound
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import bind_account_inspector
from socialgate.contracts.commerce import COMMERCE, PRODUCTS
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.leads import LEADS
from socialgate.contracts.platforms import Kind

__all__ = ["build_connector"]


def build_connector(app: PlatformApp, wire: VendorTransport) -> Connector:
    api = TikTokAdsApi(app, wire)
    auth = TikTokAdsAuth(app, wire, api)
    return Connector(
        manifest=MANIFEST,
        adapters={
            Kind.TIKTOK_ADS: (
                *bind_account_inspector(TikTokAdsAccounts(api)),
                LEADS.bind(AdAccountLeads(api)),
                COMMERCE.bind(BusinessCenterCommerce(api)),
                PRODUCTS.bind(CatalogProducts(api, wire)),
                *build_ad_parts(api),
            )
        },
        webhook_receiver=TikTokAdsInbound(app),
        redirect_login=auth,
        grant_revoker=auth,
        webhook_subscriber=TikTokAdsWebhookSubscriber(api),
    )
