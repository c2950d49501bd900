"""Campaigns, ad sets, creatives and ads, with Meta's own SDK."""

from base64 import b64encode
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from facebook_business.adobjects.ad import Ad
from facebook_business.adobjects.adcreative import AdCreative
from facebook_business.adobjects.adset import AdSet
from facebook_business.adobjects.campaign import Campaign
from facebook_business.adobjects.page import Page
from facebook_business.adobjects.pagepost import PagePost

from sandbox.graph_media import MediaHost, jpeg, movie
from sandbox.graph_support import codes_of, names_of
from sandbox.meta.ads_support import CAMPAIGN, LINK, STORY, TARGETING, Ads, codes, refused
from sandbox.meta.sdk import Sdk, ids
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.seed import (
    ADA,
    ADA_ADS,
    BAKERY,
    BAKERY_IG,
    BRAM,
    CLIENT,
    CLIENT_ADS,
    DISABLED_AD_ACCOUNT_ID,
)

TAIWANESE = {**TARGETING, "geo_locations": {"countries": ["TW"]}}
IDENTITIES = {"taiwan_universal_beneficiary": "4260400000000001", "taiwan_universal_payer": "4260400000000002"}
DECLARATION: dict[str, Any] = {
    "regional_regulated_categories": ["TAIWAN_UNIVERSAL"],
    "regional_regulation_identities": IDENTITIES,
}


@pytest.fixture
def ads(meta: Meta, sdk: Sdk) -> Ads:
    return Ads(meta, sdk)


def test_a_campaign_is_made_read_changed_and_deleted(ads: Ads) -> None:
    key = ads.campaign(name="Spring", daily_budget=30_000, is_adset_budget_sharing_enabled=None)
    campaign = Campaign(key, api=ads.api)
    fields = ["name", "objective", "status", "effective_status", "daily_budget", "budget_remaining", "bid_strategy"]
    read = campaign.api_get(fields=[*fields, "special_ad_categories", "created_time", "buying_type", "account_id"])
    assert (read["name"], read["objective"], read["status"]) == ("Spring", "OUTCOME_TRAFFIC", "ACTIVE")
    assert (read["daily_budget"], read["budget_remaining"]) == ("30000", "30000")
    assert (read["bid_strategy"], read["buying_type"]) == ("LOWEST_COST_WITHOUT_CAP", "AUCTION")
    assert (read["special_ad_categories"], f"act_{read['account_id']}") == ([], ADA_ADS)
    campaign.api_update(params={"name": "Summer", "status": "PAUSED", "daily_budget": 40_000})
    read = campaign.api_get(fields=fields)
    assert (read["name"], read["effective_status"], read["daily_budget"]) == ("Summer", "PAUSED", "40000")
    assert names_of(ads.account.get_campaigns(fields=["name"])) == ["Summer"]
    campaign.api_delete()
    assert campaign.api_get(fields=["effective_status"])["effective_status"] == "DELETED"
    assert ids(ads.account.get_campaigns()) == []
    assert ids(ads.account.get_campaigns(params={"effective_status": ["DELETED"]})) == [key]
    assert codes(lambda: campaign.api_update(params={"status": "ACTIVE"})) == (100, 1487566)
    assert codes(lambda: campaign.api_update(params={"daily_budget": 50_000})) == (100, 1885088)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"name": None}, (100, None)),
        ({"objective": "LINK_CLICKS"}, (100, None)),
        ({"special_ad_categories": None}, (100, None)),
        ({"special_ad_categories": ["HOUSING"]}, (100, 2909034)),
        ({"special_ad_categories": ["CREDIT"], "special_ad_category_country": ["US"]}, (100, None)),
        ({"is_adset_budget_sharing_enabled": None}, (100, 4834011)),
        ({"daily_budget": 50}, (100, 1885272)),
        ({"daily_budget": 5000, "lifetime_budget": 5000}, (100, None)),
        ({"status": "DELETED"}, (100, None)),
    ],
)
def test_campaigns_that_are_refused(ads: Ads, change: dict[str, Any], expected: tuple[int, int | None]) -> None:
    assert codes(lambda: ads.campaign(**change)) == expected
    assert ids(ads.account.get_campaigns()) == []


def test_credit_is_advertised_as_a_financial_product(ads: Ads) -> None:
    category = {"special_ad_categories": ["FINANCIAL_PRODUCTS_SERVICES"], "special_ad_category_country": ["US"]}
    read = Campaign(ads.campaign(**category), api=ads.api).api_get(fields=list(category))
    assert {name: read[name] for name in category} == category


