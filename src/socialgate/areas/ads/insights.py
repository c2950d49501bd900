"""How ads perform: read at once where the platform can, else prepared as a report by a task."""

from decimal import ROUND_HALF_EVEN, Decimal
from hashlib import sha256

import msgspec

from socialgate.areas.accounts.live_reads import ListRead
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import store
from socialgate.areas.ads.ad_account_reader import AdAccountReader
from socialgate.areas.ads.insight_schemas import AdInsight, AdInsightsQuery, AdReport, AdReportTask, PlacesQuery
from socialgate.areas.ads.object_operations import NO_ADS_PHRASE
from socialgate.areas.ads.periods import parse_period, parse_timezone
from socialgate.areas.ads.reports import AD_REPORT_JOB, NO_INSIGHTS_PHRASE
from socialgate.contracts import ad_insights
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_insights import (
    AD_INSIGHTS_CAPABILITY,
    AdInsightPage,
    AdInsightRow,
    AdInsightsLevel,
    Breakdown,
    ReportRequiredError,
)
from socialgate.contracts.ads import AD_TARGETING_CAPABILITY, TargetingOption, TargetingQuery
from socialgate.contracts.money import Money
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict, InvalidRequest, NotFound
from socialgate.core.jobs import job_store as jobs_table
from socialgate.core.jobs.job_store import JobRow, JobStatus
from socialgate.core.jobs.service import JobService
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.field_errors import require_no_errors
from socialgate.web.pagination import parse_row_cursor, unwrap_platform_cursor, wrap_platform_cursor
from socialgate.web.schemas import Page

# Numbers of ads are updated by platforms every few minutes at most.
_CACHE_SECONDS = 60.0
_REPORT_PAGE_SIZE = 500
_PERCENT_FACTOR = 100
_PER_MILLE = 1000
_MAX_CURSOR_DIGITS = 9
_PLACE_TYPES = ("country", "region", "city", "zip")


class ReportNotReadyError(Conflict):
    """The report has not succeeded: it is still being prepared, or has failed.

    `GET /tasks/{taskId}` shows its status, and the error of one that failed.
    """

    code = "report_not_ready"
    title = "The report is not ready"


class AdInsightsService:
    def __init__(self, desk: AdAccountReader, session: AccountSession, jobs: JobService) -> None:
        self._desk = desk
        self._session = session
        self._jobs = jobs

    async def read_insights(self, work: UnitOfWork, query: AdInsightsQuery) -> AdReport:
        account = await self._desk.find_account(work, query.ad_account_id)
        if query.task_id is not None:
            return await work.read(self._read_stored_report, account, query)
        part = self._session.get_adapter(account, AD_INSIGHTS_CAPABILITY, NO_INSIGHTS_PHRASE)
        requested_query = self._parse_query(work, account, query)
        require_no_errors((), part.validate_query(requested_query), "query")
        values = ("ad insights", account.id, _hash_query(requested_query))
        requested_query = msgspec.structs.replace(requested_query, cursor=unwrap_platform_cursor(query.cursor, *values))
        if requested_query.cursor is None and (query.report or part.needs_report(requested_query)):
            return await self._queue_report(work, account, requested_query)
        try:
            page = await self._read(account, requested_query)
        except ReportRequiredError:
            return await self._queue_report(work, account, requested_query)
        data = [build_insight_view(requested_query.level, row) for row in page.items]
        return _build_report(account, requested_query, data, wrap_platform_cursor(page.cursor, *values))

    async def search_locations(self, work: UnitOfWork, query: PlacesQuery) -> Page[TargetingOption]:
        account = await self._desk.find_account(work, query.ad_account_id)
        types = _split_list(query.types)
        if unknown := [value for value in types if value not in _PLACE_TYPES]:
            detail = f"Unknown type: {', '.join(unknown)}. Known: {', '.join(_PLACE_TYPES)}."
            raise InvalidRequest.for_field("?types", "invalid", detail)
        requested_query = TargetingQuery(
            kind=query.kind, text=query.q, types=types, country=query.country, limit=query.limit
        )
        ad_places = await self._desk.read_live(
            account,
            "places",
            AD_TARGETING_CAPABILITY,
            NO_ADS_PHRASE,
            lambda part, credentials: part.search(credentials, requested_query),
            *msgspec.structs.astuple(requested_query),
            keep=_CACHE_SECONDS,
        )
        return Page(data=list(ad_places[: query.limit]), next_cursor=None)

    def _parse_query(
        self, work: UnitOfWork, account: AccountRow, query: AdInsightsQuery
    ) -> ad_insights.AdInsightsQuery:
        known = [breakdown.value for breakdown in Breakdown]
        breakdowns = _split_list(query.breakdowns)
        if unknown := [breakdown for breakdown in breakdowns if breakdown not in known]:
            detail = f"Unknown breakdown: {', '.join(unknown)}. Known: {', '.join(known)}."
            raise InvalidRequest.for_field("?breakdowns", "invalid", detail)
        if query.ids and query.level is AdInsightsLevel.ACCOUNT:
            raise InvalidRequest.for_field(
                "?ids", "contradiction", "The level `account` has no ids. Use another level."
            )
        return ad_insights.AdInsightsQuery(
            level=query.level,
            days=parse_period(query, work.db.clock.now(), parse_timezone(account.details.get("timezone"))),
            granularity=query.granularity,
            breakdowns=tuple(Breakdown(breakdown) for breakdown in breakdowns),
            ids=_split_list(query.ids),
            limit=query.limit,
        )

    async def _read(self, account: AccountRow, query: ad_insights.AdInsightsQuery) -> AdInsightPage:
        read = ListRead(
            name="ads insights",
            params=(_hash_query(query), query.cursor),
            limit=query.limit,
            capability=AD_INSIGHTS_CAPABILITY,
            lacks=NO_INSIGHTS_PHRASE,
            call=lambda part, credentials, rows: part.read_page(
                credentials, msgspec.structs.replace(query, limit=rows)
            ),
            keep=_CACHE_SECONDS,
        )
        return (await self._desk.reads.list(account, read)).value

    async def _queue_report(
        self, work: UnitOfWork, account: AccountRow, query: ad_insights.AdInsightsQuery
    ) -> AdReport:
        """Queue a report. The same query again while it is being prepared is the same task."""
        query = msgspec.structs.replace(query, limit=_REPORT_PAGE_SIZE, cursor=None)
        job_input = {"accountId": account.id, "query": msgspec.to_builtins(query)}
        key = sha256(f"{account.id} {_hash_query(query)}".encode()).hexdigest()[:40]

        async def add(tx: Tx) -> JobRow:
            return await self._jobs.enqueue(
                tx, AD_REPORT_JOB, account.owner_id, job_input, profile_id=account.profile_id, key=key
            )

        job = await work.db.write(add)
        task = AdReportTask(id=job.id, type=job.type, status=job.status, created_at=job.created_at)
        return msgspec.structs.replace(_build_report(account, query, [], None), task=task)

    async def _read_stored_report(self, tx: Tx, account: AccountRow, query: AdInsightsQuery) -> AdReport:
        job = await jobs_table.find_job(tx, account.owner_id, query.task_id or "")
        if job is None or job.type != AD_REPORT_JOB or job.input["accountId"] != account.id:
            raise NotFound("The ad account has no report with this task. Reports are kept for seven days.")
        if job.status is not JobStatus.SUCCEEDED:
            raise ReportNotReadyError(
                f"The task has the status {job.status}. GET /tasks/{job.id} shows when it is done."
            )
        requested_query = msgspec.convert(job.input["query"], ad_insights.AdInsightsQuery)
        pair = ("ad report", job.id)
        after = parse_row_cursor(unwrap_platform_cursor(query.cursor, *pair), first=0, max_digits=_MAX_CURSOR_DIGITS)
        result = await store.list_report_rows(tx, account.owner_id, job.id, after, query.limit)
        rows = result[: query.limit]
        last = str(rows[-1][0]) if len(result) > query.limit else None
        data = [build_insight_view(requested_query.level, msgspec.convert(row, AdInsightRow)) for _, row in rows]
        return _build_report(account, requested_query, data, wrap_platform_cursor(last, *pair))


