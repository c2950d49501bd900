"""Telegram: bots that customers bring with the token of BotFather."""

from socialgate.connectors.telegram.accounts import BotAccounts
from socialgate.connectors.telegram.auth import BotToken, BotWebhook
from socialgate.connectors.telegram.inbound import Updates
from socialgate.connectors.telegram.manifest import MANIFEST
from socialgate.connectors.telegram.posting_wire import PostingApi
from socialgate.connectors.telegram.posts import BotRemoving
from socialgate.connectors.telegram.publishing import BotPublishing
from socialgate.connectors.telegram.wire import BotApi
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector


def connector(app: App, wire: Wire) -> Connector:
    del app  # Telegram knows bots, not apps: there is nothing to configure.
    api = BotApi(wire)
    posting = PostingApi(api)
    return Connector(
        manifest=MANIFEST,
        accounts=BotAccounts(api, wire.clock),
        inbound=Updates(),
        credential=BotToken(api, wire.clock),
        subscribing=BotWebhook(api),
        publishing=BotPublishing(posting),
        removing=BotRemoving(posting),
    )
