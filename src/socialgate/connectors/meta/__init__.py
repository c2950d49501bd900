"""Meta: Facebook Pages, Instagram professional accounts behind them, and ad accounts, by one Facebook login."""

from socialgate.connectors.meta.accounts import MetaAccounts
from socialgate.connectors.meta.auth import MetaLogin
from socialgate.connectors.meta.inbound import MetaInbound
from socialgate.connectors.meta.manifest import MANIFEST
from socialgate.connectors.meta.posting_wire import Posting
from socialgate.connectors.meta.posts import MetaPosts
from socialgate.connectors.meta.publishing import MetaPublishing
from socialgate.connectors.meta.subscribing import MetaSubscribing
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector

__all__ = ["connector"]


def connector(app: App, wire: Wire) -> Connector:
    graph = Posting(app, wire)
    posts = MetaPosts(graph)
    login = MetaLogin(app, wire, graph)
    return Connector(
        manifest=MANIFEST,
        accounts=MetaAccounts(app, wire, graph),
        inbound=MetaInbound(app),
        redirect=login,
        revoking=login,
        subscribing=MetaSubscribing(graph),
        publishing=MetaPublishing(graph, wire.clock),
        removing=posts,
        history=posts,
    )
