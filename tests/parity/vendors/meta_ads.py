"""Advertising at Meta: campaigns, ad sets, ads, creatives, audiences, pixels, conversions and insights."""

from datetime import timedelta
from typing import Any

from parity.operations import FILES, IMAGE, NOW, VIDEO, Operation, Walk
from parity.vendors.meta_commerce import ADS as ACCOUNT
from parity.vendors.meta_sdk import (
    Ad,
    AdAccount,
    AdCreative,
    AdReportRun,
    AdSet,
    AdsPixel,
    AdVideo,
    Campaign,
    CustomAudience,
    CustomConversion,
    TargetingSearch,
    names,
)
from socialgate.connectors.meta import api as graph
from socialgate.connectors.meta.ads import insights, media_library, pixels
from socialgate.connectors.meta.ads.ad_units import AdUnits
from socialgate.connectors.meta.ads.adsets import AdSets
from socialgate.connectors.meta.ads.audiences import MetaAudiences
from socialgate.connectors.meta.ads.campaigns import MetaCampaigns
from socialgate.connectors.meta.ads.conversions import MetaConversions
from socialgate.connectors.meta.ads.creatives import MetaCreatives
from socialgate.contracts.account_connection import ACCOUNT_HEALTH_CAPABILITY, ACCOUNT_PROFILE_CAPABILITY
from socialgate.contracts.ad_audiences import (
    AUDIENCES_CAPABILITY,
    CUSTOM_CONVERSIONS_CAPABILITY,
    PIXELS_CAPABILITY,
    AudienceKind,
    ConversionRule,
    HashedPerson,
    NewAudience,
    NewConversion,
    PixelEvent,
)
from socialgate.contracts.ad_insights import (
    AD_INSIGHTS_CAPABILITY,
    AdInsightsLevel,
    AdInsightsQuery,
    Breakdown,
    Granularity,
)
from socialgate.contracts.ad_values import (
    AdBid,
    AdBudget,
    AdIdentity,
    AdMediaAsset,
    AdPromotion,
    AdSchedule,
    AdTargeting,
    BidStrategy,
    CallToAction,
    Goal,
    Optimization,
    SpecialCategory,
)
from socialgate.contracts.ads import (
    AD_TARGETING_CAPABILITY,
    ADVERTISING_CAPABILITY,
    AdObjectChanges,
    AdQuery,
    NewAdSet,
    NewAdUnit,
    NewCampaign,
    NewCreative,
    TargetingQuery,
)
from socialgate.contracts.insights import DateRange
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Kind

