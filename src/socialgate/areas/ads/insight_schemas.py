"""How ads perform, and where to look for places."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.areas.accounts.reading import LiveQuery
from socialgate.areas.ads.value_schemas import AD_ACCOUNT, CAMPAIGN, AdAccountId, Money
from socialgate.contracts.ad_insights import Breakdown, Granularity, Level
from socialgate.core.jobs.table import JobStatus
from socialgate.web.schema import Query, View

TASK = "task_01h455vb4pex5vsknk084sn02q"
Preset = Literal[
    "today", "yesterday", "last7d", "last14d", "last28d", "last30d", "last90d", "thisWeek", "lastWeek", "thisMonth",
    "lastMonth", "thisQuarter", "lastQuarter", "thisYear", "lastYear",
]  # fmt: skip


_PRESET = "Instead of `since` and `until`; `last30d` by default. Those with `last` end before today, which is not over."


class AdInsightsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which numbers to read. Days are in the time zone of the ad account. Weeks start on the first day of the period;
    those of presets start on Monday.
    """

    ad_account_id: AdAccountId
    level: Level = Level.CAMPAIGN
    since: date | None = None
    until: Annotated[date, Meta(description="Inclusive, not in the future; today by default.")] | None = None
    preset: Annotated[Preset, Meta(description=_PRESET)] | None = None
    granularity: Granularity = Granularity.TOTAL
    breakdowns: (
        Annotated[str, Meta(max_length=200, description=f"Separated by commas: {', '.join(Breakdown)}.")] | None
    ) = None
    ids: (
        Annotated[str, Meta(max_length=2000, description="Only these objects of the level, separated by commas.")]
        | None
    ) = None
    report: Annotated[
        bool, Meta(description="Always prepare a report in the background, also if the numbers could be read at once.")
    ] = False
    task_id: (
        Annotated[str, Meta(max_length=40, description="Read the rows of a finished report instead. Ignores the rest.")]
        | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": AD_ACCOUNT, "level": "campaign", "preset": "last7d", "granularity": "day"}


class AdInsight(View, frozen=True, kw_only=True):
    """Numbers of one object in one part of the period. What the platform does not report is null, never zero.

    `ctr` is in percent. `cpc`, `cpm` and `costPerConversion` are computed from the counts and rounded to the smallest
    unit of the currency; compute them from `spend` if you need them exactly. `vendor` holds what else the platform
    reports, by its names.
    """

    since: date
    until: date
    level: Level
    campaign_id: str | None
    adset_id: str | None
    ad_id: str | None
    name: str | None
    breakdowns: dict[str, str]
    spend: Money | None
    impressions: int | None
    reach: int | None
    frequency: float | None
    clicks: int | None
    link_clicks: int | None
    ctr: float | None
    cpc: Money | None
    cpm: Money | None
    engagements: int | None
    video_views: int | None
    leads: int | None
    conversions: int | None
    cost_per_conversion: Money | None
    conversion_value: Money | None
    roas: float | None
    vendor: dict[str, Any]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "since": "2026-11-08",
            "until": "2026-11-08",
            "level": "campaign",
            "campaignId": CAMPAIGN,
            "adsetId": None,
            "adId": None,
            "name": "Christmas cakes",
            "breakdowns": {},
            "spend": {"amount": 4210, "currency": "SEK"},
            "impressions": 12040,
            "reach": 9120,
            "frequency": 1.32,
            "clicks": 301,
            "linkClicks": 280,
            "ctr": 2.5,
            "cpc": {"amount": 14, "currency": "SEK"},
            "cpm": {"amount": 350, "currency": "SEK"},
            "engagements": 512,
            "videoViews": None,
            "leads": None,
            "conversions": 9,
            "costPerConversion": {"amount": 468, "currency": "SEK"},
            "conversionValue": {"amount": 31100, "currency": "SEK"},
            "roas": 7.39,
            "vendor": {},
        }


class AdReport(View, frozen=True, kw_only=True):
    """A page of numbers; or, with the status 202, a task that prepares them.

    Until then `data` is empty. `GET /tasks/{id}` shows its progress, and `GET /ads/insights?adAccountId=…&taskId=…`
    lists its rows once it has succeeded. They are kept for seven days.
    """

    data: list[AdInsight]
    next_cursor: str | None
    since: date
    until: date
    timezone: str | None
    task: "ReportTask | None"

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "data": [AdInsight.example()],
            "nextCursor": None,
            "since": "2026-11-08",
            "until": "2026-11-14",
            "timezone": "America/Lima",
            "task": None,
        }


class ReportTask(View, frozen=True, kw_only=True):
    """The task that prepares a report."""

    id: str
    type: str
    status: JobStatus
    created_at: datetime

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": TASK, "type": "ads.report", "status": "queued", "createdAt": "2026-11-15T09:30:00Z"}


class ReportResult(View, frozen=True, kw_only=True):
    """The result of the task that prepares a report."""

    rows: Annotated[int, Meta(description="How many rows the report has.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"rows": 1240}


class PlacesQuery(Query, frozen=True, kw_only=True):
    """What to search for."""

    ad_account_id: AdAccountId
    q: Annotated[str, Meta(min_length=1, max_length=100, description="The beginning of a name.")]
    kind: Literal["location", "interest"] = "location"
    types: (
        Annotated[str, Meta(max_length=100, description="Of places, separated by commas: country, region, city, zip.")]
        | None
    ) = None
    country: Annotated[str, Meta(pattern="^[A-Z]{2}$", description="Only places in this country.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 25

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": AD_ACCOUNT, "q": "lim", "types": "city,region"}


class AdPlace(View, frozen=True, kw_only=True):
    """A place or an interest. Use its `id` in `targeting`. `path` names what it is part of."""

    id: str
    name: str
    type: str
    country: str | None
    path: list[str]
    audience_min: int | None
    audience_max: int | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "city:1819",
            "name": "Lima",
            "type": "city",
            "country": "PE",
            "path": ["Peru", "Lima Region"],
            "audienceMin": None,
            "audienceMax": None,
        }
