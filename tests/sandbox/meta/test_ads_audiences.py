"""Audiences, pixels, conversions, targeting search and limits, with Meta's own SDK."""

import hashlib
import json
import time
from typing import Any

import pytest
from facebook_business.adobjects.adset import AdSet
from facebook_business.adobjects.adspixel import AdsPixel
from facebook_business.adobjects.business import Business
from facebook_business.adobjects.customaudience import CustomAudience
from facebook_business.adobjects.customconversion import CustomConversion
from facebook_business.adobjects.serverside.action_source import ActionSource
from facebook_business.adobjects.serverside.custom_data import CustomData
from facebook_business.adobjects.serverside.event import Event
from facebook_business.adobjects.serverside.event_request import EventRequest
from facebook_business.adobjects.serverside.user_data import UserData

from sandbox.graph_support import codes_of, error_of, names_of
from sandbox.meta.ads_support import DAY, HOUR, TARGETING, Ads, codes, refused
from sandbox.meta.sdk import Sdk, ids
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.seed import ADA_ADS, ADA_BUSINESS, AGENCY_ADS, BAKERY_PIXEL, BRAM

LIST = {"name": "Customers", "subtype": "CUSTOM", "customer_file_source": "USER_PROVIDED_ONLY"}


@pytest.fixture
def ads(meta: Meta, sdk: Sdk) -> Ads:
    return Ads(meta, sdk)