def test_an_error_names_the_field_and_explains_it(ads: Ads) -> None:
    error = refused(lambda: ads.campaign(daily_budget=50))
    assert error.api_blame_field_specs() == [["daily_budget"]]
    message = error.body()["error"]
    assert (message["error_user_title"], "1.00 SEK" in message["error_user_msg"]) == ("Budget Is Too Low", True)


def test_values_that_the_sdk_does_not_know(ads: Ads) -> None:
    params = {**CAMPAIGN, "special_ad_categories": "[]"}
    for change in ({"objective": "OUTCOME_FAME"}, {"special_ad_categories": '["SHOES"]'}, {"daily_budget": "1.5"}):
        assert codes_of(ads.meta.post(f"{ADA_ADS}/campaigns", ads.token, **{**params, **change})) == (100, None)
    assert codes_of(ads.meta.post(f"{ADA_ADS}/campaigns", ads.token, **{**params, "start_time": "soon"})) == (100, None)


def test_only_validating_makes_nothing(ads: Ads) -> None:
    params = {**CAMPAIGN, "execution_options": ["validate_only"]}
    answer = ads.api.call("POST", (ADA_ADS, "campaigns"), params=params).json()
    assert answer == {"success": True}
    assert ids(ads.account.get_campaigns()) == []


def test_an_ad_set_is_made_read_and_changed(ads: Ads) -> None:
    campaign = ads.campaign()
    key = ads.ad_set(campaign, bid_amount=500, end_time="2030-01-01T00:00:00+0000")
    ad_set = AdSet(key, api=ads.api)
    fields = [
        "campaign_id",
        "billing_event",
        "optimization_goal",
        "targeting",
        "daily_budget",
        "bid_amount",
        "end_time",
    ]
    read = ad_set.api_get(fields=[*fields, "campaign", "learning_stage_info", "start_time"])
    assert (read["campaign_id"], read["campaign"]["id"], read["daily_budget"]) == (campaign, campaign, "20000")
    assert read["targeting"]["geo_locations"]["countries"] == ["US"]
    assert (read["bid_amount"], read["end_time"]) == ("500", "2030-01-01T00:00:00+0000")
    ad_set.api_update(params={"lifetime_budget": 900_000, "name": "All"})
    read = AdSet(key, api=ads.api).api_get(fields=["name", "lifetime_budget", "daily_budget"])
    assert (read["name"], read["lifetime_budget"], "daily_budget" in read) == ("All", "900000", False)
    assert ids(Campaign(campaign, api=ads.api).get_ad_sets()) == [key]


@pytest.mark.parametrize(
    ("change", "expected", "blamed"),
    [
        ({"campaign_id": "123"}, (100, None), "campaign_id"),
        ({"optimization_goal": "PAGE_LIKES"}, (100, 2490408), "optimization_goal"),
        ({"billing_event": "THRUPLAY"}, (100, None), "billing_event"),
        ({"daily_budget": 10}, (100, 1885272), "daily_budget"),
        ({"daily_budget": None}, (100, None), "daily_budget"),
        ({"daily_budget": None, "lifetime_budget": 90_000}, (100, None), "end_time"),
        ({"bid_strategy": "COST_CAP"}, (100, 1815857), "bid_amount"),
        ({"end_time": "2020-01-01T00:00:00+0000"}, (100, 1487033), "end_time"),
        ({"targeting": {"geo_locations": {"countries": ["US"]}}}, (100, 1870227), "targeting"),
        ({"targeting": {**TARGETING, "age_max": 40, "targeting_automation": {"advantage_audience": 1}}},
         (100, 1870189), "targeting"),
        ({"targeting": {"targeting_automation": {"advantage_audience": 0}}}, (100, None), "targeting"),
        ({"targeting": {**TARGETING, "geo_locations": {"countries": ["XX"]}}}, (100, None), "targeting"),
        ({"targeting": {**TARGETING, "geo_locations": {"cities": [{"key": "1"}]}}}, (100, 1487694), "targeting"),
        ({"targeting": {**TARGETING, "age_min": 12}}, (100, None), "targeting"),
        ({"targeting": {**TARGETING, "flexible_spec": [{"interests": [{"id": "1"}]}]}}, (100, 1487694), "targeting"),
        ({"targeting": {**TARGETING, "custom_audiences": [{"id": "1"}]}}, (100, 1487301), "targeting"),
        ({"targeting": {**TARGETING, "geo_locations": {"countries": ["SE"]}}}, (100, 3858152), "dsa_beneficiary"),
        ({"targeting": TAIWANESE}, (100, None), "regional_regulated_categories"),
        ({"targeting": {**TARGETING, "geo_locations": {"countries": ["SG"]}}},
         (100, 3858550), "regional_regulated_categories"),
    ],
)  # fmt: skip
def test_ad_sets_that_are_refused(
    ads: Ads, change: dict[str, Any], expected: tuple[int, int | None], blamed: str
) -> None:
    campaign = ads.campaign()
    error = refused(lambda: ads.ad_set(campaign, **change))
    assert (error.api_error_code(), error.api_error_subcode()) == expected
    assert blamed in str(error.body()["error"]["error_data"])
    assert ids(ads.account.get_ad_sets()) == []


