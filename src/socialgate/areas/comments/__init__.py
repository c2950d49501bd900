"""Comments and reviews: read live from the platform, written, hidden and deleted there at most once, and reported."""

from collections.abc import Sequence

from socialgate.areas.comments import store
from socialgate.areas.comments.automations import AUTOMATION_TYPES
from socialgate.areas.comments.jobs import (
    CommentSweeper,
    build_comment_fetch_job_type,
    build_comment_sweep_backfill_job_type,
    build_comment_sweep_job_type,
)
from socialgate.areas.comments.receiving import CommentReporter
from socialgate.areas.comments.routes import routes
from socialgate.areas.comments.service import CREATE_COMMENT_OPERATION, DELETE_COMMENT_OPERATION, HIDE_COMMENT_OPERATION
from socialgate.contracts.accounts import AccountActivated
from socialgate.contracts.comments import CommentReceived
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _build_listeners(ledger: CommentReporter, sweeps: CommentSweeper) -> Sequence[FactListener]:
    return [
        CommentReceived.build_listener(ledger.on_comment_reported),
        AccountActivated.build_listener(sweeps.on_account_connected),
    ]


AREA = Area(
    routes=routes,
    jobs=[build_comment_sweep_job_type, build_comment_fetch_job_type, build_comment_sweep_backfill_job_type],
    operations=[CREATE_COMMENT_OPERATION, HIDE_COMMENT_OPERATION, DELETE_COMMENT_OPERATION],
    fact_listeners=_build_listeners,
    automation_types=AUTOMATION_TYPES,
    purges={"received_comments": store.purge_received_comments},
)
