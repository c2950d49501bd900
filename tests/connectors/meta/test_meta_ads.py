"""Campaigns, ad sets, creatives and ads of Meta at the sandbox."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from socialgate.connectors.meta.ads.mappings import parse_money, to_minor_units
from socialgate.connectors.meta.ads.media_library import MetaAdAccountAdapter
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
from socialgate.contracts.money import InvalidAmountError, Money
from socialgate.contracts.operations import NotFoundYet
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import Inconclusive, PostContent
from socialgate_sandbox.vendors import ALL_VENDORS
from socialgate_sandbox.vendors.meta.seed import BAKERY, BAKERY_FORM, BAKERY_IG, BAKERY_PIXEL
from support.ads_connector import SWEDES, AdsConnectorFixture, check_life, check_lost, check_pages
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, running_sandbox

PAGE = AdIdentity(id=BAKERY, kind=Kind.FACEBOOK_PAGE)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    with start_driver(Platform.META, sandbox) as opened:
        yield opened


@pytest.fixture
def stand(desk: ConnectorDriver) -> AdsConnectorFixture:
    return AdsConnectorFixture(desk, Kind.META_ADS)


def a_dark_post(stand: AdsConnectorFixture, **more: Any) -> NewCreative:
    payload: dict[str, Any] = {
        "text": "Fresh every morning",
        "headline": "Buns",
        "url": "https://bakery.example.com/buns",
    }
    return stand.a_creative(**{"publisher": PAGE, **payload, **more})


def test_a_campaign_lives_and_ends(stand: AdsConnectorFixture) -> None:
    new = stand.a_campaign(budget=stand.daily(60_000), bid=AdBid(strategy=BidStrategy.LOWEST_COST))
    check_life(stand, stand.ads.campaigns, new, AdObjectChanges(name="More buns", configured_status="active"))


def test_a_campaign_comes_back_as_it_was_sent(stand: AdsConnectorFixture) -> None:
    new = stand.a_campaign(
        goal=Goal.CONVERSIONS,
        budget=stand.daily(60_000),
        spend_cap=Money(5_000_000, "SEK"),
        special_categories=(SpecialCategory.HOUSING,),
        countries=("SE",),
    )
    created = stand.make(stand.ads.campaigns, new)
    assert (created.goal, created.platform_goal, created.status) == (Goal.CONVERSIONS, "OUTCOME_SALES", AdStatus.PAUSED)
    assert (created.budget, created.spend_cap) == (new.budget, new.spend_cap)
    assert created.special_categories == (SpecialCategory.HOUSING,)


def test_an_ad_set_comes_back_as_it_was_sent(stand: AdsConnectorFixture) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign(goal=Goal.CONVERSIONS))
    ad_targeting = AdTargeting(countries=("SE", "NO"), age_min=25, age_max=54, genders=("female",))
    start = stand.now + timedelta(days=1)
    new = stand.an_adset(
        campaign.id,
        goal=None,
        targeting=ad_targeting,
        promoted_object=AdPromotion(pixel_id=BAKERY_PIXEL, event="Purchase"),
        bid=AdBid(strategy=BidStrategy.COST_CAP, amount=Money(4_550, "SEK")),
        schedule=AdSchedule(start=start, end=start + timedelta(days=7)),
    )
    created = stand.make(stand.ads.adsets, new)
    assert created.campaign_id == campaign.id
    assert created.optimization is Optimization.CONVERSIONS, "usual for the goal, which Meta was asked for"
    assert (created.budget, created.bid, created.promoted_object) == (new.budget, new.bid, new.promoted_object)
    assert created.schedule == new.schedule
    shown = created.targeting
    assert (shown.countries, shown.age_min, shown.age_max, shown.genders) == (("SE", "NO"), 25, 54, ("female",))
    change = AdObjectChanges(name="Both", targeting=SWEDES, budget=stand.daily(70_000))
    stand.wait(stand.ads.adsets.update(stand.credentials, created.id, change))
    changed: Any = stand.wait(stand.ads.adsets.find(stand.credentials, created.id))
    assert (changed.name, changed.targeting.countries, changed.targeting.genders) == ("Both", ("SE",), ())
    assert changed.budget == stand.daily(70_000)


def test_ad_sets_are_listed_by_their_campaign(stand: AdsConnectorFixture) -> None:
    campaigns = [stand.make(stand.ads.campaigns, stand.a_campaign(name)) for name in ("One", "Two")]
    sets = [stand.make(stand.ads.adsets, stand.an_adset(campaign.id, f"In {campaign.name}")) for campaign in campaigns]
    query = AdQuery(limit=10, campaign_id=campaigns[0].id)
    assert [item.id for item in stand.wait(stand.ads.adsets.list(stand.credentials, query)).items] == [sets[0].id]
    check_pages(stand, stand.ads.adsets, ["In One", "In Two"])
    paused = AdQuery(limit=10, statuses=(AdStatus.PAUSED,), campaign_id=campaigns[1].id)
    assert [item.id for item in stand.wait(stand.ads.adsets.list(stand.credentials, paused)).items] == [sets[1].id]
    active = AdQuery(limit=10, statuses=(AdStatus.ACTIVE,), campaign_id=campaigns[1].id)
    assert stand.wait(stand.ads.adsets.list(stand.credentials, active)).items == []


def test_a_dark_post_becomes_an_ad(stand: AdsConnectorFixture) -> None:
    creatives = stand.ads.creatives
    assert creatives is not None
    creative = stand.make(creatives, a_dark_post(stand, call_to_action=CallToAction.SHOP_NOW))
    assert (creative.text, creative.headline) == ("Fresh every morning", "Buns")
    assert (creative.url, creative.call_to_action) == ("https://bakery.example.com/buns", CallToAction.SHOP_NOW)
    assert creative.post_id is not None
    assert creative.post_id.startswith(BAKERY)
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    adset = stand.make(stand.ads.adsets, stand.an_adset(campaign.id))
    new = msgspec.structs.replace(stand.an_ad(adset.id, a_dark_post(stand)), creative=None, creative_id=creative.id)
    ad = stand.make(stand.ads.ads, new)
    assert (ad.adset_id, ad.campaign_id, ad.creative_id) == (adset.id, campaign.id, creative.id)
    other = stand.make(creatives, a_dark_post(stand, name="Other"))
    stand.wait(stand.ads.ads.update(stand.credentials, ad.id, AdObjectChanges(name="Other ad", creative_id=other.id)))
    changed = stand.wait(stand.ads.ads.find(stand.credentials, ad.id))
    assert (changed.name, changed.creative_id) == ("Other ad", other.id)


def test_an_ad_lives_with_a_creative_of_its_own(stand: AdsConnectorFixture) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    adset = stand.make(stand.ads.adsets, stand.an_adset(campaign.id))
    new = stand.an_ad(adset.id, a_dark_post(stand), pixel_id=BAKERY_PIXEL)
    check_life(stand, stand.ads.ads, new, AdObjectChanges(name="Evening buns"))


def test_images_and_videos_become_ads(stand: AdsConnectorFixture) -> None:
    library, files, creatives = stand.ads.library, stand.desk.files, stand.ads.creatives
    assert creatives is not None
    image, video = files.image(1080, 1080), files.video(6)
    assert [*library.validate_media_file(image), *library.validate_media_file(video)] == []
    shown = stand.wait(library.upload_file(stand.credentials, image, files))
    assert stand.wait(library.upload_file(stand.credentials, image, files)) == shown, "Meta knows images by their bytes"
    assert stand.wait(library.get_ready_asset(stand.credentials, shown)) == shown
    moving = stand.wait(library.upload_file(stand.credentials, video, files))
    for _ in range(10):
        ready = stand.wait(library.get_ready_asset(stand.credentials, moving))
        if ready is not None:
            break
        stand.desk.rest(30)
    assert ready is not None
    assert ready.cover is not None
    for name, assets in (("Image", (shown,)), ("Video", (ready,)), ("Cards", (shown, shown))):
        created = stand.make(creatives, a_dark_post(stand, name=name, assets=assets))
        assert created.text == "Fresh every morning", name
    lead = a_dark_post(stand, name="Form", url=None, form_id=BAKERY_FORM, assets=(shown,))
    assert stand.make(creatives, lead).call_to_action is CallToAction.SIGN_UP


def test_whoever_an_ad_comes_from_must_be_known(stand: AdsConnectorFixture) -> None:
    account = stand.ads.account_adapter
    for requested_identity, post, pointer in (
        (PAGE, f"{BAKERY}_99", "/postId"),
        (AdIdentity(id="42"), None, "/accountId"),
    ):
        with pytest.raises(PlatformRejectedError) as failure:
            stand.wait(account.resolve_publisher(stand.credentials, requested_identity, post))
        assert failure.value.errors[0].pointer == pointer
    ad_identity = stand.wait(account.resolve_publisher(stand.credentials, AdIdentity(id=BAKERY_IG), None))
    assert (ad_identity.kind, ad_identity.page_id) == (Kind.INSTAGRAM, BAKERY)


@pytest.mark.parametrize("kind", [Kind.FACEBOOK_PAGE, Kind.INSTAGRAM])
def test_posts_are_promoted(stand: AdsConnectorFixture, desk: ConnectorDriver, kind: Kind) -> None:
    credentials = next(
        credentials for credentials in desk.sign_in(kind) if credentials.platform_account_id in {BAKERY, BAKERY_IG}
    )
    post = desk.publish(credentials, PostContent(text="Buns!", media=(desk.files.image(1080, 1080),))).platform_post_id
    creatives = stand.ads.creatives
    assert creatives is not None
    publisher = stand.wait(
        stand.ads.account_adapter.resolve_publisher(
            stand.credentials, AdIdentity(id=credentials.platform_account_id), post
        )
    )
    created = stand.make(creatives, stand.a_creative(publisher=publisher, post_id=post))
    assert created.post_id == post


def test_objects_of_other_accounts_are_not_found(stand: AdsConnectorFixture) -> None:
    """The person may have access to both ad accounts; whoever uses one must not reach the other."""
    created = stand.make(stand.ads.campaigns, stand.a_campaign())
    other = msgspec.structs.replace(stand.credentials, platform_account_id="act_1")
    with pytest.raises(PlatformNotFoundError):
        stand.wait(stand.ads.campaigns.find(other, created.id))
    with pytest.raises(PlatformNotFoundError):
        stand.wait(stand.ads.campaigns.update(other, created.id, AdObjectChanges(name="Mine")))
    with pytest.raises(PlatformNotFoundError):
        stand.wait(stand.ads.campaigns.delete(other, created.id))
    assert stand.wait(stand.ads.campaigns.find(stand.credentials, created.id)) == created
    for strange in ("../me", "1?fields=id", ""):
        with pytest.raises(PlatformNotFoundError):
            stand.wait(stand.ads.campaigns.find(stand.credentials, strange))


def test_lost_campaigns_are_found(stand: AdsConnectorFixture) -> None:
    check_lost(stand, stand.ads.campaigns, "*/campaigns", stand.a_campaign("Lost"))


def test_lost_ad_sets_and_ads_are_found(stand: AdsConnectorFixture) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    adset = stand.make(stand.ads.adsets, stand.an_adset(campaign.id))
    check_lost(stand, stand.ads.adsets, "*/adsets", stand.an_adset(campaign.id, "Lost"))
    check_lost(stand, stand.ads.ads, "*/ads", stand.an_ad(adset.id, a_dark_post(stand), "Lost"))


def test_creatives_have_no_time_so_their_names_prove_nothing(stand: AdsConnectorFixture) -> None:
    creatives = stand.ads.creatives
    assert creatives is not None
    new = a_dark_post(stand, name="Lost")
    assert isinstance(stand.wait(creatives.look_up_result(stand.credentials, new)), NotFoundYet)
    stand.wait(creatives.create(stand.credentials, new))
    assert isinstance(stand.wait(creatives.look_up_result(stand.credentials, new)), Inconclusive)


def test_errors_say_what_to_change(stand: AdsConnectorFixture) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    with pytest.raises(PlatformRejectedError) as failure:
        stand.wait(stand.ads.adsets.create(stand.credentials, stand.an_adset(campaign.id, budget=stand.daily(50))))
    assert failure.value.errors[0].pointer == "/budget"
    with pytest.raises(PlatformRejectedError, match="dsa_beneficiary") as failure:
        stand.wait(stand.ads.adsets.create(stand.credentials, stand.an_adset(campaign.id, options={})))
    assert failure.value.errors[0].pointer == "/platformOptions/dsa_beneficiary"
    for error, expected in (
        ("rate_limited", PlatformRateLimitError),
        ("temporarily_unavailable", PlatformUnavailableError),
    ):
        stand.desk.fail("*/campaigns", error=error, method="GET")
        with pytest.raises(expected):
            stand.wait(stand.ads.campaigns.list(stand.credentials, AdQuery(limit=1)))
        stand.desk.rest(7200)


def test_faults_are_reported_before_anything_is_sent(stand: AdsConnectorFixture) -> None:
    before = len(stand.desk.calls("*"))
    ads = stand.ads
    new = stand.a_campaign(
        budget=stand.daily(1),
        bid=AdBid(strategy=BidStrategy.COST_CAP, amount=Money(1, "SEK")),
        special_categories=(SpecialCategory.CREDIT,),
        options={"account_id": "1", "execution_options": ["validate_only"]},
        configured_status="archived",
    )
    assert {fault.pointer for fault in ads.campaigns.validate_new_object(new)} == {
        *("/bid/amount", "/countries", "/platformOptions/account_id", "/platformOptions/execution_options", "/status")
    }
    ad_targeting = AdTargeting(locations=("2490299",), cities=("Stockholm",), languages=("xx",), age_min=5)
    adset = stand.an_adset("1", targeting=ad_targeting, bid=AdBid(strategy=BidStrategy.BID_CAP))
    assert {fault.pointer for fault in ads.adsets.validate_new_object(adset)} == {
        *("/targeting/locations/0", "/targeting/cities/0", "/targeting/languages/0", "/targeting/ageMin", "/bid/amount")
    }
    typed = AdTargeting(regions=("bogus:1", "region:1", "2"), cities=("3", "town:4"))
    assert [fault.pointer for fault in ads.adsets.validate_new_object(stand.an_adset("1", targeting=typed))] == [
        *("/targeting/regions/0", "/targeting/cities/1")
    ]
    assert [fault.pointer for fault in ads.adsets.validate_changes(AdObjectChanges(targeting=typed))] == [
        *("/targeting/regions/0", "/targeting/cities/1")
    ]
    fils = stand.an_adset("1", budget=AdBudget.from_money(Money(1255, "KWD"), "daily"))
    assert [fault.pointer for fault in ads.adsets.validate_new_object(fils)] == ["/budget"]
    assert [fault.pointer for fault in ads.campaigns.validate_changes(AdObjectChanges(targeting=SWEDES))] == [
        "/targeting"
    ]
    creatives = ads.creatives
    assert creatives is not None
    cards = tuple(AdMediaAsset(id=str(number), type="image") for number in range(11))
    many = stand.a_creative(publisher=PAGE, assets=cards)
    assert {fault.pointer for fault in creatives.validate_new_object(many)} == {"/media", "/url"}
    assert len(stand.desk.calls("*")) == before


@pytest.mark.parametrize("name", ["object_story_id", "promoted_object", "status", "daily_budget", "end_time"])
def test_options_set_neither_money_nor_names_nor_the_switch(stand: AdsConnectorFixture, name: str) -> None:
    pointers = [f"/platformOptions/{name}"]
    assert [
        fault.pointer for fault in stand.ads.adsets.validate_new_object(stand.an_adset("1", options={name: "1"}))
    ] == pointers
    assert [
        fault.pointer for fault in stand.ads.adsets.validate_changes(AdObjectChanges(options={name: "1"}))
    ] == pointers


@pytest.mark.parametrize(
    "name",
    ["object_story_spec[page_id]", "promoted_object[page_id]", "daily.budget", "daily budget", " status", "Status"],
)
def test_another_spelling_of_an_option_is_no_way_around(stand: AdsConnectorFixture, name: str) -> None:
    """Meta reads the brackets of forms."""
    creatives = stand.ads.creatives
    assert creatives is not None
    for objects in (stand.ads.campaigns, stand.ads.adsets, stand.ads.ads, creatives):
        (fault,) = objects.validate_changes(AdObjectChanges(options={name: "1"}))
        assert fault.pointer == f"/platformOptions/{name}"
    assert not stand.ads.adsets.validate_changes(AdObjectChanges(options={"dsa_payor": "Lindqvist Bakery"}))


def test_options_of_each_type_leave_out_what_has_a_field(stand: AdsConnectorFixture) -> None:
    creatives = stand.ads.creatives
    assert creatives is not None
    parts: list[tuple[AdObjectAdapter[Any, Any], Any, tuple[str, ...]]] = [
        (stand.ads.campaigns, stand.a_campaign(), ("objective", "special_ad_category", "adset_budgets", "adbatch")),
        (stand.ads.adsets, stand.an_adset("1"), ("campaign_spec", "targeting", "optimization_goal", "time_stop")),
        (stand.ads.ads, stand.an_ad("1", a_dark_post(stand)), ("adset_id", "adset_spec", "creative", "bid_amount")),
        (creatives, a_dark_post(stand), ("actor_id", "body", "image_hash", "instagram_permalink_url")),
    ]
    for objects, new, names in parts:
        wrong = msgspec.structs.replace(new, options={**new.options, **dict.fromkeys(names, "1")})
        for faults in (
            objects.validate_new_object(wrong),
            objects.validate_changes(AdObjectChanges(options=wrong.options)),
        ):
            assert {fault.pointer for fault in faults} == {f"/platformOptions/{name}" for name in names}
            assert all(fault.detail.startswith(("Use ", "This is set by")) for fault in faults)


PARTIES = ("beneficiary", "payer")
PAID = {"dsa_beneficiary": "Lindqvist Bakery", "dsa_payor": "Lindqvist Bakery"}
IN_TAIWAN = {"geo_locations": {"countries": ["US", "TW"]}}
DECLARED: dict[str, Any] = {
    "regional_regulated_categories": ["TAIWAN_UNIVERSAL"],
    "regional_regulation_identities": {f"taiwan_universal_{party}": "4260400000000001" for party in PARTIES},
}


def test_the_union_needs_names_unless_the_account_has_them(stand: AdsConnectorFixture) -> None:
    rules, half = stand.ads.account_adapter, {"dsa_payor": "Lindqvist Bakery"}
    assert isinstance(rules, MetaAdAccountAdapter)

    def missing(targeting: AdTargeting, options: dict[str, str]) -> list[str]:
        faults = stand.wait(rules.validate_adset(stand.credentials, targeting, options))
        return [name for fault in faults if (name := fault.pointer.rpartition("/")[2]).startswith("dsa_")]

    both = ["dsa_beneficiary", "dsa_payor"]
    group, world = (
        AdTargeting(locations=("country_group:european_union",)),
        AdTargeting(locations=("country_group:worldwide",)),
    )
    raw = AdTargeting(options={"geo_locations": {"countries": ["US", "DE"]}})
    for targeting in (SWEDES, AdTargeting(locations=("country:FR",)), group, world, raw):
        assert missing(targeting, {}) == both
    assert missing(SWEDES, half) == ["dsa_beneficiary"]
    elsewhere = AdTargeting(countries=("NO", "US"))
    without = msgspec.structs.replace(world, excluded_locations=("country_group:european_union",))
    excluding = {"excluded_geo_locations": {"country_groups": ["european_union"]}}
    raw_without = msgspec.structs.replace(world, options=excluding)
    before = len(stand.desk.calls("*"))
    for targeting in (elsewhere, without, raw_without, AdTargeting(cities=("2490299",))):
        assert missing(targeting, {}) == []
    assert len(stand.desk.calls("*")) == before
    api = rules._graph.for_account(stand.credentials)
    stand.wait(
        api.call_for_success("POST", api.budget, {"default_dsa_beneficiary": "Lindqvist Bakery"}, repeatable=False)
    )
    assert missing(SWEDES, {}) == ["dsa_payor"]
    assert missing(SWEDES, half) == []
    # Meta agrees.
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    stand.make(stand.ads.adsets, stand.an_adset(campaign.id, options=half))


def test_taiwan_and_singapore_need_verified_identities(stand: AdsConnectorFixture) -> None:
    rules = stand.ads.account_adapter
    assert isinstance(rules, MetaAdAccountAdapter)

    def missing(targeting: AdTargeting, options: dict[str, Any]) -> list[tuple[str, str]]:
        faults = stand.wait(rules.validate_adset(stand.credentials, targeting, {**PAID, **options}))
        return [(fault.pointer.removeprefix("/platformOptions/regional_"), fault.code) for fault in faults]

    def needed(place: str) -> list[tuple[str, str]]:
        names = ("regulated_categories", *(f"regulation_identities/{place}_universal_{party}" for party in PARTIES))
        return [(name, "required") for name in names]

    taiwan, world = AdTargeting(countries=("TW",)), AdTargeting(locations=("country_group:worldwide",))
    for targeting in (taiwan, AdTargeting(locations=("country:TW",)), AdTargeting(options=IN_TAIWAN)):
        assert missing(targeting, {}) == needed("taiwan")
    assert missing(AdTargeting(countries=("SG",)), {}) == needed("singapore")
    assert missing(world, {}) == [*needed("singapore"), *needed("taiwan")]
    for excluded in ("country:TW", "country_group:asia"):
        without = msgspec.structs.replace(world, excluded_locations=("country:SG", excluded))
        assert missing(without, {}) == []
    assert missing(AdTargeting(countries=("JP", "US"), cities=("2490299",)), {}) == []
    identities = DECLARED["regional_regulation_identities"]
    named = {**DECLARED, "regional_regulation_identities": {**identities, "taiwan_universal_payer": "Bakery"}}
    assert missing(taiwan, named) == [("regulation_identities/taiwan_universal_payer", "invalid")]
    assert missing(taiwan, DECLARED) == []
    # Meta agrees, and shows what was declared.
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    new = stand.an_adset(campaign.id, targeting=taiwan, options=DECLARED)
    assert DECLARED.items() <= stand.make(stand.ads.adsets, new).options.items()
    wrong = msgspec.structs.replace(new, options={})
    with pytest.raises(PlatformRejectedError, match="TAIWAN_UNIVERSAL") as failure:
        stand.make(stand.ads.adsets, wrong)
    assert failure.value.errors[0].pointer == "/platformOptions/regional_regulated_categories"


def test_ads_for_credit_are_sent_as_financial_products(stand: AdsConnectorFixture) -> None:
    new = stand.a_campaign(special_categories=(SpecialCategory.CREDIT,), countries=("US",))
    created = stand.make(stand.ads.campaigns, new)
    assert created.special_categories == (SpecialCategory.CREDIT,)
    (sent,) = [call for call in stand.desk.calls("*/campaigns") if call["method"] == "POST"]
    assert "FINANCIAL_PRODUCTS_SERVICES" in str(sent)


def test_creatives_show_everybody_in_whose_name_they_appear(stand: AdsConnectorFixture) -> None:
    creatives = stand.ads.creatives
    assert creatives is not None
    instagram = AdIdentity(id=BAKERY_IG, kind=Kind.INSTAGRAM, page_id=BAKERY)
    for ad_identity, expected in ((PAGE, {BAKERY}), (instagram, {BAKERY, BAKERY_IG})):
        created = stand.make(creatives, a_dark_post(stand, publisher=ad_identity))
        assert set(created.publisher_ids) == expected


def test_amounts_are_in_hundredths_or_whole_units(stand: AdsConnectorFixture) -> None:
    """Meta has its own list of currencies without hundredths: forints have two decimals, and are counted whole."""
    amounts = {Money(60_000, "SEK"): 60_000, Money(999, "USD"): 999, Money(500, "JPY"): 500, Money(50_000, "HUF"): 500}
    for amount, parts in amounts.items():
        assert to_minor_units(amount) == parts
        assert parse_money(str(parts), amount.currency) == amount
    for amount in (Money(50_050, "HUF"), Money(1_255, "KWD")):
        with pytest.raises(InvalidAmountError):
            to_minor_units(amount)
    yen = AdBudget.from_money(Money(500, "JPY"), "daily")
    with pytest.raises(PlatformRejectedError, match="SEK"):
        stand.wait(stand.ads.campaigns.create(stand.credentials, stand.a_campaign(budget=yen)))


def test_limits_are_in_the_currency_of_the_account(stand: AdsConnectorFixture) -> None:
    limits = stand.wait(stand.ads.account_adapter.get_min_budgets(stand.credentials, "campaign"))
    assert limits.daily is not None
    assert limits.daily.currency == "SEK"
    assert limits.daily.amount > 0


def test_places_and_interests_are_found_and_targeted(stand: AdsConnectorFixture) -> None:
    places = stand.wait(
        stand.targeting.search(stand.credentials, TargetingQuery(kind="location", text="Stock", limit=10))
    )
    assert "Stockholm" in {place.name for place in places}
    city = next(place for place in places if place.type == "city")
    assert city.country == "SE"
    (interest, *_) = stand.wait(
        stand.targeting.search(stand.credentials, TargetingQuery(kind="interest", text="bak", limit=5))
    )
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    ad_targeting = AdTargeting(locations=(city.id,), interests=(interest.id,))
    created = stand.make(stand.ads.adsets, stand.an_adset(campaign.id, targeting=ad_targeting))
    assert (created.targeting.cities, created.targeting.interests) == ((city.id.partition(":")[2],), (interest.id,))


def test_languages_are_found_by_their_names(stand: AdsConnectorFixture) -> None:
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign())
    ad_targeting = msgspec.structs.replace(SWEDES, languages=("sv",))
    created = stand.make(stand.ads.adsets, stand.an_adset(campaign.id, targeting=ad_targeting))
    assert created.targeting.options["locales"]
