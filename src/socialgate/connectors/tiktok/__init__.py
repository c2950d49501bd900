"""TikTok: Login Kit v2, the Display API, the Content Posting API and the webhooks of the app."""

from socialgate.connectors.tiktok.accounts import TikTokAccounts
from socialgate.connectors.tiktok.auth import TikTokAuth
from socialgate.connectors.tiktok.inbound import TikTokInbound
from socialgate.connectors.tiktok.insights import TikTokInsights
from socialgate.connectors.tiktok.manifest import MANIFEST
from socialgate.connectors.tiktok.posts import TikTokHistory
from socialgate.connectors.tiktok.publishing import TikTokPublishing
from socialgate.connectors.tiktok.wire import TikTokApi
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.connecting import accounts_by
from socialgate.contracts.insights import INSIGHTS
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import HISTORY, POST

__all__ = ["connector"]


def connector(app: App, wire: Wire) -> Connector:
    api = TikTokApi(wire)
    auth = TikTokAuth(app, wire, api)
    return Connector(
        manifest=MANIFEST,
        parts={
            Kind.TIKTOK: (
                *accounts_by(TikTokAccounts(api)),
                POST.by(TikTokPublishing(api, wire.clock)),
                HISTORY.by(TikTokHistory(api)),
                INSIGHTS.by(TikTokInsights(api, wire)),
            )
        },
        inbound=TikTokInbound(app, wire.clock),
        redirect=auth,
        refreshing=auth,
        revoking=auth,
    )
