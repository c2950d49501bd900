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
    AdPromotion,
    AdSchedule,
    AdStatus,
    AdTargeting,
    Asset,
    BidStrategy,
    CallToAction,
    Goal,
    Optimization,
    Publisher,
    SpecialCategory,
)
from socialgate.contracts.ads import AdQuery, Change, NewCreative, Objects, PlaceQuery
from socialgate.contracts.failures import PlatformNotFound, PlatformRateLimited, Rejected, TemporarilyUnavailable
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Kind, Platform
from socialgate_sandbox.vendors import ALL
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_IDENTITY, BAKERY_PHOTOS, BAKERY_PIXEL, BAKERY_POST
from support.publishing import Desk, desk_of
from support.simulation import RunningSandbox, running_sandbox
from support.stands import SWEDES, Stand, check_life, check_lost, check_pages

_minutes = count(1)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[Desk]:
    sandbox.control("reset")
    with desk_of(Platform.TIKTOKADS, sandbox) as opened:
        # Its limits of calls are those of the app, whichever test they come from, and setting back sets back its time.
        opened.rest(60 * next(_minutes))
        yield opened


@pytest.fixture
def stand(desk: Desk) -> Stand:
    return Stand(desk, Kind.TIKTOK_ADS)


def a_spark(stand: Stand, **more: Any) -> NewCreative:
    """Promote the post of the bakery."""
    who = stand.wait(stand.ads.account.publisher(stand.held, Publisher(id=BAKERY_IDENTITY), BAKERY_POST))
    told: dict[str, Any] = {
        "post_id": BAKERY_POST,
        "url": "https://bakery.example.com",
        "call_to_action": CallToAction.SHOP_NOW,
    }
    return stand.a_creative(publisher=who, **{**told, **more})


def test_a_campaign_lives_and_ends(stand: Stand) -> None:
    new = stand.a_campaign(budget=stand.daily(60_000))
    check_life(stand, stand.ads.campaigns, new, Change(name="More buns", switch="active", budget=stand.daily(70_000)))


def test_a_campaign_comes_back_as_it_was_sent(stand: Stand) -> None:
    new = stand.a_campaign(budget=stand.daily(60_050), special_categories=(SpecialCategory.HOUSING,))
    made = stand.make(stand.ads.campaigns, new)
    assert (made.goal, made.platform_goal, made.status) == (Goal.TRAFFIC, "TRAFFIC", AdStatus.PAUSED)
    assert (made.budget, made.special_categories) == (new.budget, (SpecialCategory.HOUSING,))
    lifetime = msgspec.structs.replace(stand.daily(90_000), type="lifetime")
    with pytest.raises(Rejected) as failure:
        stand.wait(stand.ads.campaigns.update(stand.held, made.id, Change(budget=lifetime)))
    assert failure.value.errors[0].pointer == "/budget/type"


@pytest.mark.parametrize("goal", Goal)
def test_every_goal_has_its_ad_groups(stand: Stand, goal: Goal) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign(goal=goal))
    pixel = AdPromotion(pixel_id=BAKERY_PIXEL, event="Purchase") if goal is Goal.CONVERSIONS else None
    app = AdPromotion(app_id="7000000000000000001") if goal is Goal.APP_PROMOTION else None
    made = stand.make(stand.ads.adsets, stand.an_adset(campaign.id, goal=None, promoted=pixel or app))
    assert made.optimization is not None
    assert made.promoted == pixel or app


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
    stand: Stand, goal: Goal, promoted: AdPromotion | None, expected: dict[str, Any]
) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign(goal=goal))
    made = stand.make(stand.ads.adsets, stand.an_adset(campaign.id, goal=None, promoted=promoted))
    (sent, *_) = stand.desk.calls("*/adgroup/create/")
    assert {name: sent["body"].get(name) for name in expected} == expected
    assert made.budget.type == "daily"


def test_an_ad_group_without_ads_does_not_run(stand: Stand) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign(switch="active"))
    made = stand.make(stand.ads.adsets, stand.an_adset(campaign.id, switch="active"))
    assert (made.switch, made.status, made.reason) == ("active", AdStatus.BLOCKED, "It has no ads yet.")


