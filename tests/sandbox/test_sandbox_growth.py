"""Growth: the same every time, alive, and exact in its sums."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from socialgate_sandbox.society.audience_growth import HOUR, Audience, PostActivity
from socialgate_sandbox.society.platform_metrics import compute_midnight, iterate_days

BEGAN = datetime(2026, 3, 1, 9, 26, 53, tzinfo=UTC)
DAY = timedelta(days=1)
NOW = BEGAN + 120 * DAY
POST = PostActivity("post", BEGAN + 30 * DAY)
METRICS = ("views", "reach", "likes", "comments", "shares", "saves", "clicks", "profile_views", "follows", "unfollows")


def _audience(size: int = 2480, now: datetime = NOW, *pieces: PostActivity) -> Audience:
    return Audience("account", size, BEGAN, now, pieces)


@pytest.mark.parametrize("zone", ["UTC", "America/Los_Angeles", "America/Sao_Paulo", "Asia/Kolkata"])
@pytest.mark.parametrize("metric", METRICS)
def test_a_total_is_the_sum_of_its_days_wherever_days_begin(zone: str, metric: str) -> None:
    where = ZoneInfo(zone)
    audience = _audience(2480, NOW, POST, PostActivity("other", POST.at + DAY, (POST.at + 3 * DAY,)))
    every = list(iterate_days(date(2026, 1, 1), date(2026, 6, 1)))
    daily = [
        audience.count_between(compute_midnight(day, where), compute_midnight(day + DAY, where), metric)
        for day in every
    ]
    whole = audience.count_between(compute_midnight(every[0], where), compute_midnight(every[-1] + DAY, where), metric)
    # A half hour of offset cannot be told apart: numbers move by the hour.
    assert sum(daily) == whole > 0
    assert min(daily) >= 0


@pytest.mark.parametrize("size", [0, 3, 30, 140, 2480, 98_400])
def test_follows_less_unfollows_are_the_change_of_followers(size: int) -> None:
    audience = _audience(size, NOW, POST)
    moments = [BEGAN + number * DAY for number in range(-720, 121, 7)]
    for start, end in pairwise(moments):
        won = audience.count_between(start, end, "follows") - audience.count_between(start, end, "unfollows")
        assert audience.count_followers(end) - audience.count_followers(start) == won
        assert audience.count_followers(start) >= 0
    assert audience.count_followers(BEGAN) == audience.count_followers(BEGAN + 2 * HOUR) == size


def test_it_grows_slowly_with_a_weekly_rhythm_and_days_of_loss() -> None:
    audience = _audience(98_400)
    change = [
        audience.count_followers(BEGAN + (day + 1) * DAY) - audience.count_followers(BEGAN + day * DAY)
        for day in range(-300, 119)
    ]
    assert min(change) < max(change)
    assert 1.05 < audience.count_followers(NOW) / audience.size < 1.1
    assert audience.count_followers(BEGAN - 700 * DAY) < audience.size * 0.8
    first = date(2026, 1, 5)
    fridays = [_views(audience, first + timedelta(days=7 * week + 4)) for week in range(16)]
    tuesdays = [_views(audience, first + timedelta(days=7 * week + 1)) for week in range(16)]
    assert sum(fridays) > sum(tuesdays)
    assert len(set(fridays)) > 10


def _views(audience: Audience, day: date) -> int:
    return audience.count_between(
        compute_midnight(day, ZoneInfo("UTC")), compute_midnight(day + DAY, ZoneInfo("UTC")), "views"
    )


def test_a_small_account_loses_followers_on_some_days() -> None:
    audience = _audience(8120)
    series = [audience.count_followers(BEGAN + number * DAY) for number in range(-365, 120)]
    assert any(later < earlier for earlier, later in pairwise(series))


def test_a_post_is_seen_more_and_more_and_lifts_its_account() -> None:
    quiet, busy = _audience(), _audience(2480, NOW, POST)
    series = [busy.count_post_metrics(POST, "views", at=POST.at + number * HOUR) for number in range(24 * 60)]
    assert series[0] == 0 < series[1]
    assert all(earlier <= later for earlier, later in pairwise(series))
    assert series[24] > series[-1] / 2
    day = (POST.at, POST.at + DAY)
    assert busy.count_between(*day, "views") - quiet.count_between(*day, "views") == series[24]
    assert busy.count_post_metrics(POST, "reach") <= busy.count_post_metrics(POST, "views")
    assert busy.count_between(POST.at, NOW, "reach") <= busy.count_between(POST.at, NOW, "views")


def test_comments_are_those_that_were_written() -> None:
    piece = PostActivity("post", POST.at, (POST.at + HOUR / 2, POST.at + DAY))
    audience = _audience(2480, NOW, piece)
    assert audience.count_post_metrics(piece, "comments", at=POST.at + HOUR) == 1
    assert audience.count_post_metrics(piece, "comments") == 2


def test_nothing_is_counted_before_it_happened() -> None:
    audience = _audience(2480, BEGAN + DAY)
    assert audience.count_between(BEGAN + 2 * DAY, BEGAN + 3 * DAY, *METRICS) == 0
    assert audience.count_between(BEGAN, BEGAN + 9 * DAY, "views") == audience.count_between(
        BEGAN, BEGAN + DAY, "views"
    )
    assert audience.count_between(BEGAN - 1000 * DAY, BEGAN - 900 * DAY, *METRICS) == 0


def test_it_is_the_same_every_time_and_different_for_each() -> None:
    assert _audience().count_between(BEGAN, NOW, "likes") == _audience().count_between(BEGAN, NOW, "likes")
    other = Audience("another", 2480, BEGAN, NOW)
    assert other.count_between(BEGAN, NOW, "likes") != _audience().count_between(BEGAN, NOW, "likes")
