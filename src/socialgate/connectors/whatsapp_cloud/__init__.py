"""WhatsApp Cloud API: phone numbers of a WhatsApp Business Account (WABA), with a token from the customer."""

from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.connectors.whatsapp_cloud.accounts import WhatsAppAccountInspector, WhatsAppWebhookSubscriber
from socialgate.connectors.whatsapp_cloud.api import WhatsAppApi
from socialgate.connectors.whatsapp_cloud.auth import WhatsAppAuth
from socialgate.connectors.whatsapp_cloud.manifest import MANIFEST
from socialgate.connectors.whatsapp_cloud.messages import WhatsAppMessages
from socialgate.connectors.whatsapp_cloud.templates import WhatsAppTemplates
from socialgate.connectors.whatsapp_cloud.webhooks import WhatsAppWebhookReceiver
from socialgate.contracts.account_connection import bind_account_inspector
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.messages import MESSAGES_CAPABILITY
from socialgate.contracts.platforms import Kind
from socialgate.contracts.templates import TEMPLATES_CAPABILITY

__all__ = ["build_connector"]


def build_connector(app: PlatformApp, wire: VendorTransport) -> Connector:
    """There is no app of the deployment: each customer has their own, with its secret."""
    del app
    api = WhatsAppApi(wire)
    return Connector(
        manifest=MANIFEST,
        adapters={
            Kind.WHATSAPP_CLOUD: (
                *bind_account_inspector(WhatsAppAccountInspector(api)),
                MESSAGES_CAPABILITY.bind(WhatsAppMessages(api)),
                TEMPLATES_CAPABILITY.bind(WhatsAppTemplates(api)),
            )
        },
        webhook_receiver=WhatsAppWebhookReceiver(wire.clock),
        credential_login=WhatsAppAuth(api),
        webhook_subscriber=WhatsAppWebhookSubscriber(api),
    )