ACT, PAGE = "act_2000000001", "1100000001"
CAMPAIGN, ADSET, AD, CREATIVE = "2100000001", "2100000002", "2100000003", "2100000004"
AUDIENCE, PIXEL, CONVERSION, REPORT, VIDEO_ID = "2600000001", "2600000002", "2600000003", "2400000001", "1500000004"
COMMON: dict[str, Any] = {"asked_at": NOW, "idempotency_reference": "123456789"}
QUERY = AdQuery(limit=25)
WITHIN = AdQuery(limit=25, campaign_id=CAMPAIGN)
DAILY = AdBudget.from_money(Money(15000, "SEK"), "daily")
RUNS = AdSchedule(start=NOW, end=NOW + timedelta(days=7))
STATES = ["ACTIVE", "PAUSED", "ARCHIVED", "IN_PROCESS", "WITH_ISSUES"]
SET_STATES = ["ACTIVE", "PAUSED", "CAMPAIGN_PAUSED", "ARCHIVED", "IN_PROCESS", "WITH_ISSUES"]
AD_STATES = [state for state in AdUnits.filterable_statuses if state != "DELETED"]
STORY = {
    "page_id": PAGE,
    "link_data": {
        "link": "https://bakery.example.com",
        "message": "Warm",
        "name": "Buns",
        "image_hash": "aa11",
        "call_to_action": {"type": "SHOP_NOW", "value": {"link": "https://bakery.example.com"}},
    },
}
NEW_CREATIVE = NewCreative(
    name="Buns",
    publisher=AdIdentity(id=PAGE, kind=Kind.FACEBOOK_PAGE),
    text="Warm",
    headline="Buns",
    url="https://bakery.example.com",
    call_to_action=CallToAction.SHOP_NOW,
    assets=(AdMediaAsset(id="aa11", type="image"),),
    **COMMON,
)
NEW_CAMPAIGN = NewCampaign(
    name="Buns",
    goal=Goal.TRAFFIC,
    special_categories=(SpecialCategory.HOUSING,),
    countries=("SE",),
    budget=DAILY,
    bid=AdBid(strategy=BidStrategy.LOWEST_COST),
    **COMMON,
)
NEW_ADSET = NewAdSet(
    name="Everybody",
    campaign_id=CAMPAIGN,
    goal=Goal.CONVERSIONS,
    budget=DAILY,
    bid=AdBid(strategy=BidStrategy.COST_CAP, amount=Money(500, "SEK")),
    schedule=RUNS,
    targeting=AdTargeting(countries=("SE",), age_min=25, genders=("female",), interests=("6003",), languages=("en",)),
    promoted_object=AdPromotion(pixel_id=PIXEL, event="Purchase"),
    **COMMON,
)
ROAS_ADSET = NewAdSet(
    name="Alike",
    campaign_id=CAMPAIGN,
    goal=Goal.CONVERSIONS,
    optimization=Optimization.VALUE,
    budget=AdBudget.from_money(Money(15000, "SEK"), "lifetime"),
    bid=AdBid(strategy=BidStrategy.MIN_ROAS, roas=2.5),
    schedule=RUNS,
    targeting=AdTargeting(
        cities=("2490299",),
        locations=("zip:SE:11122",),
        excluded_locations=("region:3847",),
        audiences=(AUDIENCE,),
        excluded_audiences=("2600000009",),
    ),
    promoted_object=AdPromotion(catalog_id="2700000001", product_set_id="2700000002"),
    options={"dsa_beneficiary": "Bakery", "dsa_payor": "Bakery"},
    **COMMON,
)
SPEAKER = AdIdentity(id="1200000001", kind=Kind.INSTAGRAM, page_id=PAGE)
FILM = NewCreative(
    name="Oven",
    publisher=SPEAKER,
    text="Warm",
    headline="Buns",
    url="https://bakery.example.com",
    assets=(AdMediaAsset(id=VIDEO_ID, type="video", cover="https://x.test/cover.jpg"),),
    **COMMON,
)
CARDS = NewCreative(
    name="Cards",
    publisher=AdIdentity(id=PAGE, kind=Kind.FACEBOOK_PAGE),
    headline="Buns",
    url="https://bakery.example.com",
    assets=(AdMediaAsset(id="aa11", type="image"), AdMediaAsset(id="bb22", type="image")),
    **COMMON,
)
LEAD_CREATIVE = NewCreative(
    name="Ask",
    publisher=AdIdentity(id=PAGE, kind=Kind.FACEBOOK_PAGE),
    text="Taste",
    form_id="1600000001",
    assets=(AdMediaAsset(id="aa11", type="image"),),
    **COMMON,
)
NEW_AD = NewAdUnit(name="Buns", adset_id=ADSET, creative_id=CREATIVE, pixel_id=PIXEL, **COMMON)
CUSTOMERS = NewAudience(name="Customers", kind=AudienceKind.CUSTOMERS, description="All", **COMMON)
VISITORS = NewAudience(
    name="Visitors", kind=AudienceKind.WEBSITE, pixel_id=PIXEL, url_contains=("buns",), retention_days=30, **COMMON
)
ALIKE = NewAudience(
    name="Alike", kind=AudienceKind.LOOKALIKE, source_id=AUDIENCE, countries=("SE",), ratio=0.05, **COMMON
)
RULE = ConversionRule(field="url", operator="contains", values=("thanks",))
NEW_CONVERSION = NewConversion(
    name="Thanks", pixel_id=PIXEL, event="Purchase", rules=(RULE,), value=Money(2500, "SEK"), **COMMON
)
EVENT = PixelEvent(
    name="Purchase",
    at=NOW,
    id="e1",
    url="https://bakery.example.com",
    person=HashedPerson(email="aa", ip="203.0.113.7", user_agent="Browser"),
    value=Money(2500, "SEK"),
)
NUMBERS = AdInsightsQuery(
    level=AdInsightsLevel.CAMPAIGN,
    days=DateRange(NOW.date() - timedelta(days=7), NOW.date()),
    granularity=Granularity.DAY,
    breakdowns=(Breakdown.AGE,),
    ids=(CAMPAIGN,),
    limit=100,
)
REPORT_QUERY = {
    "level": "campaign",
    "time_range": {"since": "2026-10-26", "until": "2026-11-02"},
    "time_increment": 1,
    "breakdowns": ["age"],
    "filtering": [{"field": "campaign.id", "operator": "IN", "value": [CAMPAIGN]}],
}
_OWN = {"account_id": "2000000001", "name": "Buns"}


def fields(subject: Any) -> list[str]:
    return [*names(subject.fields), "account_id"]


def ads(ours: Any) -> Any:
    return ours.find_adapter(Kind.META_ADS, ADVERTISING_CAPABILITY)


def audiences(ours: Any) -> Any:
    return ours.find_adapter(Kind.META_ADS, AUDIENCES_CAPABILITY)


