"""Google: YouTube channels, a person's primary calendar, and Business Profile locations."""

from socialgate.connectors.google.accounts import CalendarAccounts, ChannelAccounts, LocationAccounts
from socialgate.connectors.google.auth import GoogleAuth
from socialgate.connectors.google.calendar import GoogleCalendar
from socialgate.connectors.google.calendar_channels import CalendarChannels
from socialgate.connectors.google.comments import YouTubeComments
from socialgate.connectors.google.inbound import GoogleInbound
from socialgate.connectors.google.insights import BusinessInsights, YouTubeInsights
from socialgate.connectors.google.jwt import Keys
from socialgate.connectors.google.local_posts import LocalPostPublishing
from socialgate.connectors.google.manifest import MANIFEST
from socialgate.connectors.google.posts import LocalPosts, YouTubePosts
from socialgate.connectors.google.reviews import Reviews
from socialgate.connectors.google.uploads import Uploads
from socialgate.connectors.google.wire import GoogleApi
from socialgate.connectors.google.youtube import YouTubePublishing
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.calendar import CALENDAR
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.comments import COMMENTS
from socialgate.contracts.connecting import accounts_by
from socialgate.contracts.insights import INSIGHTS
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import DELETE_POST, HISTORY, POST

__all__ = ["connector"]


def connector(app: App, wire: Wire) -> Connector:
    api = GoogleApi(wire)
    auth = GoogleAuth(app, wire, api)
    videos, comments, local_posts = YouTubePosts(api), YouTubeComments(api), LocalPosts(api)
    return Connector(
        manifest=MANIFEST,
        inbound=GoogleInbound(app, wire.clock, Keys(api.signing_keys, wire.clock)),
        parts={
            Kind.YOUTUBE: (
                *accounts_by(ChannelAccounts(api)),
                POST.by(YouTubePublishing(Uploads(api), videos, comments, wire.clock)),
                DELETE_POST.by(videos),
                HISTORY.by(videos),
                COMMENTS.by(comments),
                INSIGHTS.by(YouTubeInsights(api, wire)),
            ),
            Kind.GOOGLE_BUSINESS: (
                *accounts_by(LocationAccounts(api)),
                POST.by(LocalPostPublishing(local_posts, wire.clock)),
                DELETE_POST.by(local_posts),
                HISTORY.by(local_posts),
                COMMENTS.by(Reviews(api)),
                INSIGHTS.by(BusinessInsights(api, wire)),
            ),
            Kind.GOOGLE_CALENDAR: (*accounts_by(CalendarAccounts(api)), CALENDAR.by(GoogleCalendar(api))),
        },
        redirect=auth,
        refreshing=auth,
        revoking=auth,
        subscribing=CalendarChannels(api, wire.clock),
    )
