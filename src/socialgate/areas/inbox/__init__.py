"""Conversations: incoming messages are stored and reported once, outgoing ones are sent once."""

from collections.abc import Sequence

from socialgate.areas.inbox import store
from socialgate.areas.inbox.automations import AUTOMATION_TYPES
from socialgate.areas.inbox.erasing import ConversationEraser
from socialgate.areas.inbox.jobs import build_fetch_job
from socialgate.areas.inbox.receipts import READ_OPERATION
from socialgate.areas.inbox.recorder import MessageRecorder
from socialgate.areas.inbox.routes import routes
from socialgate.areas.inbox.sending import build_send_operation
from socialgate.contracts.accounts import AccountMoved
from socialgate.contracts.automations import SubjectErased
from socialgate.contracts.messages import ContactChanged, MessageChanged, MessageProgressed, MessageReported
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _build_listeners(ledger: MessageRecorder, erasure: ConversationEraser) -> Sequence[FactListener]:
    return [
        MessageReported.heard_by(ledger.on_message_reported),
        MessageProgressed.heard_by(ledger.on_message_progressed),
        MessageChanged.heard_by(ledger.on_message_changed),
        ContactChanged.heard_by(ledger.on_contact_changed),
        AccountMoved.heard_by(store.move_account),
        SubjectErased.heard_by(erasure.subject_erased),
    ]


AREA = Area(
    routes=routes,
    jobs=[build_fetch_job],
    operations=[build_send_operation, READ_OPERATION],
    fact_listeners=_build_listeners,
    automation_types=AUTOMATION_TYPES,
    purges={"message_early_reports": store.purge_early_reports},
)