def conversions(ours: Any) -> Any:
    return ours.find_adapter(Kind.META_ADS, CUSTOM_CONVERSIONS_CAPABILITY)


def ad_insights(ours: Any) -> Any:
    return ours.find_adapter(Kind.META_ADS, AD_INSIGHTS_CAPABILITY)


PIXEL_ROWS = {r"GET .*/adspixels": {"data": [{"id": PIXEL, "name": "Shop"}]}}
PUBLISHERS = {r"GET .*/promote_pages": {"data": [{"id": PAGE, "name": "Bakery"}]}}

OPERATIONS = [
    Operation(
        "read an ad account",
        lambda sdk: AdAccount(ACT, api=sdk).api_get(fields=names(graph.AD_ACCOUNT_FIELDS)),
        lambda ours: ours.find_adapter(Kind.META_ADS, ACCOUNT_PROFILE_CAPABILITY).fetch_profile(ACCOUNT),
    ),
    Operation(
        "list campaigns",
        lambda sdk: AdAccount(ACT, api=sdk).get_campaigns(
            fields=fields(MetaCampaigns), params={"effective_status": STATES, "limit": 25}
        ),
        lambda ours: ads(ours).campaigns.list(ACCOUNT, QUERY),
    ),
    Operation(
        "read a campaign",
        lambda sdk: Campaign(CAMPAIGN, api=sdk).api_get(fields=fields(MetaCampaigns)),
        lambda ours: ads(ours).campaigns.find(ACCOUNT, CAMPAIGN),
    ),
    Operation(
        "create a campaign",
        lambda sdk: AdAccount(ACT, api=sdk).create_campaign(
            params={
                "name": "Buns",
                "objective": "OUTCOME_TRAFFIC",
                "status": "PAUSED",
                "buying_type": "AUCTION",
                "special_ad_categories": ["HOUSING"],
                "special_ad_category_country": ["SE"],
                "daily_budget": 15000,
                "bid_strategy": "LOWEST_COST_WITHOUT_CAP",
            }
        ),
        lambda ours: ads(ours).campaigns.create(ACCOUNT, NEW_CAMPAIGN),
    ),
    Operation(
        "create a campaign whose ad sets have budgets",
        lambda sdk: AdAccount(ACT, api=sdk).create_campaign(
            params={
                "name": "Buns",
                "objective": "OUTCOME_LEADS",
                "status": "ACTIVE",
                "buying_type": "AUCTION",
                "special_ad_categories": [],
                "is_adset_budget_sharing_enabled": False,
                "spend_cap": 90000,
                "start_time": "2026-11-02T09:00:00+0000",
                "stop_time": "2026-11-09T09:00:00+0000",
            }
        ),
        lambda ours: ads(ours).campaigns.create(
            ACCOUNT,
            NewCampaign(
                name="Buns",
                goal=Goal.LEADS,
                configured_status="active",
                spend_cap=Money(90000, "SEK"),
                schedule=RUNS,
                **COMMON,
            ),
        ),
    ),
    Operation(
        "create a campaign for loans",
        lambda sdk: AdAccount(ACT, api=sdk).create_campaign(
            params={
                "name": "Loans",
                "objective": "OUTCOME_AWARENESS",
                "status": "PAUSED",
                "buying_type": "AUCTION",
                "special_ad_categories": ["FINANCIAL_PRODUCTS_SERVICES"],
                "special_ad_category_country": ["US"],
                "is_adset_budget_sharing_enabled": False,
            }
        ),
        lambda ours: ads(ours).campaigns.create(
            ACCOUNT,
            NewCampaign(
                name="Loans",
                goal=Goal.AWARENESS,
                special_categories=(SpecialCategory.CREDIT,),
                countries=("US",),
                **COMMON,
            ),
        ),
    ),
    Operation(
        "change a campaign",
        lambda sdk: Campaign(CAMPAIGN, api=sdk).api_update(
            params={"name": "Rolls", "status": "ACTIVE", "spend_cap": 50000}
        ),
        lambda ours: ads(ours).campaigns.update(
            ACCOUNT, CAMPAIGN, AdObjectChanges(name="Rolls", configured_status="active", spend_cap=Money(50000, "SEK"))
        ),
    ),
    Operation(
        "delete a campaign",
        lambda sdk: Campaign(CAMPAIGN, api=sdk).api_delete(),
        lambda ours: ads(ours).campaigns.delete(ACCOUNT, CAMPAIGN),
    ),
    Operation(
        "list ad sets",
        lambda sdk: AdAccount(ACT, api=sdk).get_ad_sets(
            fields=fields(AdSets), params={"effective_status": SET_STATES, "limit": 25}
        ),
        lambda ours: ads(ours).adsets.list(ACCOUNT, QUERY),
    ),
    Operation(
        "list the ad sets of a campaign",
        lambda sdk: Campaign(CAMPAIGN, api=sdk).get_ad_sets(
            fields=fields(AdSets), params={"effective_status": SET_STATES, "limit": 25}
        ),
        lambda ours: ads(ours).adsets.list(ACCOUNT, WITHIN),
    ),
    Operation(
        "read an ad set",
        lambda sdk: AdSet(ADSET, api=sdk).api_get(fields=fields(AdSets)),
        lambda ours: ads(ours).adsets.find(ACCOUNT, ADSET),
    ),
    Operation(
        "create an ad set",
        lambda sdk: AdAccount(ACT, api=sdk).create_ad_set(
            params={
                "name": "Everybody",
                "campaign_id": CAMPAIGN,
                "status": "PAUSED",
                "optimization_goal": "OFFSITE_CONVERSIONS",
                "billing_event": "IMPRESSIONS",
                "daily_budget": 15000,
                "bid_strategy": "COST_CAP",
                "bid_amount": 500,
                "start_time": "2026-11-02T09:00:00+0000",
                "end_time": "2026-11-09T09:00:00+0000",
                "promoted_object": {"pixel_id": PIXEL, "custom_event_type": "PURCHASE"},
                "targeting": {
                    "geo_locations": {"countries": ["SE"]},
                    "age_min": 25,
                    "genders": [2],
                    "locales": [6],
                    "flexible_spec": [{"interests": [{"id": "6003"}]}],
                    "targeting_automation": {"advantage_audience": 0},
                },
            }
        ),
        lambda ours: ads(ours).adsets.create(ACCOUNT, NEW_ADSET),
    ),
    Operation(
        "create an ad set for a return",
        lambda sdk: AdAccount(ACT, api=sdk).create_ad_set(
            params={
                "name": "Alike",
                "campaign_id": CAMPAIGN,
                "status": "PAUSED",
                "optimization_goal": "VALUE",
                "billing_event": "IMPRESSIONS",
                "lifetime_budget": 15000,
                "bid_strategy": "LOWEST_COST_WITH_MIN_ROAS",
                "bid_constraints": {"roas_average_floor": 25000},
                "start_time": "2026-11-02T09:00:00+0000",
                "end_time": "2026-11-09T09:00:00+0000",
                "promoted_object": {"product_catalog_id": "2700000001", "product_set_id": "2700000002"},
                "dsa_beneficiary": "Bakery",
                "dsa_payor": "Bakery",
                "targeting": {
                    "geo_locations": {"cities": [{"key": "2490299"}], "zips": [{"key": "SE:11122"}]},
                    "excluded_geo_locations": {"regions": [{"key": "3847"}]},
                    "custom_audiences": [{"id": AUDIENCE}],
                    "excluded_custom_audiences": [{"id": "2600000009"}],
                    "targeting_automation": {"advantage_audience": 0},
                },
            }
        ),
        lambda ours: ads(ours).adsets.create(ACCOUNT, ROAS_ADSET),
    ),
    Operation(
        "read the objective of a campaign",
        lambda sdk: Campaign(CAMPAIGN, api=sdk).api_get(fields=["objective"]),
        lambda ours: ads(ours).adsets.create(
            ACCOUNT, NewAdSet(name="Plain", campaign_id=CAMPAIGN, targeting=AdTargeting(countries=("SE",)), **COMMON)
        ),
    ),
    Operation(
        "change an ad set",
        lambda sdk: AdSet(ADSET, api=sdk).api_update(
            params={
                "name": "Some",
                "status": "PAUSED",
                "targeting": {
                    "geo_locations": {"countries": ["SE"]},
                    "targeting_automation": {"advantage_audience": 0},
                },
            }
        ),
        lambda ours: ads(ours).adsets.update(
            ACCOUNT,
            ADSET,
            AdObjectChanges(name="Some", configured_status="paused", targeting=AdTargeting(countries=("SE",))),
        ),
    ),
    Operation(
        "delete an ad set",
        lambda sdk: AdSet(ADSET, api=sdk).api_delete(),
        lambda ours: ads(ours).adsets.delete(ACCOUNT, ADSET),
    ),
    Operation(
        "list ads",
        lambda sdk: AdAccount(ACT, api=sdk).get_ads(
            fields=fields(AdUnits), params={"effective_status": AD_STATES, "limit": 25}
        ),
        lambda ours: ads(ours).ads.list(ACCOUNT, QUERY),
    ),
    Operation(
        "list the ads of a campaign",
        lambda sdk: Campaign(CAMPAIGN, api=sdk).get_ads(
            fields=fields(AdUnits), params={"effective_status": AD_STATES, "limit": 25}
        ),
        lambda ours: ads(ours).ads.list(ACCOUNT, WITHIN),
    ),
    Operation(
        "list the ads of an ad set",
        lambda sdk: AdSet(ADSET, api=sdk).get_ads(
            fields=fields(AdUnits), params={"effective_status": AD_STATES, "limit": 25}
        ),
        lambda ours: ads(ours).ads.list(ACCOUNT, AdQuery(limit=25, adset_id=ADSET)),
    ),
    Operation(
        "read an ad",
        lambda sdk: Ad(AD, api=sdk).api_get(fields=fields(AdUnits)),
        lambda ours: ads(ours).ads.find(ACCOUNT, AD),
    ),
    Operation(
        "create an ad",
        lambda sdk: AdAccount(ACT, api=sdk).create_ad(
            params={
                "name": "Buns",
                "adset_id": ADSET,
                "status": "PAUSED",
                "creative": {"creative_id": CREATIVE},
                "tracking_specs": [{"action.type": ["offsite_conversion"], "fb_pixel": [PIXEL]}],
            }
        ),
        lambda ours: ads(ours).ads.create(ACCOUNT, NEW_AD),
    ),
    Operation(
        "create an ad with a creative of its own",
        lambda sdk: AdAccount(ACT, api=sdk).create_ad(
            params={
                "name": "Buns",
                "adset_id": ADSET,
                "status": "ACTIVE",
                "creative": {"name": "Buns", "object_story_spec": STORY},
            }
        ),
        lambda ours: ads(ours).ads.create(
            ACCOUNT, NewAdUnit(name="Buns", adset_id=ADSET, configured_status="active", creative=NEW_CREATIVE, **COMMON)
        ),
    ),
    Operation(
        "change an ad",
        lambda sdk: Ad(AD, api=sdk).api_update(params={"name": "Rolls", "creative": {"creative_id": CREATIVE}}),
        lambda ours: ads(ours).ads.update(ACCOUNT, AD, AdObjectChanges(name="Rolls", creative_id=CREATIVE)),
    ),
    Operation(
        "delete an ad",
        lambda sdk: Ad(AD, api=sdk).api_delete(),
        lambda ours: ads(ours).ads.delete(ACCOUNT, AD),
    ),
    Operation(
        "list creatives",
        lambda sdk: AdAccount(ACT, api=sdk).get_ad_creatives(fields=fields(MetaCreatives), params={"limit": 25}),
        lambda ours: ads(ours).creatives.list(ACCOUNT, QUERY),
    ),
    Operation(
        "read a creative",
        lambda sdk: AdCreative(CREATIVE, api=sdk).api_get(fields=fields(MetaCreatives)),
        lambda ours: ads(ours).creatives.find(ACCOUNT, CREATIVE),
    ),
    Operation(
        "create a creative",
        lambda sdk: AdAccount(ACT, api=sdk).create_ad_creative(params={"name": "Buns", "object_story_spec": STORY}),
        lambda ours: ads(ours).creatives.create(ACCOUNT, NEW_CREATIVE),
    ),
    Operation(
        "create a creative with a video",
        lambda sdk: AdAccount(ACT, api=sdk).create_ad_creative(
            params={
                "name": "Oven",
                "object_story_spec": {
                    "page_id": PAGE,
                    "instagram_user_id": "1200000001",
                    "video_data": {
                        "video_id": VIDEO_ID,
                        "image_url": "https://x.test/cover.jpg",
                        "title": "Buns",
                        "message": "Warm",
                        "call_to_action": {"type": "LEARN_MORE", "value": {"link": "https://bakery.example.com"}},
                    },
                },
            }
        ),
        lambda ours: ads(ours).creatives.create(ACCOUNT, FILM),
    ),
    Operation(
        "create a creative with cards",
        lambda sdk: AdAccount(ACT, api=sdk).create_ad_creative(
            params={
                "name": "Cards",
                "object_story_spec": {
                    "page_id": PAGE,
                    "link_data": {
                        "link": "https://bakery.example.com",
                        "name": "Buns",
                        "child_attachments": [
                            {"link": "https://bakery.example.com", "name": "Buns", "image_hash": "aa11"},
                            {"link": "https://bakery.example.com", "name": "Buns", "image_hash": "bb22"},
                        ],
                    },
                },
            }
        ),
        lambda ours: ads(ours).creatives.create(ACCOUNT, CARDS),
    ),
    Operation(
        "create a creative with a lead form",
        lambda sdk: AdAccount(ACT, api=sdk).create_ad_creative(
            params={
                "name": "Ask",
                "object_story_spec": {
                    "page_id": PAGE,
                    "link_data": {
                        "link": "https://fb.me/",
                        "message": "Taste",
                        "image_hash": "aa11",
                        "call_to_action": {"type": "SIGN_UP", "value": {"lead_gen_form_id": "1600000001"}},
                    },
                },
            }
        ),
        lambda ours: ads(ours).creatives.create(ACCOUNT, LEAD_CREATIVE),
    ),
    Operation(
        "create a creative of a post",
        lambda sdk: AdAccount(ACT, api=sdk).create_ad_creative(
            params={"name": "Post", "object_story_id": f"{PAGE}_1500000001"}
        ),
        lambda ours: ads(ours).creatives.create(
            ACCOUNT, NewCreative(name="Post", post_id=f"{PAGE}_1500000001", **COMMON)
        ),
    ),
    Operation(
        "create a creative of an Instagram post",
        lambda sdk: AdAccount(ACT, api=sdk).create_ad_creative(
            params={
                "name": "Post",
                "object_id": PAGE,
                "instagram_user_id": "1200000001",
                "source_instagram_media_id": "1500000002",
            }
        ),
        lambda ours: ads(ours).creatives.create(
            ACCOUNT, NewCreative(name="Post", publisher=SPEAKER, post_id="1500000002", **COMMON)
        ),
    ),
    Operation(
        "rename a creative",
        lambda sdk: AdCreative(CREATIVE, api=sdk).api_update(params={"name": "Rolls"}),
        lambda ours: ads(ours).creatives.update(ACCOUNT, CREATIVE, AdObjectChanges(name="Rolls")),
    ),
    Operation(
        "delete a creative",
        lambda sdk: AdCreative(CREATIVE, api=sdk).api_delete(),
        lambda ours: ads(ours).creatives.delete(ACCOUNT, CREATIVE),
    ),
    Operation(
        "upload an image",
        lambda sdk: sdk.call("POST", (ACT, "adimages"), files={"filename": ("bun.jpeg", b"xxxx", "image/jpeg")}),
        lambda ours: ads(ours).library.upload_file(ACCOUNT, IMAGE, FILES),
    ),
    Operation(
        "have a video fetched",
        lambda sdk: AdAccount(ACT, api=sdk).create_ad_video(params={"file_url": VIDEO.url, "name": VIDEO.file_name}),
        lambda ours: ads(ours).library.upload_file(ACCOUNT, VIDEO, FILES),
    ),
    Operation(
        "read whether a video is ready",
        lambda sdk: AdVideo(VIDEO_ID, api=sdk).api_get(fields=["status", "picture", "thumbnails"]),
        lambda ours: ads(ours).library.get_ready_asset(ACCOUNT, AdMediaAsset(id=VIDEO_ID, type="video")),
    ),
    Operation(
        "read the smallest budgets",
        lambda sdk: AdAccount(ACT, api=sdk).get_minimum_budgets(),
        lambda ours: ads(ours).account_adapter.get_min_budgets(ACCOUNT, "campaign"),
    ),
    Operation(
        "read who benefits and pays by default",
        lambda sdk: AdAccount(ACT, api=sdk).api_get(fields=["default_dsa_beneficiary", "default_dsa_payor"]),
        lambda ours: ads(ours).account_adapter.validate_adset(ACCOUNT, AdTargeting(countries=("SE",)), {}),
    ),
    Operation(
        "list the Pages that can be promoted",
        lambda sdk: AdAccount(ACT, api=sdk).get_promote_pages(
            fields=names(media_library._PAGE_FIELDS), params={"limit": 100}
        ),
        lambda ours: ads(ours).account_adapter.resolve_publisher(ACCOUNT, None, None),
        answers=PUBLISHERS,
    ),
    Operation(
        "search for places",
        lambda sdk: TargetingSearch.search(
            params={
                "type": "adgeolocation",
                "q": "Stock",
                "limit": 10,
                "location_types": ["city"],
                "country_code": "SE",
            },
            api=sdk,
        ),
        lambda ours: ours.find_adapter(Kind.META_ADS, AD_TARGETING_CAPABILITY).search(
            ACCOUNT, TargetingQuery(kind="location", text="Stock", types=("city",), country="SE", limit=10)
        ),
    ),
    Operation(
        "search for interests",
        lambda sdk: TargetingSearch.search(params={"type": "adinterest", "q": "Bread", "limit": 10}, api=sdk),
        lambda ours: ours.find_adapter(Kind.META_ADS, AD_TARGETING_CAPABILITY).search(
            ACCOUNT, TargetingQuery(kind="interest", text="Bread", limit=10)
        ),
    ),
    Operation(
        "search for a language",
        lambda sdk: TargetingSearch.search(params={"type": "adlocale", "q": "English"}, api=sdk),
        lambda ours: ads(ours).adsets.create(ACCOUNT, NEW_ADSET),
    ),
    Operation(
        "read insights",
        lambda sdk: AdAccount(ACT, api=sdk).get_insights(
            fields=names(insights._INSIGHT_FIELDS), params={**REPORT_QUERY, "limit": 100}
        ),
        lambda ours: ad_insights(ours).read_page(ACCOUNT, NUMBERS),
    ),
    Operation(
        "read insights by hour",
        lambda sdk: AdAccount(ACT, api=sdk).get_insights(
            fields=names(insights._INSIGHT_FIELDS),
            params={
                "level": "account",
                "time_range": {"since": "2026-10-26", "until": "2026-11-02"},
                "time_increment": "all_days",
                "breakdowns": ["hourly_stats_aggregated_by_advertiser_time_zone"],
                "limit": 100,
            },
        ),
        lambda ours: ad_insights(ours).read_page(
            ACCOUNT,
            AdInsightsQuery(
                level=AdInsightsLevel.ACCOUNT,
                days=NUMBERS.days,
                granularity=Granularity.TOTAL,
                breakdowns=(Breakdown.HOUR,),
                limit=100,
            ),
        ),
    ),
    Operation(
        "ask for a report",
        lambda sdk: AdAccount(ACT, api=sdk).get_insights_async(
            fields=names(insights._INSIGHT_FIELDS), params=REPORT_QUERY
        ),
        lambda ours: ad_insights(ours).start_report(ACCOUNT, NUMBERS),
    ),
    Operation(
        "read whether a report is ready",
        lambda sdk: AdReportRun(REPORT, api=sdk).api_get(
            fields=["async_status", "async_percent_completion", "error_user_msg", "error_message"]
        ),
        lambda ours: ad_insights(ours).get_report_state(ACCOUNT, REPORT),
    ),
    Operation(
        "read a report",
        lambda sdk: AdReportRun(REPORT, api=sdk).get_insights(params={"limit": 100}),
        lambda ours: ad_insights(ours).read_report_page(ACCOUNT, NUMBERS, REPORT),
    ),
    Operation(
        "list audiences",
        lambda sdk: AdAccount(ACT, api=sdk).get_custom_audiences(fields=fields(MetaAudiences), params={"limit": 25}),
        lambda ours: audiences(ours).list(ACCOUNT, QUERY),
    ),
    Operation(
        "read an audience",
        lambda sdk: CustomAudience(AUDIENCE, api=sdk).api_get(fields=fields(MetaAudiences)),
        lambda ours: audiences(ours).find(ACCOUNT, AUDIENCE),
    ),
    Operation(
        "create a list of customers",
        lambda sdk: AdAccount(ACT, api=sdk).create_custom_audience(
            params={
                "name": "Customers",
                "description": "All",
                "subtype": "CUSTOM",
                "customer_file_source": "USER_PROVIDED_ONLY",
            }
        ),
        lambda ours: audiences(ours).create(ACCOUNT, CUSTOMERS),
    ),
    Operation(
        "create an audience of visitors",
        lambda sdk: AdAccount(ACT, api=sdk).create_custom_audience(
            params={
                "name": "Visitors",
                "subtype": "WEBSITE",
                "retention_days": 30,
                "prefill": True,
                "rule": {
                    "inclusions": {
                        "operator": "or",
                        "rules": [
                            {
                                "event_sources": [{"id": PIXEL, "type": "pixel"}],
                                "retention_seconds": 2592000,
                                "filter": {
                                    "operator": "or",
                                    "filters": [{"field": "url", "operator": "i_contains", "value": "buns"}],
                                },
                            }
                        ],
                    }
                },
            }
        ),
        lambda ours: audiences(ours).create(ACCOUNT, VISITORS),
    ),
    Operation(
        "create a lookalike audience",
        lambda sdk: AdAccount(ACT, api=sdk).create_custom_audience(
            params={
                "name": "Alike",
                "subtype": "LOOKALIKE",
                "origin_audience_id": AUDIENCE,
                "lookalike_spec": {"type": "similarity", "ratio": 0.05, "country": "SE"},
            }
        ),
        lambda ours: audiences(ours).create(ACCOUNT, ALIKE),
    ),
    Operation(
        "change an audience",
        lambda sdk: CustomAudience(AUDIENCE, api=sdk).api_update(params={"name": "Few", "description": "Some"}),
        lambda ours: audiences(ours).update(ACCOUNT, AUDIENCE, AdObjectChanges(name="Few", description="Some")),
    ),
    Operation(
        "delete an audience",
        lambda sdk: CustomAudience(AUDIENCE, api=sdk).api_delete(),
        lambda ours: audiences(ours).delete(ACCOUNT, AUDIENCE),
    ),
    Operation(
        "add people to an audience",
        lambda sdk: CustomAudience(AUDIENCE, api=sdk).create_user(
            params={"payload": {"schema": ["EMAIL"], "data": [["aa"]]}}
        ),
        lambda ours: audiences(ours).upload_people(ACCOUNT, AUDIENCE, [HashedPerson(email="aa")], "add"),
    ),
    Operation(
        "remove people from an audience",
        lambda sdk: CustomAudience(AUDIENCE, api=sdk).delete_users(
            params={"payload": {"schema": ["EMAIL"], "data": [["aa"]]}}
        ),
        lambda ours: audiences(ours).upload_people(ACCOUNT, AUDIENCE, [HashedPerson(email="aa")], "remove"),
    ),
    Operation(
        "list pixels",
        lambda sdk: AdAccount(ACT, api=sdk).get_ads_pixels(fields=names(pixels._PIXEL_FIELDS), params={"limit": 25}),
        lambda ours: ours.find_adapter(Kind.META_ADS, PIXELS_CAPABILITY).list(ACCOUNT, QUERY),
    ),
    Operation(
        "send events to a pixel",
        lambda sdk: AdsPixel(PIXEL, api=sdk).create_event(
            params={
                "data": [
                    {
                        "event_name": "Purchase",
                        "event_time": int(NOW.timestamp()),
                        "event_id": "e1",
                        "action_source": "website",
                        "event_source_url": "https://bakery.example.com",
                        "user_data": {
                            "em": ["aa"],
                            "client_ip_address": "203.0.113.7",
                            "client_user_agent": "Browser",
                        },
                        "custom_data": {"value": 25.0, "currency": "SEK"},
                    }
                ],
                "test_event_code": "TEST1",
            }
        ),
        lambda ours: ours.find_adapter(Kind.META_ADS, PIXELS_CAPABILITY).send_events(ACCOUNT, PIXEL, [EVENT], "TEST1"),
        answers=PIXEL_ROWS,
    ),
    Operation(
        "list custom conversions",
        lambda sdk: AdAccount(ACT, api=sdk).get_custom_conversions(
            fields=fields(MetaConversions), params={"limit": 25}
        ),
        lambda ours: conversions(ours).list(ACCOUNT, QUERY),
    ),
    Operation(
        "read a custom conversion",
        lambda sdk: CustomConversion(CONVERSION, api=sdk).api_get(fields=fields(MetaConversions)),
        lambda ours: conversions(ours).find(ACCOUNT, CONVERSION),
    ),
    Operation(
        "create a custom conversion",
        lambda sdk: AdAccount(ACT, api=sdk).create_custom_conversion(
            params={
                "name": "Thanks",
                "event_source_id": PIXEL,
                "custom_event_type": "PURCHASE",
                "rule": {"and": [{"url": {"i_contains": "thanks"}}]},
                "default_conversion_value": 25.0,
            }
        ),
        lambda ours: conversions(ours).create(ACCOUNT, NEW_CONVERSION),
    ),
    Operation(
        "change a custom conversion",
        lambda sdk: CustomConversion(CONVERSION, api=sdk).api_update(params={"name": "Paid"}),
        lambda ours: conversions(ours).update(ACCOUNT, CONVERSION, AdObjectChanges(name="Paid")),
    ),
    Operation(
        "delete a custom conversion",
        lambda sdk: CustomConversion(CONVERSION, api=sdk).api_delete(),
        lambda ours: conversions(ours).delete(ACCOUNT, CONVERSION),
    ),
]

