"""Threads: one profile with its own login, separate from Facebook's."""

from socialgate.connectors.threads.accounts import ThreadsAccounts
from socialgate.connectors.threads.api import ThreadsApi
from socialgate.connectors.threads.auth import ThreadsLogin
from socialgate.connectors.threads.comments import ThreadsComments
from socialgate.connectors.threads.insights import ThreadsInsights
from socialgate.connectors.threads.manifest import MANIFEST
from socialgate.connectors.threads.posts import ThreadsPosts
from socialgate.connectors.threads.publishing import ThreadsPublishing
from socialgate.connectors.threads.webhooks import ThreadsInbound
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import bind_account_inspector
from socialgate.contracts.comments import COMMENTS
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.insights import INSIGHTS
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import DELETE_POST, POST_HISTORY, PUBLISH_POST

__all__ = ["build_connector"]


def build_connector(app: PlatformApp, wire: VendorTransport) -> Connector:
    threads = ThreadsApi(app, wire)
    posts, login = ThreadsPosts(threads), ThreadsLogin(threads)
    comments = ThreadsComments(threads, posts)
    return Connector(
        manifest=MANIFEST,
        adapters={
            Kind.THREADS: (
                *bind_account_inspector(ThreadsAccounts(threads)),
                PUBLISH_POST.bind(ThreadsPublishing(threads.for_account, wire.clock, comments)),
                DELETE_POST.bind(posts),
                POST_HISTORY.bind(posts),
                COMMENTS.bind(comments),
                INSIGHTS.bind(ThreadsInsights(threads)),
            )
        },
        webhook_receiver=ThreadsInbound(app),
        redirect_login=login,
        token_refresher=login,
    )