def test_an_ad_group_comes_back_as_it_was_sent(stand: Stand) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign(goal=Goal.CONVERSIONS))
    wanted = AdTargeting(countries=("SE", "NO"), age_min=25, age_max=54, genders=("female",), languages=("sv",))
    start = stand.now + timedelta(days=1)
    new = stand.an_adset(
        campaign.id,
        goal=None,
        targeting=wanted,
        promoted=AdPromotion(pixel_id=BAKERY_PIXEL, event="Purchase"),
        bid=AdBid(strategy=BidStrategy.COST_CAP, amount=Money(4_550, "SEK")),
        schedule=AdSchedule(start=start, end=start + timedelta(days=7)),
        switch="active",
    )
    made = stand.make(stand.ads.adsets, new)
    assert made.campaign_id == campaign.id
    assert made.optimization is Optimization.CONVERSIONS
    assert (made.budget, made.bid, made.promoted, made.schedule) == (new.budget, new.bid, new.promoted, new.schedule)
    shown = made.targeting
    assert (len(shown.locations), shown.age_min, shown.age_max) == (2, 25, 54)
    assert (shown.genders, shown.languages) == (("female",), ("sv",))
    stand.wait(stand.ads.adsets.update(stand.held, made.id, Change(name="Everybody", targeting=SWEDES)))
    changed: Any = stand.wait(stand.ads.adsets.find(stand.held, made.id))
    assert (changed.name, changed.targeting.genders, changed.targeting.age_min) == ("Everybody", (), None)
    assert changed.switch == "active"


def test_a_new_start_keeps_the_end_of_an_ad_group(stand: Stand) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    start = stand.now + timedelta(days=1)
    end = start + timedelta(days=7)
    made = stand.make(stand.ads.adsets, stand.an_adset(campaign.id, schedule=AdSchedule(start=start, end=end)))
    later = AdSchedule(start=start + timedelta(days=1))
    stand.wait(stand.ads.adsets.update(stand.held, made.id, Change(schedule=later)))
    changed: Any = stand.wait(stand.ads.adsets.find(stand.held, made.id))
    assert changed.schedule == AdSchedule(start=later.start, end=end)


def test_ad_groups_are_listed_by_their_campaign(stand: Stand) -> None:
    campaigns = [stand.make(stand.ads.campaigns, stand.a_campaign(name)) for name in ("One", "Two")]
    sets = [stand.make(stand.ads.adsets, stand.an_adset(one.id, f"In {one.name}")) for one in campaigns]
    query = AdQuery(limit=10, campaign_id=campaigns[0].id)
    assert [one.id for one in stand.wait(stand.ads.adsets.list(stand.held, query)).items] == [sets[0].id]
    check_pages(stand, stand.ads.adsets, ["In One", "In Two"])
    stand.wait(stand.ads.adsets.delete(stand.held, sets[0].id))
    gone = AdQuery(limit=10, statuses=(AdStatus.DELETED,))
    assert [one.id for one in stand.wait(stand.ads.adsets.list(stand.held, gone)).items] == [sets[0].id]


def test_a_post_is_promoted(stand: Stand) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    adset = stand.make(stand.ads.adsets, stand.an_adset(campaign.id))
    new = stand.an_ad(adset.id, a_spark(stand), pixel_id=BAKERY_PIXEL)
    made = stand.make(stand.ads.ads, new)
    assert (made.adset_id, made.campaign_id, made.creative_id) == (adset.id, campaign.id, None)
    assert made.creative.post_id == BAKERY_POST
    assert (made.creative.url, made.creative.call_to_action) == ("https://bakery.example.com", CallToAction.SHOP_NOW)
    stand.wait(stand.ads.ads.delete(stand.held, made.id))
    check_life(stand, stand.ads.ads, new, Change(name="Evening buns"))


def test_photos_are_promoted_as_a_carousel(stand: Stand) -> None:
    adset = stand.make(stand.ads.adsets, stand.an_adset(stand.make(stand.ads.campaigns, stand.a_campaign()).id))
    who = stand.wait(stand.ads.account.publisher(stand.held, Publisher(id=BAKERY_IDENTITY), BAKERY_PHOTOS))
    shown = stand.a_creative(publisher=who, post_id=BAKERY_PHOTOS, url="https://bakery.example.com")
    made = stand.make(stand.ads.ads, stand.an_ad(adset.id, shown))
    assert made.creative.post_id == BAKERY_PHOTOS
    (sent, *_) = stand.desk.calls("*/ad/create/")
    assert sent["body"]["creatives"][0]["ad_format"] == "CAROUSEL_ADS"


