"""WaSender: WhatsApp numbers that are linked like WhatsApp Web, with a QR code that the phone scans."""

from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.connectors.wasender.accounts import WasenderAccountInspector
from socialgate.connectors.wasender.api import WasenderApi
from socialgate.connectors.wasender.auth import QrPairing, TokenResolver
from socialgate.connectors.wasender.manifest import MANIFEST
from socialgate.connectors.wasender.messages import LinkedNumberMessages
from socialgate.connectors.wasender.webhooks import WasenderWebhookReceiver
from socialgate.contracts.account_connection import bind_account_inspector
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.messages import MESSAGES_CAPABILITY
from socialgate.contracts.platforms import Kind


def build_connector(app: PlatformApp, wire: VendorTransport) -> Connector:
    api = WasenderApi(wire)
    tokens = TokenResolver(app)
    pairing = QrPairing(api, tokens, wire.clock)
    return Connector(
        manifest=MANIFEST,
        adapters={
            Kind.WHATSAPP_QR: (
                *bind_account_inspector(WasenderAccountInspector(api, tokens)),
                MESSAGES_CAPABILITY.bind(LinkedNumberMessages(api)),
            )
        },
        webhook_receiver=WasenderWebhookReceiver(wire.clock),
        qr_pairing=pairing,
        grant_revoker=pairing,
    )
