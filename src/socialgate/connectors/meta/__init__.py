"""Meta: Facebook Pages, their Instagram professional accounts, and ad accounts, with one Facebook login."""

from socialgate.connectors.meta.accounts import AdAccounts, FacebookPages, InstagramAccounts
from socialgate.connectors.meta.ads import advertising_by
from socialgate.connectors.meta.auth import MetaLogin
from socialgate.connectors.meta.comments import InstagramComments, PageComments
from socialgate.connectors.meta.commerce import AdCommerce
from socialgate.connectors.meta.commerce_products import AdProducts
from socialgate.connectors.meta.inbound import MetaInbound
from socialgate.connectors.meta.insights import InstagramInsights, PageInsights
from socialgate.connectors.meta.instagram_publishing import InstagramPublishing
from socialgate.connectors.meta.lead_forms import PageForms
from socialgate.connectors.meta.leads import PageLeads
from socialgate.connectors.meta.manifest import MANIFEST
from socialgate.connectors.meta.messages import InstagramMessages, MessengerMessages
from socialgate.connectors.meta.page_publishing import PagePublishing
from socialgate.connectors.meta.posts import InstagramPosts, PagePosts
from socialgate.connectors.meta.subscribing import MetaSubscribing
from socialgate.connectors.meta.wire import Graph
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.comments import COMMENTS
from socialgate.contracts.commerce import COMMERCE, PRODUCTS
from socialgate.contracts.connecting import accounts_by
from socialgate.contracts.insights import INSIGHTS
from socialgate.contracts.leads import LEAD_FORMS, LEADS
from socialgate.contracts.messages import MESSAGES
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import DELETE_POST, HISTORY, POST

__all__ = ["connector"]


def connector(app: App, wire: Wire) -> Connector:
    graph = Graph(app, wire)
    login = MetaLogin(graph)
    pages, media = PagePosts(graph), InstagramPosts(graph)
    return Connector(
        manifest=MANIFEST,
        parts={
            Kind.FACEBOOK_PAGE: (
                *accounts_by(FacebookPages(graph)),
                POST.by(PagePublishing(graph)),
                DELETE_POST.by(pages),
                HISTORY.by(pages),
                COMMENTS.by(PageComments(graph)),
                MESSAGES.by(MessengerMessages(graph)),
                INSIGHTS.by(PageInsights(graph)),
                LEADS.by(PageLeads(graph)),
                LEAD_FORMS.by(PageForms(graph)),
            ),
            Kind.INSTAGRAM: (
                *accounts_by(InstagramAccounts(graph)),
                POST.by(InstagramPublishing(graph.of, wire.clock, InstagramComments(graph))),
                DELETE_POST.by(media),
                HISTORY.by(media),
                COMMENTS.by(InstagramComments(graph)),
                MESSAGES.by(InstagramMessages(graph)),
                INSIGHTS.by(InstagramInsights(graph)),
            ),
            Kind.META_ADS: (
                *accounts_by(AdAccounts(graph)),
                COMMERCE.by(AdCommerce(graph)),
                PRODUCTS.by(AdProducts(graph)),
                *advertising_by(graph),
            ),
        },
        inbound=MetaInbound(app),
        redirect=login,
        revoking=login,
        subscribing=MetaSubscribing(graph),
    )
