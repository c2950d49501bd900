"""Conversations: incoming messages are stored and reported once, outgoing ones are sent once."""

from collections.abc import Sequence

from socialgate.areas.inbox import store
from socialgate.areas.inbox.automations import AUTOMATES
from socialgate.areas.inbox.erasing import Erasure
from socialgate.areas.inbox.jobs import fetching
from socialgate.areas.inbox.ledger import MessageLedger
from socialgate.areas.inbox.receipts import READ
from socialgate.areas.inbox.routes import routes
from socialgate.areas.inbox.sending import sending_operation
from socialgate.contracts.accounts import AccountMoved
from socialgate.contracts.automations import SubjectErased
from socialgate.contracts.messages import ContactChanged, MessageChanged, MessageProgressed, MessageReported
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _listens(ledger: MessageLedger, erasure: Erasure) -> Sequence[FactListener]:
    return [
        MessageReported.heard_by(ledger.reported),
        MessageProgressed.heard_by(ledger.progressed),
        MessageChanged.heard_by(ledger.changed),
        ContactChanged.heard_by(ledger.renamed),
        AccountMoved.heard_by(store.move_account),
        SubjectErased.heard_by(erasure.subject_erased),
    ]


AREA = Area(
    routes=routes,
    jobs=[fetching],
    operations=[sending_operation, READ],
    listens=_listens,
    automates=AUTOMATES,
    purges={"message_early_reports": store.purge_early},
)
