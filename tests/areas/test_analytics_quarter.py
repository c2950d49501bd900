"""Ninety days of accounts, over a change of clocks, added up and cut into weeks and months.

`make soak` does it with every kind of account, `make test` with two: one whose days end elsewhere and whose history is
read, and one that counts late.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from socialgate.areas.analytics import store
from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.metrics import MetricTable
from support.analytics_fixture import DAY, PLATFORMS, AnalyticsFixture
from support.database import rows
from support.service import StartService
from support.soak import SOAK

pytestmark = pytest.mark.soak

NEW_YORK = ZoneInfo("America/New_York")
PACIFIC = ZoneInfo("America/Los_Angeles")
ZONES = ("America/Sao_Paulo", "America/New_York", "Asia/Kolkata")
TABLES: dict[str, MetricTable] = {
    kind.kind: kind.metrics
    for manifest in MANIFESTS.values()
    for kind in manifest.kinds
    if kind.metrics.account_metrics and (SOAK or kind.kind in {"facebook_page", "youtube"})
}
NAMES = {"facebook_page": "Lindqvist Bakery", "google_business": "Södermalm"}
LENGTH = 90
# How many of the newest days Google has not counted yet, today among them.
LATE = {"youtube": 3, "google_business": 4}
each_kind = pytest.mark.parametrize("kind", list(TABLES))
each_zone = pytest.mark.parametrize("zone", ZONES)


@pytest.fixture(scope="module")
def quarter(start_service: StartService) -> Iterator[AnalyticsFixture]:
    """Let ninety days pass, one by one, with the next change of clocks in New York in the middle of them.

    It is always late in the evening there, after the time of any snapshot of the day.
    """
    with start_service() as running, AnalyticsFixture(running) as grown:
        grown.set_timezone(NEW_YORK.key)
        grown.let_pass(_changed_clocks(grown.now + 50 * DAY) - 45 * DAY - grown.now)
        for kind in TABLES:
            grown.connect(kind, NAMES.get(kind, ""))
        kept = {account["id"] for account in grown.accounts.values()}
        for row in grown.get("/accounts", limit=200)["data"]:
            if row["id"] not in kept:
                assert grown.owner.session.delete(f"/accounts/{row['id']}").status_code == 200
        if "telegram_bot" in TABLES:
            grown.publish(grown.accounts["telegram_bot"], options={"chatId": "@adasbakery"})
        grown.advance_to_evening(NEW_YORK.key)
        grown.await_snapshots()
        for _ in range(LENGTH):
            local = grown.now.astimezone(NEW_YORK)
            tomorrow = datetime.combine(local.date() + DAY, local.time(), NEW_YORK)
            grown.let_pass(tomorrow.astimezone(UTC) - grown.now)
            grown.await_snapshots()
        yield grown


def _changed_clocks(moment: datetime) -> datetime:
    """Find the next midnight after which New York's clocks are changed."""
    day = moment.astimezone(NEW_YORK).date()
    while _midnight(day + DAY, NEW_YORK) - _midnight(day, NEW_YORK) == DAY:
        day += DAY
    return _midnight(day, NEW_YORK)


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)


def _local(day: str, zone: str) -> datetime:
    return _midnight(date.fromisoformat(day), ZoneInfo(zone))


@pytest.fixture
def at_home(quarter: AnalyticsFixture) -> AnalyticsFixture:
    quarter.set_timezone(NEW_YORK.key)
    return quarter


@each_kind
def test_the_totals_of_ninety_days_are_what_the_platform_counted(at_home: AnalyticsFixture, kind: str) -> None:
    account, table = at_home.accounts[kind], TABLES[kind]
    summary = at_home.summary(account, period="90d")
    since, until = (date.fromisoformat(summary["period"][edge]) for edge in ("since", "until"))
    assert (until - since).days + 1 == LENGTH
    last = min(until, at_home.now.astimezone(PACIFIC).date() - LATE.get(kind, 1) * DAY)
    truth = at_home.read_sandbox_numbers(account, since, last) if kind != "telegram_bot" else {}
    totals = {item["name"]: item for item in summary["totals"]}
    for metric in table.account_metrics:
        if metric.form == "flow":
            names = ["unfollows"] if metric.vendor == "follows_and_unfollows" else metric.vendor.split("+")
            counted = sum(truth["totals"][name] for name in names) * metric.scale
            assert totals[metric.name]["value"] == counted, metric.name
            assert totals[metric.name]["days"] == (last - since).days + 1, metric.name
        elif metric.form == "unique":
            assert metric.name not in totals, "the same people count on each day"
        else:
            assert totals[metric.name]["days"] == LENGTH, metric.name
            assert totals[metric.name]["value"] > 0 or metric.name == "posts"
    assert summary["gaps"] == []