def test_goals_need_something_to_promote(ads: Ads) -> None:
    leads = ads.campaign(objective="OUTCOME_LEADS")
    assert codes(lambda: ads.ad_set(leads, optimization_goal="LEAD_GENERATION")) == (100, None)
    assert codes(lambda: ads.ad_set(leads, optimization_goal="OFFSITE_CONVERSIONS")) == (100, None)
    assert ads.ad_set(leads, optimization_goal="LEAD_GENERATION", promoted_object={"page_id": BAKERY})


def test_a_campaign_budget_leaves_none_to_its_ad_sets(ads: Ads) -> None:
    campaign = ads.campaign(daily_budget=50_000)
    assert codes(lambda: ads.ad_set(campaign)) == (100, 1885621)
    assert ads.ad_set(campaign, daily_budget=None)


def test_the_european_union_needs_a_payor(ads: Ads) -> None:
    named = {"dsa_beneficiary": "Bakery", "dsa_payor": "Bakery"}
    key = ads.ad_set(targeting={**TARGETING, "geo_locations": {"countries": ["SE"]}}, **named)
    assert AdSet(key, api=ads.api).api_get(fields=["dsa_payor"])["dsa_payor"] == "Bakery"


def test_ads_in_taiwan_declare_a_beneficiary_and_a_payer(ads: Ads) -> None:
    key = ads.declared_ad_set(targeting=TAIWANESE, **DECLARATION)
    read = AdSet(key, api=ads.api).api_get(fields=list(DECLARATION)).export_all_data()
    assert {name: read[name] for name in DECLARATION} == DECLARATION
    # A change of something else does not ask for it again, but the end of the declaration is refused.
    AdSet(key, api=ads.api).api_update(params={"name": "Taipei"})
    ended: dict[str, list[str]] = {"regional_regulated_categories": []}
    assert codes(lambda: ads.api.call("POST", (key,), params=ended)) == (100, None)


@pytest.mark.parametrize(
    ("change", "blamed"),
    [
        ({"regional_regulated_categories": ["TAIWAN"]}, "regional_regulated_categories"),
        ({"regional_regulated_categories": ["SINGAPORE_UNIVERSAL"]}, "regional_regulated_categories"),
        ({"regional_regulation_identities": None}, "regional_regulation_identities"),
        ({"regional_regulation_identities": {"taiwan_universal_payer": "1"}}, "regional_regulation_identities"),
        (
            {"regional_regulation_identities": {**IDENTITIES, "taiwan_universal_payer": "Bakery"}},
            "regional_regulation_identities",
        ),
    ],
)
def test_declarations_that_are_refused(ads: Ads, change: dict[str, Any], blamed: str) -> None:
    error = refused(lambda: ads.declared_ad_set(targeting=TAIWANESE, **{**DECLARATION, **change}))
    assert (error.api_error_code(), error.api_blame_field_specs()) == (100, [[blamed]])


def test_the_whole_world_includes_taiwan_unless_it_is_excluded(ads: Ads) -> None:
    world = {**TARGETING, "geo_locations": {"country_groups": ["worldwide"]}}
    named = {"dsa_beneficiary": "Bakery", "dsa_payor": "Bakery"}
    assert codes(lambda: ads.ad_set(targeting=world, **named)) == (100, 3858550)
    excluding = {**world, "excluded_geo_locations": {"countries": ["TW", "SG"]}}
    assert ads.ad_set(targeting=excluding, **named)


