"""TikTok API for Business, for advertisers: another portal, app, host and token than TikTok itself."""

from socialgate.connectors.tiktokads.accounts import TikTokAdsAccountInspector
from socialgate.connectors.tiktokads.ads import build_ad_parts
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.connectors.tiktokads.auth import TikTokAdsAuth
from socialgate.connectors.tiktokads.commerce import BusinessCenterCommerce
from socialgate.connectors.tiktokads.commerce_products import CatalogProducts
from socialgate.connectors.tiktokads.leads import AdAccountLeads
from socialgate.connectors.tiktokads.manifest import MANIFEST
from socialgate.connectors.tiktokads.webhook_subscriptions import TikTokAdsWebhookSubscriber
from socialgate.connectors.tiktokads.webhooks import TikTokAdsWebhookReceiver
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import bind_account_inspector
from socialgate.contracts.commerce import COMMERCE_CAPABILITY, PRODUCTS_CAPABILITY
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.leads import LEADS_CAPABILITY
from socialgate.contracts.platforms import Kind

__all__ = ["build_connector"]


def build_connector(app: PlatformApp, wire: VendorTransport) -> Connector:
    api = TikTokAdsApi(app, wire)
    auth = TikTokAdsAuth(app, wire, api)
    return Connector(
        manifest=MANIFEST,
        adapters={
            Kind.TIKTOK_ADS: (
                *bind_account_inspector(TikTokAdsAccountInspector(api)),
                LEADS_CAPABILITY.bind(AdAccountLeads(api)),
                COMMERCE_CAPABILITY.bind(BusinessCenterCommerce(api)),
                PRODUCTS_CAPABILITY.bind(CatalogProducts(api, wire)),
                *build_ad_parts(api),
            )
        },
        webhook_receiver=TikTokAdsWebhookReceiver(app),
        redirect_login=auth,
        grant_revoker=auth,
        webhook_subscriber=TikTokAdsWebhookSubscriber(api),
    )
