"""How ads perform at TikTok. Reports cover at most a month by day, so long periods are read in pieces."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from socialgate.connectors.advertising import count_of, currency_of, periods, reported
from socialgate.connectors.json_paths import text_at
from socialgate.connectors.tiktokads.ads.objects import Listed
from socialgate.connectors.tiktokads.ads.words import text_of
from socialgate.connectors.tiktokads.commerce import access
from socialgate.connectors.tiktokads.paging import page_of
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.contracts.ad_insights import (
    AdInsightPage,
    AdInsightRow,
    AdInsightsQuery,
    Breakdown,
    Granularity,
    Level,
    ReportState,
)
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.insights import Days
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_LEVELS = {Level.ACCOUNT: "advertiser", Level.CAMPAIGN: "campaign", Level.ADSET: "adgroup", Level.AD: "ad"}
BREAKDOWNS: Mapping[Breakdown, str] = {
    Breakdown.AGE: "age",
    Breakdown.GENDER: "gender",
    Breakdown.COUNTRY: "country_code",
    Breakdown.REGION: "province_id",
    # TikTok calls operating systems platforms.
    Breakdown.DEVICE: "platform",
    Breakdown.HOUR: "stat_time_hour",
}
_COUNTS = {
    "impressions": "impressions",
    "reach": "reach",
    "clicks": "clicks",
    "engagements": "engagements",
    "video_views": "video_play_actions",
    "conversions": "conversion",
}
# The value of the payments, despite its name.
_VALUE = "total_complete_payment_rate"
# Reports about people have fewer numbers, and so have those by country.
_OF_PEOPLE = frozenset({"spend", "impressions", "clicks", "conversion"})
_BY_COUNTRY = _OF_PEOPLE | {"reach", "video_play_actions"}
_MOST, _LONGEST_DAYS, _LONGEST, _MANY_CALLS = 1000, 30, 365, 6
# What reports name of the objects above.
_ABOVE: Mapping[Level, Mapping[str, str]] = {
    Level.ADSET: {"campaign_id": "campaign_id"},
    Level.AD: {"campaign_id": "campaign_id", "adgroup_id": "adset_id"},
}
_NO_END = "100"
_TOGETHER = frozenset({Breakdown.AGE, Breakdown.GENDER})


class TikTokAdInsights:
    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    def query_faults(self, query: AdInsightsQuery) -> Sequence[Fault]:
        faults = []
        given = {*query.breakdowns}
        if given - set(BREAKDOWNS):
            text = f"TikTok supports these breakdowns: {', '.join(BREAKDOWNS)}."
            faults.append(Fault("?breakdowns", "not_supported", text))
        elif len(given) > 1 and given != _TOGETHER:
            text = "TikTok supports one breakdown, or age with gender."
            faults.append(Fault("?breakdowns", "not_supported", text))
        if Breakdown.HOUR in given and query.granularity is not Granularity.DAY:
            faults.append(Fault("?granularity", "not_supported", "On TikTok, hour requires granularity=day."))
        if query.granularity is Granularity.TOTAL and query.days.count > _LONGEST:
            faults.append(
                Fault("?since", "out_of_range", "TikTok reports totals for at most a year. Use a later `since`.")
            )
        return faults

    def is_long(self, query: AdInsightsQuery) -> bool:
        return len([*_pieces(query)]) > _MANY_CALLS

    async def read(self, held: AccountCredentials, query: AdInsightsQuery) -> AdInsightPage:
        """Read a page of a piece. The cursor is the first day of the piece, and how many of its rows come before."""
        pieces = [*_pieces(query)]
        first, before = _place(query.cursor, pieces)
        piece = next(one for one in pieces if one.first == first)
        page, size = page_of(before, min(query.limit, _MOST))
        asked = {**_params(held, query, piece), "page": page, "page_size": size}
        found = await access(self._api, held).get("report/integrated/get/", Listed, **asked)
        items = [_row(held, query, piece, row) for row in found.list or ()]
        if (after := found.page_info.after(size)) is not None:
            return AdInsightPage(items=items, cursor=f"{first}.{after}")
        later = [one.first for one in pieces if one.first > first]
        return AdInsightPage(items=items, cursor=f"{later[0]}.0" if later else None)

    async def start(self, held: AccountCredentials, query: AdInsightsQuery) -> str | None:
        """Everything can be read in pieces, so there is no need for a report."""
        del held, query
        return None

    async def check(self, held: AccountCredentials, handle: str) -> ReportState:
        raise self._unknown(held, handle)

    async def rows(self, held: AccountCredentials, query: AdInsightsQuery, handle: str) -> AdInsightPage:
        del query
        raise self._unknown(held, handle)

    def _unknown(self, held: AccountCredentials, handle: str) -> PlatformNotFound:
        del held
        return PlatformNotFound(
            f"There is no report {handle}: insights are read in pieces.", platform=Platform.TIKTOKADS
        )


def _pieces(query: AdInsightsQuery) -> Iterator[Days]:
    """Divide the period into what one report can cover, or into weeks or months, which TikTok does not add up."""
    first, last = query.days.first, query.days.last
    if query.granularity is Granularity.MONTH:
        while first <= last:
            end = min((first.replace(day=1) + timedelta(days=31)).replace(day=1) - timedelta(days=1), last)
            yield Days(first, end)
            first = end + timedelta(days=1)
        return
    by_hour = Breakdown.HOUR in query.breakdowns
    days = {Granularity.WEEK: 7, Granularity.DAY: 1 if by_hour else _LONGEST_DAYS}.get(query.granularity, _LONGEST)
    yield from (Days(*both) for both in periods(first, last, days))


def _place(cursor: str | None, pieces: Sequence[Days]) -> tuple[date, str | None]:
    if cursor is None:
        return pieces[0].first, None
    day, _, before = cursor.partition(".")
    try:
        first = date.fromisoformat(day)
    except ValueError:
        first = date.min
    if first not in {one.first for one in pieces}:
        raise PlatformNotFound("The list has no such page. Start again without a cursor.", platform=Platform.TIKTOKADS)
    return first, before


def _params(held: AccountCredentials, query: AdInsightsQuery, piece: Days) -> dict[str, Any]:
    noun = _LEVELS[query.level]
    of_people = {*query.breakdowns} - {Breakdown.HOUR, Breakdown.COUNTRY}
    by_day = query.granularity is Granularity.DAY and Breakdown.HOUR not in query.breakdowns
    dimensions = [f"{noun}_id", *(["stat_time_day"] if by_day else [])]
    dimensions += [BREAKDOWNS[one] for one in query.breakdowns]
    metrics = ["spend", _VALUE, *_COUNTS.values()]
    if query.breakdowns and Breakdown.HOUR not in query.breakdowns:
        metrics = [one for one in metrics if one in (_OF_PEOPLE if of_people else _BY_COUNTRY)]
    named = [] if query.level is Level.ACCOUNT else [f"{noun}_name", *_ABOVE.get(query.level, {})]
    params = {
        "advertiser_id": held.platform_account_id,
        "report_type": "AUDIENCE" if of_people else "BASIC",
        "data_level": f"AUCTION_{noun.upper()}",
        "dimensions": text_of(dimensions),
        "metrics": text_of([*metrics, *named]),
        "start_date": str(piece.first),
        "end_date": str(piece.last),
    }
    if query.ids and query.level is not Level.ACCOUNT:
        chosen = {"field_name": f"{noun}_ids", "filter_type": "IN", "filter_value": text_of(list(query.ids))}
        params["filtering"] = text_of([chosen])
    return params


def _part(breakdown: Breakdown, value: str) -> str:
    """Write a part in the words that all platforms share: 25-34 for AGE_25_34, female for FEMALE."""
    match breakdown:
        case Breakdown.HOUR:
            return value[11:13]
        case Breakdown.AGE:
            first, _, last = value.removeprefix("AGE_").partition("_")
            return "unknown" if not first.isdecimal() else f"{first}+" if last == _NO_END else f"{first}-{last}"
        case Breakdown.GENDER | Breakdown.DEVICE:
            return "unknown" if value in {"", "NONE"} else value.lower()
        case _:
            return value


def _row(held: AccountCredentials, query: AdInsightsQuery, piece: Days, row: Mapping[str, Any]) -> AdInsightRow:
    by, numbers = row.get("dimensions") or {}, row.get("metrics") or {}
    at = text_at(by, "stat_time_hour") or text_at(by, "stat_time_day")
    day = date.fromisoformat(at[:10]) if at else None
    noun = _LEVELS[query.level]
    shown = {str(one): _part(one, text_at(by, name)) for one, name in BREAKDOWNS.items() if name in by}
    ids = {Level.CAMPAIGN: "campaign_id", Level.ADSET: "adset_id", Level.AD: "ad_id"}
    own: dict[str, Any] = {ids[query.level]: text_at(by, f"{noun}_id")} if query.level in ids else {}
    own |= {ours: text_at(numbers, theirs) or None for theirs, ours in _ABOVE.get(query.level, {}).items()}
    counts: dict[str, Any] = {ours: count_of(numbers.get(theirs)) for ours, theirs in _COUNTS.items()}
    return AdInsightRow(
        first=day or piece.first,
        last=day or piece.last,
        **own,
        name=text_at(numbers, f"{noun}_name") or None,
        breakdowns=shown,
        spend=reported(numbers.get("spend"), currency_of(held)),
        conversion_value=reported(numbers.get(_VALUE), currency_of(held)) if _VALUE in numbers else None,
        **counts,
        vendor=dict(numbers),
    )
