"""TikTok API for Business, compared with TikTok's own SDK."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from parity.operations import (
    APP,
    CALLBACK,
    FILES,
    IMAGE,
    NOW,
    TOKEN,
    VIDEO,
    Operation,
    Vendor,
    Walk,
    account,
    ignore_refusal,
)
from parity.recording import SDK, Recorder
from sandbox.tiktokads.client import sdk as official
from socialgate.connectors.tiktokads import build_connector
from socialgate.connectors.tiktokads.api import Advertiser
from socialgate.connectors.tiktokads.manifest import LEADS_SCOPE
from socialgate.contracts.account_connection import ACCOUNT_PROFILE_CAPABILITY, AuthorizationRequest
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
from socialgate.contracts.ad_insights import AD_INSIGHTS_CAPABILITY, AdInsightsLevel, AdInsightsQuery, Granularity
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
    SpecialCategory,
)
from socialgate.contracts.ads import (
    AD_TARGETING_CAPABILITY,
    ADVERTISING_CAPABILITY,
    AdAdapters,
    AdObjectChanges,
    AdQuery,
    NewAdSet,
    NewAdUnit,
    NewCampaign,
    NewCreative,
    TargetingQuery,
)
from socialgate.contracts.commerce import (
    COMMERCE_CAPABILITY,
    PRODUCTS_CAPABILITY,
    FilterRule,
    NewCatalog,
    NewProductSet,
    Price,
    Product,
    ProductChangeMethod,
    ProductFilter,
    ProductQuery,
)
from socialgate.contracts.insights import DateRange
from socialgate.contracts.leads import LEADS_CAPABILITY
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Kind

HOST, KIND = "business-api.tiktok.com", Kind.TIKTOK_ADS
ADVERTISER, CENTER, CATALOG, SET = "7100000001", "7200000001", "7300000001", "7300000002"
CAMPAIGN, GROUP, AD, AUDIENCE, PIXEL = "7400000001", "7400000002", "7400000003", "7500000001", "7500000002"
IDENTITY, ITEM, FORM = "7600000001", "7600000002", "7700000001"
HELD = account(
    KIND,
    ADVERTISER,
    scopes=(LEADS_SCOPE,),
    details={"currency": "SEK", "businessCenterId": CENTER},
)
ASK = AuthorizationRequest(
    state="s", pkce_verifier="v", redirect_uri="https://gate.example.com/connect/tiktokads/callback"
)
COMMON: dict[str, Any] = {"asked_at": NOW, "idempotency_reference": "123456789"}
QUERY = AdQuery(limit=25)
DAILY = AdBudget.from_money(Money(20000, "SEK"), "daily")
WHO = AdIdentity(id=f"TT_USER:{IDENTITY}")
NEW_CAMPAIGN = NewCampaign(
    name="Buns", goal=Goal.TRAFFIC, budget=DAILY, special_categories=(SpecialCategory.HOUSING,), **COMMON
)
NEW_GROUP = NewAdSet(
    name="Everybody",
    campaign_id=CAMPAIGN,
    goal=Goal.CONVERSIONS,
    budget=DAILY,
    bid=AdBid(strategy=BidStrategy.COST_CAP, amount=Money(500, "SEK")),
    schedule=AdSchedule(start=NOW, end=NOW + timedelta(days=7)),
    targeting=AdTargeting(
        countries=("SE",), age_min=25, genders=("female",), languages=("en",), interests=("15",), audiences=(AUDIENCE,)
    ),
    promoted_object=AdPromotion(pixel_id=PIXEL, event="Purchase"),
    **COMMON,
)
LEAD_GROUP = NewAdSet(
    name="Leads",
    campaign_id=CAMPAIGN,
    goal=Goal.LEADS,
    budget=DAILY,
    targeting=AdTargeting(countries=("SE",)),
    **COMMON,
)
CREATIVE = NewCreative(
    name="Buns",
    publisher=WHO,
    text="Warm",
    url="https://bakery.example.com",
    call_to_action=CallToAction.SHOP_NOW,
    assets=(AdMediaAsset(id="v1", type="video", cover="i1"),),
    **COMMON,
)
SPARK = NewCreative(name="Buns", publisher=WHO, post_id=ITEM, **COMMON)
NEW_AD = NewAdUnit(name="Buns", adset_id=GROUP, creative=CREATIVE, pixel_id=PIXEL, **COMMON)
VISITORS = NewAudience(
    name="Visitors", kind=AudienceKind.WEBSITE, pixel_id=PIXEL, url_contains=("buns",), retention_days=30, **COMMON
)
ALIKE = NewAudience(
    name="Alike", kind=AudienceKind.LOOKALIKE, source_id=AUDIENCE, countries=("SE",), ratio=0.05, **COMMON
)
CUSTOMERS = NewAudience(name="Customers", kind=AudienceKind.CUSTOMERS, **COMMON)
CONVERSION = NewConversion(
    name="Thanks",
    pixel_id=PIXEL,
    event="Purchase",
    rules=(ConversionRule(field="url", operator="contains", values=("thanks",)),),
    **COMMON,
)
EVENT = PixelEvent(name="Purchase", at=NOW, id="e1", url="https://bakery.example.com", person=HashedPerson(email="aa"))
BUN = Product(retailer_id="bun-1", title="Bun", price=Price(2500, "SEK"))
RYE = ProductFilter(rules=(FilterRule(field="brand", operator="is", values=("Rye",)),))
NUMBERS = AdInsightsQuery(
    level=AdInsightsLevel.CAMPAIGN,
    days=DateRange(NOW.date() - timedelta(days=7), NOW.date()),
    granularity=Granularity.DAY,
    ids=(CAMPAIGN,),
    limit=100,
)
_METRICS = [
    *("spend", "total_complete_payment_rate", "impressions", "reach", "clicks", "engagements"),
    *("video_play_actions", "conversion", "campaign_name"),
]


@contextmanager
def client(recorder: Recorder) -> Iterator[Any]:
    configuration = official.Configuration()
    configuration.host = recorder.base(SDK, HOST)
    opened = official.ApiClient(configuration)
    yield opened
    opened.rest_client.pool_manager.clear()


def by(api: str, method: str, body: str = "", **fields: Any) -> Any:
    """Call a method of one of the SDK's classes: with a body of the type that it names, or with parameters."""

    def call(sdk: Any) -> Any:
        created = getattr(getattr(official, api)(sdk), method)
        if body:
            token = {} if method == "oauth2_access_token" else {"access_token": TOKEN}
            return created(**token, body=getattr(official, body)(**fields))
        return created(access_token=TOKEN, **fields)

    return call