def test_an_ad_account_may_have_a_payor_for_all_its_ad_sets(ads: Ads) -> None:
    swedes = {**TARGETING, "geo_locations": {"countries": ["SE"]}}
    defaults = {"default_dsa_beneficiary": "Bakery", "default_dsa_payor": "Bakery"}
    assert codes(lambda: ads.ad_set(targeting=swedes)) == (100, 3858152)
    ads.account.api_update(params=defaults)
    assert ads.account.api_get(fields=list(defaults)).export_all_data().items() >= defaults.items()
    assert ads.ad_set(targeting=swedes)


def test_an_ad_is_reviewed_and_runs_as_long_as_all_above_it(ads: Ads) -> None:
    campaign = ads.campaign()
    ad_set = ads.ad_set(campaign)
    ad = Ad(ads.ad(ad_set), api=ads.api)

    def status() -> str:
        return str(ad.api_get(fields=["effective_status"])["effective_status"])

    assert status() == "PENDING_REVIEW"
    ads.meta.platform.pass_time(301)
    assert status() == "ACTIVE"
    read = ad.api_get(fields=["campaign_id", "adset_id", "creative", "adset", "campaign"])
    assert (read["campaign_id"], read["adset_id"], read["adset"]["id"]) == (campaign, ad_set, ad_set)
    Campaign(campaign, api=ads.api).api_update(params={"status": "PAUSED"})
    assert status() == "CAMPAIGN_PAUSED"
    assert AdSet(ad_set, api=ads.api).api_get(fields=["effective_status"])["effective_status"] == "CAMPAIGN_PAUSED"
    AdSet(ad_set, api=ads.api).api_update(params={"status": "PAUSED"})
    assert status() == "ADSET_PAUSED"
    ad.api_update(params={"status": "PAUSED"})
    assert status() == "PAUSED"
    assert ids(ads.account.get_ads(params={"effective_status": ["PAUSED"]})) == [ad["id"]]
    AdSet(ad_set, api=ads.api).api_delete()
    assert status() == "DELETED"
    assert ids(ads.account.get_ads()) == []
    assert codes(lambda: ads.ad(ad_set)) == (100, 1487056)


def test_an_ad_is_rejected_for_what_it_says_or_by_the_control(ads: Ads) -> None:
    payload = {**STORY, "link_data": {**LINK, "message": "A miracle cure"}}
    ad = Ad(ads.ad(creative=ads.creative(object_story_spec=payload)), api=ads.api)
    ads.meta.platform.pass_time(301)
    read = ad.api_get(fields=["effective_status", "ad_review_feedback", "issues_info"])
    assert read["effective_status"] == "DISAPPROVED"
    assert "health" in str(read["ad_review_feedback"])
    assert "health" in read["issues_info"][0]["error_message"]
    ad.api_update(params={"creative": {"creative_id": ads.creative()}})
    ads.meta.platform.pass_time(301)
    assert ad.api_get(fields=["effective_status"])["effective_status"] == "ACTIVE"
    ads.meta.platform.act("review", account=ADA_ADS, ad=ad["id"], verdict="rejected", reason="No")
    assert ad.api_get(fields=["effective_status"])["effective_status"] == "DISAPPROVED"


def test_a_story_spec_makes_a_post_that_is_only_an_ad(ads: Ads, sdk: Sdk) -> None:
    key = ads.creative()
    creative = AdCreative(key, api=ads.api)
    read = creative.api_get(fields=["effective_object_story_id", "object_story_spec", "body", "status", "object_type"])
    assert (read["body"], read["status"], read["object_type"]) == ("Warm buns", "ACTIVE", "SHARE")
    page = Page(BAKERY, api=sdk.api(ads.meta.page(ADA, BAKERY)))
    assert ids(page.get_ads_posts()) == [read["effective_object_story_id"]]
    assert ids(page.get_posts()) == []
    creative.api_update(params={"name": "New", "object_story_spec": {}})
    read = creative.api_get(fields=["name", "body"])
    assert (read["name"], read["body"]) == ("New", "Warm buns")
    creative.api_delete()
    assert creative.api_get(fields=["status"])["status"] == "DELETED"


