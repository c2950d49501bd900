"""WaSender: WhatsApp numbers that are linked like WhatsApp Web, with a QR code that the phone scans."""

from socialgate.connectors.wasender.accounts import SessionAccounts
from socialgate.connectors.wasender.auth import QrPairing, Tokens
from socialgate.connectors.wasender.inbound import SessionEvents
from socialgate.connectors.wasender.manifest import MANIFEST
from socialgate.connectors.wasender.messages import NumberMessages
from socialgate.connectors.wasender.wire import SessionApi
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.connecting import accounts_by
from socialgate.contracts.messages import MESSAGES
from socialgate.contracts.platforms import Kind


def connector(app: App, wire: Wire) -> Connector:
    api = SessionApi(wire)
    tokens = Tokens(app)
    pairing = QrPairing(api, tokens, wire.clock)
    return Connector(
        manifest=MANIFEST,
        parts={Kind.WHATSAPP_QR: (*accounts_by(SessionAccounts(api, tokens)), MESSAGES.by(NumberMessages(api)))},
        inbound=SessionEvents(wire.clock),
        pairing=pairing,
        revoking=pairing,
    )
