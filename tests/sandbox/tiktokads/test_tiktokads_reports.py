"""What ads spend and earn, in reports, in files, and in the controls of the sandbox."""

import csv
import io
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sandbox.tiktokads.advertising import Advertising
from sandbox.tiktokads.client import TikTokAds, TiktokSDKError, sdk
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_ADVERTISER, SCHOOL_ADVERTISER

STOCKHOLM = ZoneInfo("Europe/Stockholm")
METRICS = ["spend", "impressions", "clicks", "conversion", "video_views_p100", "ctr"]


@pytest.fixture
def shop(ads: TikTokAds) -> Advertising:
    """Begin in the morning: what is spent in an hour depends on the time of the day."""
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    ads.sandbox.control("clock", to=tomorrow.replace(hour=8, minute=10).isoformat())
    return Advertising(ads, ads.sign_in("ada"))


def today(shop: Advertising) -> date:
    return datetime.fromisoformat(shop.ads.sandbox.look("clock")["now"]).astimezone(STOCKHOLM).date()


def rows(shop: Advertising, level: str, *dimensions: str, days: int = 3, **more: Any) -> list[dict[str, Any]]:
    """Ask for a report of the last days."""
    last = today(shop)
    request: dict[str, Any] = {
        "advertiser_id": BAKERY_ADVERTISER,
        "data_level": f"AUCTION_{level.upper()}",
        "dimensions": [f"{level}_id", *dimensions],
        "metrics": METRICS,
        "start_date": str(last - timedelta(days=days - 1)),
        "end_date": str(last),
        "page_size": 1000,
        **more,
    }
    kind = request.pop("report_type", "BASIC")
    result: list[dict[str, Any]] = shop.reports.report_integrated_get(kind, shop.token, **request)["data"]["list"]
    return result


def total(result: list[dict[str, Any]], metric: str) -> float:
    return round(sum(float(row["metrics"][metric]) for row in result), 2)


def test_an_ad_spends_within_its_budget_and_not_when_paused(shop: Advertising) -> None:
    _campaign, _group, ad = shop.running(budget=300.0)
    only: dict[str, Any] = {"filtering": [{"field_name": "ad_ids", "filter_type": "IN", "filter_value": f'["{ad}"]'}]}
    shop.ads.sandbox.control("clock", advance=48 * 3600)
    daily = rows(shop, "ad", "stat_time_day", **only)
    spent = {row["dimensions"]["stat_time_day"][:10]: float(row["metrics"]["spend"]) for row in daily}
    assert len(spent) >= 2
    assert all(0 < amount <= 300 for amount in spent.values())
    shop.set("ad", [ad], "DISABLE")
    shop.ads.sandbox.control("clock", advance=3601)
    before = total(rows(shop, "ad", days=9, **only), "spend")
    shop.ads.sandbox.control("clock", advance=24 * 3600)
    assert total(rows(shop, "ad", days=9, **only), "spend") == before > 0


def test_the_sandbox_says_what_reports_add_up_to(shop: Advertising) -> None:
    shop.running(budget=250.0)
    shop.ads.sandbox.control("clock", advance=26 * 3600)
    last = today(shop)
    query = {
        "platform": "tiktokads",
        "account": BAKERY_ADVERTISER,
        "since": str(last - timedelta(days=6)),
        "until": str(last),
    }
    served = shop.ads.sandbox.look("numbers", **query)
    for metric in ("spend", "impressions", "clicks", "conversion", "video_views_p100"):
        by_day = rows(shop, "advertiser", "stat_time_day", days=7)
        by_ad = rows(shop, "ad", days=7)
        assert total(by_day, metric) == total(by_ad, metric) == round(served["totals"][metric], 2) > 0
        for row in by_day:
            (day,) = [item for item in served["days"] if item["date"] == row["dimensions"]["stat_time_day"][:10]]
            assert float(row["metrics"][metric]) == day["metrics"][metric]
        shop.ads.sandbox.control("clock", advance=1)


