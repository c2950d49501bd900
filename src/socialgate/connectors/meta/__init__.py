"""Meta: Facebook Pages, their Instagram professional accounts, and ad accounts, with one Facebook login."""

from socialgate.connectors.meta.accounts import (
    AdAccountInspector,
    FacebookPageAccountInspector,
    InstagramAccountInspector,
)
from socialgate.connectors.meta.ads import build_ad_parts
from socialgate.connectors.meta.api import MetaApi
from socialgate.connectors.meta.auth import MetaLogin
from socialgate.connectors.meta.comments import InstagramComments, PageComments
from socialgate.connectors.meta.commerce import AdAccountCommerce
from socialgate.connectors.meta.commerce_products import CatalogProducts
from socialgate.connectors.meta.insights import InstagramInsights, PageInsights
from socialgate.connectors.meta.instagram_publishing import InstagramPublishing
from socialgate.connectors.meta.lead_forms import PageLeadForms
from socialgate.connectors.meta.leads import PageLeads
from socialgate.connectors.meta.manifest import MANIFEST
from socialgate.connectors.meta.messages import InstagramMessages, MessengerMessages
from socialgate.connectors.meta.page_publishing import PagePublishing
from socialgate.connectors.meta.posts import InstagramPosts, PagePosts
from socialgate.connectors.meta.webhook_subscriptions import MetaWebhookSubscriber
from socialgate.connectors.meta.webhooks import MetaWebhookReceiver
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import bind_account_inspector
from socialgate.contracts.comments import COMMENTS_CAPABILITY
from socialgate.contracts.commerce import COMMERCE_CAPABILITY, PRODUCTS_CAPABILITY
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.insights import INSIGHTS_CAPABILITY
from socialgate.contracts.leads import LEAD_FORMS_CAPABILITY, LEADS_CAPABILITY
from socialgate.contracts.messages import MESSAGES_CAPABILITY
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import DELETE_POST_CAPABILITY, POST_HISTORY_CAPABILITY, PUBLISH_POST_CAPABILITY

__all__ = ["build_connector"]


def build_connector(app: PlatformApp, wire: VendorTransport) -> Connector:
    graph = MetaApi(app, wire)
    login = MetaLogin(graph)
    pages, media = PagePosts(graph), InstagramPosts(graph)
    return Connector(
        manifest=MANIFEST,
        adapters={
            Kind.FACEBOOK_PAGE: (
                *bind_account_inspector(FacebookPageAccountInspector(graph)),
                PUBLISH_POST_CAPABILITY.bind(PagePublishing(graph)),
                DELETE_POST_CAPABILITY.bind(pages),
                POST_HISTORY_CAPABILITY.bind(pages),
                COMMENTS_CAPABILITY.bind(PageComments(graph)),
                MESSAGES_CAPABILITY.bind(MessengerMessages(graph)),
                INSIGHTS_CAPABILITY.bind(PageInsights(graph)),
                LEADS_CAPABILITY.bind(PageLeads(graph)),
                LEAD_FORMS_CAPABILITY.bind(PageLeadForms(graph)),
            ),
            Kind.INSTAGRAM: (
                *bind_account_inspector(InstagramAccountInspector(graph)),
                PUBLISH_POST_CAPABILITY.bind(
                    InstagramPublishing(graph.for_account, wire.clock, InstagramComments(graph))
                ),
                DELETE_POST_CAPABILITY.bind(media),
                POST_HISTORY_CAPABILITY.bind(media),
                COMMENTS_CAPABILITY.bind(InstagramComments(graph)),
                MESSAGES_CAPABILITY.bind(InstagramMessages(graph)),
                INSIGHTS_CAPABILITY.bind(InstagramInsights(graph)),
            ),
            Kind.META_ADS: (
                *bind_account_inspector(AdAccountInspector(graph)),
                COMMERCE_CAPABILITY.bind(AdAccountCommerce(graph)),
                PRODUCTS_CAPABILITY.bind(CatalogProducts(graph)),
                *build_ad_parts(graph),
            ),
        },
        webhook_receiver=MetaWebhookReceiver(app),
        redirect_login=login,
        grant_revoker=login,
        webhook_subscriber=MetaWebhookSubscriber(graph),
    )
