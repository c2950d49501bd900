"""Comments and reviews: read live from the platform, written, hidden and deleted there at most once, and reported."""

from collections.abc import Sequence

from socialgate.areas.comments import store
from socialgate.areas.comments.automations import AUTOMATES
from socialgate.areas.comments.jobs import CommentSweeps, enrolment, fetching, sweeping
from socialgate.areas.comments.receiving import CommentLedger
from socialgate.areas.comments.routes import routes
from socialgate.areas.comments.service import CREATE, DELETE, HIDE
from socialgate.contracts.accounts import NowConnected
from socialgate.contracts.comments import CommentReceived
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _listens(ledger: CommentLedger, sweeps: CommentSweeps) -> Sequence[FactListener]:
    return [CommentReceived.heard_by(ledger.reported), NowConnected.heard_by(sweeps.connected)]


AREA = Area(
    routes=routes,
    jobs=[sweeping, fetching, enrolment],
    operations=[CREATE, HIDE, DELETE],
    listens=_listens,
    automates=AUTOMATES,
    purges={"received_comments": store.purge_received},
)
