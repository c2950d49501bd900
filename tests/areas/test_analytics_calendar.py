"""Where days, weeks and months begin and end, in places whose clocks are changed and in places half an hour off."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from socialgate.areas.analytics.calendar import begins, midnight, next_snapshot, range_of, runs, snapshot_at, spans
from socialgate.areas.analytics.followers import points
from socialgate.areas.analytics.store import Count
from socialgate.connectors.google.metrics import BUSINESS
from socialgate.connectors.insights import Asking
from socialgate.contracts.insights import Days, Readings
from socialgate.contracts.metrics import Metric
from socialgate.core.clock import SystemClock
from support.connections import connected
from support.problems import fault_of
from support.sandbox import Sandbox
from support.service import OwnerOf

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
    assert midnight(day, zone) == datetime.fromisoformat(moment).replace(tzinfo=UTC)


@each_edge
def test_a_count_just_before_midnight_is_of_the_day_before(zone: ZoneInfo, day: date, moment: str) -> None:
    edge = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    counts = [Count(edge - SECOND, 10), Count(edge, 13)]
    found = points(counts, Days(day - timedelta(days=1), day), "day", zone, LATE)
    assert [(one.date, one.followers, one.change) for one in found] == [
        (day - timedelta(days=1), 10, None),
        (day, 13, 3),
    ]


@each_zone
def test_a_week_begins_on_monday_and_a_month_on_its_first(zone: ZoneInfo) -> None:
    monday, first = midnight(date(2026, 3, 9), zone), midnight(date(2026, 4, 1), zone)
    counts = [Count(monday - SECOND, 100), Count(monday, 105), Count(first - SECOND, 120), Count(first, 126)]
    days = Days(date(2026, 3, 2), date(2026, 4, 5))
    weeks = points(counts, days, "week", zone, LATE)
    assert [(str(one.date), one.followers, one.change, one.gap) for one in weeks] == [
        ("2026-03-02", 100, None, False),
        ("2026-03-09", 105, 5, False),
        ("2026-03-16", None, None, True),
        ("2026-03-23", None, None, True),
        ("2026-03-30", 126, None, False),
    ]
    months = points(counts, days, "month", zone, LATE)
    assert [(str(one.date), one.followers, one.change) for one in months] == [
        ("2026-03-01", 120, None),
        ("2026-04-01", 126, 6),
    ]


def test_days_that_have_not_begun_are_no_gaps() -> None:
    now = midnight(date(2026, 11, 2), NEW_YORK) + SECOND
    found = points([], Days(date(2026, 11, 1), date(2026, 11, 5)), "day", NEW_YORK, now)
    assert [str(one.date) for one in found] == ["2026-11-01", "2026-11-02"]


@each_zone
def test_each_day_has_one_snapshot_across_a_change_of_clocks(zone: ZoneInfo) -> None:
    for account in ("acc_a", "acc_b", "acc_c"):
        now = datetime(2026, 2, 20, 12, tzinfo=UTC)
        seen: list[date] = []
        times: set[str] = set()
        while now < datetime(2026, 11, 20, tzinfo=UTC):
            now = next_snapshot(account, now, zone)
            seen.append(now.astimezone(zone).date())
            times.add(f"{now.astimezone(zone):%H:%M}")
        assert seen == [seen[0] + timedelta(days=number) for number in range(len(seen))]
        assert len(times) == 1, "it is always the same time of day"


def test_snapshots_are_spread_over_the_day() -> None:
    hours = [snapshot_at(f"acc_{number}", date(2026, 7, 1), UTC_ZONE).hour for number in range(2000)]
    by_hour = [hours.count(hour) for hour in range(4, 22)]
    assert min(by_hour) > 60
    assert max(by_hour) < 160


UTC_ZONE = ZoneInfo("UTC")


def test_a_range_is_cut_at_the_edges_of_months() -> None:
    pieces = [(str(one.first), str(one.last)) for one in spans(Days(date(2026, 1, 30), date(2026, 3, 2)), "month")]
    assert pieces == [("2026-01-30", "2026-01-31"), ("2026-02-01", "2026-02-28"), ("2026-03-01", "2026-03-02")]
    assert begins(date(2026, 3, 1), "week") == date(2026, 2, 23)


def test_a_range_by_week_or_month_starts_with_one() -> None:
    today = date(2026, 11, 18)
    assert range_of(None, None, today, 28) == Days(date(2026, 10, 22), today)
    assert range_of(None, None, today, 28, "week") == Days(date(2026, 10, 26), today)
    assert range_of(None, None, today, 28, "month") == Days(date(2026, 10, 1), today)
    assert range_of(None, date(2026, 11, 30), today, 28, "month").first == date(2026, 11, 1)
    # A Monday is the start already, and what the caller says stays.
    assert range_of(None, date(2026, 11, 22), today, 28, "week").first == date(2026, 10, 26)
    assert range_of(date(2026, 10, 22), None, today, 28, "week").first == date(2026, 10, 22)


def test_a_location_without_numbers_is_not_merely_late() -> None:
    asking = Asking(SystemClock(), BUSINESS)

    async def nothing(_metrics: Sequence[Metric], _days: Days) -> Readings:
        return {}

    today = asking.today()
    for count, code in ((30, "not_offered"), (3, "not_counted_yet")):
        days = Days(today - timedelta(days=count - 1), today)
        read = asyncio.run(asking.account(BUSINESS.account, days, nothing))
        assert {one.unavailable.code for one in read.values() if one.unavailable} == {code}


def test_days_that_follow_each_other_are_one_gap() -> None:
    days = [date(2026, 3, 1), date(2026, 3, 2), date(2026, 3, 5)]
    assert runs(days) == [Days(days[0], days[1]), Days(days[2], days[2])]


def test_days_beyond_the_calendar_are_refused(owner: OwnerOf, sandbox: Sandbox) -> None:
    (account,) = connected(sandbox, owner, "tiktok")
    for path in (f"/accounts/{account}/insights", f"/analytics/{account}/followers", f"/analytics/{account}/summary"):
        early = owner.session.get(path, params={"since": "0001-01-01", "until": "0001-01-05"})
        assert fault_of(early) == ("?since", "out_of_range")
        for until in ("0001-01-01", "9999-12-31"):
            assert fault_of(owner.session.get(path, params={"until": until})) == ("?until", "out_of_range")
