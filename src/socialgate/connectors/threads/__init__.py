"""Threads: one profile by its own login, apart from Facebook's."""

from socialgate.connectors.threads.accounts import ThreadsAccounts
from socialgate.connectors.threads.auth import ThreadsLogin
from socialgate.connectors.threads.inbound import ThreadsInbound
from socialgate.connectors.threads.manifest import MANIFEST
from socialgate.connectors.threads.wire import ThreadsApi
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector

__all__ = ["connector"]


def connector(app: App, wire: Wire) -> Connector:
    api = ThreadsApi(app, wire)
    login = ThreadsLogin(app, wire, api)
    return Connector(
        manifest=MANIFEST,
        accounts=ThreadsAccounts(api),
        inbound=ThreadsInbound(app),
        redirect=login,
        refreshing=login,
    )
