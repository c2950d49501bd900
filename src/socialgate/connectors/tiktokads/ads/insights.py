"""How ads perform at TikTok. Reports cover at most a month by day, so long periods are read in pieces."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from socialgate.connectors.advertising import get_account_currency, parse_count, parse_reported_amount, split_date_range
from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.tiktokads.ads.mappings import encode_json
from socialgate.connectors.tiktokads.ads.objects import RowPage
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.connectors.tiktokads.commerce import api_for_account
from socialgate.connectors.tiktokads.paging import parse_page_cursor
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_insights import (
    AdInsightPage,
    AdInsightRow,
    AdInsightsLevel,
    AdInsightsQuery,
    Breakdown,
    Granularity,
    ReportState,
)
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.contracts.insights import DateRange
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_VENDOR_NAMES_BY_LEVEL = {
    AdInsightsLevel.ACCOUNT: "advertiser",
    AdInsightsLevel.CAMPAIGN: "campaign",
    AdInsightsLevel.ADSET: "adgroup",
    AdInsightsLevel.AD: "ad",
}
VENDOR_NAMES_BY_BREAKDOWN: Mapping[Breakdown, str] = {
    Breakdown.AGE: "age",
    Breakdown.GENDER: "gender",
    Breakdown.COUNTRY: "country_code",
    Breakdown.REGION: "province_id",
    # TikTok calls operating systems platforms.
    Breakdown.DEVICE: "platform",
    Breakdown.HOUR: "stat_time_hour",
}
_COUNT_METRICS = {
    "impressions": "impressions",
    "reach": "reach",
    "clicks": "clicks",
    "engagements": "engagements",
    "video_views": "video_play_actions",
    "conversions": "conversion",
}
# The value of the payments, despite its name.
_PAYMENT_VALUE_METRIC = "total_complete_payment_rate"
# Reports about people have fewer numbers, and so have those by country.
_AUDIENCE_REPORT_METRICS = frozenset({"spend", "impressions", "clicks", "conversion"})
_COUNTRY_REPORT_METRICS = _AUDIENCE_REPORT_METRICS | {"reach", "video_play_actions"}
_MAX_PAGE_SIZE, _MAX_DAYS_PER_DAILY_REPORT, _MAX_DAYS_PER_TOTAL_REPORT, _MAX_LIVE_CALLS = 1000, 30, 365, 6
# What reports name of the objects above.
_PARENT_ID_FIELDS: Mapping[AdInsightsLevel, Mapping[str, str]] = {
    AdInsightsLevel.ADSET: {"campaign_id": "campaign_id"},
    AdInsightsLevel.AD: {"campaign_id": "campaign_id", "adgroup_id": "adset_id"},
}
_OPEN_AGE_END = "100"
_COMBINABLE_BREAKDOWNS = frozenset({Breakdown.AGE, Breakdown.GENDER})


class TikTokAdInsights:
    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    def validate_query(self, query: AdInsightsQuery) -> Sequence[Fault]:
        faults = []
        breakdowns = {*query.breakdowns}
        if breakdowns - set(VENDOR_NAMES_BY_BREAKDOWN):
            text = f"TikTok supports these breakdowns: {', '.join(VENDOR_NAMES_BY_BREAKDOWN)}."
            faults.append(Fault("?breakdowns", "not_supported", text))
        elif len(breakdowns) > 1 and breakdowns != _COMBINABLE_BREAKDOWNS:
            text = "TikTok supports one breakdown, or age with gender."
            faults.append(Fault("?breakdowns", "not_supported", text))
        if Breakdown.HOUR in breakdowns and query.granularity is not Granularity.DAY:
            faults.append(Fault("?granularity", "not_supported", "On TikTok, hour requires granularity=day."))
        if query.granularity is Granularity.TOTAL and query.days.count > _MAX_DAYS_PER_TOTAL_REPORT:
            faults.append(
                Fault("?since", "out_of_range", "TikTok reports totals for at most a year. Use a later `since`.")
            )
        return faults

    def needs_report(self, query: AdInsightsQuery) -> bool:
        return len([*_split_period(query)]) > _MAX_LIVE_CALLS

    async def read_page(self, credentials: AccountCredentials, query: AdInsightsQuery) -> AdInsightPage:
        """Read a page of a piece. The cursor is the first day of the piece, and how many of its rows come before."""
        pieces = [*_split_period(query)]
        first, before = _parse_cursor(query.cursor, pieces)
        piece = next(piece for piece in pieces if piece.first == first)
        page, size = parse_page_cursor(before, min(query.limit, _MAX_PAGE_SIZE))
        request = {**_build_params(credentials, query, piece), "page": page, "page_size": size}
        row_page = await api_for_account(self._api, credentials).get("report/integrated/get/", RowPage, **request)
        items = [_parse_row(credentials, query, piece, row) for row in row_page.list or ()]
        if (after := row_page.page_info.get_next_cursor(size)) is not None:
            return AdInsightPage(items=items, cursor=f"{first}.{after}")
        later = [piece.first for piece in pieces if piece.first > first]
        return AdInsightPage(items=items, cursor=f"{later[0]}.0" if later else None)

    async def start_report(self, credentials: AccountCredentials, query: AdInsightsQuery) -> str | None:
        """Everything can be read in pieces, so there is no need for a report."""
        del credentials, query
        return None

    async def get_report_state(self, credentials: AccountCredentials, handle: str) -> ReportState:
        raise self._build_report_not_found(credentials, handle)

    async def read_report_page(
        self, credentials: AccountCredentials, query: AdInsightsQuery, handle: str
    ) -> AdInsightPage:
        del query
        raise self._build_report_not_found(credentials, handle)

    def _build_report_not_found(self, credentials: AccountCredentials, handle: str) -> PlatformNotFoundError:
        del credentials
        return PlatformNotFoundError(
            f"There is no report {handle}: insights are read in pieces.", platform=Platform.TIKTOKADS
        )


def _split_period(query: AdInsightsQuery) -> Iterator[DateRange]:
    """Divide the period into what one report can cover, or into weeks or months, which TikTok does not add up."""
    first, last = query.days.first, query.days.last
    if query.granularity is Granularity.MONTH:
        while first <= last:
            end = min((first.replace(day=1) + timedelta(days=31)).replace(day=1) - timedelta(days=1), last)
            yield DateRange(first, end)
            first = end + timedelta(days=1)
        return
    by_hour = Breakdown.HOUR in query.breakdowns
    days = {Granularity.WEEK: 7, Granularity.DAY: 1 if by_hour else _MAX_DAYS_PER_DAILY_REPORT}.get(
        query.granularity, _MAX_DAYS_PER_TOTAL_REPORT
    )
    yield from (DateRange(*both) for both in split_date_range(first, last, days))


def _parse_cursor(cursor: str | None, pieces: Sequence[DateRange]) -> tuple[date, str | None]:
    if cursor is None:
        return pieces[0].first, None
    day, _, before = cursor.partition(".")
    try:
        first = date.fromisoformat(day)
    except ValueError:
        first = date.min
    if first not in {piece.first for piece in pieces}:
        raise PlatformNotFoundError(
            "The list has no such page. Start again without a cursor.", platform=Platform.TIKTOKADS
        )
    return first, before


def _build_params(credentials: AccountCredentials, query: AdInsightsQuery, period: DateRange) -> dict[str, Any]:
    noun = _VENDOR_NAMES_BY_LEVEL[query.level]
    of_people = {*query.breakdowns} - {Breakdown.HOUR, Breakdown.COUNTRY}
    by_day = query.granularity is Granularity.DAY and Breakdown.HOUR not in query.breakdowns
    dimensions = [f"{noun}_id", *(["stat_time_day"] if by_day else [])]
    dimensions += [VENDOR_NAMES_BY_BREAKDOWN[breakdown] for breakdown in query.breakdowns]
    metrics = ["spend", _PAYMENT_VALUE_METRIC, *_COUNT_METRICS.values()]
    if query.breakdowns and Breakdown.HOUR not in query.breakdowns:
        metrics = [
            metric
            for metric in metrics
            if metric in (_AUDIENCE_REPORT_METRICS if of_people else _COUNTRY_REPORT_METRICS)
        ]
    named = [] if query.level is AdInsightsLevel.ACCOUNT else [f"{noun}_name", *_PARENT_ID_FIELDS.get(query.level, {})]
    params = {
        "advertiser_id": credentials.platform_account_id,
        "report_type": "AUDIENCE" if of_people else "BASIC",
        "data_level": f"AUCTION_{noun.upper()}",
        "dimensions": encode_json(dimensions),
        "metrics": encode_json([*metrics, *named]),
        "start_date": str(period.first),
        "end_date": str(period.last),
    }
    if query.ids and query.level is not AdInsightsLevel.ACCOUNT:
        chosen = {"field_name": f"{noun}_ids", "filter_type": "IN", "filter_value": encode_json(list(query.ids))}
        params["filtering"] = encode_json([chosen])
    return params


def _parse_breakdown_value(breakdown: Breakdown, value: str) -> str:
    """Write a part in the words that all platforms share: 25-34 for AGE_25_34, female for FEMALE."""
    match breakdown:
        case Breakdown.HOUR:
            return value[11:13]
        case Breakdown.AGE:
            first, _, last = value.removeprefix("AGE_").partition("_")
            return "unknown" if not first.isdecimal() else f"{first}+" if last == _OPEN_AGE_END else f"{first}-{last}"
        case Breakdown.GENDER | Breakdown.DEVICE:
            return "unknown" if value in {"", "NONE"} else value.lower()
        case _:
            return value


def _parse_row(
    credentials: AccountCredentials, query: AdInsightsQuery, period: DateRange, row: Mapping[str, Any]
) -> AdInsightRow:
    by, numbers = row.get("dimensions") or {}, row.get("metrics") or {}
    at = get_text_or_number(by, "stat_time_hour") or get_text_or_number(by, "stat_time_day")
    day = date.fromisoformat(at[:10]) if at else None
    noun = _VENDOR_NAMES_BY_LEVEL[query.level]
    shown = {
        str(breakdown): _parse_breakdown_value(breakdown, get_text_or_number(by, name))
        for breakdown, name in VENDOR_NAMES_BY_BREAKDOWN.items()
        if name in by
    }
    ids = {AdInsightsLevel.CAMPAIGN: "campaign_id", AdInsightsLevel.ADSET: "adset_id", AdInsightsLevel.AD: "ad_id"}
    own: dict[str, Any] = {ids[query.level]: get_text_or_number(by, f"{noun}_id")} if query.level in ids else {}
    own |= {
        ours: get_text_or_number(numbers, theirs) or None
        for theirs, ours in _PARENT_ID_FIELDS.get(query.level, {}).items()
    }
    counts: dict[str, Any] = {ours: parse_count(numbers.get(theirs)) for ours, theirs in _COUNT_METRICS.items()}
    return AdInsightRow(
        first_day=day or period.first,
        last_day=day or period.last,
        **own,
        name=get_text_or_number(numbers, f"{noun}_name") or None,
        breakdowns=shown,
        spend=parse_reported_amount(numbers.get("spend"), get_account_currency(credentials)),
        conversion_value=parse_reported_amount(numbers.get(_PAYMENT_VALUE_METRIC), get_account_currency(credentials))
        if _PAYMENT_VALUE_METRIC in numbers
        else None,
        **counts,
        vendor=dict(numbers),
    )
