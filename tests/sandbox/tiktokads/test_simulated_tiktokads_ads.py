"""Campaigns, ad groups and ads, with TikTok's own SDK: what is accepted, what is refused, and what a status says."""

from datetime import timedelta
from hashlib import md5
from pathlib import Path
from typing import Any

import pytest

from sandbox.tiktok.client import TikTok, clip
from sandbox.tiktokads.advertising import GROUP, Advertising, creative
from sandbox.tiktokads.client import TikTokAds, TiktokSDKError, sdk
from socialgate_sandbox.kit import draw_plain_png
from socialgate_sandbox.vendors.tiktok import VENDOR as TIKTOK
from socialgate_sandbox.vendors.tiktokads import VENDOR
from socialgate_sandbox.vendors.tiktokads.seed import (
    BAKERY_ADVERTISER,
    BAKERY_IDENTITY,
    BAKERY_PHOTO_POST,
    BAKERY_PIXEL,
    BAKERY_POST,
    CREATOR_AUTH_CODE,
    CREATOR_POST,
    SCHOOL_ADVERTISER,
)
from support.simulation import WebhookReceiver, running_sandbox

LINK = {"landing_page_url": "https://bakery.example.com/buns"}


@pytest.fixture
def shop(ads: TikTokAds) -> Advertising:
    return Advertising(ads, ads.sign_in("ada"))


def test_a_campaign_is_created_once_changed_listed_and_deleted(shop: Advertising) -> None:
    created = shop.campaign(campaign_name="Spring", budget_mode="BUDGET_MODE_DAY", budget=600.5, request_id="12345")
    assert (created["objective_type"], created["budget"], created["operation_status"]) == ("TRAFFIC", 600.5, "ENABLE")
    with pytest.raises(TiktokSDKError, match="40050"):
        shop.campaign(campaign_name="Other", request_id="12345")
    twin = shop.campaign(campaign_name="Spring", request_id="12346")
    assert twin["campaign_id"] != created["campaign_id"]
    body = sdk.CampaignUpdateBody(
        advertiser_id=BAKERY_ADVERTISER, campaign_id=created["campaign_id"], budget=700.0, campaign_name="May"
    )
    assert shop.campaigns.campaign_update(shop.token, body=body)["data"]["budget"] == 700.0
    request = {"campaign_ids": [created["campaign_id"]]}
    (read,) = shop.campaigns.campaign_get(BAKERY_ADVERTISER, shop.token, filtering=request)["data"]["list"]
    assert (read["campaign_name"], read["secondary_status"]) == ("May", "CAMPAIGN_STATUS_ENABLE")
    (short,) = shop.campaigns.campaign_get(BAKERY_ADVERTISER, shop.token, filtering=request, fields=["campaign_id"])[
        "data"
    ]["list"]
    assert short == {"campaign_id": created["campaign_id"]}
    paused = shop.set("campaign", [created["campaign_id"]], "DISABLE")
    assert paused["campaign_list"] == [{"campaign_id": created["campaign_id"], "status": "DISABLE"}]
    assert shop.status("campaign", created["campaign_id"]) == "CAMPAIGN_STATUS_DISABLE"
    shop.set("campaign", [created["campaign_id"]], "DELETE")
    assert shop.campaigns.campaign_get(BAKERY_ADVERTISER, shop.token, filtering=request)["data"]["list"] == []
    whole = {**request, "secondary_status": "CAMPAIGN_STATUS_ALL"}
    (gone,) = shop.campaigns.campaign_get(BAKERY_ADVERTISER, shop.token, filtering=whole)["data"]["list"]
    assert gone["secondary_status"] == "CAMPAIGN_STATUS_DELETE"
    with pytest.raises(TiktokSDKError, match="40007"):
        shop.set("campaign", [created["campaign_id"]], "ENABLE")


@pytest.mark.parametrize(
    "change",
    [
        {"objective_type": "FAME"},
        {"campaign_name": ""},
        {"campaign_name": "Sandbox leads"},
        {"campaign_name": "Buns 🥐"},
        {"campaign_name": "面" * 257},
        {"budget_mode": "BUDGET_MODE_DAY"},
        {"budget_mode": "BUDGET_MODE_DAY", "budget": 499.99},
        {"objective_type": "APP_PROMOTION"},
        {"budget_optimize_on": True},
        {"request_id": "abc"},
    ],
)
def test_campaigns_that_are_refused(shop: Advertising, change: dict[str, Any]) -> None:
    with pytest.raises(TiktokSDKError, match="40002"):
        shop.campaign(**change)


