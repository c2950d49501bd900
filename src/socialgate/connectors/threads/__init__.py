"""Threads: one profile with its own login, separate from Facebook's."""

from socialgate.connectors.threads.accounts import ThreadsAccountInspector
from socialgate.connectors.threads.api import ThreadsApi
from socialgate.connectors.threads.auth import ThreadsLogin
from socialgate.connectors.threads.comments import ThreadsComments
from socialgate.connectors.threads.insights import ThreadsInsights
from socialgate.connectors.threads.manifest import MANIFEST
from socialgate.connectors.threads.posts import ThreadsPosts
from socialgate.connectors.threads.publishing import ThreadsPublishing
from socialgate.connectors.threads.webhooks import ThreadsWebhookReceiver
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import bind_account_inspector
from socialgate.contracts.comments import COMMENTS_CAPABILITY
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.insights import INSIGHTS_CAPABILITY
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import DELETE_POST_CAPABILITY, POST_HISTORY_CAPABILITY, PUBLISH_POST_CAPABILITY

__all__ = ["build_connector"]


def build_connector(app: PlatformApp, wire: VendorTransport) -> Connector:
    threads = ThreadsApi(app, wire)
    posts, login = ThreadsPosts(threads), ThreadsLogin(threads)
    comments = ThreadsComments(threads, posts)
    return Connector(
        manifest=MANIFEST,
        adapters={
            Kind.THREADS: (
                *bind_account_inspector(ThreadsAccountInspector(threads)),
                PUBLISH_POST_CAPABILITY.bind(ThreadsPublishing(threads.for_account, wire.clock, comments)),
                DELETE_POST_CAPABILITY.bind(posts),
                POST_HISTORY_CAPABILITY.bind(posts),
                COMMENTS_CAPABILITY.bind(comments),
                INSIGHTS_CAPABILITY.bind(ThreadsInsights(threads)),
            )
        },
        webhook_receiver=ThreadsWebhookReceiver(app),
        redirect_login=login,
        token_refresher=login,
    )