def hashed(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


def people(count: int, start: int = 0) -> list[str]:
    return [f"person{number}@example.com" for number in range(start, start + count)]


def customers(ads: Ads, count: int = 0) -> CustomAudience:
    audience = CustomAudience(ads.account.create_custom_audience(params=LIST)["id"], api=ads.api)
    if count:
        audience.add_users(CustomAudience.Schema.email_hash, people(count))
    return audience


def test_people_are_added_removed_and_replaced(ads: Ads) -> None:
    audience = customers(ads)
    answer = audience.add_users(CustomAudience.Schema.email_hash, people(3000)).json()
    assert (answer["num_received"], answer["num_invalid_entries"], answer["audience_id"]) == (3000, 0, audience["id"])
    fields = ["name", "subtype", "approximate_count_lower_bound", "operation_status", "delivery_status"]
    read = audience.api_get(fields=fields)
    assert (read["approximate_count_lower_bound"], read["operation_status"]["code"]) == (-1, 441)
    ads.meta.platform.pass_time(HOUR)
    read = audience.api_get(fields=fields)
    assert (read["approximate_count_lower_bound"], read["operation_status"]["code"]) == (2100, 200)
    assert audience.remove_users(CustomAudience.Schema.email_hash, people(100)).json()["num_received"] == 100
    ads.meta.platform.pass_time(HOUR)
    assert audience.api_get(fields=fields)["approximate_count_lower_bound"] == 2030
    rows = [[hashed(value), hashed("ada")] for value in people(10)]
    payload = json.dumps({"schema": ["EMAIL", "FN"], "data": rows})
    ads.meta.post(f"{audience['id']}/usersreplace", ads.token, payload=payload)
    ads.meta.platform.pass_time(HOUR)
    assert audience.api_get(fields=fields)["approximate_count_lower_bound"] == 1000
    audience.api_delete()
    assert ids(ads.account.get_custom_audiences()) == []


def test_people_who_are_not_hashed_are_counted_as_invalid(ads: Ads) -> None:
    audience = customers(ads)
    rows = [["dario@example.com", "1"], [hashed("elif@example.com"), "2"], ["", ""]]
    payload = json.dumps({"schema": ["EMAIL", "EXTERN_ID"], "data": rows})
    answer = ads.meta.post(f"{audience['id']}/users", ads.token, payload=payload).json()
    assert (answer["num_received"], answer["num_invalid_entries"]) == (3, 2)
    assert "dario@example.com" in str(answer["invalid_entry_samples"])
    for wrong in ({"schema": ["SHOE"], "data": [["1"]]}, {"schema": "EMAIL", "data": []}, {"schema": "EMAIL"}):
        place = f"{audience['id']}/users"
        assert codes_of(ads.meta.post(place, ads.token, payload=json.dumps(wrong))) == (100, None)
    many = {"schema": "EMAIL", "data": [hashed("a")] * 10_001}
    assert codes_of(ads.meta.post(f"{audience['id']}/users", ads.token, payload=json.dumps(many))) == (100, None)


def test_a_session_ends_with_its_last_batch(ads: Ads) -> None:
    audience = customers(ads)
    place, payload = f"{audience['id']}/users", json.dumps({"schema": "EMAIL", "data": [hashed("a@example.com")]})

    def send(number: int, *, last: bool) -> Any:
        session = json.dumps({"session_id": 9, "batch_seq": number, "last_batch_flag": last})
        return ads.meta.post(place, ads.token, payload=payload, session=session)

    assert send(1, last=False).json()["session_id"] == "9"
    assert send(2, last=True).status_code == 200
    assert codes_of(send(3, last=True)) == (100, None)


def test_a_lookalike_needs_a_hundred_people(ads: Ads) -> None:
    audience = customers(ads, 99)
    spec = {"type": "similarity", "country": "US", "ratio": 0.01}
    params = {"name": "Like them", "subtype": "LOOKALIKE", "origin_audience_id": audience["id"]}

    def make(**change: Any) -> Any:
        return ads.account.create_custom_audience(params={**params, "lookalike_spec": json.dumps({**spec, **change})})

    assert refused(make).api_error_code() == 2654
    audience.add_users(CustomAudience.Schema.email_hash, people(1, 99))
    read = CustomAudience(make()["id"], api=ads.api).api_get(fields=["subtype", "lookalike_spec"])
    assert (read["subtype"], read["lookalike_spec"]["country"]) == ("LOOKALIKE", "US")
    assert codes(lambda: make(ratio=0.5)) == codes(lambda: make(country="XX")) == (100, None)
    params["origin_audience_id"] = "1"
    assert codes(make) == (2654, 1713092)


def test_audiences_of_websites_and_wrong_ones(ads: Ads) -> None:
    rule = json.dumps({"inclusions": {"operator": "or", "rules": []}})
    key = ads.account.create_custom_audience(params={"name": "Visitors", "rule": rule})["id"]
    assert CustomAudience(key, api=ads.api).api_get(fields=["subtype", "rule"])["subtype"] == "WEBSITE"
    ads.ad_set(targeting={**TARGETING, "custom_audiences": [{"id": key}]})
    for wrong in ({"name": "x", "subtype": "CUSTOM"}, {"name": "x", "subtype": "WEBSITE"}, {"subtype": "CUSTOM"}):
        assert codes_of(ads.meta.post(f"{ADA_ADS}/customaudiences", ads.token, **wrong)) == (100, None)


def event(**change: Any) -> Event:
    person = UserData(email="dario@example.com", client_user_agent="Mozilla", external_id="7")
    params = {
        "event_name": "Purchase",
        "event_time": int(time.time()),
        "user_data": person,
        "custom_data": CustomData(currency="SEK", value=38.5),
        "event_source_url": "https://bakery.example.com/thanks",
        "action_source": ActionSource.WEBSITE,
        "event_id": "order-1",
    }
    return Event(**{**params, **change})


def send_events(ads: Ads, *events: Event, **more: Any) -> Any:
    value = EventRequest(pixel_id=BAKERY_PIXEL, events=list(events), **more).get_params()
    return ads.api.call("POST", (BAKERY_PIXEL, "events"), params=value).json()


def test_events_are_received_and_counted_once(ads: Ads) -> None:
    answer = send_events(ads, event(), event(event_id="order-2"))
    assert (answer["events_received"], answer["messages"]) == (2, [])
    assert send_events(ads, event())["events_received"] == 1
    assert send_events(ads, event(event_id="order-3"), test_event_code="TEST1")["events_received"] == 1
    (pixel,) = ads.account.get_ads_pixels(fields=["name", "last_fired_time", "code", "owner_business"])
    assert (pixel["name"], "fbq" in pixel["code"]) == ("Lindqvist Bakery's Pixel", True)
    assert pixel["owner_business"]["id"] == ADA_BUSINESS
    rows = ads.meta.get(f"{BAKERY_PIXEL}/stats", ads.token, aggregation="event").json()["data"]
    assert [row["data"] for row in rows] == [[{"value": "Purchase", "count": 2}]]
    ads.meta.platform.pass_time(2 * DAY)
    send_events(ads, event())
    rows = ads.meta.get(f"{BAKERY_PIXEL}/stats", ads.token).json()["data"]
    assert sum(row["data"][0]["count"] for row in rows) == 3


@pytest.mark.parametrize(
    ("change", "subcode"),
    [
        ({"event_time": 0}, 2804019),
        ({"event_time": int(time.time()) - 8 * DAY}, 2804003),
        ({"event_time": int(time.time()) + DAY}, 2804004),
        ({"user_data": {"client_user_agent": "Mozilla"}}, 2804050),
        ({"user_data": {"em": ["dario@example.com"], "client_user_agent": "Mozilla"}}, 2804019),
        ({"user_data": {"shoe": "1"}}, 2804019),
        ({"action_source": "dream"}, 2804019),
        ({"event_source_url": None}, 2804019),
        ({"custom_data": {"value": 3}}, 2804019),
        ({"event_name": ""}, 2804019),
    ],
)
def test_one_wrong_event_refuses_all(ads: Ads, change: dict[str, Any], subcode: int) -> None:
    right = {
        "event_name": "Purchase",
        "event_time": int(time.time()),
        "action_source": "website",
        "event_source_url": "https://bakery.example.com/",
        "user_data": {"em": [hashed("dario@example.com")], "client_user_agent": "Mozilla"},
        "custom_data": {"value": 3, "currency": "SEK"},
    }
    place = f"{BAKERY_PIXEL}/events"
    answer = ads.meta.post(place, ads.token, data=json.dumps([right, {**right, **change}]))
    assert codes_of(answer) == (100, subcode)
    assert ads.meta.get(f"{BAKERY_PIXEL}/stats", ads.token).json()["data"] == []
    assert ads.meta.post(place, ads.token, data=json.dumps([right])).json()["events_received"] == 1


def test_pixels_are_made_once_and_never_deleted(meta: Meta, sdk: Sdk, ads: Ads) -> None:
    assert codes(lambda: ads.account.create_ads_pixel(params={"name": "Second"})) == (6200, None)
    assert codes_of(ads.meta.delete(BAKERY_PIXEL, ads.token)) == (100, 33)
    assert ids(Business(ADA_BUSINESS, api=ads.api).get_ads_pixels()) == [BAKERY_PIXEL]
    agency = Ads(meta, sdk, BRAM, AGENCY_ADS)
    created = agency.account.create_ads_pixel(params={"name": "First"})["id"]
    AdsPixel(created, api=agency.api).api_update(params={"name": "Renamed"})
    assert names_of(agency.account.get_ads_pixels(fields=["name"])) == ["Renamed"]
    assert codes_of(meta.get(created, ads.token)) == (100, 33)


def test_custom_conversions(ads: Ads) -> None:
    rule = json.dumps({"and": [{"url": {"i_contains": "THANKS"}}, {"event": {"eq": "Purchase"}}]})
    params = {"name": "Thanks", "event_source_id": BAKERY_PIXEL, "custom_event_type": "PURCHASE", "rule": rule}
    key = ads.account.create_custom_conversion(params=params)["id"]
    conversion = CustomConversion(key, api=ads.api)
    fields = ["name", "rule", "custom_event_type", "pixel", "last_fired_time", "is_unavailable"]
    read = conversion.api_get(fields=fields)
    assert (read["name"], read["rule"], read["pixel"]["id"]) == ("Thanks", rule, BAKERY_PIXEL)
    assert (read["is_unavailable"], "last_fired_time" in read) == (False, False)
    send_events(ads, event())
    assert "last_fired_time" in conversion.api_get(fields=fields)
    conversion.api_update(params={"name": "Bought", "default_conversion_value": 5})
    assert names_of(ads.account.get_custom_conversions(fields=["name"])) == ["Bought"]
    for change in ({"rule": '{"shoe":{"eq":1}}'}, {"event_source_id": "1"}, {"name": ""}, {"rule": ""}):
        answer = ads.meta.post(f"{ADA_ADS}/customconversions", ads.token, **{**params, **change})
        assert codes_of(answer) == (100, None)
    conversion.api_delete()
    assert ids(ads.account.get_custom_conversions()) == []


def test_places_interests_and_languages_are_found(ads: Ads) -> None:
    def find(kind: str, **value: Any) -> list[Any]:
        # The search of the SDK ignores the address of its session.
        return list(ads.api.call("GET", ("search",), params={"type": kind, **value}).json()["data"])

    (city,) = find("adgeolocation", q="upps", location_types=["city"])
    assert (city["key"], city["country_code"], city["region_id"]) == ("2088822", "SE", 3290)
    assert [row["key"] for row in find("adgeolocation", q="Swed")] == ["SE"]
    assert {row["type"] for row in find("adgeolocation", q="new york")} == {"region", "city"}
    (baking,) = find("adinterest", q="baking")
    assert (baking["name"], baking["path"][0]) == ("Baking", "Interests")
    assert "Bread" in names_of(find("adinterestsuggestion", interest_list=["Baking"]))
    assert [row["valid"] for row in find("adinterestvalid", interest_list=["Baking", "Shoes"])] == [True, False]
    assert [row["key"] for row in find("adlocale", q="swed")] == [18]
    assert [row["country_code"] for row in find("adcountry", q="germ")] == ["DE"]
    assert len(find("adgeolocation", q="", limit=5)) == 5
    assert codes_of(ads.meta.get("search", ads.token, type="adshoe")) == (100, None)
    targeting = {**TARGETING, "flexible_spec": [{"interests": [{"id": baking["id"], "name": "Baking"}]}]}
    targeting["geo_locations"] = {"cities": [{"key": "2490299", "radius": 10, "distance_unit": "mile"}]}
    key = ads.ad_set(targeting=targeting)
    assert AdSet(key, api=ads.api).api_get(fields=["targeting"])["targeting"]["flexible_spec"]
    assert names_of(ads.account.get_targeting_search(params={"q": "coffee"})) == ["Coffee"]


def test_the_size_of_a_targeting(ads: Ads) -> None:
    spec = json.dumps({"geo_locations": {"countries": ["US"]}})
    size = ads.meta.get(f"{ADA_ADS}/reachestimate", ads.token, targeting_spec=spec).json()["data"]
    assert 0 < size["users_lower_bound"] < size["users_upper_bound"]
    params = {"targeting_spec": spec, "optimization_goal": "REACH"}
    (row,) = ads.meta.get(f"{ADA_ADS}/delivery_estimate", ads.token, **params).json()["data"]
    assert row["estimate_mau_lower_bound"] == size["users_lower_bound"]
    assert codes_of(ads.meta.get(f"{ADA_ADS}/reachestimate", ads.token)) == (100, None)


def test_limits_are_reported(ads: Ads) -> None:
    campaign = ads.campaign()
    expected = (
        (f"{ADA_ADS}/campaigns", "ads_management"),
        (campaign, "ads_management"),
        (f"{campaign}/insights", "ads_insights"),
        (f"{ADA_ADS}/customaudiences", "custom_audience"),
    )
    for place, kind in expected:
        headers = ads.meta.get(place, ads.token).headers
        (row,) = json.loads(headers["x-business-use-case-usage"])[ADA_ADS.removeprefix("act_")]
        assert (row["type"], row["ads_api_access_tier"]) == (kind, "standard_access")
        assert "acc_id_util_pct" in json.loads(headers["x-ad-account-usage"])
        assert ("x-fb-ads-insights-throttle" in headers) == (kind == "ads_insights")
    for name, code in (
        ("ads_rate_limited", 80004),
        ("insights_rate_limited", 80000),
        ("audiences_rate_limited", 80003),
    ):
        ads.meta.platform.act("fail", error=name, path="*/campaigns")
        answer = ads.meta.get(f"{ADA_ADS}/campaigns", ads.token)
        assert (error_of(answer)["code"], answer.headers["x-business-use-case-usage"][:4]) == (code, '{"0"')
