"""Google: YouTube channels, the primary calendar of a person, and the locations of Business Profiles."""

from socialgate.connectors.google.accounts import CalendarAccounts, ChannelAccounts, LocationAccounts
from socialgate.connectors.google.auth import GoogleAuth
from socialgate.connectors.google.comments import YouTubeComments
from socialgate.connectors.google.inbound import GoogleInbound
from socialgate.connectors.google.jwt import Keys
from socialgate.connectors.google.local_posts import LocalPostPublishing
from socialgate.connectors.google.manifest import MANIFEST
from socialgate.connectors.google.posting_wire import PostingApi
from socialgate.connectors.google.posts import LocalPosts, YouTubePosts
from socialgate.connectors.google.reviews import Reviews
from socialgate.connectors.google.wire import GoogleApi
from socialgate.connectors.google.youtube import YouTubePublishing
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.comments import COMMENTS
from socialgate.contracts.connecting import accounts_by
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import DELETE_POST, HISTORY, POST

__all__ = ["connector"]


def connector(app: App, wire: Wire) -> Connector:
    api = GoogleApi(app, wire)
    auth = GoogleAuth(app, wire, api)
    posting = PostingApi(api)
    videos, local_posts = YouTubePosts(posting), LocalPosts(posting)
    comments = YouTubeComments(api)
    return Connector(
        manifest=MANIFEST,
        inbound=GoogleInbound(app, wire.clock, Keys(api.signing_keys, wire.clock)),
        parts={
            Kind.YOUTUBE: (
                *accounts_by(ChannelAccounts(api, auth)),
                POST.by(YouTubePublishing(posting, comments, wire.clock)),
                COMMENTS.by(comments),
                DELETE_POST.by(videos),
                HISTORY.by(videos),
            ),
            Kind.GOOGLE_BUSINESS: (
                *accounts_by(LocationAccounts(api, auth)),
                POST.by(LocalPostPublishing(posting, wire.clock)),
                COMMENTS.by(Reviews(api)),
                DELETE_POST.by(local_posts),
                HISTORY.by(local_posts),
            ),
            Kind.GOOGLE_CALENDAR: accounts_by(CalendarAccounts(api, auth)),
        },
        redirect=auth,
        refreshing=auth,
        revoking=auth,
    )
