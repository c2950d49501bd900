"""Insights through the API, each metric of each kind compared to what the sandbox counts."""

import csv
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.metrics import MetricTable, PlatformMetric
from support.analytics_fixture import DAY, PLATFORMS, AnalyticsFixture
from support.problems import fault_of, problem_of
from support.publishing import mp4
from support.service import OwnerFixture, StartService

TABLES: dict[str, MetricTable] = {
    kind.kind: kind.metrics
    for manifest in MANIFESTS.values()
    for kind in manifest.kinds
    if kind.metrics.account_metrics
}
NAMES = {"facebook_page": "Lindqvist Bakery"}
VIDEOS = {"tiktok": {"privacyLevel": "PUBLIC_TO_EVERYONE"}, "youtube": {"title": "Bread"}}
# What nobody does with a bakery.
UNUSED = {"conversations", "foodOrders"}


@pytest.fixture(scope="module")
def grown(start_service: StartService) -> Iterator[AnalyticsFixture]:
    """Give a world that has gone on for ten days after it was published in."""
    with start_service() as running, AnalyticsFixture(running) as grown:
        for kind in ("facebook_page", "instagram", "threads", "tiktok", "youtube", "google_business"):
            if kind not in grown.accounts:
                grown.connect(kind, NAMES.get(kind, ""))
        for kind in ("facebook_page", "instagram", "threads"):
            grown.posts[kind] = grown.publish(grown.accounts[kind])
        for kind, options in VIDEOS.items():
            grown.publish(grown.accounts[kind], mp4(4), options=options)
        grown.let_pass(10 * DAY)
        yield grown


def test_the_kinds_with_insights_are_those_that_are_tested_here() -> None:
    assert set(TABLES) == set(PLATFORMS)


@pytest.mark.parametrize(
    "kind",
    [kind for kind, table in TABLES.items() if any(platform_metric.daily for platform_metric in table.account_metrics)],
)
def test_every_metric_of_an_account_is_what_the_platform_counts(grown: AnalyticsFixture, kind: str) -> None:
    account, table = grown.accounts[kind], TABLES[kind]
    last = grown.now.astimezone(ZoneInfo(table.zone)).date() - 5 * DAY
    first = last - 9 * DAY
    payload = grown.insights(account, since=first, until=last)
    truth = grown.read_sandbox_numbers(account, first, last)
    for metric in table.account_metrics:
        if metric.form == "level" and not metric.daily:
            assert payload[metric.name]["unavailable"]["code"] == "not_offered"
        else:
            assert_counted(metric, payload[metric.name], truth, ZoneInfo(table.zone))