def test_a_new_creative_leaves_the_rest_of_an_ad(stand: Stand) -> None:
    adset = stand.make(stand.ads.adsets, stand.an_adset(stand.make(stand.ads.campaigns, stand.a_campaign()).id))
    made = stand.make(stand.ads.ads, stand.an_ad(adset.id, a_spark(stand), pixel_id=BAKERY_PIXEL))
    other = a_spark(stand, url="https://bakery.example.com/buns", call_to_action=CallToAction.ORDER_NOW)
    stand.wait(stand.ads.ads.update(stand.held, made.id, Change(creative=other)))
    stand.wait(stand.ads.ads.update(stand.held, made.id, Change(options={"click_tracking_url": "https://x.example"})))
    changed: Any = stand.wait(stand.ads.ads.find(stand.held, made.id))
    assert (changed.name, changed.creative.url) == (made.name, "https://bakery.example.com/buns")
    assert changed.creative.call_to_action is CallToAction.ORDER_NOW
    calls = [call["body"] for call in stand.desk.calls("*/ad/update/")]
    assert [call["patch_update"] for call in calls] == [False, False]
    assert {call["creatives"][0]["tracking_pixel_id"] for call in calls} == {int(BAKERY_PIXEL)}


def test_a_rejected_ad_says_why(stand: Stand) -> None:
    adset = stand.make(stand.ads.adsets, stand.an_adset(stand.make(stand.ads.campaigns, stand.a_campaign()).id))
    made = stand.make(stand.ads.ads, stand.an_ad(adset.id, a_spark(stand), switch="active"))
    for parent, objects in ((made.adset_id, stand.ads.adsets), (made.campaign_id, stand.ads.campaigns)):
        stand.wait(objects.update(stand.held, parent, Change(switch="active")))
    whose = {"platform": "tiktokads", "account": stand.held.platform_account_id}
    stand.desk.sandbox.control("review", **whose, ad=made.id, verdict="rejected", reason="It shows no buns.")
    found: Any = stand.wait(stand.ads.ads.find(stand.held, made.id))
    assert (found.status, found.reason) == (AdStatus.REJECTED, "It shows no buns.")
    listed = stand.wait(stand.ads.ads.list(stand.held, AdQuery(limit=10, adset_id=adset.id))).items
    assert [one.reason for one in listed] == ["It shows no buns."]


def test_a_dark_post_shows_an_uploaded_video(stand: Stand) -> None:
    library, files = stand.ads.library, stand.desk.files
    image, video = files.image(720, 720), files.video(6)
    assert [*library.faults(image), *library.faults(video)] == []
    shown = stand.wait(library.upload(stand.held, image, files))
    assert stand.wait(library.ready(stand.held, shown)) == shown
    moving = stand.wait(library.upload(stand.held, video, files))
    for _ in range(10):
        ready = stand.wait(library.ready(stand.held, moving))
        if ready is not None:
            break
        stand.desk.rest(30)
    assert ready is not None
    who = stand.wait(stand.ads.account.publisher(stand.held, Publisher(id=BAKERY_IDENTITY), None))
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    adset = stand.make(stand.ads.adsets, stand.an_adset(campaign.id))
    dark = stand.a_creative(
        publisher=who, text="Fresh every morning", assets=(ready,), url="https://bakery.example.com"
    )
    made = stand.make(stand.ads.ads, stand.an_ad(adset.id, dark))
    assert (made.creative.text, made.creative.video_id) == ("Fresh every morning", ready.id)
    (sent, *_) = stand.desk.calls("*/ad/create/")
    assert sent["body"]["creatives"][0]["dark_post_status"] == "ON"
    music, link = {"music_id": "7000000001"}, "https://bakery.example.com"
    cards = stand.a_creative(publisher=who, text="Buns", assets=(shown, shown), options=music, url=link)
    assert stand.make(stand.ads.ads, stand.an_ad(adset.id, cards, "Cards")).creative.text == "Buns"