@pytest.mark.parametrize("kind", [kind for kind, table in TABLES.items() if table.history_days])
def test_the_history_was_filled_in_when_the_account_was_connected(at_home: AnalyticsFixture, kind: str) -> None:
    account, table = at_home.accounts[kind], TABLES[kind]
    mine = sa.select(sa.func.min(store.insight_days.c.day).label("day")).where(
        store.insight_days.c.account_id == account["id"]
    )
    first = date.fromisoformat(rows(at_home.running, mine)[0].day)
    connected = datetime.fromisoformat(account["connectedAt"]).astimezone(ZoneInfo(table.zone)).date()
    # It was read for the first time in the evening of that day, which may be the next one there.
    assert first - (connected - (table.history_days - 1) * DAY) in {0 * DAY, DAY}
    last = connected - 10 * DAY
    summary, truth = (
        at_home.summary(account, since=first, until=last),
        at_home.read_sandbox_numbers(account, first, last)["totals"],
    )
    totals = {item["name"]: item["value"] for item in summary["totals"]}
    for metric in table.account_metrics:
        if metric.form == "flow":
            names = ["unfollows"] if metric.vendor == "follows_and_unfollows" else metric.vendor.split("+")
            assert totals[metric.name] == sum(truth[name] for name in names) * metric.scale, metric.name
    assert summary["gaps"] == []


@each_kind
def test_the_series_of_ninety_days_is_full(at_home: AnalyticsFixture, kind: str) -> None:
    if not any(metric.name == "followers" for metric in TABLES[kind].account_metrics):
        pytest.skip("nobody follows a place on the map")
    today = at_home.now.astimezone(NEW_YORK).date()
    points = at_home.followers(at_home.accounts[kind], since=today - (LENGTH - 1) * DAY, until=today)
    assert [point["date"] for point in points] == [str(today - number * DAY) for number in range(LENGTH)][::-1]
    assert not any(point["gap"] for point in points)
    assert sum(point["change"] for point in points[1:]) == points[-1]["followers"] - points[0]["followers"] > 0


def test_the_followers_of_each_day_are_those_that_the_platform_had_at_its_end(at_home: AnalyticsFixture) -> None:
    """Facebook's days end at three in the morning of the next day in New York, on every day of the year."""
    page, today = at_home.accounts["facebook_page"], at_home.now.astimezone(PACIFIC).date()
    truth = at_home.read_sandbox_numbers(page, today - LENGTH * DAY, today)["days"]
    counts = rows(
        at_home.running,
        sa.select(store.follower_counts).where(store.follower_counts.c.account_id == page["id"]),
    )
    ends = {row.at: row.followers for row in counts}
    for day in truth[:-1]:
        end = _midnight(date.fromisoformat(day["date"]) + DAY, PACIFIC) - timedelta(seconds=1)
        assert ends[end] == day["followers"], day["date"]


@each_zone
@pytest.mark.parametrize("granularity", ["day", "week", "month"])
def test_weeks_and_months_have_the_edges_of_the_place(quarter: AnalyticsFixture, zone: str, granularity: str) -> None:
    """Take the last reading before the end of each period, as a person with a calendar of the place would."""
    quarter.set_timezone(zone)
    today = quarter.now.astimezone(ZoneInfo(zone)).date()
    since = today - (LENGTH - 1) * DAY
    for kind in ("facebook_page", "tiktok" if SOAK else "youtube"):
        account = quarter.accounts[kind]
        readings: list[Any] = rows(
            quarter.running,
            sa.select(store.follower_counts)
            .where(store.follower_counts.c.account_id == account["id"])
            .order_by(store.follower_counts.c.at),
        )
        points = quarter.followers(account, since=since, until=today, granularity=granularity)
        assert [point["date"] for point in points] == _begins(since, today, granularity)
        for point in points:
            begin, end = _local(point["date"], zone), _local(_next(point["date"], granularity), zone)
            inside = [row.followers for row in readings if begin <= row.at < end]
            assert (point["followers"], point["gap"]) == (inside[-1] if inside else None, not inside), point
        known = [point for point in points if not point["gap"]]
        assert len(known) > len(points) * 0.9


def _begins(since: date, until: date, granularity: str) -> list[str]:
    days = [since + number * DAY for number in range((until - since).days + 1)]
    if granularity == "week":
        days = [day - timedelta(days=day.isoweekday() - 1) for day in days]
    elif granularity == "month":
        days = [date(day.year, day.month, 1) for day in days]
    return list(dict.fromkeys(map(str, days)))


def _next(day: str, granularity: str) -> str:
    begin = date.fromisoformat(day)
    if granularity == "month":
        return str(date(begin.year + begin.month // 12, begin.month % 12 + 1, 1))
    return str(begin + (7 if granularity == "week" else 1) * DAY)


@each_zone
def test_a_summary_ends_yesterday_where_the_profile_is(quarter: AnalyticsFixture, zone: str) -> None:
    quarter.set_timezone(zone)
    today = quarter.now.astimezone(ZoneInfo(zone)).date()
    summary = quarter.summary(quarter.accounts["facebook_page"], period="7d")
    assert summary["timezone"] == zone
    assert summary["period"] == {"since": str(today - 7 * DAY), "until": str(today - DAY)}
    assert summary["previous"] == {"since": str(today - 14 * DAY), "until": str(today - 8 * DAY)}


@pytest.mark.skipif(not SOAK, reason="`make test` takes two of them")
def test_the_world_of_these_tests_has_every_kind(quarter: AnalyticsFixture) -> None:
    assert set(quarter.accounts) == set(PLATFORMS) == set(TABLES)