def test_levels_people_and_hours_divide_the_same_numbers(shop: Advertising) -> None:
    yesterday = str(today(shop) - timedelta(days=1))
    day: dict[str, Any] = {"start_date": yesterday, "end_date": yesterday}
    (whole,) = rows(shop, "advertiser", **day)
    for level in ("campaign", "adgroup", "ad"):
        (row,) = rows(shop, level, **day)
        assert row["metrics"] == whole["metrics"]
    shop.ads.sandbox.control("clock", advance=2)
    hours = rows(shop, "ad", "stat_time_hour", **day)
    assert total(hours, "impressions") == total([whole], "impressions")
    assert {row["dimensions"]["stat_time_hour"][:10] for row in hours} == {yesterday}
    for people in (["gender", "age"], ["country_code"], ["platform"], ["province_id"]):
        parts = rows(shop, "ad", *people, report_type="AUDIENCE", **day)
        assert total(parts, "impressions") == total([whole], "impressions")
        assert total(parts, "spend") == pytest.approx(total([whole], "spend"))
        assert len(parts) > 1
    ratio = float(whole["metrics"]["clicks"]) * 100 / float(whole["metrics"]["impressions"])
    assert whole["metrics"]["ctr"] == f"{ratio:.2f}"


def test_totals_orders_pages_and_a_whole_life(shop: Advertising) -> None:
    result = rows(
        shop, "ad", "stat_time_day", days=10, order_field="impressions", order_type="ASC", page=2, page_size=3
    )
    every = rows(shop, "ad", "stat_time_day", days=10)
    assert [row["metrics"]["impressions"] for row in result] == sorted(
        (row["metrics"]["impressions"] for row in every), key=int
    )[3:6]
    request: dict[str, Any] = {"data_level": "AUCTION_CAMPAIGN", "dimensions": ["campaign_id"], "query_lifetime": True}
    request |= {"metrics": ["spend", "campaign_name", "currency", "budget"], "enable_total_metrics": True}
    data = shop.reports.report_integrated_get("BASIC", shop.token, advertiser_id=BAKERY_ADVERTISER, **request)["data"]
    (row,) = data["list"]
    assert (row["metrics"]["campaign_name"], row["metrics"]["currency"]) == ("Sandbox leads", "SEK")
    assert data["total_metrics"]["spend"] == row["metrics"]["spend"]
    assert float(row["metrics"]["spend"]) == total(rows(shop, "ad", "stat_time_day", days=30), "spend")


def test_deleted_ads_are_only_reported_on_request(shop: Advertising) -> None:
    _campaign, _group, ad = shop.running(budget=300.0)
    shop.ads.sandbox.control("clock", advance=12 * 3600)
    shop.set("ad", [ad], "DELETE")
    shown = {row["dimensions"]["ad_id"] for row in rows(shop, "ad")}
    whole: dict[str, Any] = {
        "filtering": [{"field_name": "ad_status", "filter_type": "IN", "filter_value": '["STATUS_ALL"]'}]
    }
    assert {row["dimensions"]["ad_id"] for row in rows(shop, "ad", **whole)} - shown == {ad}


@pytest.mark.parametrize(
    "change",
    [
        {"report_type": "FUN"},
        {"data_level": "AUCTION_PLANET"},
        {"dimensions": ["campaign_id"]},
        {"dimensions": ["ad_id", "stat_time_day", "stat_time_hour"]},
        {"dimensions": ["ad_id", "age"]},
        {"metrics": ["fame"]},
        {"start_date": "2026-01-01", "end_date": "2025-01-01"},
        {"start_date": "2025-01-01", "end_date": "2026-02-01"},
        {"start_date": None},
        {"order_field": "reach"},
        {"filtering": [{"field_name": "shoe", "filter_type": "IN", "filter_value": "1"}]},
    ],
)
def test_reports_that_are_refused(shop: Advertising, change: dict[str, Any]) -> None:
    request = {
        "report_type": "BASIC",
        "advertiser_id": BAKERY_ADVERTISER,
        "data_level": "AUCTION_AD",
        "dimensions": ["ad_id"],
        "metrics": ["spend"],
        "start_date": "2026-01-01",
        "end_date": "2026-01-30",
    }
    params = {name: value for name, value in {**request, **change}.items() if value is not None}
    assert shop.ads.get("report/integrated/get/", shop.token, **params)["code"] == 40002