def by_file(sdk: Any) -> Any:
    """Upload an image: the SDK takes the path of a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bun.jpeg"
        path.write_bytes(b"xxxx")
        digest = "ea416ed0759d46a8de58f63a59077499"
        values = {"file_name": "1-bun.jpeg", "upload_type": "UPLOAD_BY_FILE", "image_signature": digest}
        return by("FileApi", "ad_image_upload", advertiser_id=ADVERTISER, image_file=str(path), **values)(sdk)


def ads(ours: Any) -> AdAdapters:
    adapters: AdAdapters = ours.find_adapter(KIND, ADVERTISING_CAPABILITY)
    return adapters


OWN: dict[str, Any] = {"advertiser_id": ADVERTISER}
PAGED: dict[str, Any] = {**OWN, "page": 1, "page_size": 25}
ONE: dict[str, Any] = {**OWN, "page": 1, "page_size": 1}
NOT_DELETED = {"primary_status": "STATUS_NOT_DELETE"}

OPERATIONS = [
    Operation(
        "exchange a code",
        by(
            "AuthenticationApi",
            "oauth2_access_token",
            "Oauth2AccessTokenBody",
            app_id=APP.id,
            secret=APP.secret,
            auth_code="c",
        ),
        lambda ours: ours.redirect_login.exchange_code({"auth_code": "c"}, ASK),
    ),
    Operation(
        "list ad accounts",
        by("AuthenticationApi", "oauth2_advertiser_get", app_id=APP.id, secret=APP.secret),
        lambda ours: ours.redirect_login.discover_accounts(HELD.grant, []),
    ),
    Operation(
        "read an ad account",
        by(
            "AccountManagementApi",
            "advertiser_info",
            advertiser_ids=[ADVERTISER],
            fields=list(Advertiser.__struct_fields__),
        ),
        lambda ours: ours.find_adapter(KIND, ACCOUNT_PROFILE_CAPABILITY).fetch_profile(HELD),
    ),
    Operation(
        "list campaigns",
        by("CampaignCreationApi", "campaign_get", **PAGED, filtering=NOT_DELETED),
        lambda ours: ads(ours).campaigns.list(HELD, QUERY),
    ),
    Operation(
        "read a campaign",
        by("CampaignCreationApi", "campaign_get", **ONE, filtering={"campaign_ids": [CAMPAIGN]}),
        lambda ours: ads(ours).campaigns.find(HELD, CAMPAIGN),
    ),
    Operation(
        "create a campaign",
        by(
            "CampaignCreationApi",
            "campaign_create",
            "CampaignCreateBody",
            **OWN,
            campaign_name="Buns",
            objective_type="TRAFFIC",
            budget_mode="BUDGET_MODE_DYNAMIC_DAILY_BUDGET",
            budget=200.0,
            budget_optimize_on=True,
            special_industries=["HOUSING"],
            operation_status="DISABLE",
            request_id="123456789",
        ),
        lambda ours: ads(ours).campaigns.create(HELD, NEW_CAMPAIGN),
    ),
    Operation(
        "change a campaign",
        by(
            "CampaignCreationApi",
            "campaign_update",
            "CampaignUpdateBody",
            **OWN,
            campaign_id=CAMPAIGN,
            campaign_name="Rolls",
            budget=300.0,
        ),
        lambda ours: ads(ours).campaigns.update(
            HELD, CAMPAIGN, AdObjectChanges(name="Rolls", budget=AdBudget.from_money(Money(30000, "SEK"), "daily"))
        ),
    ),
    Operation(
        "switch a campaign on",
        by(
            "CampaignCreationApi",
            "campaign_status_update",
            "CampaignStatusUpdateBody",
            **OWN,
            campaign_ids=[CAMPAIGN],
            operation_status="ENABLE",
        ),
        lambda ours: ads(ours).campaigns.update(HELD, CAMPAIGN, AdObjectChanges(configured_status="active")),
    ),
    Operation(
        "delete a campaign",
        by(
            "CampaignCreationApi",
            "campaign_status_update",
            "CampaignStatusUpdateBody",
            **OWN,
            campaign_ids=[CAMPAIGN],
            operation_status="DELETE",
        ),
        lambda ours: ads(ours).campaigns.delete(HELD, CAMPAIGN),
    ),
    Operation(
        "list ad groups",
        by("AdgroupApi", "adgroup_get", **PAGED, filtering={"campaign_ids": [CAMPAIGN], **NOT_DELETED}),
        lambda ours: ads(ours).adsets.list(HELD, AdQuery(limit=25, campaign_id=CAMPAIGN)),
    ),
    Operation(
        "read an ad group",
        by("AdgroupApi", "adgroup_get", **ONE, filtering={"adgroup_ids": [GROUP]}),
        lambda ours: ads(ours).adsets.find(HELD, GROUP),
    ),
    Operation(
        "create an ad group",
        by(
            "AdgroupApi",
            "adgroup_create",
            "AdgroupCreateBody",
            **OWN,
            campaign_id=CAMPAIGN,
            adgroup_name="Everybody",
            promotion_type="WEBSITE",
            placement_type="PLACEMENT_TYPE_NORMAL",
            placements=["PLACEMENT_TIKTOK"],
            pacing="PACING_MODE_SMOOTH",
            optimization_goal="CONVERT",
            optimization_event="SHOPPING",
            pixel_id=PIXEL,
            billing_event="OCPM",
            bid_type="BID_TYPE_CUSTOM",
            conversion_bid_price=5.0,
            budget_mode="BUDGET_MODE_DYNAMIC_DAILY_BUDGET",
            budget=200.0,
            schedule_type="SCHEDULE_START_END",
            schedule_start_time="2026-11-02 09:00:00",
            schedule_end_time="2026-11-09 09:00:00",
            location_ids=["2661886"],
            age_groups=["AGE_25_34", "AGE_35_44", "AGE_45_54", "AGE_55_100"],
            gender="GENDER_FEMALE",
            languages=["en"],
            interest_category_ids=["15"],
            audience_ids=[AUDIENCE],
            operation_status="DISABLE",
            request_id="123456789",
        ),
        lambda ours: ads(ours).adsets.create(HELD, NEW_GROUP),
    ),
    Operation(
        "create an ad group for leads",
        by(
            "AdgroupApi",
            "adgroup_create",
            "AdgroupCreateBody",
            **OWN,
            campaign_id=CAMPAIGN,
            adgroup_name="Leads",
            promotion_type="LEAD_GENERATION",
            promotion_target_type="INSTANT_PAGE",
            placement_type="PLACEMENT_TYPE_NORMAL",
            placements=["PLACEMENT_TIKTOK"],
            pacing="PACING_MODE_SMOOTH",
            optimization_goal="LEAD_GENERATION",
            billing_event="OCPM",
            bid_type="BID_TYPE_NO_BID",
            budget_mode="BUDGET_MODE_DYNAMIC_DAILY_BUDGET",
            budget=200.0,
            schedule_type="SCHEDULE_FROM_NOW",
            schedule_start_time="2026-11-02 09:00:00",
            location_ids=["2661886"],
            gender="GENDER_UNLIMITED",
            operation_status="DISABLE",
            request_id="123456789",
        ),
        lambda ours: ads(ours).adsets.create(HELD, LEAD_GROUP),
    ),
    Operation(
        "change whom an ad group is shown to",
        by(
            "AdgroupApi",
            "adgroup_update",
            "AdgroupUpdateBody",
            **OWN,
            adgroup_id=GROUP,
            location_ids=["2661886"],
            zipcode_ids=["1"],
            age_groups=[],
            gender="GENDER_UNLIMITED",
            languages=[],
            interest_category_ids=[],
            audience_ids=[],
            excluded_audience_ids=[AUDIENCE],
        ),
        lambda ours: ads(ours).adsets.update(
            HELD,
            GROUP,
            AdObjectChanges(
                targeting=AdTargeting(countries=("SE",), locations=("zip:1",), excluded_audiences=(AUDIENCE,))
            ),
        ),
    ),
    Operation(
        "change an ad group",
        by(
            "AdgroupApi",
            "adgroup_update",
            "AdgroupUpdateBody",
            **OWN,
            adgroup_id=GROUP,
            adgroup_name="Some",
            budget=300.0,
        ),
        lambda ours: ads(ours).adsets.update(
            HELD, GROUP, AdObjectChanges(name="Some", budget=AdBudget.from_money(Money(30000, "SEK"), "daily"))
        ),
    ),
    Operation(
        "switch an ad group off",
        by(
            "AdgroupApi",
            "adgroup_status_update",
            "AdgroupStatusUpdateBody",
            **OWN,
            adgroup_ids=[GROUP],
            operation_status="DISABLE",
        ),
        lambda ours: ads(ours).adsets.update(HELD, GROUP, AdObjectChanges(configured_status="paused")),
    ),
    Operation(
        "list ads",
        by("AdApi", "ad_get", **PAGED, filtering={"adgroup_ids": [GROUP], **NOT_DELETED}),
        lambda ours: ads(ours).ads.list(HELD, AdQuery(limit=25, adset_id=GROUP)),
    ),
    Operation(
        "read an ad",
        by("AdApi", "ad_get", **ONE, filtering={"ad_ids": [AD]}),
        lambda ours: ads(ours).ads.find(HELD, AD),
    ),
    Operation(
        "create an ad",
        by(
            "AdApi",
            "ad_create",
            "AdCreateBody",
            **OWN,
            adgroup_id=GROUP,
            creatives=[
                {
                    "ad_name": "Buns",
                    "ad_format": "SINGLE_VIDEO",
                    "ad_text": "Warm",
                    "identity_type": "TT_USER",
                    "identity_id": IDENTITY,
                    "video_id": "v1",
                    "image_ids": ["i1"],
                    "dark_post_status": "ON",
                    "call_to_action": "SHOP_NOW",
                    "landing_page_url": "https://bakery.example.com",
                    "tracking_pixel_id": int(PIXEL),
                    "operation_status": "DISABLE",
                }
            ],
        ),
        lambda ours: ads(ours).ads.create(HELD, NEW_AD),
    ),
    Operation(
        "create an ad of a post",
        by(
            "AdApi",
            "ad_create",
            "AdCreateBody",
            **OWN,
            adgroup_id=GROUP,
            creatives=[
                {
                    "ad_name": "Buns",
                    "ad_format": "SINGLE_VIDEO",
                    "identity_type": "TT_USER",
                    "identity_id": IDENTITY,
                    "tiktok_item_id": ITEM,
                    "operation_status": "DISABLE",
                }
            ],
        ),
        lambda ours: ads(ours).ads.create(HELD, NewAdUnit(name="Buns", adset_id=GROUP, creative=SPARK, **COMMON)),
    ),
    Operation(
        "rename an ad",
        by(
            "AdApi",
            "ad_update",
            "AdUpdateBody",
            **OWN,
            adgroup_id=GROUP,
            patch_update=True,
            creatives=[{"ad_id": AD, "ad_name": "Rolls"}],
        ),
        lambda ours: ads(ours).ads.update(HELD, AD, AdObjectChanges(name="Rolls")),
    ),
    Operation(
        "switch an ad on",
        by("AdApi", "ad_status_update", "AdStatusUpdateBody", **OWN, ad_ids=[AD], operation_status="ENABLE"),
        lambda ours: ads(ours).ads.update(HELD, AD, AdObjectChanges(configured_status="active")),
    ),
    Operation(
        "upload an image",
        by_file,
        lambda ours: ads(ours).library.upload_file(HELD, IMAGE, FILES),
        free=("field file_name", "field image_file.file name"),
    ),
    Operation(
        "have an image fetched",
        by(
            "FileApi",
            "ad_image_upload",
            **OWN,
            file_name="x.jpg",
            upload_type="UPLOAD_BY_URL",
            image_url="https://x.test/cover.jpg",
        ),
        lambda ours: ads(ours).library.get_ready_asset(HELD, AdMediaAsset(id="v1", type="video")),
        free=("field file_name",),
    ),
    Operation(
        "have a video fetched",
        by(
            "FileApi",
            "ad_video_upload",
            **OWN,
            file_name="1-bun.mp4",
            upload_type="UPLOAD_BY_URL",
            video_url=VIDEO.url,
        ),
        lambda ours: ads(ours).library.upload_file(HELD, VIDEO, FILES),
        free=("field file_name",),
    ),
    Operation(
        "read a video",
        by("FileApi", "ad_video_info", **OWN, video_ids=["v1"]),
        lambda ours: ads(ours).library.get_ready_asset(HELD, AdMediaAsset(id="v1", type="video")),
    ),
    Operation(
        "list identities",
        by("IdentityApi", "identity_get", **OWN, page=1, page_size=100),
        lambda ours: ads(ours).account_adapter.resolve_publisher(HELD, None, None),
    ),
    Operation(
        "read a post",
        by("IdentityApi", "identity_video_info", **OWN, identity_type="TT_USER", identity_id=IDENTITY, item_id=ITEM),
        lambda ours: ads(ours).account_adapter.resolve_publisher(HELD, None, ITEM),
    ),
    Operation(
        "search for places",
        by(
            "ToolApi",
            "tool_targeting_search",
            "TargetingSearchBody",
            **OWN,
            objective_type="TRAFFIC",
            placements=["PLACEMENT_TIKTOK"],
            search_type="FUZZY_SEARCH",
            keywords=["Stock"],
            geo_types=["CITY"],
            region_codes=["SE"],
        ),
        lambda ours: ours.find_adapter(KIND, AD_TARGETING_CAPABILITY).search(
            HELD, TargetingQuery(kind="location", text="Stock", types=("city",), country="SE", limit=10)
        ),
    ),
    Operation(
        "list interests",
        by("ToolApi", "tool_interest_category", **OWN, version=2, placements=["PLACEMENT_TIKTOK"]),
        lambda ours: ours.find_adapter(KIND, AD_TARGETING_CAPABILITY).search(
            HELD, TargetingQuery(kind="interest", text="Bread", limit=10)
        ),
    ),
    Operation(
        "list countries",
        by(
            "ToolApi",
            "tool_region",
            **OWN,
            placements=["PLACEMENT_TIKTOK"],
            objective_type="WEB_CONVERSIONS",
            level_range="TO_COUNTRY",
        ),
        lambda ours: ads(ours).adsets.create(HELD, NEW_GROUP),
    ),
    Operation(
        "read a report",
        by(
            "ReportingApi",
            "report_integrated_get",
            **OWN,
            report_type="BASIC",
            data_level="AUCTION_CAMPAIGN",
            dimensions=["campaign_id", "stat_time_day"],
            metrics=_METRICS,
            start_date="2026-10-26",
            end_date="2026-11-02",
            filtering=[{"field_name": "campaign_ids", "filter_type": "IN", "filter_value": f'["{CAMPAIGN}"]'}],
            page=1,
            page_size=100,
        ),
        lambda ours: ours.find_adapter(KIND, AD_INSIGHTS_CAPABILITY).read_page(HELD, NUMBERS),
    ),
    Operation(
        "list audiences",
        by("AudienceApi", "dmp_custom_audience_list", **PAGED),
        lambda ours: ours.find_adapter(KIND, AUDIENCES_CAPABILITY).list(HELD, QUERY),
    ),
    Operation(
        "read an audience",
        by("AudienceApi", "dmp_custom_audience_get", **OWN, custom_audience_ids=[AUDIENCE]),
        lambda ours: ours.find_adapter(KIND, AUDIENCES_CAPABILITY).find(HELD, AUDIENCE),
    ),
    Operation(
        "create an audience of visitors",
        by(
            "AudienceApi",
            "dmp_custom_audience_rule_create",
            "RuleCreateBody",
            **OWN,
            custom_audience_name="Visitors",
            audience_type="PIXEL",
            rule_spec={
                "inclusion_rule_set": {
                    "operator": "OR",
                    "rules": [
                        {
                            "event_source_ids": [PIXEL],
                            "retention_days": 30,
                            "filter_set": {
                                "operator": "OR",
                                "filters": [
                                    {
                                        "field": "EVENT",
                                        "operator": "EQ",
                                        "value": "PAGE BROWSE",
                                        "parameter_filters": [
                                            {"field": "URL", "operator": "CONTAINS", "values": ["buns"]}
                                        ],
                                    }
                                ],
                            },
                        }
                    ],
                }
            },
        ),
        lambda ours: ours.find_adapter(KIND, AUDIENCES_CAPABILITY).create(HELD, VISITORS),
    ),
    Operation(
        "create a lookalike audience",
        by(
            "AudienceApi",
            "dmp_custom_audience_lookalike_create",
            "LookalikeCreateBody",
            **OWN,
            custom_audience_name="Alike",
            lookalike_spec={
                "source_audience_id": AUDIENCE,
                "include_source": False,
                "mobile_os": "ALL",
                "placements": ["TikTok"],
                "location_ids": ["2661886"],
                "audience_size": "BALANCED",
            },
        ),
        lambda ours: ours.find_adapter(KIND, AUDIENCES_CAPABILITY).create(HELD, ALIKE),
    ),
    Operation(
        "rename an audience",
        by(
            "AudienceApi",
            "dmp_custom_audience_update",
            "CustomAudienceUpdateBody",
            **OWN,
            custom_audience_id=AUDIENCE,
            custom_audience_name="Few",
        ),
        lambda ours: ours.find_adapter(KIND, AUDIENCES_CAPABILITY).update(HELD, AUDIENCE, AdObjectChanges(name="Few")),
    ),
    Operation(
        "delete an audience",
        by(
            "AudienceApi",
            "dmp_custom_audience_delete",
            "CustomAudienceDeleteBody",
            **OWN,
            custom_audience_ids=[AUDIENCE],
        ),
        lambda ours: ours.find_adapter(KIND, AUDIENCES_CAPABILITY).delete(HELD, AUDIENCE),
    ),
    Operation(
        "list pixels",
        by("MeasurementApi", "pixel_list", **OWN, page=1, page_size=20),
        lambda ours: ours.find_adapter(KIND, PIXELS_CAPABILITY).list(HELD, QUERY),
    ),
    Operation(
        "read a pixel",
        by("MeasurementApi", "pixel_list", **OWN, pixel_id=PIXEL),
        lambda ours: ours.find_adapter(KIND, PIXELS_CAPABILITY).find(HELD, PIXEL),
    ),
    Operation(
        "list catalogs",
        by("CatalogApi", "catalog_get", bc_id=CENTER, page=1, page_size=25),
        lambda ours: ours.find_adapter(KIND, COMMERCE_CAPABILITY).list_catalogs(HELD, 25, None),
    ),
    Operation(
        "read a catalog",
        by("CatalogApi", "catalog_get", bc_id=CENTER, catalog_id=CATALOG),
        lambda ours: ours.find_adapter(KIND, COMMERCE_CAPABILITY).fetch_catalog(HELD, CATALOG),
    ),
    Operation(
        "create a catalog",
        by(
            "CatalogApi",
            "catalog_create",
            "CatalogCreateBody",
            bc_id=CENTER,
            name="Bread",
            catalog_type="ECOM",
            catalog_conf={"currency": "SEK", "region_code": "SE"},
        ),
        lambda ours: ours.find_adapter(KIND, COMMERCE_CAPABILITY).create_catalog(
            HELD, NewCatalog(name="Bread", currency="SEK", country="SE")
        ),
    ),
    Operation(
        "list product sets",
        by("CatalogApi", "catalog_set_get", bc_id=CENTER, catalog_id=CATALOG),
        lambda ours: ours.find_adapter(KIND, COMMERCE_CAPABILITY).list_product_sets(HELD, CATALOG, 25, None),
    ),
    Operation(
        "delete products",
        by(
            "CatalogApi",
            "catalog_product_delete",
            "ProductDeleteBody",
            bc_id=CENTER,
            catalog_id=CATALOG,
            sku_ids=["bun-1"],
        ),
        lambda ours: ours.find_adapter(KIND, PRODUCTS_CAPABILITY).submit_batch(
            HELD, CATALOG, ProductChangeMethod.DELETE, [BUN]
        ),
    ),
    Operation(
        "read what became of products",
        by(
            "CatalogApi",
            "catalog_product_log",
            bc_id=CENTER,
            catalog_id=CATALOG,
            feed_log_id="7900000001",
            language="en",
        ),
        lambda ours: ours.find_adapter(KIND, PRODUCTS_CAPABILITY).get_chunk_result(HELD, CATALOG, "7900000001"),
    ),
]

_EXPORT = {"work": [[FORM, 2]]}
_LOG = {
    "process_status": "SUCCESS",
    "feed_log_data": {
        "download_path": {"en": "https://files.example.com/log-1000001.csv"},
        "error_affected_products": [{"issue": "No image", "affected_product_count": 9}],
    },
}
WALKS = [
    Walk("revoke a grant", lambda ours: ours.grant_revoker.revoke(HELD, is_last_account=True)),
    Walk("look for a campaign", lambda ours: ads(ours).campaigns.look_up_result(HELD, NEW_CAMPAIGN)),
    Walk("look for an ad group", lambda ours: ads(ours).adsets.look_up_result(HELD, NEW_GROUP)),
    Walk("look for an ad", lambda ours: ads(ours).ads.look_up_result(HELD, NEW_AD)),
    Walk(
        "look for an audience",
        lambda ours: ours.find_adapter(KIND, AUDIENCES_CAPABILITY).look_up_result(HELD, CUSTOMERS),
    ),
    Walk(
        "read why an ad was rejected",
        lambda ours: ads(ours).ads.find(HELD, AD),
        answers={
            r"GET .*/ad/get/": {
                "code": 0,
                "data": {"list": [{"ad_id": AD, "adgroup_id": GROUP, "secondary_status": "AD_STATUS_AUDIT_DENY"}]},
            }
        },
    ),
    Walk(
        "create a list of customers", lambda ours: ours.find_adapter(KIND, AUDIENCES_CAPABILITY).create(HELD, CUSTOMERS)
    ),
    Walk(
        "add people to an audience",
        lambda ours: ours.find_adapter(KIND, AUDIENCES_CAPABILITY).upload_people(
            HELD, AUDIENCE, [HashedPerson(email="aa")], "add"
        ),
    ),
    Walk(
        "send events", lambda ours: ours.find_adapter(KIND, PIXELS_CAPABILITY).send_events(HELD, PIXEL, [EVENT], None)
    ),
    Walk(
        "list conversions",
        lambda ours: ours.find_adapter(KIND, CUSTOM_CONVERSIONS_CAPABILITY).list(
            HELD, AdQuery(limit=25, pixel_id=PIXEL)
        ),
    ),
    Walk(
        "create a conversion",
        lambda ours: ours.find_adapter(KIND, CUSTOM_CONVERSIONS_CAPABILITY).create(HELD, CONVERSION),
    ),
    Walk(
        "look for a conversion",
        lambda ours: ours.find_adapter(KIND, CUSTOM_CONVERSIONS_CAPABILITY).look_up_result(HELD, CONVERSION),
    ),
    Walk(
        "change a conversion",
        lambda ours: ours.find_adapter(KIND, CUSTOM_CONVERSIONS_CAPABILITY).update(
            HELD, "7800000001", AdObjectChanges(name="Paid")
        ),
    ),
    Walk(
        "delete a conversion",
        lambda ours: ours.find_adapter(KIND, CUSTOM_CONVERSIONS_CAPABILITY).delete(HELD, "7800000001"),
    ),
    Walk(
        "find a catalog", lambda ours: ours.find_adapter(KIND, COMMERCE_CAPABILITY).find_catalogs_by_name(HELD, "Bread")
    ),
    Walk(
        "create a product set",
        lambda ours: ours.find_adapter(KIND, COMMERCE_CAPABILITY).create_product_set(
            HELD, NewProductSet(catalog_id=CATALOG, name="Rye", filter=RYE)
        ),
    ),
    Walk("list shops", lambda ours: ours.find_adapter(KIND, COMMERCE_CAPABILITY).list_shops(HELD, 25, None)),
    Walk(
        "list products",
        lambda ours: ours.find_adapter(KIND, PRODUCTS_CAPABILITY).list(HELD, CATALOG, ProductQuery(limit=25)),
    ),
    Walk(
        "create products",
        lambda ours: ours.find_adapter(KIND, PRODUCTS_CAPABILITY).submit_batch(
            HELD, CATALOG, ProductChangeMethod.UPSERT, [BUN]
        ),
    ),
    Walk(
        "change products",
        lambda ours: ours.find_adapter(KIND, PRODUCTS_CAPABILITY).submit_batch(
            HELD, CATALOG, ProductChangeMethod.UPDATE, [BUN]
        ),
    ),
    Walk("list lead forms", lambda ours: ours.find_adapter(KIND, LEADS_CAPABILITY).list_forms(HELD, 25, None)),
    Walk("read a lead form", lambda ours: ours.find_adapter(KIND, LEADS_CAPABILITY).fetch_form(HELD, FORM)),
    Walk("export leads", lambda ours: ours.find_adapter(KIND, LEADS_CAPABILITY).read_lead_batch(HELD, NOW, _EXPORT)),
    Walk(
        "be refused a file of leads",
        lambda ours: ignore_refusal(ours.find_adapter(KIND, LEADS_CAPABILITY).read_lead_batch(HELD, NOW, _EXPORT)),
        answers={r"GET .*/page/lead/task/download/": {"code": 40002, "message": "No"}},
    ),
    Walk(
        "read all that is wrong with products",
        lambda ours: ours.find_adapter(KIND, PRODUCTS_CAPABILITY).get_chunk_result(HELD, CATALOG, "7900000001"),
        answers={
            r"GET .*/catalog/product/log/": {"code": 0, "data": {"product_feed_log": _LOG}},
            r"\.csv$": b"sku_id\n",
        },
    ),
    Walk("subscribe to leads", lambda ours: ours.webhook_subscriber.subscribe(HELD, CALLBACK)),
]


def envelope(**data: Any) -> dict[str, Any]:
    return {"code": 0, "message": "OK", "request_id": "r1", "data": data}


_CAMPAIGN = {
    "campaign_id": CAMPAIGN,
    "objective_type": "TRAFFIC",
    "budget_mode": "BUDGET_MODE_DAY",
    "budget": 200.0,
    "operation_status": "ENABLE",
}
_GROUP = {**_CAMPAIGN, "adgroup_id": GROUP}
_AD = {**_GROUP, "ad_id": AD, "adgroup_id": GROUP}

VENDOR = Vendor(
    name="tiktokads",
    sdk=client,
    ours=lambda wire: build_connector(APP, wire),
    operations=OPERATIONS,
    walks=WALKS,
    answers={
        r"POST .*/oauth2/access_token/": envelope(access_token=TOKEN, advertiser_ids=[ADVERTISER], scope=[1]),
        r"GET .*/oauth2/advertiser/get/": envelope(list=[{"advertiser_id": ADVERTISER, "advertiser_name": "Bakery"}]),
        r"GET .*/advertiser/info/": envelope(list=[{"advertiser_id": ADVERTISER, "name": "Bakery"}]),
        r"GET .*/campaign/get/": envelope(list=[_CAMPAIGN]),
        r"GET .*/adgroup/get/": envelope(list=[_GROUP]),
        r"GET .*/ad/get/": envelope(list=[_AD]),
        r"POST .*/ad/create/": envelope(ad_ids=[AD], creatives=[]),
        r"POST .*/file/image/ad/upload/": envelope(image_id="i1"),
        r"POST .*/file/video/ad/upload/": {**envelope(), "data": [{"video_id": "v1"}]},
        r"GET .*/file/video/ad/info/": envelope(
            list=[{"video_id": "v1", "video_cover_url": "https://x.test/cover.jpg", "displayable": True}]
        ),
        r"GET .*/identity/get/": envelope(identity_list=[{"identity_type": "TT_USER", "identity_id": IDENTITY}]),
        r"GET .*/identity/video/info/": envelope(video_detail={"item_id": ITEM, "item_type": "VIDEO"}),
        r"GET .*/tool/region/": envelope(
            region_info=[{"region_code": "SE", "location_id": "2661886", "level": "COUNTRY"}]
        ),
        r"GET .*/tool/interest_category/": envelope(interest_categories=[]),
        r"GET .*/custom_audience/(?:list|get)/": envelope(
            list=[{"audience_details": {"audience_id": AUDIENCE, "name": "All"}}]
        ),
        r"GET .*/custom_conversion/list/": envelope(list=[{"custom_conversion_id": "7800000001", "name": "Thanks"}]),
        r"POST .*/custom_conversion/create/": envelope(custom_conversion_id="7800000001"),
        r"GET .*/pixel/list/": envelope(pixels=[{"pixel_id": PIXEL, "pixel_code": "C1"}]),
        r"GET .*/catalog/get/": envelope(list=[{"catalog_id": CATALOG, "catalog_name": "Bread"}]),
        r"POST .*/catalog/create/": envelope(catalog_id=CATALOG),
        r"GET .*/catalog/set/get/": envelope(product_set=[]),
        r"POST .*/catalog/set/create/": envelope(product_set_id=SET),
        r"POST .*/catalog/product/": envelope(feed_log_id="7900000001"),
        r"GET .*/catalog/product/log/": envelope(product_feed_log={"process_status": "SUCCESS"}),
        r"POST .*/page/lead/task/": envelope(task_id="7900000002", status="SUCCEED"),
        r"GET .*/page/lead/task/download/": b"lead id,created_time\n",
        r"GET .*/subscription/get/": envelope(
            subscriptions=[{"subscription_id": "1", "subscription_detail": {"advertiser_id": ADVERTISER}}]
        ),
        r"POST .*/(?:audience|create)/": envelope(
            custom_audience_id=AUDIENCE, audience_id=AUDIENCE, campaign_id=CAMPAIGN
        ),
        r"": envelope(list=[]),
    },
)
