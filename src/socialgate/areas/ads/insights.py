"""How ads perform: read at once where the platform can, else prepared as a report by a task."""

from decimal import ROUND_HALF_EVEN, Decimal
from hashlib import sha256

import msgspec

from socialgate.areas.accounts.reading import ListRead
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import store
from socialgate.areas.ads.changes import LACKS
from socialgate.areas.ads.desk import AdDesk
from socialgate.areas.ads.insight_schemas import AdInsight, AdInsightsQuery, AdReport, PlacesQuery, ReportTask
from socialgate.areas.ads.periods import days_of, zone_of
from socialgate.areas.ads.reports import LACKS_INSIGHTS, REPORT
from socialgate.contracts import ad_insights
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_insights import AD_INSIGHTS, AdInsightPage, AdInsightRow, Breakdown, Level, NeedsReport
from socialgate.contracts.ads import AD_TARGETING, AdPlace, PlaceQuery
from socialgate.contracts.money import Money
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict, Invalid, NotFound
from socialgate.core.jobs import table as jobs_table
from socialgate.core.jobs.jobs import Jobs
from socialgate.core.jobs.table import JobRow, JobStatus
from socialgate.core.work import Work
from socialgate.web.faults import require_accepted
from socialgate.web.paging import opaque, parse_row_cursor, plain
from socialgate.web.schema import Page

# Numbers of ads are updated by platforms every few minutes at most.
_KEPT_SECONDS = 60.0
_ROWS_AT_ONCE = 500
_PERCENT = 100
_PER_MILLE = 1000
_NUMBER_DIGITS = 9
_PLACE_TYPES = ("country", "region", "city", "zip")


class ReportNotReady(Conflict):
    """The report has not succeeded: it is still being prepared, or has failed.

    `GET /tasks/{taskId}` shows its status, and the error of one that failed.
    """

    code = "report_not_ready"
    title = "The report is not ready"


class AdNumbers:
    def __init__(self, desk: AdDesk, session: AccountSession, jobs: Jobs) -> None:
        self._desk = desk
        self._session = session
        self._jobs = jobs

    async def insights(self, work: Work, query: AdInsightsQuery) -> AdReport:
        account = await self._desk.account(work, query.ad_account_id)
        if query.task_id is not None:
            return await work.read(self._rows, account, query)
        part = self._session.part(account, AD_INSIGHTS, LACKS_INSIGHTS)
        asked = self._asked(work, account, query)
        require_accepted((), part.query_faults(asked), "query")
        of = ("ad insights", account.id, _digest(asked))
        asked = msgspec.structs.replace(asked, cursor=plain(query.cursor, *of))
        if asked.cursor is None and (query.report or part.is_long(asked)):
            return await self._queue(work, account, asked)
        try:
            page = await self._read(account, asked)
        except NeedsReport:
            return await self._queue(work, account, asked)
        data = [show_row(asked.level, row) for row in page.items]
        return _report(account, asked, data, opaque(page.cursor, *of))

    async def places(self, work: Work, query: PlacesQuery) -> Page[AdPlace]:
        account = await self._desk.account(work, query.ad_account_id)
        types = _split(query.types)
        if unknown := [one for one in types if one not in _PLACE_TYPES]:
            detail = f"Unknown type: {', '.join(unknown)}. Known: {', '.join(_PLACE_TYPES)}."
            raise Invalid.at("?types", "invalid", detail)
        asked = PlaceQuery(kind=query.kind, text=query.q, types=types, country=query.country, limit=query.limit)
        found = await self._desk.read(
            account,
            "places",
            AD_TARGETING,
            LACKS,
            lambda part, held: part.search(held, asked),
            *msgspec.structs.astuple(asked),
            keep=_KEPT_SECONDS,
        )
        return Page(data=list(found[: query.limit]), next_cursor=None)

    def _asked(self, work: Work, account: AccountRow, query: AdInsightsQuery) -> ad_insights.AdInsightsQuery:
        known = [one.value for one in Breakdown]
        breakdowns = _split(query.breakdowns)
        if unknown := [one for one in breakdowns if one not in known]:
            detail = f"Unknown breakdown: {', '.join(unknown)}. Known: {', '.join(known)}."
            raise Invalid.at("?breakdowns", "invalid", detail)
        if query.ids and query.level is Level.ACCOUNT:
            raise Invalid.at("?ids", "contradiction", "The level `account` has no ids. Use another level.")
        return ad_insights.AdInsightsQuery(
            level=query.level,
            days=days_of(query, work.db.clock.now(), zone_of(account.details.get("timezone"))),
            granularity=query.granularity,
            breakdowns=tuple(Breakdown(one) for one in breakdowns),
            ids=_split(query.ids),
            limit=query.limit,
        )

    async def _read(self, account: AccountRow, asked: ad_insights.AdInsightsQuery) -> AdInsightPage:
        read = ListRead(
            name="ads insights",
            params=(_digest(asked), asked.cursor),
            limit=asked.limit,
            capability=AD_INSIGHTS,
            lacks=LACKS_INSIGHTS,
            call=lambda part, held, rows: part.read(held, msgspec.structs.replace(asked, limit=rows)),
            keep=_KEPT_SECONDS,
        )
        return (await self._desk.reads.list(account, read)).value

    async def _queue(self, work: Work, account: AccountRow, asked: ad_insights.AdInsightsQuery) -> AdReport:
        """Queue a report. The same query again while it is being prepared is the same task."""
        asked = msgspec.structs.replace(asked, limit=_ROWS_AT_ONCE, cursor=None)
        job_input = {"accountId": account.id, "query": msgspec.to_builtins(asked)}
        key = sha256(f"{account.id} {_digest(asked)}".encode()).hexdigest()[:40]

        async def add(tx: Tx) -> JobRow:
            return await self._jobs.add(tx, REPORT, account.owner_id, job_input, profile_id=account.profile_id, key=key)

        job = await work.db.write(add)
        task = ReportTask(id=job.id, type=job.type, status=job.status, created_at=job.created_at)
        return msgspec.structs.replace(_report(account, asked, [], None), task=task)

    async def _rows(self, tx: Tx, account: AccountRow, query: AdInsightsQuery) -> AdReport:
        job = await jobs_table.find(tx, account.owner_id, query.task_id or "")
        if job is None or job.type != REPORT or job.input["accountId"] != account.id:
            raise NotFound("The ad account has no report with this task. Reports are kept for seven days.")
        if job.status is not JobStatus.SUCCEEDED:
            raise ReportNotReady(f"The task has the status {job.status}. GET /tasks/{job.id} shows when it is done.")
        asked = msgspec.convert(job.input["query"], ad_insights.AdInsightsQuery)
        of = ("ad report", job.id)
        after = parse_row_cursor(plain(query.cursor, *of), first=0, max_digits=_NUMBER_DIGITS)
        found = await store.report_rows(tx, account.owner_id, job.id, after, query.limit)
        rows = found[: query.limit]
        last = str(rows[-1][0]) if len(found) > query.limit else None
        data = [show_row(asked.level, msgspec.convert(row, AdInsightRow)) for _, row in rows]
        return _report(account, asked, data, opaque(last, *of))