def test_the_longest_ranges(shop: Advertising) -> None:
    assert rows(shop, "ad", "stat_time_day", days=30)
    with pytest.raises(TiktokSDKError, match="30 days"):
        rows(shop, "ad", "stat_time_day", days=31)
    with pytest.raises(TiktokSDKError, match="1 days"):
        rows(shop, "ad", "stat_time_hour", days=2)
    assert rows(shop, "ad", days=365)


def test_a_report_task_ripens_and_is_downloaded(shop: Advertising) -> None:
    last = today(shop)
    request: dict[str, Any] = {"advertiser_id": BAKERY_ADVERTISER, "report_type": "BASIC", "data_level": "AUCTION_AD"}
    request |= {"dimensions": ["ad_id", "stat_time_day"], "metrics": ["spend", "clicks"]}
    request |= {"start_date": str(last - timedelta(days=6)), "end_date": str(last)}
    created = shop.reports.report_task_create(shop.token, body=sdk.ReportTaskCreateBody(**request))["data"]["task_id"]
    states = [shop.reports.report_task_check(created, BAKERY_ADVERTISER, shop.token)["data"]["status"]]
    assert (
        shop.ads.get("report/task/download/", shop.token, advertiser_id=BAKERY_ADVERTISER, task_id=created)["code"]
        == 40201
    )
    for _ in range(2):
        shop.ads.sandbox.control("clock", advance=2)
        states.append(shop.reports.report_task_check(created, BAKERY_ADVERTISER, shop.token)["data"]["status"])
    assert states == ["QUEUING", "PROCESSING", "SUCCESS"]
    headers, place = {"Access-Token": shop.token}, f"{shop.ads.url}/open_api/v1.3/report/task/download/"
    shop.ads.sandbox.control("clock", advance=2)
    answer = shop.ads.http.get(place, params={"advertiser_id": BAKERY_ADVERTISER, "task_id": created}, headers=headers)
    read = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert [row["spend"] for row in read] == [
        row["metrics"]["spend"] for row in rows(shop, "ad", "stat_time_day", days=7)
    ]
    other = {**request, "output_format": "CSV_DOWNLOAD", "file_name": "week"}
    created = shop.reports.report_task_create(shop.token, body=sdk.ReportTaskCreateBody(**other))["data"]["task_id"]
    shop.ads.sandbox.control("clock", advance=4)
    file = shop.ads.get("report/task/download/", shop.token, advertiser_id=BAKERY_ADVERTISER, task_id=created)["data"]
    assert (file["file_name"], shop.ads.http.get(file["download_url"]).text) == ("week.csv", answer.text)
    assert (
        shop.ads.get("report/task/check/", shop.token, advertiser_id=SCHOOL_ADVERTISER, task_id=created)["code"]
        == 40007
    )


def test_money_is_spent_faster_and_an_account_stopped(shop: Advertising) -> None:
    campaign, group, _ad = shop.running(budget=200.0)
    shop.ads.sandbox.control("pace", platform="tiktokads", account=BAKERY_ADVERTISER, times=1000)
    shop.ads.sandbox.control("clock", advance=7200)
    assert shop.status("adgroup", group) == "ADGROUP_STATUS_BUDGET_EXCEED"
    (row,) = [item for item in rows(shop, "campaign", days=2) if item["dimensions"]["campaign_id"] == campaign]
    assert row["metrics"]["spend"] == "200.00"
    shop.ads.sandbox.control("status", platform="tiktokads", account=BAKERY_ADVERTISER, status="STATUS_LIMIT")
    assert shop.status("campaign", campaign) == "CAMPAIGN_STATUS_ADVERTISER_AUDIT_DENY"
    shop.ads.sandbox.control("clock", advance=3601)
    before = rows(shop, "campaign", query_lifetime=True)
    shop.ads.sandbox.control("clock", advance=30 * 3600)
    assert rows(shop, "campaign", query_lifetime=True) == before
