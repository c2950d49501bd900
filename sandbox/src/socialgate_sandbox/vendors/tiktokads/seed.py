"""The first advertisers: a bakery with two ad accounts, an agency with many, and somebody with none."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from socialgate_sandbox.kit import OWNERS, StoredObject, VendorContext
from socialgate_sandbox.kit.seed import build_seed
from socialgate_sandbox.society.ad_spend import Budget, TimedValue, TimeSpan
from socialgate_sandbox.society.campaigns import Ad, AdSet, Campaign, Verdict
from socialgate_sandbox.society.catalogs import Catalog
from socialgate_sandbox.society.leads import Question
from socialgate_sandbox.vendors.tiktokads.identities import Identity, Post
from socialgate_sandbox.vendors.tiktokads.pixels import Pixel
from socialgate_sandbox.vendors.tiktokads.state import (
    AdsUser,
    Advertiser,
    AdvertiserMember,
    BusinessCenter,
    CenterMember,
    LeadForm,
    Store,
)
from socialgate_sandbox.vendors.tiktokads.webhooks import SANDBOX_AD

USER_IDS = {"ada": "6890000000000000101", "bram": "6890000000000000202", "cleo": "6890000000000000303"}
BAKERY_ADVERTISER, SCHOOL_ADVERTISER = "7190000000000001001", "7190000000000001002"
ADA_CENTER, BRAM_CENTER = "7180000000000000001", "7180000000000000002"
BAKERY_CATALOG, BAKERY_STORE = "7390000000000000001", "7490000000000000001"
BAKERY_FORM = "7290000000000000001"
BAKERY_PIXEL, BAKERY_PIXEL_CODE, BAKERY_CRM_EVENT_SET = (
    "7590000000000000001",
    "C0SANDBOXBAKERY00001",
    "7590000000000000002",
)
BAKERY_IDENTITY, BAKERY_CUSTOM_IDENTITY, CLIENT_CUSTOM_IDENTITY = (
    "7690000000000000001",
    "7690000000000000002",
    "7690000000000000003",
)
BAKERY_POST, CREATOR_POST, CREATOR_AUTH_CODE = "7790000000000000001", "7790000000000000002", "#sandboxCreatorCode"
BAKERY_PHOTO_POST = "7790000000000000003"
CLIENT_ADVERTISERS = tuple(f"71900000000000020{number:02}" for number in range(1, 13))
# Ada's account in the simulated TikTok, whose posts her identity can boost.
_ADA_TIKTOK_ACCOUNT = "_000Ad4LindqvistB4keryStockholmSE01xQ"
_CREATED_UNIX_TIME = 1_614_334_356
_CREATED_AT = datetime.fromtimestamp(_CREATED_UNIX_TIME, UTC)


_QUESTIONS = [
    Question(key="name", kind="FULL_NAME", label="Name"),
    Question(key="email", kind="EMAIL", label="Email"),
    Question(key="phone_number", kind="PHONE", label="Phone number"),
]


@build_seed
def seed(context: VendorContext) -> Iterator[StoredObject]:
    for person in OWNERS:
        yield AdsUser(
            id=USER_IDS[person.key],
            name=person.name,
            email=person.email,
            about=person.about,
            created_at=_CREATED_UNIX_TIME,
        )
    ada = BusinessCenter(
        id=ADA_CENTER,
        name="Ada's Bakery",
        company="Ada's Bakery",
        currency="SEK",
        area="SE",
        timezone="Europe/Stockholm",
    )
    bram = BusinessCenter(
        id=BRAM_CENTER, name="Okafor Media", company="Okafor Media", currency="USD", area="NG", timezone="Africa/Lagos"
    )
    for person_key, center in (("ada", ada), ("bram", bram)):
        user = USER_IDS[person_key]
        yield center
        yield CenterMember(id=f"{user} {center.id}", parent=user, center=center.id, role="ADMIN")
    # Bram works for the bakery with read-only access, so he cannot see its leads.
    yield from _build_advertiser(BAKERY_ADVERTISER, "Ada's Bakery", ada, {"ada": "ADMIN", "bram": "ANALYST"})
    yield from _build_advertiser(SCHOOL_ADVERTISER, "Lindqvist Baking School", ada, {"ada": "ADMIN"})
    for number, client in enumerate(CLIENT_ADVERTISERS, 1):
        yield from _build_advertiser(client, f"Client {number}", bram, {"bram": "ADMIN" if number % 2 else "OPERATOR"})
    goods = Catalog(id=BAKERY_CATALOG, parent=ADA_CENTER, name="Bakery goods", kind="ECOM", created_at=_CREATED_AT)
    goods.currency, goods.country = "SEK", "SE"
    yield goods
    yield Store(id=BAKERY_STORE, parent=BAKERY_ADVERTISER, name="Ada's Bakery", code="SEADA1", catalog=BAKERY_CATALOG)
    yield _build_form(BAKERY_FORM, BAKERY_ADVERTISER, "Order a cake", ada)
    yield from _build_ad_objects(context.started_at)
    yield _build_form("7290000000000000002", CLIENT_ADVERTISERS[0], "Ask for a quote", bram)


def _build_ad_objects(started_at: datetime) -> Iterator[StoredObject]:
    """What the bakery advertises with, and a campaign that has run for some weeks."""
    yield Pixel(
        id=BAKERY_PIXEL, parent=BAKERY_ADVERTISER, code=BAKERY_PIXEL_CODE, name="Bakery website", created_at=_CREATED_AT
    )
    yield Pixel(
        id=BAKERY_CRM_EVENT_SET,
        parent=BAKERY_ADVERTISER,
        code="",
        name="Bakery orders",
        created_at=_CREATED_AT,
        kind="crm",
    )
    yield Identity(
        id=BAKERY_IDENTITY, parent=BAKERY_ADVERTISER, kind="TT_USER", name="Ada's Bakery", creator=_ADA_TIKTOK_ACCOUNT
    )
    yield Identity(id=BAKERY_CUSTOM_IDENTITY, parent=BAKERY_ADVERTISER, kind="CUSTOMIZED_USER", name="Ada's Bakery")
    yield Identity(id=CLIENT_CUSTOM_IDENTITY, parent=CLIENT_ADVERTISERS[0], kind="CUSTOMIZED_USER", name="Client 1")
    yield Post(id=BAKERY_POST, parent=_ADA_TIKTOK_ACCOUNT, text="How we fold croissants", created_at=_CREATED_AT)
    yield Post(
        id=BAKERY_PHOTO_POST, parent=_ADA_TIKTOK_ACCOUNT, text="This week's buns", created_at=_CREATED_AT, photo=True
    )
    yield Post(
        id=CREATOR_POST,
        parent="a creator",
        text="The best buns in town",
        created_at=_CREATED_AT,
        auth_code=CREATOR_AUTH_CODE,
    )
    start, on = started_at - timedelta(days=21), "on"
    common: dict[str, Any] = {
        "parent": BAKERY_ADVERTISER,
        "created_at": start,
        "changed": start,
        "switches": (TimedValue(start, on),),
    }
    aim = {"objective_type": "LEAD_GENERATION", "budget_mode": "BUDGET_MODE_INFINITE", "budget_optimize_on": False}
    yield Campaign(id=str(SANDBOX_AD["campaign_id"]), name=str(SANDBOX_AD["campaign_name"]), fields=aim, **common)
    group = {"promotion_type": "LEAD_GENERATION", "promotion_target_type": "INSTANT_PAGE", "budget": 500.0,
             "budget_mode": "BUDGET_MODE_DAY", "optimization_goal": "LEAD_GENERATION", "billing_event": "OCPM",
             "schedule_type": "SCHEDULE_FROM_NOW", "schedule_start_time": f"{start:%Y-%m-%d %H:%M:%S}",
             "placement_type": "PLACEMENT_TYPE_NORMAL", "placements": ["PLACEMENT_TIKTOK"],
             "location_ids": ["2661886"], "bid_type": "BID_TYPE_NO_BID",
             "gender": "GENDER_UNLIMITED", "pacing": "PACING_MODE_SMOOTH"}  # fmt: skip
    yield AdSet(
        id=str(SANDBOX_AD["adgroup_id"]),
        above=str(SANDBOX_AD["campaign_id"]),
        name=str(SANDBOX_AD["adgroup_name"]),
        fields=group,
        schedule=(TimedValue(start, TimeSpan(start)),),
        budgets=(TimedValue(start, Budget(50_000)),),
        goal="leads",
        **common,
    )
    creative = {
        "ad_format": "SINGLE_VIDEO",
        "ad_text": "Cakes for every day",
        "call_to_action": "GET_QUOTE",
        "identity_type": "TT_USER",
        "identity_id": BAKERY_IDENTITY,
        "tiktok_item_id": BAKERY_POST,
        "page_id": int(BAKERY_FORM),
    }
    yield Ad(
        id=str(SANDBOX_AD["ad_id"]),
        above=str(SANDBOX_AD["adgroup_id"]),
        name=str(SANDBOX_AD["ad_name"]),
        fields=creative,
        reviews=(TimedValue(start, Verdict("approved")),),
        **common,
    )


def _build_form(key: str, advertiser: str, name: str, owner: BusinessCenter) -> StoredObject:
    return LeadForm(
        id=key, parent=advertiser, name=name, questions=_QUESTIONS, created_at=_CREATED_AT, country=owner.area
    )


def _build_advertiser(key: str, name: str, owner: BusinessCenter, members: Mapping[str, str]) -> Iterator[StoredObject]:
    yield Advertiser(
        id=key,
        parent=owner.id,
        name=name,
        company=owner.company,
        currency=owner.currency,
        country=owner.area,
        timezone=owner.timezone,
        created_at=_CREATED_UNIX_TIME,
        balance=250.5,
    )
    for person, role in members.items():
        user = USER_IDS[person]
        yield AdvertiserMember(id=f"{user} {key}", parent=user, advertiser=key, role=role)