_POSTED = PUBLISHERS | {r"GET .*_\d+$": {"id": "1", "is_eligible_for_promotion": True}}
WALKS = [
    Walk(
        "check an ad account", lambda ours: ours.find_adapter(Kind.META_ADS, ACCOUNT_HEALTH_CAPABILITY).check(ACCOUNT)
    ),
    Walk("look for a campaign", lambda ours: ads(ours).campaigns.look_up_result(ACCOUNT, NEW_CAMPAIGN)),
    Walk("look for an ad set", lambda ours: ads(ours).adsets.look_up_result(ACCOUNT, NEW_ADSET)),
    Walk("look for an ad", lambda ours: ads(ours).ads.look_up_result(ACCOUNT, NEW_AD)),
    Walk("look for a creative", lambda ours: ads(ours).creatives.look_up_result(ACCOUNT, NEW_CREATIVE)),
    Walk("look for an audience", lambda ours: audiences(ours).look_up_result(ACCOUNT, CUSTOMERS)),
    Walk("look for a custom conversion", lambda ours: conversions(ours).look_up_result(ACCOUNT, NEW_CONVERSION)),
    Walk(
        "check whether a post can be promoted",
        lambda ours: ads(ours).account_adapter.resolve_publisher(ACCOUNT, None, f"{PAGE}_1500000001"),
        answers=_POSTED,
    ),
]