def test_lists_are_filtered_and_paged(shop: Advertising) -> None:
    keys = [shop.campaign(campaign_name=f"Number {number}")["campaign_id"] for number in range(5)]
    shop.ads.sandbox.control("clock", advance=2)

    def listed(**query: Any) -> dict[str, Any]:
        data: dict[str, Any] = shop.campaigns.campaign_get(BAKERY_ADVERTISER, shop.token, **query)["data"]
        return data

    page = listed(filtering={"campaign_name": "number"}, page=2, page_size=2)
    assert [item["campaign_id"] for item in page["list"]] == [keys[2], keys[1]]
    assert page["page_info"] == {"page": 2, "page_size": 2, "total_number": 5, "total_page": 3}
    assert len(listed(filtering={"objective_type": "LEAD_GENERATION"})["list"]) == 1
    assert listed(filtering={"primary_status": "STATUS_DISABLE"})["list"] == []
    assert listed(filtering={"creation_filter_start_time": "2999-01-01 00:00:00"})["list"] == []
    for wrong in ({"filtering": {"shoe": 1}}, {"fields": ["shoe"]}, {"page_size": 1001}):
        with pytest.raises(TiktokSDKError, match="40002"):
            listed(**wrong)


def test_an_ad_group_has_a_budget_a_schedule_and_people(shop: Advertising) -> None:
    campaign = shop.campaign()["campaign_id"]
    created = shop.group(
        campaign, budget=250.0, age_groups=["AGE_18_24"], languages=["sv"], interest_category_ids=["22101"]
    )
    assert {name: created[name] for name in ("age_groups", "languages", "location_ids")} == {
        "age_groups": ["AGE_18_24"], "languages": ["sv"], "location_ids": ["2661886"],
    }  # fmt: skip
    body = sdk.AdgroupUpdateBody(
        advertiser_id=BAKERY_ADVERTISER, adgroup_id=created["adgroup_id"], budget=300.0, gender="GENDER_FEMALE"
    )
    changed = shop.groups.adgroup_update(shop.token, body=body)["data"]
    assert (changed["budget"], changed["gender"], changed["campaign_id"]) == (300.0, "GENDER_FEMALE", campaign)
    (read,) = shop.groups.adgroup_get(BAKERY_ADVERTISER, shop.token, filtering={"campaign_ids": [campaign]})["data"][
        "list"
    ]
    assert (read["adgroup_id"], read["secondary_status"]) == (created["adgroup_id"], "ADGROUP_STATUS_CREATE")
    later = shop.group(campaign, schedule_start_time=shop.at(timedelta(days=2)), schedule_type="SCHEDULE_FROM_NOW")
    assert later["secondary_status"] == "ADGROUP_STATUS_NOT_START"
    ended = sdk.AdgroupStatusUpdateBody(
        advertiser_id=BAKERY_ADVERTISER,
        adgroup_ids=[created["adgroup_id"], "1"],
        operation_status="DISABLE",
        allow_partial_success=True,
    )
    data = shop.groups.adgroup_status_update(shop.token, body=ended)["data"]
    assert (data["adgroup_ids"], [item["adgroup_id"] for item in data["error_list"]]) == (
        [created["adgroup_id"]],
        ["1"],
    )


@pytest.mark.parametrize(
    "change",
    [
        {"location_ids": None},
        {"location_ids": ["1"]},
        {"location_ids": ["2661886", "2673730"]},
        {"budget": 199.0},
        {"budget_mode": "BUDGET_MODE_TOTAL"},
        {"billing_event": "OCPM", "optimization_goal": "REACH"},
        {"bid_type": "BID_TYPE_CUSTOM"},
        {"bid_type": "BID_TYPE_CUSTOM", "bid_price": 500.0},
        {"placement_type": "PLACEMENT_TYPE_NORMAL"},
        {"promotion_type": None},
        {"schedule_start_time": "tomorrow"},
        {"schedule_start_time": "2020-01-01 00:00:00"},
        {"optimization_goal": "PURCHASES", "billing_event": "OCPM"},
        {"schedule_type": "SCHEDULE_START_END"},
        {"schedule_type": "SCHEDULE_START_END", "schedule_end_time": "2020-01-01 00:00:00"},
        {"pixel_id": "7590000000000000001"},
        {"audience_ids": ["5"]},
        {"dayparting": "101"},
        {"age_groups": ["AGE_1_2"]},
    ],
)
def test_ad_groups_that_are_refused(shop: Advertising, change: dict[str, Any]) -> None:
    campaign = shop.campaign()["campaign_id"]
    params = {"schedule_start_time": shop.at(), **GROUP, **change}
    params = {name: value for name, value in params.items() if value is not None}
    answer = shop.ads.post(
        "adgroup/create/", {"advertiser_id": BAKERY_ADVERTISER, "campaign_id": campaign, **params}, shop.token
    )
    assert answer["code"] == 40002, answer


