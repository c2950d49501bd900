"""Google: YouTube channels, the primary calendar of a person, and the locations of Business Profiles."""

from socialgate.connectors.google.accounts import GoogleAccounts
from socialgate.connectors.google.auth import GoogleAuth
from socialgate.connectors.google.inbound import GoogleInbound
from socialgate.connectors.google.jwt import Keys
from socialgate.connectors.google.manifest import MANIFEST
from socialgate.connectors.google.posting_wire import PostingApi
from socialgate.connectors.google.posts import GooglePosts
from socialgate.connectors.google.publishing import GooglePublishing
from socialgate.connectors.google.wire import GoogleApi
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector

__all__ = ["connector"]


def connector(app: App, wire: Wire) -> Connector:
    api = GoogleApi(app, wire)
    auth = GoogleAuth(app, wire, api)
    posting = PostingApi(api)
    posts = GooglePosts(posting)
    return Connector(
        manifest=MANIFEST,
        accounts=GoogleAccounts(api, auth),
        inbound=GoogleInbound(app, wire.clock, Keys(api.signing_keys, wire.clock)),
        redirect=auth,
        refreshing=auth,
        revoking=auth,
        publishing=GooglePublishing(posting, wire.clock),
        removing=posts,
        history=posts,
    )
