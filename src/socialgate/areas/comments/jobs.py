"""Looking for comments and reviews that a platform does not push, and reading those of which it only pushes an id."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import structlog

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.account_backfill import build_backfill_job_type
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.comments.receiving import (
    COMMENT_FETCH_JOB,
    CommentReporter,
    get_earliest_new_comment_time,
    iterate_comments_written_since,
)
from socialgate.areas.comments.service import NO_COMMENTS_PHRASE
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountActivated, AccountRow, AccountStatus
from socialgate.contracts.comments import COMMENTS_CAPABILITY, Comment, CommentAdapter, CommentPage
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.db import Database, Tx
from socialgate.core.jitter import random_between
from socialgate.core.jobs.service import JobCancelled, JobRun, JobService, JobType
from socialgate.core.service_container import ServiceContainer

COMMENT_SWEEP_JOB = "comments.sweep"
COMMENT_SWEEP_BACKFILL_JOB = "comments.enrol"
MIN_SWEEP_INTERVAL = timedelta(hours=1)
_ONE_DAY = timedelta(days=1)
_FIRST_SWEEP_DELAY_SECONDS = (60.0, 600.0)
_PERMISSION_RETRY_DELAY = timedelta(hours=6)
_PAGE_SIZE = 50
# More new comments than this within an interval are not worth what they cost of the platform's quota.
_MAX_PAGES = 4
_MAX_JOBS_PER_OWNER = 4

log = structlog.get_logger(__name__)


class CommentSweeper:
    def __init__(
        self,
        db: Database,
        session: AccountSession,
        catalogue: ConnectorRegistry,
        jobs: JobService,
        ledger: CommentReporter,
    ) -> None:
        self._db = db
        self._session = session
        self._catalogue = catalogue
        self._jobs = jobs
        self._ledger = ledger

    async def on_account_connected(self, tx: Tx, fact: AccountActivated, account: AccountRow) -> None:
        del fact
        if self._calls_a_day(account) is not None:
            due_at = tx.now + timedelta(seconds=random_between(*_FIRST_SWEEP_DELAY_SECONDS))
            await self._jobs.enqueue(
                tx, COMMENT_SWEEP_JOB, account.owner_id, {"accountId": account.id}, key=account.id, due_at=due_at
            )

    async def sweep(self, run: JobRun) -> None:
        """Look for new comments of an account, every hour, or less often if there are more accounts than the quota of
        the platform allows for.
        """
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        calls = None if account is None else self._calls_a_day(account)
        if account is None or calls is None:
            raise JobCancelled
        sharing = await self._db.read(accounts.count_connected_accounts_of_kind, account.platform, account.kind)
        run.next_at = self._db.clock.now() + max(MIN_SWEEP_INTERVAL, _ONE_DAY * sharing / calls)
        if account.status is AccountStatus.CONNECTED:
            await self._fetch_and_report_comments(run, account)

    async def fetch_reported_comment(self, run: JobRun) -> None:
        """Read what the platform has just reported."""
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        if account is not None and account.status is AccountStatus.CONNECTED:
            await run.finish(self._ledger.report_new_comments, account, await self._fetch_new_comments(account))

    async def _fetch_and_report_comments(self, run: JobRun, account: AccountRow) -> None:
        try:
            news = await self._fetch_new_comments(account)
        except PlatformFailure as failure:
            log.info("comments_not_swept", account=account.id, platform=account.platform, detail=failure.detail)
            if failure.retryable:
                raise
            # A permission is missing, or comments are turned off: trying often would only use up the quota.
            run.next_at = self._db.clock.now() + _PERMISSION_RETRY_DELAY
        else:
            await run.finish(self._ledger.report_new_comments, account, news)

    async def _fetch_new_comments(self, account: AccountRow) -> list[Comment]:
        """Read the newest comments, and older ones while whole pages are new."""
        part, since = (
            self._session.get_adapter(account, COMMENTS_CAPABILITY, NO_COMMENTS_PHRASE),
            get_earliest_new_comment_time(account, self._db.clock.now()),
        )
        news: list[Comment] = []
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            page = await self._session.call_for_account(account, _build_page_call(part, cursor))
            news += iterate_comments_written_since(page.items, since)
            cursor = page.cursor
            if cursor is None or not all(item.created_at and item.created_at >= since for item in page.items):
                break
        return news

    def _calls_a_day(self, account: AccountRow) -> int | None:
        return self._catalogue.manifests[Platform(account.platform)].get_kind_manifest(Kind(account.kind)).comment_polls


def _build_page_call(part: CommentAdapter, cursor: str | None) -> Callable[[AccountCredentials], Any]:
    async def read(credentials: AccountCredentials) -> CommentPage:
        return await part.list(credentials, None, _PAGE_SIZE, cursor)

    return read


def build_comment_sweep_job_type(parts: ServiceContainer) -> JobType:
    """Comments queue these jobs and these jobs report comments, so their worker is built on first use."""

    async def run(run: JobRun) -> None:
        await parts.get(CommentSweeper).sweep(run)

    return JobType(
        name=COMMENT_SWEEP_JOB, run=run, max_per_owner=_MAX_JOBS_PER_OWNER, interval=MIN_SWEEP_INTERVAL, public=False
    )


def build_comment_fetch_job_type(parts: ServiceContainer) -> JobType:
    async def run(run: JobRun) -> None:
        await parts.get(CommentSweeper).fetch_reported_comment(run)

    return JobType(
        name=COMMENT_FETCH_JOB, run=run, max_per_owner=_MAX_JOBS_PER_OWNER, retention=timedelta(hours=1), public=False
    )


def build_comment_sweep_backfill_job_type(parts: ServiceContainer, db: Database) -> JobType:
    async def enrol(tx: Tx, account: AccountRow) -> None:
        await parts.get(CommentSweeper).on_account_connected(tx, AccountActivated(), account)

    return build_backfill_job_type(db, COMMENT_SWEEP_BACKFILL_JOB, enrol)