@pytest.mark.parametrize(
    ("objective", "change", "needed"),
    [
        ("APP_PROMOTION", {"promotion_type": "APP_IOS"}, {"app_id": "7", "operating_systems": ["IOS"]}),
        (
            "VIDEO_VIEWS",
            {
                "optimization_goal": "ENGAGED_VIEW",
                "billing_event": "CPV",
                "bid_type": "BID_TYPE_CUSTOM",
                "bid_price": 1.0,
            },
            {"bid_display_mode": "CPV"},
        ),
        (
            "LEAD_GENERATION",
            {"optimization_goal": "CONVERT", "billing_event": "OCPM", "pixel_id": BAKERY_PIXEL},
            {
                "promotion_type": "LEAD_GENERATION",
                "promotion_target_type": "EXTERNAL_WEBSITE",
                "optimization_event": "FORM",
            },
        ),
        ("LEAD_GENERATION", {"promotion_target_type": "EXTERNAL_WEBSITE"}, {"promotion_type": "LEAD_GENERATION"}),
    ],
)
def test_what_an_objective_requires_of_ad_groups(
    shop: Advertising, objective: str, change: dict[str, Any], needed: dict[str, Any]
) -> None:
    kind = {"app_promotion_type": "APP_INSTALL"} if objective == "APP_PROMOTION" else {}
    campaign = shop.campaign(objective_type=objective, **kind)["campaign_id"]
    with pytest.raises(TiktokSDKError, match="40002"):
        shop.group(campaign, **change)
    assert shop.group(campaign, **change, **needed)["adgroup_id"]


def test_a_campaign_that_distributes_its_budget(shop: Advertising) -> None:
    mode = "BUDGET_MODE_DYNAMIC_DAILY_BUDGET"
    campaign = shop.campaign(budget_mode=mode, budget=900.0, budget_optimize_on=True)["campaign_id"]
    group = shop.group(campaign)
    assert (group["budget"], group["budget_mode"]) == (0.0, "BUDGET_MODE_INFINITE")
    body = {"advertiser_id": BAKERY_ADVERTISER, "adgroup_id": group["adgroup_id"], "budget": 300.0}
    assert shop.ads.post("adgroup/update/", body, shop.token)["code"] == 40002


def test_an_ad_is_reviewed_before_it_runs(shop: Advertising) -> None:
    group = shop.group(shop.campaign()["campaign_id"])["adgroup_id"]
    data = shop.ad(group, creative(shop), creative(shop, ad_name="Bad", ad_text="A Miracle Cure for hunger"))
    good, bad = data["ad_ids"]
    assert [shop.status("ad", key) for key in (good, bad)] == ["AD_STATUS_AUDIT"] * 2
    assert shop.status("adgroup", group) == "ADGROUP_STATUS_AUDIT"
    shop.ads.sandbox.control("clock", advance=301)
    assert [shop.status("ad", key) for key in (good, bad)] == ["AD_STATUS_DELIVERY_OK", "AD_STATUS_AUDIT_DENY"]
    shop.ads.sandbox.control(
        "review", platform="tiktokads", account=BAKERY_ADVERTISER, ad=good, verdict="rejected", reason="No."
    )
    assert shop.status("ad", good) == "AD_STATUS_AUDIT_DENY"
    request = {"advertiser_id": BAKERY_ADVERTISER, "ad_ids": f'["{good}"]'}
    review = shop.ads.get("ad/review_info/", shop.token, **request)["data"]["ad_review_map"][good]
    assert (review["is_approved"], review["reject_info"][0]["reasons"]) == (False, ["No."])
    shop.ads.sandbox.control("review", platform="tiktokads", account=BAKERY_ADVERTISER, ad=bad, verdict="approved")
    assert shop.status("ad", bad) == "AD_STATUS_DELIVERY_OK"
    change = [{"ad_id": bad, "ad_text": "Better"}]
    body = sdk.AdUpdateBody(advertiser_id=BAKERY_ADVERTISER, adgroup_id=group, patch_update=True, creatives=change)
    (shown,) = shop.official.ad_update(shop.token, body=body)["data"]["creatives"]
    assert (shown["ad_text"], shown["ad_name"], shown["secondary_status"]) == ("Better", "Bad", "AD_STATUS_AUDIT")
    named = [{"ad_id": good, "ad_name": "Only the name"}]
    body = sdk.AdUpdateBody(advertiser_id=BAKERY_ADVERTISER, adgroup_id=group, patch_update=True, creatives=named)
    (shown,) = shop.official.ad_update(shop.token, body=body)["data"]["creatives"]
    assert shown["secondary_status"] == "AD_STATUS_AUDIT_DENY"
    linked = [{"ad_id": good, "landing_page_url": "https://bakery.example.com"}]
    body = sdk.AdUpdateBody(advertiser_id=BAKERY_ADVERTISER, adgroup_id=group, patch_update=True, creatives=linked)
    with pytest.raises(TiktokSDKError, match="patch_update"):
        shop.official.ad_update(shop.token, body=body)
    shop.set("adgroup", [group], "DELETE")
    assert shop.official.ad_get(BAKERY_ADVERTISER, shop.token, filtering={"adgroup_ids": [group]})["data"]["list"] == []


