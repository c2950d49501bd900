"""Ad accounts and Business Centers, limits, and every failure that can be ordered."""

import pytest

from sandbox.tiktokads.client import APP, TikTokAds, TiktokSDKError, sdk
from socialgate_sandbox.vendors.tiktokads.errors import ERRORS
from socialgate_sandbox.vendors.tiktokads.seed import (
    ADA_CENTER,
    BAKERY_ADVERTISER,
    BRAM_CENTER,
    CLIENT_ADVERTISERS,
    SCHOOL_ADVERTISER,
)

CODES = {
    "rate_limited": 40100,
    "rate_limited_minute": 40100,
    "quota_exhausted": 40100,
    "advertiser_rate_limited": 40133,
    "business_limited": 40016,
    "token_expired": 40102,
    "token_revoked": 40105,
    "token_missing": 40104,
    "permission_missing": 40001,
    "scope_missing": 40130,
    "ad_limit": 40502,
    "transcoding": 40901,
    "role_missing": 40301,
    "advertiser_missing": 40300,
    "app_blocked": 40113,
    "not_allowlisted": 40118,
    "country_blocked": 41000,
    "retired": 41001,
    "not_found": 40007,
    "invalid": 40002,
    "duplicate": 40050,
    "conflict": 40202,
    "temporarily_unavailable": 50002,
    "internal_error": 50000,
    "maintenance": 60001,
}


def test_ad_accounts_through_the_official_client(ads: TikTokAds) -> None:
    token = ads.sign_in("ada")
    listed = sdk.AuthenticationApi(ads.official).oauth2_advertiser_get(APP["app_id"], APP["secret"], token)["data"]
    assert listed["list"] == [
        {"advertiser_id": BAKERY_ADVERTISER, "advertiser_name": "Ada's Bakery"},
        {"advertiser_id": SCHOOL_ADVERTISER, "advertiser_name": "Lindqvist Baking School"},
    ]
    accounts = sdk.AccountManagementApi(ads.official)
    [whole, _] = accounts.advertiser_info([BAKERY_ADVERTISER, SCHOOL_ADVERTISER], token)["data"]["list"]
    assert (whole["status"], whole["currency"], whole["owner_bc_id"]) == ("STATUS_ENABLE", "SEK", ADA_CENTER)
    assert whole["balance"] == 250.5
    chosen = accounts.advertiser_info([BAKERY_ADVERTISER], token, fields=["advertiser_id", "timezone"])["data"]["list"]
    assert chosen == [{"advertiser_id": BAKERY_ADVERTISER, "timezone": "Europe/Stockholm"}]
    with pytest.raises(TiktokSDKError, match="40001"):
        accounts.advertiser_info([CLIENT_ADVERTISERS[0]], token)


def test_every_documented_field_of_an_ad_account(ads: TikTokAds) -> None:
    token = ads.sign_in("ada")
    fields = [
        *("address", "advertiser_account_type", "advertiser_id", "balance", "brand", "cellphone_number", "company"),
        *("company_name_editable", "contacter", "country", "create_time", "currency", "description"),
        *("display_timezone", "email", "industry", "language", "license_city", "license_no", "license_province"),
        *("license_url", "name", "owner_bc_id", "promotion_area", "promotion_center_city"),
        *("promotion_center_province", "rejection_reason", "role", "status", "telephone_number", "timezone"),
    ]
    [seen] = sdk.AccountManagementApi(ads.official).advertiser_info([BAKERY_ADVERTISER], token, fields=fields)["data"][
        "list"
    ]
    assert set(seen) == set(fields)
    assert (seen["name"], seen["license_no"], seen["promotion_area"]) == ("Ada's Bakery", None, None)


def test_business_centers_through_the_official_client(ads: TikTokAds) -> None:
    token = ads.sign_in("bram")
    centers = sdk.BCApi(ads.official)
    [center] = centers.bc_get(token)["data"]["list"]
    assert (center["bc_info"]["bc_id"], center["user_role"]) == (BRAM_CENTER, "ADMIN")
    first = centers.bc_asset_get(BRAM_CENTER, "ADVERTISER", token)["data"]
    assert first["page_info"] == {"page": 1, "page_size": 10, "total_number": 12, "total_page": 2}
    rest = centers.bc_asset_get(BRAM_CENTER, "ADVERTISER", token, page=2)["data"]
    assert [asset["asset_id"] for asset in first["list"] + rest["list"]] == list(CLIENT_ADVERTISERS)
    assert {asset["advertiser_role"] for asset in first["list"]} == {"ADMIN", "OPERATOR"}
    assert centers.bc_asset_get(BRAM_CENTER, "CATALOG", token)["data"]["list"] == []
    with pytest.raises(TiktokSDKError, match="40001"):
        centers.bc_asset_get(ADA_CENTER, "ADVERTISER", token)["data"]


