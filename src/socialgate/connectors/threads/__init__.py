"""Threads: one profile with its own login, separate from Facebook's."""

from socialgate.connectors.threads.accounts import ThreadsAccounts
from socialgate.connectors.threads.auth import ThreadsLogin
from socialgate.connectors.threads.comments import ThreadsComments
from socialgate.connectors.threads.inbound import ThreadsInbound
from socialgate.connectors.threads.insights import ThreadsInsights
from socialgate.connectors.threads.manifest import MANIFEST
from socialgate.connectors.threads.posts import ThreadsHistory
from socialgate.connectors.threads.publishing import ThreadsPublishing
from socialgate.connectors.threads.wire import Threads
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.comments import COMMENTS
from socialgate.contracts.connecting import accounts_by
from socialgate.contracts.insights import INSIGHTS
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import DELETE_POST, HISTORY, POST

__all__ = ["connector"]


def connector(app: App, wire: Wire) -> Connector:
    threads = Threads(app, wire)
    posts, login = ThreadsHistory(threads), ThreadsLogin(threads)
    comments = ThreadsComments(threads, posts)
    return Connector(
        manifest=MANIFEST,
        parts={
            Kind.THREADS: (
                *accounts_by(ThreadsAccounts(threads)),
                POST.by(ThreadsPublishing(threads.of, wire.clock, comments)),
                DELETE_POST.by(posts),
                HISTORY.by(posts),
                COMMENTS.by(comments),
                INSIGHTS.by(ThreadsInsights(threads)),
            )
        },
        inbound=ThreadsInbound(app),
        redirect=login,
        refreshing=login,
    )
