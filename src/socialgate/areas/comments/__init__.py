"""Comments and reviews: read live from the platform, written, hidden and deleted there at most once, and reported."""

from collections.abc import Sequence

from socialgate.areas.comments import store
from socialgate.areas.comments.automations import AUTOMATION_TYPES
from socialgate.areas.comments.jobs import CommentSweeps, build_enrolment_job, build_fetch_job, build_sweep_job
from socialgate.areas.comments.receiving import CommentLedger
from socialgate.areas.comments.routes import routes
from socialgate.areas.comments.service import CREATE_COMMENT, DELETE_COMMENT, HIDE_COMMENT
from socialgate.contracts.accounts import AccountActivated
from socialgate.contracts.comments import CommentReceived
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _build_listeners(ledger: CommentLedger, sweeps: CommentSweeps) -> Sequence[FactListener]:
    return [
        CommentReceived.heard_by(ledger.on_comment_reported),
        AccountActivated.heard_by(sweeps.on_account_connected),
    ]


AREA = Area(
    routes=routes,
    jobs=[build_sweep_job, build_fetch_job, build_enrolment_job],
    operations=[CREATE_COMMENT, HIDE_COMMENT, DELETE_COMMENT],
    fact_listeners=_build_listeners,
    automation_types=AUTOMATION_TYPES,
    purges={"received_comments": store.purge_received},
)
