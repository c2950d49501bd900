"""Long queries as tasks: a report is started on the platform, waited for, and its rows are stored page by page."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import store
from socialgate.areas.ads.insight_schemas import ReportResult
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_insights import AD_INSIGHTS, AdInsightPage, AdInsights, AdInsightsQuery
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected, TemporarilyUnavailable
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.jobs import Cancelled, JobType, Run
from socialgate.core.parts import Parts

REPORT = "ads.report"
LACKS_INSIGHTS = "has no insights of ads"
_MOST_ROWS = 200_000
_POLL_SECONDS = 2.0
# How often a report is polled within one run, before the job makes room for others and is polled again later.
_POLLS = 15
_AGAIN_SECONDS = 10
# After about an hour it is given up.
_MOST_POLLS = 1500
_AT_ONCE = 3
_PERCENT = 100


class ReportWork:
    """Prepares reports: starts them on the platform, waits, and stores their rows page by page."""

    def __init__(self, db: Database, session: AccountSession) -> None:
        self._db = db
        self._session = session

    async def run(self, run: Run) -> ReportResult:
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        if account is None:
            raise Cancelled
        part = self._session.part(account, AD_INSIGHTS, LACKS_INSIGHTS)
        asked = msgspec.convert(run.input["query"], AdInsightsQuery)
        state: dict[str, Any] = run.state or {}
        if "handle" not in state:
            handle = await self._session.call_as(account, lambda held: part.start(held, asked))
            state = {"handle": handle, "ready": handle is None, "cursor": None, "rows": 0}
            await run.step(state)
        handle = state["handle"]
        if not state["ready"]:
            await self._wait(run, account, part, state)
            state = {**state, "ready": True}
        while True:
            page = await self._session.call_as(account, _paging(part, asked, handle, state["cursor"]))
            first, count = state["rows"], state["rows"] + len(page.items)
            if count > _MOST_ROWS:
                detail = f"The report has more than {_MOST_ROWS} rows. Ask for a shorter period or fewer breakdowns."
                raise Rejected(detail, platform=account.platform)
            state = {**state, "cursor": page.cursor, "rows": count}
            rows = [msgspec.to_builtins(row) for row in page.items]
            await run.step_with(_storing(run, first, rows), state, done=count, total=None, unit="rows")
            if page.cursor is None:
                return ReportResult(rows=count)

    async def _wait(self, run: Run, account: AccountRow, part: AdInsights, state: dict[str, Any]) -> None:
        """Wait until the platform has prepared the report. After a while the job makes room for others."""
        handle: str = state["handle"]
        for _ in range(_POLLS):
            checked = await self._session.call_as(account, lambda held: part.check(held, handle))
            if checked.failed is not None:
                raise Rejected(
                    f"The platform could not prepare the report: {checked.failed}", platform=account.platform
                )
            if checked.done:
                return
            # A new state each time: a job that moves is not given up.
            state["polled"] = state.get("polled", 0) + 1
            if state["polled"] > _MOST_POLLS:
                raise Rejected("The platform has not prepared the report for an hour.", platform=account.platform)
            await run.step(dict(state), done=checked.percent, total=_PERCENT, unit="percent")
            await asyncio.sleep(_POLL_SECONDS)
        raise TemporarilyUnavailable(
            "The platform is still preparing the report.", platform=account.platform, retry_after=_AGAIN_SECONDS
        )


def _paging(
    part: AdInsights, asked: AdInsightsQuery, handle: str | None, cursor: str | None
) -> Callable[[AccountCredentials], Awaitable[AdInsightPage]]:
    query = msgspec.structs.replace(asked, cursor=cursor)

    async def call(held: AccountCredentials) -> AdInsightPage:
        return await (part.read(held, query) if handle is None else part.rows(held, query, handle))

    return call


def _storing(run: Run, first: int, rows: list[Any]) -> Callable[[Tx], Awaitable[None]]:
    async def keep(tx: Tx) -> None:
        await store.insert_report_rows(tx, run.owner_id, run.id, first, rows)

    return keep


def reporting(parts: Parts) -> JobType:
    """`ReportWork` is built when the first job runs."""

    async def run(run: Run) -> ReportResult:
        return await parts.get(ReportWork).run(run)

    return JobType(name=REPORT, run=run, per_owner=_AT_ONCE, result=ReportResult)
