"""The first advertisers: a bakery with two ad accounts, an agency with many, and somebody with none."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from socialgate.sandbox.kit import OWNERS, Thing, World
from socialgate.sandbox.kit.seeding import seeded
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
_SINCE = datetime.fromtimestamp(_MADE, UTC)


_QUESTIONS = [
    Question(key="name", kind="FULL_NAME", label="Name"),
    Question(key="email", kind="EMAIL", label="Email"),
    Question(key="phone_number", kind="PHONE", label="Phone number"),
]


@seeded
def seed(_world: World) -> Iterator[Thing]:
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
    yield _form("7290000000000000002", CLIENTS[0], "Ask for a quote", bram)


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
