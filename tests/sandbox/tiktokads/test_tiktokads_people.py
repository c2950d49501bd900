"""Audiences, pixels with their events, and custom conversions."""

from hashlib import md5, sha256
from pathlib import Path
from typing import Any

import pytest

from sandbox.tiktokads.advertising import Advertising
from sandbox.tiktokads.client import TikTokAds, TiktokSDKError, sdk
from socialgate_sandbox.vendors.tiktokads.seed import (
    BAKERY_ADVERTISER,
    BAKERY_CRM_EVENT_SET,
    BAKERY_PIXEL,
    BAKERY_PIXEL_CODE,
    SCHOOL_ADVERTISER,
)

BUNS = {"field": "URL", "operator": "CONTAINS", "values": ["/buns"]}
EMAIL = sha256(b"alice_abc@gmail.com").hexdigest()


@pytest.fixture
def shop(ads: TikTokAds) -> Advertising:
    return Advertising(ads, ads.sign_in("ada"))


class People:
    """Audiences, with TikTok's own SDK."""

    def __init__(self, shop: Advertising, folder: Path) -> None:
        self.shop = shop
        self.folder = folder
        self.api = sdk.AudienceApi(shop.ads.official)

    def file(self, *lines: str, kind: str = "EMAIL_SHA256", signature: str = "") -> str:
        path = self.folder / "people.csv"
        path.write_text("\n".join(lines))
        params = {"file": str(path), "calculate_type": kind, "advertiser_id": BAKERY_ADVERTISER}
        sign = signature or md5(path.read_bytes(), usedforsecurity=False).hexdigest()
        data = self.api.dmp_custom_audience_file_upload(self.shop.token, file_signature=sign, **params)["data"]
        assert len(data["file_path"]) == 16
        return str(data["file_path"])

    def make(self, *paths: str, **change: Any) -> str:
        body = {
            "advertiser_id": BAKERY_ADVERTISER,
            "custom_audience_name": "Regulars",
            "calculate_type": "EMAIL_SHA256",
            "file_paths": list(paths),
            **change,
        }
        data = self.api.dmp_custom_audience_create(self.shop.token, body=sdk.CustomAudienceCreateBody(**body))["data"]
        return str(data["custom_audience_id"])

    def read(self, key: str) -> dict[str, Any]:
        (item,) = self.api.dmp_custom_audience_get(BAKERY_ADVERTISER, [key], self.shop.token)["data"]["list"]
        details: dict[str, Any] = item["audience_details"]
        return details

    def update(self, key: str, action: str, *paths: str) -> int:
        body = {
            "advertiser_id": BAKERY_ADVERTISER,
            "custom_audience_id": key,
            "action": action,
            "file_paths": list(paths),
        }
        self.api.dmp_custom_audience_update(self.shop.token, body=sdk.CustomAudienceUpdateBody(**body))
        self.shop.ads.sandbox.control("clock", advance=121)
        return int(self.read(key)["cover_num"])


@pytest.fixture
def people(shop: Advertising, tmp_path: Path) -> People:
    return People(shop, tmp_path)


def _hashes(first: int, count: int) -> list[str]:
    return [sha256(f"{number}@example.com".encode()).hexdigest() for number in range(first, first + count)]


def test_an_audience_of_a_file_is_calculated_changed_and_deleted(people: People) -> None:
    key = people.make(people.file(*_hashes(0, 1200)))
    first = people.read(key)
    assert (first["cover_num"], first["is_valid"], first["type"]) == (0, False, "Customer File Audience")
    people.shop.ads.sandbox.control("clock", advance=121)
    ready = people.read(key)
    assert (ready["cover_num"], ready["is_valid"], ready["name"]) == (1200, True, "Regulars")
    assert people.update(key, "APPEND", people.file(*_hashes(1100, 500))) == 1600
    assert people.update(key, "REMOVE", people.file(*_hashes(0, 100))) == 1500
    assert people.update(key, "REPLACE", people.file(*_hashes(0, 30))) == 0
    listed = people.api.dmp_custom_audience_list(BAKERY_ADVERTISER, people.shop.token)["data"]
    assert ([item["audience_id"] for item in listed["list"]], listed["page_info"]["total_number"]) == ([key], 1)
    body = sdk.CustomAudienceDeleteBody(advertiser_id=BAKERY_ADVERTISER, custom_audience_ids=[key])
    people.api.dmp_custom_audience_delete(people.shop.token, body=body)
    with pytest.raises(TiktokSDKError, match="40007"):
        people.read(key)