def test_whoever_an_ad_comes_from_must_be_known(stand: Stand) -> None:
    account = stand.ads.account
    wrong = ((Publisher(id="42"), None, "/accountId"), (None, None, "/accountId"))
    for wanted, post, pointer in (*wrong, (Publisher(id=BAKERY_IDENTITY), "99", "/postId")):
        with pytest.raises(Rejected) as failure:
            stand.wait(account.publisher(stand.held, wanted, post))
        assert failure.value.errors[0].pointer == pointer
    connected = Publisher(id="an open id", kind=Kind.TIKTOK, name="Ada's Bakery")
    found = stand.wait(account.publisher(stand.held, connected, BAKERY_POST))
    assert found.id == f"TT_USER:{BAKERY_IDENTITY}"


def test_objects_of_other_accounts_are_not_found(stand: Stand) -> None:
    made = stand.make(stand.ads.campaigns, stand.a_campaign())
    mine = stand.held.platform_account_id
    (other, *_) = [one for one in stand.desk.sign_in(Kind.TIKTOK_ADS) if one.platform_account_id != mine]
    for strange in ("x", "", "1"):
        with pytest.raises(PlatformNotFound):
            stand.wait(stand.ads.campaigns.find(stand.held, strange))
    with pytest.raises(PlatformNotFound):
        stand.wait(stand.ads.campaigns.delete(other, made.id))
    assert stand.wait(stand.ads.campaigns.find(stand.held, made.id)) == made


def test_lost_campaigns_are_found(stand: Stand) -> None:
    check_lost(stand, stand.ads.campaigns, "*/campaign/create/", stand.a_campaign("Lost"))


def test_lost_ad_groups_and_ads_are_found(stand: Stand) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    adset = stand.make(stand.ads.adsets, stand.an_adset(campaign.id))
    check_lost(stand, stand.ads.adsets, "*/adgroup/create/", stand.an_adset(campaign.id, "Lost"))
    check_lost(stand, stand.ads.ads, "*/ad/create/", stand.an_ad(adset.id, a_spark(stand), "Lost"))


def test_errors_say_what_to_change(stand: Stand) -> None:
    with pytest.raises(Rejected, match="budget"):
        stand.wait(stand.ads.campaigns.create(stand.held, stand.a_campaign(budget=stand.daily(100))))
    yen = AdBudget.of(Money(500, "JPY"), "daily")
    with pytest.raises(Rejected, match="SEK"):
        stand.wait(stand.ads.campaigns.create(stand.held, stand.a_campaign(budget=yen)))
    for error, expected in (("rate_limited", PlatformRateLimited), ("temporarily_unavailable", TemporarilyUnavailable)):
        stand.desk.fail("*/campaign/get/", error=error)
        with pytest.raises(expected):
            stand.wait(stand.ads.campaigns.list(stand.held, AdQuery(limit=1)))
        stand.desk.rest(7200)


def test_faults_are_reported_before_anything_is_sent(stand: Stand) -> None:
    before = len(stand.desk.calls("*"))
    ads = stand.ads
    new = stand.a_campaign(
        spend_cap=Money(1, "SEK"),
        bid=AdBid(strategy=BidStrategy.COST_CAP, amount=Money(1, "SEK")),
        schedule=AdSchedule(),
        special_categories=(SpecialCategory.GAMBLING,),
        options={"advertiser_id": "1"},
        switch="archived",
    )
    assert {fault.pointer for fault in ads.campaigns.faults(new)} == {
        *("/spendCap", "/bid", "/schedule", "/specialCategories/0", "/platformOptions/advertiser_id", "/status")
    }
    wanted = AdTargeting(excluded_locations=("1",), cities=("Stockholm",), age_min=20, age_max=30)
    adset = stand.an_adset("1", targeting=wanted, bid=AdBid(strategy=BidStrategy.MIN_ROAS, roas=1.5))
    assert {fault.pointer for fault in ads.adsets.faults(adset)} == {
        *("/targeting/excludedLocations", "/targeting/cities/0", "/targeting/ageMin", "/targeting/ageMax"),
        "/bid/strategy",
    }
    (nowhere,) = ads.adsets.faults(stand.an_adset("1", targeting=AdTargeting()))
    assert nowhere.pointer == "/targeting/countries"
    (status,) = ads.campaigns.faults(stand.a_campaign(switch="archived"))
    assert status.detail == "TikTok does not support the status archived. Use active or paused."
    cards = stand.a_creative(headline="x", text="x" * 101, assets=(Asset(id="1", type="image"),))
    assert {fault.pointer for fault in ads.ads.faults(stand.an_ad("1", cards))} == {
        *("/headline", "/text", "/platformOptions/music_id")
    }
    assert [fault.pointer for fault in ads.campaigns.change_faults(Change(spend_cap=Money(1, "SEK")))] == ["/spendCap"]
    assert len(stand.desk.calls("*")) == before