def test_what_is_refused(ads: TikTokAds) -> None:
    token = ads.sign_in("ada")
    assert ads.get("oauth2/advertiser/get/", token, app_id="other", secret="x")["code"] == 40000
    assert ads.get("oauth2/advertiser/get/", token, app_id=APP["app_id"], secret="x")["code"] == 40002
    assert ads.get("advertiser/info/", token)["code"] == 40002
    assert ads.get("advertiser/info/", token, advertiser_ids=[])["code"] == 40002
    assert ads.get("advertiser/info/", token, advertiser_ids=[BAKERY_ADVERTISER] * 101)["code"] == 40011
    assert ads.get("advertiser/info/", token, advertiser_ids=[BAKERY_ADVERTISER], fields=["shoe_size"])["code"] == 40002
    assert ads.get("bc/asset/get/", token, bc_id=ADA_CENTER)["code"] == 40002
    assert ads.get("bc/asset/get/", token, bc_id=ADA_CENTER, asset_type="ADVERTISER", page_size=51)["code"] == 40002
    missing = ads.get("user/info/")
    assert missing["code"] == 40104
    assert missing["message"] == "Access token is null, you should set it in http header with key Access-Token."
    assert ads.get("user/info/", "rubbish")["code"] == 40105


def test_a_scope_that_was_not_granted(ads: TikTokAds) -> None:
    token = ads.sign_in("ada", asked="1", scope=[])
    body = APP | {
        "subscribe_entity": "LEAD",
        "callback_url": f"{ads.gateway.url}/webhooks/tiktokads",
        "subscription_detail": {"access_token": token, "advertiser_id": BAKERY_ADVERTISER},
    }
    answer = ads.post("subscription/subscribe/", body)
    assert answer["code"] == 40001
    assert answer["message"] == "advertiser does not grant you /subscription/subscribe/:POST permission"


def test_ten_calls_a_second_and_endpoint(ads: TikTokAds) -> None:
    token = ads.sign_in("ada")
    codes = [ads.get("user/info/", token)["code"] for _ in range(600)]
    assert set(codes) == {0, 40100}
    assert ads.get("bc/get/", token)["code"] == 0
    ads.sandbox.control("clock", advance=2)
    assert ads.get("user/info/", token)["code"] == 0


def test_a_path_without_its_slash_never_reaches_the_api(ads: TikTokAds) -> None:
    for path in ("user/info", "teapot/get/"):
        answer = ads.http.get(f"{ads.url}/open_api/v1.3/{path}")
        assert (answer.status_code, answer.text) == (404, "404 page not found")


def test_the_test_environment_of_tiktok_speaks_the_same(ads: TikTokAds) -> None:
    token = ads.sign_in("ada")
    url = f"{ads.sandbox.url}/tiktokads/sandbox-ads.tiktok.com/open_api/v1.3/user/info/"
    answer = ads.http.get(url, headers={"Access-Token": token})
    assert answer.json()["data"]["email"] == "a***a@example.com"
    assert answer.headers["x-tt-logid"] == answer.json()["request_id"]


def test_an_ad_account_is_suspended_or_lost(ads: TikTokAds) -> None:
    token = ads.sign_in("ada")
    ads.sandbox.control("status", platform="tiktokads", account=BAKERY_ADVERTISER, reason="Unpaid bills")
    [info] = ads.get("advertiser/info/", token, advertiser_ids=[BAKERY_ADVERTISER])["data"]["list"]
    assert (info["status"], info["rejection_reason"]) == ("STATUS_LIMIT", "Unpaid bills")
    ads.sandbox.control("unlink", platform="tiktokads", account=BAKERY_ADVERTISER)
    assert ads.get("advertiser/info/", token, advertiser_ids=[BAKERY_ADVERTISER])["code"] == 40001


def test_every_failure_can_be_ordered(ads: TikTokAds) -> None:
    assert set(CODES) | {"unreachable"} == set(ERRORS)
    for name, code in CODES.items():
        ads.sandbox.control("fail", platform="tiktokads", error=name)
        answer = ads.get("user/info/", "any")
        assert (answer["code"], answer["data"]) == (code, {}), name
    ads.sandbox.control("fail", platform="tiktokads", error="unreachable")
    lost = ads.http.get(f"{ads.url}/open_api/v1.3/user/info/")
    assert (lost.status_code, lost.headers["content-type"]) == (502, "text/html; charset=utf-8")


def test_a_failure_hits_one_account_only(ads: TikTokAds) -> None:
    ada, bram = ads.sign_in("ada"), ads.sign_in("bram")
    ads.sandbox.control("fail", platform="tiktokads", error="advertiser_rate_limited", account=SCHOOL_ADVERTISER)
    assert ads.get("user/info/", bram)["code"] == 0
    assert ads.get("user/info/", ada)["code"] == 40133


def test_the_accounts_that_can_be_connected(ads: TikTokAds) -> None:
    ads.sign_in("ada")
    listed = ads.sandbox.look("accounts", platform="tiktokads")["data"]
    assert len(listed) == 14
    assert {account["id"] for account in listed if account["connected"]} == {BAKERY_ADVERTISER, SCHOOL_ADVERTISER}
