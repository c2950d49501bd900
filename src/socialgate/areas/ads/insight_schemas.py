"""How ads perform, and where to look for places."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.areas.accounts.live_reads import LiveQuery
from socialgate.contracts.ad_fields import CAMPAIGN, EXAMPLE_AD_ACCOUNT_ID, AdAccountId
from socialgate.contracts.ad_insights import AdInsightsLevel, Breakdown, Granularity
from socialgate.contracts.money import Money
from socialgate.core.fields import CreatedAt, NextCursor
from socialgate.core.jobs.job_store import JobStatus
from socialgate.web.schemas import QueryParameters, ResponseModel

EXAMPLE_TASK_ID = "task_01h455vb4pex5vsknk084sn02q"
PeriodPreset = Literal[
    "today", "yesterday", "last7d", "last14d", "last28d", "last30d", "last90d", "thisWeek", "lastWeek", "thisMonth",
    "lastMonth", "thisQuarter", "lastQuarter", "thisYear", "lastYear",
]  # fmt: skip


_PRESET_DESCRIPTION = (
    "Instead of `since` and `until`. Default: `last30d`. Presets that start with `last` do not include today."
)


class AdInsightsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which numbers to read. Days are in the time zone of the ad account. Weeks start on the first day of the period;
    those of presets start on Monday.
    """

    ad_account_id: AdAccountId
    level: AdInsightsLevel = AdInsightsLevel.CAMPAIGN
    """What each row is about: the ad account, or each campaign, ad set or ad."""
    since: date | None = None
    """The first day. By default, the period is the 30 days up to `until`."""
    until: Annotated[date, Meta(description="Inclusive, not in the future; today by default.")] | None = None
    preset: Annotated[PeriodPreset, Meta(description=_PRESET_DESCRIPTION)] | None = None
    granularity: Granularity = Granularity.TOTAL
    """The period of each row. With `total` one row covers all days."""
    breakdowns: (
        Annotated[str, Meta(max_length=200, description=f"Separated by commas: {', '.join(Breakdown)}.")] | None
    ) = None
    ids: (
        Annotated[str, Meta(max_length=2000, description="Only these objects of the level, separated by commas.")]
        | None
    ) = None
    report: Annotated[
        bool,
        Meta(description="Always prepare a report in the background, even if the rows could be returned directly."),
    ] = False
    task_id: (
        Annotated[
            str,
            Meta(
                max_length=40, description="The task of a finished report, to read its rows. Other filters are ignored."
            ),
        ]
        | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "limit": 25,
            "adAccountId": EXAMPLE_AD_ACCOUNT_ID,
            "level": "campaign",
            "preset": "last7d",
            "granularity": "day",
        }


class AdInsight(ResponseModel, frozen=True, kw_only=True):
    """Numbers of one object in one part of the period. Values that the platform does not report are null, never zero.

    `ctr` is in percent. `cpc`, `cpm` and `costPerConversion` are computed from the counts and rounded to the smallest
    unit of the currency; compute them from `spend` if you need them exactly. `vendor` holds what else the platform
    reports, by its names.
    """

    since: date
    """The first day of the row."""
    until: date
    """The last day of the row, inclusive."""
    level: AdInsightsLevel
    """What the row is about."""
    campaign_id: str | None
    """The platform's id of the campaign. Null for the level `account`."""
    adset_id: str | None
    """The platform's id of the ad set. Null for the levels above it."""
    ad_id: str | None
    """The platform's id of the ad. Null for the levels above it."""
    name: str | None
    """The name of the object. Null if the platform does not report it."""
    breakdowns: Mapping[str, str]
    """The values that the row is about, by the names of `breakdowns`, such as `{"age": "25-34"}`."""
    spend: Money | None
    """What was spent."""
    impressions: int | None
    """How often ads were shown."""
    reach: int | None
    """How many different people saw them."""
    frequency: float | None
    """How often each person saw them on average: `impressions` divided by `reach`."""
    clicks: int | None
    """Clicks on any part of the ads."""
    link_clicks: int | None
    """Clicks that opened the page, the form or the app."""
    ctr: float | None
    """`clicks` per hundred `impressions`, in percent."""
    cpc: Money | None
    """`spend` per click."""
    cpm: Money | None
    """`spend` per thousand impressions."""
    engagements: int | None
    """Reactions, comments, shares and other interactions."""
    video_views: int | None
    """How often videos were watched, as the platform counts it."""
    leads: int | None
    """Forms that were submitted."""
    conversions: int | None
    """Events that count as conversions, as the platform attributes them to ads."""
    cost_per_conversion: Money | None
    """`spend` per conversion."""
    conversion_value: Money | None
    """What the conversions were worth."""
    roas: float | None
    """`conversionValue` divided by `spend`."""
    vendor: Mapping[str, Any]
    """What else the platform reports, by its own names."""

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


class AdReport(ResponseModel, frozen=True, kw_only=True):
    """A page of numbers; or, with the status 202, the task that prepares them.

    In that case `data` is empty. `GET /tasks/{taskId}` shows its progress, and `GET
    /ads/insights?adAccountId=…&taskId=…` lists its rows once it has succeeded. They are kept for seven days.
    """

    data: list[AdInsight]
    """The rows of this page. Empty while a report is being prepared."""
    next_cursor: NextCursor
    since: date
    """The first day of the period."""
    until: date
    """The last day of the period, inclusive."""
    timezone: str | None
    """The IANA time zone of the ad account, in which days are counted. Null if it is unknown."""
    task: "AdReportTask | None"
    """The task that prepares the rows, with the status 202. Null if they are in `data`."""

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


class AdReportTask(ResponseModel, frozen=True, kw_only=True):
    """The task that prepares a report."""

    id: str
    """The id, `task_…`. Send it as `taskId` once the task has succeeded."""
    type: str
    """Always `ads.report`."""
    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""
    created_at: CreatedAt

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": EXAMPLE_TASK_ID, "type": "ads.report", "status": "queued", "createdAt": "2026-11-15T09:30:00Z"}


class AdReportResult(ResponseModel, frozen=True, kw_only=True):
    """The result of the task that prepares a report."""

    rows: Annotated[int, Meta(description="How many rows the report has.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"rows": 1240}


class PlacesQuery(QueryParameters, frozen=True, kw_only=True):
    """What to search for."""

    ad_account_id: AdAccountId
    q: Annotated[str, Meta(min_length=1, max_length=100, description="The beginning of a name.")]
    kind: Literal["location", "interest"] = "location"
    """Whether to search for places or for interests."""
    types: (
        Annotated[str, Meta(max_length=100, description="Of places, separated by commas: country, region, city, zip.")]
        | None
    ) = None
    country: Annotated[str, Meta(pattern="^[A-Z]{2}$", description="Only places in this country.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 25
    """The maximum number of results."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": EXAMPLE_AD_ACCOUNT_ID, "q": "lim", "types": "city,region"}