def show_row(level: Level, row: AdInsightRow) -> AdInsight:
    return AdInsight(
        since=row.first,
        until=row.last,
        level=level,
        campaign_id=row.campaign_id,
        adset_id=row.adset_id,
        ad_id=row.ad_id,
        name=row.name,
        breakdowns=row.breakdowns,
        spend=row.spend,
        impressions=row.impressions,
        reach=row.reach,
        frequency=_ratio(row.impressions, row.reach),
        clicks=row.clicks,
        link_clicks=row.link_clicks,
        ctr=_ratio(row.clicks, row.impressions, _PERCENT),
        cpc=_share(row.spend, row.clicks),
        cpm=_share(row.spend, row.impressions, _PER_MILLE),
        engagements=row.engagements,
        video_views=row.video_views,
        leads=row.leads,
        conversions=row.conversions,
        cost_per_conversion=_share(row.spend, row.conversions),
        conversion_value=row.conversion_value,
        roas=None
        if row.spend is None or row.conversion_value is None
        else _ratio(row.conversion_value.amount, row.spend.amount),
        vendor=row.vendor,
    )


def _ratio(part: int | None, whole: int | None, times: int = 1) -> float | None:
    """Divide two counts. Without anything to divide by there is no rate."""
    return None if part is None or not whole else round(part / whole * times, 4)


def _share(money: Money | None, count: int | None, times: int = 1) -> Money | None:
    """Divide an amount, rounded to the smallest unit of its currency."""
    if money is None or not count:
        return None
    amount = (Decimal(money.amount) * times / count).quantize(Decimal(1), ROUND_HALF_EVEN)
    return Money(int(amount), money.currency)


def _report(
    account: AccountRow, asked: ad_insights.AdInsightsQuery, data: list[AdInsight], cursor: str | None
) -> AdReport:
    zone = account.details.get("timezone")
    return AdReport(
        data=data,
        next_cursor=cursor,
        since=asked.days.first,
        until=asked.days.last,
        timezone=None if zone is None else str(zone),
        task=None,
    )


def _digest(asked: ad_insights.AdInsightsQuery) -> str:
    """Return what distinguishes a query from others, whichever page of it is read."""
    alone = msgspec.structs.replace(asked, limit=0, cursor=None)
    return sha256(msgspec.json.encode(alone)).hexdigest()


def _split(given: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.strip() for one in (given or "").split(",") if one.strip()))
