"""Where days, weeks and months begin and end, in places whose clocks are changed and in places half an hour off."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from socialgate.areas.analytics.followers import build_follower_points
from socialgate.areas.analytics.periods import (
    compute_next_snapshot_time,
    compute_snapshot_time,
    get_day_start,
    get_period_start,
    join_consecutive_days,
    parse_range,
    split_into_periods,
)
from socialgate.areas.analytics.store import FollowerCountRow
from socialgate.connectors.google.metrics import BUSINESS_METRICS
from socialgate.connectors.insights import MetricRequester
from socialgate.contracts.insights import DateRange, MetricReadings
from socialgate.contracts.metrics import PlatformMetric
from socialgate.core.clock import SystemClock
from support.connections import connect_accounts
from support.problems import fault_of
from support.sandbox import Sandbox
from support.service import OwnerFixture

SAO_PAULO, NEW_YORK, KOLKATA = (ZoneInfo(name) for name in ("America/Sao_Paulo", "America/New_York", "Asia/Kolkata"))
LATE = datetime(2027, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
# The first moment of a day, in UTC, by place: New York changes its clocks on 8 March and 1 November 2026.
EDGES = [
    (SAO_PAULO, date(2026, 3, 9), "2026-03-09T03:00:00"),
    (SAO_PAULO, date(2026, 11, 2), "2026-11-02T03:00:00"),
    (NEW_YORK, date(2026, 3, 8), "2026-03-08T05:00:00"),
    (NEW_YORK, date(2026, 3, 9), "2026-03-09T04:00:00"),
    (NEW_YORK, date(2026, 11, 1), "2026-11-01T04:00:00"),
    (NEW_YORK, date(2026, 11, 2), "2026-11-02T05:00:00"),
    (KOLKATA, date(2026, 3, 9), "2026-03-08T18:30:00"),
    (KOLKATA, date(2026, 11, 2), "2026-11-01T18:30:00"),
]
each_edge = pytest.mark.parametrize(("zone", "day", "moment"), EDGES)
each_zone = pytest.mark.parametrize("zone", [SAO_PAULO, NEW_YORK, KOLKATA])


@each_edge
def test_a_day_begins_at_midnight_of_its_place(zone: ZoneInfo, day: date, moment: str) -> None:
    assert get_day_start(day, zone) == datetime.fromisoformat(moment).replace(tzinfo=UTC)


@each_edge
def test_a_count_just_before_midnight_is_of_the_day_before(zone: ZoneInfo, day: date, moment: str) -> None:
    edge = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    counts = [FollowerCountRow(edge - SECOND, 10), FollowerCountRow(edge, 13)]
    followers_points = build_follower_points(counts, DateRange(day - timedelta(days=1), day), "day", zone, LATE)
    assert [
        (followers_point.date, followers_point.followers, followers_point.change)
        for followers_point in followers_points
    ] == [
        (day - timedelta(days=1), 10, None),
        (day, 13, 3),
    ]


@each_zone
def test_a_week_begins_on_monday_and_a_month_on_its_first(zone: ZoneInfo) -> None:
    monday, first = get_day_start(date(2026, 3, 9), zone), get_day_start(date(2026, 4, 1), zone)
    counts = [
        FollowerCountRow(monday - SECOND, 100),
        FollowerCountRow(monday, 105),
        FollowerCountRow(first - SECOND, 120),
        FollowerCountRow(first, 126),
    ]
    days = DateRange(date(2026, 3, 2), date(2026, 4, 5))
    weeks = build_follower_points(counts, days, "week", zone, LATE)
    assert [(str(week.date), week.followers, week.change, week.gap) for week in weeks] == [
        ("2026-03-02", 100, None, False),
        ("2026-03-09", 105, 5, False),
        ("2026-03-16", None, None, True),
        ("2026-03-23", None, None, True),
        ("2026-03-30", 126, None, False),
    ]
    months = build_follower_points(counts, days, "month", zone, LATE)
    assert [(str(month.date), month.followers, month.change) for month in months] == [
        ("2026-03-01", 120, None),
        ("2026-04-01", 126, 6),
    ]


def test_days_that_have_not_begun_are_no_gaps() -> None:
    now = get_day_start(date(2026, 11, 2), NEW_YORK) + SECOND
    followers_points = build_follower_points([], DateRange(date(2026, 11, 1), date(2026, 11, 5)), "day", NEW_YORK, now)
    assert [str(followers_point.date) for followers_point in followers_points] == ["2026-11-01", "2026-11-02"]


@each_zone
def test_each_day_has_one_snapshot_across_a_change_of_clocks(zone: ZoneInfo) -> None:
    for account in ("acc_a", "acc_b", "acc_c"):
        now = datetime(2026, 2, 20, 12, tzinfo=UTC)
        seen: list[date] = []
        times: set[str] = set()
        while now < datetime(2026, 11, 20, tzinfo=UTC):
            now = compute_next_snapshot_time(account, now, zone)
            seen.append(now.astimezone(zone).date())
            times.add(f"{now.astimezone(zone):%H:%M}")
        assert seen == [seen[0] + timedelta(days=number) for number in range(len(seen))]
        assert len(times) == 1, "it is always the same time of day"


def test_snapshots_are_spread_over_the_day() -> None:
    hours = [compute_snapshot_time(f"acc_{number}", date(2026, 7, 1), UTC_ZONE).hour for number in range(2000)]
    by_hour = [hours.count(hour) for hour in range(4, 22)]
    assert min(by_hour) > 60
    assert max(by_hour) < 160


UTC_ZONE = ZoneInfo("UTC")


def test_a_range_is_cut_at_the_edges_of_months() -> None:
    pieces = [
        (str(date_range.first), str(date_range.last))
        for date_range in split_into_periods(DateRange(date(2026, 1, 30), date(2026, 3, 2)), "month")
    ]
    assert pieces == [("2026-01-30", "2026-01-31"), ("2026-02-01", "2026-02-28"), ("2026-03-01", "2026-03-02")]
    assert get_period_start(date(2026, 3, 1), "week") == date(2026, 2, 23)


def test_a_range_by_week_or_month_starts_with_one() -> None:
    today = date(2026, 11, 18)
    assert parse_range(None, None, today, 28) == DateRange(date(2026, 10, 22), today)
    assert parse_range(None, None, today, 28, "week") == DateRange(date(2026, 10, 26), today)
    assert parse_range(None, None, today, 28, "month") == DateRange(date(2026, 10, 1), today)
    assert parse_range(None, date(2026, 11, 30), today, 28, "month").first == date(2026, 11, 1)
    # A Monday is the start already, and what the caller says stays.
    assert parse_range(None, date(2026, 11, 22), today, 28, "week").first == date(2026, 10, 26)
    assert parse_range(date(2026, 10, 22), None, today, 28, "week").first == date(2026, 10, 22)


def test_a_location_without_numbers_is_not_merely_late() -> None:
    asking = MetricRequester(SystemClock(), BUSINESS_METRICS)

    async def nothing(_metrics: Sequence[PlatformMetric], _days: DateRange) -> MetricReadings:
        return {}

    today = asking.get_today()
    for count, code in ((30, "not_offered"), (3, "not_counted_yet")):
        days = DateRange(today - timedelta(days=count - 1), today)
        read = asyncio.run(asking.request_account_metrics(BUSINESS_METRICS.account_metrics, days, nothing))
        assert {metric_reading.unavailable.code for metric_reading in read.values() if metric_reading.unavailable} == {
            code
        }


def test_days_that_follow_each_other_are_one_gap() -> None:
    days = [date(2026, 3, 1), date(2026, 3, 2), date(2026, 3, 5)]
    assert join_consecutive_days(days) == [DateRange(days[0], days[1]), DateRange(days[2], days[2])]


def test_days_beyond_the_calendar_are_refused(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account,) = connect_accounts(sandbox, owner, "tiktok")
    for path in (f"/accounts/{account}/insights", f"/analytics/{account}/followers", f"/analytics/{account}/summary"):
        early = owner.session.get(path, params={"since": "0001-01-01", "until": "0001-01-05"})
        assert fault_of(early) == ("?since", "out_of_range")
        for until in ("0001-01-01", "9999-12-31"):
            assert fault_of(owner.session.get(path, params={"until": until})) == ("?until", "out_of_range")
