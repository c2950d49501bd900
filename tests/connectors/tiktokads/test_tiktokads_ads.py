"""Campaigns, ad groups and ads of TikTok at the sandbox."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from typing import Any

import msgspec
import pytest

from socialgate.contracts.ad_values import (
    AdBid,
    AdBudget,
    AdIdentity,
    AdMediaAsset,
    AdPromotion,
    AdSchedule,
    AdStatus,
    AdTargeting,
    BidStrategy,
    CallToAction,
    Goal,
    Optimization,
    SpecialCategory,
)
from socialgate.contracts.ads import AdObjectAdapter, AdObjectChanges, AdQuery, NewCreative, TargetingQuery
from socialgate.contracts.failures import (
    PlatformNotFoundError,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Kind, Platform
from socialgate_sandbox.vendors import ALL_VENDORS
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_IDENTITY, BAKERY_PHOTO_POST, BAKERY_PIXEL, BAKERY_POST
from support.ads_connector import SWEDES, AdsConnectorFixture, check_life, check_lost, check_pages
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, running_sandbox

_minutes = count(1)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    with start_driver(Platform.TIKTOKADS, sandbox) as opened:
        # Its limits of calls are those of the app, whichever test they come from, and setting back sets back its time.
        opened.rest(60 * next(_minutes))
        yield opened


@pytest.fixture
def stand(desk: ConnectorDriver) -> AdsConnectorFixture:
    return AdsConnectorFixture(desk, Kind.TIKTOK_ADS)


def a_spark(stand: AdsConnectorFixture, **more: Any) -> NewCreative:
    """Promote the post of the bakery."""
    ad_identity = stand.wait(
        stand.ads.account_adapter.resolve_publisher(stand.credentials, AdIdentity(id=BAKERY_IDENTITY), BAKERY_POST)
    )
    payload: dict[str, Any] = {
        "post_id": BAKERY_POST,
        "url": "https://bakery.example.com",
        "call_to_action": CallToAction.SHOP_NOW,
    }
    return stand.a_creative(publisher=ad_identity, **{**payload, **more})


def test_a_campaign_lives_and_ends(stand: AdsConnectorFixture) -> None:
    new = stand.a_campaign(budget=stand.daily(60_000))
    check_life(
        stand,
        stand.ads.campaigns,
        new,
        AdObjectChanges(name="More buns", configured_status="active", budget=stand.daily(70_000)),
    )


def test_a_campaign_comes_back_as_it_was_sent(stand: AdsConnectorFixture) -> None:
    new = stand.a_campaign(budget=stand.daily(60_050), special_categories=(SpecialCategory.HOUSING,))
    created = stand.make(stand.ads.campaigns, new)
    assert (created.goal, created.platform_goal, created.status) == (Goal.TRAFFIC, "TRAFFIC", AdStatus.PAUSED)
    assert (created.budget, created.special_categories) == (new.budget, (SpecialCategory.HOUSING,))
    lifetime = msgspec.structs.replace(stand.daily(90_000), type="lifetime")
    with pytest.raises(PlatformRejectedError) as failure:
        stand.wait(stand.ads.campaigns.update(stand.credentials, created.id, AdObjectChanges(budget=lifetime)))
    assert failure.value.errors[0].pointer == "/budget/type"


@pytest.mark.parametrize("goal", Goal)
def test_every_goal_has_its_ad_groups(stand: AdsConnectorFixture, goal: Goal) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign(goal=goal))
    pixel = AdPromotion(pixel_id=BAKERY_PIXEL, event="Purchase") if goal is Goal.CONVERSIONS else None
    app = AdPromotion(app_id="7000000000000000001") if goal is Goal.APP_PROMOTION else None
    created = stand.make(stand.ads.adsets, stand.an_adset(campaign.id, goal=None, promoted_object=pixel or app))
    assert created.optimization is not None
    assert created.promoted_object == pixel or app


@pytest.mark.parametrize(
    ("goal", "promoted", "expected"),
    [
        (Goal.TRAFFIC, None, {"budget_mode": "BUDGET_MODE_DYNAMIC_DAILY_BUDGET", "promotion_type": "WEBSITE"}),
        (Goal.AWARENESS, None, {"budget_mode": "BUDGET_MODE_DAY", "billing_event": "CPM"}),
        (Goal.VIDEO_VIEWS, None, {"optimization_goal": "ENGAGED_VIEW", "bid_display_mode": "CPV"}),
        (Goal.LEADS, None, {"optimization_goal": "LEAD_GENERATION", "promotion_target_type": "INSTANT_PAGE"}),
        (
            Goal.LEADS,
            AdPromotion(pixel_id=BAKERY_PIXEL, event="Lead"),
            {
                "promotion_type": "LEAD_GENERATION",
                "promotion_target_type": "EXTERNAL_WEBSITE",
                "optimization_goal": "CONVERT",
                "optimization_event": "FORM",
            },
        ),
        (
            Goal.APP_PROMOTION,
            AdPromotion(app_id="7000000000000000001", app_store_url="https://apps.apple.com/app/id1"),
            {"promotion_type": "APP_IOS", "operating_systems": ["IOS"]},
        ),
    ],
)
def test_each_goal_sends_what_tiktok_requires_for_it(
    stand: AdsConnectorFixture, goal: Goal, promoted: AdPromotion | None, expected: dict[str, Any]
) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign(goal=goal))
    created = stand.make(stand.ads.adsets, stand.an_adset(campaign.id, goal=None, promoted_object=promoted))
    (sent, *_) = stand.desk.calls("*/adgroup/create/")
    assert {name: sent["body"].get(name) for name in expected} == expected
    assert created.budget.type == "daily"


def test_an_ad_group_without_ads_does_not_run(stand: AdsConnectorFixture) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign(configured_status="active"))
    created = stand.make(stand.ads.adsets, stand.an_adset(campaign.id, configured_status="active"))
    shown = (created.configured_status, created.status, created.reason)
    assert shown == ("active", AdStatus.BLOCKED, "It has no ads yet.")


def test_an_ad_group_comes_back_as_it_was_sent(stand: AdsConnectorFixture) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign(goal=Goal.CONVERSIONS))
    ad_targeting = AdTargeting(countries=("SE", "NO"), age_min=25, age_max=54, genders=("female",), languages=("sv",))
    start = stand.now + timedelta(days=1)
    new = stand.an_adset(
        campaign.id,
        goal=None,
        targeting=ad_targeting,
        promoted_object=AdPromotion(pixel_id=BAKERY_PIXEL, event="Purchase"),
        bid=AdBid(strategy=BidStrategy.COST_CAP, amount=Money(4_550, "SEK")),
        schedule=AdSchedule(start=start, end=start + timedelta(days=7)),
        configured_status="active",
    )
    created = stand.make(stand.ads.adsets, new)
    assert created.campaign_id == campaign.id
    assert created.optimization is Optimization.CONVERSIONS
    assert (created.budget, created.bid, created.promoted_object, created.schedule) == (
        new.budget,
        new.bid,
        new.promoted_object,
        new.schedule,
    )
    shown = created.targeting
    assert (len(shown.locations), shown.age_min, shown.age_max) == (2, 25, 54)
    assert (shown.genders, shown.languages) == (("female",), ("sv",))
    stand.wait(
        stand.ads.adsets.update(stand.credentials, created.id, AdObjectChanges(name="Everybody", targeting=SWEDES))
    )
    changed: Any = stand.wait(stand.ads.adsets.find(stand.credentials, created.id))
    assert (changed.name, changed.targeting.genders, changed.targeting.age_min) == ("Everybody", (), None)
    assert changed.configured_status == "active"


def test_a_new_start_keeps_the_end_of_an_ad_group(stand: AdsConnectorFixture) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    start = stand.now + timedelta(days=1)
    end = start + timedelta(days=7)
    created = stand.make(stand.ads.adsets, stand.an_adset(campaign.id, schedule=AdSchedule(start=start, end=end)))
    later = AdSchedule(start=start + timedelta(days=1))
    stand.wait(stand.ads.adsets.update(stand.credentials, created.id, AdObjectChanges(schedule=later)))
    changed: Any = stand.wait(stand.ads.adsets.find(stand.credentials, created.id))
    assert changed.schedule == AdSchedule(start=later.start, end=end)


def test_ad_groups_are_listed_by_their_campaign(stand: AdsConnectorFixture) -> None:
    campaigns = [stand.make(stand.ads.campaigns, stand.a_campaign(name)) for name in ("One", "Two")]
    sets = [stand.make(stand.ads.adsets, stand.an_adset(campaign.id, f"In {campaign.name}")) for campaign in campaigns]
    query = AdQuery(limit=10, campaign_id=campaigns[0].id)
    assert [item.id for item in stand.wait(stand.ads.adsets.list(stand.credentials, query)).items] == [sets[0].id]
    check_pages(stand, stand.ads.adsets, ["In One", "In Two"])
    stand.wait(stand.ads.adsets.delete(stand.credentials, sets[0].id))
    gone = AdQuery(limit=10, statuses=(AdStatus.DELETED,))
    assert [item.id for item in stand.wait(stand.ads.adsets.list(stand.credentials, gone)).items] == [sets[0].id]


def test_a_post_is_promoted(stand: AdsConnectorFixture) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    adset = stand.make(stand.ads.adsets, stand.an_adset(campaign.id))
    new = stand.an_ad(adset.id, a_spark(stand), pixel_id=BAKERY_PIXEL)
    created = stand.make(stand.ads.ads, new)
    assert (created.adset_id, created.campaign_id, created.creative_id) == (adset.id, campaign.id, None)
    assert created.creative.post_id == BAKERY_POST
    assert (created.creative.url, created.creative.call_to_action) == (
        "https://bakery.example.com",
        CallToAction.SHOP_NOW,
    )
    stand.wait(stand.ads.ads.delete(stand.credentials, created.id))
    check_life(stand, stand.ads.ads, new, AdObjectChanges(name="Evening buns"))


def test_photos_are_promoted_as_a_carousel(stand: AdsConnectorFixture) -> None:
    adset = stand.make(stand.ads.adsets, stand.an_adset(stand.make(stand.ads.campaigns, stand.a_campaign()).id))
    ad_identity = stand.wait(
        stand.ads.account_adapter.resolve_publisher(
            stand.credentials, AdIdentity(id=BAKERY_IDENTITY), BAKERY_PHOTO_POST
        )
    )
    shown = stand.a_creative(publisher=ad_identity, post_id=BAKERY_PHOTO_POST, url="https://bakery.example.com")
    created = stand.make(stand.ads.ads, stand.an_ad(adset.id, shown))
    assert created.creative.post_id == BAKERY_PHOTO_POST
    (sent, *_) = stand.desk.calls("*/ad/create/")
    assert sent["body"]["creatives"][0]["ad_format"] == "CAROUSEL_ADS"


def test_a_new_creative_leaves_the_rest_of_an_ad(stand: AdsConnectorFixture) -> None:
    adset = stand.make(stand.ads.adsets, stand.an_adset(stand.make(stand.ads.campaigns, stand.a_campaign()).id))
    created = stand.make(stand.ads.ads, stand.an_ad(adset.id, a_spark(stand), pixel_id=BAKERY_PIXEL))
    other = a_spark(stand, url="https://bakery.example.com/buns", call_to_action=CallToAction.ORDER_NOW)
    stand.wait(stand.ads.ads.update(stand.credentials, created.id, AdObjectChanges(creative=other)))
    stand.wait(
        stand.ads.ads.update(
            stand.credentials, created.id, AdObjectChanges(options={"click_tracking_url": "https://x.example"})
        )
    )
    changed: Any = stand.wait(stand.ads.ads.find(stand.credentials, created.id))
    assert (changed.name, changed.creative.url) == (created.name, "https://bakery.example.com/buns")
    assert changed.creative.call_to_action is CallToAction.ORDER_NOW
    calls = [call["body"] for call in stand.desk.calls("*/ad/update/")]
    assert [call["patch_update"] for call in calls] == [False, False]
    assert {call["creatives"][0]["tracking_pixel_id"] for call in calls} == {int(BAKERY_PIXEL)}


def test_a_rejected_ad_says_why(stand: AdsConnectorFixture) -> None:
    adset = stand.make(stand.ads.adsets, stand.an_adset(stand.make(stand.ads.campaigns, stand.a_campaign()).id))
    created = stand.make(stand.ads.ads, stand.an_ad(adset.id, a_spark(stand), configured_status="active"))
    for parent, objects in ((created.adset_id, stand.ads.adsets), (created.campaign_id, stand.ads.campaigns)):
        stand.wait(objects.update(stand.credentials, parent, AdObjectChanges(configured_status="active")))
    whose = {"platform": "tiktokads", "account": stand.credentials.platform_account_id}
    stand.desk.sandbox.control("review", **whose, ad=created.id, verdict="rejected", reason="It shows no buns.")
    result: Any = stand.wait(stand.ads.ads.find(stand.credentials, created.id))
    assert (result.status, result.reason) == (AdStatus.REJECTED, "It shows no buns.")
    listed = stand.wait(stand.ads.ads.list(stand.credentials, AdQuery(limit=10, adset_id=adset.id))).items
    assert [unit_item.reason for unit_item in listed] == ["It shows no buns."]


def test_a_dark_post_shows_an_uploaded_video(stand: AdsConnectorFixture) -> None:
    library, files = stand.ads.library, stand.desk.files
    image, video = files.image(720, 720), files.video(6)
    assert [*library.validate_media_file(image), *library.validate_media_file(video)] == []
    shown = stand.wait(library.upload_file(stand.credentials, image, files))
    assert stand.wait(library.get_ready_asset(stand.credentials, shown)) == shown
    moving = stand.wait(library.upload_file(stand.credentials, video, files))
    for _ in range(10):
        ready = stand.wait(library.get_ready_asset(stand.credentials, moving))
        if ready is not None:
            break
        stand.desk.rest(30)
    assert ready is not None
    ad_identity = stand.wait(
        stand.ads.account_adapter.resolve_publisher(stand.credentials, AdIdentity(id=BAKERY_IDENTITY), None)
    )
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    adset = stand.make(stand.ads.adsets, stand.an_adset(campaign.id))
    dark = stand.a_creative(
        publisher=ad_identity, text="Fresh every morning", assets=(ready,), url="https://bakery.example.com"
    )
    created = stand.make(stand.ads.ads, stand.an_ad(adset.id, dark))
    assert (created.creative.text, created.creative.video_id) == ("Fresh every morning", ready.id)
    (sent, *_) = stand.desk.calls("*/ad/create/")
    assert sent["body"]["creatives"][0]["dark_post_status"] == "ON"
    music, link = {"music_id": "7000000001"}, "https://bakery.example.com"
    cards = stand.a_creative(publisher=ad_identity, text="Buns", assets=(shown, shown), options=music, url=link)
    assert stand.make(stand.ads.ads, stand.an_ad(adset.id, cards, "Cards")).creative.text == "Buns"


def test_whoever_an_ad_comes_from_must_be_known(stand: AdsConnectorFixture) -> None:
    account = stand.ads.account_adapter
    wrong = ((AdIdentity(id="42"), None, "/accountId"), (None, None, "/accountId"))
    for requested_identity, post, pointer in (*wrong, (AdIdentity(id=BAKERY_IDENTITY), "99", "/postId")):
        with pytest.raises(PlatformRejectedError) as failure:
            stand.wait(account.resolve_publisher(stand.credentials, requested_identity, post))
        assert failure.value.errors[0].pointer == pointer
    connected = AdIdentity(id="an open id", kind=Kind.TIKTOK, name="Ada's Bakery")
    ad_identity = stand.wait(account.resolve_publisher(stand.credentials, connected, BAKERY_POST))
    assert ad_identity.id == f"TT_USER:{BAKERY_IDENTITY}"


def test_objects_of_other_accounts_are_not_found(stand: AdsConnectorFixture) -> None:
    created = stand.make(stand.ads.campaigns, stand.a_campaign())
    mine = stand.credentials.platform_account_id
    (other, *_) = [
        credentials for credentials in stand.desk.sign_in(Kind.TIKTOK_ADS) if credentials.platform_account_id != mine
    ]
    for strange in ("x", "", "1"):
        with pytest.raises(PlatformNotFoundError):
            stand.wait(stand.ads.campaigns.find(stand.credentials, strange))
    with pytest.raises(PlatformNotFoundError):
        stand.wait(stand.ads.campaigns.delete(other, created.id))
    assert stand.wait(stand.ads.campaigns.find(stand.credentials, created.id)) == created


def test_lost_campaigns_are_found(stand: AdsConnectorFixture) -> None:
    check_lost(stand, stand.ads.campaigns, "*/campaign/create/", stand.a_campaign("Lost"))


def test_lost_ad_groups_and_ads_are_found(stand: AdsConnectorFixture) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    adset = stand.make(stand.ads.adsets, stand.an_adset(campaign.id))
    check_lost(stand, stand.ads.adsets, "*/adgroup/create/", stand.an_adset(campaign.id, "Lost"))
    check_lost(stand, stand.ads.ads, "*/ad/create/", stand.an_ad(adset.id, a_spark(stand), "Lost"))


def test_errors_say_what_to_change(stand: AdsConnectorFixture) -> None:
    with pytest.raises(PlatformRejectedError, match="budget"):
        stand.wait(stand.ads.campaigns.create(stand.credentials, stand.a_campaign(budget=stand.daily(100))))
    yen = AdBudget.from_money(Money(500, "JPY"), "daily")
    with pytest.raises(PlatformRejectedError, match="SEK"):
        stand.wait(stand.ads.campaigns.create(stand.credentials, stand.a_campaign(budget=yen)))
    for error, expected in (
        ("rate_limited", PlatformRateLimitError),
        ("temporarily_unavailable", PlatformUnavailableError),
    ):
        stand.desk.fail("*/campaign/get/", error=error)
        with pytest.raises(expected):
            stand.wait(stand.ads.campaigns.list(stand.credentials, AdQuery(limit=1)))
        stand.desk.rest(7200)


def test_faults_are_reported_before_anything_is_sent(stand: AdsConnectorFixture) -> None:
    before = len(stand.desk.calls("*"))
    ads = stand.ads
    new = stand.a_campaign(
        spend_cap=Money(1, "SEK"),
        bid=AdBid(strategy=BidStrategy.COST_CAP, amount=Money(1, "SEK")),
        schedule=AdSchedule(),
        special_categories=(SpecialCategory.GAMBLING,),
        options={"advertiser_id": "1"},
        configured_status="archived",
    )
    assert {fault.pointer for fault in ads.campaigns.validate_new_object(new)} == {
        *("/spendCap", "/bid", "/schedule", "/specialCategories/0", "/platformOptions/advertiser_id", "/status")
    }
    ad_targeting = AdTargeting(excluded_locations=("1",), cities=("Stockholm",), age_min=20, age_max=30)
    adset = stand.an_adset("1", targeting=ad_targeting, bid=AdBid(strategy=BidStrategy.MIN_ROAS, roas=1.5))
    assert {fault.pointer for fault in ads.adsets.validate_new_object(adset)} == {
        *("/targeting/excludedLocations", "/targeting/cities/0", "/targeting/ageMin", "/targeting/ageMax"),
        "/bid/strategy",
    }
    (nowhere,) = ads.adsets.validate_new_object(stand.an_adset("1", targeting=AdTargeting()))
    assert nowhere.pointer == "/targeting/countries"
    (status,) = ads.campaigns.validate_new_object(stand.a_campaign(configured_status="archived"))
    assert status.detail == "TikTok does not support the status archived. Use active or paused."
    cards = stand.a_creative(headline="x", text="x" * 101, assets=(AdMediaAsset(id="1", type="image"),))
    assert {fault.pointer for fault in ads.ads.validate_new_object(stand.an_ad("1", cards))} == {
        *("/headline", "/text", "/platformOptions/music_id")
    }
    assert [fault.pointer for fault in ads.campaigns.validate_changes(AdObjectChanges(spend_cap=Money(1, "SEK")))] == [
        "/spendCap"
    ]
    assert len(stand.desk.calls("*")) == before


@pytest.mark.parametrize("name", ["identity_id", "operation_status", "budget", "bid_price", "schedule_end_time"])
def test_options_set_neither_money_nor_names_nor_the_switch(stand: AdsConnectorFixture, name: str) -> None:
    pointers = [f"/platformOptions/{name}"]
    assert [
        fault.pointer for fault in stand.ads.adsets.validate_new_object(stand.an_adset("1", options={name: "1"}))
    ] == pointers
    assert [
        fault.pointer for fault in stand.ads.adsets.validate_changes(AdObjectChanges(options={name: "1"}))
    ] == pointers


def test_options_of_each_type_leave_out_what_has_a_field(stand: AdsConnectorFixture) -> None:
    ads = stand.ads
    parts: list[tuple[AdObjectAdapter[Any, Any], Any, tuple[str, ...]]] = [
        (ads.campaigns, stand.a_campaign(), ("campaign_name", "objective_type", "budget_optimize_on")),
        (ads.adsets, stand.an_adset("1"), ("location_ids", "saved_audience_id", "pixel_id", "billing_event")),
        (ads.ads, stand.an_ad("1", a_spark(stand)), ("ad_text", "video_id", "dark_post_status", "creatives")),
    ]
    for objects, new, names in parts:
        wrong = msgspec.structs.replace(new, options=dict.fromkeys(names, "1"))
        for faults in (
            objects.validate_new_object(wrong),
            objects.validate_changes(AdObjectChanges(options=wrong.options)),
        ):
            assert {fault.pointer for fault in faults} == {f"/platformOptions/{name}" for name in names}
    hidden = stand.an_adset("1", targeting=msgspec.structs.replace(SWEDES, options={"campaign_id": "1"}))
    assert [fault.pointer for fault in ads.adsets.validate_new_object(hidden)] == [
        "/targeting/platformOptions/campaign_id"
    ]
    for part in (stand.audiences, stand.conversions):
        assert [fault.pointer for fault in part.validate_changes(AdObjectChanges(name="Buns"))] == []
        assert [fault.pointer for fault in part.validate_changes(AdObjectChanges(options={"a": 1}))] == [
            "/platformOptions"
        ]
    spark = stand.an_ad("1", a_spark(stand, options={"identity_id": "1"}))
    assert [fault.detail for fault in ads.ads.validate_new_object(spark)] == [
        "Use `accountId` or `publisherId` instead of identity_id."
    ]


def test_smallest_budgets_are_known_in_dollars(stand: AdsConnectorFixture) -> None:
    dollars = msgspec.structs.replace(stand.credentials, details={**stand.credentials.details, "currency": "USD"})
    limits, campaign, adset = stand.ads.account_adapter.get_min_budgets, Money(5_000, "USD"), Money(2_000, "USD")
    assert stand.wait(limits(dollars, "campaign")) == (campaign, campaign)
    assert stand.wait(limits(dollars, "adset")) == (adset, adset)
    assert stand.wait(limits(stand.credentials, "adset")) == (None, None)


def test_places_and_interests_are_found_and_targeted(stand: AdsConnectorFixture) -> None:
    places = stand.wait(
        stand.targeting.search(stand.credentials, TargetingQuery(kind="location", text="Stock", limit=10))
    )
    city = next(place for place in places if place.type == "city")
    assert (city.name, city.country, city.path) == ("Stockholm", "SE", ("Sweden", "Stockholm County"))
    (interest,) = stand.wait(
        stand.targeting.search(stand.credentials, TargetingQuery(kind="interest", text="bak", limit=5))
    )
    assert (interest.name, interest.path) == ("Baking", ("Food & Beverage",))
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    ad_targeting = AdTargeting(cities=(city.id,), interests=(interest.id,))
    created = stand.make(stand.ads.adsets, stand.an_adset(campaign.id, targeting=ad_targeting))
    assert (created.targeting.locations, created.targeting.interests) == ((city.id,), (interest.id,))
    unknown = stand.an_adset(campaign.id, targeting=AdTargeting(countries=("AQ",)))
    with pytest.raises(PlatformRejectedError, match="AQ"):
        stand.wait(stand.ads.adsets.create(stand.credentials, unknown))
