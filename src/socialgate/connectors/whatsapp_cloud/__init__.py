"""WhatsApp Cloud API: phone numbers of a WhatsApp Business Account (WABA), with a token from the customer."""

from socialgate.connectors.whatsapp_cloud.accounts import WhatsAppAccounts, WhatsAppSubscribing
from socialgate.connectors.whatsapp_cloud.auth import WhatsAppCredential
from socialgate.connectors.whatsapp_cloud.inbound import WhatsAppInbound
from socialgate.connectors.whatsapp_cloud.manifest import MANIFEST
from socialgate.connectors.whatsapp_cloud.messages import WhatsAppMessages
from socialgate.connectors.whatsapp_cloud.templates import WhatsAppTemplates
from socialgate.connectors.whatsapp_cloud.wire import WhatsApp
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.connecting import accounts_by
from socialgate.contracts.messages import MESSAGES
from socialgate.contracts.platforms import Kind
from socialgate.contracts.templates import TEMPLATES

__all__ = ["connector"]


def connector(app: App, wire: Wire) -> Connector:
    """There is no app of the deployment: each customer has their own, with its secret."""
    del app
    api = WhatsApp(wire)
    return Connector(
        manifest=MANIFEST,
        parts={
            Kind.WHATSAPP_CLOUD: (
                *accounts_by(WhatsAppAccounts(api)),
                MESSAGES.by(WhatsAppMessages(api)),
                TEMPLATES.by(WhatsAppTemplates(api)),
            )
        },
        inbound=WhatsAppInbound(wire.clock),
        credential=WhatsAppCredential(api),
        subscribing=WhatsAppSubscribing(api),
    )
