"""Long queries as tasks: a report is started on the platform, waited for, and its rows are stored page by page."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import store
from socialgate.areas.ads.insight_schemas import AdReportResult
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_insights import AD_INSIGHTS_CAPABILITY, AdInsightPage, AdInsightsAdapter, AdInsightsQuery
from socialgate.contracts.failures import PlatformRejectedError, PlatformUnavailableError
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.service import JobCancelled, JobRun, JobType
from socialgate.core.service_container import ServiceContainer

AD_REPORT_JOB = "ads.report"
NO_INSIGHTS_PHRASE = "has no insights of ads"
_MAX_ROWS = 200_000
_POLL_SECONDS = 2.0
# How often a report is polled within one run, before the job makes room for others and is polled again later.
_POLLS_PER_RUN = 15
_RETRY_SECONDS = 10
# After about an hour it is given up.
_MAX_POLLS = 1500
_MAX_JOBS_PER_OWNER = 3
_TOTAL_PERCENT = 100


class AdReportJobHandler:
    """Prepares reports: starts them on the platform, waits, and stores their rows page by page."""

    def __init__(self, db: Database, session: AccountSession) -> None:
        self._db = db
        self._session = session

    async def run(self, run: JobRun) -> AdReportResult:
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        if account is None:
            raise JobCancelled
        part = self._session.get_adapter(account, AD_INSIGHTS_CAPABILITY, NO_INSIGHTS_PHRASE)
        query = msgspec.convert(run.input["query"], AdInsightsQuery)
        state: dict[str, Any] = run.state or {}
        if "handle" not in state:
            handle = await self._session.call_for_account(
                account, lambda credentials: part.start_report(credentials, query)
            )
            state = {"handle": handle, "ready": handle is None, "cursor": None, "rows": 0}
            await run.record_step(state)
        handle = state["handle"]
        if not state["ready"]:
            await self._wait_until_ready(run, account, part, state)
            state = {**state, "ready": True}
        while True:
            page = await self._session.call_for_account(account, _build_page_call(part, query, handle, state["cursor"]))
            first, count = state["rows"], state["rows"] + len(page.items)
            if count > _MAX_ROWS:
                detail = f"The report has more than {_MAX_ROWS} rows. Ask for a shorter period or fewer breakdowns."
                raise PlatformRejectedError(detail, platform=account.platform)
            state = {**state, "cursor": page.cursor, "rows": count}
            rows = [msgspec.to_builtins(row) for row in page.items]
            await run.write_step(_build_rows_writer(run, first, rows), state, done=count, total=None, unit="rows")
            if page.cursor is None:
                return AdReportResult(rows=count)

    async def _wait_until_ready(
        self, run: JobRun, account: AccountRow, part: AdInsightsAdapter, state: dict[str, Any]
    ) -> None:
        """Wait until the platform has prepared the report. After a while the job makes room for others."""
        handle: str = state["handle"]
        for _ in range(_POLLS_PER_RUN):
            checked = await self._session.call_for_account(
                account, lambda credentials: part.get_report_state(credentials, handle)
            )
            if checked.failure_reason is not None:
                raise PlatformRejectedError(
                    f"The platform could not prepare the report: {checked.failure_reason}", platform=account.platform
                )
            if checked.done:
                return
            # A new state each time: a job that moves is not given up.
            state["polled"] = state.get("polled", 0) + 1
            if state["polled"] > _MAX_POLLS:
                raise PlatformRejectedError(
                    "The platform has not prepared the report for an hour.", platform=account.platform
                )
            await run.record_step(dict(state), done=checked.percent, total=_TOTAL_PERCENT, unit="percent")
            await asyncio.sleep(_POLL_SECONDS)
        raise PlatformUnavailableError(
            "The platform is still preparing the report.", platform=account.platform, retry_after=_RETRY_SECONDS
        )


def _build_page_call(
    part: AdInsightsAdapter, requested_query: AdInsightsQuery, handle: str | None, cursor: str | None
) -> Callable[[AccountCredentials], Awaitable[AdInsightPage]]:
    query = msgspec.structs.replace(requested_query, cursor=cursor)

    async def call(credentials: AccountCredentials) -> AdInsightPage:
        return await (
            part.read_page(credentials, query) if handle is None else part.read_report_page(credentials, query, handle)
        )

    return call


def _build_rows_writer(run: JobRun, first: int, rows: list[Any]) -> Callable[[Tx], Awaitable[None]]:
    async def keep(tx: Tx) -> None:
        await store.insert_report_rows(tx, run.owner_id, run.id, first, rows)

    return keep


def build_ad_report_job_type(parts: ServiceContainer) -> JobType:
    """`AdReportJobHandler` is built when the first job runs."""

    async def run(run: JobRun) -> AdReportResult:
        return await parts.get(AdReportJobHandler).run(run)

    return JobType(name=AD_REPORT_JOB, run=run, max_per_owner=_MAX_JOBS_PER_OWNER, result=AdReportResult)
