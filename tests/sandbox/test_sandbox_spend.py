"""Spending: exact in its sums, never above a budget, and unchanged by what happens later."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import msgspec
import pytest

from socialgate_sandbox.society.ad_spend import (
    METRICS,
    Account,
    Ad,
    AdSet,
    Budget,
    Campaign,
    TimedValue,
    TimeSpan,
    append_value,
)
from socialgate_sandbox.society.platform_metrics import iterate_days

BEGAN = datetime(2026, 3, 2, 9, 20, tzinfo=UTC)
DAY = timedelta(days=1)
ON = (TimeSpan(BEGAN),)


def _ad_set(key: str, *budgets: Budget, until: datetime = BEGAN + 365 * DAY, ads: int = 2) -> AdSet:
    return AdSet(
        id=key,
        ads=tuple(Ad(id=f"{key}-{number}", active_spans=ON) for number in range(ads)),
        active_spans=ON,
        schedule=(TimedValue(BEGAN, TimeSpan(BEGAN, until)),),
        budgets=tuple(TimedValue(BEGAN, budget) for budget in budgets),
        goal="traffic",
    )


def _account(
    *sets: AdSet,
    budget: Budget | None = None,
    now: datetime = BEGAN + 20 * DAY,
    zone: str = "UTC",
    currency: str = "USD",
) -> Account:
    budgets = () if budget is None else (TimedValue(BEGAN, budget),)
    campaign = Campaign(id="campaign", ad_sets=sets, active_spans=ON, budgets=budgets)
    return Account(id="account", campaigns=(campaign,), currency=currency, zone=ZoneInfo(zone), now=now)


def _daily(account: Account, metric: str, value: str | None = None) -> list[int]:
    return [account.count_on_day(metric, day, value) for day in iterate_days(date(2026, 3, 1), date(2026, 3, 24))]


@pytest.mark.parametrize("zone", ["UTC", "America/Los_Angeles", "Asia/Kolkata"])
@pytest.mark.parametrize("metric", METRICS)
def test_the_numbers_of_an_account_are_those_of_its_ads_and_its_days(zone: str, metric: str) -> None:
    account = _account(_ad_set("a", Budget(5000)), _ad_set("b", Budget(3000)), zone=zone)
    total = account.count_total(metric)
    assert sum(_daily(account, metric)) == total > 0
    assert sum(account.count_total(metric, ad) for ad in ("a-0", "a-1", "b-0", "b-1")) == total
    assert (
        account.count_total(metric, "a") + account.count_total(metric, "b")
        == account.count_total(metric, "campaign")
        == total
    )


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
@pytest.mark.parametrize("pace", [1.0, 100.0])
def test_no_budget_is_exceeded(zone: str, pace: float) -> None:
    account = _account(
        _ad_set("a", Budget(5000)),
        _ad_set("b", Budget(9000, daily=False)),
        _ad_set("c"),
        budget=Budget(6000),
        zone=zone,
    )
    account = msgspec.structs.replace(account, paces=(TimedValue(BEGAN, pace),))
    assert max(_daily(account, "spend", "campaign")) <= 6000
    assert max(_daily(account, "spend", "a")) <= 5000
    assert account.count_total("spend", "b") <= 9000
    assert min(account.count_total("spend", key) for key in ("a", "b", "c")) > 0
    if pace > 1:
        assert max(_daily(account, "spend")) == 6000
        alone = msgspec.structs.replace(_account(_ad_set("b", Budget(9000, daily=False))), paces=account.paces)
        assert (alone.count_total("spend"), alone.is_budget_used_up("b")) == (9000, True)


def test_most_of_a_budget_is_spent_after_learning() -> None:
    account = _account(_ad_set("a", Budget(5000)))
    first, *later = _daily(account, "spend")[2:21]
    assert first < 0.7 * 5000
    assert all(4300 < spent <= 5000 for spent in later[3:])
    assert [msgspec.structs.replace(account, now=BEGAN + day * DAY).is_learning("a") for day in (1, 4)] == [True, False]


def test_a_lifetime_budget_is_spread_over_the_schedule() -> None:
    account = _account(_ad_set("a", Budget(100_000, daily=False), until=BEGAN + 10 * DAY))
    daily = _daily(account, "spend")
    assert max(daily) < 14_000
    assert 80_000 < sum(daily) <= 100_000
    assert account.count_between("spend", BEGAN + 10 * DAY + timedelta(hours=1), account.now) == 0


def test_parts_are_never_more_than_the_whole() -> None:
    account = _account(_ad_set("a", Budget(2000)))
    chain = ("impressions", "plays", "plays_25", "plays_50", "plays_75", "plays_100")
    for hour in range(400):
        at = BEGAN + timedelta(hours=hour)
        counted = [account.count_between(metric, at, at + timedelta(hours=1)) for metric in chain]
        assert all(whole >= part for whole, part in pairwise(counted))
    image = Ad(id="a-0", active_spans=ON, video=False)
    silent = _account(msgspec.structs.replace(_ad_set("a", Budget(2000)), ads=(image,)))
    assert (silent.count_total("plays"), silent.count_total("impressions") > 0) == (0, True)


def test_what_was_spent_stays_when_things_change() -> None:
    ad_set = _ad_set("a", Budget(5000))
    before = _account(ad_set, now=BEGAN + 5 * DAY)
    spent = {metric: before.count_total(metric) for metric in METRICS}
    changed = msgspec.structs.replace(
        ad_set,
        budgets=append_value(ad_set.budgets, before.now, Budget(1000)),
        schedule=append_value(ad_set.schedule, before.now, TimeSpan(BEGAN, BEGAN + 90 * DAY)),
        ads=(*ad_set.ads, Ad(id="late", active_spans=(TimeSpan(before.now),))),
    )
    after = msgspec.structs.replace(_account(changed, now=BEGAN + 9 * DAY), paces=(TimedValue(before.now, 50.0),))
    begin = before.now.replace(minute=0)
    assert {metric: after.count_between(metric, BEGAN - DAY, begin) for metric in METRICS} == spent
    assert [after.count_on_day("spend", date(2026, 3, day)) for day in (8, 9, 10)] == [1000, 1000, 1000]
    assert after.count_total("spend", "late") > 0
    paused = msgspec.structs.replace(ad_set, active_spans=(TimeSpan(BEGAN, BEGAN + 2 * DAY),))
    assert _account(paused).count_total("spend") == before.count_between(
        "spend", BEGAN, BEGAN + 2 * DAY
    ) + _part_of_an_hour(before)


def _part_of_an_hour(account: Account) -> int:
    """Return what the twenty minutes before the pause cost."""
    stopped = TimeSpan(BEGAN, BEGAN + 2 * DAY)
    (ad_set,) = account.campaigns[0].ad_sets
    short = _account(msgspec.structs.replace(ad_set, active_spans=(stopped,)))
    spent = short.count_between("spend", stopped.end, stopped.end + timedelta(hours=1))
    assert 0 <= spent < account.count_between("spend", stopped.end, stopped.end + timedelta(hours=1))
    return spent


def test_numbers_scale_with_the_currency() -> None:
    dollars = _account(_ad_set("a", Budget(5000)), currency="USD").count_total("impressions")
    kronor = _account(_ad_set("a", Budget(50_000)), currency="SEK").count_total("impressions")
    yen = _account(_ad_set("a", Budget(7500)), currency="JPY").count_total("impressions")
    assert dollars == pytest.approx(kronor, rel=0.02) == pytest.approx(yen, rel=0.02)