def test_an_audience_is_applied_and_has_a_lookalike(people: People) -> None:
    key, token = people.make(people.file(*_hashes(0, 1000))), people.shop.token
    spec = {"source_audience_id": key, "audience_size": "NARROW", "include_source": False, "location_ids": ["2661886"],
            "mobile_os": "ALL", "placements": ["TikTok"]}  # fmt: skip
    body = {"advertiser_id": BAKERY_ADVERTISER, "custom_audience_name": "Alike", "lookalike_spec": spec}
    path = "dmp/custom_audience/lookalike/create/"
    assert people.shop.ads.post(path, body, token)["code"] == 40002
    people.shop.ads.sandbox.control("clock", advance=121)
    assert people.shop.ads.post(path, body, token)["data"]["custom_audience_id"]
    group = people.shop.group(people.shop.campaign()["campaign_id"], excluded_audience_ids=[key])["adgroup_id"]
    params = {
        "advertiser_id": BAKERY_ADVERTISER,
        "custom_audience_id": key,
        "adgroup_ids": [group],
        "action_mode": "Apply",
    }
    people.api.dmp_custom_audience_apply(token, body=sdk.CustomAudienceApplyBody(usage_mode="Include", **params))
    (read,) = people.shop.groups.adgroup_get(BAKERY_ADVERTISER, token, filtering={"adgroup_ids": [group]})["data"][
        "list"
    ]
    assert (read["audience_ids"], read["excluded_audience_ids"]) == ([key], [])
    deletion = {"advertiser_id": BAKERY_ADVERTISER, "custom_audience_ids": [key]}
    assert people.shop.ads.post("dmp/custom_audience/delete/", deletion, token)["code"] == 40002
    rule: dict[str, Any] = {
        "advertiser_id": BAKERY_ADVERTISER,
        "custom_audience_name": "Visitors",
        "audience_type": "PIXEL",
    }
    assert people.shop.ads.post("dmp/custom_audience/rule/create/", rule, token)["code"] == 40002


@pytest.mark.parametrize(
    ("days", "filters", "code"),
    [
        (30, [{"value": "PAGE BROWSE"}], 0),
        (30, [{"value": "COMPLETE PAYMENT", "parameter_filters": [BUNS]}], 0),
        (31, [{"value": "PAGE BROWSE"}], 40002),
        (30, [{"value": "Purchase"}], 40002),
        (30, [{"value": "PAGE BROWSE"}, {"value": "CONTACT"}], 40002),
        (30, [], 40002),
    ],
)
def test_visitors_of_a_website_are_an_audience(
    people: People, days: int, filters: list[dict[str, Any]], code: int
) -> None:
    values = [{"field": "EVENT", "operator": "EQ", **item} for item in filters]
    rule = {"event_source_ids": [BAKERY_PIXEL], "retention_days": days}
    rule |= {"filter_set": {"operator": "OR", "filters": values}}
    spec = {"inclusion_rule_set": {"operator": "OR", "rules": [rule]}}
    body = {
        "advertiser_id": BAKERY_ADVERTISER,
        "custom_audience_name": "Visitors",
        "audience_type": "PIXEL",
        "rule_spec": spec,
    }
    assert people.shop.ads.post("dmp/custom_audience/rule/create/", body, people.shop.token)["code"] == code


def test_a_segment_has_a_short_name_and_is_deleted(people: People) -> None:
    post, token = people.shop.ads.post, people.shop.token
    body = {"advertiser_id": BAKERY_ADVERTISER, "action": "create", "custom_audience_name": "x" * 71}
    key = post("segment/audience/", body, token)["data"]["audience_id"]
    assert people.read(key)["name"] == f"{'x' * 67}..."
    gone = {"advertiser_id": BAKERY_ADVERTISER, "action": "delete", "delete_audience_id": key}
    assert post("segment/audience/", gone, token)["code"] == 0
    assert post("segment/audience/", gone, token)["code"] == 40007


