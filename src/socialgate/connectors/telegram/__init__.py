"""Telegram: bots that customers connect with the token from BotFather."""

from socialgate.connectors.telegram.accounts import BotAccountInspector
from socialgate.connectors.telegram.api import BotApi
from socialgate.connectors.telegram.auth import BotAuth
from socialgate.connectors.telegram.insights import BotInsights
from socialgate.connectors.telegram.manifest import MANIFEST
from socialgate.connectors.telegram.messages import BotMessages
from socialgate.connectors.telegram.publishing import BotPublishing
from socialgate.connectors.telegram.webhooks import TelegramWebhookReceiver
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import bind_account_inspector
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.insights import INSIGHTS_CAPABILITY
from socialgate.contracts.messages import MESSAGES_CAPABILITY
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import DELETE_POST_CAPABILITY, PUBLISH_POST_CAPABILITY


def build_connector(app: PlatformApp, wire: VendorTransport) -> Connector:
    del app  # Telegram has bots, not apps: there is nothing to configure.
    api = BotApi(wire)
    auth = BotAuth(api, wire.clock)
    posts = BotPublishing(api)
    return Connector(
        manifest=MANIFEST,
        adapters={
            Kind.TELEGRAM_BOT: (
                *bind_account_inspector(BotAccountInspector(api, wire.clock)),
                PUBLISH_POST_CAPABILITY.bind(posts),
                DELETE_POST_CAPABILITY.bind(posts),
                MESSAGES_CAPABILITY.bind(BotMessages(api)),
                INSIGHTS_CAPABILITY.bind(BotInsights(api, wire)),
            )
        },
        webhook_receiver=TelegramWebhookReceiver(wire.clock),
        credential_login=auth,
        webhook_subscriber=auth,
    )
