"""The first advertisers: a bakery with two ad accounts, an agency with many, and somebody with none."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from socialgate_sandbox.kit import OWNERS, Thing, World
from socialgate_sandbox.kit.seeding import seeded
from socialgate_sandbox.society.campaigns import Ad, AdSet, Campaign, Verdict
from socialgate_sandbox.society.catalogs import Catalog
from socialgate_sandbox.society.leads import Question
from socialgate_sandbox.society.spend import Budget, Mark, Span
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
from socialgate_sandbox.vendors.tiktokads.webhooks import AD

USERS = {"ada": "6890000000000000101", "bram": "6890000000000000202", "cleo": "6890000000000000303"}
BAKERY, SCHOOL = "7190000000000001001", "7190000000000001002"
ADA_CENTER, BRAM_CENTER = "7180000000000000001", "7180000000000000002"
BAKERY_CATALOG, BAKERY_STORE = "7390000000000000001", "7490000000000000001"
BAKERY_FORM = "7290000000000000001"
BAKERY_PIXEL, BAKERY_PIXEL_CODE, BAKERY_CRM = "7590000000000000001", "C0SANDBOXBAKERY00001", "7590000000000000002"
BAKERY_IDENTITY, BAKERY_NAME, CLIENT_NAME = "7690000000000000001", "7690000000000000002", "7690000000000000003"
BAKERY_POST, CREATOR_POST, CREATOR_CODE = "7790000000000000001", "7790000000000000002", "#sandboxCreatorCode"
BAKERY_PHOTOS = "7790000000000000003"
CLIENTS = tuple(f"71900000000000020{number:02}" for number in range(1, 13))
# Ada's account in the simulated TikTok, whose posts her identity can boost.
_ADA_ON_TIKTOK = "_000Ad4LindqvistB4keryStockholmSE01xQ"
_MADE = 1_614_334_356
_SINCE = datetime.fromtimestamp(_MADE, UTC)


_QUESTIONS = [
    Question(key="name", kind="FULL_NAME", label="Name"),
    Question(key="email", kind="EMAIL", label="Email"),
    Question(key="phone_number", kind="PHONE", label="Phone number"),
]


@seeded
def seed(world: World) -> Iterator[Thing]:
    for person in OWNERS:
        yield AdsUser(id=USERS[person.key], name=person.name, email=person.email, about=person.about, made=_MADE)
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
        user = USERS[person_key]
        yield center
        yield CenterMember(id=f"{user} {center.id}", parent=user, center=center.id, role="ADMIN")
    # Bram works for the bakery with read-only access, so he cannot see its leads.
    yield from _advertiser(BAKERY, "Ada's Bakery", ada, {"ada": "ADMIN", "bram": "ANALYST"})
    yield from _advertiser(SCHOOL, "Lindqvist Baking School", ada, {"ada": "ADMIN"})
    for number, client in enumerate(CLIENTS, 1):
        yield from _advertiser(client, f"Client {number}", bram, {"bram": "ADMIN" if number % 2 else "OPERATOR"})
    goods = Catalog(id=BAKERY_CATALOG, parent=ADA_CENTER, name="Bakery goods", kind="ECOM", made=_SINCE)
    goods.currency, goods.country = "SEK", "SE"
    yield goods
    yield Store(id=BAKERY_STORE, parent=BAKERY, name="Ada's Bakery", code="SEADA1", catalog=BAKERY_CATALOG)
    yield _form(BAKERY_FORM, BAKERY, "Order a cake", ada)
    yield from _advertising(world.began)
    yield _form("7290000000000000002", CLIENTS[0], "Ask for a quote", bram)


def _advertising(began: datetime) -> Iterator[Thing]:
    """What the bakery advertises with, and a campaign that has run for some weeks."""
    yield Pixel(id=BAKERY_PIXEL, parent=BAKERY, code=BAKERY_PIXEL_CODE, name="Bakery website", made=_SINCE)
    yield Pixel(id=BAKERY_CRM, parent=BAKERY, code="", name="Bakery orders", made=_SINCE, kind="crm")
    yield Identity(id=BAKERY_IDENTITY, parent=BAKERY, kind="TT_USER", name="Ada's Bakery", creator=_ADA_ON_TIKTOK)
    yield Identity(id=BAKERY_NAME, parent=BAKERY, kind="CUSTOMIZED_USER", name="Ada's Bakery")
    yield Identity(id=CLIENT_NAME, parent=CLIENTS[0], kind="CUSTOMIZED_USER", name="Client 1")
    yield Post(id=BAKERY_POST, parent=_ADA_ON_TIKTOK, text="How we fold croissants", made=_SINCE)
    yield Post(id=BAKERY_PHOTOS, parent=_ADA_ON_TIKTOK, text="This week's buns", made=_SINCE, photo=True)
    yield Post(id=CREATOR_POST, parent="a creator", text="The best buns in town", made=_SINCE, auth_code=CREATOR_CODE)
    start, on = began - timedelta(days=21), "on"
    common: dict[str, Any] = {"parent": BAKERY, "made": start, "changed": start, "switches": (Mark(start, on),)}
    aim = {"objective_type": "LEAD_GENERATION", "budget_mode": "BUDGET_MODE_INFINITE", "budget_optimize_on": False}
    yield Campaign(id=str(AD["campaign_id"]), name=str(AD["campaign_name"]), fields=aim, **common)
    group = {"promotion_type": "LEAD_GENERATION", "promotion_target_type": "INSTANT_PAGE", "budget": 500.0,
             "budget_mode": "BUDGET_MODE_DAY", "optimization_goal": "LEAD_GENERATION", "billing_event": "OCPM",
             "schedule_type": "SCHEDULE_FROM_NOW", "schedule_start_time": f"{start:%Y-%m-%d %H:%M:%S}",
             "placement_type": "PLACEMENT_TYPE_NORMAL", "placements": ["PLACEMENT_TIKTOK"],
             "location_ids": ["2661886"], "bid_type": "BID_TYPE_NO_BID",
             "gender": "GENDER_UNLIMITED", "pacing": "PACING_MODE_SMOOTH"}  # fmt: skip
    yield AdSet(
        id=str(AD["adgroup_id"]), above=str(AD["campaign_id"]), name=str(AD["adgroup_name"]), fields=group,
        schedule=(Mark(start, Span(start)),), budgets=(Mark(start, Budget(50_000)),), goal="leads", **common,
    )  # fmt: skip
    creative = {"ad_format": "SINGLE_VIDEO", "ad_text": "Cakes for every day", "call_to_action": "GET_QUOTE",
                "identity_type": "TT_USER", "identity_id": BAKERY_IDENTITY, "tiktok_item_id": BAKERY_POST,
                "page_id": int(BAKERY_FORM)}  # fmt: skip
    yield Ad(
        id=str(AD["ad_id"]), above=str(AD["adgroup_id"]), name=str(AD["ad_name"]), fields=creative,
        reviews=(Mark(start, Verdict("approved")),), **common,
    )  # fmt: skip


def _form(key: str, advertiser: str, name: str, owner: BusinessCenter) -> Thing:
    return LeadForm(id=key, parent=advertiser, name=name, questions=_QUESTIONS, made=_SINCE, country=owner.area)


def _advertiser(key: str, name: str, owner: BusinessCenter, members: Mapping[str, str]) -> Iterator[Thing]:
    yield Advertiser(
        id=key,
        parent=owner.id,
        name=name,
        company=owner.company,
        currency=owner.currency,
        country=owner.area,
        timezone=owner.timezone,
        made=_MADE,
        balance=250.5,
    )
    for person, role in members.items():
        user = USERS[person]
        yield AdvertiserMember(id=f"{user} {key}", parent=user, advertiser=key, role=role)