def test_a_post_is_boosted(ads: Ads, sdk: Sdk) -> None:
    page = Page(BAKERY, api=sdk.api(ads.meta.page(ADA, BAKERY)))
    post = page.create_feed(params={"message": "Get rich quick with buns"})["id"]
    assert PagePost(post, api=ads.api).api_get(fields=["promotable_id"])["promotable_id"] == post
    creative = ads.creative(object_story_spec=None, object_story_id=post)
    assert (
        AdCreative(creative, api=ads.api).api_get(fields=["effective_object_story_id"])["effective_object_story_id"]
        == post
    )
    ad = Ad(ads.ad(creative=creative), api=ads.api)
    ads.meta.platform.pass_time(301)
    assert ad.api_get(fields=["effective_status"])["effective_status"] == "DISAPPROVED"
    draft = page.create_feed(params={"message": "Later", "published": False})["id"]
    dark = page.create_feed(params={"message": "Dark", "published": False, "unpublished_content_type": "ADS_POST"})[
        "id"
    ]
    assert ids(page.get_ads_posts()) == [dark]
    assert ads.creative(object_story_spec=None, object_story_id=dark)
    assert codes(lambda: ads.creative(object_story_spec=None, object_story_id=draft)) == (100, 1487472)
    assert codes(lambda: ads.creative(object_story_spec=None, object_story_id=f"{BAKERY}_1")) == (100, 1885557)


def test_an_instagram_post_is_boosted(ads: Ads, host: MediaHost) -> None:
    token = ads.meta.page(ADA, BAKERY)
    container = ads.meta.post(f"{BAKERY_IG}/media", token, image_url=host.add("a.jpg", jpeg())).json()["id"]
    ads.meta.platform.pass_time(6)
    media = ads.meta.post(f"{BAKERY_IG}/media_publish", token, creation_id=container).json()["id"]
    params = {"object_id": BAKERY, "instagram_user_id": BAKERY_IG, "source_instagram_media_id": media}
    key = ads.creative(object_story_spec=None, **params)
    read = AdCreative(key, api=ads.api).api_get(fields=["effective_instagram_media_id"])
    assert read["effective_instagram_media_id"] == media
    assert codes(lambda: ads.creative(object_story_spec=None, **{**params, "instagram_user_id": "1"})) == (100, 2446149)


@pytest.mark.parametrize(
    ("spec", "subcode"),
    [
        ({"link_data": {"link": "https://example.com"}}, None),
        ({"page_id": BAKERY}, None),
        ({"page_id": BAKERY, "link_data": {"link": "nowhere"}}, 2446383),
        ({"page_id": BAKERY, "link_data": {"link": "https://example.com", "image_hash": "x"}}, None),
        ({"page_id": BAKERY, "video_data": {"video_id": "1"}}, None),
        ({"page_id": BAKERY, "link_data": {"link": "https://example.com", "call_to_action": {"type": "JUMP"}}}, None),
    ],
)
def test_creatives_that_are_refused(ads: Ads, spec: dict[str, Any], subcode: int | None) -> None:
    assert codes(lambda: ads.creative(object_story_spec=spec)) == (100, subcode)


def test_an_inline_creative_and_a_feed_of_assets(ads: Ads) -> None:
    params = {"name": "Ad", "adset_id": ads.ad_set(), "creative": {"name": "Inline", "object_story_spec": STORY}}
    ad = Ad(ads.account.create_ad(params=params)["id"], api=ads.api)
    (creative,) = ad.get_ad_creatives()
    assert AdCreative(creative["id"], api=ads.api).api_get(fields=["name"])["name"] == "Inline"
    feed = {"bodies": [{"text": "One"}, {"text": "Two"}], "titles": [{"text": "Buns"}], "ad_formats": ["SINGLE_IMAGE"]}
    assert ads.creative(object_story_spec={"page_id": BAKERY}, asset_feed_spec=feed)
    (preview,) = ad.get_previews(params={"ad_format": "MOBILE_FEED_STANDARD"})
    assert preview["body"].startswith("<iframe")