@pytest.mark.parametrize(
    "change",
    [
        {"ad_text": "x" * 101},
        {"ad_text": "Buns 🥐"},
        {"ad_text": None},
        {"identity_id": "1"},
        {"identity_type": "CUSTOMIZED_USER"},
        {"video_id": "v1"},
        {"image_ids": []},
        {"ad_format": "SINGLE_IMAGE"},
        {"ad_format": "CAROUSEL_ADS"},
        {"call_to_action": "RUN"},
        {"landing_page_url": "bun"},
        {"landing_page_url": None},
        {"tiktok_item_id": "1", "image_ids": None},
        {"tiktok_item_id": BAKERY_POST},
        {"page_id": 5},
    ],
)
def test_creatives_that_are_refused(shop: Advertising, change: dict[str, Any]) -> None:
    group = shop.group(shop.campaign()["campaign_id"])["adgroup_id"]
    with pytest.raises(TiktokSDKError, match="40002"):
        shop.ad(group, {name: value for name, value in creative(shop, **change).items() if value is not None})


def test_a_post_is_boosted_and_a_dark_post_published(shop: Advertising) -> None:
    group = shop.group(shop.campaign()["campaign_id"])["adgroup_id"]
    (own,) = shop.identities.identity_get(BAKERY_ADVERTISER, shop.token, identity_type="TT_USER")["data"][
        "identity_list"
    ]
    assert (own["identity_id"], own["can_pull_video"]) == (BAKERY_IDENTITY, True)
    query = {"advertiser_id": BAKERY_ADVERTISER, "identity_id": BAKERY_IDENTITY, "identity_type": "TT_USER"}
    posts = shop.ads.get("identity/video/get/", shop.token, **query)["data"]
    assert [post["item_id"] for post in posts["video_list"]] == [BAKERY_POST]
    boosted = {"ad_name": "Boost", "ad_format": "SINGLE_VIDEO", "identity_type": "TT_USER",
               "identity_id": BAKERY_IDENTITY, "tiktok_item_id": BAKERY_POST, **LINK}  # fmt: skip
    (shown,) = shop.ad(group, boosted)["creatives"]
    assert (shown["tiktok_item_id"], shown["video_id"]) == (BAKERY_POST, None)
    photos = shop.ads.get("identity/video/get/", shop.token, **query, item_type="CAROUSEL")["data"]["video_list"]
    assert [(photo["item_id"], photo["item_type"]) for photo in photos] == [(BAKERY_PHOTO_POST, "CAROUSEL")]
    with pytest.raises(TiktokSDKError, match="40002"):
        shop.ad(group, {**boosted, "tiktok_item_id": BAKERY_PHOTO_POST})
    assert shop.ad(group, {**boosted, "tiktok_item_id": BAKERY_PHOTO_POST, "ad_format": "CAROUSEL_ADS"})["ad_ids"]
    (dark,) = shop.ad(group, creative(shop, dark_post_status="ON"))["creatives"]
    assert dark["dark_post_status"] == "ON"


