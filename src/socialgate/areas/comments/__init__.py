"""Comments and reviews: read live from the platform, written, hidden and deleted there at most once, and reported."""

from collections.abc import Mapping

from socialgate.areas.comments import store
from socialgate.areas.comments.automations import AUTOMATES
from socialgate.areas.comments.jobs import CommentSweeps, enrolment, fetching, sweeping
from socialgate.areas.comments.receiving import CommentLedger
from socialgate.areas.comments.routes import routes
from socialgate.areas.comments.service import CREATE, DELETE, HIDE
from socialgate.contracts.accounts import NowConnected
from socialgate.contracts.comments import CommentReceived
from socialgate.core.facts import Listener
from socialgate.web.area import Area


def _listens(ledger: CommentLedger, sweeps: CommentSweeps) -> Mapping[type, Listener]:
    return {CommentReceived: ledger.reported, NowConnected: sweeps.connected}


AREA = Area(
    routes=routes,
    jobs=[sweeping, fetching, enrolment],
    operations=[CREATE, HIDE, DELETE],
    listens=_listens,
    automates=AUTOMATES,
    purges={"received_comments": store.purge_received},
)