def test_files_and_audiences_that_are_refused(people: People) -> None:
    with pytest.raises(TiktokSDKError, match="40900"):
        people.file(EMAIL, signature="0" * 32)
    with pytest.raises(TiktokSDKError, match="40909"):
        people.file("alice@example.com")
    with pytest.raises(TiktokSDKError, match="40909"):
        people.file(EMAIL, kind="IDFA_MD5")
    with pytest.raises(TiktokSDKError, match="40002"):
        people.make("nothing")
    with pytest.raises(TiktokSDKError, match="40002"):
        people.make(people.file(EMAIL), custom_audience_name="x" * 129)
    with pytest.raises(TiktokSDKError, match="40002"):
        people.make(people.file(EMAIL), retention_in_days=400)


def event(**change: Any) -> dict[str, Any]:
    created = {
        "event": "Purchase",
        "event_time": 1_790_000_000,
        "event_id": "e1",
        "user": {"email": [EMAIL], "ip": "203.0.113.7"},
        "page": {"url": "https://bakery.example.com/thanks"},
        "properties": {"value": 120.5, "currency": "SEK", "content_type": "product"},
    }
    return {name: value for name, value in {**created, **change}.items() if value is not None}


def track(shop: Advertising, *events: dict[str, Any], **change: Any) -> dict[str, Any]:
    body = {"event_source": "web", "event_source_id": BAKERY_PIXEL_CODE, "data": list(events), **change}
    return shop.ads.post("event/track/", body, shop.token)


def count(shop: Advertising) -> int:
    days = {"start_date": "2026-01-01", "end_date": "2026-12-31"}
    (row,) = sdk.MeasurementApi(shop.ads.official).pixel_event_stats(
        BAKERY_ADVERTISER, [BAKERY_PIXEL], days, shop.token
    )["data"]["list"]
    return sum(item["total_count"] for item in row["statistics"])


def test_pixels_are_made_listed_and_renamed(shop: Advertising) -> None:
    api = sdk.MeasurementApi(shop.ads.official)
    created = api.pixel_create(
        shop.token, body=sdk.PixelCreateBody(advertiser_id=BAKERY_ADVERTISER, pixel_name="Shop")
    )["data"]
    assert created["pixel_id"] != created["pixel_code"]
    body = sdk.PixelUpdateBody(advertiser_id=BAKERY_ADVERTISER, pixel_id=created["pixel_id"], pixel_name="Store")
    api.pixel_update(shop.token, body=body)
    names = [item["pixel_name"] for item in api.pixel_list(BAKERY_ADVERTISER, shop.token)["data"]["pixels"]]
    assert names == ["Bakery website", "Store"]
    (result,) = api.pixel_list(BAKERY_ADVERTISER, shop.token, code=BAKERY_PIXEL_CODE)["data"]["pixels"]
    assert (result["pixel_id"], result["pixel_setup_mode"], result["events"]) == (BAKERY_PIXEL, "DEVELOPER", [])
    assert shop.ads.get("pixel/list/", shop.token, advertiser_id=BAKERY_ADVERTISER, page_size=21)["code"] == 40002
    assert shop.ads.get("pixel/list/", shop.token, advertiser_id=SCHOOL_ADVERTISER)["data"]["pixels"] == []


def test_events_are_counted_once(shop: Advertising) -> None:
    assert track(shop, event(), event(event_id="e2"), event(event="Lead"))["data"] == {}
    assert track(shop, event())["code"] == 0
    assert count(shop) == 3
    (pixel,) = shop.ads.get("pixel/list/", shop.token, advertiser_id=BAKERY_ADVERTISER)["data"]["pixels"]
    assert {item["optimization_event"] for item in pixel["events"]} == {"SHOPPING", "FORM"}
    old = {"pixel_code": BAKERY_PIXEL_CODE, "event": "CompletePayment", "event_id": "e9"}
    old |= {"timestamp": "2026-09-17T19:49:27Z"}
    assert shop.ads.post("pixel/track/", old, shop.token)["code"] == 0
    assert count(shop) == 4