def test_a_post_that_an_app_published_is_boosted(tmp_path: Path, gateway: WebhookReceiver) -> None:
    with running_sandbox(tmp_path, [TIKTOK, VENDOR], gateway.url) as sandbox:
        tiktok, ads = TikTok(sandbox, gateway), TikTokAds(sandbox, gateway)
        shop, token, content = Advertising(ads, ads.sign_in("ada")), tiktok.sign_in()["access_token"], clip(4000)
        size = {"source": "FILE_UPLOAD", "video_size": 4000, "chunk_size": 4000, "total_chunk_count": 1}
        info = {"privacy_level": "PUBLIC_TO_EVERYONE", "title": "Semlor are back"}
        begun = tiktok.post("post/publish/video/init/", token, {"post_info": info, "source_info": size}).json()["data"]
        headers = {"content-type": "video/mp4", "content-range": "bytes 0-3999/4000"}
        assert tiktok.http.put(begun["upload_url"], content=content, headers=headers).status_code == 201
        sandbox.control("clock", advance=60)
        query = {"advertiser_id": BAKERY_ADVERTISER, "identity_id": BAKERY_IDENTITY, "identity_type": "TT_USER"}
        newest, _older = ads.get("identity/video/get/", shop.token, **query)["data"]["video_list"]
        assert newest["text"] == "Semlor are back"
        boosted = {"ad_name": "Boost", "ad_format": "SINGLE_VIDEO", "tiktok_item_id": newest["item_id"]}
        boosted |= {"identity_type": "TT_USER", "identity_id": BAKERY_IDENTITY, **LINK}
        assert shop.ad(shop.group(shop.campaign()["campaign_id"])["adgroup_id"], boosted)["ad_ids"]
        ads.close()


def test_a_creator_allows_to_boost_a_post(shop: Advertising) -> None:
    group = shop.group(shop.campaign()["campaign_id"])["adgroup_id"]
    code = {"advertiser_id": BAKERY_ADVERTISER, "auth_code": CREATOR_AUTH_CODE}
    assert shop.ads.get("tt_video/info/", shop.token, **code)["code"] == 40007
    assert shop.ads.post("tt_video/authorize/", {**code, "auth_code": "#wrong"}, shop.token)["code"] == 40007
    assert shop.ads.post("tt_video/authorize/", code, shop.token)["code"] == 0
    result = shop.ads.get("tt_video/info/", shop.token, **code)["data"]
    identity = result["user_info"]["identity_id"]
    boosted = {"ad_name": "Boost", "ad_format": "SINGLE_VIDEO", "identity_type": "AUTH_CODE", "identity_id": identity}
    boosted |= LINK
    assert shop.ad(group, {**boosted, "tiktok_item_id": result["item_info"]["item_id"]})["ad_ids"]
    with pytest.raises(TiktokSDKError, match="40002"):
        shop.ad(group, {**boosted, "tiktok_item_id": BAKERY_POST})
    gone = {"advertiser_id": BAKERY_ADVERTISER, "item_id": CREATOR_POST}
    assert shop.ads.post("tt_video/unbind/", gone, shop.token)["code"] == 0
    assert shop.ads.get("tt_video/list/", shop.token, advertiser_id=BAKERY_ADVERTISER)["data"]["list"] == []


def test_files_are_uploaded_and_fetched(shop: Advertising, tmp_path: Path) -> None:
    files, picture = sdk.FileApi(shop.ads.official), tmp_path / "bun.png"
    picture.write_bytes(draw_plain_png("bun", 720, 1280))
    sign = md5(picture.read_bytes(), usedforsecurity=False).hexdigest()
    params = {"advertiser_id": BAKERY_ADVERTISER, "upload_type": "UPLOAD_BY_FILE", "image_file": str(picture)}
    created = files.ad_image_upload(shop.token, file_name="bun", image_signature=sign, **params)["data"]
    assert (created["width"], created["height"], created["format"], created["signature"]) == (720, 1280, "png", sign)
    assert shop.ads.http.get(created["image_url"]).content == picture.read_bytes()
    with pytest.raises(TiktokSDKError, match="40911"):
        files.ad_image_upload(shop.token, file_name="bun", image_signature=sign, **params)
    with pytest.raises(TiktokSDKError, match="40900"):
        files.ad_image_upload(shop.token, image_signature="0" * 32, **params)
    by_url = {"advertiser_id": BAKERY_ADVERTISER, "upload_type": "UPLOAD_BY_URL", "image_url": created["image_url"]}
    again = files.ad_image_upload(shop.token, **by_url)["data"]
    assert (again["signature"], again["image_id"] != created["image_id"]) == (sign, True)
    with pytest.raises(TiktokSDKError, match="40908"):
        files.ad_video_upload(
            shop.token, advertiser_id=BAKERY_ADVERTISER, upload_type="UPLOAD_BY_URL", video_url=created["image_url"]
        )
    with pytest.raises(TiktokSDKError, match="40914"):
        files.ad_image_upload(shop.token, **{**by_url, "image_url": f"{created['image_url']}x"})
    (read,) = files.file_image_ad_info(BAKERY_ADVERTISER, [created["image_id"]], shop.token)["data"]["list"]
    assert read["file_name"] == "bun"


