"""Insights and reports: what ads spent adds up to what the control counts."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from facebook_business.adobjects.adreportrun import AdReportRun
from facebook_business.adobjects.adset import AdSet
from facebook_business.adobjects.campaign import Campaign

from sandbox.graph_support import codes_of, error_of
from sandbox.meta.ads_support import DAY, HOUR, TARGETING, Ads, codes
from sandbox.meta.sdk import Sdk
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.seed import ADA_ADS, BAKERY, BAKERY_PIXEL

COUNTS = ["impressions", "reach", "clicks", "inline_link_clicks", "spend"]
ALL = {"date_preset": "maximum"}


@pytest.fixture
def ads(meta: Meta, sdk: Sdk) -> Ads:
    return Ads(meta, sdk)


@pytest.fixture
def two(ads: Ads) -> tuple[str, str]:
    """Two campaigns, one with two ads, that ran for ten days."""
    first, second = ads.ad_set(ads.campaign(name="One")), ads.ad_set(ads.campaign(name="Two"), daily_budget=5000)
    creative = ads.creative()
    for key, name in ((first, "A"), (first, "B"), (second, "C")):
        ads.ad(key, name=name, creative=creative)
    ads.meta.platform.pass_time(10 * DAY)
    return first, second


def total(rows: Any, name: str) -> float:
    return round(sum(float(row[name]) for row in rows), 2)


@pytest.mark.usefixtures("two")
def test_every_level_adds_up_to_what_the_control_counts(ads: Ads) -> None:
    (whole,) = ads.account.get_insights(fields=COUNTS, params=ALL)
    numbers = ads.numbers()
    assert {name: float(whole[name]) for name in COUNTS} == numbers["totals"]
    assert numbers["totals"]["spend"] > 500
    for level, count in (("campaign", 2), ("adset", 2), ("ad", 3)):
        rows = list(ads.account.get_insights(fields=[*COUNTS, f"{level}_id"], params={**ALL, "level": level}))
        assert len({row[f"{level}_id"] for row in rows}) == count
        for name in COUNTS:
            assert total(rows, name) == round(float(whole[name]), 2)
    days = list(ads.account.get_insights(fields=["spend"], params={**ALL, "time_increment": 1}))
    assert total(days, "spend") == round(float(whole["spend"]), 2)
    by_day = {day["date"]: day["metrics"]["spend"] for day in numbers["days"]}
    assert {row["date_start"]: float(row["spend"]) for row in days} == {day: n for day, n in by_day.items() if n}
    spent = int(ads.account.api_get(fields=["amount_spent"])["amount_spent"])
    assert spent == round(float(whole["spend"]) * 100)


def test_budgets_hold(ads: Ads, two: tuple[str, str]) -> None:
    first, second = two
    for key, budget in ((first, 200.0), (second, 50.0)):
        rows = list(AdSet(key, api=ads.api).get_insights(fields=["spend"], params={**ALL, "time_increment": 1}))
        assert len(rows) >= 10
        assert all(0 < float(row["spend"]) <= budget for row in rows)


@pytest.mark.usefixtures("two")
def test_ratios_and_actions(ads: Ads) -> None:
    fields = [*COUNTS, "ctr", "cpc", "cpm", "frequency", "actions", "cost_per_action_type", "account_currency"]
    (row,) = ads.account.get_insights(fields=[*fields, "purchase_roas", "video_p25_watched_actions"], params=ALL)
    assert float(row["ctr"]) == pytest.approx(100 * int(row["clicks"]) / int(row["impressions"]), abs=1e-5)
    assert float(row["cpm"]) == pytest.approx(1000 * float(row["spend"]) / int(row["impressions"]), abs=1e-5)
    actions = {item["action_type"]: int(item["value"]) for item in row["actions"]}
    assert actions["link_click"] == int(row["inline_link_clicks"]) < int(row["clicks"]) == actions["post_engagement"]
    assert actions["landing_page_view"] < actions["link_click"]
    # The ads are no videos.
    assert ("video_view" in actions, "video_p25_watched_actions" in row) == (False, False)
    assert row["account_currency"] == "SEK"
    bare = next(iter(ads.account.get_insights(params=ALL)))
    assert {"account_id", "impressions", "spend", "date_start", "date_stop"} == set(bare)


def test_what_is_earned_depends_on_the_goal(ads: Ads) -> None:
    sales, leads = ads.campaign(objective="OUTCOME_SALES"), ads.campaign(objective="OUTCOME_LEADS")
    bought = {"pixel_id": BAKERY_PIXEL, "custom_event_type": "PURCHASE"}
    ads.ad(ads.ad_set(sales, optimization_goal="OFFSITE_CONVERSIONS", promoted_object=bought))
    ads.ad(ads.ad_set(leads, optimization_goal="LEAD_GENERATION", promoted_object={"page_id": BAKERY}))
    ads.meta.platform.pass_time(10 * DAY)
    rows = ads.account.get_insights(
        fields=["campaign_id", "objective", "actions", "action_values", "purchase_roas"],
        params={**ALL, "level": "campaign"},
    )
    result = {row["campaign_id"]: row for row in rows}
    names = {key: {item["action_type"] for item in row["actions"]} for key, row in result.items()}
    assert ("purchase" in names[sales], "lead" in names[sales]) == (True, False)
    assert ("purchase" in names[leads], "lead" in names[leads]) == (False, True)
    assert float(result[sales]["purchase_roas"][0]["value"]) > 0
    assert ("action_values" in result[leads], result[leads]["objective"]) == (False, "OUTCOME_LEADS")


def test_breakdowns_add_up(ads: Ads) -> None:
    targeting = {**TARGETING, "geo_locations": {"countries": ["US", "GB"]}}
    ads.ad(ads.ad_set(targeting=targeting))
    ads.meta.platform.pass_time(5 * DAY)
    (whole,) = ads.account.get_insights(fields=COUNTS, params=ALL)
    hours = ["hourly_stats_aggregated_by_audience_time_zone"]
    cases = ((["age", "gender"], 18), (["publisher_platform"], 4), (["country"], 2), (["dma"], 1), (hours, 24))
    for names, count in cases:
        rows = list(ads.account.get_insights(fields=COUNTS, params={**ALL, "breakdowns": names}))
        assert len({tuple(row[name] for name in names) for row in rows}) == len(rows) <= count
        assert len(rows) > count // 2
        assert total(rows, "impressions") == float(whole["impressions"])
    hourly = ads.account.get_insights(fields=COUNTS, params={**ALL, "breakdowns": hours})
    assert sorted(row[hours[0]] for row in hourly) == [f"{hour:02}:00:00 - {hour:02}:59:59" for hour in range(24)]


def test_what_did_not_run_has_no_rows(ads: Ads) -> None:
    ads.ad()
    assert list(ads.account.get_insights(params=ALL)) == []
    ads.meta.platform.pass_time(3 * HOUR)
    assert list(ads.account.get_insights(params={"date_preset": "last_month"})) == []
    assert len(list(ads.account.get_insights(params=ALL))) == 1


def test_paused_things_spend_nothing_and_deleted_ones_stay_in_the_sum(ads: Ads, two: tuple[str, str]) -> None:
    campaign = AdSet(two[0], api=ads.api).api_get(fields=["campaign_id"])["campaign_id"]
    Campaign(campaign, api=ads.api).api_update(params={"status": "PAUSED"})
    (before,) = Campaign(campaign, api=ads.api).get_insights(fields=["spend"], params=ALL)
    ads.meta.platform.pass_time(2 * DAY)
    (after,) = Campaign(campaign, api=ads.api).get_insights(fields=["spend"], params=ALL)
    # The hour of the change still counts, as far as the ads ran in it.
    assert float(after["spend"]) - float(before["spend"]) < 20
    Campaign(campaign, api=ads.api).api_delete()
    by_campaign = {**ALL, "level": "campaign"}
    rows = list(ads.account.get_insights(fields=["campaign_id", "spend"], params=by_campaign))
    assert campaign not in {row["campaign_id"] for row in rows}
    (whole,) = ads.account.get_insights(fields=["spend"], params=ALL)
    assert float(whole["spend"]) == pytest.approx(total(rows, "spend") + float(after["spend"]))
    gone = [{"field": "campaign.effective_status", "operator": "IN", "value": ["DELETED"]}]
    (row,) = ads.account.get_insights(fields=["campaign_id"], params={**by_campaign, "filtering": gone})
    assert row["campaign_id"] == campaign


@pytest.mark.usefixtures("two")
def test_rows_are_filtered_sorted_and_paged(ads: Ads) -> None:
    by_ad = {**ALL, "level": "ad"}
    only = [{"field": "ad.name", "operator": "IN", "value": ["A", "C"]}]
    rows = ads.account.get_insights(fields=["ad_name"], params={**by_ad, "filtering": only})
    assert sorted(row["ad_name"] for row in rows) == ["A", "C"]
    rows = ads.account.get_insights(fields=["spend"], params={**by_ad, "sort": ["spend_descending"]})
    spent = [float(row["spend"]) for row in rows]
    assert spent == sorted(spent, reverse=True)
    paged = ads.account.get_insights(fields=["spend"], params={**by_ad, "time_increment": 1, "limit": 7})
    assert len(list(paged)) >= 30
    more = [{"field": "impressions", "operator": "GREATER_THAN", "value": 10**9}]
    assert list(ads.account.get_insights(params={**by_ad, "filtering": more})) == []


@pytest.mark.usefixtures("two")
def test_days(ads: Ads) -> None:
    days = [row["date_start"] for row in ads.account.get_insights(params={**ALL, "time_increment": 1})]
    (row,) = ads.account.get_insights(params={"time_range": {"since": days[2], "until": days[4]}})
    assert (row["date_start"], row["date_stop"]) == (days[2], days[4])
    several = {"time_ranges": [{"since": day, "until": day} for day in days[:2]]}
    assert [row["date_stop"] for row in ads.account.get_insights(params=several)] == days[:2]
    (week,) = ads.account.get_insights(params={"date_preset": "last_7d"})
    # By the clock of the account, and not by its last row: a day that has just begun there has none yet.
    zone = ZoneInfo(ads.account.api_get(fields=["timezone_name"])["timezone_name"])
    today = (datetime.now(UTC) + timedelta(days=10)).astimezone(zone).date()
    assert (week["date_start"], week["date_stop"]) == (str(today - timedelta(days=7)), str(today - timedelta(days=1)))
    assert len(list(ads.account.get_insights(params={**ALL, "time_increment": "monthly"}))) in {1, 2}


def test_insights_that_are_refused(ads: Ads) -> None:
    place = f"{ADA_ADS}/insights"
    wrong = [
        {"fields": "shoe_size"},
        {"date_preset": "lately"},
        {"level": "shoe"},
        {"breakdowns": "shoe"},
        {"breakdowns": "age,country,region"},
        {"breakdowns": "hourly_stats_aggregated_by_advertiser_time_zone,age"},
        {"time_increment": "100"},
        {"time_range": '{"since":"2026-11-02"}'},
        {"time_range": '{"since":"2026-11-02","until":"2026-11-01"}'},
        {"sort": "shoe_ascending"},
        {"filtering": '[{"field":"shoe","operator":"EQUAL","value":1}]'},
    ]
    for params in wrong:
        assert codes_of(ads.meta.get(place, ads.token, **params)) == (100, None), params
    old = json.dumps({"since": "2010-01-01", "until": "2010-01-02"})
    assert codes_of(ads.meta.get(place, ads.token, time_range=old)) == (3018, None)


@pytest.mark.usefixtures("two")
def test_a_report_ripens(ads: Ads) -> None:
    params = {**ALL, "level": "ad", "time_increment": 1}
    run = ads.account.get_insights_async(fields=["spend", "ad_id"], params=params)
    report = AdReportRun(run["report_run_id"], api=ads.api)
    assert report.api_get()["async_status"] == "Job Not Started"
    assert codes(report.get_insights) == (2601, None)
    ads.meta.platform.pass_time(5)
    read = AdReportRun(run["report_run_id"], api=ads.api).api_get()
    assert (read["async_status"], 0 < read["async_percent_completion"] < 100) == ("Job Running", True)
    ads.meta.platform.pass_time(6)
    read = AdReportRun(run["report_run_id"], api=ads.api).api_get()
    assert (read["async_status"], read["async_percent_completion"]) == ("Job Completed", 100)
    rows = list(report.get_insights(params={"limit": 7}))
    same = list(ads.account.get_insights(fields=["spend", "ad_id"], params=params))
    assert [(row["ad_id"], row["date_start"], row["spend"]) for row in rows] == [
        (row["ad_id"], row["date_start"], row["spend"]) for row in same
    ]


def test_a_report_fails_and_wrong_ones_are_refused_at_once(ads: Ads) -> None:
    ads.meta.platform.act("process", account=ADA_ADS, seconds=1, failure=1487534)
    run = ads.meta.post(f"{ADA_ADS}/insights", ads.token, level="ad").json()["report_run_id"]
    ads.meta.platform.pass_time(2)
    read = ads.meta.get(run, ads.token, fields="async_status,error_code,error_subcode,error_user_msg").json()
    assert (read["async_status"], read["error_code"], read["error_subcode"]) == ("Job Failed", 1, 1487534)
    assert codes_of(ads.meta.post(f"{ADA_ADS}/insights", ads.token, fields="shoe")) == (100, None)


def test_too_much_at_once_needs_a_report(ads: Ads) -> None:
    ad = ads.ad(ads.ad_set(daily_budget=5_000_000))
    ads.meta.platform.pass_time(55 * DAY)
    kinds = '["publisher_platform","platform_position","device_platform","impression_device"]'
    much = {"date_preset": "maximum", "time_increment": "1", "breakdowns": kinds}
    error = error_of(ads.meta.get(f"{ad}/insights", ads.token, **much), 500)
    assert (error["code"], "reduce the amount of data" in error["message"]) == (1, True)
    run = ads.meta.post(f"{ad}/insights", ads.token, **much).json()["report_run_id"]
    ads.meta.platform.pass_time(11)
    first = ads.meta.get(f"{run}/insights", ads.token).json()
    assert (len(first["data"]), "next" in first["paging"]) == (25, True)