def build_insight_view(level: AdInsightsLevel, row: AdInsightRow) -> AdInsight:
    return AdInsight(
        since=row.first_day,
        until=row.last_day,
        level=level,
        campaign_id=row.campaign_id,
        adset_id=row.adset_id,
        ad_id=row.ad_id,
        name=row.name,
        breakdowns=row.breakdowns,
        spend=row.spend,
        impressions=row.impressions,
        reach=row.reach,
        frequency=_divide_counts(row.impressions, row.reach),
        clicks=row.clicks,
        link_clicks=row.link_clicks,
        ctr=_divide_counts(row.clicks, row.impressions, _PERCENT_FACTOR),
        cpc=_divide_money(row.spend, row.clicks),
        cpm=_divide_money(row.spend, row.impressions, _PER_MILLE),
        engagements=row.engagements,
        video_views=row.video_views,
        leads=row.leads,
        conversions=row.conversions,
        cost_per_conversion=_divide_money(row.spend, row.conversions),
        conversion_value=row.conversion_value,
        roas=None
        if row.spend is None or row.conversion_value is None
        else _divide_counts(row.conversion_value.amount, row.spend.amount),
        vendor=row.vendor,
    )


def _divide_counts(part: int | None, whole: int | None, times: int = 1) -> float | None:
    """Divide two counts. Without anything to divide by there is no rate."""
    return None if part is None or not whole else round(part / whole * times, 4)


def _divide_money(money: Money | None, count: int | None, times: int = 1) -> Money | None:
    """Divide an amount, rounded to the smallest unit of its currency."""
    if money is None or not count:
        return None
    amount = (Decimal(money.amount) * times / count).quantize(Decimal(1), ROUND_HALF_EVEN)
    return Money(int(amount), money.currency)


def _build_report(
    account: AccountRow, query: ad_insights.AdInsightsQuery, data: list[AdInsight], cursor: str | None
) -> AdReport:
    zone = account.details.get("timezone")
    return AdReport(
        data=data,
        next_cursor=cursor,
        since=query.days.first,
        until=query.days.last,
        timezone=None if zone is None else str(zone),
        task=None,
    )


def _hash_query(query: ad_insights.AdInsightsQuery) -> str:
    """Return what distinguishes a query from others, whichever page of it is read."""
    alone = msgspec.structs.replace(query, limit=0, cursor=None)
    return sha256(msgspec.json.encode(alone)).hexdigest()


def _split_list(value: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value.strip() for value in (value or "").split(",") if value.strip()))