def test_a_video_must_be_transcoded_first(shop: Advertising) -> None:
    group = shop.group(shop.campaign()["campaign_id"])["adgroup_id"]
    files = sdk.FileApi(shop.ads.official)
    image = shop.image()
    url = {"upload_type": "UPLOAD_BY_URL", "video_url": "https://bakery.example.com/bun.mp4"}
    (video,) = files.ad_video_upload(shop.token, advertiser_id=BAKERY_ADVERTISER, **url)["data"]
    with pytest.raises(TiktokSDKError, match="40901"):
        shop.ad(group, creative(shop, video_id=video["video_id"], image_ids=[image]))
    shop.ads.sandbox.control("clock", advance=2)
    (ready,) = files.ad_video_info(BAKERY_ADVERTISER, [video["video_id"]], shop.token)["data"]["list"]
    assert ready["displayable"]
    cover = {"advertiser_id": BAKERY_ADVERTISER, "upload_type": "UPLOAD_BY_URL", "image_url": ready["video_cover_url"]}
    picture = files.ad_image_upload(shop.token, **cover)["data"]["image_id"]
    assert shop.ad(group, creative(shop, video_id=video["video_id"], image_ids=[picture]))["ad_ids"]


def test_who_may_do_what(ads: TikTokAds) -> None:
    bram = ads.sign_in("bram")
    assert ads.get("campaign/get/", bram, advertiser_id=BAKERY_ADVERTISER)["code"] == 0
    body = {"advertiser_id": BAKERY_ADVERTISER, "campaign_name": "x", "objective_type": "REACH"}
    assert ads.post("campaign/create/", body, bram)["code"] == 40001
    assert ads.get("campaign/get/", bram, advertiser_id=SCHOOL_ADVERTISER)["code"] == 40001
    assert ads.get("campaign/get/", advertiser_id=BAKERY_ADVERTISER)["code"] == 40104
    only = ads.sign_in("ada", asked="1", scope=["4"])
    assert ads.get("campaign/get/", only, advertiser_id=BAKERY_ADVERTISER)["code"] == 40001
    ada = ads.sign_in("ada")
    codes = [ads.post("ad/create/", {"advertiser_id": BAKERY_ADVERTISER}, ada)["code"] for _ in range(8)]
    assert (codes[0], codes[-1]) == (40002, 40100)


def test_people_and_places_to_target(shop: Advertising) -> None:
    tools, placements = sdk.ToolApi(shop.ads.official), ["PLACEMENT_TIKTOK"]
    every = tools.tool_region(BAKERY_ADVERTISER, placements, "TRAFFIC", shop.token)["data"]["region_info"]
    sweden = next(item for item in every if item["region_code"] == "SE" and item["level"] == "COUNTRY")
    assert {item["location_id"] for item in every} >= set(sweden["next_level_ids"]) != set()
    countries = tools.tool_region(BAKERY_ADVERTISER, placements, "TRAFFIC", shop.token, level_range="TO_COUNTRY")[
        "data"
    ]
    assert {country["level"] for country in countries["region_info"]} == {"COUNTRY"}
    body = {
        "advertiser_id": BAKERY_ADVERTISER,
        "placements": placements,
        "objective_type": "TRAFFIC",
        "keywords": ["stock"],
    }
    result = tools.tool_targeting_search(shop.token, body=sdk.TargetingSearchBody(search_type="FUZZY_SEARCH", **body))
    names = [item["name"] for item in result["data"]["targeting_tag_list"]]
    assert names == ["Stockholm County", "Stockholm"]
    assert {item["code"] for item in tools.tool_language(BAKERY_ADVERTISER, shop.token)["data"]["languages"]} >= {
        "sv",
        "en",
    }
    kinds = tools.tool_interest_category(BAKERY_ADVERTISER, shop.token)["data"]["interest_categories"]
    food = next(kind for kind in kinds if kind["interest_category_name"] == "Food & Beverage")
    assert {kind["interest_category_id"] for kind in kinds} >= set(food["sub_category_ids"]) != set()