def test_images_and_videos_of_the_account(ads: Ads, host: MediaHost) -> None:
    picture = jpeg()
    created = ads.api.call("POST", (ADA_ADS, "adimages"), params={"bytes": b64encode(picture).decode()}).json()[
        "images"
    ]
    result = created["bytes"]
    assert ads.meta.platform.running.client.get(result["url"]).content == picture
    (image,) = ads.account.get_ad_images(fields=["hash", "width"], params={"hashes": [result["hash"]]})
    assert (image["hash"], image["width"]) == (result["hash"], 1080)
    sent = ads.api.call("POST", (ADA_ADS, "adimages"), files={"bun.jpg": ("bun.jpg", picture)}).json()["images"]
    assert sent["bun.jpg"]["hash"] == result["hash"]
    assert codes_of(ads.meta.post(f"{ADA_ADS}/adimages", ads.token, bytes=b64encode(b"x").decode())) == (100, None)
    video = ads.account.create_ad_video(params={"file_url": host.add("a.mp4", movie(5, 720, 1280))})["id"]
    spec = {"page_id": BAKERY, "video_data": {"video_id": video, "image_hash": result["hash"], "message": "Film"}}
    assert codes(lambda: ads.creative(object_story_spec=spec)) == (100, 1885252)
    ads.meta.platform.pass_time(6)
    read = AdCreative(ads.creative(object_story_spec=spec), api=ads.api).api_get(fields=["object_type", "video_id"])
    assert (read["object_type"], read["video_id"]) == ("VIDEO", video)
    assert ids(ads.account.get_ad_videos()) == [video]
    ads.account.delete_ad_images(params={"hash": result["hash"]})
    assert list(ads.account.get_ad_images()) == []


def test_lists_are_filtered_and_paged(ads: Ads) -> None:
    keys = [ads.campaign(name=f"Campaign {number}") for number in range(3)]
    by_name = {"filtering": [{"field": "campaign.name", "operator": "CONTAIN", "value": "paign 1"}]}
    assert ids(ads.account.get_campaigns(params=by_name)) == [keys[1]]
    assert ids(ads.account.get_campaigns(params={"limit": 1})) == keys[::-1]
    wrong = [{"field": "name", "operator": "LIKE", "value": "x"}]
    assert codes(lambda: ads.account.get_campaigns(params={"filtering": wrong})) == (100, None)


def test_who_may_not_advertise(meta: Meta, sdk: Sdk, ads: Ads) -> None:
    campaign = ads.campaign()
    stranger = meta.long(BRAM)
    for place in (ADA_ADS, campaign, f"{ADA_ADS}/campaigns"):
        assert codes_of(meta.get(place, stranger)) == (100, 33)
    meta.platform.act("revoke", account=ADA, how="permission:ads_management")
    assert meta.get(campaign, ads.token, fields="name").json()["name"] == "Buns"
    assert codes_of(meta.post(campaign, ads.token, name="x"), 403) == (294, None)
    closed = Ads(meta, sdk, BRAM, DISABLED_AD_ACCOUNT_ID)
    assert refused(closed.campaign).body()["error"]["error_user_title"] == "Ad Account Disabled"


def test_a_disabled_account(ads: Ads) -> None:
    campaign = ads.campaign()
    ads.meta.platform.act("adAccount", account=ADA_ADS, status=2)
    assert codes_of(ads.meta.post(campaign, ads.token, name="x"), 403) == (200, None)
    assert ads.account.api_get(fields=["account_status"])["account_status"] == 2
    ads.meta.platform.act("adAccount", account=ADA_ADS, status=1)
    assert ads.meta.post(campaign, ads.token, name="x").json() == {"success": True}


def test_amounts_without_a_smaller_unit(meta: Meta, sdk: Sdk) -> None:
    cinema = Ads(meta, sdk, BRAM, CLIENT_ADS)
    cinema.ad(
        cinema.ad_set(daily_budget=5000), creative=cinema.creative(object_story_spec={**STORY, "page_id": CLIENT})
    )
    meta.platform.act("pace", account=CLIENT_ADS, times=24)
    # In Tokyo the next day has begun.
    now = datetime.fromisoformat(meta.platform.running.client.get("/_control/clock").json()["now"])
    evening = datetime.combine(now.date() + timedelta(days=3), time(16), UTC)
    meta.platform.pass_time((evening - now).total_seconds())
    spent = int(cinema.account.api_get(fields=["amount_spent"])["amount_spent"])
    # Until three in the afternoon in UTC it is still the same day in Tokyo, and there is one day more.
    assert 5000 < spent <= 25_000
    assert spent == sum(day["metrics"]["spend"] for day in cinema.numbers()["days"])


def test_every_field_can_be_asked_for(ads: Ads) -> None:
    ad = ads.ad()
    ad_set = Ad(ad, api=ads.api).api_get(fields=["adset_id"])["adset_id"]
    for kind, key in ((Ad, ad), (AdSet, ad_set), (AdCreative, ads.creative())):
        names = [name for word, name in vars(kind.Field).items() if not word.startswith("_")]
        assert kind(key, api=ads.api).api_get(fields=names)["id"] == key