@pytest.mark.parametrize("name", ["identity_id", "operation_status", "budget", "bid_price", "schedule_end_time"])
def test_options_set_neither_money_nor_names_nor_the_switch(stand: Stand, name: str) -> None:
    pointers = [f"/platformOptions/{name}"]
    assert [fault.pointer for fault in stand.ads.adsets.faults(stand.an_adset("1", options={name: "1"}))] == pointers
    assert [fault.pointer for fault in stand.ads.adsets.change_faults(Change(options={name: "1"}))] == pointers


def test_options_of_each_type_leave_out_what_has_a_field(stand: Stand) -> None:
    ads = stand.ads
    parts: list[tuple[Objects[Any, Any], Any, tuple[str, ...]]] = [
        (ads.campaigns, stand.a_campaign(), ("campaign_name", "objective_type", "budget_optimize_on")),
        (ads.adsets, stand.an_adset("1"), ("location_ids", "saved_audience_id", "pixel_id", "billing_event")),
        (ads.ads, stand.an_ad("1", a_spark(stand)), ("ad_text", "video_id", "dark_post_status", "creatives")),
    ]
    for objects, new, names in parts:
        wrong = msgspec.structs.replace(new, options=dict.fromkeys(names, "1"))
        for faults in (objects.faults(wrong), objects.change_faults(Change(options=wrong.options))):
            assert {fault.pointer for fault in faults} == {f"/platformOptions/{name}" for name in names}
    hidden = stand.an_adset("1", targeting=msgspec.structs.replace(SWEDES, options={"campaign_id": "1"}))
    assert [fault.pointer for fault in ads.adsets.faults(hidden)] == ["/targeting/platformOptions/campaign_id"]
    for part in (stand.audiences, stand.conversions):
        assert [fault.pointer for fault in part.change_faults(Change(name="Buns"))] == []
        assert [fault.pointer for fault in part.change_faults(Change(options={"a": 1}))] == ["/platformOptions"]
    spark = stand.an_ad("1", a_spark(stand, options={"identity_id": "1"}))
    assert [fault.detail for fault in ads.ads.faults(spark)] == [
        "Use `accountId` or `publisherId` instead of identity_id."
    ]


def test_smallest_budgets_are_known_in_dollars(stand: Stand) -> None:
    dollars = msgspec.structs.replace(stand.held, details={**stand.held.details, "currency": "USD"})
    limits, campaign, adset = stand.ads.account.limits, Money(5_000, "USD"), Money(2_000, "USD")
    assert stand.wait(limits(dollars, "campaign")) == (campaign, campaign)
    assert stand.wait(limits(dollars, "adset")) == (adset, adset)
    assert stand.wait(limits(stand.held, "adset")) == (None, None)


def test_places_and_interests_are_found_and_targeted(stand: Stand) -> None:
    places = stand.wait(stand.targeting.search(stand.held, PlaceQuery(kind="location", text="Stock", limit=10)))
    city = next(one for one in places if one.type == "city")
    assert (city.name, city.country, city.path) == ("Stockholm", "SE", ("Sweden", "Stockholm County"))
    (interest,) = stand.wait(stand.targeting.search(stand.held, PlaceQuery(kind="interest", text="bak", limit=5)))
    assert (interest.name, interest.path) == ("Baking", ("Food & Beverage",))
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    wanted = AdTargeting(cities=(city.id,), interests=(interest.id,))
    made = stand.make(stand.ads.adsets, stand.an_adset(campaign.id, targeting=wanted))
    assert (made.targeting.locations, made.targeting.interests) == ((city.id,), (interest.id,))
    unknown = stand.an_adset(campaign.id, targeting=AdTargeting(countries=("AQ",)))
    with pytest.raises(Rejected, match="AQ"):
        stand.wait(stand.ads.adsets.create(stand.held, unknown))
