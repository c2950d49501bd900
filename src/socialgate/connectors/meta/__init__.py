"""Meta: Facebook Pages, their Instagram professional accounts, and ad accounts, with one Facebook login."""

from socialgate.connectors.meta.accounts import AdAccounts, FacebookPageAccounts, InstagramAccounts
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
from socialgate.connectors.meta.webhooks import MetaInbound
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import bind_account_inspector
from socialgate.contracts.comments import COMMENTS
from socialgate.contracts.commerce import COMMERCE, PRODUCTS
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.insights import INSIGHTS
from socialgate.contracts.leads import LEAD_FORMS, LEADS
from socialgate.contracts.messages import MESSAGES
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import DELETE_POST, POST_HISTORY, PUBLISH_POST

__all__ = ["build_connector"]


def build_connector(app: PlatformApp, wire: VendorTransport) -> Connector:
    graph = MetaApi(app, wire)
    login = MetaLogin(graph)
    pages, media = PagePosts(graph), InstagramPosts(graph)
    return Connector(
        manifest=MANIFEST,
        adapters={
            Kind.FACEBOOK_PAGE: (
                *bind_account_inspector(FacebookPageAccounts(graph)),
                PUBLISH_POST.bind(PagePublishing(graph)),
                DELETE_POST.bind(pages),
                POST_HISTORY.bind(pages),
                COMMENTS.bind(PageComments(graph)),
                MESSAGES.bind(MessengerMessages(graph)),
                INSIGHTS.bind(PageInsights(graph)),
                LEADS.bind(PageLeads(graph)),
                LEAD_FORMS.bind(PageLeadForms(graph)),
            ),
            Kind.INSTAGRAM: (
                *bind_account_inspector(InstagramAccounts(graph)),
                PUBLISH_POST.bind(InstagramPublishing(graph.for_account, wire.clock, InstagramComments(graph))),
                DELETE_POST.bind(media),
                POST_HISTORY.bind(media),
                COMMENTS.bind(InstagramComments(graph)),
                MESSAGES.bind(InstagramMessages(graph)),
                INSIGHTS.bind(InstagramInsights(graph)),
            ),
            Kind.META_ADS: (
                *bind_account_inspector(AdAccounts(graph)),
                COMMERCE.bind(AdAccountCommerce(graph)),
                PRODUCTS.bind(CatalogProducts(graph)),
                *build_ad_parts(graph),
            ),
        },
        webhook_receiver=MetaInbound(app),
        redirect_login=login,
        grant_revoker=login,
        webhook_subscriber=MetaWebhookSubscriber(graph),
    )