def test_events_that_are_refused(shop: Advertising) -> None:
    assert track(shop, event(user={"email": ["alice@example.com"]}))["code"] == 40062
    assert track(shop, *([event()] * 1001))["code"] == 40061
    assert track(shop, event(), event_source_id="C0UNKNOWN")["code"] == 40002
    assert track(shop, event(), event_source="tv")["code"] == 40002
    partly = track(shop, event(), event(page=None), event(event_time=None))
    assert (partly["code"], [item["order_in_batch"] for item in partly["data"]["failed_events"]]) == (20001, [1, 2])
    assert count(shop) == 1
    stranger = Advertising(shop.ads, shop.ads.sign_in("bram", asked="1", scope=["1"]))
    assert track(stranger, event())["code"] == 40001


def test_a_crm_reports_what_becomes_of_leads(shop: Advertising) -> None:
    (result,) = shop.ads.get("crm/list/", shop.token, advertiser_id=BAKERY_ADVERTISER)["data"]["crm_event_sets"]
    assert result["event_set_id"] == BAKERY_CRM_EVENT_SET
    source = {"event_source": "crm", "event_source_id": BAKERY_CRM_EVENT_SET}
    params = event(event="qualified", page=None)
    assert track(shop, params, **source)["code"] == 40002
    assert track(shop, {**params, "lead": {"lead_id": "7"}}, **source)["code"] == 0


def test_custom_conversions_count_the_events_that_fulfil_their_rules(shop: Advertising) -> None:
    source = {"advertiser_id": BAKERY_ADVERTISER, "event_source_type": "PIXEL", "event_source_id": BAKERY_PIXEL}
    rules = [{"parameter": "URL", "operator": "CONTAIN", "values": ["thanks"]},
             {"parameter": "VALUE", "operator": "GTE", "values": ["100"]}]  # fmt: skip
    body = {**source, "name": "Large order", "optimization_event": "SHOPPING", "rules": rules}
    created = shop.ads.post("custom_conversion/create/", body, shop.token)["data"]["custom_conversion_id"]
    item = {"advertiser_id": BAKERY_ADVERTISER, "custom_conversion_id": created}
    assert shop.ads.get("custom_conversion/get/", shop.token, **item)["code"] == 40002

    def status() -> str:
        shown: str = shop.ads.get("custom_conversion/get/", shop.token, **{**source, **item})["data"]["activity_status"]
        return shown

    assert status() == "WAITING_FOR_ACTIVITY"
    track(shop, event(properties={"value": 99}))
    assert status() == "WAITING_FOR_ACTIVITY"
    track(shop, event(event_id="e2"))
    assert status() == "ACTIVE"
    shop.ads.sandbox.control("clock", advance=8 * 86_400)
    assert status() == "NO_RECENT_ACTIVITY"
    wrong: list[dict[str, Any]] = [{"name": "Large order"}, {"name": "1st"}, {"rules": []}, {"event_source_id": "1"}]
    wrong += [{"name": "x", "rules": [{"parameter": "PRICE", "operator": "CONTAIN", "values": ["1"]}]}]
    for change in wrong:
        assert shop.ads.post("custom_conversion/create/", {**body, **change}, shop.token)["code"] == 40002, change
    assert shop.ads.post("custom_conversion/update/", {**item, "name": "Big order"}, shop.token)["code"] == 0
    (listed,) = shop.ads.get("custom_conversion/list/", shop.token, **source)["data"]["list"]
    assert (listed["name"], listed["rules"]) == ("Big order", rules)
    assert listed["activity_info"]["activity_status"] == "NO_RECENT_ACTIVITY"
    assert shop.ads.post("custom_conversion/delete/", item, shop.token)["code"] == 0
    assert shop.ads.get("custom_conversion/get/", shop.token, **{**source, **item})["code"] == 40007
