"""Analytics: metrics from the platforms, read live and stored every day so that they can be compared."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from socialgate.areas.accounts.account_backfill import build_backfill_job_type
from socialgate.areas.analytics.routes import routes
from socialgate.areas.analytics.snapshots import (
    ACCOUNT_SNAPSHOT_JOB,
    POST_SNAPSHOT_JOB,
    SNAPSHOT_BACKFILL_JOB,
    SnapshotJobHandler,
    SnapshotScheduler,
)
from socialgate.areas.analytics.store import purge_metrics_of_disconnected_accounts
from socialgate.contracts.accounts import AccountActivated, AccountRow
from socialgate.contracts.publishing import PostPublished
from socialgate.core.db import Database, Tx
from socialgate.core.facts import FactListener
from socialgate.core.jobs.job_store import JobRow
from socialgate.core.jobs.service import JobRun, JobType
from socialgate.core.service_container import ServiceContainer
from socialgate.web.area import Area

_MAX_JOBS_PER_OWNER = 10


def _build_account_job_type(parts: ServiceContainer) -> JobType:
    """`SnapshotJobHandler` depends on the job queue, so it is built when the first job runs; likewise below."""

    async def run(run: JobRun) -> None:
        await parts.get(SnapshotJobHandler).snapshot_account(run)

    return JobType(
        name=ACCOUNT_SNAPSHOT_JOB, run=run, max_per_owner=_MAX_JOBS_PER_OWNER, interval=timedelta(days=1), public=False
    )


def _build_post_job_type(parts: ServiceContainer) -> JobType:
    async def run(run: JobRun) -> None:
        await parts.get(SnapshotJobHandler).snapshot_post(run)

    async def given_up(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
        await parts.get(SnapshotScheduler).skip_failed_age(tx, job, error)

    return JobType(
        name=POST_SNAPSHOT_JOB,
        run=run,
        max_per_owner=_MAX_JOBS_PER_OWNER,
        retention=timedelta(hours=1),
        public=False,
        on_permanent_failure=given_up,
    )


def _build_backfill_job_type(parts: ServiceContainer, db: Database) -> JobType:
    async def enrol(tx: Tx, account: AccountRow) -> None:
        await parts.get(SnapshotScheduler).enrol_account(tx, account)

    return build_backfill_job_type(db, SNAPSHOT_BACKFILL_JOB, enrol)


def _build_listeners(enrolment: SnapshotScheduler) -> Sequence[FactListener]:
    return [
        AccountActivated.build_listener(enrolment.handle_connected),
        PostPublished.build_listener(enrolment.handle_published),
    ]


AREA = Area(
    routes=routes,
    jobs=[_build_account_job_type, _build_post_job_type, _build_backfill_job_type],
    fact_listeners=_build_listeners,
    purges={"insight_days": purge_metrics_of_disconnected_accounts},
)
