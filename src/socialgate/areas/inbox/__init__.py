"""Conversations: incoming messages are stored and reported once, outgoing ones are sent once."""

from collections.abc import Sequence

from socialgate.areas.inbox import store
from socialgate.areas.inbox.automations import AUTOMATION_TYPES
from socialgate.areas.inbox.erasing import ConversationEraser
from socialgate.areas.inbox.jobs import build_attachment_download_job_type
from socialgate.areas.inbox.receipts import READ_RECEIPT_OPERATION
from socialgate.areas.inbox.recorder import MessageRecorder
from socialgate.areas.inbox.routes import routes
from socialgate.areas.inbox.sending import build_send_operation
from socialgate.contracts.accounts import AccountMoved
from socialgate.contracts.automations import SubjectErased
from socialgate.contracts.messages import (
    ContactChanged,
    MessageChanged,
    MessageProgressed,
    MessageReported,
    SubjectConversations,
)
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _build_listeners(ledger: MessageRecorder, erasure: ConversationEraser) -> Sequence[FactListener]:
    return [
        MessageReported.build_listener(ledger.on_message_reported),
        MessageProgressed.build_listener(ledger.on_message_progressed),
        MessageChanged.build_listener(ledger.on_message_changed),
        ContactChanged.build_listener(ledger.on_contact_changed),
        AccountMoved.build_listener(store.move_conversations_of_account),
        SubjectErased.build_listener(erasure.handle_subject_erased),
    ]


AREA = Area(
    routes=routes,
    jobs=[build_attachment_download_job_type],
    operations=[build_send_operation, READ_RECEIPT_OPERATION],
    fact_listeners=_build_listeners,
    automation_types=AUTOMATION_TYPES,
    services={SubjectConversations: ConversationEraser},
    purges={"message_early_reports": store.purge_early_reports},
)
