"""Analytics: metrics from the platforms, read live and stored every day so that they can be compared."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from socialgate.areas.accounts.enrolling import enrolling
from socialgate.areas.analytics.routes import routes
from socialgate.areas.analytics.snapshots import ACCOUNT, ENROL, POST, Enrolment, Snapshots
from socialgate.areas.analytics.store import purge_disconnected
from socialgate.contracts.accounts import AccountRow, NowConnected
from socialgate.contracts.publishing import PostPublished
from socialgate.core.db import Database, Tx
from socialgate.core.facts import FactListener
from socialgate.core.jobs.jobs import JobType, Run
from socialgate.core.jobs.table import JobRow
from socialgate.core.parts import Parts
from socialgate.web.area import Area

_AT_ONCE = 10


def _account(parts: Parts) -> JobType:
    """`Snapshots` depends on the job queue, so it is built when the first job runs; likewise below."""

    async def run(run: Run) -> None:
        await parts.get(Snapshots).account(run)

    return JobType(name=ACCOUNT, run=run, per_owner=_AT_ONCE, every=timedelta(days=1), public=False)


def _post(parts: Parts) -> JobType:
    async def run(run: Run) -> None:
        await parts.get(Snapshots).post(run)

    async def given_up(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
        await parts.get(Enrolment).given_up(tx, job, error)

    return JobType(name=POST, run=run, per_owner=_AT_ONCE, kept=timedelta(hours=1), public=False, given_up=given_up)


def _enrol(parts: Parts, db: Database) -> JobType:
    async def enrol(tx: Tx, account: AccountRow) -> None:
        await parts.get(Enrolment).enrol(tx, account)

    return enrolling(db, ENROL, enrol)


def _listens(enrolment: Enrolment) -> Sequence[FactListener]:
    return [NowConnected.heard_by(enrolment.connected), PostPublished.heard_by(enrolment.published)]


AREA = Area(
    routes=routes,
    jobs=[_account, _post, _enrol],
    listens=_listens,
    purges={"insight_days": purge_disconnected},
)
