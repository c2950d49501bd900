"""Threads: one profile by its own login, apart from Facebook's."""

from socialgate.connectors.threads.accounts import ThreadsAccounts
from socialgate.connectors.threads.auth import ThreadsLogin
from socialgate.connectors.threads.inbound import ThreadsInbound
from socialgate.connectors.threads.manifest import MANIFEST
from socialgate.connectors.threads.posting_wire import Posting
from socialgate.connectors.threads.posts import ThreadsHistory
from socialgate.connectors.threads.publishing import ThreadsPublishing
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector

__all__ = ["connector"]


def connector(app: App, wire: Wire) -> Connector:
    api = Posting(app, wire)
    posts = ThreadsHistory(api)
    login = ThreadsLogin(app, wire, api)
    return Connector(
        manifest=MANIFEST,
        accounts=ThreadsAccounts(api),
        inbound=ThreadsInbound(app),
        redirect=login,
        refreshing=login,
        publishing=ThreadsPublishing(api, wire.clock),
        removing=posts,
        history=posts,
    )
