"""Which days a request for insights means, and what is computed from the counts."""

from datetime import UTC, date, datetime

import pytest

from socialgate.areas.ads.insight_schemas import AdInsightsQuery
from socialgate.areas.ads.insights import build_insight_view
from socialgate.areas.ads.periods import parse_period, parse_timezone
from socialgate.contracts.ad_insights import AdInsightRow, AdInsightsLevel
from socialgate.contracts.money import Money
from socialgate.core.errors import InvalidRequest

# A Sunday in Lima, already Monday in UTC.
NOW = datetime(2026, 3, 2, 3, 0, tzinfo=UTC)
LIMA = parse_timezone("America/Lima")


def asked(**query: object) -> AdInsightsQuery:
    return AdInsightsQuery(ad_account_id="adacc_1", **query)  # type: ignore[arg-type]  # a test passes what it likes


@pytest.mark.parametrize(
    ("preset", "first", "last"),
    [
        ("today", "2026-03-01", "2026-03-01"),
        ("yesterday", "2026-02-28", "2026-02-28"),
        ("last7d", "2026-02-22", "2026-02-28"),
        ("thisWeek", "2026-02-23", "2026-03-01"),
        ("lastWeek", "2026-02-16", "2026-02-22"),
        ("thisMonth", "2026-03-01", "2026-03-01"),
        ("lastMonth", "2026-02-01", "2026-02-28"),
        ("thisQuarter", "2026-01-01", "2026-03-01"),
        ("lastQuarter", "2025-10-01", "2025-12-31"),
        ("thisYear", "2026-01-01", "2026-03-01"),
        ("lastYear", "2025-01-01", "2025-12-31"),
        (None, "2026-01-30", "2026-02-28"),
    ],
)
def test_a_preset_means_days_of_the_ad_account(preset: str | None, first: str, last: str) -> None:
    days = parse_period(asked(preset=preset), NOW, LIMA)
    assert (days.first.isoformat(), days.last.isoformat()) == (first, last)


def test_days_are_those_that_were_asked_for() -> None:
    days = parse_period(asked(since=date(2026, 2, 1), until=date(2026, 3, 1)), NOW, LIMA)
    assert (days.first, days.last) == (date(2026, 2, 1), date(2026, 3, 1))


@pytest.mark.parametrize(
    "query",
    [
        {"preset": "today", "since": date(2026, 1, 1)},
        {"since": date(2026, 2, 2), "until": date(2026, 2, 1)},
        {"since": date(2026, 3, 2)},
        {"since": date(2026, 2, 1), "until": date(2026, 3, 2)},
        {"since": date(2020, 1, 1)},
        {"until": date(1, 1, 5)},
        {"since": date(1, 1, 1), "until": date(1, 1, 5)},
        {"until": date(9999, 12, 31)},
    ],
)
def test_impossible_periods_are_rejected(query: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest):
        parse_period(asked(**query), NOW, LIMA)


def test_an_unknown_time_zone_is_utc() -> None:
    assert parse_timezone("Mars/Olympus") is parse_timezone(None) is UTC


def test_rates_and_costs_are_computed_and_never_made_up() -> None:
    row = AdInsightRow(
        first_day=date(2026, 3, 1),
        last_day=date(2026, 3, 1),
        spend=Money(1000, "JPY"),
        impressions=3000,
        reach=2000,
        clicks=7,
        conversions=0,
        conversion_value=Money(2500, "JPY"),
    )
    shown = build_insight_view(AdInsightsLevel.AD, row)
    assert (shown.ctr, shown.frequency, shown.roas) == (0.2333, 1.5, 2.5)
    assert shown.cpc is not None
    assert (shown.cpc.amount, shown.cpc.currency) == (143, "JPY")
    assert shown.cpm is not None
    assert shown.cpm.amount == 333
    # Nothing can be divided by no conversions, and nobody counted video views.
    assert (shown.cost_per_conversion, shown.video_views, shown.conversions) == (None, None, 0)
