"""The first advertisers: a bakery with two ad accounts, an agency with many, and somebody with none."""

from datetime import UTC, datetime

from socialgate.sandbox.kit import OWNERS, World
from socialgate.sandbox.society.catalogs import Catalog
from socialgate.sandbox.society.leads import Question
from socialgate.sandbox.vendors.tiktokads.state import (
    AdsUser,
    Advertiser,
    AdvertiserMember,
    BusinessCenter,
    CenterMember,
    LeadForm,
    Store,
)

USERS = {"ada": "6890000000000000101", "bram": "6890000000000000202", "cleo": "6890000000000000303"}
BAKERY, SCHOOL = "7190000000000001001", "7190000000000001002"
ADA_CENTER, BRAM_CENTER = "7180000000000000001", "7180000000000000002"
BAKERY_CATALOG, BAKERY_STORE = "7390000000000000001", "7490000000000000001"
BAKERY_FORM = "7290000000000000001"
CLIENTS = tuple(f"71900000000000020{number:02}" for number in range(1, 13))
_MADE = 1_614_334_356


def seed(world: World) -> None:
    if world.store.get(AdsUser, USERS["ada"]):
        return
    for person in OWNERS:
        user = AdsUser(id=USERS[person.key], name=person.name, email=person.email, about=person.about, made=_MADE)
        world.store.put(user)
    _center(world, ADA_CENTER, "Ada's Bakery", "SEK", "SE", "Europe/Stockholm", "ada")
    _center(world, BRAM_CENTER, "Okafor Media", "USD", "NG", "Africa/Lagos", "bram")
    # Bram works for the bakery with read-only access, so he cannot see its leads.
    _advertiser(world, BAKERY, "Ada's Bakery", ADA_CENTER, {"ada": "ADMIN", "bram": "ANALYST"})
    _advertiser(world, SCHOOL, "Lindqvist Baking School", ADA_CENTER, {"ada": "ADMIN"})
    for number, client in enumerate(CLIENTS, 1):
        _advertiser(world, client, f"Client {number}", BRAM_CENTER, {"bram": "ADMIN" if number % 2 else "OPERATOR"})
    _shop(world)
    _form(world, BAKERY_FORM, BAKERY, "Order a cake")
    _form(world, "7290000000000000002", CLIENTS[0], "Ask for a quote")


def _shop(world: World) -> None:
    made = datetime.fromtimestamp(_MADE, UTC)
    goods = Catalog(id=BAKERY_CATALOG, parent=ADA_CENTER, name="Bakery goods", kind="ECOM", made=made)
    goods.currency, goods.country = "SEK", "SE"
    world.store.put(goods)
    world.store.put(Store(id=BAKERY_STORE, parent=BAKERY, name="Ada's Bakery", code="SEADA1", catalog=BAKERY_CATALOG))


def _form(world: World, key: str, advertiser: str, name: str) -> None:
    owner = world.store.get(Advertiser, advertiser)
    assert owner is not None
    questions = [
        Question(key="name", kind="FULL_NAME", label="Name"),
        Question(key="email", kind="EMAIL", label="Email"),
        Question(key="phone_number", kind="PHONE", label="Phone number"),
    ]
    made = datetime.fromtimestamp(_MADE, UTC)
    world.store.put(
        LeadForm(id=key, parent=advertiser, name=name, questions=questions, made=made, country=owner.country)
    )


def _center(world: World, key: str, name: str, currency: str, area: str, timezone: str, person: str) -> None:
    center = BusinessCenter(id=key, name=name, company=name, currency=currency, area=area, timezone=timezone)
    world.store.put(center)
    user = USERS[person]
    world.store.put(CenterMember(id=f"{user} {key}", parent=user, center=key, role="ADMIN"))


def _advertiser(world: World, key: str, name: str, center: str, members: dict[str, str]) -> None:
    owner = world.store.get(BusinessCenter, center)
    assert owner is not None
    world.store.put(
        Advertiser(
            id=key,
            parent=center,
            name=name,
            company=owner.company,
            currency=owner.currency,
            country=owner.area,
            timezone=owner.timezone,
            made=_MADE,
            balance=250.5,
        )
    )
    for person, role in members.items():
        user = USERS[person]
        world.store.put(AdvertiserMember(id=f"{user} {key}", parent=user, advertiser=key, role=role))
