"""TikTok: Login Kit v2, the Display API, the Content Posting API and the webhooks of the app."""

from socialgate.connectors.tiktok.accounts import TikTokAccountInspector
from socialgate.connectors.tiktok.api import TikTokApi
from socialgate.connectors.tiktok.auth import TikTokAuth
from socialgate.connectors.tiktok.insights import TikTokInsights
from socialgate.connectors.tiktok.manifest import MANIFEST
from socialgate.connectors.tiktok.posts import TikTokPosts
from socialgate.connectors.tiktok.publishing import TikTokPublishing
from socialgate.connectors.tiktok.webhooks import TikTokWebhookReceiver
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import bind_account_inspector
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.insights import INSIGHTS_CAPABILITY
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import POST_HISTORY_CAPABILITY, PUBLISH_POST_CAPABILITY

__all__ = ["build_connector"]


def build_connector(app: PlatformApp, wire: VendorTransport) -> Connector:
    api = TikTokApi(wire)
    auth = TikTokAuth(app, wire, api)
    return Connector(
        manifest=MANIFEST,
        adapters={
            Kind.TIKTOK: (
                *bind_account_inspector(TikTokAccountInspector(api)),
                PUBLISH_POST_CAPABILITY.bind(TikTokPublishing(api, wire.clock)),
                POST_HISTORY_CAPABILITY.bind(TikTokPosts(api)),
                INSIGHTS_CAPABILITY.bind(TikTokInsights(api, wire)),
            )
        },
        webhook_receiver=TikTokWebhookReceiver(app, wire.clock),
        redirect_login=auth,
        token_refresher=auth,
        grant_revoker=auth,
    )
