"""Looking for comments and reviews that a platform does not push, and reading those of which it only pushes an id."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import structlog

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.account_backfill import build_backfill_job_type
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.comments.receiving import FETCH_JOB, CommentLedger, news_since, written_since
from socialgate.areas.comments.service import NO_COMMENTS_PHRASE
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountActivated, AccountRow, AccountStatus
from socialgate.contracts.comments import COMMENTS, Comment, CommentAdapter, CommentPage
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.db import Database, Tx
from socialgate.core.jitter import random_between
from socialgate.core.jobs.service import JobCancelled, JobRun, JobService, JobType
from socialgate.core.service_container import ServiceContainer

SWEEP_JOB = "comments.sweep"
ENROL_JOB = "comments.enrol"
MIN_INTERVAL = timedelta(hours=1)
_ONE_DAY = timedelta(days=1)
_FIRST_AFTER = (60.0, 600.0)
_NOT_ALLOWED_AGAIN = timedelta(hours=6)
_PAGE_SIZE = 50
# More new comments than this within an interval are not worth what they cost of the platform's quota.
_MAX_PAGES = 4
_AT_ONCE = 4

log = structlog.get_logger(__name__)


class CommentSweeps:
    def __init__(
        self,
        db: Database,
        session: AccountSession,
        catalogue: ConnectorRegistry,
        jobs: JobService,
        ledger: CommentLedger,
    ) -> None:
        self._db = db
        self._session = session
        self._catalogue = catalogue
        self._jobs = jobs
        self._ledger = ledger

    async def on_account_connected(self, tx: Tx, fact: AccountActivated, account: AccountRow) -> None:
        del fact
        if self._calls_a_day(account) is not None:
            due_at = tx.now + timedelta(seconds=random_between(*_FIRST_AFTER))
            await self._jobs.enqueue(
                tx, SWEEP_JOB, account.owner_id, {"accountId": account.id}, key=account.id, due_at=due_at
            )

    async def sweep(self, run: JobRun) -> None:
        """Look for new comments of an account, every hour, or less often if there are more accounts than the quota of
        the platform allows for.
        """
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        calls = None if account is None else self._calls_a_day(account)
        if account is None or calls is None:
            raise JobCancelled
        sharing = await self._db.read(accounts.count_of_kind, account.platform, account.kind)
        run.next_at = self._db.clock.now() + max(MIN_INTERVAL, _ONE_DAY * sharing / calls)
        if account.status is AccountStatus.CONNECTED:
            await self._read(run, account)

    async def fetch(self, run: JobRun) -> None:
        """Read what the platform has just reported."""
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        if account is not None and account.status is AccountStatus.CONNECTED:
            await run.finish(self._ledger.take_all, account, await self._fetch_new_comments(account))

    async def _read(self, run: JobRun, account: AccountRow) -> None:
        try:
            news = await self._fetch_new_comments(account)
        except PlatformFailure as failure:
            log.info("comments_not_swept", account=account.id, platform=account.platform, detail=failure.detail)
            if failure.retryable:
                raise
            # A permission is missing, or comments are turned off: trying often would only use up the quota.
            run.next_at = self._db.clock.now() + _NOT_ALLOWED_AGAIN
        else:
            await run.finish(self._ledger.take_all, account, news)

    async def _fetch_new_comments(self, account: AccountRow) -> list[Comment]:
        """Read the newest comments, and older ones while whole pages are new."""
        part, since = (
            self._session.get_adapter(account, COMMENTS, NO_COMMENTS_PHRASE),
            news_since(account, self._db.clock.now()),
        )
        news: list[Comment] = []
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            page = await self._session.call_for_account(account, _build_page_call(part, cursor))
            news += written_since(page.items, since)
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


def build_sweep_job(parts: ServiceContainer) -> JobType:
    """Comments queue these jobs and these jobs report comments, so their worker is built on first use."""

    async def run(run: JobRun) -> None:
        await parts.get(CommentSweeps).sweep(run)

    return JobType(name=SWEEP_JOB, run=run, max_per_owner=_AT_ONCE, interval=MIN_INTERVAL, public=False)


def build_fetch_job(parts: ServiceContainer) -> JobType:
    async def run(run: JobRun) -> None:
        await parts.get(CommentSweeps).fetch(run)

    return JobType(name=FETCH_JOB, run=run, max_per_owner=_AT_ONCE, retention=timedelta(hours=1), public=False)


def build_enrolment_job(parts: ServiceContainer, db: Database) -> JobType:
    async def enrol(tx: Tx, account: AccountRow) -> None:
        await parts.get(CommentSweeps).on_account_connected(tx, AccountActivated(), account)

    return build_backfill_job_type(db, ENROL_JOB, enrol)
