"""How numbers of several accounts are added up by day, and what counts as growth."""

from collections.abc import Mapping
from datetime import date, timedelta

import pytest

from socialgate.areas.analytics.trend import (
    MetricTrend,
    build_follower_trend,
    build_metric_trend,
    compare_followers,
)
from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.insights import DateRange
from socialgate.contracts.metrics import PlatformMetric

FIRST = date(2026, 11, 8)
DAYS = DateRange(FIRST, FIRST + timedelta(days=6))
BEFORE = DateRange(FIRST - timedelta(days=7), FIRST - timedelta(days=1))
VIEWS = PlatformMetric(name="views", vendor="views")
REACH = PlatformMetric(name="reach", vendor="reach", form="unique")
UNFOLLOWS = PlatformMetric(name="unfollows", vendor="unfollows", lower_is_better=True)


def at(day: int) -> date:
    """Return a day, counted from the first one of the period."""
    return FIRST + timedelta(days=day)


def count_followers(counts: Mapping[str, Mapping[int, int]]) -> MetricTrend:
    known = {account: {at(day): number for day, number in days.items()} for account, days in counts.items()}
    totals = {account: compare_followers(days, DAYS, BEFORE) for account, days in known.items()}
    trend = build_follower_trend(known, totals, DAYS, BEFORE)
    assert trend is not None
    return trend


def add_up(metric: PlatformMetric, *accounts: Mapping[int, int]) -> MetricTrend:
    stored = {
        str(number): {at(day): {metric.name: value} for day, value in days.items()}
        for number, days in enumerate(accounts)
    }
    return build_metric_trend(metric, stored, DAYS, BEFORE)


def test_connecting_an_account_is_no_growth() -> None:
    old = {day: 1000 + 10 * day for day in range(-7, 7)}
    trend = count_followers({"old": old, "new": {3: 16_000, 4: 16_050, 5: 16_050, 6: 16_100}})
    # It has 1,060 and 16,100 now. Only the first had a number in the period before: 990.
    assert (trend.total.value, trend.total.previous, trend.change, trend.not_compared) == (17_160, 990, 70, 1)
    assert trend.total.change_percent == pytest.approx(7.07)
    # Nor does the line leap on the day of the first count.
    assert trend.values[:4] == [17_000, 17_010, 17_020, 17_030]
    assert trend.values[-1] == trend.total.value


def test_an_account_that_is_counted_no_more_has_not_shrunk() -> None:
    trend = count_followers({"one": {-1: 500, 6: 520}, "gone": {-1: 9000}})
    assert (trend.total.value, trend.total.previous, trend.change, trend.not_compared) == (520, 500, 20, 1)
    assert trend.is_improved


def test_nothing_is_compared_with_nothing() -> None:
    trend = count_followers({"new": {5: 100, 6: 110}})
    assert (trend.total.value, trend.total.previous, trend.total.change_percent, trend.change) == (
        110,
        None,
        None,
        None,
    )
    assert trend.is_improved is None
    assert trend.values == [None] * 5 + [100, 110]


def test_a_day_on_which_an_account_has_no_number_is_unknown() -> None:
    large = dict.fromkeys((0, 1, 2, 5), 900)
    small = dict.fromkeys(range(-7, 7), 5)
    trend = add_up(VIEWS, large, small)
    # The large one skipped two days, and reports the last one late. It is not five on those days.
    assert trend.values == [905, 905, 905, None, None, 905, None]
    assert trend.total.days == 4
    # As much as is known is added up, however.
    assert trend.total.value == 4 * 900 + 7 * 5
    # Before an account was connected, and long after it stopped, the others are complete.
    assert trend.before == [5] * 7
    assert add_up(VIEWS, {-7: 900, -6: 900}, small).values == [5] * 7


def test_an_average_day_has_whole_people_and_no_incomplete_days() -> None:
    trend = add_up(REACH, {0: 100, 1: 101, 2: 101, 4: 100, 5: 100, 6: 100}, dict.fromkeys(range(7), 1))
    assert (trend.total.value, trend.total.days) == (101, 6)
    assert isinstance(trend.total.value, int)


def test_fewer_who_leave_are_good_news() -> None:
    more = add_up(UNFOLLOWS, {-1: 2, 6: 8})
    fewer = add_up(UNFOLLOWS, {-1: 8, 6: 2})
    assert (more.total.change_percent, more.is_improved) == (300, False)
    assert (fewer.total.change_percent, fewer.is_improved) == (-75, True)
    assert add_up(VIEWS, {-1: 2, 6: 8}).is_improved
    assert add_up(VIEWS, {-1: 2, 6: 2}).is_improved is None


def test_every_platform_declares_that_leaving_is_bad_news() -> None:
    tables = [kind.metrics for manifest in MANIFESTS.values() for kind in manifest.kinds]
    metrics = [metric for table in tables for metric in (*table.account_metrics, *table.post_metrics)]
    worse = {metric.name for metric in metrics if metric.lower_is_better}
    assert worse == {"unfollows", "skipRate"}
    assert not worse & {metric.name for metric in metrics if not metric.lower_is_better}
