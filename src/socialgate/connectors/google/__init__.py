"""Google: YouTube channels, a person's primary calendar, and Business Profile locations."""

from socialgate.connectors.google.accounts import (
    CalendarAccountInspector,
    ChannelAccountInspector,
    LocationAccountInspector,
)
from socialgate.connectors.google.api import GoogleApi
from socialgate.connectors.google.auth import GoogleAuth
from socialgate.connectors.google.calendar import GoogleCalendar
from socialgate.connectors.google.calendar_channels import CalendarChannels
from socialgate.connectors.google.comments import YouTubeComments
from socialgate.connectors.google.insights import BusinessInsights, YouTubeInsights
from socialgate.connectors.google.jwt_verification import SigningKeyCache
from socialgate.connectors.google.local_post_publishing import LocalPostPublishing
from socialgate.connectors.google.manifest import MANIFEST
from socialgate.connectors.google.posts import LocalPosts, YouTubePosts
from socialgate.connectors.google.reviews import GoogleReviewAdapter
from socialgate.connectors.google.uploads import VideoUploads
from socialgate.connectors.google.webhooks import GoogleWebhookReceiver
from socialgate.connectors.google.youtube_publishing import YouTubePublishing
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import bind_account_inspector
from socialgate.contracts.calendar import CALENDAR_CAPABILITY
from socialgate.contracts.comments import COMMENTS_CAPABILITY
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.insights import INSIGHTS_CAPABILITY
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import DELETE_POST_CAPABILITY, POST_HISTORY_CAPABILITY, PUBLISH_POST_CAPABILITY

__all__ = ["build_connector"]


def build_connector(app: PlatformApp, wire: VendorTransport) -> Connector:
    api = GoogleApi(wire)
    auth = GoogleAuth(app, wire, api)
    videos, comments, local_posts = YouTubePosts(api), YouTubeComments(api), LocalPosts(api)
    return Connector(
        manifest=MANIFEST,
        webhook_receiver=GoogleWebhookReceiver(app, wire.clock, SigningKeyCache(api.fetch_signing_keys, wire.clock)),
        adapters={
            Kind.YOUTUBE: (
                *bind_account_inspector(ChannelAccountInspector(api)),
                PUBLISH_POST_CAPABILITY.bind(YouTubePublishing(VideoUploads(api), videos, comments, wire.clock)),
                DELETE_POST_CAPABILITY.bind(videos),
                POST_HISTORY_CAPABILITY.bind(videos),
                COMMENTS_CAPABILITY.bind(comments),
                INSIGHTS_CAPABILITY.bind(YouTubeInsights(api, wire)),
            ),
            Kind.GOOGLE_BUSINESS: (
                *bind_account_inspector(LocationAccountInspector(api)),
                PUBLISH_POST_CAPABILITY.bind(LocalPostPublishing(local_posts, wire.clock)),
                DELETE_POST_CAPABILITY.bind(local_posts),
                POST_HISTORY_CAPABILITY.bind(local_posts),
                COMMENTS_CAPABILITY.bind(GoogleReviewAdapter(api)),
                INSIGHTS_CAPABILITY.bind(BusinessInsights(api, wire)),
            ),
            Kind.GOOGLE_CALENDAR: (
                *bind_account_inspector(CalendarAccountInspector(api)),
                CALENDAR_CAPABILITY.bind(GoogleCalendar(api)),
            ),
        },
        redirect_login=auth,
        token_refresher=auth,
        grant_revoker=auth,
        webhook_subscriber=CalendarChannels(api, wire.clock),
    )