def assert_counted(metric: PlatformMetric, payload: dict[str, Any], truth: dict[str, Any], zone: ZoneInfo) -> None:
    names = {"follows_and_unfollows": ["unfollows"]}.get(metric.vendor, metric.vendor.split("+"))
    days = truth["days"]
    if metric.name == "followers":
        counted = [day["followers"] for day in days]
    elif metric.name == "averageWatchTime":
        seconds = [(day["metrics"]["estimatedMinutesWatched"] * 60, day["metrics"]["views"]) for day in days]
        counted = [watched // views for watched, views in seconds]
    else:
        counted = [sum(day["metrics"][name] for name in names) * metric.scale for day in days]
    assert payload["unavailable"] is None, payload
    assert payload["vendor"]["name"] == metric.vendor
    if metric.daily:
        assert [point["value"] for point in payload["series"]] == counted, metric.name
        begins = [datetime.fromisoformat(point["at"]).astimezone(zone) for point in payload["series"]]
        assert [(str(begin.date()), begin.hour) for begin in begins] == [(day["date"], 0) for day in days]
    if metric.form == "flow":
        assert payload["total"] == sum(counted), metric.name
        assert sum(counted) > 0 or metric.name in UNUSED, metric.name


@pytest.mark.parametrize("kind", ["tiktok", "youtube", "instagram", "threads", "facebook_page"])
def test_levels_are_told_as_they_are_now(grown: AnalyticsFixture, kind: str) -> None:
    account, today = grown.accounts[kind], grown.now.astimezone(ZoneInfo(TABLES[kind].zone)).date()
    payload = grown.insights(account)
    levels = [metric for metric in TABLES[kind].account_metrics if metric.form == "level"]
    truth = grown.read_sandbox_numbers(account, today, today)
    followers = truth["days"][-1]["followers"]
    for metric in levels:
        assert payload[metric.name]["unavailable"] is None, payload
        counted = truth["levels"].get(metric.vendor, followers)
        assert payload[metric.name]["total"] == counted > 0, metric.name
    # YouTube tells three digits, and rounds them down.
    assert (
        0 <= followers - payload["followers"]["total"] < (10 ** (len(str(followers)) - 3) if kind == "youtube" else 1)
    )


def test_the_newest_posts_are_listed_with_the_same_numbers(grown: AnalyticsFixture) -> None:
    for kind, post in grown.posts.items():
        path = f"/accounts/{grown.accounts[kind]['id']}/post-insights"
        (response,) = grown.get(path, postId=post["id"])["data"]
        listed = grown.get(path, limit=5)["data"][0]
        assert (listed["postId"], listed["metrics"]) == (post["id"], response["metrics"])
        assert {"views", "engagement"} <= {item["name"] for item in listed["metrics"] if item["total"]}


def test_a_table_of_posts_says_why_numbers_are_missing(grown: AnalyticsFixture) -> None:
    path = f"/accounts/{grown.accounts['instagram']['id']}/post-insights"
    query = {"postId": grown.posts["instagram"]["id"]}
    (row,) = csv.DictReader(
        grown.owner.session.get(path, params=query, headers={"Accept": "text/csv"}).text.split("\r\n")
    )
    assert (row["skipRate"], int(row["views"]) > 0) == ("", True)
    missing = dict(item.split(": ") for item in row["unavailable"].split("; "))
    assert missing == dict.fromkeys(["replies", "watchTime", "averageWatchTime", "skipRate"], "not_offered")


def test_weeks_and_months_are_sums_of_days(grown: AnalyticsFixture) -> None:
    account = grown.accounts["facebook_page"]
    # From the middle of one month to the middle of the next, all of it in the past.
    last = (grown.now.date().replace(day=1) - timedelta(days=1)).replace(day=14)
    first = (last.replace(day=1) - timedelta(days=1)).replace(day=15)
    query = {"metrics": "views,reach,followers", "since": str(first), "until": str(last)}
    days = grown.insights(account, **query)
    weeks, months = (grown.insights(account, **query, granularity=value) for value in ("week", "month"))
    both = [str(day.replace(day=1)) for day in (first, last)]
    assert [point["at"][:10] for point in months["views"]["series"]] == both
    assert {datetime.fromisoformat(point["at"]).weekday() for point in weeks["views"]["series"]} == {0}
    for payload in (weeks, months):
        assert sum(point["value"] for point in payload["views"]["series"]) == days["views"]["total"]
        assert payload["followers"]["series"][-1]["value"] == days["followers"]["series"][-1]["value"]
        assert (payload["reach"]["series"], payload["reach"]["total"]) == ([], None)
        assert payload["reach"]["unavailable"]["code"] == "not_offered"
    assert grown.insights(account, **query, granularity="total")["views"]["series"] == []


@pytest.mark.parametrize("kind", ["facebook_page", "instagram", "youtube"])
def test_days_that_have_not_come_are_not_counted_yet(grown: AnalyticsFixture, kind: str) -> None:
    first = grown.now.date() + 30 * DAY
    payload = grown.insights(grown.accounts[kind], since=first, until=first + 5 * DAY)
    assert {item["unavailable"]["code"] for item in payload.values()} == {"not_counted_yet"}


@pytest.mark.parametrize("kind", ["facebook_page", "instagram", "threads", "google_business"])
def test_days_of_long_ago_are_not_offered(grown: AnalyticsFixture, kind: str) -> None:
    payload = grown.insights(grown.accounts[kind], since="2015-01-01", until="2015-02-01")
    assert {name: item["unavailable"]["code"] for name, item in payload.items()} == dict.fromkeys(
        payload, "not_offered"
    )


def test_a_range_that_begins_in_the_future_is_rejected(grown: AnalyticsFixture) -> None:
    account, today = grown.accounts["facebook_page"], grown.now.date()
    for path in (f"/analytics/{account['id']}/followers", f"/analytics/{account['id']}/summary"):
        answer = grown.owner.session.get(path, params={"since": str(today + 2 * DAY)})
        (fault,) = problem_of(answer, 422)["errors"]
        assert (fault["pointer"], fault["code"]) == ("?since", "out_of_range")
        assert fault["detail"].startswith("`since` is in the future. Today is 20")


def test_a_kind_without_followers_has_no_series_of_gaps(grown: AnalyticsFixture) -> None:
    answer = grown.owner.session.get(f"/analytics/{grown.accounts['google_business']['id']}/followers")
    problem_of(answer, 422, "not_supported")


def test_what_a_kind_lacks_is_said_and_a_typo_is_refused(grown: AnalyticsFixture) -> None:
    account = grown.accounts["tiktok"]
    payload = grown.insights(account, metrics="followers,watchTime")
    assert payload["followers"]["unavailable"] is None
    assert payload["watchTime"]["unavailable"]["code"] == "not_offered"
    answer = grown.owner.session.get(f"/accounts/{account['id']}/insights", params={"metrics": "folowers"})
    assert fault_of(answer) == ("?metrics", "invalid")
    query = {"since": "2026-11-03", "until": "2026-11-01"}
    answer = grown.owner.session.get(f"/accounts/{account['id']}/insights", params=query)
    assert fault_of(answer) == ("?since", "contradiction")
    query = {"since": "2025-01-01", "until": "2026-11-01"}
    answer = grown.owner.session.get(f"/accounts/{account['id']}/insights", params=query)
    assert fault_of(answer) == ("?since", "out_of_range")


def test_answers_are_kept_for_a_minute_unless_the_caller_wants_them_fresh(grown: AnalyticsFixture) -> None:
    account = grown.accounts["tiktok"]
    path = f"/accounts/{account['id']}/insights"

    def calls() -> int:
        return len(grown.sandbox.listed("received", platform="tiktok", path="*/user/info/", limit=2000))

    grown.owner.session.get(path, headers={"Cache-Control": "no-cache"})
    before = calls()
    again = grown.owner.session.get(path)
    assert int(again.headers["age"]) >= 0
    assert calls() == before
    grown.owner.session.get(path, headers={"Cache-Control": "no-cache"})
    assert calls() == before + 1


def test_a_business_profile_has_no_numbers_of_posts(grown: AnalyticsFixture) -> None:
    account = grown.accounts["google_business"]
    problem_of(grown.owner.session.get(f"/accounts/{account['id']}/post-insights"), 422, "not_supported")


def test_a_post_that_is_not_there(grown: AnalyticsFixture) -> None:
    for kind, post in (("facebook_page", "104857600000101_1"), ("instagram", "18000000000000000"), ("threads", "1")):
        path = f"/accounts/{grown.accounts[kind]['id']}/post-insights"
        problem_of(grown.owner.session.get(path, params={"objectId": post}), 404, "platform_not_found")
        both = {"objectId": post, "postId": grown.posts[kind]["id"]}
        assert fault_of(grown.owner.session.get(path, params=both)) == ("?objectId", "contradiction")


def test_another_owners_account_is_not_there(grown: AnalyticsFixture) -> None:
    other: OwnerFixture = grown.running.new_owner()
    account = grown.accounts["threads"]["id"]
    for path in ("accounts/{}/insights", "accounts/{}/post-insights", "analytics/{}/followers", "analytics/{}/summary"):
        problem_of(other.session.get("/" + path.format(account)), 404, "not_found")


def test_a_kind_without_numbers_names_those_that_have(grown: AnalyticsFixture) -> None:
    rows = grown.owner.session.get("/accounts", params={"limit": 200}).json()["data"]
    calendar = next(row["id"] for row in rows if row["kind"] == "google_calendar")
    problem = problem_of(grown.owner.session.get(f"/accounts/{calendar}/insights"), 422, "not_supported")
    assert "Threads" in problem["detail"]
    problem_of(grown.owner.session.get(f"/analytics/{calendar}/followers"), 422, "not_supported")


def test_platforms_list_what_each_kind_counts(grown: AnalyticsFixture) -> None:
    kinds = {item["kind"]: item for item in grown.get("/platforms")["data"]}
    for kind, table in TABLES.items():
        assert [kind["name"] for kind in kinds[kind]["metrics"]["account"]] == [
            platform_metric.name for platform_metric in table.account_metrics
        ]
        assert [kind["vendor"] for kind in kinds[kind]["metrics"]["post"]] == [
            platform_metric.vendor for platform_metric in table.post_metrics
        ]
        assert "readInsights" in kinds[kind]["capabilities"]


def test_a_quota_that_is_used_up_is_told_and_never_zero(grown: AnalyticsFixture) -> None:
    account = grown.accounts["youtube"]
    path = f"/accounts/{account['id']}/insights"
    fresh = {"Cache-Control": "no-cache"}
    grown.sandbox.control("fail", platform="google", error="quota_exhausted", path="*/reports")
    answer = grown.owner.session.get(path, headers=fresh)
    payload = {metric["name"]: metric for metric in answer.json()["metrics"]}
    assert payload["followers"]["total"] is not None
    assert (payload["views"]["total"], payload["views"]["unavailable"]["code"]) == (None, "platform_rate_limited")
    # Where nothing else is asked for, there is nothing to show.
    only = grown.owner.session.get(path, headers=fresh, params={"metrics": "views"})
    assert problem_of(only, 429, "platform_rate_limited")["retryAfter"] > 0
    # It is paused until midnight in California, and then asked again.
    grown.let_pass(timedelta(hours=25))
    payload = grown.insights(account)
    assert payload["views"]["total"] > 0


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("facebook_page", "videoViews"),
        ("instagram", "accountsEngaged"),
        ("threads", "quotes"),
        ("youtube", "shares"),
        ("google_business", "calls"),
    ],
)
def test_a_metric_that_is_retired_without_notice_fails_no_other(grown: AnalyticsFixture, kind: str, name: str) -> None:
    account = grown.accounts[kind]
    (metric,) = [platform_metric for platform_metric in TABLES[kind].account_metrics if platform_metric.name == name]
    order = {"platform": PLATFORMS[kind], "metric": metric.vendor}
    grown.sandbox.control("retire", **order)
    # What was answered before is kept for a minute.
    path, fresh = f"/accounts/{account['id']}/insights", {"Cache-Control": "no-cache"}
    payload = {item["name"]: item for item in grown.owner.session.get(path, headers=fresh).json()["metrics"]}
    assert (payload[name]["total"], payload[name]["series"]) == (None, [])
    assert payload[name]["unavailable"]["code"] == "retired"
    assert [item for item, result in payload.items() if result["unavailable"] is not None] == [name]
    assert payload["clicks" if kind == "google_business" else "views"]["total"] > 0
    grown.sandbox.control("retire", **order, back=True)
    grown.let_pass(timedelta(hours=7))
    payload = {item["name"]: item for item in grown.owner.session.get(path, headers=fresh).json()["metrics"]}
    assert payload[name]["unavailable"] is None


def test_what_instagram_no_longer_counts_is_said_and_not_asked_for(grown: AnalyticsFixture) -> None:
    account = grown.accounts["instagram"]
    query = {"metrics": "reach,profileViews"}
    answer = grown.owner.session.get(f"/accounts/{account['id']}/insights", params=query)
    payload = {item["name"]: item for item in answer.json()["metrics"]}
    assert payload["reach"]["unavailable"] is None
    assert (payload["profileViews"]["total"], payload["profileViews"]["unavailable"]["code"]) == (None, "not_offered")


def test_the_page_about_analytics_names_every_metric() -> None:
    page = (Path(__file__).parents[2] / "docs" / "analytics.md").read_text(encoding="utf-8")
    for kind, table in TABLES.items():
        for metric in (*table.account_metrics, *table.post_metrics):
            assert f"`{metric.name}`" in page, (kind, metric.name)
            assert metric.vendor.partition("+")[0] in page, (kind, metric.vendor)
