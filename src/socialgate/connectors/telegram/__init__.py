"""Telegram: bots that customers connect with the token from BotFather."""

from socialgate.connectors.telegram.accounts import BotAccounts
from socialgate.connectors.telegram.auth import BotAuth
from socialgate.connectors.telegram.inbound import Updates
from socialgate.connectors.telegram.insights import BotInsights
from socialgate.connectors.telegram.manifest import MANIFEST
from socialgate.connectors.telegram.messages import BotMessages
from socialgate.connectors.telegram.publishing import BotPublishing
from socialgate.connectors.telegram.wire import BotApi
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.connecting import accounts_by
from socialgate.contracts.insights import INSIGHTS
from socialgate.contracts.messages import MESSAGES
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import DELETE_POST, POST


def connector(app: App, wire: Wire) -> Connector:
    del app  # Telegram has bots, not apps: there is nothing to configure.
    api = BotApi(wire)
    auth = BotAuth(api, wire.clock)
    posts = BotPublishing(api)
    return Connector(
        manifest=MANIFEST,
        parts={
            Kind.TELEGRAM_BOT: (
                *accounts_by(BotAccounts(api, wire.clock)),
                POST.by(posts),
                DELETE_POST.by(posts),
                MESSAGES.by(BotMessages(api)),
                INSIGHTS.by(BotInsights(api, wire)),
            )
        },
        inbound=Updates(wire.clock),
        credential=auth,
        subscribing=auth,
    )
